"""What was decided about hits: shown, reported, passed, dropped, and why."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Annotated

from jdbpy import decisions as model
from jdbpy.cli.arguments.hits import HitsArgument, HitsRequest
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import Line, RowPieces, Sentence, Shown, faint, name, number
from jdbpy.cli.output.shows import shows
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command

_DEFAULT = HitsRequest(20, None)


@shows(model.HitLog)
def hits_shown(result: model.HitLog, settings: Settings) -> Shown:
    if not result.hits and not result.breakpoints:
        yield Sentence("no hit has come in yet")
        return
    if result.hits:
        yield RowPieces([_row(each) for each in result.hits])
    for each in result.breakpoints:
        yield from _totals(each)


def _row(hit: model.HitDecision) -> tuple[Line, ...]:
    clock = time.strftime("%H:%M:%S", time.localtime(hit.time)) + f".{int(hit.time % 1 * 1000):03}"
    thread = "" if hit.thread is None else hit.thread.name or f"thread {hit.thread.id}"
    at = hit.location
    place = "" if at is None else f"{at.class_name}.{at.method}" + (f":{at.line}" if at.line else "")
    of = ", ".join(map(str, hit.breakpoints)) or "-"
    why = hit.outcome.value if hit.reason is model.Decision.SHOWN else f"{hit.outcome.value}: {hit.reason.text}"
    return faint(clock), name(thread), place, number(of), why


def _totals(point: model.BreakpointHits) -> Iterator[Sentence]:
    parts = []
    for outcome in model.HitOutcome:
        of_outcome = [each for each in point.totals if each.outcome is outcome]
        if not of_outcome:
            continue
        total = sum(each.count for each in of_outcome)
        plain = {model.Decision.SHOWN, model.Decision.REPORT}
        why = "; ".join(f"{each.reason.text} {each.count:,}" for each in of_outcome if each.reason not in plain)
        if len(of_outcome) == 1 and why:
            why = of_outcome[0].reason.text
        parts.append(f"{total:,} {outcome.value}" + (f" ({why})" if why else ""))
    said = ", ".join(parts) if parts else "no hit has come in"
    yield Sentence(f"breakpoint {point.number}: {said}")
    if point.in_target:
        yield Sentence(faint("hits that the target itself passes, as where its condition is false, are not counted"))


@command("hits", "info hits", group="breakpoints")
async def hits(ctx: Context, request: Annotated[HitsRequest, HitsArgument()] = _DEFAULT) -> model.HitLog:
    """Show what was decided about the latest hits, and why: which stopped, which were passed or dropped.

    `info hits 100` shows more of them, `info hits for 3` those of breakpoint 3, with how many of its hits were shown,
    passed and dropped for which reason; `info hits 50 for 3` is both. The last 1,000 are kept; the totals are of all.
    """
    return await ctx.session.decisions.latest(request.count, request.breakpoint)

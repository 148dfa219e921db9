"""What an operator asks of a JVM that runs: which threads use the processors, memory and collections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from jdbpy import operating
from jdbpy.cli.arguments.base import Number, Option
from jdbpy.cli.arguments.repeating import RepeatArgument, Repetition
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import Column, Line, RowPieces, Sentence, Shown, TablePieces, count, faint, name
from jdbpy.cli.output.shows import shows
from jdbpy.cli.repeating import repeated, require_end
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command

_EVERY = 2.0
_FIRST = 1.0
"""Seconds of the first interval, which is what a script gets where it says nothing."""

_COLUMNS = (
    Column("cpu", style="number", right=True, least=6),
    Column("allocated", style="number", right=True, least=9, drop=3),
    Column("total", right=True, least=8, drop=4),
    Column("thread", style="name", least=16),
    Column("state", style="faint", least=8, drop=2),
    Column("where", least=16, drop=1),
)
_POOLS = 4
"""Pools that are shown, the largest ones; JSON has all."""

_JDK = ("java.", "javax.", "jdk.", "sun.", "com.sun.")


@shows(operating.TargetLoad)
def load_shown(result: operating.TargetLoad, settings: Settings) -> Shown:
    rates = not result.since_start
    process = "" if result.process is None else f" (the process {_percent(result.process)})"
    grown = "" if result.allocated is None else f", allocated {_bytes(result.allocated, result, rates)}"
    over = f"in {result.seconds:.1f} s" if rates else "since they began: everything stands still"
    yield Sentence(f"{count(result.thread_count, 'thread')}: cpu {_percent(result.share)}{process}{grown}, {over}")
    rows: list[Sequence[Line]] = [
        (
            _percent(each.share),
            "" if each.allocated is None else _bytes(each.allocated, result, rates),
            f"{each.total:.2f} s",
            each.name or "(ended)",
            each.state,
            _where(each.frames),
        )
        for each in result.threads
    ]
    head = tuple(faint(column.title) for column in _COLUMNS)
    yield TablePieces(_COLUMNS, rows, plain=RowPieces([head, *rows]))
    heap = [each for each in result.memory if each.kind != "pool"]
    pools = sorted((each for each in result.memory if each.kind == "pool"), key=lambda each: -each.used)[:_POOLS]
    yield Sentence(", ".join(f"{each.name} {_of(each.used, each.maximum or each.committed)}" for each in heap))
    yield Sentence(faint("pools: ") + faint(", ".join(f"{each.name} {_mega(each.used)}" for each in pools)))
    for each in result.collections:
        if each.count or result.since_start:
            yield name(each.name) + ": " + f"{count(each.count, 'collection')}, {each.milliseconds} ms"


def _percent(share: float) -> str:
    return f"{share * 100:.1f}%"


def _bytes(size: int, load: operating.TargetLoad, rates: bool) -> str:
    value = size / load.seconds if rates else size
    unit, shown = ("MB", value / 2**20) if value >= 2**20 / 10 else ("kB", value / 2**10)
    return f"{shown:,.1f} {unit}{'/s' if rates else ''}"


def _mega(size: int) -> str:
    return f"{size / 2**20:,.1f} M"


def _of(used: int, most: int) -> str:
    return f"{_mega(used)} of {_mega(most)} ({used / most:.0%})" if most else _mega(used)


def _where(frames: Sequence[str]) -> str:
    """Return the first frame of the program, and the top frame where that is another."""
    if not frames:
        return ""
    own = next((each for each in frames if not each.startswith(_JDK)), frames[0])
    return _short(frames[0]) if own is frames[0] else f"{_short(own)} > {_short(frames[0])}"


def _short(frame: str) -> str:
    """``com.acme.Order.total(Order.java:42)`` as ``Order.total:42``."""
    place, _, source = frame.partition("(")
    line = source.rstrip(")").rpartition(":")[2]
    return ".".join(place.split(".")[-2:]) + (f":{line}" if line.isdigit() else "")


@command("top", "dashboard", group="vm")
async def top(
    ctx: Context,
    repeat: Annotated[Repetition, RepeatArgument()] = Repetition(),
    *,
    most: Annotated[int, Option("-n", argument=Number("N", 1, 200), help="how many threads are shown")] = 10,
    allocation: Annotated[bool, Option("-a", "--allocation", help="those first that have allocated the most")] = False,
) -> operating.TargetLoad:
    """Show the threads by processor time and allocation, with their top frames, heap pools and collections.

    `top`, `top -n 20 every 5s`. At the prompt it goes on in place until Ctrl-C; a script gets one interval, or as many
    as it asks for: `top every 5s for 1m`. No thread is suspended: its beans tell it, by methods that run in it.
    100% is one processor all the time. Where everything is suspended the figures are those since each thread began.
    """
    require_end(ctx, repeat)
    meter = ctx.session.top
    if meter.stands_still:
        return (await meter.since(None, most=most, by_allocation=allocation))[0]
    before = await meter.sample()

    async def once() -> operating.TargetLoad:
        nonlocal before
        found, before = await meter.since(before, most=most, by_allocation=allocation)
        return found

    first = min(repeat.seconds or _FIRST, repeat.every or _FIRST)
    return await repeated(ctx, repeat, once, kind="load", every=_EVERY, endless=True, first=first)

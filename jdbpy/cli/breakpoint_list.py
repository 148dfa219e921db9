"""The results of the commands for breakpoints, catchpoints, watchpoints and traces, and the list of breakpoints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from jdbpy import BreakpointInfo, BreakpointPlace, SuspendPolicy, kinds
from jdbpy.cli.output.pieces import Column, Line, RowPieces, Sentence, Shown, TablePieces, count
from jdbpy.cli.output.places import place_of
from jdbpy.cli.output.shows import shows
from jdbpy.cli.settings import Settings
from jdbpy.json_form import HIDDEN, Json
from jdbpy.record import Record


class BreakpointSet(Record):
    """A new breakpoint; ``remote``: the target is not on this machine."""

    breakpoint: BreakpointInfo
    remote: Annotated[bool, Json("the target is on another machine", optional=False)] = False


class Breakpoints(Record):
    """Breakpoints and other points, all or those of some ``kinds``."""

    breakpoints: tuple[BreakpointInfo, ...]
    kinds: Annotated[tuple[str, ...], HIDDEN] = ()
    waiting: Annotated[
        tuple[str, ...], Json("commands that set further ones when the target is back", optional=True)
    ] = ()


class BreakpointsChanged(Record):
    """``action`` is "deleted", "enabled" or "disabled"; "condition" or "hit count", each with "set" or "removed".

    With ``places`` ("1.2") it was done to these places of breakpoints only.
    """

    action: Annotated[str, "deleted, enabled, disabled; condition set or removed, hit count set or removed"]
    breakpoints: tuple[BreakpointInfo, ...]
    places: Annotated[tuple[str, ...], "done to these places of breakpoints only: 1.2"] = ()


_SUSPENDS = {
    SuspendPolicy.ALL: "suspends all threads",
    SuspendPolicy.THREAD: "suspends only the thread that hits",
    SuspendPolicy.NONE: "suspends nothing",
}

_MOST_PLACES = 8
"""Places that are listed when a breakpoint is set."""

_REMOTE_AND_SUSPENDED = (
    "  the target is remote: while all its threads are suspended, health checks may end it",
    "  ('break', or 'suspend thread' after the place, suspends only the thread that hits)",
)

_COLUMNS = (
    Column("#", style="number", least=2, right=True),
    Column("", least=3),
    Column("place", style="name", least=16, fold=True),
    Column("a hit", least=10, drop=3, fold=True),
    Column("hits", least=6, drop=2),
    Column("", style="faint", least=10, drop=1, fold=True),
)


@shows(BreakpointSet)
def breakpoint_set(result: BreakpointSet, settings: Settings) -> Shown:
    breakpoint = result.breakpoint
    noun = noun_of(breakpoint)
    name = f"{'Temporary ' + noun if breakpoint.temporary else noun.capitalize()} {breakpoint.number}"
    effect = f"a hit {_SUSPENDS[breakpoint.policy]}" if breakpoint.kind != "class-unload" else "reports only"
    effect += f"; {_waits(breakpoint)}" if breakpoint.waiting and _has_place(breakpoint) else ""
    if not _has_place(breakpoint):
        filters = "".join(f" {each}" for each in filters_of(breakpoint))
        message = f"; {breakpoint.message}" if breakpoint.message else ""
        waits = f"; {_waits(breakpoint)}" if breakpoint.waiting else ""
        yield Sentence(f"{name} set: {breakpoint.spec}{filters}; {effect}{message}{waits}")
    elif breakpoint.code:
        places: Line = place_of(breakpoint.code[0])
        if len(breakpoint.places) > 1:
            places = f"{breakpoint.spec}, {count(len(breakpoint.places), 'place')}"
        yield f"{name} set: " + places + f"; {effect}"
        yield RowPieces(_place_rows(breakpoint, most=_MOST_PLACES), "  ")
        if breakpoint.message:
            yield Sentence(f"  {breakpoint.message}", "    ")
    else:
        pending = (breakpoint.message or "its class is not loaded yet").removeprefix("pending: ")
        yield Sentence(f"{name} at {breakpoint.spec} is pending: {pending}; {effect}")
    if result.remote and breakpoint.policy is SuspendPolicy.ALL:
        for line in _REMOTE_AND_SUSPENDED:
            yield Sentence(line, "    ")


@shows(Breakpoints)
def breakpoints(result: Breakpoints, settings: Settings) -> Shown:
    for line in result.waiting:
        yield Sentence(f"pending until the target is back: {line} ('delete all' drops it)")
    if not result.breakpoints:
        yield from () if result.waiting else [_none(result)]
        return
    yield TablePieces(_COLUMNS, [row for each in result.breakpoints for row in _rows(each)])


@shows(BreakpointsChanged)
def breakpoints_changed(result: BreakpointsChanged, settings: Settings) -> Shown:
    if not result.breakpoints:
        yield Sentence("no breakpoints")
    for each in result.breakpoints:
        what = f"at {each.spec}" if _has_place(each) else f"{noun_of(each)} {each.spec}"
        mine = [place for place in result.places if place.startswith(f"{each.number}.")]
        number = " ".join(mine or [str(each.number)])
        changed = {"condition set": f" if {each.condition}", "hit count set": f", hits {each.hit_count}"}
        yield f"{result.action}: {number} {what}{changed.get(result.action, '')}"


def noun_of(breakpoint: BreakpointInfo) -> str:
    """Return what it is called: breakpoint, logpoint, tracepoint, catchpoint, watchpoint, trace."""
    options = dict(breakpoint.options)
    if "stack" in options or "log" in options:
        return "tracepoint" if "stack" in options else "logpoint"
    return kinds.kind_named(breakpoint.kind).noun


def filters_of(breakpoint: BreakpointInfo) -> list[str]:
    """Return what it is limited to, and what its hits run."""
    whose = [f"by {breakpoint.client}"] if breakpoint.client else []
    return [*(f"{name} {text}".rstrip() for name, text in breakpoint.options), *whose]


def _none(result: Breakpoints) -> str:
    """Return what to say when there are none."""
    if not result.kinds:
        return "no breakpoints; 'stop at CLASS:LINE' or 'stop in CLASS.METHOD' sets one"
    kind = kinds.kind_named(result.kinds[0])
    return f"no {kind.noun}s; '{kind.command} {kind.example}' sets one"


def _rows(breakpoint: BreakpointInfo) -> Iterator[tuple[str, ...]]:
    """Yield the row of a breakpoint, and one for each of its places where it has several, or is not at the one it
    has."""
    yield _row(breakpoint)
    for number, state, place, kind, note in _place_rows(breakpoint):
        yield number, state, place, kind, "", note


def _row(breakpoint: BreakpointInfo) -> tuple[str, ...]:
    notes = [f"if {breakpoint.condition}"] if breakpoint.condition else []
    notes += ["in the target"] if breakpoint.in_target else []
    notes += [f"ordinary: {breakpoint.ordinary}"] if breakpoint.ordinary else []
    if breakpoint.failures:
        notes.append(f"condition failed {count(breakpoint.failures, 'time')}: {breakpoint.failure}")
    notes += [f"hits {breakpoint.hit_count}"] if breakpoint.hit_count else []
    notes += [f"after {count(breakpoint.ignore, 'hit')}"] if breakpoint.ignore else []
    notes += [f"thread {breakpoint.thread}"] if breakpoint.thread is not None else []
    notes += [f"called from {', '.join(breakpoint.callers)}"] if breakpoint.callers else []
    notes += filters_of(breakpoint)
    if breakpoint.after is not None:
        over = f"after {'each hit' if breakpoint.after_each else 'a hit'} of {breakpoint.after}"
        notes.append(_waits(breakpoint) if breakpoint.waiting else over)
    notes += ["once"] if breakpoint.temporary else []
    absent = breakpoint.enabled and not (breakpoint.waiting or breakpoint.over or breakpoint.code)
    missing = ["not loaded yet"] if _has_place(breakpoint) and absent else []
    notes += [breakpoint.message] if breakpoint.message else missing
    notes += [f"'enable {breakpoint.number}' counts anew"] if breakpoint.over else []
    state = "off" if not breakpoint.enabled else "over" if breakpoint.over else "waits" if breakpoint.waiting else "on"
    return (
        str(breakpoint.number),
        state,
        breakpoint.spec if _has_place(breakpoint) else f"{noun_of(breakpoint)} {breakpoint.spec}",
        _SUSPENDS[breakpoint.policy],
        count(breakpoint.hits, "hit"),
        "; ".join(notes),
    )


def _place_rows(breakpoint: BreakpointInfo, most: int = 100) -> Iterator[tuple[str, ...]]:
    """Number, state, place and kind of each place, and what keeps the breakpoint from it; none for a plain one."""
    places = breakpoint.places
    if len(places) == 1 and places[0].enabled and not places[0].error:
        return
    for place in places[:most]:
        state = "off" if not place.enabled else "no" if place.error else "on"
        note = f"the condition is wrong here: {place.error}" if place.error else ""
        copies = f", {count(len(place.locations), 'time')}" if len(place.locations) > 1 else ""
        yield f"{breakpoint.number}.{place.number}", state, f"{_where(place)}{copies}", place.kind, note
    if len(places) > most:
        yield "", "", f"and {len(places) - most} more; 'breakpoints' lists them", "", ""


def _where(place: BreakpointPlace) -> str:
    if not place.locations:
        return "not loaded"
    location = place.locations[0]
    line = f":{location.line}" if location.line is not None else ""
    return f"{location.class_name}.{location.method} ({location.source or '?'}{line})"


def _waits(breakpoint: BreakpointInfo) -> str:
    return f"waits for {'each hit' if breakpoint.after_each else 'a hit'} of {breakpoint.after}"


def _has_place(breakpoint: BreakpointInfo) -> bool:
    return kinds.kind_named(breakpoint.kind).in_code

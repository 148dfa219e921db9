"""The words in a recorded call: its lines forward and back, what was known there, and two calls compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from jdbpy import SourceLine, SourceWindow, recorded as model
from jdbpy.cli.arguments.base import Number
from jdbpy.cli.arguments.code import ExpressionText
from jdbpy.cli.arguments.recording import (
    Destination,
    DestinationArgument,
    KeptName,
    RecordedNumber,
)
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import CodePieces, Column, Line, Sentence, Shown, TablePieces, count, faint, name
from jdbpy.cli.output.shows import shows
from jdbpy.cli.results import Done
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.errors import UsageError
from jdbpy.json_form import HIDDEN
from jdbpy.record import Record

_MOST_LISTED = 40
_AROUND = 4


class InRecordedCall(Record):
    """A place in a recorded call, with the source around it; ``call`` where it was just opened."""

    place: model.RecordedPlace
    source: SourceWindow | None = None
    call: Annotated[model.RecordedCallInfo | None, "where it was just opened"] = None


class RecordedSource(Record):
    """Source around a place in a recorded call, with values behind its lines."""

    source: SourceWindow


class KeptVariables(Record):
    """The variables at a place in a recorded call, and the fields that were written until then."""

    variables: tuple[model.KeptVariable, ...]


class KeptExpressionValue(Record):
    """The value of an expression over what was kept of a call."""

    expression: str
    value: model.KeptVariable


class KeptWrites(Record):
    """Writes of variables and fields in a recorded call, in the order in which they are shown."""

    call: int
    writes: tuple[model.KeptWrite, ...]
    of: Annotated[str, HIDDEN] = ""
    more: Annotated[int, "earlier ones"] = 0


# -- how they are shown ------------------------------------------------------------------------------------------------


def call_text(of: model.RecordedCallInfo) -> str:
    """Return a call as it would be written, with the values that it was given."""
    given = ", ".join(f"{each.name} = {each.text}" for each in of.arguments)
    return f"{of.class_name.rpartition('.')[2]}.{of.method}({given})"


def took(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:,.2f} {unit}"
    return f"{seconds * 1e6:,.0f} µs"


@shows(InRecordedCall)
def place_shown(result: InRecordedCall, settings: Settings) -> Shown:
    place = result.place
    if result.call is not None:
        call = result.call
        yield name(f"recorded call {call.number}") + f": {call_text(call)} in {call.thread}, {took(call.cost)}"
        yield f"{count(call.lines, 'line')}; it {_ended(call)}"
        if call.left_out:
            yield Sentence(f"{count(call.left_out, 'event')} in the middle are not kept, only counted")
    for made in place.called:
        yield faint("  called ") + made.name + (f" = {made.text}" if made.text else "")
    for write in place.changes:
        yield faint(f"  {write.line}: ") + _change(write)
    if place.left_out:
        yield faint(f"  {count(place.left_out, 'line')} left out")
    where = f"{place.class_name}.{place.method}"
    file = f"({place.source}:{place.line})" if place.source else f"(line {place.line})"
    turn = f", {_nth(place.turn)} time" if place.turn > 1 and not place.end else ""
    if place.end:
        yield name("end") + f"  {where} {file} {place.outcome}"
    else:
        yield faint(f"{place.step}/{place.steps}") + f"  {where} {file}{turn}"
    if result.source is not None:
        yield CodePieces(result.source)


def _ended(call: model.RecordedCallInfo) -> str:
    if call.exception is not None:
        return f"threw {call.exception}"
    return f"returned {call.result}" if call.result is not None else "returned"


def _nth(number: int) -> str:
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def _change(write: model.KeptWrite) -> Line:
    before = f" (was {write.old})" if write.old is not None else ""
    return name(write.name) + f" = {write.new}" + faint(before)


@shows(RecordedSource)
def source_shown(result: RecordedSource, settings: Settings) -> Shown:
    yield CodePieces(result.source)


@shows(KeptVariables)
def variables_shown(result: KeptVariables, settings: Settings) -> Shown:
    if not result.variables:
        yield Sentence("no variable has a value here")
    for each in result.variables:
        yield name(each.name) + f" = {each.text}"


@shows(KeptExpressionValue)
def value_shown(result: KeptExpressionValue, settings: Settings) -> Shown:
    yield f"{result.expression} = {result.value.text}"


_WRITES = (
    Column("step", style="number", right=True, least=4),
    Column("line", right=True, least=4),
    Column("variable", style="name", least=8, fold=True),
    Column("old", least=6, fold=True),
    Column("new", least=6, fold=True),
)


@shows(KeptWrites)
def writes_shown(result: KeptWrites, settings: Settings) -> Shown:
    if not result.writes:
        yield Sentence(f"nothing has written {result.of} until here" if result.of else "nothing is written until here")
        return
    rows = [
        (
            "given" if not each.step else str(each.step),
            str(each.line or ""),
            each.name,
            each.old if each.old is not None else "",
            each.new + (" (last of several that are not kept)" if each.between else ""),
        )
        for each in result.writes
    ]
    yield TablePieces(_WRITES, rows)
    if result.more:
        yield faint(f"{count(result.more, 'write')} more")


@shows(model.ComparedCalls)
def comparison_shown(result: model.ComparedCalls, settings: Settings) -> Shown:
    one, other = result.one, result.other
    yield f"call {one} {result.outcomes[0]}, call {other} {result.outcomes[1]}"
    if result.first_step is not None and result.first_values:
        yield f"values differ from step {result.first_step} on, line {result.first_line}:"
        yield from _differing(result.first_values)
    if result.step is None:
        yield Sentence("both go over the same lines" + ("" if result.first_values else ", with the same values"))
        return
    yield (
        name("they part at step ")
        + f"{result.step}: call {one} comes to line {result.line}, call {other} to "
        + (f"line {result.other_line}" if result.line != result.other_line else "its end")
    )
    if result.values and result.step != result.first_step:
        yield from _differing(result.values)


def _differing(values: tuple[model.DifferingValue, ...]) -> Iterator[Line]:
    for each in values:
        one, other = (text if text is not None else "no value" for text in (each.one, each.other))
        yield "  " + name(each.name) + f" = {one}, in the other {other}"


# -- in a recorded call ------------------------------------------------------------------------------------------------


def open_call(ctx: Context) -> Any:
    """Return the recorded call that is open. Raises UsageError."""
    if ctx.open_call is None:
        raise UsageError("no recorded call is open", hint="'recorded' lists them, 'recorded 5' opens one")
    return ctx.open_call


async def place_in_call(ctx: Context, *, opened: bool = False) -> InRecordedCall:
    """Return where the open call is, with the source around it."""
    cursor = open_call(ctx)
    recorder = ctx.session.recorder
    window = await _window(ctx, cursor.step.line, 0 if not opened else _AROUND)
    return InRecordedCall(recorder.place(cursor), window, recorder.told(cursor.call) if opened else None)


async def _window(ctx: Context, line: int, around: int) -> SourceWindow | None:
    """Return the source around a line, with values behind its lines."""
    cursor = open_call(ctx)
    lines = await ctx.session.recorder.source(cursor.call)
    if not lines or not 1 <= line <= len(lines):
        return None
    values = ctx.session.recorder.behind_lines(cursor)
    shown = []
    for number in range(max(1, line - around), min(len(lines), line + around) + 1):
        behind = f"   // {values[number]}" if number in values else ""
        shown.append(SourceLine(number, lines[number - 1] + behind))
    source = cursor.call.source
    return SourceWindow(source, source, tuple(shown), cursor.step.line, len(lines))


@command("recorded next", "recorded step", group="breakpoints", repeats="again")
async def recorded_next(
    ctx: Context, where: Annotated[Destination | None, DestinationArgument()] = None
) -> InRecordedCall:
    """Go on in the open recorded call: one line, or so many. There `next` and `step` do it."""
    _go(ctx, where or Destination(), back=False)
    return await place_in_call(ctx)


@command("recorded back", group="breakpoints", repeats="again")
async def recorded_back(
    ctx: Context, where: Annotated[Destination | None, DestinationArgument()] = None
) -> InRecordedCall:
    """Go back in the open recorded call: a line, or so many, to a line, or to where a condition held.

    `back`, `back 3`, `back to 42`, `back if total >= 0`.
    """
    _go(ctx, where or Destination(), back=True)
    return await place_in_call(ctx)


@command("recorded cont", group="breakpoints")
async def recorded_cont(
    ctx: Context, where: Annotated[Destination | None, DestinationArgument()] = None
) -> InRecordedCall:
    """Go on in the open recorded call to its end, to a line, or to where a condition holds.

    `cont`, `cont to 42`, `cont if total < 0`.
    """
    if where is None:
        open_call(ctx).go_to_end()
    else:
        _go(ctx, where, back=False)
    return await place_in_call(ctx)


def _go(ctx: Context, where: Destination, *, back: bool) -> None:
    cursor = open_call(ctx)
    if where.line:
        cursor.go_to_line(where.line, back=back)
    elif where.condition:
        cursor.go_where(where.condition, back=back)
    else:
        cursor.move(-where.count if back else where.count)


@command("recorded where", "recorded frame", group="breakpoints")
async def recorded_where(ctx: Context) -> InRecordedCall:
    """Show where one is in the open recorded call, and what the line before has done."""
    return await place_in_call(ctx, opened=True)


@command("recorded list", group="breakpoints")
async def recorded_list(ctx: Context, line: Annotated[int | None, Number("LINE")] = None) -> RecordedSource:
    """Show source around the place in the open recorded call, with the values that its lines have written."""
    cursor = open_call(ctx)
    window = await _window(ctx, line or cursor.step.line, 2 * _AROUND)
    if window is None:
        raise UsageError(
            f"no source of {cursor.call.method.class_name} is found", hint="'use PATHS' says where to look"
        )
    return RecordedSource(window)


@command("recorded locals", "recorded args", group="breakpoints")
async def recorded_locals(ctx: Context) -> KeptVariables:
    """Show the variables at the place in the open recorded call, and the fields that were written until then."""
    return KeptVariables(ctx.session.recorder.variables(open_call(ctx)))


@command("recorded print", group="breakpoints")
async def recorded_print(ctx: Context, expression: ExpressionText) -> KeptExpressionValue:
    """Show the value of an expression over what was kept of the open recorded call: `print total > 100`."""
    value = ctx.session.recorder.evaluate(open_call(ctx), expression)
    return KeptExpressionValue(expression, value)


@command("recorded last", group="breakpoints")
async def recorded_last(ctx: Context, variable: Annotated[str, KeptName("NAME")]) -> KeptWrites:
    """Show who has written a variable or field until here in the open recorded call, the last write first.

    `last total`, `last this.total`.
    """
    cursor = open_call(ctx)
    writes = ctx.session.recorder.last(cursor, variable)
    return KeptWrites(cursor.call.number, writes[:_MOST_LISTED], variable, max(0, len(writes) - _MOST_LISTED))


@command("recorded changes", group="breakpoints")
async def recorded_changes(ctx: Context) -> KeptWrites:
    """Show what was written in the open recorded call until here: line, variable, old and new value."""
    cursor = open_call(ctx)
    writes = ctx.session.recorder.changes(cursor)
    return KeptWrites(cursor.call.number, writes[-_MOST_LISTED:], more=max(0, len(writes) - _MOST_LISTED))


@command("recorded close", group="breakpoints")
async def recorded_close(ctx: Context) -> Done:
    """Close the recorded call that is open: words like `next` are for the JVM again."""
    number = open_call(ctx).call.number
    ctx.open_call = None
    return Done(f"recorded call {number} is closed")


@command("recorded compare", group="breakpoints")
async def recorded_compare(
    ctx: Context, one: Annotated[int, RecordedNumber()], other: Annotated[int, RecordedNumber("M")]
) -> model.ComparedCalls:
    """Compare two recorded calls: the first line at which they part, and the values there.

    `recorded compare 3 7`; in an open call `compare 3 7`.
    """
    await ctx.session.recorder.refresh()
    compared: model.ComparedCalls = ctx.session.recorder.compare(one, other)
    return compared

"""Calls recorded line by line: what is recorded, the list of calls, files of them, one run again or as a test."""

from __future__ import annotations

from typing import Annotated

from jdbpy import recorded as model
from jdbpy.cli.arguments.base import FilePath, Number
from jdbpy.cli.arguments.recording import (
    ChosenCalls,
    ChosenCallsArgument,
    RecordArgument,
    RecordedNumber,
    RecordRequest,
)
from jdbpy.cli.commands.recorded_call import InRecordedCall, call_text, open_call, place_in_call, took
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import Column, Sentence, Shown, TablePieces, count, faint, name
from jdbpy.cli.output.shows import shows
from jdbpy.cli.results import Done
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.errors import UsageError
from jdbpy.json_form import HIDDEN, Json
from jdbpy.record import Record

_MOST_LISTED = 40


class Recordings(Record):
    """What is recorded, and what was."""

    recordings: tuple[model.RecordingInfo, ...]
    begun: Annotated[bool, HIDDEN] = False


class RecordedCalls(Record):
    """Recorded calls, the last ones; ``more`` before them are left out."""

    calls: tuple[model.RecordedCallInfo, ...]
    kept: Annotated[int, "calls that are kept"]
    more: Annotated[int, "that are not listed"] = 0
    dropped: Annotated[int, "that were kept, and dropped to make room"] = 0


class WrittenTest(Record):
    """A recorded call as a test for JUnit; ``todo`` is what is left to be written."""

    call: Annotated[int, "the recorded call"]
    class_name: Annotated[str, Json(key="class")]
    method: str
    file: Annotated[str | None, "where it was written"]
    lines: tuple[str, ...]
    todo: tuple[str, ...]


# -- how they are shown ------------------------------------------------------------------------------------------------


_RECORDINGS = (
    Column("#", style="number", right=True, least=2),
    Column("method", style="name", least=12, fold=True),
    Column("calls", right=True, least=5),
    Column("recorded", right=True, least=5),
    Column("missed", right=True, least=5, drop=2),
    Column("state", least=10, fold=True),
)


@shows(Recordings)
def recordings_shown(result: Recordings, settings: Settings) -> Shown:
    if result.begun and result.recordings:
        one = result.recordings[0]
        yield Sentence(f"recording {one.number}: calls of {one.method}, {one.state}")
    elif not result.recordings:
        yield Sentence("nothing is recorded; 'record Class.method' records the calls of a method")
    else:
        rows = [
            (str(each.number), _asked(each), f"{each.calls:,}", f"{each.kept:,}", f"{each.missed:,}", each.state)
            for each in result.recordings
        ]
        yield TablePieces(_RECORDINGS, rows)
    for each in result.recordings:
        for note in each.notes:
            yield Sentence(note)


def _asked(of: model.RecordingInfo) -> str:
    words = [of.method]
    if of.level != "all":
        words.append(of.level)
    if of.hold:
        words.append("hold")
    words += [f"{word} {value}" for word, value in (("-max", of.most), ("deep", of.depth)) if value]
    words += [f"{word} {value}" for word, value in (("if", of.condition), ("until", of.until)) if value]
    return " ".join(words)


_CALLS = (
    Column("#", style="number", right=True, least=2),
    Column("time", least=12, drop=3),
    Column("thread", least=6, drop=2),
    Column("took", right=True, least=7, drop=4),
    Column("call", least=16, fold=True),
    Column("result", least=8, fold=True),
)


@shows(RecordedCalls)
def calls_shown(result: RecordedCalls, settings: Settings) -> Shown:
    if not result.calls:
        text = "no recorded call is like that" if result.kept else "no call is recorded yet"
        yield Sentence(f"{text}; 'record' shows what is recorded")
        return
    if result.more:
        yield faint(
            f"{count(result.more, 'call')} before these: 'recorded if CONDITION' or 'recorded /TEXT' finds them"
        )
    rows = [
        (str(each.number), each.time[11:23], each.thread, took(each.cost), call_text(each), _outcome(each))
        for each in result.calls
    ]
    yield TablePieces(_CALLS, rows)
    if result.dropped:
        yield faint(f"{count(result.dropped, 'call')} recorded earlier were dropped to make room")


def _outcome(of: model.RecordedCallInfo) -> str:
    if of.exception is not None:
        kind, colon, message = of.exception.partition(":")
        return f"threw {kind.rpartition('.')[2]}{colon}{message}"
    return of.result if of.result is not None else "returned"


@shows(model.CallRunAgain)
def run_again_shown(result: model.CallRunAgain, settings: Settings) -> Shown:
    yield name(f"{result.class_name.rpartition('.')[2]}.{result.method}") + f" {result.outcome}"
    if result.same:
        yield faint(f"as recorded call {result.call} did")
    else:
        yield f"recorded call {result.call} {result.before}"
    if result.recorded:
        yield faint(f"it is recorded call {result.recorded}: 'recorded compare {result.call} {result.recorded}'")


@shows(WrittenTest)
def test_shown(result: WrittenTest, settings: Settings) -> Shown:
    if result.file is None:
        yield from result.lines
        return
    yield Sentence(f"{result.class_name}.{result.method} is written to {result.file}")
    for each in result.todo:
        yield Sentence(f"left to be written: {each}")


# -- recording ---------------------------------------------------------------------------------------------------------


@command("record", group="breakpoints")
async def record(ctx: Context, request: Annotated[RecordRequest | None, RecordArgument()] = None) -> Recordings:
    """Record the calls of a method, every line and value that it stores, while the target runs; or show what is
    recorded.

    `record Order.pay`, `record Order.pay -max 100 if amount > 1000`, `record Order.pay until IllegalStateException`.
    The target itself records; no thread is suspended. `recorded` lists the calls, `recorded 5` opens one of them,
    `record off` ends it. Calls that are under way are not recorded.
    """
    recorder = ctx.session.recorder
    if request is None:
        await recorder.refresh()
        return Recordings(tuple(each.info for each in recorder.recordings))
    made = await recorder.record(
        request.method,
        when=request.condition,
        most=request.most,
        depth=request.depth,
        level=request.level,
        until=request.until,
        hold=request.hold,
    )
    return Recordings((made.info,), begun=True)


@command("record off", group="breakpoints")
async def record_off(ctx: Context, number: Annotated[int | None, Number()] = None) -> Recordings:
    """End a recording, all if none is named; what it has brought is kept. `record off 2`."""
    recorder = ctx.session.recorder
    chosen = [each for each in recorder.running() if number in (None, each.number)]
    if not chosen:
        what = f"no recording {number} is running" if number is not None else "nothing is recorded"
        raise UsageError(what, hint="'record' shows what is")
    for each in chosen:
        await recorder.end(each)
    return Recordings(tuple(each.info for each in chosen))


@command("recorded", group="breakpoints")
async def recorded(
    ctx: Context, chosen: Annotated[ChosenCalls | None, ChosenCallsArgument()] = None
) -> RecordedCalls | InRecordedCall | WrittenTest:
    """List the calls that were recorded, or open one of them.

    `recorded`, `recorded if $exc != null`, `recorded /refused`, `recorded 5`. Conditions are over what was kept:
    arguments as they were given, variables as they were last, `$ret`, `$exc`, `$cost` in milliseconds, `$thread`. In an
    open call `next` and `back` go from line to line, `cont` and `back to 42` further, `locals`, `print` and `list` show
    what was known there, `last x` who wrote it, `changes` all writes; `close` leaves it.
    `recorded 5 --junit` shows the call as a test for JUnit, with the arguments and the result that were kept.
    """
    recorder = ctx.session.recorder
    await recorder.refresh()
    if chosen is not None and chosen.junit:
        return await _as_test(ctx, chosen)
    if chosen is not None and chosen.number:
        ctx.open_call = recorder.open(chosen.number)
        return await place_in_call(ctx, opened=True)
    found = recorder.chosen(chosen.condition, chosen.text) if chosen is not None else list(recorder.calls)
    listed = found[-_MOST_LISTED:]
    more = len(found) - len(listed)
    return RecordedCalls(tuple(map(recorder.told, listed)), len(recorder.calls), more, recorder.dropped)


async def _as_test(ctx: Context, chosen: ChosenCalls) -> WrittenTest:
    call = ctx.session.recorder.call(chosen.number or open_call(ctx).call.number)
    test = await ctx.session.recorder.junit(call, version=chosen.junit, path=chosen.file)
    lines = tuple(test.source.splitlines())
    return WrittenTest(call.number, test.class_name, test.method, chosen.file or None, lines, test.todo)


@command("again", group="changing")
async def again(ctx: Context, number: Annotated[int | None, RecordedNumber()] = None) -> model.CallRunAgain | Done:
    """Run the method of a recorded call once more, with the arguments that were kept: `again 7`; of the open call
    `again`.

    Numbers and texts are as they were, objects are the same ones, as they are now: `record METHOD hold` keeps them from
    collection. Where one was collected nothing is run. It runs in the thread that is stopped, else in one of the
    debugger's own. Where the method is being recorded, this run is: `compare` shows where the two part.
    """
    recorder = ctx.session.recorder
    await recorder.refresh()
    chosen = number if number is not None else open_call(ctx).call.number
    call = recorder.require_again(chosen)
    told = recorder.told(call)
    if not await ctx.confirm(f"run {call_text(told)} again?"):
        return Done("nothing was run")
    ran: model.CallRunAgain = await recorder.again(call)
    return ran


@command("recorded to", group="breakpoints")
async def recorded_to(ctx: Context, file: Annotated[str, FilePath()]) -> Done:
    """Keep recorded calls in a file: the open one, or all.

    `jdbpy open FILE` shows them without the JVM, and `recorded from FILE` takes them in, in any session.
    """
    recorder = ctx.session.recorder
    await recorder.refresh()
    calls = [ctx.open_call.call] if ctx.open_call is not None else list(recorder.calls)
    if not calls:
        raise UsageError("no call is recorded", hint="'record Class.method' records its calls")
    await recorder.save(calls, file)
    return Done(f"{count(len(calls), 'recorded call')} written to {file}", f"'jdbpy open {file}' shows them anywhere")


@command("recorded from", group="breakpoints")
async def recorded_from(ctx: Context, file: Annotated[str, FilePath()]) -> RecordedCalls:
    """Take in the recorded calls of a file that `recorded to` has written. They get new numbers."""
    recorder = ctx.session.recorder
    read = await recorder.read(file)
    return RecordedCalls(
        tuple(map(recorder.told, read[-_MOST_LISTED:])), len(recorder.calls), len(read[:-_MOST_LISTED])
    )


@command("recorded forget", group="breakpoints")
async def recorded_forget(ctx: Context) -> Done:
    """Forget all calls that were recorded."""
    ctx.open_call = None
    return Done(f"{count(ctx.session.recorder.forget(), 'recorded call')} forgotten")

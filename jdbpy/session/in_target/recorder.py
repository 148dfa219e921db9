"""The ``recorder`` of a session: its recordings, and the calls that were recorded, by number.

What is kept is bounded: beyond so many bytes the calls that were recorded first are dropped, and counted.
"""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import trio

from jdbpy.errors import Disconnected, EvalError, StateError, Thrown, UsageError
from jdbpy.files import open_private
from jdbpy.session.calls.backend import CallsInTarget
from jdbpy.session.eval.evaluator import Evaluator
from jdbpy.session.eval.utility_calls import CallRunner
from jdbpy.session.events.target import Target
from jdbpy.session.extension import Extension
from jdbpy.session.in_target.class_shapes import class_shapes
from jdbpy.session.in_target.held_objects import let_go
from jdbpy.session.in_target.recording import MethodRecording
from jdbpy.session.in_target.run_again import CallRepeater, require_again
from jdbpy.session.model.events import Notice
from jdbpy.session.model.recorded import (
    CallRunAgain,
    ComparedCalls,
    KeptVariable,
    KeptWrite,
    RecordedCallInfo,
    RecordedPlace,
    WhatDiffers,
)
from jdbpy.session.recorded.call import RecordedCall
from jdbpy.session.recorded.comparing import compare_calls, what_differs, where_they_part
from jdbpy.session.recorded.cursor import CallCursor, names_of
from jdbpy.session.recorded.expressions import parsed
from jdbpy.session.recorded.junit import JUnitTest, classes_in, junit_test, values_of
from jdbpy.session.recorded.keeping import RecordedFile, file_text, read_file, read_recorded
from jdbpy.session.recorded.shapes import SourceShape
from jdbpy.session.recorded.telling import (
    call_told,
    comparison_told,
    differs_told,
    outcome_told,
    parting_told,
    place_told,
    variable_told,
    variables_told,
    write_told,
)
from jdbpy.session.sources.text import SourceFile
from jdbpy.wire.messages import object_reference

MOST_BYTES = 64_000_000
"""The bytes of recorded calls that are kept, about."""


class CallRecorder(Extension):
    """Begins and ends recordings, and keeps what they bring."""

    def __init__(
        self,
        target: Target,
        evaluator: Callable[[], Evaluator],
        start: Callable[[Callable[[], Awaitable[object]]], None],
        in_target: Callable[[], CallsInTarget],
        find_source: Callable[[str, str | None], Awaitable[SourceFile | None]],
        runner: Callable[[], CallRunner],
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self.target = target
        self.recordings: list[MethodRecording] = []
        """All that were begun, those that have ended too."""
        self.dropped = 0
        """Recorded calls that were dropped to make room."""
        self._evaluator = evaluator
        self._start = start
        self._in_target = in_target
        self._find_source = find_source
        self._runner = runner
        self._most_bytes = most_bytes
        self._calls: dict[int, RecordedCall] = {}
        self._sources: dict[str, tuple[str, Sequence[str]]] = {}  # of files that were read
        self._shapes: dict[str, SourceShape] = {}  # of files that were read
        self._bytes = 0
        self._last = 0
        target.extensions.add(self)

    # -- what recordings need; see ``Observations`` --------------------------------------------------------------------

    def in_target(self, asked: bool) -> CallsInTarget:
        """Return what has the target record. Raises StateError where it cannot."""
        return self._in_target()

    def start(self, task: Callable[[], Awaitable[object]]) -> None:
        """Run a task beside the session. Raises StateError when that has ended."""
        self._start(task)

    def begun(self, observation: object) -> None:
        """A recording has begun."""

    def ended(self, observation: object) -> None:
        """A recording has ended."""

    # -- recordings ----------------------------------------------------------------------------------------------------

    async def record(
        self,
        method: str,
        *,
        when: str = "",
        most: int = 0,
        depth: int = 0,
        level: str = "all",
        until: str = "",
        hold: bool = False,
    ) -> MethodRecording:
        """Record the calls of a method from its next call on, until ``end``, beside whatever else is done.

        ``method`` is ``Class.method``, or a pattern. ``when`` is a condition at the end of a call, as of ``calls``.
        After ``most`` calls it is over (0: none are too many). ``depth`` levels of what objects hold are kept.
        ``level`` is ``lines``, ``stores``, ``calls`` or ``all``. ``until`` names the class of an exception, or a time
        (``$cost > 100ms``): the first call that ends so is the last one. ``hold`` keeps the objects that calls are
        given from collection as long as the calls are kept, for ``again``. Raises UsageError, EvalError, StateError.
        wire: some 50 trips to begin.
        """
        self._in_target()  # raises where it cannot be
        made = MethodRecording(
            self,
            self._evaluator,
            method,
            number=len(self.recordings) + 1,
            when=when,
            most=most,
            depth=depth,
            level=level,
            until=until,
            hold=hold,
            keep=self.keep,
        )
        if any(each.method == method and not each.has_ended() for each in self.recordings):
            raise StateError(f"{method} is being recorded", hint="'record off' ends it", code="RECORDING")
        await made.__aenter__()
        await made.placed()
        self.recordings.append(made)
        self._start(lambda: self._finish(made))
        return made

    async def _finish(self, recording: MethodRecording) -> None:
        """Take a recording out of the target when it has all that was asked for. Runs as a task of the session."""
        await recording.over.wait()
        if not recording.has_left:
            await self.end(recording)
        if recording.ended_by:
            text = f"recording {recording.number} has ended: {recording.ended_by}"
            data = (("number", recording.number), ("method", recording.method), ("kept", recording.kept))
            self.target.publish(Notice("recording-ended", text, data))

    async def end(self, recording: MethodRecording) -> None:
        """End a recording, and take it out of the target. wire: as ``calls``."""
        if not recording.has_left:
            recording.has_left = True
            await recording.__aexit__(None, None, None)
            recording.over.set()

    def running(self) -> list[MethodRecording]:
        """Return the recordings that have not ended."""
        return [each for each in self.recordings if not each.has_ended()]

    async def refresh(self) -> None:
        """Take in what the target has recorded so far; nothing more once it has ended.

        wire: 2 trips, more for each 32 calls.
        """
        try:
            for each in self.running():
                await each.refresh()
        except Disconnected:  # there is what was read until then
            return

    # -- calls ---------------------------------------------------------------------------------------------------------

    def keep(self, call: RecordedCall) -> None:
        """Keep a call, and give it a number."""
        self._last += 1
        call.number = self._last
        call.run_again = partial(self.again, call)
        self._calls[call.number] = call
        self._bytes += call.data.size
        while self._bytes > self._most_bytes and len(self._calls) > 1:
            first = self._calls.pop(next(iter(self._calls)))
            let_go(self.target, first)
            self._bytes -= first.data.size
            self.dropped += 1

    @property
    def calls(self) -> Sequence[RecordedCall]:
        """Return the calls that are kept, in the order in which they ended."""
        return tuple(self._calls.values())

    def call(self, number: int) -> RecordedCall:
        """Return a call by its number. Raises UsageError."""
        if number in self._calls:
            return self._calls[number]
        if not self._calls:
            raise UsageError("no call is recorded", hint="'record Class.method' records its calls", code="NO_CALL")
        first, last = next(iter(self._calls)), self._last
        why = f"recorded call {number} was dropped to make room" if 0 < number < first else f"no recorded call {number}"
        raise UsageError(why, hint=f"there are {first} to {last}: 'recorded' lists them", code="NO_CALL")

    def open(self, number: int) -> CallCursor:
        """Return a place in a recorded call, at its first line. Raises UsageError."""
        return CallCursor(self.call(number))

    def require_again(self, number: int) -> RecordedCall:
        """Return a call that can be run again, as far as is known. Raises UsageError, StateError. No trip."""
        call = self.call(number)
        self.target.require_alive()
        self.target.conn.require_allowed(object_reference.InvokeMethod)
        require_again(call)
        return call

    async def again(self, call: RecordedCall) -> CallRunAgain:
        """Run the method of a call once more, with the arguments that were kept, in the selected thread or in one of
        the debugger's own; where it is being recorded, this run is.

        Numbers and texts are as they were, objects are the same ones, as they are now. Raises StateError where one was
        collected, where no method can be run, and where it has not returned in time. wire: 3 trips and the call.
        """
        last = self._last
        ran, thread = await CallRepeater(self.target, self._runner()).run(call)
        await self.refresh()
        made = [each for each in self._calls.values() if each.number > last and _is_run_of(each, call, thread)]
        return ran.replace(recorded=made[-1].number) if made else ran

    # -- as plain data -------------------------------------------------------------------------------------------------

    def told(self, call: RecordedCall) -> RecordedCallInfo:
        """Return a call in short."""
        return call_told(call)

    def place(self, cursor: CallCursor) -> RecordedPlace:
        """Return where one is in a call."""
        return place_told(cursor)

    def variables(self, cursor: CallCursor) -> tuple[KeptVariable, ...]:
        """Return the variables in scope at a place with their values, and the fields that were written until then."""
        return variables_told(cursor.values())

    def outcome(self, cursor: CallCursor) -> tuple[KeptVariable, ...]:
        """Return how the call has ended, by the names that conditions have for it: ``$ret``, ``$exc``, ``$cost``."""
        names = names_of(cursor.call)
        return variables_told((name, names[name]) for name in ("$ret", "$exc", "$cost") if name in names)

    def evaluate(self, cursor: CallCursor, expression: str) -> KeptVariable:
        """Return the value of an expression over what was kept. Raises EvalError, Thrown. No trip."""
        return variable_told(expression, cursor.evaluate(expression))

    def last(self, cursor: CallCursor, variable: str) -> tuple[KeptWrite, ...]:
        """Return the writes of a variable or field until a place, the last one first. Raises UsageError for a name that
        the method does not write anywhere."""
        method = cursor.call.method
        names = sorted({each.name for each in method.points if each.kind in ("store", "field", "argument")})
        if not any(variable == each or each.endswith(f".{variable}") for each in names):
            raise UsageError(
                f"{method.name} has no variable or field '{variable}' that it writes",
                hint=f"it writes {', '.join(names)}" if names else "it writes none that is recorded",
                code="NO_VARIABLE",
            )
        return tuple(map(write_told, cursor.call.last(variable, cursor.step)))

    def changes(self, cursor: CallCursor) -> tuple[KeptWrite, ...]:
        """Return all writes until a place."""
        return tuple(write_told(write) for number, write in cursor.call.writes if number < cursor.step.first)

    def behind_lines(self, cursor: CallCursor) -> dict[int, str]:
        """Return what each line has written last until a place, in words, by line."""
        found: dict[int, dict[str, str]] = {}
        for number, write in cursor.call.writes:
            if number < cursor.step.first and write.step:
                found.setdefault(write.line, {})[write.name] = write.new.text
        return {line: ", ".join(f"{name} = {_short(text)}" for name, text in of.items()) for line, of in found.items()}

    def compare(self, one: int, other: int) -> ComparedCalls:
        """Return where two recorded calls part. Raises UsageError, also for calls of two methods."""
        calls = self.call(one), self.call(other)
        names = [f"{each.method.name}{each.method.signature}" for each in calls]
        if names[0] != names[1]:
            raise UsageError(f"call {one} is of {calls[0].method.name}, call {other} of {calls[1].method.name}")
        return comparison_told(*calls, compare_calls(*calls))

    def differences(self, condition: str = "", calls: Sequence[RecordedCall] | None = None) -> WhatDiffers:
        """Return what calls that failed have, and others have not, all of the method that has failed last.

        Those have failed that an exception has ended, or for which a condition over what was kept holds. Without
        ``calls`` all that are kept. Raises EvalError, UsageError where none is kept.
        """
        calls = self.calls if calls is None else calls
        if not calls:
            raise UsageError("no call is recorded", hint="'record Class.method' records its calls", code="NO_CALL")
        of = self.wrong(condition, calls)
        method = (of or calls)[-1].method
        groups: tuple[list[RecordedCall], list[RecordedCall]] = ([], [])
        failed = {id(each) for each in of}
        for each in calls:
            if (each.method.name, each.method.signature) == (method.name, method.signature):
                groups[id(each) not in failed].append(each)
        return WhatDiffers(
            method=method.name,
            failed=len(groups[0]),
            returned=len(groups[1]),
            differences=differs_told(what_differs(*groups)),
            parting=parting_told(where_they_part(*groups)),
            condition=condition,
        )

    def wrong(self, condition: str, calls: Sequence[RecordedCall]) -> list[RecordedCall]:
        """Return those of calls for which a condition holds; without one those that an exception has ended."""
        return self.chosen(condition, among=calls) if condition else [each for each in calls if each.failed]

    def chosen(
        self, condition: str = "", text: str = "", among: Sequence[RecordedCall] | None = None
    ) -> list[RecordedCall]:
        """Return the calls for which a condition over what was kept holds, and in whose line a text occurs.

        Raises EvalError for what is no expression, or if it has a value for no call.
        """
        found, failed = [], None
        expression = parsed(condition) if condition else None
        for call in self.calls if among is None else among:
            if text and text.lower() not in _searched(call).lower():
                continue
            try:
                if expression is None or expression.holds(names_of(call)):
                    found.append(call)
            except (EvalError, Thrown) as error:
                failed = failed or error
        if failed is not None and not found:
            raise failed
        return found

    async def save(self, calls: Sequence[RecordedCall], path: str) -> None:
        """Write calls to a file, with the source of their classes where it is found. Raises UsageError."""
        await trio.to_thread.run_sync(_write, path, await self.file_text(calls))

    async def file_text(self, calls: Sequence[RecordedCall]) -> str:
        """Return calls as the text of a file. wire: as looking for sources, and ``class_shapes``."""
        sources: dict[str, tuple[str, Sequence[str]]] = {}
        for each in calls:
            name = each.method.class_name
            if name not in sources and (source := await self.source(each)) is not None:
                sources[name] = each.source, source
        shapes = await self._shapes_for(calls)
        info = self.target.info
        about = {"address": info.address, "name": info.name, "java": info.version}
        return file_text(calls, sources, shapes.values(), about, time.time())

    async def _shapes_for(self, calls: Iterable[RecordedCall]) -> dict[str, SourceShape]:
        """Return what is known of the classes of calls and of their objects. wire: as ``class_shapes``."""
        names = dict.fromkeys(name for each in calls for name in (each.method.class_name, *classes_in(values_of(each))))
        if self.target.played or (self.target.snapshot is not None and self._shapes):
            return {name: self._shapes[name] for name in names if name in self._shapes}
        found = await class_shapes(self.target, names)
        return {**{name: self._shapes[name] for name in names if name in self._shapes}, **found}

    async def junit(self, call: RecordedCall, *, version: int = 5, path: str = "") -> JUnitTest:
        """Return a recorded call as a test for JUnit, and write it into a new file if one is named.

        Raises StateError where none can be written: no test can call the method, or nothing of what it was given can be
        written in source. wire: as what is asked of classes takes.
        """
        name = Path(path).name
        if path and not name.endswith(".java"):
            raise UsageError(f"{path} is no name of a file of Java source", hint="to OrderTest.java")
        test = junit_test(call, await self._shapes_for([call]), version=version, class_name=name.removesuffix(".java"))
        if path:
            await trio.to_thread.run_sync(_write_new, path, test.source)
        return test

    async def source(self, call: RecordedCall) -> Sequence[str] | None:
        """Return the lines of the source of a call; None where it is not found."""
        name = call.method.class_name
        if name in self._sources:
            return self._sources[name][1]
        found = await self._find_source(name, call.source or None)
        return found.lines if found is not None else None

    async def read(self, path: str) -> list[RecordedCall]:
        """Take in the calls of a file; they get new numbers. Raises UsageError. No trip."""
        data = await trio.to_thread.run_sync(read_file, path)
        content = await trio.to_thread.run_sync(read_recorded, data, path)
        return self.take(content)

    def take(self, content: RecordedFile) -> list[RecordedCall]:
        """Take in the content of a file; its calls get new numbers. No trip."""
        self._sources.update(content.sources)
        self._shapes.update(content.shapes)
        for each in content.calls:
            self.keep(each)
        return list(content.calls)

    def forget(self) -> int:
        """Forget all calls that were recorded; return how many there were. Their numbers are not given again."""
        count = len(self._calls)
        for each in self._calls.values():
            let_go(self.target, each)
        self._calls.clear()
        self._bytes = 0
        return count


def _is_run_of(made: RecordedCall, call: RecordedCall, thread: int) -> bool:
    """True if a call was made in a thread, of the same method."""
    return made.given is not None and made.given.thread == thread and made.method.name == call.method.name


def _write(path: str, text: str) -> None:
    try:
        with open(open_private(path), "w", encoding="ascii") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from None


def _write_new(path: str, text: str) -> None:
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)  # it holds values of the program
        with open(handle, "w", encoding="ascii") as file:
            file.write(text)
    except OSError as error:
        why = "it is there already" if isinstance(error, FileExistsError) else error.strerror or error
        raise UsageError(f"cannot write {path}: {why}", hint="name a new file") from None


_SHORTEST = 40
"""Characters of a value behind a line."""


def _short(text: str) -> str:
    return text if len(text) <= _SHORTEST else text[: _SHORTEST - 3] + "..."


def _searched(call: RecordedCall) -> str:
    """Return the text of a call in which a text is looked for."""
    given = ", ".join(f"{name} = {value.text}" for name, value in call.arguments)
    return f"{call.method.name}({given}) {outcome_told(call)} {call.thread}"

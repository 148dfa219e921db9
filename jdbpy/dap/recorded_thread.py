"""Shows the open recorded call to the client as a thread: its line, its values, and steps forward and back.

The console opens a call (`recorded 7`); console commands (`next`, `back to 42`) and the client's steps move in the same
call. Its thread is listed in addition to the threads of the target, which it does not affect. ``supportsStepBack`` is
announced while the thread is shown, because nothing else can run backwards. Continuing past the end closes the call.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import jdbpy
from jdbpy import StateError
from jdbpy.dap.console import DebugConsole
from jdbpy.dap.debuggee import Debuggee
from jdbpy.dap.editor import Editor
from jdbpy.dap.handles import Handles
from jdbpy.dap.protocol import Body
from jdbpy.dap.sources import SourceTable
from jdbpy.dap.stops import StopEvents
from jdbpy.escape import escape

if TYPE_CHECKING:
    from jdbpy import recorded


class RecordedThread:
    """The open recorded call of one client."""

    def __init__(
        self,
        debuggee: Debuggee,
        editor: Editor,
        handles: Handles,
        sources: SourceTable,
        stops: StopEvents,
        console: DebugConsole,
    ) -> None:
        self._debuggee = debuggee
        self._editor = editor
        self._handles = handles
        self._sources = sources
        self._stops = stops
        self._console = console
        self._shown: tuple[Any, int] | None = None
        """The position last reported to the client: the cursor and its step number."""
        self._number = 0

    # -- which one, and where ------------------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """True if a recorded call is open."""
        return self._console.open_call is not None

    def is_shown(self, thread: int) -> bool:
        """True if a thread number of the client is that of the open recorded call."""
        return self.is_open and thread == self._number

    def check(self, thread: int) -> None:
        """Raise StateError for a thread of the target, which cannot step back."""
        if not self.is_shown(thread):
            raise StateError(
                "a JVM cannot run backwards; a recorded call can: record and recorded in the console",
                code="NOT_RECORDED",
            )

    def as_threads(self) -> list[Body]:
        """Return the thread for the ``threads`` response, or [] if no recorded call is open."""
        if not self.is_open:
            return []
        call = self._console.open_call.call
        return [{"id": self._number, "name": escape(f"recorded call {call.number} ({call.thread})")}]

    def follow(self) -> None:
        """Report the console's last move to the client: a call was opened or closed, or its line has changed."""
        cursor = self._console.open_call
        if cursor is None:
            self._leave()
        elif self._shown is None or self._shown[0] is not cursor:
            self._stop("entry")
        elif self._shown[1] != cursor.step.number:
            self._stop("step")

    def show_again(self) -> None:
        """Report the position in the call again, after the client was told that all threads run."""
        if self._shown is not None:
            self._later("step")

    def _stop(self, reason: str, note: str = "") -> None:
        """Report the position in the call to the client."""
        cursor = self._console.open_call
        if self._shown is None:
            self._number = self._number or self._handles.new_thread_number()
            self._stops.looks_elsewhere = True
            self._editor.event("capabilities", {"capabilities": {"supportsStepBack": True}})
            self._stops.let_go_of_focus()
            self._editor.event("thread", {"reason": "started", "threadId": self._number})
        self._handles.drop_recorded()
        self._shown = cursor, cursor.step.number
        place = self._debuggee.session.recorder.place(cursor)
        where = place.outcome if place.end else f"{place.step}/{place.steps}"
        body: Body = {
            "reason": reason,
            "description": escape(f"recorded call {place.call}: {where}"),
            "threadId": self._number,
            "allThreadsStopped": False,
            "preserveFocusHint": False,
        }
        if note:
            self._editor.say(note)
        self._editor.event("stopped", body)

    def _leave(self) -> None:
        """Report that the call is closed, and where threads of the target are stopped."""
        if self._shown is None:
            return
        self._shown = None
        self._stops.looks_elsewhere = False
        self._handles.drop_recorded()
        self._editor.event("capabilities", {"capabilities": {"supportsStepBack": False}})
        self._editor.event("continued", {"threadId": self._number, "allThreadsContinued": False})
        for reason in ("started", "exited"):  # on "started" an editor forgets that the thread is stopped
            self._editor.event("thread", {"reason": reason, "threadId": self._number})
        self._stops.show_again()

    # -- steps ---------------------------------------------------------------------------------------------------------

    def step(self, count: int) -> None:
        """Step a number of lines forward, or back if negative. The stop is reported after the response."""
        cursor = self._console.open_call
        try:
            cursor.move(count)
        except StateError as error:
            self._later("step", _sentence(error, count))
        else:
            self._later("step")

    def go_to_end(self) -> None:
        """Go to the end of the call."""
        cursor = self._console.open_call
        self.step(len(cursor.call.steps))

    def go_on(self) -> None:
        """Go to the next breakpoint in the call, or to its end; at the end, close the call."""
        cursor = self._console.open_call
        if cursor.step.end:
            self._console.close_call()
            self._debuggee.start(self._left)
            return
        self._later("breakpoint" if cursor.go_to_stop(self._breakpoints()) else "step")

    def go_back(self) -> None:
        """Go back to the previous breakpoint in the call, or to its first line."""
        cursor = self._console.open_call
        try:
            at_breakpoint = cursor.go_to_stop(self._breakpoints(), back=True)
        except StateError as error:
            self._later("step", _sentence(error, -1))
        else:
            self._later("breakpoint" if at_breakpoint else "step")

    def _later(self, reason: str, note: str = "") -> None:
        async def stop() -> None:
            if self.is_open:
                self._stop(reason, note)

        self._debuggee.start(stop)

    async def _left(self) -> None:
        self.follow()

    def _breakpoints(self) -> dict[int, str]:
        """Return the lines of the method that have breakpoints, with their conditions. No trip.

        Breakpoints in a class that this JVM has not loaded are matched by file and line.
        """
        call = self._console.open_call.call
        method = call.method
        files = {call.source, f"{method.class_name.rpartition('.')[2].partition('$')[0]}.java"}
        found: dict[int, str] = {}
        for point in self._debuggee.session.points.list():
            if not point.enabled or point.kind not in ("line", "method"):
                continue
            for place in point.code:
                of = place.class_name, place.method, place.signature
                if of == (method.class_name, method.method, method.signature) and place.line is not None:
                    found[place.line] = point.condition if found.get(place.line, " ") else ""
            file, _, line = point.spec.replace("\\", "/").rpartition("/")[2].rpartition(":")
            if not point.code and file in files and line.isdecimal():
                found[int(line)] = point.condition
        return found

    # -- what is shown -------------------------------------------------------------------------------------------------

    async def frame(self) -> Body:
        """Return the frame of the call at its current line. No trip."""
        cursor = self._console.open_call
        method, step = cursor.call.method, cursor.step
        how = ("threw" if cursor.call.failed else "returned") if step.end else f"{step.number}/{len(cursor.call.steps)}"
        name = f"{method.class_name.rpartition('.')[2]}.{method.method} [recorded call {cursor.call.number}, {how}]"
        shown: Body = {
            "id": self._handles.recorded_number(self),
            "name": escape(name),
            "line": self._editor.line_out(step.line or None),
            "column": 0,
            "canRestart": False,
        }
        source = await self._source()
        if source is not None:
            shown["source"] = source
        return shown

    async def _source(self) -> Body | None:
        """Return the source of the call: the file found here, or the text stored with the calls if it differs."""
        session, call = self._debuggee.session, self._console.open_call.call
        of = call.method
        place = jdbpy.Location(of.class_name, of.method, of.signature, call.source or None, None, -1)
        at_hand = await session.sources.text(of.class_name, place.source)
        brought = await session.recorder.source(call)
        if brought is not None and (at_hand is None or list(at_hand.lines) != list(brought)):
            return self._sources.of_text(place, brought)
        return await self._sources.of_place(place)

    def scopes(self) -> list[Body]:
        """Return the variables, the effects of the previous line and, at the end, the outcome of the call. No trip."""
        cursor, recorder = self._console.open_call, self._debuggee.session.recorder
        place = recorder.place(cursor)
        found: list[tuple[str, str, object]] = [("Locals", "locals", recorder.variables(cursor))]
        if place.end:
            found.append(("Outcome", "returnValue", recorder.outcome(cursor)))
        if place.changes or place.called:
            line = cursor.call.steps[place.step - 2].line
            found.append((f"Line {self._editor.line_out(line)} has done", "", (*place.called, *place.changes)))
        return [
            {
                "name": name,
                "variablesReference": self._handles.recorded_number(what),
                "expensive": False,
                **({"presentationHint": hint} if hint else {}),
            }
            for name, hint, what in found
        ]

    def variables(self, kept: object) -> list[Body]:
        """Return the variables of a scope or an object. No trip."""
        return [self._variable(each) for each in kept] if isinstance(kept, Sequence) else []

    def _variable(self, of: recorded.KeptVariable | recorded.KeptWrite) -> Body:
        hint = {"kind": "data", "attributes": ["readOnly"]}
        if isinstance(of, jdbpy.recorded.KeptWrite):
            text = of.new + (f" (was {of.old})" if of.old is not None else "")
            return {"name": escape(of.name), "value": escape(text), "variablesReference": 0, "presentationHint": hint}
        return {"name": escape(of.name), **self._value(of, "value"), "presentationHint": hint}

    def _value(self, of: recorded.KeptVariable, key: str) -> Body:
        body: Body = {key: escape(of.text), "variablesReference": 0}
        if of.parts:
            body["variablesReference"] = self._handles.recorded_number(of.parts)
        if self._editor.info.supportsVariableType:
            body["type"] = escape(of.type)
        return body

    def names(self) -> Collection[str]:
        """Return the names of the variables that have a value at this step. No trip."""
        return [each.name for each in self._debuggee.session.recorder.variables(self._console.open_call)]

    def evaluate(self, expression: str) -> Body:
        """Evaluate an expression on the recorded values. Raises EvalError. No trip."""
        return self._value(self._debuggee.session.recorder.evaluate(self._console.open_call, expression), "result")

    def exception(self) -> Body:
        """Return the exception that ended the call. Raises StateError if there is none at this step."""
        cursor = self._console.open_call
        thrown = cursor.call.exception if cursor.step.end else None
        if thrown is None:
            raise StateError("the thread does not stand at an exception")
        detail = {"typeName": escape(thrown.type.rpartition(".")[2]), "fullTypeName": escape(thrown.type)}
        return {
            "exceptionId": escape(thrown.type),
            "breakMode": "always",
            "description": escape(thrown.text),
            "details": {**detail, "message": escape(thrown.message or "")},
        }


def _sentence(error: StateError, count: int) -> str:
    then = "; continue goes back to the program" if count > 0 else ""
    return f"{error.message}{then}"

"""The debug console: every command of the prompt beside expressions, run by the prompt's own machinery.

Owns what the client has to hear of what commands did: threads that run, breakpoints that came and went, variables that
may be others. The commands work in the frame that the client shows, and what they select (``up``) stays selected until
the client shows another one.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import jdbpy
from jdbpy import JdbpyError, StateError, UsageError
from jdbpy.dap.breakpoint_table import EditorBreakpoints
from jdbpy.dap.debuggee import GRACE, Debuggee
from jdbpy.dap.editor import Editor
from jdbpy.dap.protocol import Body
from jdbpy.dap.readings import FrameReadings, is_static
from jdbpy.dap.sources import SourceTable
from jdbpy.dap.stops import StopEvents

if TYPE_CHECKING:
    from jdbpy import FrameInfo, Session, Stopped
    from jdbpy.cli.embedded import Candidate, ConsoleLines


_ALWAYS = ("quit", "detach", "exit")
"""Commands that are commands whatever variables there are."""


class DebugConsole:
    """The console of one client."""

    def __init__(
        self,
        debuggee: Debuggee,
        editor: Editor,
        sources: SourceTable,
        readings: FrameReadings,
        breakpoints: EditorBreakpoints,
        stops: StopEvents,
    ) -> None:
        self._debuggee = debuggee
        self._editor = editor
        self._sources = sources
        self._readings = readings
        self._breakpoints = breakpoints
        self._stops = stops
        self._session: Session | None = None
        self._lines: ConsoleLines
        self._shown: list[str] | None = None
        """The last result of the line that runs now, before it is known to be the last; None while none runs."""
        self._frame: FrameInfo | None = None
        """The frame that the client has shown last."""

    @property
    def open_call(self) -> Any:
        """Return the place in the recorded call that is open; None while none is."""
        session = self._debuggee.current
        return self._lines.open_call if session is not None and self._session is session else None

    def close_call(self) -> None:
        """Close the recorded call that is open: commands like `next` are for the JVM again."""
        if self.open_call is not None:
            self._lines.close_call()

    async def reads_as_command(self, text: str, frame: FrameInfo | None, names: Collection[str] | None = None) -> bool:
        """True if a line is a command, not an expression. Raises UsageError where that cannot be known.

        ``names``: the variables that there are, where they are not those of a frame.

        wire: none for variables that were read, else 2 or 3 trips.
        """
        reads = self._of_session().reads_as(text)
        if reads != "either":
            return reads == "command"
        word = text.split()[0]
        if word in _ALWAYS:
            return True
        if names is not None:
            return word not in names
        if await self._is_variable(word, frame):
            return False
        if frame is None and self._frame is None and len(word) == 1:
            raise UsageError(
                f"'{word}' may be a variable, and no frame is selected: `{word} is the command",
                code="NO_FRAME",
            )
        return True

    def begins_anew(self, text: str) -> bool:
        """True if a command starts the program again, which is the client's own session. No trip."""
        return self._of_session().begins_anew(text)

    async def run(self, text: str, frame: FrameInfo | None) -> Body:
        """Run a command: the body of the response. Raises what it failed with.

        wire: as the command; 2 trips where the frame is another one than before.
        """
        lines, session = self._of_session(), self._debuggee.session
        async with self._debuggee.selecting:
            await self._select(frame)
            before = session.ran, session.suspended_everything
            self._shown = []
            try:
                failure = await lines.run(text)
                result = "".join(self._shown)
            finally:
                self._shown = None
        await self._tell(session, *before)
        if lines.leaving and self._debuggee.has_session:
            await self._leave(session)
        if failure is not None and failure.error is not None:
            if result:
                self._write(result)
            raise JdbpyError(lines.error(failure), code=failure.error.code)
        return {"result": result.rstrip("\n"), "variablesReference": 0}

    async def _leave(self, session: Session) -> None:
        """Leave what a command has left or ended; a program that was launched ends by it."""
        if self._debuggee.started_it:
            await self._debuggee.end(GRACE)
        elif session.ending is None:
            self._debuggee.finish()

    async def complete(self, before: str, frame: FrameInfo | None) -> list[Candidate]:
        """Return the prompt's candidates for a line that begins a command, or may. wire: 2 or 3 trips, none again."""
        if not self._debuggee.has_session or "\n" in before:
            return []
        lines = self._of_session()
        if lines.reads_as(before) == "expression" and " " in before.strip():
            return []
        async with self._debuggee.selecting:
            await self._select(frame)
            return await lines.complete(before.lstrip())

    async def stopped(self, stop: Stopped) -> None:
        """Show what is displayed at stops, and run what was ordered for this one."""
        session = self._debuggee.session
        if self._session is not session:
            return
        async with self._debuggee.selecting:
            self._frame = None
            before = session.ran, session.suspended_everything
            await self._lines.stopped(stop)
        await self._tell(session, *before)

    def _of_session(self) -> ConsoleLines:
        session = self._debuggee.session
        if self._session is not session:
            from jdbpy.cli.embedded import ConsoleLines

            self._session, self._frame = session, None
            self._lines = ConsoleLines(session, self._show, decompiler=self._sources.decompiler)
        return self._lines

    def _show(self, text: str) -> None:
        """A result: those before it are written at once, the last one answers the request."""
        if self._shown is None:
            self._write(text)
            return
        if self._shown:
            self._write("".join(self._shown))
        self._shown[:] = [text]

    def _write(self, text: str) -> None:
        self._editor.event("output", {"category": "console", "output": text})

    async def _is_variable(self, word: str, frame: FrameInfo | None) -> bool:
        """True if a word is a variable of the frame, or a field of its object or class. wire: none for what was read,
        else 2 or 3 trips."""
        if frame is None or frame.native:
            return False
        found = await self._readings.variables(frame, "console")
        if any(each.name == word for each in found):
            return True
        try:
            fields = await self._debuggee.session.classes.fields(frame.location.class_name)
        except (StateError, UsageError):  # of a class that is none any more
            return False
        has_this = any(each.kind == "this" for each in found)
        return any(each.name == word and (has_this or is_static(each)) for each in fields)

    async def _select(self, frame: FrameInfo | None) -> None:
        if frame is None or frame is self._frame:
            return
        session = self._debuggee.session
        if session.selection != (frame.thread.id, frame.index):
            await session.select_thread(frame.thread.id)
            if frame.index != 1:
                await session.select_frame(frame.index)
        self._frame = frame

    async def _tell(self, session: Session, ran: tuple[int, int], everything: bool) -> None:
        """Tell the client what a command has changed. No trip but for sources of breakpoints that are new."""
        self._sources.decompiler = self._lines.decompiler
        self._readings.changed()
        if not self._debuggee.has_session:
            return
        self._stops.report_resumed(everything=everything and not session.suspended_everything)
        await self._breakpoints.tell_changes()
        if session.state is jdbpy.VmState.STOPPED:
            stale = self._frame is not None and not session.is_current_frame(self._frame)
            self._editor.invalidate("all" if stale or session.ran != ran else "variables")

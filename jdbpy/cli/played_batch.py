"""The batch that plays a recording: its lines, each where it was given between the stops that the user was shown.

Owns what is waited for, and that each line is shown before what it gives. A person who types does not wait for a stop
as a batch does, and stops come unasked; so a line is run when as many stops have been shown as then, and a command that
resumes waits for those before the next line.
"""

from __future__ import annotations

import trio

from jdbpy import Disconnected, Event, Exited, StateError, Stopped, StopReason, VMDisconnected, VmState
from jdbpy.cli.batch import Batch
from jdbpy.cli.jvms import Jvm
from jdbpy.cli.results import Resumed
from jdbpy.cli.table import CliCommand
from jdbpy.escape import escape
from jdbpy.record import Record


class PlayedBatch(Batch):
    """Runs the lines of a recording in the session that plays it."""

    _line = -1
    _shown = 0

    async def run_line(self, line: str) -> bool:
        if not self.console.json:
            self.console.write(f"> {escape(line)}\n")
        return await super().run_line(line)

    async def before_line(self) -> None:
        """Show what had happened before the next line was given, or until the end."""
        played = self.session.playback
        if played is None:
            return
        if self._shown < self._due:
            with trio.move_on_after(self._timeout) as waiting, self._watching(self.session, waiting.cancel):
                while self._shown < self._due and await self._catch_up() is not None:
                    pass
        self._line += 1
        played.give_line(self._line)

    async def _catch_up(self) -> Stopped | Exited | VMDisconnected | None:
        """Show events up to the next stop before the next line at which the target stays; None if none is to come."""
        while self._shown < self._due:
            event = await anext(self.stream, None)
            if event is None:
                break
            runs_on = await self._show(event)
            if isinstance(event, Stopped | Exited | VMDisconnected) and not runs_on:
                return event
        return None

    @property
    def _due(self) -> int:
        """Return the number of stops that had been shown when the next line was given."""
        stops = self.session.playback.stops if self.session.playback is not None else ()
        return stops[min(self._line + 1, len(stops) - 1)] if stops else 0

    def _announced(self, event: Event) -> Jvm:
        self._shown += isinstance(event, Stopped | Exited)
        return super()._announced(event)

    async def settle(self, command: CliCommand, result: Record) -> Record:
        if not isinstance(result, Resumed):
            return result
        self._waiting = True
        assert self.session.playback is not None
        with self._watching(self.session, self.session.playback.end):
            ending = await self._catch_up()
            while isinstance(ending, Stopped) and ending.reason is StopReason.START:
                if self.session.state is VmState.STOPPED:
                    await self.session.execution.resume()
                ending = await self._catch_up()
        self._waiting = False
        if isinstance(ending, VMDisconnected):
            raise Disconnected(ending.reason)
        if ending is None and self.session.state is VmState.EXITED:
            raise StateError("the target has ended")
        return result.replace(stop=ending) if isinstance(ending, Stopped) else result.replace(exited=ending)

    async def wait(self, seconds: float) -> bool:
        """Time does not pass here; False if a stop or the end came in it."""
        with trio.CancelScope() as waiting, self._watching(self.session, waiting.cancel):
            return await self._catch_up() is None
        return True

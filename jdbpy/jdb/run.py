"""jdb mode from its command line to its exit status: connecting, the start-up files, the reading loop, the end.

Owns the order of things. Commands run one after the other; what evaluates may take its time while the next line is
read, and the end of the target ends all at once, with the input still open. Every way out has jdb's exit status, 0, but
for a signal, and for a target that may still be suspended.
"""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress

import trio

from jdbpy import (
    Disconnected,
    Event,
    Exited,
    JdbpyError,
    LeaveError,
    Output as Written,
    Stopped,
    StopReason,
    UsageError,
    VMDisconnected,
    garbage,
)
from jdbpy.files import why_not_trusted
from jdbpy.jdb.cmdline import GREETING, JdbLine, start_files
from jdbpy.jdb.connectors import BadArgument
from jdbpy.jdb.debugger import Debugger
from jdbpy.jdb.events import Teller
from jdbpy.jdb.interpreter import JdbInterpreter
from jdbpy.jdb.opening import main_words, open_session
from jdbpy.jdb.output import JdbOutput
from jdbpy.process.processor_time import open_signals
from jdbpy.process.scripts import STDIN, Script, ScriptLines
from jdbpy.process.signals import ending_signals
from jdbpy.process.standard import one_loss
from jdbpy.task_groups import open_nursery

FAILED = 1
"""The one exit status that jdb does not know: the target may still be suspended."""


async def run(line: JdbLine, *, greeted: bool = False) -> int:
    """Debugs as the command line says, to the end; ``greeted``: the first prompt has been written."""
    status = 0

    async def be_ended(received: AsyncIterator[int]) -> None:
        nonlocal status
        async for number in received:
            status = 128 + number  # as of a process that the signal has ended
            nursery.cancel_scope.cancel()

    # Also for what it has launched, which has a process group of its own
    with one_loss(), open_signals(signal.SIGINT, *ending_signals()) as received:
        async with open_nursery() as nursery:
            nursery.start_soon(be_ended, received)
            try:
                async with AsyncExitStack() as sessions:
                    await _Jdb(line, nursery, sessions).run(greeted=greeted)
            except LeaveError as error:
                JdbOutput().error(f"{error.message}\n{error.hint}")
                status = status or FAILED
            nursery.cancel_scope.cancel()
    return status


class _Jdb:
    """One run of jdb mode. ``sessions`` is left while events are still told: the end of a target is one."""

    def __init__(self, line: JdbLine, nursery: trio.Nursery, sessions: AsyncExitStack) -> None:
        self._line = line
        self._nursery = nursery
        self._sessions = sessions
        self._out = JdbOutput()
        self.debugger = Debugger(line, self._out, self._connect_by_run)
        self._interpreter = JdbInterpreter(self.debugger, nursery)
        self._teller = Teller(self.debugger, self._interpreter.run)
        self._leaving = False

    async def run(self, *, greeted: bool) -> None:
        """Run to the end of the input, or to the command that ends the debugger."""
        try:
            await self._run(greeted=greeted)
        finally:
            self._leaving = True

    async def _run(self, *, greeted: bool) -> None:
        connection = self._line.connection
        assert connection is not None
        lines = ScriptLines([Script(path=STDIN)])
        try:
            if self._line.launch_now or not connection.connector.launches:
                await self._connect("")
        except JdbpyError as error:
            self._fatal(error)
            return
        if not greeted:
            self._out.line(GREETING)
            for file in start_files():
                if not os.path.isdir(file) and (reason := why_not_trusted(file)):  # noqa: ASYNC240 (one look)
                    self._out.line(f"*** Ignoring {file}: {reason}")
                else:
                    await self._interpreter.read(file)
            if self.debugger.leaving:
                return
            self.debugger.prompt()
            self._tell_events()
        while not self.debugger.leaving:
            text = await lines.next()
            if text is None:
                self._out.line("Input stream closed.")
                return
            await self._interpreter.line(text)

    # -- the session -----------------------------------------------------------------------------------------------

    async def _connect(self, main: str) -> None:
        """Open the session, and set what was asked for before; ``main`` is what was typed after ``run``."""
        jdb = self.debugger
        opening = open_session(self._line, main_words(self._line, main), self._out.line)
        session = await self._sessions.enter_async_context(opening)
        garbage.loaded()
        self._events = self._sessions.enter_context(session.events())
        while isinstance(event := self._events.take_nowait(), Written):
            await self._teller.tell(event)
        self._first = event
        jdb.session = session
        jdb.trace_wire()
        session.execution.set_excludes(jdb.patterns)
        if not jdb.source_path:
            with suppress(JdbpyError):
                jdb.source_path = os.pathsep.join(await session.sources.class_path())
                jdb.not_searched = await session.sources.use_class_path()
        else:
            session.sources.path = tuple(part for part in jdb.source_path.split(os.pathsep) if part)
        session.sources.use_path_only()  # as jdb does
        await jdb.specs.open(session)

    async def _connect_by_run(self, main: str) -> None:
        """Like ``run`` connects: the target does not stop at its start."""
        try:
            await self._connect(main)
        except JdbpyError as error:
            self._fatal(error)
            self.debugger.leaving = True
            return
        self.debugger.prompt(simple=True)
        self._tell_events(pass_start=True)

    def _tell_events(self, *, pass_start: bool = False) -> None:
        if self.debugger.session is not None:
            self._nursery.start_soon(self._events_task, pass_start)

    async def _events_task(self, pass_start: bool) -> None:
        session = self.debugger.target
        if session.launched and session.last_stop is None:
            self._out.news("VM Started: ")  # it has not waited for us
        async for event in self._following():
            if pass_start and isinstance(event, Stopped) and event.reason is StopReason.START:
                self._out.news("VM Started: ")
                await session.execution.resume()
                continue
            try:
                await self._teller.tell(event)
            except Disconnected:
                pass
            except JdbpyError:
                if not self._leaving:  # while leaving, an event may be about what has gone
                    raise
            if isinstance(event, Exited | VMDisconnected):
                self._nursery.cancel_scope.cancel()

    async def _following(self) -> AsyncIterator[Event]:
        if self._first is not None:
            yield self._first
        async for event in self._events:
            yield event

    def _fatal(self, error: JdbpyError) -> None:
        """Says why there is no session; like jdb where its own errors go, save for a JVM that ended."""
        hint = f"\n{error.hint}" if error.hint else ""
        text = f"{error.message}{hint}\n"
        launching = self._line.connection is not None and self._line.connection.connector.launches
        if isinstance(error, BadArgument):
            what = "Internal debugger error."
        elif not launching:
            what = "Unable to attach to target VM."
        elif isinstance(error, UsageError):
            what = "Unable to launch target VM."
        else:
            self._out.line(f"VM start exception: {text}")
            text, what = "", "Target VM failed to initialize."
        self._out.error(f"{text}\nFatal error:\n{what}")

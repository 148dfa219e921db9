"""Drives JVMs by lines: what the batch and the prompt have in common, and a further front end would have as well.

Owns the order of things: a line is taken and run, stops are shown and what was ordered for them is run, a session that
ended is begun anew, the user's Python runs beside it all. A front end says where lines come from and how output goes
out; the second half of ``Driver`` is what it must or may say.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from functools import partial

import trio

from jdbpy import Disconnected, JdbpyError, Session, SourceWindow, Stopped
from jdbpy.cli.context import Context
from jdbpy.cli.interpreter import Interpreter, Refusal
from jdbpy.cli.jvms import Jvm, Jvms
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.results import Displayed
from jdbpy.cli.settings import NO_DECOMPILER
from jdbpy.cli.stop_actions import run_stop_actions, variables_wanted
from jdbpy.cli.table import CliCommand, CommandTable
from jdbpy.record import Record
from jdbpy.task_groups import open_nursery


class Driver(ABC):
    """Runs lines in the sessions of some JVMs. ``status`` is the exit status so far."""

    def __init__(self, jvms: Jvms, table: CommandTable, refusal: Refusal | None = None) -> None:
        """The front end calls ``jvms.bind(self)`` once it can show events."""
        self.jvms = jvms
        self.status = 0
        self._table = table
        self._refusal = refusal
        self._nursery: trio.Nursery | None = None
        self._begun_python = False
        self._showing_stop = trio.CancelScope()  # ends the evaluation of displays

    @property
    def session(self) -> Session:
        """Return the one of the current JVM."""
        return self.jvms.current.session

    @property
    def context(self) -> Context:
        """Return the one of the current JVM."""
        return self.jvms.current.context

    # The course of it

    def join(self, jvm: Jvm) -> None:
        """Give a JVM its context, and show its events."""
        if not hasattr(jvm, "context") or not self.jvms.several:
            jvm.context = self.make_context(jvm)
            jvm.context.wait = self.wait
            jvm.interpreter = Interpreter(
                self._table, jvm.context, partial(self.report, jvm), self.settle, self._refusal
            )
        jvm.context.note_line = jvm.session.note_line
        self.show_events_of(jvm)
        if self._nursery is not None and self._begun_python:
            self._nursery.start_soon(self._begin_python, jvm)

    async def drive(self) -> None:
        """Run lines until one side leaves or there are no more."""
        async with open_nursery() as nursery:
            self._nursery = nursery
            await self.begin(nursery)
            self._begun_python = True
            for jvm in self.jvms.members:
                await self._begin_python(jvm)
            await self._run_lines()
            await self.end()
            nursery.cancel_scope.cancel()

    async def _begin_python(self, jvm: Jvm) -> None:
        assert self._nursery is not None
        for wrong in await jvm.context.begin_python(self._nursery, self.printed):
            self.plugin_failed(jvm, wrong)

    async def _run_lines(self) -> None:
        line = await self.first_line()
        self.context.restarted = line is not None
        while not self.over:
            if line is None:
                line = await self.next_line()
            if line is None:
                break
            succeeded = await self.run_line(line)
            goes_on = await self.after_line(line, succeeded)
            self.context.restarted, line = False, None
            if not goes_on:
                break

    async def first_line(self) -> str | None:
        """Put back what a restart has kept; return the line that asked for it, which is run first, or None."""
        restarts = self.context.restarts
        if restarts is None or restarts.kept is None:
            return None
        return await restarts.put_back(self.context, self.say) or None

    async def run_line(self, line: str) -> bool:
        """Run a line to its end; False when it failed."""
        try:
            self.jvms.touch()
            return await self.jvms.current.interpreter.run(line)
        except Exception as fault:  # ours: it ends the command, not the session in the middle of somebody's work
            self.fault(line, fault)
            return False

    async def wait(self, seconds: float) -> bool:
        """Wait while events are shown; False if a stop or the end came before the time was over."""
        with trio.move_on_after(seconds) as waiting:
            await self.next_stop()
        return waiting.cancelled_caught

    async def do_at_stop(self, jvm: Jvm, stop: Stopped) -> bool:
        """Do what belongs to a stop: the user's Python, source that is decompiled, values, monitors, actions.

        True if that has let the target run on.
        """
        context = jvm.context
        if context.python is not None and await context.python.at_stop(stop):
            return True
        with trio.CancelScope() as self._showing_stop, suppress(Disconnected):  # told by an event of its own
            if context.settings["decompiler"] != NO_DECOMPILER:
                from jdbpy.cli.commands.source import decompiled_at  # a batch may have no such stop

                window = await decompiled_at(context, stop)
                if window is not None:
                    self.show_source(jvm, window)
            if context.displays or variables_wanted(context, stop):
                from jdbpy.cli.stop_values import values_at_stop  # nor any values

                found = await values_at_stop(context, stop)
                if found.items or found.variables:
                    self.show_displays(jvm, found)
        return await run_stop_actions(context, stop)

    @property
    def comes_back(self) -> bool:
        """True if the session has ended, and another one with the same target follows."""
        restarts = self.context.restarts
        return restarts is not None and not self.jvms.several and restarts.comes_back(self.context)

    def come_back(self, line: str = "") -> None:
        """Leave a session that has ended for another one with the same target, which begins with a line."""
        if self.context.restarts is not None and self.comes_back:
            self.context.restarts.ask(self.context, line)

    # Where lines come from

    @abstractmethod
    async def begin(self, nursery: trio.Nursery) -> None:
        """Begin what goes on beside the lines."""

    @abstractmethod
    async def next_line(self) -> str | None:
        """Return the next line; None if there is none."""

    @property
    @abstractmethod
    def over(self) -> bool:
        """True once no line follows."""

    @abstractmethod
    async def next_stop(self) -> object:
        """Wait for the next stop, or the end."""

    @abstractmethod
    async def settle(self, command: CliCommand, result: Record) -> Record:
        """Return the result of a command that has let the target run, after as much waiting as is wanted here."""

    async def after_line(self, line: str, succeeded: bool) -> bool:
        """Called after each line; False if none follows."""
        return True

    async def end(self) -> None:
        """End what goes on beside the lines."""
        for jvm in self.jvms.members:
            await jvm.context.end_python()

    # How output goes out

    @abstractmethod
    def make_context(self, jvm: Jvm) -> Context:
        """Return what commands for a JVM are given."""

    @abstractmethod
    def show_events_of(self, jvm: Jvm) -> None:
        """Show the events of a JVM from now on."""

    @abstractmethod
    def part(self, jvm: Jvm) -> None:
        """Show no more events of a JVM."""

    @abstractmethod
    def selected(self, jvm: Jvm) -> None:
        """Commands go to this one from now on."""

    @abstractmethod
    def all_ended(self) -> None:
        """All JVMs have ended: no line follows."""

    @abstractmethod
    def report(self, jvm: Jvm, outcome: Outcome) -> None:
        """Show the outcome of a command."""

    @abstractmethod
    def fault(self, line: str, fault: Exception) -> None:
        """Show a fault of jdbpy itself, which has ended a line."""

    @abstractmethod
    def plugin_failed(self, jvm: Jvm, error: JdbpyError) -> None:
        """Show that a plug-in cannot work in a session."""

    @abstractmethod
    def show_source(self, jvm: Jvm, window: SourceWindow) -> None:
        """Show the decompiled method of a stop."""

    @abstractmethod
    def show_displays(self, jvm: Jvm, displayed: Displayed) -> None:
        """Show the values of a stop."""

    def show_output(self, text: str) -> None:
        """Show what a command that has started the JVMs has written."""
        self.printed(text)

    @abstractmethod
    def say(self, text: str) -> None:
        """Show a sentence."""

    @abstractmethod
    def printed(self, text: str) -> None:
        """Show what the user's Python has printed."""

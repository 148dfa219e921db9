"""The batch: commands one after the other, each resuming one followed by a wait for the stop.

Owns the rules of a batch: what is waited for and how long, when it ends, and its exit status.

A stop is taken from the event stream only where it can be seen: in the wait of a resuming command, or while the
batch waits for its next line. A breakpoint hit while another command ran is thus not lost; the next ``cont`` gets it.
"""

from __future__ import annotations

import math
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager, nullcontext, suppress
from functools import partial

import trio

from jdbpy import (
    Disconnected,
    Event,
    Exited,
    JdbpyError,
    Session,
    SourceWindow,
    StateError,
    Stopped,
    StopReason,
    TimedOut,
    VMDisconnected,
    VmState,
)
from jdbpy.cli.commands import TABLE
from jdbpy.cli.console import Console
from jdbpy.cli.context import Context
from jdbpy.cli.driver import Driver
from jdbpy.cli.interpreter import Refusal
from jdbpy.cli.jvm_events import JvmEvents, stays_selected
from jdbpy.cli.jvms import WAITING_FOR_ANY, Jvm, Jvms, remote_notice
from jdbpy.cli.output.pieces import count
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.python_lines import unfinished_python
from jdbpy.cli.restarting import Restarts
from jdbpy.cli.results import Displayed, Paused, Resumed
from jdbpy.cli.settings import Settings
from jdbpy.cli.stop_actions import unfinished
from jdbpy.cli.table import CliCommand
from jdbpy.escape import escape
from jdbpy.process import standard
from jdbpy.process.processor_time import processor_limit
from jdbpy.process.scripts import ScriptLines, failed
from jdbpy.process.standard import OutputLost
from jdbpy.process.statuses import FAILED, LOST, status_of
from jdbpy.record import Record

NAMED = 20
"""The most breakpoints that were never hit of which each is named at the end."""
WAITING = ("cont", "run", "wait")
"""Commands that go on after the target went away and came back: they wait for what happens next, wherever it stands."""
ENDING_LIMIT = 2.0
"""Seconds for the end of a session after a command has failed because the connection was lost."""
MANY = 100
"""Lines of a script from which on a breakpoint is not confirmed before the next line runs."""


class Batch(Driver):
    """Runs the lines of scripts; ``status`` is that of the first failure."""

    def __init__(
        self,
        session: Session,
        console: Console,
        settings: Settings,
        *,
        timeout: float = math.inf,
        keep_going: bool = False,
        restarts: Restarts | None = None,
        refusal: Refusal | None = None,
        jvms: Jvms | None = None,
    ) -> None:
        """``session`` is the only one, unless ``jvms`` has others."""
        super().__init__(jvms or Jvms(), TABLE, refusal)
        self.console = console
        self._settings = settings
        self._timeout = timeout
        self._keep_going = keep_going
        self._lines = ScriptLines(())
        self.stream = JvmEvents()
        self.stream.on_progress = self._progressed
        self.stream.expects_more = lambda: self.jvms.expecting
        self._shared = Context(session, settings=settings)
        self._limit = trio.CancelScope()
        self._waiting = False  # for a stop, as opposed to a reply
        self._interrupted = False  # what runs now is to end
        self._idle = False  # waiting for standard input: events are shown meanwhile
        self._showing = False  # one of these, now
        self._disconnected = False  # a command has failed for that reason
        self._cut_off = False  # the line that runs now waited for a stop when the session ended; it is run again
        self._turn = trio.lowlevel.ParkingLot()  # where it is waited for that one of the two changes
        self._reading = trio.CancelScope()
        self._settled: Jvm | None = None  # where the stop came that a command has waited for
        if jvms is None:
            self.jvms.begin(session, "", restarts)
        self.jvms.bind(self)

    # How output goes out

    def make_context(self, jvm: Jvm) -> Context:
        """Return what commands for a JVM are given."""
        context = Context(
            jvm.session, settings=self._settings, restarts=jvm.restarts, jvms=self.jvms, beside=self._shared
        )
        if not self.console.json:
            context.announce = partial(self._announce, jvm)
        return context

    def show_events_of(self, jvm: Jvm) -> None:
        """Show the events of a JVM where these can be seen."""
        self.stream.add(jvm)

    def part(self, jvm: Jvm) -> None:
        """Show no more events of a JVM."""
        self.stream.remove(jvm)

    def selected(self, jvm: Jvm) -> None:
        """Nothing is kept of the current JVM."""

    def all_ended(self) -> None:
        """All JVMs have ended: what waits for events waits no more."""
        self.stream.wake()

    def say(self, text: str) -> None:
        """Show a sentence beside the output."""
        self.console.say(text)

    def printed(self, text: str) -> None:
        """Show what the user's Python has printed."""
        self.console.printed(text)

    def show_source(self, jvm: Jvm, window: SourceWindow) -> None:
        """Show the decompiled method of a stop."""
        self.console.source(window, self.jvms.label(jvm))

    def show_displays(self, jvm: Jvm, displayed: Displayed) -> None:
        """Show the displays of a stop."""
        self.console.displays(displayed, self.jvms.label(jvm))

    def plugin_failed(self, jvm: Jvm, error: JdbpyError) -> None:
        """Show that a plug-in cannot work in a session."""
        self.console.failure("plugins", error)

    def fault(self, line: str, fault: Exception) -> None:
        """Show a fault of jdbpy: a program that reads our results gets one for each line. Raises OutputLost."""
        if isinstance(fault, OutputLost):
            raise fault
        standard.write(traceback.format_exc(), sys.stderr)
        self._report(Outcome(line.strip(), None, error=internal_error(fault)))

    def _announce(self, jvm: Jvm, text: str) -> None:
        self.console.outcome(Outcome("", None, Resumed(note=text), jvm=self.jvms.label(jvm)))

    # The course of it

    async def run(self, lines: ScriptLines) -> int:
        """Run all lines, and return the exit status."""
        self._lines = lines
        with self.stream:
            await self.start()
            async with AsyncExitStack() as stack:
                if len(lines.at_hand()) >= MANY:
                    await stack.enter_async_context(self.session.breakpoints.adding_many())
                await self.drive()
                with trio.move_on_after(ENDING_LIMIT):  # until the last of many breakpoints are confirmed
                    await stack.aclose()
            self._drain()
            for jvm in self.jvms.members:
                self._report_unresolved(jvm)
            if self.context.python_lines is not None:
                self._report(Outcome("py", None, error=unfinished_python()))
            if self.context.collecting is not None:
                self._report(Outcome("commands", None, error=unfinished(self.context.collecting)))
        return self.status

    async def begin(self, nursery: trio.Nursery) -> None:
        """Show events while standard input is silent."""
        nursery.start_soon(self._show_idle)

    async def next_line(self) -> str | None:
        """Return the next line of the scripts; None behind the last one, or if the session is begun anew."""
        line = None if self.comes_back else await self._read_line()
        if line is None:
            self.come_back()
        await self.before_line()
        return line

    async def after_line(self, line: str, succeeded: bool) -> bool:
        """Say where a line has failed; False if that is the end."""
        if not succeeded and self._disconnected:
            with trio.move_on_after(ENDING_LIMIT):  # a command may know of it a moment before the session
                await self.session.wait_ended()
        if self._cut_off:
            self.come_back(line)
        elif not succeeded and (where := failed(line)):
            self.console.say(where)
        return succeeded or self._keep_going

    async def end(self) -> None:
        """Have the last events reported."""
        await super().end()
        for jvm in self.jvms.members:
            await self._read_kept(jvm)

    @staticmethod
    async def _read_kept(jvm: Jvm) -> None:
        """Have the last hits reported that the target has kept, unless it does not answer any more."""
        with trio.move_on_after(ENDING_LIMIT), suppress(JdbpyError):
            if jvm.session.points_are_used and jvm.session.ending is None:
                await jvm.session.points.read_kept()

    def come_back(self, line: str = "") -> None:
        """Show what is left of a session before it is begun anew."""
        if self.comes_back:
            self._drain()
            super().come_back(line)

    async def first_line(self) -> str | None:
        """Put back what a restart has kept, where there is but one JVM."""
        line = None if self.jvms.several else await super().first_line()
        if line is not None:
            await self.before_line()
        return line

    async def before_line(self) -> None:
        """Called before each line, and behind the last one."""

    async def wait(self, seconds: float) -> bool:
        """Show events for so many seconds; False if a stop or the end came before. The command has that time, too."""
        self._limit.deadline += seconds
        return await super().wait(seconds)

    def _report_unresolved(self, jvm: Jvm) -> None:
        """Name the breakpoints that never had a place in the target, which is a failure, and those never hit.

        Those of other clients of the session are theirs to name. Of a program that was never run nothing can be said.
        """
        session, restarts, last = jvm.session, jvm.context.restarts, jvm.session.last_stop
        where = f"[{jvm.name}] " if self.jvms.several else ""
        if isinstance(session.ending, VMDisconnected) and not self.jvms.leaving:
            return
        stands = last is not None and last.reason is StopReason.START and session.state is VmState.STOPPED
        if stands or (restarts is not None and restarts.kept is not None):
            return
        points = session.points.list() if session.points_are_used else []
        missed = 0
        for point in points:
            if point.kind not in ("line", "method") or not point.enabled or point.waiting:
                continue
            if not session.has_set(point):
                continue
            if not (point.code or point.hits) and all(place.enabled for place in point.places):
                why = f": {point.message}" if point.message else ""
                self.console.say(f"{where}breakpoint {point.number} at {point.spec} was never set{why}")
                self.status = self.status or FAILED
            elif not point.hits and point.failures:
                failed = f"its condition failed {count(point.failures, 'time')}, and was true at no hit"
                self.console.say(f"{where}breakpoint {point.number} at {point.spec}: {failed}")
            elif not point.hits:
                missed += 1
                if missed <= NAMED:
                    self.console.say(f"{where}breakpoint {point.number} at {point.spec} was never hit")
        if missed > NAMED:
            self.console.say(f"{where}{missed - NAMED:,} more breakpoints were never hit; 'breakpoints' lists them")

    async def start(self) -> None:
        """Says which targets are remote, and shows that one stands at its start, if it does: a launched one always."""
        for jvm in self.jvms.members:
            if (remote := remote_notice(jvm.session)) is not None:
                label = self.jvms.label(jvm)
                if self.console.json:
                    self.console.event(remote, label)
                else:
                    self.console.say(escape(f"[{label}] {remote.text}" if label else remote.text))
        if self.jvms.several:
            self._drain()
        elif self.session.launched or self.session.last_stop is not None:
            with trio.move_on_after(self._timeout):
                await self.next_stop()

    async def run_line(self, line: str) -> bool:
        """Run one line within the time limit; False when a command in it failed."""
        self._cut_off = self._waiting = self._interrupted = False
        try:
            with processor_limit(self._timeout):
                with trio.CancelScope(deadline=trio.current_time() + self._timeout) as self._limit:
                    return await super().run_line(line)
        except trio.Cancelled:
            self._report(Outcome(line.strip(), None, error=StateError("interrupted", code="INTERRUPTED")))
            raise
        if self._interrupted:
            self._report(Outcome(line.strip(), None, error=StateError("interrupted", code="INTERRUPTED")))
            return False
        what = "the target did not stop" if self._waiting else "no answer"
        error = TimedOut(f"{what} within {self._timeout:g} seconds", hint="--timeout SECONDS allows more")
        self._report(Outcome(line.strip(), None, error=error))
        return False

    def _progressed(self) -> None:
        """A command that says how far it is has its whole time again."""
        self._limit.deadline = max(self._limit.deadline, trio.current_time() + self._timeout)

    def interrupt(self) -> None:
        """End the line that runs now."""
        self._interrupted = True
        self._limit.cancel()

    @property
    def over(self) -> bool:
        """True once no line follows: left, or lost for good."""
        if self.jvms.ends_early:
            return True
        if self.jvms.several:
            return self.jvms.leaving or not self.jvms.go_on
        return self.context.leaving or (self.status == LOST and not self.comes_back)

    async def _read_line(self) -> str | None:
        """Return the next line; events are shown while standard input is silent."""
        lines = self._lines
        if lines.ready():
            return await lines.next()
        line: str | None = None
        self._idle = True
        self._turn.unpark_all()
        with trio.CancelScope() as self._reading:
            line = await lines.next()
        self._idle = False
        while self._showing:
            await self._turn.park()
        return line

    async def _show_idle(self) -> None:
        """Show events while standard input is silent, for ever.

        One task for the whole batch: to begin one for each line, and to end it, takes longer than many a command.
        """
        while True:
            await self._until_idle()
            if self.comes_back:
                self._reading.cancel()
                return
            if isinstance(self.session.ending, VMDisconnected) and not self.jvms.several:
                self.status = self.status or LOST
                self._reading.cancel()
                return
            if not await self.stream.arrival():
                return
            event = self.stream.take_nowait() if self._idle else None
            if event is not None:
                self._showing = True
                await self._show_whole(event)
                self._showing = False
                self._turn.unpark_all()
                if self.over:
                    self._reading.cancel()

    async def _until_idle(self) -> None:
        while not self._idle:
            await self._turn.park()

    async def show_events(self, until: Callable[[], bool]) -> None:
        """Show events as they come, until that is so or none can come any more."""
        while not until():
            event = await anext(self.stream, None)
            if event is None:
                break
            await self._show_whole(event)

    async def _show_whole(self, event: Event) -> None:
        """Show an event to its end, even if the next line comes meanwhile."""
        with trio.CancelScope(shield=True, deadline=trio.current_time() + self._timeout):
            await self._show(event)

    async def _show(self, event: Event) -> bool:
        """Show an event, and do what was ordered for stops; whether that has let the target run on."""
        jvm = self._announced(event)
        return isinstance(event, Stopped) and await self.do_at_stop(jvm, event)

    def _announced(self, event: Event) -> Jvm:
        """Show the event that was taken last, and return where it happened."""
        jvm = self.stream.jvm or self.jvms.current
        self.jvms.happened(jvm, event)
        if isinstance(event, VMDisconnected) and self.jvms.several and not (jvm.returning or self.jvms.leaving):
            self.status = self.status or LOST
        self.console.event(event, self.jvms.label(jvm), stays_selected(jvm.session, event))
        return jvm

    async def settle(self, command: CliCommand, result: Record) -> Record:
        """Wait for the end of what a resuming command began, and add it to its result."""
        if not isinstance(result, Resumed):
            return result
        self._waiting = True
        waited, own = self.jvms.current, command.name not in WAITING_FOR_ANY
        waited.steps = own
        playback = waited.session.playback
        try:
            with self._watching(waited.session, playback.end) if playback is not None else nullcontext():
                ending = await self.next_stop(own=own)
        finally:
            waited.steps = False
        self._settled = self.stream.jvm
        while isinstance(ending, Stopped) and ending.reason is StopReason.START:
            if self.session.state is VmState.STOPPED:  # told only now, after the command: that is not its stop
                await self.session.execution.resume()
            ending = await self.next_stop()
        self._waiting = False
        if isinstance(ending, Stopped):
            return result.replace(stop=ending)
        return result.replace(exited=ending)

    @contextmanager
    def _watching(self, session: Session, give_up: Callable[[], None]) -> Iterator[None]:
        """Call ``give_up`` if a recording has no more events while the block waits for one; nothing else would end the
        wait. It ends before, or the breakpoint is another one than then."""
        watching = trio.CancelScope()

        async def watch() -> None:
            with watching:
                await session.recording_said_all()
                give_up()

        assert self._nursery is not None
        self._nursery.start_soon(watch)
        try:
            yield
        finally:
            watching.cancel()

    async def next_stop(self, *, own: bool = False) -> Stopped | Exited:
        """Show events up to the next stop or the end. Raises Disconnected, StateError when it ended before.

        Of several JVMs any one may stop, unless it is ``own``: then only the current one's stop or end counts.
        """
        waited = self.jvms.current
        async for event in self.stream:
            passed = isinstance(event, Stopped) and self._was_answered(event)
            runs_on = await self._show(event)
            if passed:
                continue
            if self.jvms.several:
                jvm = self.stream.jvm
                if isinstance(event, Stopped) and jvm is not (waited if own else self.jvms.current):
                    continue
                if isinstance(event, Exited | VMDisconnected) and (jvm is not waited or not own) and self.jvms.go_on:
                    continue
            if isinstance(event, Exited) and self.comes_back:
                raise Disconnected("the target has ended")
            if isinstance(event, Stopped | Exited) and not runs_on:
                return event
            if isinstance(event, VMDisconnected):
                raise Disconnected(event.reason)
        raise StateError("the target has ended")

    def _was_answered(self, stop: Stopped) -> bool:
        """True if Python of the user has taken a stop and let its thread run on: it is no news for a command."""
        jvm = self.stream.jvm or self.jvms.current
        python = jvm.context.python
        return python is not None and python.used and not jvm.session.is_current(stop)

    def _drain(self) -> None:
        """Show the events that are there."""
        while (event := self.stream.take_nowait()) is not None:
            if not (isinstance(event, VMDisconnected) and self.jvms.leaving):
                self._announced(event)

    def report(self, jvm: Jvm, outcome: Outcome) -> None:
        """Show the outcome of a command, under the name of its JVM where there are several."""
        where = jvm if isinstance(outcome.result, Paused) else self._settled or jvm
        self._settled = None
        alone = not getattr(outcome.result, "spans_jvms", False) or where is not jvm
        if any(not item.ok for item in getattr(outcome.result, "results", ())):  # the others went on
            self.status = self.status or FAILED
        if self.jvms.several and alone:
            outcome = outcome.replace(jvm=where.name)
        self._report(outcome)

    def _report(self, outcome: Outcome) -> None:
        """Show an outcome, and give the next command its whole time."""
        self._limit.deadline = trio.current_time() + self._timeout
        self.jvms.touch()
        of_python = outcome.command is not None and outcome.command.group == "plugins"
        if isinstance(outcome.result, Paused) or of_python or self.session.ending is not None:
            self._drain()
        waited = outcome.command is not None and outcome.command.name in WAITING
        if waited and isinstance(outcome.error, Disconnected) and self.comes_back and not self.context.scripts:
            self._cut_off = True
            return
        self._disconnected = self._disconnected or isinstance(outcome.error, Disconnected)
        self.console.outcome(outcome)
        if outcome.error is not None:
            self.status = self.status or status_of(outcome.error)


def internal_error(fault: Exception) -> JdbpyError:
    """Return what to tell of a fault of jdbpy itself."""
    message = f"jdbpy has a fault: {type(fault).__name__}: {fault}"
    return JdbpyError(message, hint="please report it with what is on standard error", code="JDBPY_FAULT")

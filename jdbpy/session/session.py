"""The session: one debugged target with all that can be done to it, as front ends and scripts see it.

Owns the life of a session (dispatch, detach, exit) and its own properties. What can be done to the target belongs to
its components (``components``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING, Any, Protocol

import trio

from jdbpy.errors import Disconnected, StateError
from jdbpy.session.components import Components
from jdbpy.session.events.dispatch import EventDispatcher, Votes
from jdbpy.session.events.finishing import finishing
from jdbpy.session.events.own_threads import OwnThread
from jdbpy.session.events.streams import DEFAULT_CAPACITY, EventStream
from jdbpy.session.events.target import Target
from jdbpy.session.model.breakpoints import BreakpointInfo, SuspendPolicy
from jdbpy.session.model.events import Event, ExceptionInfo, Exited, Notice, Stopped, VMDisconnected
from jdbpy.session.model.options import Options
from jdbpy.session.model.snapshots import SnapshotInfo
from jdbpy.session.model.threads import FrameInfo, Suspended
from jdbpy.session.model.vm import VmInfo, VmState
from jdbpy.session.watchdog import Panicked, Watchdog, panic
from jdbpy.task_groups import open_nursery
from jdbpy.wire.effects import ReadOnlyGuard
from jdbpy.wire.messages import event as wire_event, virtual_machine
from jdbpy.wire.wirelog import LogSink, WireLog

if TYPE_CHECKING:
    from jdbpy.session.model.snapshots import SnapshotProgress, SnapshotTaken
    from jdbpy.session.snapshots.recording import RecordingStream

STANDING = 1.0
"""Seconds for which threads that have stopped stay so while the target ends; its hooks may need what they hold."""


class OwnProcess(Protocol):
    """The process of a target that was launched."""

    @property
    def kept(self) -> bool:
        """True if it runs on when its block is left."""

    async def wait_exit(self) -> int:
        """Wait for the end of the process and of its output; return the exit status."""

    def keep_running(self) -> None:
        """Leave it running when its block is left."""

    def ask_to_end(self) -> None:
        """Send it the signal TERM."""

    async def end(self, grace: float) -> None:
        """Ask it to end, kill it after that many seconds, and wait for its end."""


class _ThreadMaker:
    """Makes threads of the debugger's own, where the session's ``in_target`` allows it (``ThreadMaker``)."""

    def __init__(self, mode: Callable[[], str]) -> None:
        self._mode = mode

    def forbidden(self) -> str:
        return "'set in-target off' forbids a thread of the debugger's own" if self._mode() == "off" else ""

    async def make(self, target: Target) -> OwnThread:
        from jdbpy.session.in_target.own_thread import make_own_thread

        return await make_own_thread(target)

    async def prepare(self, target: Target, thread: int) -> int:
        from jdbpy.session.in_target.own_thread import prepare_own_thread

        return await prepare_own_thread(target, thread)


class Session(Components):
    """A debugged target. Made by ``attach``, ``listen`` and ``launch`` only; not to be used after their block."""

    def __init__(self, target: Target, options: Options, process: OwnProcess | None = None) -> None:
        self._target = target
        self._options = options
        self._chores: trio.Nursery | None = None
        self._process = process
        self._left = False
        self.recorded_lines: tuple[str, ...] = ()
        """The lines of the user in the recording that this session plays again."""
        self.playback: RecordingStream | None = None
        """The player of a recording, line by line; None for a session with a JVM or a snapshot."""
        wait_exit = process.wait_exit if process is not None else None
        self._dispatcher = EventDispatcher(target, self._show_stop, self._read_exception, wait_exit)
        self._watchdog = Watchdog(target, lambda threads: self.execution.release(threads))
        self._watchdog.limit = options.max_suspend
        target.extensions.add(self._watchdog)
        if target.snapshot is None and not target.played:
            target.own_threads.maker = _ThreadMaker(self._in_target_mode)
        self._watch_wire_log()

    async def _show_stop(self, votes: Votes) -> None:
        await self._stops.show(votes)

    def _in_target_mode(self) -> str:
        return self.instrumentation.mode if self.is_used("instrumentation") else self._options.in_target

    async def _read_exception(self, event: wire_event.Exception) -> ExceptionInfo:
        from jdbpy.session.values.throwables import exception_info

        return await exception_info(self._target, event)

    # What it is

    @property
    def state(self) -> VmState:
        """Return what the target is doing, as far as the debugger can tell without asking."""
        return self._target.state

    @property
    def snapshot_info(self) -> SnapshotInfo | None:
        """Return the snapshot that this session shows; None for a session with a JVM."""
        return self._target.snapshot

    @property
    def agent_line(self) -> str:
        """Return the option that would start the JVM with the debugger agent, where it has none; "" where it has."""
        return self._target.agent_line

    def require_agent(self, what: str) -> None:
        """Raises StateError on a JVM without the debugger agent: ``what``, in words, needs that."""
        self._target.require_agent(what)

    @property
    def info(self) -> VmInfo:
        return self._target.info

    @property
    def address(self) -> str:
        return self._target.info.address

    @property
    def remote(self) -> bool:
        """True if the JVM is on another machine: by its address, or because a tunnel (``tunnel``) leads to it."""
        return self._target.remote

    @property
    def tunnel(self) -> str:
        """Return the process of this machine through which the JVM is reached: ``ssh (process 123)``; "" if there is
        none."""
        return self._target.tunnel

    @property
    def remote_reason(self) -> str:
        """Return a sentence on why the JVM counts as remote, and what breakpoints suspend; "" if it does not. No
        trip."""
        return self._target.remote_reason

    @property
    def default_policy(self) -> SuspendPolicy:
        """Return what a breakpoint suspends unless its options say so: by ``hold``, else by ``remote``."""
        return self._target.default_policy

    @property
    def hold(self) -> str:
        """Return what breakpoints suspend: "thread" or "all"; "" decides by ``remote``."""
        return self._target.hold

    @hold.setter
    def hold(self, what: str) -> None:
        self._target.hold = what

    def has_set(self, point: BreakpointInfo) -> bool:
        """True if this session has set the breakpoint, and no client that has joined it."""
        return point.client in ("", self._target.client)

    @property
    def launched(self) -> bool:
        return self._target.launched

    def forbid_suspending(self) -> None:
        """From now on, for good, nothing that changes or suspends the target leaves, as with the option read_only."""
        self._target.conn.guard = ReadOnlyGuard(allow_suspend=False)

    def log_wire(self, file: LogSink | None) -> None:
        """From now on a readable line for every packet goes to ``file``, in place of another log; None: no more.

        A file that raises an error gets no further line; a warning says so.
        """
        self._target.conn.log = None if file is None else WireLog(file)
        self._watch_wire_log()

    def _watch_wire_log(self) -> None:
        if (log := self._target.conn.log) is not None:
            log.on_failed = self._warn_of_wire_log

    def _warn_of_wire_log(self, reason: str) -> None:
        self.publish(Notice("warning", f"the wire log has ended, as it cannot be written: {reason}"))

    @property
    def last_stop(self) -> Stopped | None:
        return self._target.last_stop

    @property
    def ending(self) -> Exited | VMDisconnected | None:
        """Return how the session ended, or None while it lasts."""
        return self._target.publisher.ending

    @property
    def suspended_everything(self) -> bool:
        """True if the whole VM is held, not only single threads."""
        return self._target.suspension.everything_held

    @property
    def own_threads(self) -> tuple[int, ...]:
        """Return the ids of the debugger's own threads in the target, in which methods are run while the program runs
        or is paused. No trip."""
        return self._target.own_threads.ids

    @property
    def suspended_threads(self) -> tuple[int, ...]:
        """Ids of the threads that are held on their own, beside or instead of the whole VM."""
        return tuple(self._target.suspension.held_threads())

    @property
    def suspended(self) -> Suspended:
        """Return what is suspended, and which frames are good, as plain data. No trip."""
        return self._target.suspension.as_data()

    @property
    def points_are_used(self) -> bool:
        """True if breakpoints, catchpoints or their like were ever asked for in this session."""
        return self.is_used("points")

    def can(self, capability: str) -> bool:
        """True if the target has a capability, by its name in VirtualMachine.CapabilitiesNew."""
        return self._target.can(capability)

    def statistics(self) -> Any:
        """Counts of packets, bytes and waves of the connection so far."""
        return self._target.conn.statistics()

    # What happens in it

    def events(self, capacity: int = DEFAULT_CAPACITY) -> EventStream:
        """Subscribes: an async iterator of events from now on, to be used in a ``with`` block.

        A stop that was not seen yet, as that at the start of the target, comes first, and for the first subscriber
        what a launched target has written before.

        At most ``capacity`` events wait; of a slower reader notices and output are dropped and counted
        (``EventsDropped``).
        """
        return self._target.publisher.subscribe(capacity)

    def finishing(self) -> AbstractContextManager[trio.CancelScope]:
        """Shield a block that takes something out of the target from cancellation, for a bounded time.

        That is the time of the task and a grace; ``cancelled_caught`` tells whether the block was cut short.
        """
        return finishing(self._target)

    def listen(self, listener: Callable[[Event], None]) -> None:
        """Call with each event from now on, as it is published; the listener must neither wait nor raise.

        For front ends that hand events on themselves; ``take`` takes note of the stops that their users have seen.
        """
        self._target.publisher.listen(listener)

    def take(self, stop: Stopped) -> None:
        """Take a stop that a listener was given: ``next_stop`` returns it no more, and a resume releases it."""
        self._target.publisher.handed_over(stop)
        self._target.publisher.on_taken(stop)

    def put_back(self, stop: Stopped) -> None:
        """Put back a stop that was taken but not delivered: ``next_stop`` returns it again, and a resume does not
        release it. A stop whose thread has run since is dropped."""
        if self.is_current(stop):
            self._target.publisher.put_back(stop)

    def undo_pause(self, stop: Stopped) -> None:
        """Resume what a pause suspended if its stop was not delivered, unless it has run since. No wait."""
        self.execution.undo_pause(stop)

    def untaken_stops(self) -> list[Stopped]:
        """Return the stops that no call has taken yet, the oldest first. No trip."""
        return self._target.publisher.unseen()

    def is_current(self, stop: Stopped) -> bool:
        """True if the thread of the stop still stands there: it is suspended, and has not run since."""
        return self._target.suspension.still_at(stop.thread.id if stop.thread else 0, stop.frame)

    def is_current_frame(self, frame: FrameInfo) -> bool:
        """True if the frame's thread is suspended, and has not run since the frame was read."""
        return self._target.suspension.still_at(frame.thread.id, frame)

    def is_suspended(self, thread_id: int) -> bool:
        """True if the debugger suspends the thread."""
        return self._target.suspension.is_suspended(thread_id)

    @property
    def ran(self) -> tuple[int, int]:
        """Another pair whenever a thread was resumed or has run a method: what was read before may be out of date."""
        return self._target.suspension.ran

    async def next_stop(self) -> Stopped | Exited:
        """Return the next stop that was not waited for, or the end of the target. Raises Disconnected."""
        return await self.execution.next_stop()

    async def recording_said_all(self) -> None:
        """Return as soon as the recording that is played has no more events for what is asked of it."""
        from trio.testing import wait_all_tasks_blocked

        while self.playback is not None:
            await wait_all_tasks_blocked()
            if self.playback.said_all and self._target.publisher.quiet:
                return
            await trio.sleep(0.02)  # a stop is being read, for which a thread works

    async def wait_ended(self) -> Exited | VMDisconnected:
        """Wait until the target has ended or the connection is gone."""
        return await self._target.publisher.wait_ended()

    def publish(self, event: Event) -> None:
        """Hand an event to all subscribers."""
        self._target.publish(event)

    @property
    def is_far(self) -> bool:
        """True if a round trip takes so long that what costs one more is noticed: a JVM behind a slow link."""
        return self._target.high_latency

    # What is looked at

    @property
    def selection(self) -> tuple[int | None, int]:
        """Return the selected thread's id (None: none) and frame number, from 1."""
        selected = self._target.selection
        return (selected.thread.id if selected.thread else None), selected.frame

    @property
    def selected_thread_name(self) -> str:
        """Name of the selected thread, or ''."""
        thread = self._target.selection.thread
        return thread.name if thread else ""

    async def select_thread(self, thread_id: int) -> None:
        """Select a thread and its innermost frame. Raises UsageError for an unknown one. wire: 1 trip."""
        await self.stack.select_thread(thread_id)

    async def select_frame(self, index: int) -> FrameInfo:
        """Select a frame of the selected thread by number, from 1. Raises UsageError past the end. wire: 1 trip."""
        return await self.stack.select_frame(index)

    async def up(self, count: int = 1) -> FrameInfo:
        """Select the caller, ``count`` frames out."""
        return await self.stack.select_frame(self._target.selection.frame + count)

    async def down(self, count: int = 1) -> FrameInfo:
        """Select the callee, ``count`` frames in."""
        return await self.stack.select_frame(self._target.selection.frame - count)

    # What runs again by itself, or must

    @property
    def max_suspend(self) -> float | None:
        """Return the longest that anything may be suspended while the user does nothing, in seconds; None: no limit.

        What has been suspended that long is resumed; a notice of the kind "resumed" says so. Raises UsageError when it
        is set to no number above 0.
        """
        return self._watchdog.limit

    @max_suspend.setter
    def max_suspend(self, seconds: float | None) -> None:
        self._watchdog.limit = seconds

    def touch(self) -> None:
        """The user is there: ``max_suspend`` counts from now. Front ends call it at keys and commands."""
        self._watchdog.touch()

    @property
    def idle(self) -> float:
        """Seconds since ``touch`` was called."""
        return self._watchdog.idle

    def suspended_for(self) -> float:
        """Seconds that the longest suspension has lasted, counted from the call that found it first; 0: none does."""
        return self._watchdog.suspended_for()

    async def panic(self) -> Panicked:
        """Take every request out of the target and resume everything at once, whatever goes on; also while a method
        hangs. Breakpoints stay, disabled. wire: 1 trip."""
        return await panic(self._target, self.points, self.execution)

    async def snapshot(
        self,
        path: str,
        *,
        depth: int | None = None,
        most: int | None = None,
        masks: Sequence[str] = (),
        all_classes: bool = False,
        on_progress: Callable[[SnapshotProgress], None] | None = None,
    ) -> SnapshotTaken:
        """Write all threads, stacks, variables, locks, classes, and the objects reached from them, to a new file.

        See ``Snapshots.take``; ``jdbpy.open_snapshot(path)`` reads it without the JVM.
        """
        return await self.snapshots.take(
            path, depth=depth, most=most, masks=masks, all_classes=all_classes, on_progress=on_progress
        )

    def note_line(self, line: str) -> None:
        """Enter a line that the user has given into the recording of the session, if there is one."""
        if self._target.conn.recorder is not None:
            self._target.conn.recorder.line(line)

    async def put_back_left_over(self) -> None:
        """Take out what a debugger that was killed has left in the code of classes, where that is allowed, and say so.

        wire: as ``saved_originals.put_back_left_over``.
        """
        from jdbpy.session.in_target.saved_originals import put_back_left_over

        await put_back_left_over(self._target)

    async def end_left_recordings(self) -> None:
        """End what a debugger that was killed has left in the flight recorder, where that is allowed, and say so.

        For a target whose flight recorder has been used. wire: some 8 trips.
        """
        if self._target.snapshot is not None:
            return
        from jdbpy.session.events.frameless import find_frameless
        from jdbpy.session.profile.left_behind import listed_names, names_in_fields, report_left

        await find_frameless(self._target)

        async def names() -> list[str]:
            if self._target.diagnostics is not None:
                return listed_names(await self.vm.diagnostic_command("JFR.check"))
            return await names_in_fields(self.values, self.objects)

        await report_left(self._target, self.vm.diagnostic_command, names)

    # How it ends

    async def detach(self) -> None:
        """Leave the target running: clear all requests, resume everything, prove that it runs, and close.

        It never hangs, and the session is over when it returns or raises. Raises LeaveError when the target has not
        confirmed that all of its threads run. Leaving the block of the session does the same; there an exception of
        the block itself goes first, with that sentence as a note.
        """
        if self._process is not None:
            self._process.keep_running()
        try:
            await self.leave()
        finally:
            self._target.publish(VMDisconnected("detached"))

    async def exit(self, status: int = 0) -> None:
        """End the target VM with an exit status (VirtualMachine.Exit); shutdown hooks do not run."""
        self._target.require_alive()
        self._target.conn.require_allowed(virtual_machine.Exit)
        self._dispatcher.death_told = True
        with suppress(Disconnected):
            await self._target.conn.request(virtual_machine.Exit(status))
        await self._target.publisher.wait_ended()

    async def end(self, grace: float) -> None:
        """End a launched target with the signal TERM, so that its shutdown hooks run. It is killed after ``grace``
        seconds; a second call may shorten that.

        Threads that have stopped stay where they are, for as long as the hooks do not seem to need them: what comes
        behind a breakpoint does not happen because the user has stopped debugging there. The target's last output and
        its exit status have been published when this returns. Raises StateError for a target that was not launched.
        wire: as leaving it.
        """
        if self._process is None:
            raise StateError("the target was not launched by the debugger", hint="exit() ends it without its hooks")
        self._dispatcher.death_told = True
        if not self._left and self.ending is None:
            from jdbpy.session.events.leaving import run_others

            self._dispatcher.leave()
            stopped = set(self._target.suspension.threads_at_events())
            stop = self.last_stop
            if stop is not None and stop.thread is not None and self.is_current(stop):
                stopped.add(stop.thread.id)
            self._process.ask_to_end()
            if stopped:
                run_others(self._target, frozenset(stopped))
                with trio.move_on_after(min(grace, STANDING)):
                    await self._process.wait_exit()
        await self.leave()
        await self._process.end(grace)
        await self._target.publisher.wait_ended()

    async def run(self) -> None:
        """Run the session's own task; the block that opened the session starts and cancels it."""
        async with open_nursery() as self._chores:
            self._chores.start_soon(self._watchdog.run)
            self._chores.start_soon(self._target.answers.run)
            try:
                await self._dispatcher.run()
            finally:
                self._chores.cancel_scope.cancel()
                self._chores = None  # a component that is first used after the end has no task

    async def leave(self) -> None:
        """Leave the target running, shielded and bounded in time; a second call does nothing.

        Raises LeaveError when it is not certain that the target runs; the connection is closed in any case.
        wire: 1 trip; 3 or 4 after requests that suspend threads.
        """
        if self._left or self.ending is not None or self._target.conn.close_reason is not None:
            return  # what has closed the connection is published as the ending, in a moment if not yet
        self._left = True
        if self._target.snapshot is not None or self._target.played or self._target.agent_line:
            await self._target.conn.aclose()
            return
        from jdbpy.session.events.leaving import LIMIT, leave

        self._dispatcher.leave()
        try:
            await leave(self._target, prove=self._process is None or self._process.kept)
        finally:
            with trio.CancelScope(shield=True, deadline=trio.current_time() + LIMIT):
                await self._target.conn.aclose()

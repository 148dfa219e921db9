"""The session: one debugged target with all that can be done to it, as front ends and scripts see it.

Owns the life of a session (pump, detach, exit) and the components; each of these owns its own subject. It adds no
behaviour of its own: what a breakpoint or a stack is stands in the component's module.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import trio

from jdbpy.errors import Disconnected, JdbpyError
from jdbpy.session.events import Event, Exited, Gone, Stop
from jdbpy.session.model import Frame, VmInfo, VmState
from jdbpy.session.options import Options
from jdbpy.session.pump import Pump, Votes
from jdbpy.session.streams import DEFAULT_CAPACITY, EventStream
from jdbpy.session.target import Target
from jdbpy.wire import constants
from jdbpy.wire.messages import event_request, virtual_machine
from jdbpy.wire.wirelog import Sink, WireLog

if TYPE_CHECKING:
    from jdbpy.session.breakpoints.component import Breakpoints
    from jdbpy.session.classes.component import Classes
    from jdbpy.session.code.component import Code
    from jdbpy.session.eval.own_calls import CallRunner
    from jdbpy.session.execution.component import Execution
    from jdbpy.session.heap.component import Heap
    from jdbpy.session.hotswap.component import HotSwap
    from jdbpy.session.locks.component import Locks
    from jdbpy.session.modules.component import Modules
    from jdbpy.session.opening.launch import Launched
    from jdbpy.session.points.catchpoints import Catchpoints
    from jdbpy.session.points.component import Points
    from jdbpy.session.points.traces import Traces
    from jdbpy.session.points.watchpoints import Watchpoints
    from jdbpy.session.sources.component import Sources
    from jdbpy.session.stack.component import Stack
    from jdbpy.session.stops.shower import StopShower
    from jdbpy.session.strata.component import Strata
    from jdbpy.session.threads.component import Threads
    from jdbpy.session.values.component import Values
    from jdbpy.session.vm.component import Vm

LEAVE_LIMIT = 3.0
"""Seconds that leaving a target may take before the socket is simply closed, which frees the target as well."""


class Session:
    """A debugged target. Made by ``attach``, ``listen`` and ``launch`` only; not to be used after their block."""

    def __init__(self, target: Target, options: Options, launched: Launched | None = None) -> None:
        self._target = target
        self._options = options
        self._launched = launched
        self._left = False
        self._pump = Pump(target, self._show_stop)
        self._chores: trio.Nursery | None = None
        if launched is not None:
            self._pump.exit_status = launched.wait_exit

    # Components that are loaded when they are first asked for, or needed at a stop: attaching is to be quick

    @cached_property
    def sources(self) -> Sources:
        """Source text of what is debugged."""
        from jdbpy.session.sources.component import Sources

        return Sources(self._target, self._options.source_path)

    @cached_property
    def stack(self) -> Stack:
        """Stacks, frames and the variables in them."""
        from jdbpy.session.stack.component import Stack

        return Stack(self._target)

    @cached_property
    def values(self) -> Values:
        """Expressions and values."""
        from jdbpy.session.values.component import Values

        return Values(self._target, self.stack, self.sources, lambda: self.last_stop)

    @cached_property
    def execution(self) -> Execution:
        """Letting threads run, and holding them."""
        from jdbpy.session.execution.component import Execution

        execution = Execution(self._target, self._stops, self.stack.frames, lambda *given: self.values.convert(*given))
        if self._options.excludes is not None:
            execution.set_excludes(self._options.excludes)
        return execution

    @cached_property
    def _stops(self) -> StopShower:
        from jdbpy.session.stops.shower import StopShower

        stops = StopShower(self._target, self.sources)
        stops.hooks.append(self._remember)
        return stops

    async def _show_stop(self, votes: Votes) -> None:
        await self._stops.show(votes)

    @cached_property
    def classes(self) -> Classes:
        """Loaded classes, their members and lines."""
        from jdbpy.session.classes.component import Classes

        return Classes(self._target, lambda: self._calls)

    @cached_property
    def threads(self) -> Threads:
        """Threads and their groups."""
        from jdbpy.session.threads.component import Threads

        return Threads(self._target, self._calls, self.values.convert)

    @cached_property
    def points(self) -> Points:
        """All that stops or reports, by number."""
        from jdbpy.session.points.component import Points

        points = Points(self._target, self.values.compile_condition, self.values.compile_template)
        self._target.publisher.before_ending.append(points.reporter.settle)
        if self._chores is not None:
            self._chores.start_soon(points.reporter.run)
        return points

    @cached_property
    def breakpoints(self) -> Breakpoints:
        """Breakpoints at lines and methods."""
        from jdbpy.session.breakpoints.component import Breakpoints

        return Breakpoints(self._target, self.points, self.stack.selected)

    @cached_property
    def catchpoints(self) -> Catchpoints:
        """Stops at exceptions, and at classes and threads that come and go."""
        from jdbpy.session.points.catchpoints import Catchpoints

        return Catchpoints(self._target, self.points)

    @cached_property
    def watchpoints(self) -> Watchpoints:
        """Stops where fields are read and written."""
        from jdbpy.session.points.watchpoints import Watchpoints

        evaluate = partial(self.values.evaluate, remember=False)
        return Watchpoints(self._target, self.points, evaluate, self.stack.selected)

    @cached_property
    def traces(self) -> Traces:
        """Methods that are entered and left, monitors that threads contend for."""
        from jdbpy.session.points.traces import Traces

        return Traces(self._target, self.points)

    @cached_property
    def heap(self) -> Heap:
        """Instances, referrers, histograms, dumps."""
        from jdbpy.session.heap.component import Heap

        return Heap(self._target, self.classes, self.stack, self._calls)

    @cached_property
    def _calls(self) -> CallRunner:
        from jdbpy.session.eval.own_calls import CallRunner

        return CallRunner(self._target, self.stack, lambda: self.values.evaluator)

    @cached_property
    def locks(self) -> Locks:
        """Monitors and locks: who holds them, who waits, deadlocks."""
        from jdbpy.session.locks.component import Locks

        return Locks(self._target)

    @cached_property
    def code(self) -> Code:
        """Constant pools and bytecode."""
        from jdbpy.session.code.component import Code

        return Code(self._target, self.classes, self.stack.selected)

    @cached_property
    def strata(self) -> Strata:
        """Source maps of classes that were compiled from something else than Java."""
        from jdbpy.session.strata.component import Strata

        return Strata(self._target, self.classes, self.stack)

    @cached_property
    def hotswap(self) -> HotSwap:
        """Classes of the running target replaced by newer ones."""
        from jdbpy.session.hotswap.component import HotSwap

        return HotSwap(self._target, self.classes, self.breakpoints, self.stack)

    @cached_property
    def vm(self) -> Vm:
        """The VM as a whole: properties, paths, capabilities, clocks, flags."""
        from jdbpy.session.vm.component import Vm

        return Vm(self._target, self._calls)

    @cached_property
    def modules(self) -> Modules:
        """The modules of Java 9 and later."""
        from jdbpy.session.modules.component import Modules

        return Modules(self._target, self.classes, self._calls)

    # What it is

    @property
    def state(self) -> VmState:
        """What the target is doing, as far as the debugger can tell without asking."""
        return self._target.state

    @property
    def info(self) -> VmInfo:
        return self._target.info

    @property
    def address(self) -> str:
        return self._target.info.address

    @property
    def remote(self) -> bool:
        """Whether the target is reached through another address than this machine's loopback."""
        return self._target.remote

    @property
    def launched(self) -> bool:
        return self._target.launched

    def log_wire(self, file: Sink | None) -> None:
        """From now on a readable line for every packet goes to ``file``, in place of another log; None: no more."""
        self._target.conn.log = None if file is None else WireLog(file)

    @property
    def last_stop(self) -> Stop | None:
        return self._target.last_stop

    @property
    def ending(self) -> Exited | Gone | None:
        """How the session ended, or None while it lasts."""
        return self._target.publisher.ending

    @property
    def suspended_everything(self) -> bool:
        """Whether the whole VM is held, not only single threads."""
        return self._target.suspension.everything_held

    @property
    def suspended_threads(self) -> tuple[int, ...]:
        """Ids of the threads that are held on their own, beside or instead of the whole VM."""
        return tuple(self._target.suspension.held_threads())

    def can(self, capability: str) -> bool:
        """Whether the target has a capability, by its name in VirtualMachine.CapabilitiesNew."""
        return self._target.can(capability)

    def statistics(self) -> Any:
        """Counts of packets, bytes and waves of the connection so far."""
        return self._target.conn.statistics()

    # What happens in it

    def events(self, capacity: int = DEFAULT_CAPACITY) -> EventStream:
        """Subscribes: an async iterator of events from now on, to be used in a ``with`` block.

        A stop that nobody has seen yet, as that at the start of the target, comes first, and for the first subscriber
        what a launched target has written before.

        At most ``capacity`` events wait; of a slower reader notices and output are dropped and counted (``Lost``).
        """
        return self._target.publisher.subscribe(capacity)

    async def next_stop(self) -> Stop | Exited:
        """The next stop that nobody has waited for, or the end of the target. Raises Disconnected."""
        return await self.execution.next_stop()

    async def wait_ended(self) -> Exited | Gone:
        """Waits until the target has ended or the connection is gone."""
        return await self._target.publisher.wait_ended()

    def publish(self, event: Event) -> None:
        """Hands an event to all subscribers."""
        self._target.publish(event)

    # What is looked at

    @property
    def selection(self) -> tuple[int | None, int]:
        """The selected thread's id (None: none) and frame number, from 1."""
        selected = self._target.selection
        return (selected.thread.id if selected.thread else None), selected.frame

    @property
    def selected_thread_name(self) -> str:
        """Name of the selected thread, or ''."""
        thread = self._target.selection.thread
        return thread.name if thread else ""

    async def select_thread(self, thread_id: int) -> None:
        """Selects a thread and its innermost frame. Raises UsageError for an unknown one. wire: 1 trip."""
        await self.stack.select_thread(thread_id)

    async def select_frame(self, index: int) -> Frame:
        """Selects a frame of the selected thread by number, from 1. Raises UsageError past the end. wire: 1 trip."""
        return await self.stack.select_frame(index)

    async def up(self, count: int = 1) -> Frame:
        """Selects the caller, ``count`` frames out."""
        return await self.stack.select_frame(self._target.selection.frame + count)

    async def down(self, count: int = 1) -> Frame:
        """Selects the callee, ``count`` frames in."""
        return await self.stack.select_frame(self._target.selection.frame - count)

    # How it ends

    async def detach(self) -> None:
        """Leaves the target running: clears all requests, resumes everything, closes. Never fails, never hangs."""
        if self._launched is not None:
            self._launched.keep_running()
        await self.leave()
        self._target.publish(Gone("detached"))

    async def exit(self, status: int = 0) -> None:
        """Ends the target VM with an exit status (VirtualMachine.Exit); shutdown hooks do not run."""
        self._target.require_alive()
        self._target.require_writable("ending the VM")
        self._pump.death_told = True
        with suppress(Disconnected):
            await self._target.conn.request(virtual_machine.Exit(status))
        await self._target.publisher.wait_ended()

    def _remember(self, stop: Stop) -> None:
        """A stop brings its frame: what is asked about it next costs no trip."""
        if stop.frame is not None:
            self.stack.remember(stop.frame)

    async def run(self) -> None:
        """Runs the session's own task; the block that opened the session starts and cancels it."""
        async with trio.open_nursery() as self._chores:
            await self._pump.run()
            self._chores.cancel_scope.cancel()

    async def _take_out_requests(self) -> None:
        """Takes all requests out of the target, and waits until no event of one can be under way.

        A thread that has met a breakpoint is suspended by another thread of the agent. If that comes after Dispose has
        resumed everything, which happens with Java 17, nobody is left to resume it.
        """
        target = self._target
        requests = target.requests.all_active()
        may_suspend = any(request.policy is not constants.SuspendPolicy.NONE for request in requests)
        target.requests.submit_clear(requests)
        cleared = target.conn.submit(event_request.ClearAllBreakpoints())
        while may_suspend and not target.suspension.everything_held:
            before = target.conn.statistics().events
            await cleared.wait()
            if target.conn.statistics().events == before:
                break
            cleared = target.conn.submit(event_request.ClearAllBreakpoints())

    async def leave(self) -> None:
        """Lets the target go, shielded and bounded in time. wire: 1 trip; 2 while threads run that may be suspended."""
        if self._left or self.ending is not None:
            return
        self._left = True
        target = self._target
        with trio.CancelScope(shield=True, deadline=trio.current_time() + LEAVE_LIMIT), suppress(JdbpyError):
            await self._take_out_requests()
            if target.steps_by_raw_lines:
                target.conn.submit(virtual_machine.SetDefaultStratum(""))  # no class has it: each one's own default
            for op, thread in target.suspension.plan_run_everything():
                target.submit_op(op, thread)
            await target.conn.request(virtual_machine.Dispose())
        with trio.CancelScope(shield=True, deadline=trio.current_time() + LEAVE_LIMIT):
            await target.conn.aclose()

"""Stops that wait to be shown: holding their threads, showing them in their turn, dropping them.

Owns the commands that follow from the rules of ``events/stop_table``. A stop waits with its thread suspended on its own
while another thread is stepped, so that this thread and all others run; and with everything suspended once more while
a method runs for an expression, so that nothing else changes at the stop that the user looks at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import trio

from jdbpy.errors import JdbpyError
from jdbpy.escape import escape
from jdbpy.session.events.clients import Steps, host_of
from jdbpy.session.events.stop_table import STEP_LIMIT, StopTable, WaitingStop, WaitReason
from jdbpy.session.events.suspension import SuspendOp
from jdbpy.session.events.target import Target
from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.session.model.decisions import Decision
from jdbpy.session.model.events import Notice, Stopped
from jdbpy.task_groups import open_nursery
from jdbpy.wire.constants import ThreadStatus
from jdbpy.wire.ids import ObjectID, ThreadID
from jdbpy.wire.messages import thread_reference

WAITING_FOR = {
    WaitReason.STEP: Decision.WAITING_STEP,
    WaitReason.METHOD: Decision.WAITING_METHOD,
    WaitReason.SHOWN: Decision.WAITING_TURN,
}
"""The decision about a stop that waits, by what it waits for."""

_MOST_NAMED = 4
"""Threads that a notice of waiting stops names."""

_BLOCKED = {
    ThreadStatus.SLEEPING: "it sleeps",
    ThreadStatus.MONITOR: "it waits for a monitor",
    ThreadStatus.WAIT: "it waits to be notified",
}
"""Why a thread does not end its step, by ``ThreadReference.Status``."""


class WaitingStops:
    """The stops of one target that are not shown yet. ``announce`` publishes one."""

    def __init__(self, target: Target) -> None:
        self._target = host_of(target)
        self._steps = Steps.of(self._target)
        self._steps.on_end = self.settle
        self.table = StopTable()
        self.announce: Callable[[Stopped], None] = lambda stop: None
        self._changed = trio.lowlevel.ParkingLot()
        self._stepped_beside_suspended = trio.lowlevel.ParkingLot()
        self._making: list[set[int]] = []
        self._told: tuple[Stopped, ...] = ()  # the stops of the last notice

    @classmethod
    def of(cls, target: Target) -> WaitingStops:
        """Return those of a target, which all its clients share."""
        return target.part(cls, cls)

    # -- what a stop waits for ---------------------------------------------------------------------------------------

    def reason(self, thread: int, policy: SuspendPolicy, clients: Iterable[str] = ()) -> WaitReason | None:
        """Return what a new stop of the thread has to wait for; None if it is to be shown at once. No trip.

        A stop that suspends its thread only waits for steps alone, and not for those of clients whom it does not
        concern. A task that waits for the next stop beside the method is shown it, and so is who steps the thread.
        """
        if not thread:
            return None
        if self.stepping(thread, policy, clients):
            return WaitReason.STEP
        if policy is not SuspendPolicy.ALL or self._target.publisher.awaited:
            return None
        suspension = self._target.suspension
        decided = suspension.asked if suspension.undecided is None else {*suspension.asked, suspension.undecided[0]}
        if suspension.evaluating - suspension.own - decided - {thread}:
            return WaitReason.METHOD
        if thread in self._steps.pending:  # its step, for which the others may stay suspended, ends here
            return None
        by_event = suspension.undecided == (thread, True)
        if self.table.shows and suspension.vm_holds - suspension.brief_vm_holds > by_event:
            return WaitReason.SHOWN
        return None

    def stepping(self, thread: int, policy: SuspendPolicy, clients: Iterable[str] = ()) -> bool:
        """True if another thread is being stepped, by a client whom a stop of this one concerns."""
        whose = tuple(clients)
        all_concerned = policy is SuspendPolicy.ALL or self._target.clients is None or not whose
        return any(
            each != thread
            and each not in self._steps.overdue
            and (all_concerned or self._steps.clients.get(each) in (None, *whose))
            for each in self._steps.pending
        )

    def hold_alone(self, thread: int) -> None:
        """Suspend the thread of a hit on its own, and take back that its event has suspended everything. wire: no
        wait."""
        target = self._target
        with target.conn.corked:
            target.submit_op(SuspendOp.THREAD_SUSPEND, thread, by_event=True)
            target.suspension.undecided = (thread, False)
            target.submit_op(SuspendOp.VM_RESUME)

    def wait(self, stop: Stopped, reason: WaitReason) -> None:
        """Let a stop wait, whose thread is suspended."""
        assert stop.thread is not None
        self._steps.end(stop.thread.id)
        self.table.wait(WaitingStop(stop, reason))
        self.settle()  # what it waits for may have ended while the stop was read
        if not (self._steps.pending or self._target.invocations.any):
            self.notice()
        self._changed.unpark_all()

    def before_step(self, thread: int) -> None:
        """A step of a thread is about to begin: stops of others that nobody has taken wait for its end. No trip."""
        if self._target.clients is not None:
            return
        suspension = self._target.suspension

        def meant(stop: Stopped) -> bool:
            return (
                stop.thread is not None and stop.thread.id != thread and suspension.still_at(stop.thread.id, stop.frame)
            )

        for stop in self._target.publisher.withdraw(meant):
            if stop.thread is not None:
                self.table.wait(WaitingStop(stop, WaitReason.STEP))
                self._target.decisions.settle(stop.thread.id, Decision.WAITING_STEP)
        self._changed.unpark_all()

    def stepped_beside_suspended(self) -> None:
        """A step has begun while other threads stay suspended. No trip."""
        self._stepped_beside_suspended.unpark_all()

    # -- showing them in their turn ----------------------------------------------------------------------------------

    def show_next(self) -> bool:
        """Show the oldest stop that waits; False if there is none. wire: no wait.

        One that is to suspend everything does so now, where its thread was suspended on its own.
        """
        if not self.table.waiting:
            return False
        self._show(self.table.waiting[0])
        return True

    def show_if_held(self) -> None:
        """Show the oldest stop that waits if nothing else can stop any more: everything is suspended. wire: no wait."""
        if self._target.suspension.everything_held and not self._steps.pending:
            self.show_next()

    def settle(self) -> None:
        """Show the stops that have nothing to wait for any more, but for those for which 'cont' is asked. wire: no
        wait."""
        suspension = self._target.suspension
        for each in self.table.waiting:
            assert each.stop.thread is not None
            policy, thread = each.stop.policy, each.stop.thread.id
            if not self.table.waits(each):  # the one before it was shown, and so was this one then
                continue
            if self.reason(thread, policy, each.stop.clients) is not None:
                continue
            if policy is not SuspendPolicy.ALL:
                self._show(each)
            elif not suspension.everything_held:
                self._show(each)
                return  # the others wait for 'cont'

    def _show(self, waiting: WaitingStop) -> None:
        target, stop = self._target, waiting.stop
        assert stop.thread is not None
        if stop.policy is SuspendPolicy.ALL and not target.suspension.everything_held:
            target.submit_op(SuspendOp.VM_SUSPEND)
            target.conn.flush()
        self.announce(stop.replace(epoch=target.suspension.epoch_of(stop.thread.id)))

    def shown(self) -> None:
        """A stop was published: show what has nothing to wait for any more, and tell of the others. wire: no wait."""
        self._told = ()
        self.settle()
        self.notice()

    def notice(self) -> None:
        """Publish how many stops wait for 'cont', if any do and that was not told since the last stop."""
        names = [escape(each.stop.thread.name) for each in self.table.waiting if each.stop.thread is not None]
        told, self._told = self._told, tuple(each.stop for each in self.table.waiting)
        if not names or told == self._told:
            return
        named = ", ".join(names[:_MOST_NAMED]) + (", ..." if len(names) > _MOST_NAMED else "")
        threads = "1 more thread has" if len(names) == 1 else f"{len(names)} more threads have"
        ids = tuple(each.stop.thread.id for each in self.table.waiting if each.stop.thread is not None)
        text = f"{threads} stopped: {named}; 'cont' goes there"
        self._target.publish(Notice("stops-waiting", text, (("threads", ids),)))

    # -- what ends a wait otherwise ----------------------------------------------------------------------------------

    @contextmanager
    def making(self) -> Iterator[set[int]]:
        """Give the numbers of the breakpoints that were removed, disabled or changed while a stop was read."""
        gone: set[int] = set()
        self._making.append(gone)
        try:
            yield gone
        finally:
            self._making.remove(gone)

    def drop(self, numbers: Iterable[int]) -> None:
        """Drop the stops that nobody has seen and that only these breakpoints have caused, which are gone or have
        changed; their threads run on. wire: no wait."""
        dropped = list(numbers)
        for gone in self._making:
            gone.update(dropped)
        stops = [each.stop for each in self.table.drop(dropped)]
        untaken = self._target.publisher.drop_breakpoints(dropped)
        if self._target.clients is None:
            stops += [stop for stop in untaken if self._target.suspension.stands_since(_thread(stop), stop.epoch)]
        for stop in stops:
            if not self._is_looked_at(stop):
                self.resume(stop)
            self._target.decisions.settle(_thread(stop), Decision.BREAKPOINT_GONE)

    def _is_looked_at(self, stop: Stopped) -> bool:
        """True if the user has selected the thread of a stop that was not shown: it stays until 'cont'."""
        selection = self._target.selection
        return selection.thread is not None and selection.thread.id == _thread(stop) and not selection.by_default

    def resume(self, stop: Stopped) -> None:
        """Take back what the event of a stop has suspended, which nobody has seen. wire: no wait."""
        suspension = self._target.suspension
        if suspension.event_holds.get(_thread(stop)):
            self._target.submit_op(SuspendOp.THREAD_RESUME, _thread(stop), by_event=True)
        elif suspension.vm_holds > suspension.brief_vm_holds + suspension.user_vm_holds:
            self._target.unsuspend_all(but=_thread(stop))
        self._target.conn.flush()

    def released(self, runs: Callable[[int], bool]) -> None:
        """Take in that threads were resumed: stops that had waited there are over. No trip."""
        for each in self.table.release(runs):
            if each.stop.thread is not None:
                self._target.decisions.settle(each.stop.thread.id, Decision.RESUMED)

    async def run(self) -> None:
        """Show the oldest stop where a step does not end; tell of stops that have waited for a method, and of steps
        that wait for a monitor. For ever."""
        async with open_nursery() as nursery:
            nursery.start_soon(self._tell_after_methods)
            nursery.start_soon(self._tell_of_blocked_steps)
            while True:
                if not (self.table.waiting and self._active_steps()):
                    await self._changed.park()
                    continue
                steps = self._active_steps()
                with trio.move_on_after(STEP_LIMIT):
                    while self.table.waiting and self._active_steps() == steps:
                        await self._changed.park()
                    continue
                await self._show_in_spite_of(steps)

    async def _tell_after_methods(self) -> None:
        """Tell of stops that have waited for methods, when these have ended."""
        while True:
            if any(each.reason is WaitReason.METHOD for each in self.table.waiting) and self._target.invocations.any:
                await self._target.invocations.all_ended()
                if not self._steps.pending:
                    self.notice()
            await self._changed.park()

    async def _tell_of_blocked_steps(self) -> None:
        """Tell of steps that wait for a monitor while other threads are stopped, one of which may own it."""
        while True:
            steps = self._active_steps()
            with trio.move_on_after(STEP_LIMIT if steps else math.inf):
                await self._stepped_beside_suspended.park()
                continue
            if self._active_steps() != steps or self.table.waiting:  # what waits is shown, which tells it
                continue
            if self._target.suspension.anything_held:
                await self._tell_why_pending(steps, only_blocked=True)
            await self._stepped_beside_suspended.park()

    def _active_steps(self) -> dict[int, int]:
        """Return the steps that others wait for: threads, with the number of the thread's step."""
        steps = self._steps
        return {each: steps.begun[each] for each in steps.pending if each not in steps.overdue}

    async def _show_in_spite_of(self, steps: dict[int, int]) -> None:
        """Show the oldest stop although steps have not ended, which stay pending, and tell why. wire: 1 trip."""
        if await self._tell_why_pending(steps):
            self.show_next()

    async def _tell_why_pending(self, steps: dict[int, int], *, only_blocked: bool = False) -> bool:
        """Tell why steps have not ended, or which of them wait for a monitor. False if one has ended meanwhile.

        wire: 1 trip.
        """
        asked = [
            ask(ThreadID(ObjectID(each))) for each in steps for ask in (thread_reference.Name, thread_reference.Status)
        ]
        try:
            answers = await self._target.conn.batch(asked)
        except JdbpyError:
            return False  # the connection is gone
        if self._active_steps() != steps or not (only_blocked or self.table.waiting):
            return False
        if not only_blocked:
            self._steps.overdue.update(steps)
        for thread, name, status in zip(steps, answers[::2], answers[1::2], strict=True):
            if isinstance(name, JdbpyError) or isinstance(status, JdbpyError):
                continue
            if only_blocked and status.threadStatus != ThreadStatus.MONITOR:
                continue
            why = _BLOCKED.get(status.threadStatus, "it is still running")
            text = (
                f'the step of thread "{escape(name.threadName)}" has not ended: {why} while other threads are stopped; '
                f"the step stays pending"
            )
            self._target.publish(Notice("step-pending", text, (("thread", thread),)))
        return True


def _thread(stop: Stopped) -> int:
    return stop.thread.id if stop.thread is not None else 0

"""Suspend counts of threads that run an invoked method: what the agent counts meanwhile, and what it must count after.

An invoked method runs while its thread's count is 0 (docs/agent.md, "Others run during a call", "Extra suspend counts
block a call"). Three things are in the way: counts above 1 when the command goes out; event sets with policy ALL that
come in before the method has returned, which suspend the thread anew; and commands that the debugger sends meanwhile,
whose effect on a count of 0 is lost. Therefore:

* Suspensions above the first are taken off before the call.
* Each event set of another thread that suspends everything is answered with one Resume of the invoking thread. The
  agent also sends no further packet, the reply of the call included, before it has had one (docs/agent.md, "Resuming
  before a packet").
* Before a Resume that ``Suspension`` counts for the thread, a suspension that was taken off is put back: the method may
  return at any time, and its thread must not run on then.
* While a call lets all threads run, any of them may come to an event, whose suspension is not known yet: a Resume would
  take that, where nothing else suspends the thread. So the threads are suspended once more just before it.
* When the method has returned, the thread's count is made the one of ``Suspension``.
* The end of a call that let all threads run suspends all of them, also those whose calls are under way: each of these
  is resumed, and all are while a further call lets them run.

Virtual threads (docs/agent.md, "Suspending them all happens once"). While everything is suspended, a further event set
with policy ALL only counts one up for each virtual thread that the agent knows; it does not suspend it. A call that
comes by a breakpoint in such a thread goes on, and if it has returned before the Resume for that set was carried out,
the agent takes the thread for one that is suspended already: it runs on behind the call. So before a virtual thread
runs a method while everything is suspended, requests with policy ALL are set to suspend the thread of the event only.

``Suspension`` (``suspension``) counts as if nothing were taken off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import trio

from jdbpy.session.events.suspension import SuspendOp, Suspension
from jdbpy.wire.connection import Connection
from jdbpy.wire.ids import ObjectID, ThreadID
from jdbpy.wire.messages import thread_reference, virtual_machine


class _Counts:
    """Suspend counts as the agent keeps them: one for each thread, and ``base`` for those not mentioned."""

    def __init__(self, base: int, own: dict[int, int]) -> None:
        self.base = base
        self.own = own

    def of(self, thread: int) -> int:
        return self.own.get(thread, self.base)

    def change(self, thread: int, by: int) -> None:
        self.own[thread] = max(0, self.of(thread) + by)

    def change_all(self, by: int) -> None:
        self.base = max(0, self.base + by)
        self.own = {thread: max(0, count + by) for thread, count in self.own.items()}


class Invocations:
    """The calls under way in a target, by thread. What they send is not waited for.

    ``suspend_less`` makes events suspend no more than their thread, ``has_run`` is told of each thread that has run a
    method; neither waits.
    """

    def __init__(
        self,
        conn: Connection,
        suspension: Suspension,
        may_be_virtual: Callable[[int], bool] = lambda thread: False,
        *,
        suspend_less: Callable[[], None] = lambda: None,
        has_run: Callable[[int], None] = lambda thread: None,
    ) -> None:
        self._conn = conn
        self._suspension = suspension
        self._may_be_virtual = may_be_virtual
        self._running: dict[int, int] = {}  # how many calls each thread has been sent
        self._virtual: set[int] = set()  # those of them that are virtual
        self._suspend_less = suspend_less
        self._has_run = has_run
        self._others_run: set[int] = set()  # threads whose calls let all threads run
        self.times_others_ran = 0
        """How many calls have let all threads run: another number whenever any thread may have ended meanwhile."""
        self._agent = _Counts(0, {})
        self._ended = trio.lowlevel.ParkingLot()
        self._preparing = 0  # sets of classes that calls have prepared and that are being looked at
        self._prepared = trio.lowlevel.ParkingLot()
        self._waiting = 0  # event sets that have suspended everything and are not entered in ``Suspension`` yet

    @property
    def any(self) -> bool:
        """True if a call is under way."""
        return bool(self._running)

    @property
    def others_run(self) -> bool:
        """True if a call is under way that lets all threads run."""
        return bool(self._others_run)

    async def all_ended(self) -> None:
        """Wait until no call is under way."""
        while self._running:
            await self._ended.park()

    def preparing(self, by: int) -> None:
        """Count sets of classes that calls have prepared and whose breakpoints are being set: 1 more, or -1."""
        self._preparing += by
        self._prepared.unpark_all()

    @property
    def prepares(self) -> bool:
        """True if breakpoints are being set in classes that calls have prepared."""
        return self._preparing > 0

    async def all_prepared(self) -> None:
        """Wait until breakpoints are set in the classes that calls have prepared so far."""
        while self._preparing:
            await self._prepared.park()

    # -- calls -------------------------------------------------------------------------------------------------------

    def begin(self, thread: int, *, others_run: bool, virtual: bool = False) -> None:
        """A call is about to be sent: takes off what would keep it from running. wire: no wait."""
        if not self._running:
            base, own = self._suspension.counts()
            self._agent = _Counts(base + self._waiting, {each: count + self._waiting for each, count in own.items()})
        calls = self._running.get(thread, 0)
        self._running[thread] = calls + 1
        self._suspension.evaluating.add(thread)
        if calls:
            return  # sent behind another one, which leaves the thread to it
        if virtual:
            self._virtual.add(thread)
            if self._agent.base > others_run:
                self._suspend_less()
        if others_run and self._others_run:  # they do already, and this call's Resume is not to take what holds others
            self._suspend_all()
        while self._agent.of(thread) > 1:
            self._resume(thread)
        if others_run:
            self._keep_callers(self._running.keys() - {thread})
            for each in self._run_on():
                self._suspend(each)
            self._others_run.add(thread)
            self.times_others_ran += 1
            self._agent.change_all(-1)
        else:
            self._agent.change(thread, -1)

    def ended(self, thread: int) -> None:
        """A call was answered. After the last one of the thread its count is made that of ``Suspension``. wire: no
        wait.
        """
        self._suspension.invoked(thread)
        self._has_run(thread)
        self._running[thread] -= 1
        if self._running[thread]:
            return
        del self._running[thread]
        self._ended.unpark_all()
        self._virtual.discard(thread)
        self._suspension.evaluating.discard(thread)
        if thread not in self._others_run:
            self._agent.change(thread, +1)
            self._put_right(thread)
            return
        self._others_run.discard(thread)
        self._agent.change_all(+1)
        if not self._put_all_right(thread):
            self.let_run()

    # -- events and commands meanwhile -------------------------------------------------------------------------------

    def suspended_all(self) -> None:
        """An event set that suspends everything has come in: ``entered`` follows when ``Suspension`` knows of it."""
        self._waiting += 1
        if self._running:
            self._agent.change_all(+1)

    def entered(self) -> None:
        self._waiting = max(0, self._waiting - 1)

    def suspended(self, thread: int) -> None:
        """An event has suspended a thread, which ``Suspension`` knows."""
        if self._running:
            self._agent.change(thread, +1)

    def let_run(self) -> None:
        """Resume the threads of calls after an event set of another thread, or the end of another call, that has
        suspended everything.
        """
        if self._virtual and self._agent.base:
            self._suspend_less()
        for thread in self._running:
            if self._agent.of(thread):
                self._resume(thread)

    def before(self, op: SuspendOp, thread: int) -> None:
        """A command is about to be sent that ``Suspension`` counts: makes sure that no call ends with its
        thread at 0.
        """
        if op is SuspendOp.VM_RESUME or op is SuspendOp.THREAD_RESUME:
            if self._others_run:
                self._keep_events(op, thread)
            self._keep_callers(self._running if op is SuspendOp.VM_RESUME else self._running.keys() & {thread})
        self._apply(op, thread)

    def _apply(self, op: SuspendOp, thread: int) -> None:
        by = +1 if op in (SuspendOp.VM_SUSPEND, SuspendOp.THREAD_SUSPEND) else -1
        if by < 0:
            self._count_resumes(self._running if op is SuspendOp.VM_RESUME else (thread,))
        if op in (SuspendOp.VM_SUSPEND, SuspendOp.VM_RESUME):
            self._agent.change_all(by)
        else:
            self._agent.change(thread, by)

    def _keep_callers(self, threads: Iterable[int]) -> None:
        """Suspend threads of calls just before they are resumed, where more than that resume suspends them: their
        calls may have returned. wire: no wait.
        """
        for each in sorted(threads):
            if not self._agent.of(each) and self._wanted(each) > 1:
                self._suspend(each)

    def _keep_events(self, op: SuspendOp, thread: int) -> None:
        """Suspend threads that a call lets run just before they are resumed: one may have come to an event that is not
        here yet, and the resume would take its suspension. wire: no wait.
        """
        if op is SuspendOp.THREAD_RESUME:
            runs_on = not self._agent.of(thread) and thread not in self._running
            if runs_on and not self._may_be_virtual(thread):
                self._suspend(thread)
        elif self._agent.base:
            for each in self._run_on():
                self._suspend(each)
        else:
            self._suspend_all()

    # -- helpers -----------------------------------------------------------------------------------------------------

    def _run_on(self) -> list[int]:
        """Return the threads without a call that run while others are suspended; no virtual ones, which may be ending
        (docs/agent.md, "Suspending a virtual thread that is ending")."""
        return [
            each
            for each, count in self._agent.own.items()
            if not count and each not in self._running and not self._may_be_virtual(each)
        ]

    def _wanted(self, thread: int) -> int:
        """Return the count that the thread is to have, were no call under way."""
        return self._suspension.count(thread) + self._waiting

    def _put_right(self, thread: int) -> None:
        while self._agent.of(thread) < self._wanted(thread):
            self._suspend(thread)
        while self._agent.of(thread) > self._wanted(thread):
            self._resume(thread)

    def _put_all_right(self, thread: int) -> bool:
        """The same for all threads, after a call that let them run: what resumed them meanwhile had no effect.

        Those with a count of their own are suspended first: none of them is to run on until that is done. The others
        run on where a further call lets them. Return True if all were resumed, those of calls among them.
        """
        base, own = self._suspension.counts()
        resumes = 1 if self._others_run else max(0, self._agent.base - base - self._waiting)
        concerned = sorted({thread, *own, *self._agent.own} - self._running.keys())
        for each in concerned:
            if not self._agent.of(each) and not self._wanted(each) and self._may_be_virtual(each):
                continue
            for _ in range(self._wanted(each) + resumes - self._agent.of(each)):
                self._suspend(each)
        for _ in range(resumes):
            self._conn.submit(virtual_machine.Resume())
            self._agent.change_all(-1)
        for each in concerned:
            self._put_right(each)
        return bool(resumes)

    def _count_resumes(self, threads: Iterable[int]) -> None:
        """Each resume of a thread counts for the ids of its frames, also within a call."""
        for thread in threads:
            if thread in self._running and self._agent.of(thread) == 1:
                self._suspension.invoked(thread)

    def _suspend_all(self) -> None:
        self._conn.submit(virtual_machine.Suspend())
        self._agent.change_all(+1)

    def _suspend(self, thread: int) -> None:
        self._conn.submit(thread_reference.Suspend(ThreadID(ObjectID(thread))))
        self._agent.change(thread, +1)

    def _resume(self, thread: int) -> None:
        self._count_resumes((thread,))
        self._conn.submit(thread_reference.Resume(ThreadID(ObjectID(thread))))
        self._agent.change(thread, -1)

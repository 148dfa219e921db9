"""Resume, suspend and pause: what is resumed, and what stays held.

Owns which holds a command releases; the counting is ``Suspension``'s (``suspension``). A stop that was not seen yet
is never released, so that no stop is lost between two commands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import trio

from jdbpy.errors import JdbpyError, JdwpError, StateError
from jdbpy.session.events.clients import Steps
from jdbpy.session.events.suspension import SuspendOp
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import FrameRange, ThreadReader, wire_thread
from jdbpy.session.execution.stops import StopShower
from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.session.model.events import Stopped, StopReason
from jdbpy.wire.constants import Error
from jdbpy.wire.error_text import jdwp_error
from jdbpy.wire.ids import ObjectID, ThreadID
from jdbpy.wire.messages import thread_reference, virtual_machine
from jdbpy.wire.pending import Pending

_UNDO_LIMIT = 1.0
"""Seconds for which a pause that was cancelled waits until the target has it taken back."""


_TOP = 8
"""Frames of a virtual thread that are looked at: what begins, parks and ends one has fewer of its own."""


def _begins_threads(class_name: str) -> bool:
    """True for classes with which a virtual thread begins, parks and ends."""
    outer = class_name.partition("$")[0]  # the continuation of a virtual thread is an inner class of it
    return outer in ("java.lang.VirtualThread", "java.lang.Thread") or class_name.startswith("jdk.internal.")


class Resuming:
    """Starts and holds threads of one target."""

    def __init__(self, target: Target, stops: StopShower) -> None:
        self._target = target
        self._stops = stops
        self._waiting = stops.waiting

    def resume(self, thread: int | None = None) -> tuple[Stopped, ...]:
        """Let everything go that the debugger stopped (jdb ``cont``), or one thread whatever holds it.

        Threads that the user suspended by name stay held, and those of stops that were not taken yet, which are
        returned. Synchronous: the commands are on their way when it returns. Raises StateError when nothing is held.
        """
        target = self._target
        target.require_alive()
        if thread is not None:
            self._target.suspension.require_stopped(thread)
            resumed = self._unsuspend_thread(thread)
            self._prefetch_stop(thread, resumed)
            return ()
        unseen = tuple(target.publisher.unseen())
        if any(stop.policy is SuspendPolicy.ALL for stop in unseen):
            return unseen  # the target has stopped meanwhile; the task that waits for the next stop gets that one
        if self._waiting.show_next():
            unseen = tuple(target.publisher.unseen())
            if any(stop.policy is SuspendPolicy.ALL for stop in unseen):
                return unseen
        keep = self._waiting.table.waiting_threads | {stop.thread.id for stop in unseen if stop.thread}
        if target.clients is not None:
            keep |= target.clients.others_threads(target)
        plan = target.suspension.plan_release(keep)
        if not plan:
            if unseen or target.suspension.deciding:
                target.selection.clear()  # what is shown next is looked at
                return unseen
            held = target.suspension.held_threads()
            if held and keep:
                raise StateError(
                    "none of the threads that are suspended is yours: they stopped for other clients",
                    hint="'thread N' selects one, 'cont' resumes it then",
                    code="NOT_STOPPED",
                )
            raise StateError(
                "only threads that you suspended yourself are suspended" if held else "the target is running already",
                hint="'resume' resumes them" if held else "'pause' (Ctrl-C) stops it",
                code="NOT_STOPPED",
            )
        selected = target.selection.thread
        resumed = self._submit(plan, keep)
        self._released(None, keep)
        target.selection.clear()  # also if its thread stays: the stop that is shown next is looked at
        if selected is not None:
            self._prefetch_stop(selected.id, resumed)
        return unseen

    def show_waiting(self) -> None:
        """Show a stop that waits for 'cont', for who waits for one although everything is suspended. wire: no wait."""
        self._waiting.show_if_held()

    def _release_own(self) -> None:
        """Let everything run but what belongs to other clients. wire: no wait."""
        target = self._target
        if target.clients is None or target.clients.together:
            for op, thread in target.suspension.plan_unsuspend_everything():
                target.submit_op(op, thread, by_event=op is SuspendOp.THREAD_SUSPEND)
            target.conn.flush()
            self._released(None)
            target.selection.clear()  # also if its thread stays, for a hit that is to be decided
            return
        keep = target.clients.others_threads(target)
        self._submit(target.suspension.plan_release(keep), keep)
        for thread, count in target.suspends.items():
            self._submit([(SuspendOp.THREAD_RESUME, thread)] * min(count, target.suspension.user_holds.get(thread, 0)))
        target.suspends.clear()
        self._released_some()

    @property
    def has_stopped(self) -> bool:
        """True if something is suspended that concerns not only other clients."""
        target = self._target
        if target.clients is None or not (others := target.clients.others_threads(target)):
            return True
        return bool(target.suspension.plan_release(others))

    def run_for_step(self, thread: int, *, alone: bool = False) -> None:
        """Resume what a step of the thread needs: the whole VM if that was suspended, else, or if it shall step
        ``alone``, the thread only. Threads whose stop was not shown yet stay suspended."""
        target, suspension = self._target, self._target.suspension
        self._waiting.before_step(thread)
        if suspension.everything_held and not alone:
            others = target.clients.others_threads(target) if target.clients is not None else frozenset()
            keep = (others | self._waiting.table.waiting_threads) - {thread}
            resumed = self._submit(suspension.plan_release(keep), keep)
            resumed += self._submit(suspension.plan_run_thread(thread))
            self._released(None, keep)
        else:
            resumed = self._submit(suspension.plan_run_thread(thread))
            self._released(thread)
        if suspension.anything_held:  # by the user, for other clients, or as the step is one alone
            self._waiting.stepped_beside_suspended()
        self._prefetch_stop(thread, resumed)

    async def suspend(self, threads: Sequence[int] | None = None) -> None:
        """Holds the whole VM, or the given threads, once more. Raises JdwpError for a thread that has ended, StateError
        for a virtual one that may be ending.

        wire: 1 trip; 1 to 3 more for virtual threads that run, and 1 more where it is not known whether they are that.
        """
        self._target.require_alive()
        self._target.require_agent("suspending threads")
        if threads is None:
            whole = self._target.submit_op(SuspendOp.VM_SUSPEND)
            resumed = self._target.suspension.resumed(0)
            self._target.was_suspended()
            await whole.wait()
            if self._target.suspension.resumed(0) == resumed:  # else it is taken back already
                self._target.suspension.user_vm_holds += 1
                self._target.suspends[0] += 1
            return
        with ExitStack() as stack:
            if running := await self._virtual_that_ran(threads):
                if not self._target.suspension.frozen:
                    stack.enter_context(self._target.frozen())
                await self._require_safe(running)
            pending = [self._target.submit_op(SuspendOp.THREAD_SUSPEND, thread) for thread in threads]
            self._target.was_suspended()
        for outcome in await self._target.conn.gather(pending):
            if isinstance(outcome, JdwpError):
                raise outcome
        self._target.suspends.update(threads)

    async def _virtual_that_ran(self, threads: Sequence[int]) -> list[int]:
        """Return the virtual ones of some threads that may have ended since they were known to live: they stand at no
        event, and the user has not suspended them. Raises StateError for one that runs while the others are suspended.
        wire: 1 trip for those not known yet, 0 else.
        """
        target, suspension = self._target, self._target.suspension
        may_be = [each for each in threads if target.may_be_virtual(each) and each not in suspension.user_holds]
        ran = [each for each in may_be if not suspension.stopped_by_event(each)]
        unknown = [each for each in ran if each not in target.virtual_threads]
        answers = await target.conn.batch([thread_reference.IsVirtual(wire_thread(each)) for each in unknown])
        for thread, answer in zip(unknown, answers, strict=True):
            if isinstance(answer, JdwpError):
                raise answer
            target.virtual_threads[thread] = answer.isVirtual
        virtual = [each for each in ran if target.virtual_threads[each]]
        if any(suspension.runs_alone(each) for each in virtual):
            raise StateError(
                "a virtual thread that runs while the others are suspended cannot be suspended: the JVM would abort if "
                "the thread ended meanwhile",
                hint="a breakpoint stops it; or 'resume' lets all threads run, and 'suspend' then suspends all",
            )
        return virtual

    async def _require_safe(self, threads: Sequence[int]) -> None:
        """Raises StateError unless each of some virtual threads, which are suspended with all others, is in code that
        it was made for: if it is ending, the agent would abort the JVM (docs/agent.md, "Suspending a virtual thread
        that is ending"). wire: 1 or 2 trips.
        """
        found = await ThreadReader(self._target).read(map(wire_thread, threads), FrameRange(0, _TOP))
        lives = [read for read in found if not all(_begins_threads(each.location.class_name) for each in read.frames)]
        if len(lives) < len(threads) or not self._target.suspension.frozen:
            raise StateError(
                "the virtual thread has ended, or is about to begin or to end: suspending it could abort the JVM",
                hint="'threads' lists those that live; a breakpoint stops one where it passes",
            )

    async def unsuspend(self, threads: Sequence[int] | None = None) -> None:
        """Take back one ``suspend`` of the VM, or of each given thread; where there was none, let it or them run.

        A stop stays a stop: after ``suspend`` and ``resume`` everything is as it was before. What the debugger itself
        holds, for a moment or for a hit that is still to be decided, stays held. wire: no wait.
        """
        target, suspension = self._target, self._target.suspension
        target.require_alive()
        target.require_agent("suspending and resuming threads")
        for thread in threads or ():
            self._target.suspension.require_stopped(thread)
        if threads is None:
            if not suspension.user_vm_holds:
                self._release_own()
                return
            suspension.user_vm_holds -= 1
            self._target.suspends[0] -= 1
            target.unsuspend_all()
            target.conn.flush()
            self._released_some()
        for thread in threads or ():
            if suspension.user_holds.get(thread):
                target.submit_op(SuspendOp.THREAD_RESUME, thread)
                target.conn.flush()
                target.suspends[thread] -= 1
                self._released_some()
            else:
                self._unsuspend_thread(thread)

    def _unsuspend_thread(self, thread: int) -> list[Pending[Any]]:
        """Let one thread run, whatever holds it but the debugger itself. wire: no wait."""
        plan = self._target.suspension.plan_unsuspend_thread(thread)
        resumed = [self._target.submit_op(op, each) for op, each in plan]
        self._target.conn.flush()
        self._released(thread)
        return resumed

    def release(self, threads: Sequence[int] | None = None) -> None:
        """Let everything run, or these threads, whatever holds them: for those who get a target running again in spite
        of the debugger (``panic``, the watchdog). wire: no wait."""
        target = self._target
        target.require_alive()
        target.suspension.overrule(threads)
        if threads is None:
            self._submit(target.suspension.plan_run_everything())
            self._released(None)
            return
        for thread in threads:
            self._submit(target.suspension.plan_run_thread(thread))
            self._released(thread)

    def leave(self) -> None:
        """Resume what this client alone has suspended: its stops, and what it has suspended by name. wire: no wait."""
        target, suspension = self._target, self._target.suspension
        if target.clients is None or target.publisher.ending is not None:
            return
        plan: list[tuple[SuspendOp, int]] = []
        stops = target.clients.owned_stops(target)
        own = [stop.thread.id if stop.thread else 0 for stop in stops if stop.policy is SuspendPolicy.ALL]
        own = own[: max(0, suspension.vm_holds - suspension.user_vm_holds - suspension.brief_vm_holds)]
        own += [0] * min(max(0, target.suspends[0]), suspension.user_vm_holds)
        for thread in own:
            target.unsuspend_all(but=thread)
        for stop in stops:
            if stop.thread is not None and stop.policy is not SuspendPolicy.ALL:
                plan += [(SuspendOp.THREAD_RESUME, stop.thread.id)] * suspension.event_holds.get(stop.thread.id, 0)
        if plan:
            self._submit(plan)
        for thread, count in target.suspends.items():
            if thread:
                for _ in range(min(count, suspension.user_holds.get(thread, 0))):
                    target.submit_op(SuspendOp.THREAD_RESUME, thread)
                    plan.append((SuspendOp.THREAD_RESUME, thread))
        target.conn.flush()
        target.suspends.clear()
        if own or plan:
            self._released_some()

    async def pause(self, thread: int | None = None) -> Stopped:
        """Stop the whole VM (or one thread) and publish a Stop that shows a thread worth looking at.

        Cancelled, it leaves running what it was to stop. Raises StateError when that is stopped already. wire: 1 trip
        to hold, 2 or 3 to show.
        """
        target = self._target
        target.require_alive()
        target.require_agent("pausing the program")
        if thread is not None:
            if target.suspension.is_stopped(thread):
                raise StateError("that thread is suspended already", hint=f"'thread {thread}' selects it")
            resumed = target.suspension.resumed(thread)
            await self.suspend([thread])
            with self._undone_if_cancelled(thread, resumed):
                if not await target.ending.standing([thread]):
                    self._undo_pause(thread)
                    raise jdwp_error(Error.INVALID_THREAD)  # it is ending
                return await self._show(thread, SuspendPolicy.THREAD)
        if target.suspension.everything_stopped:
            return await self._pause_step_alone()
        pending = target.submit_op(SuspendOp.VM_SUSPEND)  # a stop, which 'cont' and 'resume' end
        resumed = target.suspension.resumed(0)
        target.was_suspended()
        try:
            await pending.wait()
        except trio.Cancelled:  # it is taken back behind its reply, which comes before that of a later command
            with trio.move_on_after(_UNDO_LIMIT, shield=True), suppress(JdbpyError):
                await target.conn.request(virtual_machine.IDSizes())
            raise
        with self._undone_if_cancelled(0, resumed):
            return await self._show(await self._worth_showing(), SuspendPolicy.ALL)

    async def _pause_step_alone(self) -> Stopped:
        """Stop the thread that is stepped while all others are suspended. Raises StateError if there is none."""
        target = self._target
        stepped = [each for each in Steps.of(target).pending if not target.suspension.is_suspended(each)]
        if not stepped:
            raise StateError("the target is stopped already", hint="'cont' lets it run")
        thread = min(stepped)
        await self._virtual_that_ran([thread])
        pending = target.submit_op(SuspendOp.THREAD_SUSPEND, thread, by_event=True)
        resumed = target.suspension.resumed(thread)
        target.was_suspended()
        await pending.wait()
        try:
            if not await target.ending.standing([thread]):
                self._submit([(SuspendOp.THREAD_RESUME, thread)])
                raise jdwp_error(Error.INVALID_THREAD)  # it is ending
            return await self._show(thread, SuspendPolicy.ALL)
        except trio.Cancelled:
            if target.suspension.resumed(thread) == resumed:
                with suppress(JdbpyError):
                    self._submit([(SuspendOp.THREAD_RESUME, thread)])
            raise

    def undo_pause(self, stop: Stopped) -> None:
        """Resume what a pause suspended if its stop is not delivered, unless it has run since. wire: no wait."""
        thread = stop.thread.id if stop.thread else 0
        if self._target.suspension.still_at(thread, stop.frame):
            self._undo_pause(thread if stop.policy is SuspendPolicy.THREAD else 0)

    @contextmanager
    def _undone_if_cancelled(self, thread: int, resumed: int) -> Iterator[None]:
        """Take back the pause of a thread (0: of everything) whose caller does not get its stop.

        ``resumed`` is the number of the time when it was suspended: it may have been resumed before the reply came.
        """
        try:
            yield
        except trio.Cancelled:
            if self._target.suspension.resumed(thread) == resumed:
                self._undo_pause(thread)
            raise

    def _undo_pause(self, thread: int) -> None:
        if not thread and not self._target.suspension.everything_held:
            return  # one more Resume would take from events of threads that are just coming in
        with suppress(JdbpyError):  # the connection is gone, and with it the pause
            if thread:
                self._target.suspends[thread] -= 1
            self._target.unsuspend(thread)
            self._target.conn.flush()
            self._released_some()

    async def _show(self, thread: int, policy: SuspendPolicy) -> Stopped:
        stop = await self._stops.publish(StopReason.PAUSE, thread, policy, **self._target.mine)
        self._target.publisher.handed_over(stop)
        return stop

    async def interrupt(self, thread: int) -> bool:
        """Thread.interrupt() of the thread (ThreadReference.Interrupt); False if that reaches it only when it runs on.
        wire: 1 trip."""
        self._target.require_alive()
        later = self._target.interrupts_later(thread)
        await self._target.conn.request(thread_reference.Interrupt(ThreadID(ObjectID(thread))))
        return not later

    def _submit(self, plan: list[tuple[SuspendOp, int]], keep: frozenset[int] = frozenset()) -> list[Pending[Any]]:
        """Submit commands; threads in ``keep`` stay suspended for their events."""
        by_event = {*self._target.suspension.event_holds, *keep}
        submitted = [self._target.submit_op(op, thread, by_event=thread in by_event) for op, thread in plan]
        self._target.conn.flush()
        return submitted

    def _prefetch_stop(self, thread: int, resumed: list[Pending[Any]]) -> None:
        if self._target.high_latency and resumed:
            self._target.stops_ahead.expect(thread, resumed[-1])

    def _released_some(self) -> None:
        """``_released`` where threads may still be suspended: their stops stay, those of other clients too."""
        self._forget_stops(self._target.suspension.is_suspended)
        self._unselect(None)

    def _released(self, thread: int | None, keep: frozenset[int] = frozenset()) -> None:
        """Bookkeeping after a release: who waits for a stop gets none that is over; nothing stays selected."""
        self._forget_stops(lambda stopped: stopped in keep or thread not in (None, stopped))
        self._unselect(thread, keep)

    def _forget_stops(self, stands: Callable[[int], bool]) -> None:
        """Drop, for all clients, the stops whose threads (0: everything) have been resumed."""
        self._target.publisher.drop_stops(lambda stop: not stands(stop.thread.id if stop.thread else 0))
        self._waiting.released(lambda thread: not stands(thread))

    def _unselect(self, thread: int | None, keep: frozenset[int] = frozenset()) -> None:
        """Select no thread that runs, and tell the other clients of a release."""
        target = self._target
        selected = target.selection.thread
        if selected is not None and not target.suspension.is_suspended(selected.id):
            self.last_thread = selected.id
            target.selection.clear()
        if target.clients is not None:
            target.clients.resumed(target, thread, keep)

    last_thread = 0
    """The thread that was selected before the last resume: the first choice of the next pause."""

    async def _worth_showing(self) -> int:
        """Return the thread to show at a pause: the one looked at last, else main, else the first with Java frames."""
        left_out = self._target.suspension.own | self._target.frameless
        listed = await self._target.ending.list_threads()
        threads = [each for each in listed if each not in left_out]
        outcomes = await self._target.conn.batch(
            [ask(thread) for ask in (thread_reference.Name, thread_reference.FrameCount) for thread in threads]
        )
        alive = [
            (thread, name.threadName)
            for thread, name, count in zip(threads, outcomes[: len(threads)], outcomes[len(threads) :], strict=True)
            if not isinstance(name, JdwpError) and not isinstance(count, JdwpError) and count.frameCount
        ]
        if any(thread == self.last_thread for thread, _ in alive):
            return self.last_thread
        mains = [thread for thread, name in alive if name == "main"]
        return mains[0] if mains else alive[0][0] if alive else threads[0] if threads else 0

"""The ``execution`` component of a session: everything that lets threads run or holds them, in one place to call.

It only composes ``resuming``, ``stepping`` and ``unwinding``; the ``start_`` forms return when the target has been let
go, the others wait for the next stop or the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import trio

from jdbpy.errors import Disconnected
from jdbpy.session.events.clients import Steps
from jdbpy.session.events.target import Target
from jdbpy.session.execution.resuming import Resuming
from jdbpy.session.execution.stepping import Stepping
from jdbpy.session.execution.stops import StopShower
from jdbpy.session.execution.unwinding import Convert, FramesOf, Unwinding
from jdbpy.session.java import class_names
from jdbpy.session.model.events import Exited, Stopped, StopReason, VMDisconnected
from jdbpy.session.model.options import StepDepth, StepSize
from jdbpy.session.model.vm import VmState


class Execution:
    """Runs and stops the threads of one target."""

    def __init__(self, target: Target, stops: StopShower, frames_of: FramesOf, convert: Convert) -> None:
        self._target = target
        self._resuming = Resuming(target, stops)
        self._stepping = Stepping(target, stops, self._resuming)
        self._unwinding = Unwinding(target, self._stepping, frames_of, convert)
        self._steps = Steps.of(target)
        if self._steps.on_stop not in stops.hooks:
            stops.hooks.append(self._steps.on_stop)
        self.suspend = self._resuming.suspend
        self.unsuspend = self._resuming.unsuspend
        self.release = self._resuming.release
        self.pause = self._resuming.pause
        self.undo_pause = self._resuming.undo_pause
        self.interrupt = self._resuming.interrupt
        self.force_return = self._unwinding.force_return
        self.pop = self._unwinding.pop

    async def resume(self, thread_id: int | None = None) -> tuple[Stopped, ...]:
        """Let the target (or one thread) run and return at once. Raises StateError when nothing is suspended.

        A stop that no subscriber and no waiter has taken yet is not resumed: it is returned, and ``next_stop`` or
        ``cont`` give it at once. An event that is being looked at is waited for.
        """
        self._target.require_agent("waiting for a stop")
        return await self._resume_settled(lambda: True, thread_id)

    async def _resume_settled(self, wanted: Callable[[], bool], thread_id: int | None = None) -> tuple[Stopped, ...]:
        """Resume where that is wanted once the events that have come in are handled. None comes in between."""
        await trio.lowlevel.checkpoint()
        publisher = self._target.publisher
        await publisher.settled()
        if not wanted():
            return ()
        publisher.run_for_subscribers()
        return self._resuming.resume(thread_id)

    async def resume_if_stopped(self) -> tuple[Stopped, ...]:
        """As ``resume``; a target that runs is left alone, as is what only other clients of a session have stopped."""
        self._target.require_agent("waiting for a stop")
        return await self._resume_settled(lambda: self.has_stopped)

    @property
    def has_stopped(self) -> bool:
        """True if something is suspended, and not only for other clients of a shared session."""
        return self._target.state is VmState.STOPPED and self._resuming.has_stopped

    @property
    def has_unshown_stop(self) -> bool:
        """True if the selected thread was selected by default, and its stop was not shown yet. A command shows that
        stop and does not resume the thread. No trip."""
        selection = self._target.selection
        if selection.thread is None or not selection.by_default:
            return False
        return any(
            stop.thread is not None and stop.thread.id == selection.thread.id
            for stop in self._target.publisher.unseen()
        )

    def leave(self) -> None:
        """End the steps of a client that leaves a shared session, and resume what it has suspended. wire: no wait."""
        self._steps.end_of(self._target.client)
        self._resuming.leave()

    def resume_everything(self) -> None:
        """Resume all threads, whatever suspended them, and forget steps: their requests are out. wire: no wait."""
        self._steps.forget()
        self._resuming.release()

    async def cont(self) -> Stopped | Exited:
        """Let the target run and wait for the next stop or its end; one that runs already is only waited for.

        Stops come one by one: one of another thread that came meanwhile is returned by the next call, before anything
        of its thread is resumed, also where a subscriber has shown it.

        A target that turns out to stand at its start (launched, or with suspend=y) is resumed: the start, which has an
        event of its own, is no stop of a run. Raises Disconnected.
        """
        self._target.require_agent("waiting for a stop")
        ending: Stopped | Exited | None = None
        while ending is None or (isinstance(ending, Stopped) and ending.reason is StopReason.START):
            await self._target.publisher.settled()
            self._target.publisher.run_for_waiters()
            if self.has_stopped:
                self._resuming.resume()
            ending = await self.next_stop()
        return ending

    async def start_step(
        self,
        depth: StepDepth = StepDepth.INTO,
        size: StepSize = StepSize.LINE,
        count: int = 1,
        thread_id: int | None = None,
        *,
        alone: bool = False,
    ) -> None:
        """Start a step of the selected thread (or the given one); ``alone``: no other thread runs meanwhile.

        See ``Stepping.start``.
        """
        self._target.require_alive()
        self._target.require_agent("stepping")
        thread = self._target.selection.require_thread().id if thread_id is None else thread_id
        await self._stepping.start(thread, depth, size, count, alone=alone)

    async def step(
        self,
        depth: StepDepth = StepDepth.INTO,
        size: StepSize = StepSize.LINE,
        count: int = 1,
        thread_id: int | None = None,
    ) -> Stopped | Exited:
        """Steps and waits for the stop: the end of the step, or what came before it."""
        self._target.publisher.run_for_waiters()
        await self.start_step(depth, size, count, thread_id)
        return await self.next_stop()

    async def start_until(self, line: int | None = None) -> None:
        """Starts ``until``: to a later line than this, or the given one, of the current frame."""
        self._target.require_alive()
        await self._stepping.start_until(self._target.selection.require_thread().id, line)

    async def until(self, line: int | None = None) -> Stopped | Exited:
        self._target.publisher.run_for_waiters()
        await self.start_until(line)
        return await self.next_stop()

    async def start_reenter(self) -> None:
        """Pops the top frame and enters its method again."""
        await self._unwinding.reenter()

    async def reenter(self) -> Stopped | Exited:
        self._target.publisher.run_for_waiters()
        await self.start_reenter()
        return await self.next_stop()

    async def next_stop(self) -> Stopped | Exited:
        """Return the next stop that was not waited for, or the end of the target. Raises Disconnected."""
        if not self._target.publisher.unseen():
            self._resuming.show_waiting()
        ending = await self._target.publisher.next_stop()
        if isinstance(ending, VMDisconnected):
            raise Disconnected(ending.reason)
        return ending

    @property
    def excludes(self) -> tuple[str, ...]:
        """Class patterns that steps by line do not stop in (one ``*``, at the start or the end)."""
        return self._stepping.patterns

    def is_excluded(self, class_name: str) -> bool:
        """True if steps pass through a class of that name. No trip."""
        return any(class_names.fits_exclude(pattern, class_name) for pattern in self.excludes)

    def set_excludes(self, patterns: Iterable[str] | Sequence[str]) -> None:
        """Replace the patterns. Raises UsageError for one that the target would not understand."""
        self._stepping.patterns = class_names.check_excludes(patterns)

"""From the votes of a composite event to the ``Stop`` that front ends show.

Owns what a stop fetches: the thread's name, its top frame, the place in source, all in one wave when the class is
known and two or three when it is not. It decides nothing: whether to stop was the pump's vote.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jdbpy.errors import JdwpError
from jdbpy.session.concurrency import both, together
from jdbpy.session.events import SourceWindow, Stop, StopReason
from jdbpy.session.model import Frame, SuspendPolicy, ThreadRef
from jdbpy.session.requests import Hit, StopPlan
from jdbpy.session.sources.component import Sources
from jdbpy.session.target import Target
from jdbpy.session.threads.reader import model_frame
from jdbpy.session.types import facts
from jdbpy.session.types.refs import OBSOLETE
from jdbpy.wire import constants, ids
from jdbpy.wire.command import Command
from jdbpy.wire.messages import thread_reference

_PRECEDENCE = (StopReason.BREAKPOINT, StopReason.EXCEPTION, StopReason.MODIFICATION, StopReason.ACCESS)
"""Which reason names a stop that has several: a breakpoint met during a step wins."""

_POLICIES = {
    constants.SuspendPolicy.NONE: SuspendPolicy.NONE,
    constants.SuspendPolicy.EVENT_THREAD: SuspendPolicy.THREAD,
    constants.SuspendPolicy.ALL: SuspendPolicy.ALL,
}


_FACTS_OF_FRAMES = (facts.SIGNATURE, facts.MODIFIERS, facts.SUPERCLASS, facts.INTERFACES, facts.FIELDS)
"""What variables and names in a frame are looked up in, of its class."""


class StopShower:
    """Builds and publishes stops; selects the thread that stopped."""

    def __init__(self, target: Target, sources: Sources) -> None:
        self._target = target
        self._sources = sources
        self._learned: set[tuple[int, int]] = set()  # class and method of places where that was done
        self.hooks: list[Callable[[Stop], None]] = []
        """Called with each stop before it is published; must not wait."""

    async def show(self, votes: list[tuple[Hit, StopPlan]]) -> None:
        """The pump's way in: publishes one Stop for all votes of a composite."""
        reasons = tuple(plan.reason for _, plan in votes)
        votes = sorted(votes, key=lambda vote: (_rank(vote[1].reason), vote[1].extra.get("breakpoint", 0)))
        hit, plan = votes[0]
        extra: dict[str, Any] = {}
        for _, other in reversed(votes):
            extra.update(other.extra)
        numbers = tuple(n for _, other in votes for n in other.extra.get("breakpoints", ()))
        if numbers:
            extra.update(breakpoints=numbers, breakpoint=numbers[0])
        if len(reasons) > 1:
            extra["reasons"] = reasons
        policy = _POLICIES[hit.policy]
        if not hit.thread and policy is SuspendPolicy.THREAD:
            policy = SuspendPolicy.ALL  # the agent suspends everything for an event without a thread
        await self.publish(plan.reason, hit.thread, policy, at=getattr(hit.event, "location", None), **extra)

    async def publish(
        self, reason: StopReason, thread_id: int, policy: SuspendPolicy, *, at: ids.Location | None = None, **extra: Any
    ) -> Stop:
        """Completes and publishes a stop of the given thread (0: none).

        ``at`` is the place an event told: its class is then looked up in the wave that reads the frame.
        wire: 1 trip when the class at the top is known, 2 or 3 when it is new.
        """
        target = self._target
        thread, frame, window = await self._look(thread_id, at) if thread_id else (None, None, None)
        fields: dict[str, Any] = {
            "reason": reason,
            "thread": thread,
            "frame": frame,
            "location": frame.location if frame else None,
            "policy": policy,
            "epoch": target.suspension.epoch_of(thread_id),
            "source": window,
        }
        stop = Stop(**{**fields, **extra})
        if thread is not None:
            target.selection.select(thread)
        target.last_stop = stop
        for hook in self.hooks:
            hook(stop)
        target.publish(stop)
        return stop

    async def _look(
        self, thread_id: int, at: ids.Location | None
    ) -> tuple[ThreadRef, Frame | None, SourceWindow | None]:
        """The thread, its top frame, and the source there, which is looked up meanwhile where the place is known."""
        types = self._target.types
        if at is None or (at.classID, at.methodID) not in self._learned or not types.is_placed([at]):
            (thread, frame), _ = await both(lambda: self._where(thread_id), lambda: self._learn_place(at))
            return thread, frame, await self._sources.window(frame.location) if frame else None
        place = types.location(at)
        if self._sources.has_recent(place):
            thread, frame = await self._where(thread_id)
            return thread, frame, self._sources.recent_window(place) if frame else None
        (thread, frame), window = await both(lambda: self._where(thread_id), lambda: self._sources.window(place))
        return thread, frame, window if frame else None

    async def _where(self, thread_id: int) -> tuple[ThreadRef, Frame | None]:
        target = self._target
        thread = ids.ThreadID(ids.ObjectID(thread_id))
        ask: list[Command[Any]] = [
            thread_reference.Name(thread),
            thread_reference.Frames(thread, 0, 1),
            thread_reference.FrameCount(thread),
        ]
        name, frames, count = await target.conn.batch(ask)
        ref = ThreadRef(thread_id, "" if isinstance(name, JdwpError) else name.threadName)
        if isinstance(frames, JdwpError) or not frames.frames:
            return ref, None
        [top] = frames.frames
        [location] = await target.types.locations([top.location])
        total = None if isinstance(count, JdwpError) else count.frameCount
        return ref, model_frame(1, top, location, ref, target.suspension.epoch_of(thread_id), total)

    async def _learn_place(self, at: ids.Location | None) -> None:
        """Learns the place that an event told, and what looking at variables there begins with.

        wire: 1 trip, beside others; 0 when known.
        """
        if at is None or not at.classID:
            return
        types = self._target.types
        methods = [(at.classID, at.methodID)] if at.methodID != OBSOLETE else []
        await together(
            lambda: types.locations([at]),
            lambda: types.prefetch((facts.VARIABLES, methods), *((fact, [at.classID]) for fact in _FACTS_OF_FRAMES)),
            types.learn_root,
        )
        self._learned.add((at.classID, at.methodID))


def _rank(reason: StopReason) -> int:
    return _PRECEDENCE.index(reason) if reason in _PRECEDENCE else len(_PRECEDENCE)

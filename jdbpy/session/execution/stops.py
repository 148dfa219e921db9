"""From the votes of a composite event to the ``Stop`` that front ends show.

Owns what a stop fetches: the thread's name, its top frame, the place in source, all in one wave when the class is known
and two or three when it is not. It decides nothing: whether to stop was the dispatcher's vote.

Over a slow link it owns also what is asked for as soon as a stop was read (``Looks``). Reading variables takes two
questions: what their objects are, and what is in them. The first is asked unasked, while somebody reads the stop. It
fills memories that never become wrong, and decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import trio

from jdbpy.errors import JdbpyError, JdwpError
from jdbpy.session.concurrency import both
from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.session.model.events import SourceWindow, Stop, StopReason
from jdbpy.session.model.threads import NOT_KNOWN, Frame, ThreadRef
from jdbpy.session.sources.sources import Sources
from jdbpy.session.target.prefetch import StopReads, Top
from jdbpy.session.target.requests import RequestHit, StopPlan
from jdbpy.session.target.target import Target
from jdbpy.session.target.threads import model_frame
from jdbpy.session.values.objects import Objects
from jdbpy.wire import constants, ids

if TYPE_CHECKING:
    from jdbpy.session.target.frames import RawFrameVariables, SlotVariable


PAUSE = 0.003
"""How long after a stop was read, in seconds: what it shows goes first, and whoever goes on at once wants no look."""


class Looks:
    """The looks at the stops of one target, at the last one only: an earlier one that was not begun is left out."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._wanted: tuple[int, int, RawFrameVariables] | None = None  # of a thread, in an epoch
        self._more = trio.lowlevel.ParkingLot()

    def expect(self, thread_id: int, variables: RawFrameVariables) -> None:
        """The top frame of a thread that has stopped holds these. wire: no wait."""
        self._wanted = thread_id, self._target.suspension.epoch_of(thread_id), variables
        self._more.unpark()

    async def run(self) -> None:
        """Looks when there is something to look at, for ever."""
        while True:
            if self._wanted is None:
                await self._more.park()
            await trio.sleep(PAUSE)
            wanted, self._wanted = self._wanted, None
            if wanted is None or self._target.suspension.epoch_of(wanted[0]) != wanted[1]:
                continue
            variables = wanted[2]
            from jdbpy.session.values.objects import prefetch_objects  # not loaded for who only attaches

            reader = Objects.of(self._target).reader
            with suppress(JdbpyError):  # the code that needs it meets it again
                await reader.run(prefetch_objects(reader, [variables.this, *variables.slots.values()]))


_PRECEDENCE = (StopReason.BREAKPOINT, StopReason.EXCEPTION, StopReason.MODIFICATION, StopReason.ACCESS)
"""Which reason names a stop that has several: a breakpoint met during a step wins."""

_POLICIES = {
    constants.JdwpSuspendPolicy.NONE: SuspendPolicy.NONE,
    constants.JdwpSuspendPolicy.EVENT_THREAD: SuspendPolicy.THREAD,
    constants.JdwpSuspendPolicy.ALL: SuspendPolicy.ALL,
}


class StopShower:
    """Builds and publishes stops; selects the thread that stopped."""

    def __init__(self, target: Target, sources: Sources) -> None:
        self._target = target
        self._sources = sources
        self.hooks: list[Callable[[Stop], None]] = []
        """Called with each stop before it is published; must not wait."""
        self.looks = Looks(target)

    async def show(self, votes: list[tuple[RequestHit, StopPlan]]) -> None:
        """The dispatcher's way in: publishes one Stop for all votes of a composite."""
        reasons = tuple(plan.reason for _, plan in votes)
        votes = sorted(votes, key=lambda vote: (_rank(vote[1].reason), vote[1].extra.get("breakpoints", (0,))))
        hit, plan = votes[0]
        extra: dict[str, Any] = {}
        for _, other in reversed(votes):
            extra.update(other.extra)
        numbers = tuple(n for _, other in votes for n in other.extra.get("breakpoints", ()))
        if numbers:
            listed = tuple(number for number in numbers if number > 0)  # the others are those of a front end
            extra.update(breakpoints=numbers, breakpoint=listed[0] if listed else None)
        if len(reasons) > 1:
            extra["reasons"] = reasons
        if "clients" in extra:
            whose = [other.extra.get("clients", ()) for _, other in votes]
            extra["clients"] = () if () in whose else tuple(dict.fromkeys(name for names in whose for name in names))
        policy = _POLICIES[hit.policy]
        if not hit.thread and policy is SuspendPolicy.THREAD:
            policy = SuspendPolicy.ALL  # the agent suspends everything for an event without a thread
        await self.publish(plan.reason, hit.thread, policy, at=getattr(hit.event, "location", None), **extra)

    async def publish(
        self,
        reason: StopReason,
        thread_id: int,
        policy: SuspendPolicy,
        *,
        at: ids.CodeLocation | None = None,
        **extra: Any,
    ) -> Stop:
        """Completes and publishes a stop of the given thread (0: none).

        ``at`` is the place an event told: its class is then looked up in the wave that reads the frame.
        wire: 1 trip when the class at the top is known, 2 or 3 when it is new.
        """
        target = self._target
        thread, frame, window, error = None, None, None, ""
        if thread_id:
            try:
                thread, frame, window, error = await self._look(thread_id, at)
            except JdwpError as refused:  # it stands all the same: nobody would look for it if this were no stop
                error = f"the stop cannot be read: {refused}"
                thread = ThreadRef(thread_id, NOT_KNOWN, error)
        fields: dict[str, Any] = {
            "reason": reason,
            "thread": thread,
            "frame": frame,
            "location": frame.location if frame else None,
            "policy": policy,
            "epoch": target.suspension.epoch_of(thread_id),
            "source": window,
            "error": error or (frame.location.error if frame else ""),
        }
        stop = Stop(**{**fields, **extra})
        if thread is not None:
            target.stops[thread.id] = stop
            target.meet(thread.id)
        if target.clients is not None:
            target.clients.stopped(stop)
        else:
            if thread is not None and not (policy is SuspendPolicy.THREAD and self._works_elsewhere(thread.id)):
                target.selection.select(thread)
            target.last_stop = stop
        for hook in self.hooks:
            hook(stop)
        target.publish(stop)
        return stop

    def _works_elsewhere(self, thread: int) -> bool:
        """True if another thread is selected and still stopped: the user is at work there."""
        selected = self._target.selection.thread
        return selected is not None and selected.id != thread and self._target.suspension.stopped_by_event(selected.id)

    async def _look(
        self, thread_id: int, at: ids.CodeLocation | None
    ) -> tuple[ThreadRef, Frame | None, SourceWindow | None, str]:
        """The thread, its top frame, the source there, which is looked up meanwhile where the place is known, and why
        there is no frame."""
        target = self._target
        where = partial(self._where, thread_id)
        if at is not None and target.high_latency:
            await target.stop_places.settled(at)
            where = partial(self._where_far, thread_id, at)
        if at is None or not target.stop_places.is_learned(at):
            (thread, frame, error), _ = await both(where, lambda: target.stop_places.learn([] if at is None else [at]))
            return thread, frame, await self._sources.window(frame.location) if frame else None, error
        place = target.types.location(at)
        if self._sources.has_recent(place):
            thread, frame, error = await where()
            return thread, frame, self._sources.recent_window(place) if frame else None, error
        (thread, frame, error), window = await both(where, lambda: self._sources.window(place))
        return thread, frame, window if frame else None, error

    async def _where(self, thread_id: int) -> tuple[ThreadRef, Frame | None, str]:
        """The thread and its top frame. wire: 1 trip, class known."""
        return await self._placed(await StopReads(self._target, thread_id).take())

    async def _where_far(self, thread_id: int, at: ids.CodeLocation) -> tuple[ThreadRef, Frame | None, str]:
        """The same over a slow link: the frame's variables, and the classes that they are likely to hold, come with it.

        wire: 1 trip, or what is left of it where the stop was read ahead.
        """
        target = self._target
        variables = target.stop_places.variables(at)
        likely = target.likely.unknown(variable.signature for variable in variables)
        top, _ = await both(lambda: self._read(thread_id, at, variables), lambda: target.likely.look_up(likely))
        return await self._placed(top)

    async def _read(self, thread_id: int, at: ids.CodeLocation, variables: Sequence[SlotVariable]) -> Top:
        """Return what was asked before the event had come in, if that is about this stop; else what is asked now."""
        reads = self._target.stops_ahead.take(thread_id)
        top = await reads.take() if reads is not None else None
        if top is not None and top.frame is not None and top.frame.location == at:
            return top
        begun = trio.current_time()
        top = await StopReads(self._target, thread_id, variables).take()
        self._target.trip_took(trio.current_time() - begun)
        return top

    async def _placed(self, top: Top) -> tuple[ThreadRef, Frame | None, str]:
        """The frame with its place in words; its variables are remembered where they were read. wire: 0 when known."""
        if top.frame is None:
            return top.thread, None, top.error
        target = self._target
        [location] = await target.types.locations([top.frame.location])
        epoch = target.suspension.epoch_of(top.thread.id)
        frame = model_frame(1, top.frame.frameID, location, top.thread, epoch, top.total)
        if top.variables is not None:
            target.frame_memory.keep(frame, top.variables)
            if target.high_latency:
                self.looks.expect(top.thread.id, top.variables)
        return top.thread, frame, ""


def _rank(reason: StopReason) -> int:
    return _PRECEDENCE.index(reason) if reason in _PRECEDENCE else len(_PRECEDENCE)

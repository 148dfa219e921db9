"""From the votes of a composite event to the ``Stopped`` that front ends show.

Owns what a stop fetches: the thread's name, its top frame, the place in source, all in one wave when the class is known
and two or three when it is not. It decides nothing: whether to stop was the dispatcher's vote.

Over a slow link it owns also what is asked for as soon as a stop was read (``StopPrefetch``). Reading variables takes
two questions: what their objects are, and what is in them. The first is asked unasked, while the user reads the stop.
It fills memories that never become wrong, and decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import trio

from jdbpy.errors import JdbpyError, JdwpError
from jdbpy.session.concurrency import both, together
from jdbpy.session.events.prefetch import StopReads, Top
from jdbpy.session.events.requests import RequestHit, StopPlan
from jdbpy.session.events.stop_table import is_only_of
from jdbpy.session.events.suspension import SuspendOp
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import model_frame, wire_thread
from jdbpy.session.execution.waiting import WAITING_FOR, WaitingStops
from jdbpy.session.extension import Extension
from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.session.model.decisions import Decision
from jdbpy.session.model.events import SourceWindow, Stopped, StopReason
from jdbpy.session.model.threads import NOT_KNOWN, FrameInfo, ThreadRef
from jdbpy.session.sources.sources import Sources
from jdbpy.session.values.objects import (
    Objects,
    Prefetching,
    load_descriptions,
    prefetch_classes,
    prefetch_expected,
    prefetch_objects,
)
from jdbpy.session.values.reader import SHAPE_FACTS
from jdbpy.task_groups import open_nursery
from jdbpy.wire import constants, ids
from jdbpy.wire.messages import thread_reference

if TYPE_CHECKING:
    from jdbpy.session.events.frames import RawFrameVariables, SlotVariable


PAUSE = 0.003
"""The seconds between the reads of a stop and the prefetch of its objects: the stop is shown first, and a user who
goes on at once needs no objects."""

MOST_LIKELY = 30
"""Classes that are looked for behind a breakpoint; the target goes through all that are loaded for each."""


class StopPrefetch:
    """The looks at the stops of one target, at the last one only: an earlier one that was not begun is left out, and so
    is one at a stop whose variables are read at once.

    Owns also what is learned behind a breakpoint that was set: the classes that its variables are likely to hold.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self._wanted: tuple[Prefetching, int, RawFrameVariables] | None = None  # of a thread, in an epoch
        self._places: list[ids.CodeLocation] = []  # that were learned
        self._more = trio.lowlevel.ParkingLot()
        self._more_places = trio.lowlevel.ParkingLot()
        self._running = False
        target.stop_places.on_learned = self._learned

    def expect(self, thread_id: int, variables: RawFrameVariables) -> None:
        """The top frame of a thread that has stopped holds these. wire: no wait."""
        look = Prefetching(thread_id)
        self._wanted = look, self._target.suspension.epoch_of(thread_id), variables
        if self._running:
            self._end()
            Objects.of(self._target).prefetching = look
        self._more.unpark()

    async def run(self) -> None:
        """Looks when there is something to look at, for ever."""
        self._running = True
        try:
            async with open_nursery() as nursery:
                nursery.start_soon(self._learn_likely)
                while True:
                    if self._wanted is None:
                        await self._more.park()
                    await trio.sleep(PAUSE)
                    wanted, self._wanted = self._wanted, None
                    if wanted is not None and self._target.suspension.epoch_of(wanted[0].thread) == wanted[1]:
                        await self._look(wanted[0], wanted[2])
                    if self._wanted is None:
                        self._end()
        finally:
            self._running = False
            self._end()

    async def _look(self, look: Prefetching, variables: RawFrameVariables) -> None:
        reader = Objects.of(self._target).reader
        if Objects.of(self._target).prefetching is not look:
            return  # the variables are being read
        look.begun = True
        values = [variables.this, *variables.slots.values()]
        with suppress(JdbpyError):  # the code that needs it meets it again
            await reader.run(prefetch_objects(reader, values))
            self._end()  # who reads the objects meanwhile shares the questions about classes
            await reader.run(prefetch_classes(reader, values))

    def _learned(self, places: Sequence[ids.CodeLocation]) -> None:
        if self._target.high_latency:  # a trip since may have shown that only the handshake was slow
            self._places += places
            self._more_places.unpark()

    async def _learn_likely(self) -> None:
        """Learn what variables at places of breakpoints are likely to hold, so that the first stop there need not."""
        if not self._places:
            await self._more_places.park()
        async with open_nursery() as nursery:
            nursery.start_soon(partial(trio.to_thread.run_sync, load_descriptions, abandon_on_cancel=True))
            await self._learn_more()

    async def _learn_more(self) -> None:
        while True:
            if not self._places:
                await self._more_places.park()
            places, self._places = self._places, []
            declared = [each for place in places for each in self._target.stop_places.declared(place)]
            unknown = self._target.likely.unknown(dict.fromkeys(declared))[:MOST_LIKELY]
            reader = Objects.of(self._target).reader
            with suppress(JdbpyError):  # the code that needs it meets it again
                await self._target.likely.look_up(unknown)
                await reader.run(prefetch_expected(reader, {place.classID for place in places}))

    def _end(self) -> None:
        """Resume those who wait for the questions about objects: these are answered, or not asked."""
        look = Objects.of(self._target).prefetching
        if look is not None:
            Objects.of(self._target).prefetching = None
            look.ended.set()


_PRECEDENCE = (
    StopReason.BREAKPOINT,
    StopReason.TEST_FAILURE,
    StopReason.EXCEPTION,
    StopReason.MODIFICATION,
    StopReason.ACCESS,
)
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
        self.hooks: list[Callable[[Stopped], None]] = []
        """Called with each stop before it is published; must not wait."""
        self.looks = StopPrefetch(target)
        self.waiting = WaitingStops.of(target)
        self.waiting.announce = self._announce

    async def show(self, votes: list[tuple[RequestHit, StopPlan]]) -> None:
        """The dispatcher's way in: publishes one Stop for all votes of a composite, behind the reports of what came
        before it and is kept in the target."""
        with self.waiting.making() as gone:
            for extension in self._target.extensions.of(Extension.before_stop):
                with suppress(JdbpyError):
                    await extension.before_stop()
            if self._target.suspension.overruled:  # somebody has resumed it meanwhile
                for hit, plan in votes:
                    numbers, at = plan.extra.get("breakpoints", ()), getattr(hit.event, "location", None)
                    self._target.decisions.record(numbers, hit.thread, at, Decision.RESUMED)
                return
            await self._show(votes, gone)

    async def _show(self, votes: list[tuple[RequestHit, StopPlan]], gone: set[int]) -> None:
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
        policy = self._suspend(
            hit, everything=any(other.everything for _, other in votes), clients=extra.get("clients", ())
        )
        at = getattr(hit.event, "location", None)
        await self.publish(plan.reason, hit.thread, policy, at=at, before=gone, **extra)

    def _suspend(self, hit: RequestHit, *, everything: bool, clients: Sequence[str]) -> SuspendPolicy:
        """Return what a stop suspends, and suspend that: more or less than its event has, where the stop is to suspend
        everything, or waits for the step of another thread. wire: no wait.

        The count of the event's thread becomes 1, or 2 with everything, as if its event had had that policy.
        """
        policy = _POLICIES[hit.policy]
        if not hit.thread and policy is SuspendPolicy.THREAD:
            return SuspendPolicy.ALL  # the agent suspends everything for an event without a thread
        wanted = SuspendPolicy.ALL if everything and policy is SuspendPolicy.THREAD else policy
        if not hit.thread or policy is SuspendPolicy.NONE:
            return wanted
        if self.waiting.stepping(hit.thread, wanted, clients):
            if policy is SuspendPolicy.ALL:
                self.waiting.hold_alone(hit.thread)
        elif wanted is not policy:
            target = self._target
            with target.conn.corked:
                target.submit_op(SuspendOp.VM_SUSPEND)
                target.suspension.undecided = (hit.thread, True)
                target.submit_op(SuspendOp.THREAD_RESUME, hit.thread, by_event=True)
                target.invocations.let_run()
        return wanted

    async def publish(
        self,
        reason: StopReason,
        thread_id: int,
        policy: SuspendPolicy,
        *,
        at: ids.CodeLocation | None = None,
        before: Set[int] = frozenset(),
        frame_number: int = 1,
        **extra: Any,
    ) -> Stopped:
        """Complete a stop of the given thread (0: none) and publish it.

        ``at`` is the place an event told: its class is then looked up in the wave that reads the frame. ``before`` are
        breakpoints that were removed or changed since it was decided to stop. ``frame_number``: the frame to show and
        to select, from 1.
        wire: 1 trip when the class at the top is known, 2 or 3 when it is new.
        """
        target = self._target
        thread, frame, window, error = None, None, None, ""
        stands = target.suspension.stop_of(thread_id)
        with self.waiting.making() as gone:
            if thread_id:
                try:
                    thread, frame, window, error = await self._look(thread_id, at)
                    if frame is not None and frame_number > 1:
                        frame, window = await self._outer(frame, frame_number)
                except JdwpError as refused:  # it stands all the same: nobody would look for it if this were no stop
                    error = f"the stop cannot be read: {refused.message}"
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
        stop = Stopped(**{**fields, **extra})
        if thread_id and reason is not StopReason.PAUSE and target.suspension.stop_of(thread_id) != stands:
            target.decisions.record(stop.breakpoints, thread_id, at, Decision.RESUMED)
            return stop  # somebody has resumed the thread by name while the stop was read
        if is_only_of(gone | before, stop):
            self.waiting.resume(stop)
            target.decisions.record(stop.breakpoints, thread_id, at, Decision.BREAKPOINT_GONE)
            return stop
        wait = self.waiting.reason(thread_id, policy, stop.clients) if reason is not StopReason.PAUSE else None
        if reason is not StopReason.PAUSE:
            decision = WAITING_FOR[wait] if wait is not None and thread is not None else Decision.SHOWN
            target.decisions.record(stop.breakpoints, thread_id, at, decision)
        if wait is not None and thread is not None:
            target.stops[thread.id] = stop
            target.meet(thread.id)
            self.waiting.wait(stop, wait)
        elif policy is SuspendPolicy.THREAD and target.clients is None and target.suspension.everything_held:
            self._announce(stop.replace(policy=SuspendPolicy.ALL))  # it was stepped or resumed alone
        else:
            self._announce(stop)
        return stop

    def _announce(self, stop: Stopped) -> None:
        """Publish a stop: from now on it can be taken. wire: no wait."""
        target, thread = self._target, stop.thread
        if thread is not None:
            target.stops[thread.id] = stop
            target.meet(thread.id)
            self.waiting.table.show(stop)
            if stop.reason is not StopReason.PAUSE:
                target.decisions.settle(thread.id, Decision.SHOWN)
        if target.clients is not None:
            target.clients.stopped(stop)
        else:
            selection = target.selection
            free = selection.thread is None or (
                selection.by_default and not target.suspension.is_suspended(selection.thread.id)
            )
            if thread is not None and free:
                number = stop.frame.index if stop.frame is not None else 1
                selection.select(thread, number, by_default=True)  # for clients that ask before they take the stop
            target.last_stop = stop
        for hook in self.hooks:
            hook(stop)
        target.publish(stop)
        if stop.frame is not None and target.high_latency and thread is not None:
            variables = target.frame_memory.recall(stop.frame)
            if variables is not None:
                self.looks.expect(thread.id, variables)  # a listener may start the look itself first
        self.waiting.shown()

    async def _look(
        self, thread_id: int, at: ids.CodeLocation | None
    ) -> tuple[ThreadRef, FrameInfo | None, SourceWindow | None, str]:
        """Return the thread, its top frame, the source there, which is looked up meanwhile where the place is known,
        and why there is no frame."""
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

    async def _outer(self, top: FrameInfo, number: int) -> tuple[FrameInfo, SourceWindow | None]:
        """Return the frame of a number in place of the top one, and its source. wire: 1 trip, 2 for a new class."""
        command = thread_reference.Frames(wire_thread(top.thread.id), number - 1, 1)
        [found] = (await self._target.conn.request(command)).frames
        [location] = await self._target.types.locations([found.location])
        total = None if top.height is None else top.height + top.index
        frame = model_frame(number, found.frameID, location, top.thread, top.epoch, total)
        return frame, await self._sources.window(location)

    async def _where(self, thread_id: int) -> tuple[ThreadRef, FrameInfo | None, str]:
        """Return the thread and its top frame. wire: 1 trip, class known."""
        return await self._placed(await StopReads(self._target, thread_id).take())

    async def _where_far(self, thread_id: int, at: ids.CodeLocation) -> tuple[ThreadRef, FrameInfo | None, str]:
        """Return the same over a slow link: the frame's variables, and the classes that they are likely to hold, come
        with it.

        wire: 1 trip, or what is left of it where the stop was read ahead.
        """
        target = self._target
        variables = target.stop_places.variables(at)
        likely = target.likely.unknown(variable.signature for variable in variables)
        top, *_ = await together(
            lambda: self._read(thread_id, at, variables),
            lambda: target.likely.look_up(likely),
            self._learn_strings,
        )
        return await self._placed(top)

    async def _learn_strings(self) -> None:
        """Learn the class of strings, which hardly a frame is without. wire: 1 trip, 0 when known."""
        types = self._target.types
        string = types.known_class("java.lang.String")
        if string is not None:
            await types.facts.prefetch(*((fact, [string.id]) for fact in SHAPE_FACTS))

    async def _read(self, thread_id: int, at: ids.CodeLocation, variables: Sequence[SlotVariable]) -> Top:
        """Return what was asked before the event had come in, if that is about this stop; else what is asked now."""
        reads = self._target.stops_ahead.take(thread_id)
        top = await reads.take() if reads is not None else None
        if top is not None and top.frame is not None and top.frame.location == at:
            return top
        begun = trio.current_time()
        top = await StopReads(self._target, thread_id, variables).take()
        self._target.latency.trip_took(trio.current_time() - begun)
        return top

    async def _placed(self, top: Top) -> tuple[ThreadRef, FrameInfo | None, str]:
        """Return the frame with its place in words; its variables are remembered where they were read. wire: 0 when
        known."""
        if top.frame is None:
            return top.thread, None, top.error
        target = self._target
        [location] = await target.types.locations([top.frame.location])
        epoch = target.suspension.epoch_of(top.thread.id)
        frame = model_frame(1, top.frame.frameID, location, top.thread, epoch, top.total)
        if top.variables is not None:
            target.frame_memory.keep(frame, top.variables)
        return top.thread, frame, ""


def _rank(reason: StopReason) -> int:
    return _PRECEDENCE.index(reason) if reason in _PRECEDENCE else len(_PRECEDENCE)

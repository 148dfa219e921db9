"""Calls observed by breakpoints: at the first instruction, at those that return, and by the exceptions that are thrown.

No entry suspends its thread: its time is when its event comes in. Where values are wanted the thread is suspended at
the end of the call, for as long as it takes to read them; else nowhere. An exception suspends its thread while a call
is under way there, until its frames are read: they tell which calls it ends.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import Any, Protocol

from jdbpy.errors import Disconnected, JdwpError
from jdbpy.session.breakpoints.method_patterns import ObservedMethod
from jdbpy.session.breakpoints.method_places import Exit, FrameSlotReader, constant, find_places
from jdbpy.session.calls.backend import EndedCall, MethodKey, NotRead, OnCalls, ReadCall
from jdbpy.session.calls.pending_calls import OpenCalls, Place, catching_frames
from jdbpy.session.events.requests import (
    RESUME,
    CountingFilter,
    EventRequest,
    RequestHit,
    RequestSpec,
    Verdict,
    Vote,
)
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import wire_thread
from jdbpy.wire import ids
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy
from jdbpy.wire.event_parts import THREAD_AT
from jdbpy.wire.ids import CodeLocation, ObjectID, ReferenceTypeID, ThreadID
from jdbpy.wire.messages import event_request, thread_reference

MOST_UNDER_WAY = 100_000
"""Times of suspended threads that are kept until the dispatcher asks."""


NOTHING_READ: Mapping[Any, ReadCall | NotRead] = MappingProxyType({})


class OpenCall:
    """A call that is under way."""

    __slots__ = ("began", "key", "method")

    def __init__(self, method: ObservedMethod, began: float) -> None:
        self.method = method
        self.key: tuple[int, int] = method.key
        self.began = began


class Look(Protocol):
    """Reads what is wanted of a call at its end."""

    def refusal(self, cost: float | None) -> NotRead | None:
        """Return why nothing of a call is to be read, as far as its time decides it; None if it may be wanted."""

    async def read(
        self,
        method: ObservedMethod,
        thread: int,
        cost: float | None,
        *,
        frame: int,
        returned: ids.TaggedValue | None = None,
        thrown: Any = None,
    ) -> ReadCall | NotRead:
        """Return what is wanted of a call whose thread is suspended, in a frame (0 is the innermost); else why nothing
        is read.
        """


Clock = Callable[[], float]

Step = Callable[[int, float], None]
"""The step at a place, given the thread and the time."""


class BreakpointBackend:
    """Observes methods until it is closed. Without ``look`` nothing is read, and no call suspends its thread."""

    def __init__(
        self,
        target: Target,
        on_calls: OnCalls,
        look: Look | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._target = target
        self._on_calls = on_calls
        self._look = look
        self._clock = clock
        self._open: OpenCalls[OpenCall] = OpenCalls()
        self._slots = FrameSlotReader(target)
        self._methods: dict[tuple[int, int], ObservedMethod] = {}
        self._requests: list[EventRequest] = []
        self._relays: set[EventRequest] = set()
        self._arrived: dict[int, float] = {}  # by thread, when the event came in that suspends it
        self._catches = self._closed = False
        self._size = target.conn.id_sizes.objectIDSize
        self.lacks: list[str] = []

    # -- setting ---------------------------------------------------------------------------------------------------

    async def open(self, methods: Sequence[ObservedMethod]) -> None:
        """Begin with these methods. Raises JdwpError, and takes back what was set. wire: 2 trips."""
        new = [each for each in methods if each.key not in self._methods]
        self._methods.update({each.key: each for each in new})
        try:
            if not self._catches:
                self._catches = True
                await self._set([self._exceptions()])
            await self._set_at(new)
        except BaseException:
            self.drop()
            raise

    def hand_over(self, keys: Collection[MethodKey]) -> None:
        """Observe these methods no more: something else does. Calls of them that are under way are not seen to end.
        wire: no wait."""
        for key in keys:
            self._methods.pop(key, None)
        gone = [each for each in self._requests if (place := each.place) and (place.classID, place.methodID) in keys]
        if not self._methods:  # no exception is of interest any more
            gone, self._catches = self._requests, False
        self._requests = [each for each in self._requests if each not in gone]
        self._target.requests.drop(gone)
        self._open.forget(keys)

    def take_back(self, methods: Sequence[ObservedMethod]) -> None:
        """Observe methods again from the next ``redefined`` on, which sets their breakpoints."""
        self._methods.update({each.key: each for each in methods})

    def clear(self, type_ids: Sequence[ReferenceTypeID]) -> None:
        """Clear the breakpoints in classes whose code is new. wire: no wait."""
        lost = [each for each in self._requests if (place := each.place) and place.classID in type_ids]
        self._requests = [each for each in self._requests if each not in lost]
        self._target.requests.submit_clear(lost)

    async def redefined(self, type_ids: Sequence[ReferenceTypeID]) -> None:
        """Set the breakpoints again in classes whose code is new. wire: 2 trips."""
        again = [each for each in self._methods.values() if each.owner.id in type_ids]
        if not again or self._closed:
            return
        declared = await self._target.types.methods(type_ids)
        known = {method.id for each in type_ids for method in declared.get(each, ())}
        if not self._catches:
            self._catches = True
            await self._set([self._exceptions()])
        await self._set_at([each for each in again if each.method.id in known])

    async def close(self) -> None:
        """Take everything out of the target. wire: 1 trip."""
        with suppress(Disconnected):
            await self._target.conn.gather(self.drop())

    def drop(self) -> list[Any]:
        """Take everything out, without a wait; the replies may be waited for."""
        self._closed = True
        requests, self._requests = self._requests, []
        relays, self._relays = list(self._relays), set()
        return self._target.requests.drop([*requests, *relays])

    async def _set_at(self, methods: Sequence[ObservedMethod]) -> None:
        """Set the breakpoints of methods. wire: 2 trips."""
        async with self._target.code_guard.unchanged():
            await self._set(await self._specs(methods))

    async def _set(self, specs: Sequence[RequestSpec]) -> None:
        submitted = [self._target.requests.submit(spec) for spec in specs]
        self._requests += [request for request, _ in submitted]
        for outcome in await self._target.conn.gather([pending for _, pending in submitted]):
            if isinstance(outcome, JdwpError):
                raise outcome

    async def _specs(self, methods: Sequence[ObservedMethod]) -> list[RequestSpec]:
        """Return the requests for these methods. wire: 1 trip."""
        known = {each.key: each for each in methods}
        found = await find_places(self._target, [(e.owner, e.method) for e in methods], entries=True, exits=True)
        looping = {(owner.id, method.id) for owner, method in found.looping}
        self.lacks += [f"{name} is not observed: it is {why}" for name, why in found.missed if "loops" not in why]
        self.lacks += [
            f"{known[key].name} is not observed: a loop leads to its first instruction, whose rounds look like calls"
            for key in looping
        ]
        exits = [(known[each.place.classID, each.place.methodID], each) for each in found.exits]
        specs = [self._exit(method, each) for method, each in exits if method.key not in looping]
        for place in found.entries:  # last: a call whose begin is seen must be seen to end
            specs.append(self._free(place, partial(self._entered, known[place.classID, place.methodID])))
        return specs

    def _exit(self, method: ObservedMethod, of: Exit) -> RequestSpec:
        if self._look is None:
            return self._free(of.place, partial(self._left, method))
        return RequestSpec(
            EventKind.BREAKPOINT,
            JdwpSuspendPolicy.EVENT_THREAD,
            [event_request.LocationOnly(of.place)],
            partial(self._on_return, method, of),
            counting_filter=CountingFilter(self._note_arrival, deque()),
        )

    def _free(self, place: CodeLocation, step: Step) -> RequestSpec:
        """Return a place that suspends nothing: its step is done where its event comes in."""

        def take(data: bytes) -> bool:
            step(self._thread_in(data), self._clock())
            return True

        def handle(hit: RequestHit) -> Vote:  # it came together with an event of another request
            step(hit.thread, self._clock())
            return RESUME

        return RequestSpec(
            EventKind.BREAKPOINT,
            JdwpSuspendPolicy.NONE,
            [event_request.LocationOnly(place)],
            handle,
            counting_filter=CountingFilter(take, deque()),
            immediate=True,
        )

    def _exceptions(self) -> RequestSpec:
        allowed = self._target.conn.allows(event_request.Set)
        if not allowed:
            self.lacks.append("a call that an exception ends is not told from others: this session may not suspend")
        return RequestSpec(
            EventKind.EXCEPTION,
            JdwpSuspendPolicy.EVENT_THREAD if allowed else JdwpSuspendPolicy.NONE,
            [event_request.ExceptionOnly(ReferenceTypeID(0), True, True)],
            self._on_exception,
            counting_filter=CountingFilter(self._note_arrival, deque()),
        )

    # -- what comes in -----------------------------------------------------------------------------------------------

    def _thread_in(self, data: bytes) -> int:
        return int.from_bytes(data[THREAD_AT : THREAD_AT + self._size], "big")

    def _note_arrival(self, data: bytes) -> bool:
        if len(self._arrived) < MOST_UNDER_WAY:
            self._arrived[self._thread_in(data)] = self._clock()
        return False

    def _entered(self, method: ObservedMethod, thread: int, now: float) -> None:
        self._open.enter(thread, OpenCall(method, now))

    def _left(self, method: ObservedMethod, thread: int, now: float) -> None:
        call = self._open.leave(thread, method.key)
        self._on_calls([EndedCall(method, thread, None if call is None else now - call.began, failed=False)])

    def _on_return(self, method: ObservedMethod, of: Exit, hit: RequestHit) -> Vote:
        now = self._arrived.pop(hit.thread, None) or self._clock()
        call = self._open.leave(hit.thread, method.key)
        cost = None if call is None else now - call.began
        assert self._look is not None
        refused = self._look.refusal(cost)
        if refused is not None:
            self._on_calls([EndedCall(method, hit.thread, cost, failed=False, read=refused)])
            return RESUME
        value = constant(of)
        if value is not None or of.how.slot is not None:
            return self._read(method, hit, cost, of, value)
        kind = EventKind.METHOD_EXIT_WITH_RETURN_VALUE
        modifiers = [
            event_request.ThreadOnly(ThreadID(ObjectID(hit.thread))),
            event_request.ClassOnly(of.place.classID),
            event_request.Count(1),
        ]
        relayed = partial(self._on_relayed, method, cost, of)
        spec = RequestSpec(kind, JdwpSuspendPolicy.EVENT_THREAD, modifiers, relayed)
        with suppress(Disconnected):
            request, _ = self._target.requests.submit(spec)  # the agent carries it out before the Resume
            self._relays.add(request)
        return RESUME

    def _on_relayed(self, method: ObservedMethod, cost: float | None, of: Exit, hit: RequestHit) -> Vote:
        self._target.requests.spent(hit.request)
        self._relays.discard(hit.request)
        if hit.event.location.methodID != of.place.methodID:
            return RESUME
        return self._read(method, hit, cost, of, hit.event.value)

    async def _read(
        self, method: ObservedMethod, hit: RequestHit, cost: float | None, of: Exit, value: ids.TaggedValue | None
    ) -> Verdict:
        assert self._look is not None
        read: ReadCall | NotRead = NotRead.OTHER
        try:
            if value is None:
                value = await self._slots.returned(hit.thread, of)
            read = await self._look.read(method, hit.thread, cost, frame=0, returned=value)
        except JdwpError:
            pass  # its thread was resumed meanwhile: the call is counted
        self._on_calls([EndedCall(method, hit.thread, cost, failed=False, read=read)])
        return RESUME

    # -- exceptions --------------------------------------------------------------------------------------------------

    def _on_exception(self, hit: RequestHit) -> Vote:
        now = self._arrived.pop(hit.thread, None) or self._clock()
        if not self._open.of(hit.thread):
            return RESUME
        place = hit.event.catchLocation
        caught = (place.classID, place.methodID, place.index) if place.classID else None
        if hit.policy is JdwpSuspendPolicy.NONE:
            if caught is None:
                self._end([call for call, _ in self._open.above(hit.thread, (), None)], hit, now)
            return RESUME
        return self._unwind(hit, caught, now)

    async def _unwind(self, hit: RequestHit, caught: Place | None, now: float) -> Verdict:
        """End the calls above the frame that catches an exception. wire: 1 trip, and what reading details takes."""
        try:
            reply = await self._target.conn.request(thread_reference.Frames(wire_thread(hit.thread), 0, -1))
        except JdwpError:
            return RESUME  # the thread was resumed meanwhile
        frames = [(each.location.classID, each.location.methodID, each.location.index) for each in reply.frames]
        catching = catching_frames(frames, caught) if caught is not None else []
        if caught is not None and not catching:
            return RESUME  # the frames do not tell
        above = self._open.above(hit.thread, frames, catching[-1] if catching else None)
        read = await self._read_above(above, hit, now) if self._look is not None else {}
        if len(catching) > 1 and len(self._open.above(hit.thread, frames, catching[0])) != len(above):
            self._ask_at_handler(hit, len(frames), above, read, now)
            return RESUME
        self._end([call for call, _ in above], hit, now, read)
        return RESUME

    async def _read_above(
        self, ended: Sequence[tuple[OpenCall, int | None]], hit: RequestHit, now: float
    ) -> dict[OpenCall, ReadCall | NotRead]:
        assert self._look is not None
        found: dict[OpenCall, ReadCall | NotRead] = {}
        for call, frame in ended:
            cost = now - call.began
            if frame is None:
                continue
            refused = self._look.refusal(cost)
            if refused is not None:
                found[call] = refused
                continue
            with suppress(JdwpError):
                found[call] = await self._look.read(call.method, hit.thread, cost, frame=frame, thrown=hit.event)
        return found

    def _ask_at_handler(
        self,
        hit: RequestHit,
        depth: int,
        above: Sequence[tuple[OpenCall, int | None]],
        read: dict[OpenCall, ReadCall | NotRead],
        now: float,
    ) -> None:
        """Several frames of one method may catch an exception: the depth of the stack at the handler decides which."""

        async def count(at_handler: RequestHit) -> Verdict:
            self._target.requests.spent(at_handler.request)
            self._relays.discard(at_handler.request)
            ended: list[OpenCall] = []
            with suppress(JdwpError):
                reply = await self._target.conn.request(thread_reference.FrameCount(wire_thread(hit.thread)))
                gone = depth - reply.frameCount
                ended = [call for call, frame in above if frame is not None and frame < gone]
                self._end(ended, hit, now, read)
            for call, unused in read.items():
                if isinstance(unused, ReadCall) and call not in ended:
                    unused.release()
            return RESUME

        modifiers = [
            event_request.LocationOnly(hit.event.catchLocation),
            event_request.ThreadOnly(ThreadID(ObjectID(hit.thread))),
            event_request.Count(1),
        ]
        spec = RequestSpec(EventKind.BREAKPOINT, JdwpSuspendPolicy.EVENT_THREAD, modifiers, count)
        with suppress(Disconnected):
            request, _ = self._target.requests.submit(spec)
            self._relays.add(request)

    def _end(
        self,
        ended: Sequence[OpenCall],
        hit: RequestHit,
        now: float,
        read: Mapping[OpenCall, ReadCall | NotRead] = NOTHING_READ,
    ) -> None:
        """Calls of a thread were ended by an exception, the innermost first."""
        self._open.end(hit.thread, ended)
        if ended:
            self._on_calls(
                [
                    EndedCall(
                        each.method,
                        hit.thread,
                        now - each.began,
                        failed=True,
                        read=read.get(each, NotRead.OTHER),
                    )
                    for each in ended
                ]
            )

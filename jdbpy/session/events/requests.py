"""Event requests that are set in the target, and who is asked when one of them fires.

Owns the table request id -> handler. A request is entered while the reply of its ``Set`` is being read, before any
later packet is looked at (``Connection.submit(on_reply=...)``), so that an event always finds its handler. It decides
nothing itself: the dispatcher asks the handlers and counts the votes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

from jdbpy.errors import Disconnected, JdbpyError, JdwpError
from jdbpy.record import Record
from jdbpy.session.model.kinds import REASON_OF_EVENT, StopReason
from jdbpy.wire import event_parts
from jdbpy.wire.connection import Connection
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy
from jdbpy.wire.ids import CodeLocation
from jdbpy.wire.messages import event as wire_event, event_request

if TYPE_CHECKING:
    from jdbpy.session.events.conditions import Condition
    from jdbpy.session.events.hit_rates import HitLoad, Taken


MOST_FORMER = 10_000
"""The most ids that requests have had before they were set anew, and of which events may still be on their way."""

MOST_PLACES = 20_000
"""The most places of breakpoints that are kept in mind after they were cleared."""

REASONS: dict[type, StopReason] = {wire_event.Event.KINDS[kind]: reason for kind, reason in REASON_OF_EVENT.items()}
"""The reason of a stop at each kind of event."""


class RequestHit(Record):
    """One event of a request, as its handler sees it. ``thread`` is 0 for events without one.

    ``go_on`` lets the thread run at once, beside what the handler has submitted; the handler must then vote to go on.
    It is there only where no other request has a say. ``shared``: events of others came with it, which may stop.
    """

    event: Any  # a record of jdbpy.wire.messages.event
    request: EventRequest
    thread: int
    policy: JdwpSuspendPolicy
    go_on: Callable[[], None] | None = None
    shared: bool = False


class CountingFilter(Record):
    """Keeps from the handler those events of a request that only have to be counted.

    ``take`` is shown the bytes of each set that is one event of the request, and returns True for one that needs no
    more; it must not wait or raise. ``taken`` is what it found out about those that it passed on, in their order, with
    the value that a field had, where that is known.
    """

    take: Callable[[bytes], bool]
    taken: deque[tuple[Taken, bytes | None]]


class HitCounter(Record):
    """Takes events that suspend nothing (``RequestTable.let_run``): ``take`` by the bytes of a set with one event, and
    returns True unless they make no sense; ``count`` by the place of one that came with others."""

    take: Callable[[bytes], bool]
    count: Callable[[CodeLocation], None]


class StopPlan(Record):
    """A handler's vote to stop: the reason, and what it knows of the ``Stopped`` to be shown (fields by name).

    ``everything``: all threads are to be suspended, although the event may have suspended its own thread only.
    """

    reason: StopReason
    extra: dict[str, Any]
    everything: bool = False


RESUME = None
"""A handler's vote to go on."""

Verdict = StopPlan | None

Vote = Verdict | Coroutine[Any, Any, Verdict]
"""The result of a handler: its verdict, or a coroutine that comes to one, where it has to ask or to wait.

The coroutine may be closed before it has begun, so none is handed to it as an argument.
"""

Handler = Callable[[RequestHit], Vote]
"""Asked about each hit, in the order of the hits. A set whose only owner returns ``RESUME`` at once is resumed from
where it came in, which costs half of what it costs to wake a task for it. An ``async def`` is a handler as well.

What it does before it returns must be quick: nothing else is received meanwhile.
"""


async def verdict_of(vote: Vote) -> Verdict:
    """Return what a vote comes to, however long that takes. wire: as its handler."""
    return await vote if isinstance(vote, Coroutine) else vote


class Guarded(Protocol):
    """The purpose of a request, as far as its hits can be resumed without the handler: where the condition
    is false.
    """

    number: int
    """The number of its breakpoint."""
    condition: Condition | None
    load: HitLoad
    passes: int
    """Hits whose condition was false."""
    look_after: int
    """After so many of them it is for the handler to find a better way; 0: never."""

    @property
    def suspends_all(self) -> bool:
        """True if a stop for it suspends all threads, whatever the policy of the request."""


class RequestSpec(Record):
    """A request for ``RequestTable.add_many`` to set. Modifiers are tested by the agent in their order: Count goes
    last.
    """

    kind: EventKind
    policy: JdwpSuspendPolicy
    modifiers: Sequence[Any]
    handler: Handler
    guard: Guarded | None = None
    counting_filter: CountingFilter | None = None
    during_calls: bool = False
    """Its events concern the handler also in threads that run methods for the debugger; their verdict is no stop."""
    recounts: bool = False
    """Its Count begins again where the hit came in a thread that ran a method for the debugger: that one is passed."""
    immediate: bool = False
    """It suspends nothing, and its handler is called where its events come in, also where they come with others.

    An event that the agent sends before it answers the request is passed: events of others have been handled since.
    """


class EventRequest:
    """A request that stands in the target; identity is by object. ``id`` is 0 until the agent has answered."""

    __slots__ = (
        "active", "counter", "counting_filter", "dropped", "during_calls", "fired", "guard", "handler", "id",
        "immediate", "kind", "modifiers", "policy", "recounts", "rested_as", "set_as"
    )  # fmt: skip

    def __init__(
        self, kind: EventKind, policy: JdwpSuspendPolicy, handler: Handler, guard: Guarded | None = None
    ) -> None:
        self.kind = kind
        self.policy = policy
        self.handler = handler
        self.guard = guard
        self.modifiers: Sequence[Any] = ()
        self.counting_filter: CountingFilter | None = None
        self.counter: HitCounter | None = None  # takes its events that suspend nothing, when it was ever let run
        self.rested_as = b""  # its key when it was let run last
        self.set_as: JdwpSuspendPolicy | None = None  # while it is being set anew: with which policy
        self.during_calls = False
        self.recounts = False
        self.immediate = False
        self.id = 0
        self.active = False
        self.fired = False  # an event of it has come in
        self.dropped = False  # before the agent has answered: it is cleared as soon as its id is known

    @property
    def key(self) -> bytes:
        """Return the bytes of its kind and id in an event set."""
        return bytes((self.kind,)) + self.id.to_bytes(4, "big", signed=True)

    @property
    def place(self) -> CodeLocation | None:
        """Return the place of a breakpoint; None for a request of another kind."""
        if self.kind is not EventKind.BREAKPOINT:
            return None
        return next((each.loc for each in self.modifiers if isinstance(each, event_request.LocationOnly)), None)

    @property
    def thread(self) -> int:
        """Return the thread to which it is limited; 0 if to none."""
        return next((int(each.thread) for each in self.modifiers if isinstance(each, event_request.ThreadOnly)), 0)

    def misfit(self, event: Any) -> str:
        """Return what the event has that the request cannot bring about; empty for a sound one."""
        kind = type(event).KIND
        if self is AUTOMATIC:
            sound = isinstance(event, wire_event.VMStart | wire_event.Exception)
            return "" if sound else f"{_name(kind)} that was not requested"
        if kind != self.kind:
            return f"{_name(kind)} for a request of {_name(self.kind)}"
        if isinstance(event, wire_event.ClassPrepare):  # it has no thread when the agent's own prepares the class
            return "" if event.typeID else f"{_name(kind)} without a class"
        if isinstance(event, wire_event.ThreadEvent) and not event.thread:
            return f"{_name(kind)} without a thread"
        if isinstance(event, wire_event.LocatableEvent) and not event.location.classID:
            return f"{_name(kind)} without a location"
        if missed := self._misses(event):
            return f"{_name(kind)} with another {missed} than its request has"
        return ""

    def _misses(self, event: Any) -> str:
        """Return the modifier that the event contradicts, empty if none: the event is not of this request.

        Request ids begin anew with each session, and the agent may deliver an event to the next debugger that it had
        taken from its queue for one that was killed.
        """
        for modifier in self.modifiers:
            match modifier:
                case event_request.LocationOnly(loc=wanted) if _place(event.location) != _place(wanted):
                    return "location"
                case event_request.ThreadOnly(thread=wanted) | event_request.Step(thread=wanted):
                    if getattr(event, "thread", wanted) != wanted:
                        return "thread"
                case event_request.FieldOnly(fieldID=wanted) if event.fieldID != wanted:
                    return "field"
        return ""


def _on_automatic(hit: RequestHit) -> Verdict:
    return None if hit.policy == JdwpSuspendPolicy.NONE else StopPlan(StopReason.START, {})


AUTOMATIC = EventRequest(EventKind.VM_START, JdwpSuspendPolicy.ALL, _on_automatic)
"""The owner of events that the agent sends unasked: VMStart, or the exception of ``onthrow``.

See docs/agent.md, "Events that were not requested".
"""


def number_of(request: EventRequest | None) -> int:
    """Return the number of the breakpoint that a request belongs to; 0 if it belongs to none."""
    return request.guard.number if request is not None and request.guard is not None else 0


def _name(kind: int) -> str:
    return EventKind(kind).name


def _place(location: CodeLocation) -> tuple[int, int, int]:
    return location.classID, location.methodID, location.index


def _may_suspend_less(request: EventRequest) -> bool:
    suspends_all = request.policy is JdwpSuspendPolicy.ALL and request.guard is not None and request.guard.suspends_all
    counted = any(isinstance(modifier, event_request.Count | event_request.Step) for modifier in request.modifiers)
    return suspends_all and not counted and request.counting_filter is None


def _passed(data: bytes) -> bool:
    """For the events of a request that was cleared."""
    return True


class RequestTable:
    """The requests of one target, by id. ``before_step`` is called with a thread before a step of it is set."""

    def __init__(self, conn: Connection, before_step: Callable[[int], None] = lambda thread: None) -> None:
        self._conn = conn
        self._by_id: dict[int, EventRequest] = {}
        self._counting_filters: dict[bytes, Callable[[bytes], bool]] = {}  # by the bytes of kind and request
        self._suspend_less: list[EventRequest] = []  # than everything, for a while
        self._cleared: dict[int, int] = {}  # by ids of requests that are no longer: the number of the breakpoint
        self._former: dict[int, EventRequest] = {}  # by ids that they had: events of these may still be on their way
        self.has_immediate = False
        """True if a request was ever set whose handler is called where its events come in."""
        self.has_suspended = False
        """True if a request that suspends threads was ever set: events of it may still be on their way."""
        self._before_step = before_step
        self._steps: dict[int, EventRequest] = {}  # the last one of each thread
        self.has_suspended_anywhere = False
        """True if one of them was bound to no place and no thread's step: for exceptions, fields, methods, classes."""
        self.suspending_places: dict[tuple[int, int, int], None] = {}
        """The places (class, method, index) of breakpoints that suspend threads, cleared ones too, the latest last."""

    async def add(
        self, kind: EventKind, policy: JdwpSuspendPolicy, modifiers: Sequence[Any], handler: Handler
    ) -> EventRequest:
        """Set one request. Raises JdwpError when the agent refuses it. wire: 1 trip."""
        [outcome] = await self.add_many([RequestSpec(kind, policy, modifiers, handler)])
        if isinstance(outcome, JdbpyError):
            raise outcome
        return outcome

    async def add_many(self, specs: Sequence[RequestSpec]) -> list[EventRequest | JdwpError]:
        """Sets many requests at once; an item is the request or the error the agent gave for it. wire: 1 trip."""
        commands = [event_request.Set(spec.kind, spec.policy) for spec in specs] if self._conn.guard else []
        self._conn.require_allowed(*commands)  # all of them or none
        submitted = [self.submit(spec) for spec in specs]
        try:
            outcomes = await self._conn.gather([reply for _, reply in submitted])
        except BaseException:
            with suppress(Disconnected):  # cancelled: the connection takes back those in flight, these were answered
                self.submit_clear([request for request, _ in submitted])
            raise
        return [
            outcome if isinstance(outcome, JdwpError) else request
            for (request, _), outcome in zip(submitted, outcomes, strict=True)
        ]

    def submit(self, spec: RequestSpec) -> tuple[EventRequest, Any]:
        """Submit one Set and return the request with the pending reply; for callers who compose a segment."""
        request = EventRequest(spec.kind, spec.policy, spec.handler, spec.guard)
        request.counting_filter = spec.counting_filter
        request.during_calls = spec.during_calls
        request.recounts = spec.recounts
        request.immediate = spec.immediate
        self.has_immediate = self.has_immediate or spec.immediate
        request.modifiers = spec.modifiers

        if spec.kind == EventKind.SINGLE_STEP:
            self._note_step(request)

        def registered(outcome: Any) -> None:
            request.dropped = request.dropped or isinstance(outcome, JdbpyError)
            if not isinstance(outcome, JdbpyError):
                request.id = outcome.requestID
                if request.dropped:
                    with suppress(Disconnected):
                        self._conn.submit(event_request.Clear(request.kind, request.id))
                    return
                request.active = True
                self._by_id[request.id] = request
                if request.counting_filter is not None:
                    self._counting_filters[request.key] = request.counting_filter.take
                if request.modifiers is not spec.modifiers:  # ``change`` came first
                    with suppress(Disconnected):
                        self._set_anew(request, request.policy)

        if spec.policy is not JdwpSuspendPolicy.NONE:
            self.has_suspended = True
            if spec.kind == EventKind.BREAKPOINT:
                self._note_place(request)
            elif spec.kind != EventKind.SINGLE_STEP:
                self.has_suspended_anywhere = True
        command = event_request.Set(spec.kind, spec.policy, list(spec.modifiers))
        return request, self._conn.submit(command, on_reply=registered)

    def _note_step(self, request: EventRequest) -> None:
        for modifier in request.modifiers:
            if isinstance(modifier, event_request.Step):
                self._before_step(modifier.thread)
                self._steps[modifier.thread] = request

    def _note_place(self, request: EventRequest) -> None:
        for modifier in request.modifiers:
            if isinstance(modifier, event_request.LocationOnly):
                self.suspending_places[_place(modifier.loc)] = None
        if len(self.suspending_places) > MOST_PLACES:
            del self.suspending_places[next(iter(self.suspending_places))]

    def stepped_threads(self) -> set[int]:
        """Return the threads whose last step has not ended, or was cleared: its event may be on its way."""
        return {thread for thread, request in self._steps.items() if not request.fired}

    def is_stepped(self, thread: int) -> bool:
        """True if a step of the thread is set, or about to be."""
        request = self._steps.get(thread)
        return request is not None and (request.active or not (request.id or request.dropped))

    @property
    def policy_of_watching(self) -> JdwpSuspendPolicy:
        """Return the policy of requests of the debugger's own: the thread waits, unless this session may not suspend
        it."""
        allowed = self._conn.allows(event_request.Set)
        return JdwpSuspendPolicy.EVENT_THREAD if allowed else JdwpSuspendPolicy.NONE

    def suspend_less(self) -> None:
        """Make the requests whose hits suspend everything suspend their thread only, until ``suspend_again``: a stop
        at one of them suspends the rest then.

        Those that the agent counts stay as they are, or it would count anew. wire: no wait.
        """
        if self._suspend_less:
            return
        self._suspend_less = [each for each in self._by_id.values() if _may_suspend_less(each)]
        for request in self._suspend_less:
            self._set_anew(request, JdwpSuspendPolicy.EVENT_THREAD)

    def suspend_again(self) -> None:
        """Take back ``suspend_less``. wire: no wait."""
        changed, self._suspend_less = self._suspend_less, []
        for request in changed:
            if request.active:
                self._set_anew(request, JdwpSuspendPolicy.ALL)

    def count_again(self, request: EventRequest) -> None:
        """Set a request whose Count has run out, at a hit that is passed. wire: no wait."""
        if request.active:
            self._set_anew(request, request.policy)

    def change(self, request: EventRequest, modifiers: Sequence[Any]) -> None:
        """Have a request report other events of its kind from now on; what both sets report is reported all along.

        wire: no wait.
        """
        request.modifiers = modifiers
        if request.active:
            self._set_anew(request, request.policy)

    def let_run(self, request: EventRequest, counter: HitCounter) -> None:
        """Have the hits of a request suspend nothing and go to ``counter``, until ``restore_policy``. wire: no wait.

        No hit is missed or counts twice (docs/speed.md, "Points that rest").
        """
        if request.active and request.policy is JdwpSuspendPolicy.EVENT_THREAD:
            if request.rested_as != request.key:
                self._counting_filters.pop(request.rested_as, None)  # of the last time: what is late goes another way
            request.counter = counter
            self._set_anew(request, JdwpSuspendPolicy.NONE)

    def restore_policy(self, request: EventRequest) -> None:
        """Take back ``let_run``. Hits that are on their way still go to ``counter``. wire: no wait."""
        if request.active and request.policy is JdwpSuspendPolicy.NONE and request.counter is not None:
            self._set_anew(request, JdwpSuspendPolicy.EVENT_THREAD)

    def _set_anew(self, request: EventRequest, policy: JdwpSuspendPolicy) -> None:
        """Set a request with another policy, then clear the one that stands; it keeps its object.

        While it is being set anew it waits for its new id, so that events always find it.
        """
        request.policy = policy
        if request.set_as is not None:
            return
        kind, before, modifiers = request.kind, request.id, request.modifiers
        request.set_as = policy

        def registered(outcome: Any) -> None:
            request.set_as = None
            if isinstance(outcome, JdbpyError):
                return
            if request.active:
                self._by_id.pop(before, None)
                self._former[before] = request
                if len(self._former) > MOST_FORMER:
                    del self._former[next(iter(self._former))]
                self._by_id[outcome.requestID] = request
                request.id = outcome.requestID
                if policy is JdwpSuspendPolicy.NONE and request.counter is not None:
                    request.rested_as = request.key
                    self._counting_filters[request.key] = request.counter.take
                if request.policy is not policy or request.modifiers is not modifiers:
                    with suppress(Disconnected):
                        self._set_anew(request, request.policy)
            else:  # it was removed meanwhile
                with suppress(Disconnected):
                    self._conn.submit(event_request.Clear(kind, outcome.requestID))

        self._conn.submit(event_request.Set(kind, policy, list(modifiers)), on_reply=registered)
        self._conn.submit(event_request.Clear(kind, before))

    def submit_clear(self, requests: Iterable[EventRequest]) -> list[Any]:
        """Submit the Clear of each request and forget them at once: events still under way are resumed.

        One that the agent has not answered yet is cleared when it has.
        """
        pending = []
        for request in requests:
            request.dropped = not request.id
            if request.active:
                self.spent(request)
                pending.append(self._conn.submit(event_request.Clear(request.kind, request.id)))
        return pending

    def drop(self, requests: Iterable[EventRequest]) -> list[Any]:
        """``submit_clear`` for an end that must not fail: where the connection is gone there is nothing to clear."""
        with suppress(Disconnected):
            return self.submit_clear(requests)
        return []

    async def remove(self, requests: Iterable[EventRequest]) -> None:
        """Clears requests. An event that was already on its way finds no handler and is passed. wire: 1 trip."""
        await self._conn.gather(self.submit_clear(requests))

    def spent(self, request: EventRequest) -> None:
        """The agent has dropped the request itself: its Count has run out."""
        request.active = False
        if self._by_id.pop(request.id, None) is not None:
            self._cleared[request.id] = number_of(request)
            if len(self._cleared) > MOST_FORMER:
                del self._cleared[next(iter(self._cleared))]
        if request.rested_as:
            self._counting_filters[request.rested_as] = _passed
        if request.counting_filter is None or not request.id:
            return
        if request.policy is JdwpSuspendPolicy.NONE:  # of a flood, much may still be on its way
            self._counting_filters[request.key] = _passed
        else:  # what is on its way suspends a thread, which the dispatcher resumes
            self._counting_filters.pop(request.key, None)

    def count_only(self, data: bytes) -> bool:
        """True if an event set that has just come in, by its bytes, needs nothing more: its counting filter has kept
        it.
        """
        take = self._counting_filters.get(data[event_parts.KIND_AND_REQUEST])
        return take is not None and data[event_parts.COUNT] == event_parts.ONE and take(data)

    def find(self, request_id: int) -> EventRequest | None:
        """Return the active request of an event's id, or None when it was cleared meanwhile or never was ours."""
        found = self._by_id.get(request_id)
        if found is None and request_id in self._former:
            found = self._former[request_id]
        if found is None or not found.active:
            return None
        found.fired = True
        return found

    def cleared(self, request_id: int) -> int | None:
        """Return the number of the breakpoint whose request had that id and was cleared, 0 for one of no breakpoint;
        None if none had it."""
        former = self._former.get(request_id)
        return self._cleared.get(request_id) if former is None else number_of(former)

    def all_active(self) -> list[EventRequest]:
        return list(self._by_id.values())

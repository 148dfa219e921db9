"""A point that is made of event requests: what all kinds but breakpoints have in common.

Owns the requests of one point and the way from their events to the rule of a hit. A kind says which events it wants
(``_set_up``), which of them it means (``concerns``), and what there is to tell of one (``details``, ``told``).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any

from jdbpy.errors import JdwpError, StateError
from jdbpy.record import Record
from jdbpy.session import events, model
from jdbpy.session.points import filters
from jdbpy.session.points.component import Points
from jdbpy.session.points.options import PointOptions
from jdbpy.session.points.point import Point
from jdbpy.session.requests import GO, EventRequest, Hit, RequestSpec, Verdict, Vote, verdict_of
from jdbpy.session.target import Target
from jdbpy.wire.constants import Error, EventKind
from jdbpy.wire.ids import ReferenceTypeID
from jdbpy.wire.messages import event, event_request
from jdbpy.wire.pending import Pending

Concerned = bool | Coroutine[Any, Any, bool]

_NO_TYPE = ReferenceTypeID(0)

OnHit = Callable[[Point, events.StopReason, Hit], Vote]

_REASONS: dict[type, events.StopReason] = {
    event.Exception: events.StopReason.EXCEPTION,
    event.FieldAccess: events.StopReason.ACCESS,
    event.FieldModification: events.StopReason.MODIFICATION,
    event.MethodEntry: events.StopReason.METHOD_ENTRY,
    event.MethodExit: events.StopReason.METHOD_EXIT,
    event.MethodExitWithReturnValue: events.StopReason.METHOD_EXIT,
    event.MonitorContendedEnter: events.StopReason.MONITOR,
    event.MonitorContendedEntered: events.StopReason.MONITOR,
    event.MonitorWait: events.StopReason.MONITOR,
    event.MonitorWaited: events.StopReason.MONITOR,
    event.ClassPrepare: events.StopReason.CLASS_PREPARE,
    event.ClassUnload: events.StopReason.CLASS_UNLOAD,
    event.ThreadStart: events.StopReason.THREAD_START,
    event.ThreadDeath: events.StopReason.THREAD_DEATH,
    event.VMDeath: events.StopReason.VM_DEATH,
}


class Basis(Record):
    """What a point of any kind is made of, beside its subject; ``on_hit`` is the rule of a hit."""

    number: int
    policy: model.SuspendPolicy
    options: PointOptions
    target: Target
    on_hit: OnHit


class EventPoint(Point):
    """``spec`` is the subject as a command would have it; ``what`` are its events in words, for messages."""

    what = "such events"
    allowed = filters.EVERY
    only_method = 0
    """The id of the method whose events are meant, 0 for all."""

    def __init__(self, basis: Basis) -> None:
        super().__init__(basis.number, basis.policy, basis.options)
        self.requests: list[EventRequest] = []
        self._target = basis.target
        self._on_hit = basis.on_hit

    @property
    @abstractmethod
    def spec(self) -> str:
        """The subject as a command would have it."""

    @abstractmethod
    async def _set_up(self) -> None:
        """Sets the requests that are needed now."""

    def concerns(self, hit: Hit) -> Concerned:
        """Whether the point means this event of one of its requests: at once, where the event itself tells."""
        return True

    @property
    def shown_spec(self) -> str:
        return self.spec

    def require_fitting(self, options: PointOptions) -> None:
        filters.require_fitting(options, self.allowed, self.what)

    async def arm(self) -> None:
        try:
            await self._set_up()
        except BaseException:
            self.disarm()
            raise

    def disarm(self) -> list[Pending[Any]]:
        requests, self.requests, self.counting = self.requests, [], 0
        return self._target.requests.drop(requests)

    async def _request(self, wanted: Sequence[tuple[EventKind, Sequence[Any]]]) -> None:
        """Sets requests for kinds of events with the modifiers of their subjects, and with the filters of the point.

        Count comes last, since the agent tests modifiers in their order. Raises the error of the first that the agent
        refuses. wire: 1 trip.
        """
        self.counting = count = self.agent_count
        specs = [
            RequestSpec(
                kind,
                self.wire_policy,
                [*subject, *share.modifiers, *([event_request.Count(count)] if count else ())],
                partial(self._on_event, share.earlier),
                self,
                None if share.earlier else self.sieve(kind, self.only_method),
            )
            for kind, subject in wanted
            for share in await filters.shares(self._target.types, self.options)
        ]
        submitted = [self._target.requests.submit(spec) for spec in specs]
        self.requests += [request for request, _ in submitted]
        for outcome in await self._target.conn.gather([pending for _, pending in submitted]):
            if isinstance(outcome, JdwpError):
                if outcome.number == Error.NOT_IMPLEMENTED:
                    raise StateError(f"this JVM does not report {self.what}", code="NOT_IMPLEMENTED")
                raise outcome

    def _announce(self, *, resolved: bool) -> None:
        """Publishes what came of a class that was waited for: nothing, when the point stood already."""
        data = (("breakpoint", self.number), ("spec", self.spec))
        if resolved:
            text = f"{self.noun} {self.number} is set for {self.spec}"
            self._target.publish(events.Notice("breakpoint-resolved", text, data))
        elif not self.requests:
            text = f"{self.noun} {self.number} cannot be set: {self.message}"
            self._target.publish(events.Notice("breakpoint-failed", text, data))

    def _on_event(self, earlier: tuple[str, ...], hit: Hit) -> Vote:
        concerned = self.concerns(hit)
        if concerned is False:
            return GO
        if earlier or not isinstance(concerned, bool):
            return self._ask(earlier, concerned, hit)
        return self._on_hit(self, _REASONS[type(hit.event)], hit)

    async def _ask(self, earlier: tuple[str, ...], concerned: Concerned, hit: Hit) -> Verdict:
        """The verdict on an event that may be none of the point's, or also be reported by another of its requests."""
        happened = hit.event
        place = getattr(happened, "location", None)
        type_id = happened.typeID if isinstance(happened, event.ClassPrepare) else place.classID if place else _NO_TYPE
        if not isinstance(concerned, bool):
            concerned = await concerned
        if not concerned or await filters.fits_any(self._target.types, earlier, type_id):
            return GO
        return await verdict_of(self._on_hit(self, _REASONS[type(hit.event)], hit))


async def set_point(
    points: Points, target: Target, kind: Callable[..., EventPoint], options: PointOptions, **subject: Any
) -> model.Breakpoint:
    """Sets a point of a kind for a subject. Raises as ``Points.add``."""

    def make(number: int, policy: model.SuspendPolicy) -> EventPoint:
        return kind(Basis(number, policy, options, target, points.hit), **subject)

    return await points.add(make, options)


def count_for_agent(point: EventPoint) -> int:
    """The Count modifier for a point that is one request, whose every event is a hit, if only one hit is wanted."""
    return point.only_hit if point.only_hit > 1 and len(point.options.classes) <= 1 else 0

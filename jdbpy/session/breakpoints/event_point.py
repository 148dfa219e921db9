"""A point that is made of event requests: what all kinds but breakpoints at lines have in common.

Owns the requests of one point and the way from their events to the rule of a hit. A kind says which events it wants
(``_set_up``), which of them it means (``concerns``), and what there is to tell of one (``details``, ``told``).

Filters are what the events are limited to, as modifiers of requests: the agent passes over all others itself. Modifiers
of one request must all hold, so a point that is for several class patterns has a request for each. An event that fits
more than one of them would be reported by each; ``Share.earlier`` tells whose it is.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from jdbpy.errors import JdwpError, StateError, UsageError
from jdbpy.record import Record
from jdbpy.session.breakpoints.breakpoint_base import BreakpointBase, CountedPlace
from jdbpy.session.breakpoints.breakpoint_table import BreakpointTable
from jdbpy.session.events.requests import (
    REASONS,
    RESUME,
    EventRequest,
    RequestHit,
    RequestSpec,
    Verdict,
    Vote,
    verdict_of,
)
from jdbpy.session.events.target import Target
from jdbpy.session.java.class_names import check_excludes, fits_exclude, parse_class_name
from jdbpy.session.jvm.types import TypeCache
from jdbpy.session.model import events
from jdbpy.session.model.breakpoints import OPTIONS, BreakpointInfo, PointOptions
from jdbpy.session.model.decisions import Decision
from jdbpy.wire.constants import Error, EventKind
from jdbpy.wire.ids import ObjectID, ReferenceTypeID, ThreadID
from jdbpy.wire.messages import event, event_request
from jdbpy.wire.pending import Pending

THREAD = frozenset(("thread",))
CLASSES = frozenset(("classes", "excludes"))
CONDITION = frozenset(("condition", "callers"))
EVERY = frozenset(option.field for option in OPTIONS if option.refused) - {"woven"}
"""All that events can be limited to; what is woven into classes are breakpoints in their code."""


class Share(Record):
    """The modifiers of one request of a point, and the class patterns whose events an earlier request reports."""

    modifiers: tuple[Any, ...]
    earlier: tuple[str, ...] = ()


def require_fitting(options: PointOptions, allowed: frozenset[str], what: str) -> None:
    """Raises UsageError for a filter that the agent does not know for such events (``eventFilter.c``)."""
    for option in OPTIONS:
        if option.refused and option.field not in allowed and option.is_given(options):
            raise UsageError(f"{what} cannot be {option.refused}")


async def shares(types: TypeCache, options: PointOptions) -> list[Share]:
    """Return the requests that the filters make, at least one. Raises UsageError. wire: 1 trip for ``Order+``, else
    none."""
    common: list[Any] = []
    if options.thread is not None:
        common.append(event_request.ThreadOnly(ThreadID(ObjectID(options.thread))))
    if options.instance is not None:
        common.append(event_request.InstanceOnly(ObjectID(options.instance)))
    common += [event_request.ClassExclude(pattern) for pattern in check_excludes(options.excludes)]
    if not options.classes:
        return [Share(tuple(common))]
    own = [modifier for pattern in options.classes for modifier in await _class_modifiers(types, pattern)]
    return [
        Share((*common, modifier), tuple(pattern for pattern, _ in own[:index]))
        for index, (_, modifier) in enumerate(own)
    ]


async def fits_any(types: TypeCache, patterns: tuple[str, ...], type_id: ReferenceTypeID) -> bool:
    """True if a class fits one of the patterns. wire: 1 trip for a new class, and 1 a superclass for ``Order+``."""
    if not patterns or not type_id:
        return False
    known = (await types.info([type_id])).get(type_id)
    if known is None:
        return False
    names = {known.name}
    above = {each.name for each in await types.ancestors(type_id)} if any(map(_with_subclasses, patterns)) else set()
    return any(
        pattern[:-1] in names | above if _with_subclasses(pattern) else fits_exclude(pattern, known.name)
        for pattern in patterns
    )


async def _class_modifiers(types: TypeCache, pattern: str) -> list[tuple[str, Any]]:
    if not _with_subclasses(pattern):
        [checked] = check_excludes([pattern])
        return [(checked, event_request.ClassMatch(checked))]
    name = parse_class_name(pattern[:-1])
    await types.all_classes()
    chosen = name.choose(each.name for each in types.all_known() if not each.is_array)
    found = [each for each in types.all_known() if each.name in chosen]
    if name.is_pattern or not found:
        raise UsageError(
            f"no class {name.text} is loaded, whose subclasses could be found",
            hint="a pattern like com.acme.* may be for classes that are loaded later",
            code="NO_SUCH_CLASS",
        )
    return [(f"{each.name}+", event_request.ClassOnly(each.id)) for each in found]


def _with_subclasses(pattern: str) -> bool:
    return pattern.endswith("+")


Concerned = bool | Callable[[], Awaitable[bool]]
"""True if a point means an event; or a function that finds out, where the target has to be asked."""

_NO_TYPE = ReferenceTypeID(0)

OnHit = Callable[[BreakpointBase, events.StopReason, RequestHit], Vote]


class Basis(Record):
    """The parts of a point of any kind, beside its subject; ``on_hit`` is the rule of a hit."""

    number: int
    options: PointOptions
    target: Target
    on_hit: OnHit


class EventBreakpoint(BreakpointBase):
    """``spec`` is the subject as a command would have it; ``what`` are its events in words, for messages."""

    what = "such events"
    allowed = EVERY
    only_method = 0
    """The id of the method whose events are meant, 0 for all."""

    def __init__(self, basis: Basis) -> None:
        super().__init__(basis.number, basis.options)
        self.requests: list[EventRequest] = []
        self._target = basis.target
        self._on_hit = basis.on_hit

    @property
    @abstractmethod
    def spec(self) -> str:
        """Return the subject as a command would have it."""

    @abstractmethod
    async def _set_up(self) -> None:
        """Set the requests that are needed now."""

    def concerns(self, hit: RequestHit) -> Concerned:
        """True if the point means this event of one of its requests: at once, where the event itself shows it."""
        return True

    @property
    def shown_spec(self) -> str:
        return self.spec

    @property
    def is_armed(self) -> bool:
        return bool(self.requests)

    def require_fitting(self, options: PointOptions) -> None:
        require_fitting(options, self.allowed, self.what)

    async def arm(self) -> None:
        try:
            await self._set_up()
        except BaseException:
            self.disarm()
            raise

    def disarm(self) -> list[Pending[Any]]:
        requests, self.requests, self.counting = self.requests, [], 0
        return self._target.requests.drop(requests)

    async def counted_place(self, kind: EventKind, method: tuple[int, int]) -> CountedPlace | None:
        found = [request for request in self.requests if request.kind is kind]
        return CountedPlace(kind, found[0].modifiers, kind) if len(found) == 1 else None

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
                None if share.earlier else self.counting_filter(kind, self.only_method),
            )
            for kind, subject in wanted
            for share in await shares(self._target.types, self.options)
        ]
        submitted = [self._target.requests.submit(spec) for spec in specs]
        self.requests += [request for request, _ in submitted]
        for outcome in await self._target.conn.gather([pending for _, pending in submitted]):
            if isinstance(outcome, JdwpError):
                if outcome.number == Error.NOT_IMPLEMENTED:
                    raise StateError(f"this JVM does not report {self.what}", code="NOT_IMPLEMENTED")
                raise outcome

    def _announce(self, *, resolved: bool, remark: str = "") -> None:
        """Publish what came of a class that was waited for: nothing, when the point stood already."""
        data = (("breakpoint", self.number), ("spec", self.spec))
        if resolved:
            text = f"{self.noun} {self.number} is set for {self.spec}{remark}"
            self._target.publish(events.Notice("breakpoint-resolved", text, data))
        elif not self.requests:
            text = f"{self.noun} {self.number} cannot be set: {self.message}"
            self._target.publish(events.Notice("breakpoint-failed", text, data))

    def _on_event(self, earlier: tuple[str, ...], hit: RequestHit) -> Vote:
        concerned = self.concerns(hit)
        if concerned is False:
            return self._not_meant(hit)
        if earlier or not isinstance(concerned, bool):
            return self._ask(earlier, concerned, hit)
        return self._on_hit(self, REASONS[type(hit.event)], hit)

    def _not_meant(self, hit: RequestHit) -> Verdict:
        """Record that the point does not mean an event, and return the vote to go on. wire: no wait."""
        self._target.decisions.count(self.number, Decision.NOT_MEANT)
        return RESUME

    async def _ask(self, earlier: tuple[str, ...], concerned: Concerned, hit: RequestHit) -> Verdict:
        """Return the verdict on an event that may be none of the point's, or also be reported by another of its
        requests."""
        happened = hit.event
        place = getattr(happened, "location", None)
        type_id = happened.typeID if isinstance(happened, event.ClassPrepare) else place.classID if place else _NO_TYPE
        if not isinstance(concerned, bool):
            concerned = await concerned()
        if not concerned or await fits_any(self._target.types, earlier, type_id):
            return self._not_meant(hit)
        return await verdict_of(self._on_hit(self, REASONS[type(hit.event)], hit))


async def set_point(
    points: BreakpointTable, target: Target, kind: Callable[..., EventBreakpoint], options: PointOptions, **subject: Any
) -> BreakpointInfo:
    """Set a point of a kind for a subject. Raises as ``BreakpointTable.add``."""

    def make(number: int, options: PointOptions) -> EventBreakpoint:
        return kind(Basis(number, options, target, points.rule.hit), **subject)

    return await points.add(make, options)


def count_for_agent(point: EventBreakpoint) -> int:
    """Return the Count modifier for a point that is one request, whose every event is a hit, if only one hit is
    wanted."""
    return point.only_hit if point.only_hit > 1 and len(point.options.classes) <= 1 else 0

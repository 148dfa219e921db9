"""One point as the user sees it: a number, a subject, and what a hit does.

Owns the state that all kinds have: hit counts with an operator (``-hit >= 10``), conditions that cannot be evaluated
(the first failure stops and says why, its likes pass and are counted). What a kind asks of the target stands in its own
module; when a hit counts is decided by ``hit_rule``.
"""

from __future__ import annotations

import operator
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Protocol

import trio

from jdbpy.errors import EvalError, UsageError
from jdbpy.record import Record
from jdbpy.session.breakpoints.callers import Callers
from jdbpy.session.breakpoints.hit_statistics import HitStatistics, carried
from jdbpy.session.events.conditions import NOTHING, Condition, Given, LogText
from jdbpy.session.events.hit_rates import HitLoad, RateLimiter
from jdbpy.session.events.requests import CountingFilter, EventRequest, RequestHit
from jdbpy.session.model.breakpoints import BreakpointInfo, PointOptions, Reporting, SuspendPolicy, listed
from jdbpy.session.model.kinds import KINDS
from jdbpy.session.model.threads import Location
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy
from jdbpy.wire.ids import ReferenceTypeID
from jdbpy.wire.pending import Pending

_SYNTAX = re.compile(r"\s*(==|=|!=|>=|<=|>|<|%)?\s*(\d+)\s*")
_ADMITS: Mapping[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "%": lambda hits, number: hits % number == 0,
}


class HitCount(Record):
    """The hits that count: those whose number, from 1, stands in this relation to ``number``; ``%`` is every nth."""

    op: str
    number: int

    def admits(self, hits: int) -> bool:
        """True if the hit of that number is let through."""
        return _ADMITS[self.op](hits, self.number)

    def following(self, hits: int) -> int | None:
        """Return the number of the first hit after so many that is let through; None when there is none any more."""
        match self.op:
            case "%":
                return (hits // self.number + 1) * self.number
            case "==" | ">=" | ">":
                return max(self.number + (self.op == ">"), hits + 1) if not self.is_over(hits) else None
        return next((each for each in (hits + 1, hits + 2) if self.admits(each)), None)

    def is_over(self, hits: int) -> bool:
        """True if no later hit can be let through: the point is then taken out of the target."""
        last = {"==": self.number, "<=": self.number, "<": self.number - 1}.get(self.op)
        return last is not None and hits >= last

    def __str__(self) -> str:
        return f"{self.op} {self.number}"


def parse_hit_count(text: str) -> HitCount:
    """Return the hit count that a text spells; a bare number means that hit alone. Raises UsageError."""
    match = _SYNTAX.fullmatch(text)
    if match is None:
        raise UsageError(
            f"'{text}' is not a hit count", hint="write 3, '>= 10', '% 100': ==, !=, >=, <=, >, <, % and a number"
        )
    op, number = match[1] or "==", int(match[2])
    if op == "%" and number == 0:
        raise UsageError("'% 0': the divisor must be 1 or more", hint="'% 100' lets every hundredth hit through")
    count = HitCount("==" if op == "=" else op, number)
    if count.is_over(0):
        raise UsageError(f"no hit is {count}: they are counted from 1", hint="'== 1' lets only the first hit through")
    return count


_NUMBER = re.compile(r"\d+")


class Failures:
    """The failures of one condition so far."""

    def __init__(self) -> None:
        self.count = 0
        self.last = ""
        self._told: set[str] = set()

    def note(self, message: str) -> bool:
        """Note a failure. Return True if it is to be shown: none like it came before, apart from numbers in it."""
        self.count += 1
        self.last = message
        kind = _NUMBER.sub("0", message)  # "Index 7 out of bounds for length 3" is one failure, not a thousand
        new = kind not in self._told
        self._told.add(kind)
        return new


_POLICIES = {
    SuspendPolicy.NONE: JdwpSuspendPolicy.NONE,
    SuspendPolicy.THREAD: JdwpSuspendPolicy.EVENT_THREAD,
    SuspendPolicy.ALL: JdwpSuspendPolicy.ALL,
}


MOST_CHECKED = 20
"""Places at which a condition is compiled when it is set: there may be thousands, for a pattern of classes."""

_COUNTED = "the target counts, and reports only the hit that is meant"


class CountingFilterOf(Protocol):
    """Makes the counting filter for requests of a kind of events, whose hits are counted as such or as ``meant``."""

    def __call__(self, kind: EventKind, only: int, meant: EventKind | None = None, /) -> CountingFilter | None: ...


def _no_counting_filter(kind: EventKind, only: int, meant: EventKind | None = None, /) -> CountingFilter | None:
    return None


class CountedPlace(Record):
    """A request whose events the agent can count, by kind and modifiers. Hits of the point count there as
    ``counts_as``: in the one method, or in all (None)."""

    kind: EventKind
    modifiers: Sequence[Any]
    counts_as: EventKind
    method: tuple[int, int] | None = None


class BreakpointBase(ABC):
    """A numbered point; ``message`` says what it waits for."""

    brings: frozenset[str] = frozenset()
    """Names of what its hits bring for expressions: ``ret``, ``exc``, ``old``, ``new``."""
    kind = ""
    """The ``kind`` of its ``model.BreakpointInfo``."""
    looks_at_thread = False
    """True if a hit is described by reading what the thread may change as soon as it is resumed."""

    def __init__(self, number: int, options: PointOptions) -> None:
        """``options`` say what a hit suspends, whatever that depends on."""
        assert options.policy is not None
        self.number = number
        self.policy = options.policy
        self.options = options
        self.ignore = options.ignore
        self.enabled = options.enabled
        self._renewing = trio.Lock()
        self.hits = 0
        self.message = ""
        self.condition: Condition | None = None
        self.failures = Failures()
        self.hit_count: HitCount | None = None
        self.callers: Callers | None = None
        self.removed = False
        self.client = ""  # who has set it, where several share the session
        self.waiting = False  # for the point ``after``
        self.counting = 0  # the ``agent_count`` with which it stands in the target
        self.awaited = False  # by other points, which must be set before the thread of a hit runs on
        self.log: LogText | None = None
        self.load = HitLoad()
        self.passes = 0
        self.look_after = 0
        self.was_hot = False  # which is said once
        self.place_checked = False
        self.rate_limiter = RateLimiter(options.reporting)
        self.hit_statistics = HitStatistics()
        self.counting_filter: CountingFilterOf = _no_counting_filter
        """The counting filter for its requests for a kind of events; the id of a method limits it to that."""
        self.on_left_out: Callable[[BreakpointBase, EventRequest], None] = lambda point, request: None
        """Called when a hit was only counted, though its thread is suspended. wire: no wait."""

    @property
    def slows_more_than_its_hits(self) -> bool:
        """True if the JVM runs slower while it stands in the target, whether it is hit or not."""
        return False

    @property
    def current_options(self) -> PointOptions:
        """Return its options as they are now."""
        return self.options.replace(enabled=self.enabled, ignore=self.ignore)

    @property
    def reporting(self) -> Reporting:
        """Return how it reports, if it does."""
        return self.options.reporting

    @property
    def noun(self) -> str:
        """Return what messages call it."""
        return KINDS[self.kind].noun

    @property
    def over(self) -> bool:
        """True if no later hit can count."""
        return self.hit_count is not None and self.hit_count.is_over(self.hits)

    @property
    def wanted(self) -> bool:
        """True if it is to stand in the target now."""
        return self.enabled and not (self.waiting or self.over or self.removed)

    @property
    def wire_policy(self) -> JdwpSuspendPolicy:
        """Return what the agent is to suspend: the thread at least, where something must be done before it goes on.

        No more than the thread, where a hit may turn out not to count: the rest is suspended by the stop. The same
        where the agent counts: such a request cannot be set anew with another policy (``RequestTable.suspend_less``).
        """
        told = self.looks_at_thread and self.reporting.hold
        asked = self.condition is not None or self.callers is not None or self.awaited
        if self.policy is SuspendPolicy.NONE and (asked or told or self.log is not None or self.reporting.stack):
            return JdwpSuspendPolicy.EVENT_THREAD
        if self.suspends_all and (asked or not self.counts_every_hit):
            return JdwpSuspendPolicy.EVENT_THREAD
        return _POLICIES[self.policy]

    @property
    def suspends_all(self) -> bool:
        """True if a stop at it suspends all threads."""
        return self.policy is SuspendPolicy.ALL

    @property
    def counts_every_hit(self) -> bool:
        """True if a hit needs no look at it to be counted."""
        return not (self.options.temporary or self.ignore or self.options.after_each) and self.hit_count is None

    @property
    def called(self) -> str:
        """Return what messages call it: ``logpoint 3``."""
        if self.reporting.stack:
            return f"tracepoint {self.number}"
        return f"{'logpoint' if self.log is not None else self.noun} {self.number}"

    @property
    def reports(self) -> bool:
        """True if a hit is reported and the target goes on."""
        return self.log is not None or self.policy is SuspendPolicy.NONE

    @property
    def only_hit(self) -> int:
        """Return which of the hits to come, counted from 1, is the only one that can count; 0: there may be more, or
        that depends on something else than their number.
        """
        if self.condition is not None or self.callers is not None or self.options.after_each:
            return 0
        if self.hit_count is None:
            return self.ignore + 1 if self.options.temporary else 0
        if self.ignore or not (self.options.temporary or self.hit_count.op == "=="):
            return 0
        following = self.hit_count.following(self.hits)
        return 0 if following is None else following - self.hits

    @property
    def agent_count(self) -> int:
        """At which hit the agent is to report, and then drop its request; 0: at all of them."""
        return 0

    @property
    def requested(self) -> tuple[object, ...]:
        """Return what of the point's state its requests in the target depend on."""
        return self.wanted, self.wire_policy, self.agent_count

    async def renew(self, before: tuple[object, ...] | None = None) -> None:
        """Set the point anew, or take it out, if ``requested`` is no longer what it was.

        Commands and hits of other points may ask for it at the same time: one comes after the other, and what is not
        wanted any more at the end does not stay. wire: as ``arm``.
        """
        async with self._renewing:
            if self.requested != before:
                self.disarm()
                if self.wanted:
                    await self.arm()
            if not self.wanted:
                self.disarm()

    @asynccontextmanager
    async def out_of_target(self) -> AsyncIterator[list[Pending[Any]]]:
        """Keep the point out of the target meanwhile; afterwards it is set again if it is still wanted. Yields what
        the taking out may be waited for by. wire: as ``arm``."""
        async with self._renewing:
            try:
                yield self.disarm()
            finally:
                if self.wanted:
                    await self.arm()

    async def counted_place(self, kind: EventKind, method: tuple[int, int]) -> CountedPlace | None:
        """Return what the agent can count instead of hits that are entered as that kind, in that method; None where
        there is nothing. wire: none, or 1 trip.
        """
        return None

    def standing(self) -> Mapping[EventRequest, EventKind]:
        """Return its breakpoint requests in the target, with the kind as which their hits count. No trip."""
        return {}

    async def redefined(self, type_ids: Iterable[ReferenceTypeID]) -> None:
        """Takes note that classes have new code. wire: as setting the point there."""
        return

    async def check(self, condition: Condition | None) -> None:
        """Raise EvalError for a condition that makes sense at none of its places, as far as that can be known.

        wire: none, or 1 trip or 2 for classes and variables that are new.
        """
        if condition is not None:
            await self._require_sense(condition)

    async def check_log(self) -> None:
        """Raise EvalError for a text whose values make sense at none of its places. wire: as ``check``."""
        if self.log is not None:
            await self._require_sense(self.log)

    async def _require_sense(self, compiled: Condition | LogText) -> None:
        wrong: EvalError | None = None
        places = self.places()
        for place in places if len(places) <= MOST_CHECKED else ():
            wrong = await compiled.check(place, self.brings)
            if wrong is None:
                return
        if wrong is not None:
            raise wrong

    def require_fitting(self, options: PointOptions) -> None:
        """Raises UsageError for options that make no sense for such a point."""
        return

    @abstractmethod
    async def arm(self) -> None:
        """Set the point in the target. Raises UsageError when it cannot be; nothing is left behind then."""

    @abstractmethod
    def disarm(self) -> list[Pending[Any]]:
        """Take the point out of the target; what is returned may be waited for."""

    @property
    @abstractmethod
    def shown_spec(self) -> str:
        """Return the subject as it is best typed. No trip."""

    def places(self) -> tuple[Location, ...]:
        """Return where in code it stands now, if it is made of places. No trip."""
        return ()

    @property
    def is_armed(self) -> bool:
        """True if something of it is in the target, beside what waits for classes. No trip."""
        return bool(self.places())

    def snapshot(self) -> BreakpointInfo:
        """Return the point as plain data. No trip."""
        return listed(
            self.current_options,
            number=self.number,
            spec=self.shown_spec,
            kind=self.kind,
            resolved=self.places(),
            armed=self.is_armed,
            hits=self.hits,
            message=self.message or (_COUNTED if self.counting else ""),
            over=self.over,
            waiting=self.waiting,
            failures=self.failures.count,
            failure=self.failures.last,
            client=self.client,
        )

    def count(self, hit: RequestHit) -> None:
        """Enter a hit in the hit statistics. No wait."""
        place = getattr(hit.event, "location", None)
        if place is not None:
            self.hit_statistics.add(hit.request.kind, (place.classID, place.methodID), carried(hit.event))

    async def given(self, hit: RequestHit, text: str) -> Given:
        """Return what a hit brings for an expression: ``$ret`` and the like. wire: 1 trip for what ``text`` mentions
        only.
        """
        return NOTHING

    def lacks(self, hit: RequestHit) -> frozenset[str]:
        """Return the names of ``brings`` that such a hit never has: a condition on one of them does not hold."""
        return frozenset()

    async def details(self, hit: RequestHit) -> dict[str, Any]:
        """Return what a hit adds to the fields of the ``Stopped``. Raises JdwpError when it cannot be read any more."""
        return {}

    @abstractmethod
    def told(self, hit: RequestHit, where: str, details: dict[str, Any]) -> tuple[str, str]:
        """Kind and text of the notice for a hit that suspends nothing; ``where`` is thread and place in words."""

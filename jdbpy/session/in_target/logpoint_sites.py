"""One place of a breakpoint that reports, whose hits the target keeps: values in a ring, or a count.

Owns what a kept hit is: the same report as that of an ordinary breakpoint, with the thread and the time that the target
has noted, and the same rules of how many are reported. A condition or text that fails comes to a breakpoint of the
debugger's own, and is computed once more there, as for other sites.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from jdbpy.session.breakpoints.line_breakpoint import LineBreakpoint
from jdbpy.session.breakpoints.reports import Reporter
from jdbpy.session.eval.conditions import CompiledTemplate
from jdbpy.session.eval.operands import Operand
from jdbpy.session.eval.target import from_wire
from jdbpy.session.events.conditions import Condition, LogEntry
from jdbpy.session.events.hit_rates import RateLimiter, Taken
from jdbpy.session.events.requests import EventRequest, RequestHit
from jdbpy.session.events.target import Target
from jdbpy.session.in_target.ring_poller import Ring, RingEntry, RingPoller
from jdbpy.session.in_target.sites import Site
from jdbpy.session.in_target.weave.log_helper import LogHelper
from jdbpy.session.in_target.weave.records import CheckCount
from jdbpy.session.in_target.weave.ring import number
from jdbpy.session.java.types import JavaType, Primitive
from jdbpy.session.jvm.refs import Method
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy
from jdbpy.wire.ids import CodeLocation, MethodID, ObjectID, TaggedValue, ThreadID
from jdbpy.wire.messages import event as wire_event

Kept = tuple[object, ...]
"""The inputs of a helper: the text, the hit count, and true if hits are only counted."""


def kept_of(point: LineBreakpoint) -> Kept:
    """Return what a helper for the breakpoint depends on, beside the condition."""
    return point.log, point.hit_count, point.ignore > 0, point.reporting.limit == 0


def count_of(point: LineBreakpoint) -> CheckCount:
    """Return which hits the target keeps."""
    chosen = point.hit_count
    return CheckCount(chosen.op if chosen else "", chosen.number if chosen else 0, ignore=point.ignore)


class LogSite(Site):
    """A place whose hits are kept. ``types`` are those of the values; ``place`` returns where its line is now."""

    def __init__(
        self,
        point: LineBreakpoint,
        condition: Condition | None,
        method: Method,
        at: int,
        helper: LogHelper,
        *,
        types: Sequence[JavaType],
        place: Callable[[], CodeLocation],
        target: Target,
        reporter: Reporter,
        poller: RingPoller,
    ) -> None:
        super().__init__(point, condition, method, at, helper)
        self.ring: Ring | None = None
        self._helper = helper
        self._kept = kept_of(point)
        self._count = count_of(point)
        self._types = types
        self._place = place
        self._target = target
        self._reporter = reporter
        self._poller = poller
        self._last: Mapping[str, int] = {}
        self._taken: list[Taken] = []

    def is_of(self, point: LineBreakpoint) -> bool:
        return super().is_of(point) and self._kept[:2] == kept_of(point)[:2] and self._kept[3] == kept_of(point)[3]

    def is_for(self, point: LineBreakpoint, at: int, method: MethodID) -> bool:
        return super().is_for(point, at, method) and not self._counts

    @property
    def _counts(self) -> bool:
        """True if the target decides by their number which hits are kept."""
        return bool(self._count.op or self._count.ignore)

    @property
    def request(self) -> EventRequest | None:
        return self.failed

    def withdrawn(self) -> None:
        if self.ring is not None:
            self._poller.remove(self.ring)

    async def defined(self) -> None:
        """Take in that the helper is in the target. wire: 4 trips."""
        self.ring = Ring(self._helper, self.type_id, self)
        await self.ring.find(self._target)

    async def begin(self) -> None:
        """wire: 2 trips."""
        assert self.ring is not None
        passed = self._count.ignore - self.point.ignore
        await self.ring.open(self._target, {"HITS": self.point.hits, "PASSED": passed} if self._counts else {})
        self._poller.add(self.ring)

    # -- what the target has kept ------------------------------------------------------------------------------------

    def opened(self, counters: Mapping[str, int]) -> None:
        """See ``RingUser``."""
        self._last = dict(counters)

    def counted(self, counters: Mapping[str, int]) -> None:
        """See ``RingUser``: hits that were only counted, and those that found the ring full."""
        more = {name: value - self._last.get(name, 0) for name, value in counters.items()}
        self._last = dict(counters)
        point, dropped = self.point, more.get("DROPPED", 0)
        self._enter(more.get("HITS", dropped))
        if self._count.ignore:
            point.ignore = max(0, self._count.ignore - counters["PASSED"])
        if dropped:
            point.rate_limiter.missed(dropped)
            self._reporter.watch(point)
        if point.over and point.enabled:
            point.disarm()

    def _enter_one(self) -> None:
        if not self._counts:
            self._enter(1)

    def _enter(self, hits: int) -> None:
        self.point.hits += hits
        if hits:
            statistics, place = self.point.hit_statistics, self._place()
            row = statistics.row(statistics.of_kind(EventKind.BREAKPOINT), (place.classID, place.methodID))
            if row is not None:
                row.count += hits

    def rests_until(self) -> float:
        """See ``RingUser``: while as many were reported as may be in a second."""
        limiter: RateLimiter = self.point.rate_limiter
        return limiter.counts_until

    def skipped(self, count: int) -> None:
        """See ``RingUser``."""
        if not self._counts:
            self._enter(count)
        self.point.rate_limiter.missed(count)

    def arrived(self, count: int) -> int:
        """See ``RingUser``: as many are read as are to be reported."""
        self._taken = self._reporter.take_kept(self.point, count, self._enter_one)
        return sum(each.reported for each in self._taken)

    async def read(self, entries: Sequence[RingEntry]) -> None:
        """See ``RingUser``. wire: what describing the values takes, and 1 trip for a thread that is new."""
        point, reporter, texts = self.point, self._reporter, self.point.log
        logged: list[LogEntry | None] = [None] * len(entries)
        if isinstance(texts, CompiledTemplate):
            skipped = int(self._counts)
            logged = [*await texts.filled([self._operands(each.values[skipped:]) for each in entries])]
        at = 0
        for taken in self._taken:
            entry, known = (entries[at], logged[at]) if taken.reported else (None, None)
            at += taken.reported
            if entry is not None:
                number_of_hit = int(entry.values[0].value or 0) if self._counts else taken.number
                taken = taken.replace(number=number_of_hit, at=entry.time / 1e9)
            await reporter.report_kept(point, self._hit(entry), taken, known, entry.time if entry is not None else 0)

    def _operands(self, values: Sequence[TaggedValue]) -> list[Operand]:
        return [
            Operand(type_, number(type_.tag, int(each.value or 0)) if isinstance(type_, Primitive) else from_wire(each))
            for type_, each in zip(self._types, values, strict=True)
        ]

    def _hit(self, entry: RingEntry | None) -> RequestHit:
        """Return the hit as an ordinary breakpoint would have had it."""
        assert self.failed is not None
        thread = entry.thread if entry is not None else 0
        event = wire_event.Breakpoint(self.failed.id, ThreadID(ObjectID(thread)), self._place())
        return RequestHit(event, self.failed, thread, JdwpSuspendPolicy.NONE)

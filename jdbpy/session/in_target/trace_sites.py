"""Methods of a class whose entries and exits the target keeps in one ring, for a trace that reports.

Owns what a kept entry or exit is: the same report as that of an ordinary trace, with arguments or what is returned.
Objects are shown as they are when the debugger reads them. How often each method was entered and left is counted by the
target, whether there was room in the ring or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jdbpy.record import Record
from jdbpy.session.breakpoints.methods import MethodTrace
from jdbpy.session.breakpoints.reports import Reporter
from jdbpy.session.events.frames import from_table
from jdbpy.session.events.hit_rates import RateLimiter, Taken
from jdbpy.session.events.requests import EventRequest, RequestHit
from jdbpy.session.events.target import Target
from jdbpy.session.in_target.class_changes import CodeChanges
from jdbpy.session.in_target.ring_poller import Ring, RingEntry, RingPoller
from jdbpy.session.in_target.sites import Site
from jdbpy.session.in_target.weave.records import TOP, WovenPlace
from jdbpy.session.in_target.weave.ring import number
from jdbpy.session.in_target.weave.trace_helper import TraceHelper, TraceSpot, is_number
from jdbpy.session.java.edit.code_variable import CheckParameter
from jdbpy.session.java.signatures import argument_slots, split_method
from jdbpy.session.jvm.refs import Method, RefType
from jdbpy.session.model.values import Limits, Variable
from jdbpy.session.values.describe import describe
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy, Tag
from jdbpy.wire.ids import ObjectID, ReferenceTypeID, TaggedValue, ThreadID
from jdbpy.wire.messages import event as wire_event


class TracedPlace(Record):
    """The place where a method is entered, or left with what its ``kept`` is: the code index in the program's
    own code.
    """

    method: Method
    at: int
    is_exit: bool
    names: tuple[str, ...] = ()
    kept: tuple[CheckParameter, ...] = ()

    @property
    def spot(self) -> TraceSpot:
        """Return the place as the helper's writer takes it."""
        return TraceSpot(self.kept)


def names_of(table: Any) -> Mapping[int, str]:
    """Return the names of arguments by slot, as the class's table of variables has them."""
    rows = from_table(table, 0) if table is not None and table.slots else ()
    return {each.slot: each.name for each in rows if each.kind == "argument"}


def entry_of(method: Method, names: Mapping[int, str]) -> TracedPlace:
    """Return the entry of a method; ``names`` are those of its variables by slot."""
    arguments = enumerate(argument_slots(method.signature, static=method.is_static))
    kept = [CheckParameter(slot, each, names.get(slot, f"arg{number}")) for number, (slot, each) in arguments]
    return TracedPlace(method, 0, is_exit=False, names=tuple(each.name for each in kept), kept=tuple(kept))


def exit_of(method: Method, at: int) -> TracedPlace:
    """Return a return instruction of a method."""
    returns = split_method(method.signature)[1]
    kept = () if returns == "V" else (CheckParameter(TOP, returns),)
    return TracedPlace(method, at, is_exit=True, kept=kept)


class TraceLog:
    """The record that the target keeps of one class for one trace: the user of its ring."""

    def __init__(
        self,
        point: MethodTrace,
        type_: RefType,
        places: Sequence[TracedPlace],
        helper: TraceHelper,
        *,
        target: Target,
        changes: CodeChanges,
        reporter: Reporter,
        poller: RingPoller,
    ) -> None:
        self.point = point
        self.type = type_
        self.places = places
        self.helper = helper
        self.type_id = ReferenceTypeID(0)
        self.ring: Ring | None = None
        self._target = target
        self._changes = changes
        self._reporter = reporter
        self._poller = poller
        self._request = EventRequest(EventKind.BREAKPOINT, JdwpSuspendPolicy.NONE, lambda hit: None, None)
        self._counts: tuple[int, ...] = ()
        self._taken: list[Taken] = []
        self._left_out = 0
        self._open = False

    async def begin(self) -> None:
        """Take in what comes from now on. wire: 6 trips, 2 for a helper that was used before."""
        if self._open:
            return
        if self.ring is None:
            self.ring = Ring(self.helper, self.type_id, self)
            await self.ring.find(self._target)
        await self.ring.open(self._target, {})
        self._poller.add(self.ring)
        self._open = True

    def close(self) -> None:
        """Take in nothing more. wire: no wait."""
        if self._open and self.ring is not None:
            self._poller.remove(self.ring)
            self._open = False

    def opened(self, counters: Mapping[str, int]) -> None:
        """See ``RingUser``."""
        self._counts, self._left_out = (), 0  # of a helper that is new

    def counted(self, counters: Mapping[str, int]) -> None:
        """See ``RingUser``: how often each place was passed."""
        assert self.ring is not None
        now, before = self.ring.passes, self._counts or (0,) * len(self.places)
        self._counts = now
        more = [count - former for count, former in zip(now, before, strict=True)]
        for place, count in zip(self.places, more, strict=True):
            if count:
                kind = EventKind.METHOD_EXIT if place.is_exit else EventKind.METHOD_ENTRY
                statistics = self.point.hit_statistics
                row = statistics.row(statistics.of_kind(kind), (self.type.id, place.method.id))
                if row is not None:
                    row.count += count
        left_out = sum(now) - counters["HEAD"]  # fewer for a moment, while some are on their way into the ring
        if left_out > self._left_out:
            self.skipped(left_out - self._left_out)
            self._left_out = left_out
            self._reporter.watch(self.point)

    def rests_until(self) -> float:
        """See ``RingUser``: while as many were reported as may be in a second."""
        limiter: RateLimiter = self.point.rate_limiter
        return limiter.counts_until

    def _enter(self) -> None:
        self.point.hits += 1

    def skipped(self, count: int) -> None:
        """See ``RingUser``."""
        self.point.hits += count
        self.point.rate_limiter.missed(count)

    def arrived(self, count: int) -> int:
        """See ``RingUser``: as many are read as are to be reported."""
        self._taken = self._reporter.take_kept(self.point, count, self._enter)
        return sum(each.reported for each in self._taken)

    async def read(self, entries: Sequence[RingEntry]) -> None:
        """See ``RingUser``. wire: what describing the values takes, and 1 trip for a thread that is new."""
        kept = [self._values(each) for each in entries]
        limits = Limits(depth=0, string=self.point.reporting.longest)
        described = iter(await describe(self._target, [value for _, values in kept for value in values], limits))
        at = 0
        for taken in self._taken:
            if not taken.reported:
                await self._reporter.report_kept(self.point, self._hit(None, None, ()), taken, None, 0)
                continue
            entry, (place, values) = entries[at], kept[at]
            at += 1
            shown = [next(described) for _ in values]
            details: dict[str, Any] = {}
            if place.is_exit and shown:
                details["return_value"] = shown[0]
            elif not place.is_exit:
                named = zip(place.names, shown, strict=True)
                details["arguments"] = tuple(Variable(name, value.type, value, "argument") for name, value in named)
            hit = self._hit(entry, place, values)
            taken = taken.replace(at=entry.time / 1e9)
            await self._reporter.report_kept(self.point, hit, taken, None, entry.time, details)

    def _values(self, entry: RingEntry) -> tuple[TracedPlace, list[TaggedValue]]:
        site, *columns = entry.values
        place = self.places[int(site.value or 0)]
        numbers = sum(each.field.startswith("n") for each in self.helper.columns)
        longs, objects = iter(columns[:numbers]), iter(columns[numbers:])
        values = []
        for each in place.kept:
            if is_number(each):
                values.append(TaggedValue(ord(each.signature), number(each.signature, int(next(longs).value or 0))))
            else:
                values.append(next(objects))
        return place, values

    def _hit(self, entry: RingEntry | None, place: TracedPlace | None, values: Sequence[TaggedValue]) -> RequestHit:
        """Return the hit as an ordinary trace would have had it."""
        thread = ThreadID(ObjectID(entry.thread if entry is not None else 0))
        traced = place or self.places[0]
        where = self._changes.place_now(self.type, traced.method.id, traced.at)
        happened: Any
        if not traced.is_exit:
            happened = wire_event.MethodEntry(self._request.id, thread, where)
        else:
            value = values[0] if values else TaggedValue(Tag.VOID, None)
            happened = wire_event.MethodExitWithReturnValue(self._request.id, thread, where, value)
        return RequestHit(happened, self._request, thread, JdwpSuspendPolicy.NONE)


class TraceSite(Site):
    """One place of a trace; ``log`` is for all of the class."""

    def __init__(self, log: TraceLog, place: TracedPlace, index: int) -> None:
        super().__init__(log.point, None, place.method, place.at, log.helper)
        self.log = log
        self._call = log.helper.calls[index]

    @property
    def place(self) -> WovenPlace:
        return WovenPlace(self.method.name, self.method.signature, self.at, self._call)

    def withdrawn(self) -> None:
        self.log.close()

    async def begin(self) -> None:
        await self.log.begin()

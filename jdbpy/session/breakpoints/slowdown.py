"""The slowdown by points that suspend nothing, measured in the target: how often it comes to their places with them,
and how often without.

Hits of policy NONE take time of the target that the debugger does not see: the agent's work for each event, threads
that wait until its queue has room, and with method events the interpreter for all threads. JDWP has no processor
time. But the agent can count: a request with Count(n) reports its nth event only. So for a moment the point is taken
out, and such a request stands at its busiest place. For methods that is a breakpoint in the method, so that the method
events are gone as well. The rate of the place with the point and without gives the slowdown: ``1 - with / without``. A
target that waits for its clients has the same rate in both cases, and is not slowed.

The hits of that moment are counted, and not reported. So this is done only for points that have a budget (``cost``) and
leave hits out anyway (``limit``), and seldom.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import trio

from jdbpy.errors import Disconnected, JdbpyError, JdwpError
from jdbpy.record import Record
from jdbpy.session.breakpoints.breakpoint_base import BreakpointBase, CountedPlace
from jdbpy.session.events.requests import RESUME, RequestHit, RequestSpec, Verdict
from jdbpy.session.events.target import Target
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy
from jdbpy.wire.messages import event_request

BUSY = 1000.0
"""Hits a second from which on a point is measured. One that slows what it does not report: from ``SLOWING`` on."""

SLOWING = 5.0

WITH = 0.5
"""Seconds for which the rate with the point is taken, before and after it is out."""

WITHOUT = 0.1
"""Seconds for which the point is taken out, as near as that can be known."""

LONGEST = 0.5
"""Seconds after which it is set again, even if the place was not reached often enough."""

_LEAST_HITS, _MOST_HITS = 20, 20_000

FIRST_PAUSE, LONGEST_PAUSE = 5.0, 60.0
"""Seconds from one measurement of a point to the next, which double each time."""


class Slowdown(Record):
    """The rates, a second, at which the target comes to a place with a point and without it."""

    rate: float
    without: float

    @property
    def share(self) -> float:
        """Return the part of the target's time at that place which the point takes."""
        return max(0.0, 1 - self.rate / self.without) if self.without else 0.0


OnMeasured = Callable[[BreakpointBase, Slowdown | None, int], None]


class Measuring:
    """Measures points. ``on_measured`` is called with each result, and with the number of hits that were counted only;
    ``on_lost`` with a point that could not be set again.

    ``consider`` is to be called about once a second for each point whose hits suspend nothing.
    """

    def __init__(
        self,
        target: Target,
        on_measured: OnMeasured,
        on_lost: Callable[[BreakpointBase, JdbpyError], None],
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._target = target
        self._on_measured = on_measured
        self._on_lost = on_lost
        self._clock = clock
        self._due: dict[BreakpointBase, None] = {}
        self._more = trio.lowlevel.ParkingLot()

    def consider(self, point: BreakpointBase, rate: float) -> None:
        """The point is hit so often: measure it if its time has come. wire: no wait."""
        reporting = point.reporting
        wanted = reporting.cost and reporting.limit is not None and not reporting.most and point.counts_every_hit
        wanted = wanted and point.wire_policy is JdwpSuspendPolicy.NONE
        least = SLOWING if point.slows_more_than_its_hits else BUSY
        if wanted and rate >= least and self._clock() >= point.rate_limiter.measure_at and point not in self._due:
            self._due[point] = None
            self._more.unpark_all()

    async def run(self) -> None:
        """Measure what is due, one point after the other; runs for the life of the session."""
        while True:
            while not self._due:
                await self._more.park()
            point = next(iter(self._due))
            with suppress(Disconnected):
                try:
                    await self._measure(point)
                except JdbpyError as error:
                    self._on_lost(point, error)
            del self._due[point]
            pause = (
                min(2 * point.rate_limiter.measure_pause, LONGEST_PAUSE)
                if point.rate_limiter.measure_pause
                else FIRST_PAUSE
            )
            point.rate_limiter.measure_pause, point.rate_limiter.measure_at = pause, self._clock() + pause

    async def _measure(self, point: BreakpointBase) -> None:
        """wire: 2 trips and those of setting the point, which is out for a moment."""
        place, before = await self._busiest(point)
        if place is None or before <= 0 or not _is_measurable(point):
            return
        counted = 0
        without: float | None = None
        async with point.out_of_target() as cleared:
            await self._target.conn.gather(cleared)
            number = _within(round(before * WITHOUT))
            while point.wanted:
                took = await self._reach(place, number)
                if took is None:  # it may have come there some times, fewer than that
                    break
                counted += number
                without = number / took
                if took >= WITHOUT / 2 or number >= _MOST_HITS:
                    break
                number = _within(round(number * WITHOUT / took))
        after = await self._rate(point, place) if without is not None and point.wanted else 0.0
        if point.wanted:
            found = None if without is None else Slowdown(max(before, after), without)
            self._on_measured(point, found, counted)

    async def _busiest(self, point: BreakpointBase) -> tuple[CountedPlace | None, float]:
        """Return the place where the point is hit most, of those that the agent can count, and its hits a second."""
        start = {key: row.count for key, row in _rows(point)}
        begun = self._clock()
        await trio.sleep(WITH)
        took = self._clock() - begun
        grown = sorted(((row.count - start.get(key, 0), key) for key, row in _rows(point)), reverse=True)
        for hits, (kind, method) in grown[:5]:
            if hits > 0:
                try:
                    place = await point.counted_place(kind, method)
                except JdwpError:  # its class was unloaded
                    continue
                if place is not None:
                    whole = sum(each for each, (other, _) in grown if other is kind)
                    return place, (whole if place.method is None else hits) / took
        return None, 0.0

    async def _rate(self, point: BreakpointBase, place: CountedPlace) -> float:
        """Return the hits a second at a place while the point stands in the target."""
        start, begun = _hits(point, place), self._clock()
        await trio.sleep(WITH)
        return (_hits(point, place) - start) / (self._clock() - begun)

    async def _reach(self, place: CountedPlace, number: int) -> float | None:
        """Seconds in which the target came so often to the place; None if it did not. wire: 1 trip, and that time."""
        reached = trio.Event()
        at = 0.0

        def on_last(hit: RequestHit) -> Verdict:
            nonlocal at
            at = self._clock()
            requests.spent(hit.request)
            reached.set()
            return RESUME

        requests = self._target.requests
        modifiers: list[Any] = [*place.modifiers, event_request.Count(number)]
        request, pending = requests.submit(RequestSpec(place.kind, JdwpSuspendPolicy.NONE, modifiers, on_last))
        try:
            [outcome] = await self._target.conn.gather([pending])
            begun = self._clock()
            if isinstance(outcome, JdwpError):
                return None
            with trio.move_on_after(LONGEST):
                await reached.wait()
            return max(at - begun, 1e-6) if reached.is_set() else None
        finally:
            requests.drop([request])


def _is_measurable(point: BreakpointBase) -> bool:
    return point.wanted and point.wire_policy is JdwpSuspendPolicy.NONE


def _within(number: int) -> int:
    return min(max(number, _LEAST_HITS), _MOST_HITS)


def _rows(point: BreakpointBase) -> list[tuple[tuple[EventKind, tuple[int, int]], Any]]:
    return [
        ((kind, method), row) for kind, rows in point.hit_statistics.rows.items() for method, row in list(rows.items())
    ]


def _hits(point: BreakpointBase, place: CountedPlace) -> int:
    rows = point.hit_statistics.of_kind(place.counts_as)
    if place.method is not None:
        return rows[place.method].count if place.method in rows else 0
    return sum(row.count for row in list(rows.values()))

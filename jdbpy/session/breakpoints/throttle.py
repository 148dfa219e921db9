"""Points that rest: when their reports of a window are used up, their hits suspend nothing and are only counted.

A logpoint or trace that reads values suspends the thread of each hit, which costs a round trip. Beyond ``limit`` there
is nothing to read. So the requests that are hit then are set anew with policy NONE until the window is over. The JVM's
breakpoint stays as long as one request is at its place, so no code is compiled anew. No hit is missed or counted twice
in between (``RequestTable.let_run``).

Hits that suspend nothing may come faster than they can be counted; then all that the target answers waits behind them.
So it is asked something small now and then. While an answer is overdue, hits suspend their threads again.
"""

from __future__ import annotations

import struct
from contextlib import suppress

from jdbpy.errors import Disconnected
from jdbpy.session.breakpoints.breakpoint_base import BreakpointBase
from jdbpy.session.breakpoints.reports import Reporter
from jdbpy.session.events.requests import EventRequest, HitCounter
from jdbpy.session.events.target import Target
from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy
from jdbpy.wire.event_parts import event_parts
from jdbpy.wire.ids import CodeLocation
from jdbpy.wire.messages import virtual_machine

CROWD = 50
"""After so many hits that were left out in a window a point rests: fewer are not worth setting it anew."""

ASKING = 256
"""So many hits are counted from one small question to the next."""

LATE = 0.05
"""Seconds after which an answer is overdue, beside the time that the link takes."""


class Resting:
    """Has points rest, from ``left_out`` until ``wake``."""

    def __init__(self, target: Target, reporter: Reporter) -> None:
        self._target = target
        self._reporter = reporter
        self._asleep: dict[BreakpointBase, set[EventRequest]] = {}
        self._asked: float | None = None  # since when an answer is waited for
        self._until_asked = ASKING

    def left_out(self, point: BreakpointBase, request: EventRequest) -> None:
        """Note that a hit was only counted, and have its request rest if the point has had many. wire: no wait."""
        if point.rate_limiter.left_out < CROWD or self._is_late() or not _may_rest(point):
            return
        meant = point.standing().get(request)
        asleep = self._asleep.setdefault(point, set())
        if meant is not None and request not in asleep:
            asleep.add(request)
            with suppress(Disconnected), self._target.conn.corked:
                self._target.requests.let_run(request, self._counter(point, meant))

    def wake(self, point: BreakpointBase) -> None:
        """Have the hits of a point suspend their threads again, if it rests. wire: no wait."""
        if point in self._asleep and not point.rate_limiter.over:  # else it is switched off, which says enough
            self._reporter.on_rate(point, point.rate_limiter.load(self._reporter.clock()))
        self._hold(point)

    def _hold(self, point: BreakpointBase) -> None:
        with suppress(Disconnected), self._target.conn.corked:
            for request in self._asleep.pop(point, ()):
                self._target.requests.restore_policy(request)

    def _keep_up(self) -> None:
        """Ask the target something if nothing is asked; if the answer is overdue no point may rest."""
        self._until_asked = ASKING
        if self._asked is None:
            self._asked = self._reporter.clock()
            with suppress(Disconnected):
                self._target.conn.submit(virtual_machine.IDSizes(), on_reply=self._answered)
        elif self._is_late():
            for point in tuple(self._asleep):
                self._hold(point)

    def _answered(self, _: object) -> None:
        self._asked = None

    def _is_late(self) -> bool:
        return self._asked is not None and self._reporter.clock() > self._asked + LATE + self._target.latency.recent

    def _counter(self, point: BreakpointBase, meant: EventKind) -> HitCounter:
        """Return what counts the hits of a point at places of one kind, as long as they suspend nothing."""
        parts = event_parts(EventKind.BREAKPOINT, self._target.conn.id_sizes)
        assert parts is not None
        rows, row_of = point.hit_statistics.of_kind(meant), point.hit_statistics.row
        limiter, reporter = point.rate_limiter, self._reporter
        unpack, place_at = parts.place.unpack_from, parts.place_at

        def enter(method: tuple[int, int]) -> None:
            point.hits += 1
            point.passes += 1
            row = rows.get(method) or row_of(rows, method)
            if row is not None:
                row.count += 1
            limiter.missed(1, reporter.clock())
            reporter.watch(point)
            self._until_asked -= 1
            if not self._until_asked:
                self._keep_up()

        def take(data: bytes) -> bool:
            try:
                method = unpack(data, place_at)
            except struct.error:
                return False  # too short: the dispatcher's to tell
            enter(method)
            return True

        def count(place: CodeLocation) -> None:
            enter((place.classID, place.methodID))

        return HitCounter(take, count)


def _may_rest(point: BreakpointBase) -> bool:
    """True if a hit that is not reported needs no look at its thread, and counts whatever comes."""
    looked_at = point.condition is not None or point.callers is not None or point.awaited
    suspends = point.wire_policy is JdwpSuspendPolicy.EVENT_THREAD and point.policy is SuspendPolicy.NONE
    return suspends and not looked_at and point.counts_every_hit and not point.reporting.most and point.wanted

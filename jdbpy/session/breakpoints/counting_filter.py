"""Takes the events of one request where packets come in, and keeps to itself those that only have to be counted.

Owns the short way of a hit that suspends nothing: from the bytes of its packet into the hit statistics, without
decoding it, without a task that wakes. What is to be reported goes the dispatcher's way, with what was taken of it
waiting at the point.
"""

from __future__ import annotations

import struct
from collections import deque

from jdbpy.session.breakpoints.breakpoint_base import BreakpointBase
from jdbpy.session.breakpoints.reports import Reporter
from jdbpy.session.events.hit_rates import Taken
from jdbpy.session.events.requests import CountingFilter
from jdbpy.wire.connection import Connection
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy
from jdbpy.wire.event_parts import event_parts

MOST_WAITING = 32
"""Reports of a point that may wait to be made; then hits are only counted, though the pace would let them through."""

MOST_FIELDS = 10_000
"""Fields of objects whose last value is kept, to be told as the old one at the next change."""


def counting_filter_of(
    point: BreakpointBase,
    reporter: Reporter,
    conn: Connection,
    kind: EventKind,
    only: int = 0,
    meant: EventKind | None = None,
) -> CountingFilter | None:
    """Return the counting filter for the requests of a point for a kind of events; None where each of them has to be
    looked at.

    ``only`` is the id of the one method that is meant, 0 for all. Hits count as ``meant``, else as
    the kind.
    """
    parts = event_parts(kind, conn.id_sizes)
    if parts is None or point.wire_policy is not JdwpSuspendPolicy.NONE:
        return None
    taken_by: deque[tuple[Taken, bytes | None]] = deque()
    held: dict[bytes, bytes] = {}  # by fields, their values as they were last seen to change
    hit_statistics, rate_limiter, clock, wall = point.hit_statistics, point.rate_limiter, reporter.clock, reporter.wall
    rows, add_value, row_of = hit_statistics.of_kind(meant or kind), hit_statistics.add_value, hit_statistics.row
    unpack, place_at, value = parts.place.unpack_from, parts.place_at, parts.value
    field = parts.field if not (point.options.classes or point.options.excludes or point.options.thread) else None
    limited = point.reporting.limit is not None

    def take(data: bytes) -> bool:
        if not point.counts_every_hit:
            return False
        if rate_limiter.over:
            return True
        now = clock()
        try:
            method = unpack(data, place_at)
        except struct.error:
            return False  # too short: the dispatcher's to tell
        if only and method[1] != only:
            return True
        point.hits = number = point.hits + 1
        row = rows.get(method) or row_of(rows, method)
        if row is not None:
            row.count += 1
            if value is not None:
                key = data[value]
                if key in row.values:
                    row.values[key] += 1
                elif len(key) > 1:  # not void
                    add_value(row, key)
        before = None
        if field is not None and value is not None:
            which = data[field]
            before = held.get(which)
            if before is not None or len(held) < MOST_FIELDS:
                held[which] = data[value]
        counted = rate_limiter.passes(number, now)
        if not counted:
            crowded = limited and len(taken_by) >= MOST_WAITING
            taken = rate_limiter.take(number, now, wall=wall(), busy=conn.busy, crowded=crowded)
            counted = not (taken.reported or taken.left_out or taken.spent or taken.too_much)
            if not counted:
                taken_by.append((taken, before))
            reporter.watch(point)
        return counted

    return CountingFilter(take, taken_by)

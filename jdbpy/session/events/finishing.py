"""What has to be done in the target even when its task is cancelled: it ends all the same.

A block that takes something out of the target must not be cut short by the timeout that has ended what it belongs to.
But one answer that never comes would hold it up for good, so it has the time of its task, and a grace.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import trio

from jdbpy.session.events.target import Target

GRACE = 3.0
"""Seconds, beside the trips, for what is taken out when the time of its task is over."""

TRIPS = 10
"""Trips of the grace: of a far target, and of one that has been slow."""

LONGEST = 10
"""So many graces it takes at most where its task has no end of its time."""


@contextmanager
def finishing(target: Target) -> Iterator[trio.CancelScope]:
    """Shield a block from cancellation until the time of its task is over, and for a grace from then on.

    ``cancelled_caught`` of the scope tells whether the block was cut short.
    """
    grace = GRACE + TRIPS * max(target.latency.round_trip, target.conn.slowest)
    now = trio.current_time()
    end = min(max(trio.current_effective_deadline(), now), now + (LONGEST - 1) * grace)
    with trio.CancelScope(shield=True, deadline=end + grace) as scope:
        yield scope

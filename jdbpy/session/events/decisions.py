"""The trace of decisions: what was decided about each hit, and why.

Owns the last ``MOST`` decisions and the totals of each breakpoint by reason. To record one costs a tuple and a number:
names of threads and places are looked up when somebody reads. Hits that a counting filter keeps to itself are not
recorded one by one; their number follows from the hits of their breakpoint.

Each hit is decided once. The decision about a stop that waits is entered as such, and ``settle`` puts what came of it
in its place.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from jdbpy.session.model.decisions import Decision, HitOutcome
from jdbpy.wire.ids import CodeLocation

MOST = 1_000
"""Decisions that are kept."""

Numbers = int | tuple[int, ...]
"""The breakpoint of a hit, 0 for none; or the breakpoints."""

Entry = tuple[float, int, CodeLocation | None, Numbers, Decision]
"""Time, thread, place, breakpoints, reason."""

COUNTING = frozenset(
    (
        Decision.SHOWN,
        Decision.REPORT,
        Decision.WAITING_STEP,
        Decision.WAITING_METHOD,
        Decision.HIT_COUNT,
        Decision.IGNORED,
        Decision.LIMIT,
        Decision.RESUMED,
    )
)
"""The reasons of hits that count as such where a breakpoint is listed."""


class Decisions:
    """Those of one target. ``listener`` is called with each entry; it must not wait or raise."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self.entries: deque[Entry] = deque(maxlen=MOST)
        self._totals: dict[tuple[Numbers, Decision], int] = {}
        self.recorded = 0
        """How many there were in all."""
        self.listener: Callable[[Entry], None] | None = None

    def record(self, numbers: Numbers, thread: int, place: CodeLocation | None, reason: Decision) -> None:
        """Enter the decision about one hit. No wait."""
        entry = self._clock(), thread, place, numbers, reason
        self.entries.append(entry)
        self.recorded += 1
        key = numbers, reason
        self._totals[key] = self._totals.get(key, 0) + 1
        if self.listener is not None:
            self.listener(entry)

    def count(self, numbers: Numbers, reason: Decision) -> None:
        """Count a decision that nobody would look for among the others. No wait."""
        key = numbers, reason
        self._totals[key] = self._totals.get(key, 0) + 1

    def settle(self, thread: int, reason: Decision) -> None:
        """Enter what has come of the stop of a thread that was shown to nobody so far, in the place of what was entered
        when it was decided. No wait."""
        for index in range(len(self.entries) - 1, -1, -1):
            when, whose, place, numbers, before = self.entries[index]
            if whose != thread or before.outcome not in (HitOutcome.WAITING, HitOutcome.SHOWN):
                continue
            if before is not reason:
                self.entries[index] = entry = when, thread, place, numbers, reason
                self._totals[numbers, before] -= 1
                self._totals[numbers, reason] = self._totals.get((numbers, reason), 0) + 1
                if self.listener is not None:
                    self.listener(entry)
            return

    def totals(self) -> dict[int, dict[Decision, int]]:
        """Return how many hits of each breakpoint had each reason; 0: of no breakpoint."""
        found: dict[int, dict[Decision, int]] = {}
        for (numbers, reason), count in self._totals.items():
            for number in (numbers,) if isinstance(numbers, int) else numbers or (0,):
                of_point = found.setdefault(number, {})
                of_point[reason] = of_point.get(reason, 0) + count
        return found

"""Counts and times of the calls of a method. Pure.

Quantiles come from a histogram whose buckets grow by 5 percent: some hundred numbers, however many calls there are.
"""

from __future__ import annotations

from math import exp, log

_GROWTH = log(1.05)
_SMALLEST = 1e-9


class CallTimes:
    """Times of calls, in seconds."""

    __slots__ = ("_buckets", "count", "failures", "maximum", "minimum", "total")

    def __init__(self) -> None:
        self.count = 0
        self.failures = 0
        self.total = 0.0
        self.minimum = 0.0
        self.maximum = 0.0
        self._buckets: dict[int, int] = {}

    def add(self, cost: float, *, failed: bool) -> None:
        """Enter a call."""
        self.minimum = cost if not self.count else min(self.minimum, cost)
        self.maximum = max(self.maximum, cost)
        self.count += 1
        self.failures += failed
        self.total += cost
        bucket = round(log(max(cost, _SMALLEST)) / _GROWTH)
        self._buckets[bucket] = self._buckets.get(bucket, 0) + 1

    def merge(self, other: CallTimes) -> None:
        """Take in what was counted elsewhere."""
        if other.count:
            self.minimum = other.minimum if not self.count else min(self.minimum, other.minimum)
            self.maximum = max(self.maximum, other.maximum)
        self.count += other.count
        self.failures += other.failures
        self.total += other.total
        for bucket, count in other._buckets.items():
            self._buckets[bucket] = self._buckets.get(bucket, 0) + count

    @property
    def mean(self) -> float:
        """The mean time; 0 without calls."""
        return self.total / self.count if self.count else 0.0

    def quantile(self, share: float) -> float:
        """The time that this share of the calls (0 to 1) has not exceeded; 0 without calls."""
        wanted = share * self.count
        seen = 0
        for bucket in sorted(self._buckets):
            seen += self._buckets[bucket]
            if seen >= wanted:
                return min(max(exp(bucket * _GROWTH), self.minimum), self.maximum)
        return 0.0

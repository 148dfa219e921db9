"""Counts and times of calls: of a method's, and of the calls inside of them by line. Pure.

Quantiles come from a histogram whose buckets grow by 5 percent: some hundred numbers, however many calls there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import exp, log
from typing import Any, Self

from jdbpy.session.model.calls import CallNode, CallStatistics, MethodCalls

SiteKey = tuple[int | None, str, str]
"""The line of a call, and the method that it names."""

_GROWTH = log(1.05)
_SMALLEST = 1e-9


class CallTotals:
    """The number of calls, the number that failed, and their times in seconds."""

    __slots__ = ("count", "failures", "maximum", "minimum", "total")

    def __init__(self) -> None:
        self.count = self.failures = 0
        self.total = self.minimum = self.maximum = 0.0

    def add(self, cost: float, *, failed: bool) -> None:
        """Enter a call."""
        self.minimum = cost if not self.count else min(self.minimum, cost)
        self.maximum = max(self.maximum, cost)
        self.count += 1
        self.failures += failed
        self.total += cost

    def merge(self, other: Self) -> None:
        """Take in what was counted elsewhere."""
        if other.count:
            self.minimum = other.minimum if not self.count else min(self.minimum, other.minimum)
            self.maximum = max(self.maximum, other.maximum)
        self.count += other.count
        self.failures += other.failures
        self.total += other.total


class CallTimes(CallTotals):
    """Times of the calls of one method."""

    __slots__ = ("_buckets",)

    def __init__(self) -> None:
        super().__init__()
        self._buckets: dict[float, int] = {}  # by the middle of each, in seconds

    def add(self, cost: float, *, failed: bool) -> None:
        super().add(cost, failed=failed)
        middle = exp(round(log(max(cost, _SMALLEST)) / _GROWTH) * _GROWTH)
        self._buckets[middle] = self._buckets.get(middle, 0) + 1

    def add_all(
        self, buckets: Mapping[float, int], failures: int, total: float, minimum: float, maximum: float
    ) -> None:
        """Enter calls that were counted elsewhere: how many there were of about each time."""
        count = sum(buckets.values())
        self.minimum = minimum if not self.count else min(self.minimum, minimum)
        self.maximum = max(self.maximum, maximum)
        self.count += count
        self.failures += failures
        self.total += total
        for middle, more in buckets.items():
            self._buckets[middle] = self._buckets.get(middle, 0) + more

    def merge(self, other: Self) -> None:
        super().merge(other)
        for bucket, count in other._buckets.items():
            self._buckets[bucket] = self._buckets.get(bucket, 0) + count

    @property
    def mean(self) -> float:
        """Return the mean time; 0 without calls."""
        return self.total / self.count if self.count else 0.0

    def quantile(self, share: float) -> float:
        """Return the time that this share of the calls (0 to 1) has not exceeded; 0 without calls."""
        wanted = share * self.count
        seen = 0
        for bucket in sorted(self._buckets):
            seen += self._buckets[bucket]
            if seen >= wanted:
                return min(max(bucket, self.minimum), self.maximum)
        return 0.0

    def row(self) -> tuple[Any, ...]:
        """Return it as plain data, for ``add_row``."""
        return tuple(self._buckets.items()), self.failures, self.total, self.minimum, self.maximum

    def add_row(self, row: tuple[Any, ...]) -> None:
        """Take in what ``row`` has made plain data of."""
        buckets, failures, total, minimum, maximum = row
        self.add_all(dict(buckets), failures, total, minimum, maximum)


MethodNames = tuple[str, str, str, tuple[str, ...]]
"""The names of a method: its class, itself, its signature, its parameters."""


class TimesByMethod:
    """Times of the calls of several methods."""

    def __init__(self) -> None:
        self._times: dict[MethodNames, CallTimes] = {}

    def of(self, method: MethodNames) -> CallTimes:
        """Return the times of a method, to be added to."""
        found = self._times.get(method)
        if found is None:
            found = self._times[method] = CallTimes()
        return found

    def merge(self, other: TimesByMethod) -> None:
        """Take in what was counted elsewhere."""
        for method, times in other._times.items():
            self.of(method).merge(times)

    def rows(self) -> tuple[tuple[Any, ...], ...]:
        """Return them as plain data, for ``add_rows``."""
        return tuple((*method, times.row()) for method, times in self._times.items())

    def add_rows(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Take in what ``rows`` has made plain data of."""
        for class_name, method, signature, parameters, row in rows:
            self.of((class_name, method, signature, parameters)).add_row(row)

    def statistics(self, seconds: float, observed: int, in_target: int = 0, ordinary: str = "") -> CallStatistics:
        """Return the statistics of so many seconds, the method with the most time first."""
        seconds = max(seconds, _SMALLEST)
        rows = [
            MethodCalls(
                *method,
                times.count,
                times.failures,
                times.count / seconds,
                times.total,
                times.mean,
                times.minimum,
                times.maximum,
                times.quantile(0.5),
                times.quantile(0.99),
            )
            for method, times in self._times.items()
        ]
        rows.sort(key=lambda row: -row.total)
        return CallStatistics(seconds, observed, tuple(rows), in_target, ordinary)


class RunningTimes:
    """Times that go on: those since they were asked last, and all of them."""

    def __init__(self) -> None:
        self.new = TimesByMethod()
        """The calls since they were asked for last."""
        self._former = TimesByMethod()

    def drain(self) -> TimesByMethod:
        """Return what has come since this was asked last; it begins anew."""
        found, self.new = self.new, TimesByMethod()
        self._former.merge(found)
        return found

    def whole(self) -> TimesByMethod:
        """Return all since the beginning."""
        found = TimesByMethod()
        found.merge(self._former)
        found.merge(self.new)
        return found


class Fold(CallTotals):
    """Times of calls of one kind, and the calls inside of them, folded by line and by the method that is called."""

    __slots__ = ("children",)

    def __init__(self) -> None:
        super().__init__()
        self.children: dict[SiteKey, Fold] = {}

    def child(self, key: SiteKey) -> Fold:
        """Return the fold of the calls of one kind that are made inside."""
        found = self.children.get(key)
        if found is None:
            found = self.children[key] = Fold()
        return found

    def merge(self, other: Self) -> None:
        super().merge(other)
        for key, child in other.children.items():
            self.child(key).merge(child)

    @property
    def own(self) -> float:
        """Return the time that was spent in none of the calls inside."""
        return max(self.total - sum(child.total for child in self.children.values()), 0.0)

    def nodes(self, whole: float) -> tuple[CallNode, ...]:
        """Return the calls inside, in the order of their lines; ``whole`` is the time that is all of it."""
        ordered = sorted(self.children.items(), key=lambda item: item[0][0] or 0)
        return tuple(
            CallNode(
                line,
                class_name,
                method,
                fold.count,
                fold.failures,
                fold.minimum,
                fold.maximum,
                fold.total,
                fold.total / whole if whole else 0.0,
                fold.nodes(whole),
            )
            for (line, class_name, method), fold in ordered
            if fold.count
        )

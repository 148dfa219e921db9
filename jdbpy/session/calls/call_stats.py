"""Counts and times of calls, by method: nothing of a call is read, and none suspends its thread."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from jdbpy.session.breakpoints.method_patterns import ObservedMethod
from jdbpy.session.calls.backend import EndedCall, MethodKey
from jdbpy.session.calls.observation import Observation, Observations
from jdbpy.session.calls.statistics import CallTimes, MethodNames, RunningTimes, TimesByMethod
from jdbpy.session.model.calls import CallStatistics


class ObservedTimes(Observation):
    """Counts and times of calls by method."""

    def __init__(
        self,
        observer: Observations,
        method: str,
        most_methods: int,
        in_target: bool = False,
        excludes: Sequence[str] = (),
    ) -> None:
        self._times = RunningTimes()
        self._names: dict[MethodKey, MethodNames] = {}
        self._since = time.perf_counter()
        super().__init__(observer, method, most_methods, in_target, excludes)

    def _take(self, calls: Sequence[EndedCall]) -> None:
        for call in calls:
            self._count(call)
            if call.cost is not None:
                self._times.new.of(self._name(call.method)).add(call.cost, failed=call.failed)

    def enter(self, method: ObservedMethod, times: CallTimes) -> None:
        """Enter calls that the target has counted."""
        self.calls += times.count
        self.failures += times.failures
        self._times.new.of(self._name(method)).merge(times)

    def _name(self, of: ObservedMethod) -> MethodNames:
        found = self._names.get(of.key)
        if found is None:
            method = of.method
            found = of.owner.name, method.name, method.signature, tuple(method.parameters)
            self._names[of.key] = found
        return found

    async def __aenter__(self) -> Any:
        await super().__aenter__()
        self._since = time.perf_counter()
        return self

    def drain(self) -> TimesByMethod:
        """Return the times of the calls since it was asked last; counting begins anew. No trip."""
        return self._times.drain()

    def take(self) -> CallStatistics:
        """Return the calls since it was asked last; counting begins anew. No trip."""
        now = time.perf_counter()
        since, self._since = self._since, now
        return self._statistics(self.drain(), now - since)

    def whole(self) -> CallStatistics:
        """Return all calls since it began. No trip."""
        return self._statistics(self._times.whole(), self.seconds)

    def _statistics(self, found: TimesByMethod, seconds: float) -> CallStatistics:
        return found.statistics(seconds, self.observed, len(self.in_target), self.why_ordinary)

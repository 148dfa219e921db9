"""Counts and times of calls, by method: nothing of a call is read, and none suspends its thread."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from jdbpy.session.calls.means import EndedCall, MethodKey
from jdbpy.session.calls.observation import Observation, Observations
from jdbpy.session.calls.statistics import CallTimes
from jdbpy.session.model.calls import CallStatistics, MethodCalls


class ObservedTimes(Observation):
    """Counts and times of calls by method."""

    def __init__(self, observer: Observations, method: str, most_methods: int) -> None:
        self._times: dict[MethodKey, CallTimes] = {}
        self._whole: dict[MethodKey, CallTimes] = {}
        self._since = time.perf_counter()
        super().__init__(observer, method, most_methods)

    def _take(self, calls: Sequence[EndedCall]) -> None:
        for call in calls:
            self._count(call)
            if call.cost is not None:
                times = self._times.get(call.method.key)
                if times is None:
                    times = self._times[call.method.key] = CallTimes()
                times.add(call.cost, failed=call.failed)

    async def __aenter__(self) -> Any:
        await super().__aenter__()
        self._since = time.perf_counter()
        return self

    def take(self) -> CallStatistics:
        """The calls since it was asked last; counting begins anew. No trip."""
        now = time.perf_counter()
        found, self._times = self._times, {}
        since, self._since = self._since, now
        for key, times in found.items():
            self._whole.setdefault(key, CallTimes()).merge(times)
        return self._statistics(found, max(now - since, 1e-9))

    def whole(self) -> CallStatistics:
        """All calls since it began. No trip."""
        whole = {key: CallTimes() for key in (*self._whole, *self._times)}
        for times in (self._whole, self._times):
            for key, each in times.items():
                whole[key].merge(each)
        return self._statistics(whole, max(self.seconds, 1e-9))

    def _statistics(self, found: dict[MethodKey, CallTimes], seconds: float) -> CallStatistics:
        rows = [
            MethodCalls(
                self._methods[key].owner.name,
                self._methods[key].method.name,
                self._methods[key].method.signature,
                self._methods[key].method.parameters,
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
            for key, times in found.items()
        ]
        rows.sort(key=lambda row: -row.total)
        return CallStatistics(seconds, self.observed, tuple(rows))

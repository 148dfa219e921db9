"""What hits are counted in: by method, with a bounded number of values."""

from __future__ import annotations

import pytest

from jdbpy.session.breakpoints import hit_statistics
from jdbpy.session.breakpoints.hit_statistics import HitStatistics
from jdbpy.wire.constants import EventKind
from jdbpy.wire.ids import TaggedValue

ENTRY, EXIT = EventKind.METHOD_ENTRY, EventKind.METHOD_EXIT
METHOD = (1, 2)


def number(value: int) -> TaggedValue:
    return TaggedValue(ord("I"), value)


def test_kinds_and_methods_are_apart() -> None:
    statistics = HitStatistics()
    statistics.add(ENTRY, METHOD)
    statistics.add(EXIT, METHOD, number(7))
    statistics.add(EXIT, METHOD, number(7))
    statistics.add(EXIT, (1, 3), number(8))
    assert statistics.of_kind(ENTRY)[METHOD].count == 1
    assert statistics.of_kind(EXIT)[METHOD].values == {number(7): 2}
    assert statistics.of_kind(EXIT)[1, 3].values == {number(8): 1}


def test_frequent_values_outlast_the_many_rare_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hit_statistics, "MOST_VALUES", 10)
    statistics = HitStatistics()
    for value in range(1000):
        statistics.add(EXIT, METHOD, number(value))
        statistics.add(EXIT, METHOD, number(-1))
    row = statistics.of_kind(EXIT)[METHOD]
    assert row.count == 2000
    assert row.values[number(-1)] == 1000
    assert len(row.values) <= 10
    assert row.forgot


def test_values_and_methods_are_bounded_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hit_statistics, "MOST_IN_ALL", 5)
    monkeypatch.setattr(hit_statistics, "MOST_METHODS", 3)
    statistics = HitStatistics()
    for method in range(10):
        for value in range(4):
            statistics.add(EXIT, (1, method), number(value))
    rows = statistics.of_kind(EXIT)
    kept = [(row.count, len(row.values), row.forgot) for row in rows.values()]
    assert kept == [(4, 4, False), (4, 1, True), (4, 0, True)]
    assert statistics.others == 28

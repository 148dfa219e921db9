"""The totals of a point's hits: by method, how many, and which values they brought. Pure, and bounded.

A value that comes often keeps its count; of many different ones the rare are forgotten when there are too many, and
the number of different ones is then only known to be larger.
"""

from __future__ import annotations

from typing import Any

from jdbpy.wire.constants import EventKind, Tag
from jdbpy.wire.ids import TaggedValue

MOST_METHODS = 20_000
MOST_VALUES = 1_000
"""Different values that are kept of a method."""

MOST_IN_ALL = 50_000
"""Different values that are kept of all methods together."""

Method = tuple[int, int]
"""Type and method."""

Key = bytes | TaggedValue | int
"""A value: as it stood in the event, or decoded; or a class, by its id."""


def carried(event: Any) -> TaggedValue | None:
    """Return the value that an event carries: what is returned, or what a field is about to hold."""
    value = getattr(event, "valueToBe", None) or getattr(event, "value", None)
    return value if isinstance(value, TaggedValue) and value.tag != Tag.VOID else None


class HitStatisticsRow:
    """One method, and one kind of event in it."""

    __slots__ = ("count", "forgot", "values")

    def __init__(self) -> None:
        self.count = 0
        self.values: dict[Key, int] = {}
        self.forgot = False
        """True if there were more values than those."""


class HitStatistics:
    """The hits of one point by kind of event and method."""

    def __init__(self) -> None:
        self.rows: dict[EventKind, dict[Method, HitStatisticsRow]] = {}
        self.others = 0
        """Hits in further methods, of which there are too many."""
        self._methods = 0
        self._values = 0

    def of_kind(self, kind: EventKind) -> dict[Method, HitStatisticsRow]:
        """Return the rows of a kind, to be counted in directly."""
        return self.rows.setdefault(kind, {})

    def row(self, rows: dict[Method, HitStatisticsRow], method: Method) -> HitStatisticsRow | None:
        """Return the row of a method, a new one if need be; None, and the hit is counted, when there are too many."""
        row = rows.get(method)
        if row is None:
            if self._methods >= MOST_METHODS:
                self.others += 1
                return None
            self._methods += 1
            row = rows[method] = HitStatisticsRow()
        return row

    def add(self, kind: EventKind, method: Method, value: Key | None = None) -> None:
        """Count a hit."""
        row = self.row(self.of_kind(kind), method)
        if row is not None:
            row.count += 1
            if value is not None:
                self.add_value(row, value)

    def add_value(self, row: HitStatisticsRow, value: Key) -> None:
        """Count a value that a hit of a row has brought."""
        values = row.values
        if value in values:
            values[value] += 1
            return
        if len(values) >= MOST_VALUES:
            self._forget(row)
        if self._values >= MOST_IN_ALL:
            row.forgot = True
            return
        row.values[value] = 1
        self._values += 1

    def _forget(self, row: HitStatisticsRow) -> None:
        """Forget the rarer half of a row's values."""
        kept = sorted(row.values.items(), key=lambda item: -item[1])[: MOST_VALUES // 2]
        self._values -= len(row.values) - len(kept)
        row.values = dict(kept)
        row.forgot = True

"""What the heap's commands return beside the session's own data."""

from __future__ import annotations

from jdbpy import heap
from jdbpy.record import Record


class Referrers(Record):
    """The objects that refer to the value of an expression."""

    expression: str
    referrers: tuple[heap.Referrer, ...]


class Memory(Record):
    """The target's memory by areas."""

    areas: tuple[heap.MemoryArea, ...]


class ObjectSize(Record):
    """Bytes of one object by itself; None of an array, which has its ``length``."""

    expression: str
    type: str
    bytes: int | None
    length: int | None

"""Events and values: raw rows with their types. Constants are resolved when a field is read.

Owns the meaning of fields: ticks become nanoseconds, a simple type becomes its one field, a key its constant.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jdbpy.jfr.chunk import Chunk
from jdbpy.jfr.metadata import Type, TypedField
from jdbpy.jfr.readers import Row

TIMESTAMP = "jdk.jfr.Timestamp"
TIMESPAN = "jdk.jfr.Timespan"
UNSIGNED = "jdk.jfr.Unsigned"
TICKS = "TICKS"

_ALL_BITS = {"byte": 0xFF, "short": 0xFFFF, "int": 0xFFFF_FFFF, "long": 0xFFFF_FFFF_FFFF_FFFF}

NANOS = {"NANOSECONDS": 1, "MICROSECONDS": 1_000, "MILLISECONDS": 1_000_000, "SECONDS": 1_000_000_000}
EPOCHS = {
    "NANOSECONDS_SINCE_EPOCH": 1,
    "MILLISECONDS_SINCE_EPOCH": 1_000_000,
    "SECONDS_SINCE_EPOCH": 1_000_000_000,
}

NEVER, FOREVER = -(1 << 63), (1 << 63) - 1
"""A missing time; an unlimited one."""


class Struct:
    """A value with fields: ``value["method"]["name"]``. Fields are resolved when they are read.

    Times are in nanoseconds, points in time since 1970. A missing time is None.
    """

    __slots__ = ("_chunk", "raw", "type")

    def __init__(self, chunk: Chunk, kind: Type, raw: Row) -> None:
        self._chunk = chunk
        self.type = kind
        self.raw = raw

    def __getitem__(self, name: str) -> Any:
        place = self.type.index[name]
        return value_of(self._chunk, self.type.fields[place], self.raw[place])

    def get(self, name: str, default: Any = None) -> Any:
        """Return a field, or the default where this type has no such field."""
        return self[name] if name in self.type.index else default

    def __contains__(self, name: object) -> bool:
        return name in self.type.index

    def __iter__(self) -> Iterator[str]:
        return iter(self.type.index)

    def __len__(self) -> int:
        return len(self.type.index)

    def keys(self) -> list[str]:
        """Return the names of its fields in the order of the type."""
        return list(self.type.index)

    def __repr__(self) -> str:
        return f"<{self.type.name} {dict(zip(self.type.index, self.raw, strict=False))}>"


class Event(Struct):
    """An event. Its fields are reached by name, as of any value: ``event["startTime"]``."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The name of its type, such as ``jdk.ExecutionSample``."""
        return self.type.name

    @property
    def start(self) -> int:
        """The start time, in nanoseconds since 1970."""
        found: int = self.get("startTime", 0)
        return found

    @property
    def duration(self) -> int:
        """The duration in nanoseconds, 0 if the event has none."""
        return self.get("duration") or 0

    @property
    def thread(self) -> Struct | None:
        """The thread that emitted the event, or None."""
        found: Struct | None = self.get("eventThread")
        return found

    @property
    def stack_trace(self) -> Struct | None:
        """The stack of that thread: ``["frames"]``, the innermost first; ``["truncated"]``."""
        found: Struct | None = self.get("stackTrace")
        return found


def value_of(chunk: Chunk, field: TypedField, raw: Any) -> Any:
    """Return the value of a field from its raw form."""
    kind = chunk.types[field.type_id]
    if field.array:
        return [_single(chunk, field, kind, each) for each in raw]
    value = _single(chunk, field, kind, raw)
    if isinstance(value, int) and field.annotations and value is not True and value is not False:
        return _time(chunk, field, value)
    return value


def _single(chunk: Chunk, field: TypedField, kind: Type, raw: Any) -> Any:
    if kind.name == "java.lang.String":
        return chunk.text(raw)
    if field.constant:
        raw = chunk.constant(kind.id, raw)
        if raw is None:
            return None
    if not kind.fields:
        return raw
    if kind.simple:
        # a simple type of a simple type: as deep as the reader allowed structs to be, or a constant of constants
        return _unwrapped(chunk, kind, raw)
    return Struct(chunk, kind, raw)


def _unwrapped(chunk: Chunk, kind: Type, raw: Any) -> Any:
    for _ in range(8):
        [field] = kind.fields
        if not isinstance(raw, tuple) or len(raw) != 1:
            return None
        [raw] = raw
        kind = chunk.types[field.type_id]
        if field.array or kind.name == "java.lang.String" or not kind.fields:
            return value_of(chunk, field, raw)
        if field.constant:
            raw = chunk.constant(kind.id, raw)
        if not kind.simple:
            return None if raw is None else Struct(chunk, kind, raw)
    return None


def _time(chunk: Chunk, field: TypedField, value: int) -> int | None:
    unit = field.annotation(TIMESTAMP)
    if unit is not None:
        if value == NEVER:
            return None
        return chunk.nanos(value) if unit == TICKS else value * EPOCHS.get(unit, 1)
    unit = field.annotation(TIMESPAN)
    if unit is not None:
        if value in (NEVER, FOREVER):
            return None
        return chunk.span(value) if unit == TICKS else value * NANOS.get(unit, 1)
    if value < 0 and UNSIGNED in field.annotations:
        return value & _ALL_BITS.get(chunk.types[field.type_id].name, -1)
    return value

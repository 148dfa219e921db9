"""Events as ``jfr print --json`` of the JDK writes them: times as texts of ISO 8601, structs as objects.

Owns that form, field by field and digit by digit.
"""

from __future__ import annotations

import struct
from typing import Any

from jdbpy.jfr.chunk import Chunk
from jdbpy.jfr.metadata import TypedField
from jdbpy.jfr.values import FOREVER, NANOS, NEVER, TICKS, TIMESPAN, TIMESTAMP, Event, Struct, value_of

_DEEPEST = 60
"""How deep structs may stand in each other; a damaged recording may have some that contain themselves."""

_DAYS_TO_1970 = 719_468
_DAYS_OF_400_YEARS = 146_097


def json_form(event: Event, stack_depth: int = 64) -> dict[str, Any]:
    """Return an event as an object: ``type`` and ``values``; at most so many frames of each stack."""
    return {"type": event.type.name, "values": _object(event, stack_depth, _DEEPEST)}


def _object(value: Struct, stack_depth: int, deepest: int) -> dict[str, Any]:
    chunk = value._chunk
    return {
        field.name: _printed(chunk, field, raw, stack_depth, deepest)
        for field, raw in zip(value.type.fields, value.raw, strict=True)
    }


def _printed(chunk: Chunk, field: TypedField, raw: Any, stack_depth: int, deepest: int) -> Any:
    if isinstance(raw, int) and not isinstance(raw, bool) and field.annotations:
        unit = field.annotation(TIMESTAMP)
        if unit is not None:
            return _moment(value_of(chunk, field, raw), chunk.metadata.utc_offset)
        unit = field.annotation(TIMESPAN)
        if unit is not None:
            return _span(chunk, raw, unit)
    value = value_of(chunk, field, raw)
    if isinstance(value, list):
        if chunk.types[field.type_id].name == "jdk.types.StackFrame":
            value = value[:stack_depth]
        return [_plain(each, chunk, field, stack_depth, deepest) for each in value]
    return _plain(value, chunk, field, stack_depth, deepest)


def _plain(value: Any, chunk: Chunk, field: TypedField, stack_depth: int, deepest: int) -> Any:
    if isinstance(value, Struct):
        return _object(value, stack_depth, deepest - 1) if deepest else None
    if isinstance(value, float) and chunk.types[field.type_id].name == "float":
        return _shortest(value)
    return value


def _shortest(value: float) -> float:
    """Return the number of the fewest digits that is this float of four bytes."""
    if value - value == 0.0:
        packed = struct.pack(">f", value)
        for digits in range(1, 10):
            found = float(f"{value:.{digits}g}")
            if abs(found) < 3.4e38 and struct.pack(">f", found) == packed:
                return found
    return value


def _span(chunk: Chunk, raw: int, unit: str) -> str:
    if raw == FOREVER:
        return duration_text(FOREVER * 1_000_000_000 + 999_999_999)
    if raw == NEVER:
        return duration_text(NEVER * 1_000_000_000)
    if unit == TICKS:
        return duration_text(chunk.span(raw))
    return duration_text(raw * NANOS.get(unit, 1))


def duration_text(nanos: int) -> str:
    """Return a time in the words of ISO 8601, as Java's ``Duration`` does: ``PT1M2.5S``."""
    if not nanos:
        return "PT0S"
    seconds, fraction = divmod(abs(nanos), 1_000_000_000)
    hours, rest = divmod(seconds, 3600)
    minutes, rest = divmod(rest, 60)
    sign = "-" if nanos < 0 else ""
    text = "PT"
    if hours:
        text += f"{sign}{hours}H"
    if minutes:
        text += f"{sign}{minutes}M"
    if rest or fraction:
        text += f"{sign}{rest}" + (f".{fraction:09d}".rstrip("0") if fraction else "") + "S"
    return text


def _moment(nanos: int | None, offset: int) -> str:
    """Return a time as Java's ``OffsetDateTime`` does, in the zone of the machine; ``offset`` in milliseconds."""
    if nanos is None:
        return "-999999999-01-01T00:00+18:00"
    seconds, fraction = divmod(nanos, 1_000_000_000)
    offset_seconds = offset // 1000
    days, second = divmod(seconds + offset_seconds, 86_400)
    year, month, day = _date(days)
    text = f"{year:04d}-{month:02d}-{day:02d}T{second // 3600:02d}:{second // 60 % 60:02d}"
    if second % 60 or fraction:
        text += f":{second % 60:02d}"
    if fraction:
        digits = f"{fraction:09d}"
        text += "." + (digits[:3] if digits.endswith("000000") else digits[:6] if digits.endswith("000") else digits)
    if not offset_seconds:
        return text + "Z"
    sign = "-" if offset_seconds < 0 else "+"
    minutes = abs(offset_seconds) // 60
    return f"{text}{sign}{minutes // 60:02d}:{minutes % 60:02d}"


def _date(days: int) -> tuple[int, int, int]:
    """Return year, month and day of a day since 1970, also of years that Python's dates do not reach."""
    era, day = divmod(days + _DAYS_TO_1970, _DAYS_OF_400_YEARS)
    year = (day - day // 1460 + day // 36524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    return (
        year + era * 400 + (month > 9),
        month + 3 if month < 10 else month - 9,
        day - (153 * month + 2) // 5 + 1,
    )

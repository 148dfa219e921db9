"""Values and arrays in generated code: the parts whose width only the tag in the data gives.

Owns the tables from tag to ``struct`` method and the two functions for array regions that generated code calls.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any

from jdbpy.wire.ids import ArrayRegion, IDSizes, TaggedValue
from jdbpy.wire.layout import OBJECT_TAGS, VALUE_CODES, VOID_TAG, id_code

Readers = Mapping[int, tuple[Callable[[bytes, int], tuple[Any, ...]], int]]
"""By tag: what unpacks a value at an offset, and the value's width."""
Writers = Mapping[int, Callable[[Any], bytes]]
"""By tag: what packs a value."""


class Malformed(Exception):
    """Generated code has met bytes that cannot be right; ``wire.faults`` finds out where."""


def untagged_readers(sizes: IDSizes) -> Readers:
    """Readers for the values that a field or an element can have in a target with such ids."""
    table: dict[int, tuple[Callable[[bytes, int], tuple[Any, ...]], int]] = {}
    for tag, code in _codes(sizes).items():
        compiled = struct.Struct(">" + code)
        table[tag] = (compiled.unpack_from, compiled.size)
    return table


def tagged_readers(sizes: IDSizes) -> Readers:
    """Readers for the values that a method can return: those of fields, and void."""
    return {**untagged_readers(sizes), VOID_TAG: (lambda data, pos: (None,), 0)}


def untagged_writers(sizes: IDSizes) -> Writers:
    """Writers for the values that a field or an element can have."""
    return {tag: struct.Struct(">" + code).pack for tag, code in _codes(sizes).items()}


def tagged_writers(sizes: IDSizes) -> Writers:
    """Writers for the values that a method can return."""
    return {**untagged_writers(sizes), VOID_TAG: lambda value: b""}


def read_region(data: bytes, pos: int, readers: Readers) -> tuple[ArrayRegion, int]:
    """Read an array region at an offset; return it and the offset behind it."""
    tag = data[pos]
    (count,) = struct.unpack_from(">I", data, pos + 1)
    pos += 5
    if tag in VALUE_CODES:
        end = pos + count * readers[tag][1]
        if end > len(data):
            raise Malformed
        return ArrayRegion(tag, list(struct.unpack_from(f">{count}{VALUE_CODES[tag]}", data, pos))), end
    if tag not in OBJECT_TAGS or count > len(data) - pos:
        raise Malformed
    values: list[int | float | bool | TaggedValue] = []
    for _ in range(count):
        tag_of_element = data[pos]
        unpack, width = readers[tag_of_element]
        values.append(TaggedValue(tag_of_element, unpack(data, pos + 1)[0]))
        pos += 1 + width
    return ArrayRegion(tag, values), pos


def write_region(region: ArrayRegion, out: bytearray, writers: Writers) -> None:
    """Append an array region."""
    out += struct.pack(">BI", region.tag, len(region.values))
    if region.tag in VALUE_CODES:
        out += struct.pack(f">{len(region.values)}{VALUE_CODES[region.tag]}", *region.values)
        return
    for value in region.tagged():
        out.append(value.tag)
        out += writers[value.tag](value.value)


def _codes(sizes: IDSizes) -> dict[int, str]:
    return VALUE_CODES | dict.fromkeys(OBJECT_TAGS, id_code(sizes, "objectIDSize"))

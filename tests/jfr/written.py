"""Chunks written by hand, with types of any kind: what a JVM never writes, and bytes whose meaning is known."""

from __future__ import annotations

import struct
from collections.abc import Sequence

Attributes = dict[str, str]
Element = tuple[str, Attributes, Sequence["Element"]]


def number(value: int) -> bytes:
    """A compressed integer."""
    value &= (1 << 64) - 1
    found = bytearray()
    for _ in range(8):
        if value < 128:
            return bytes(found) + bytes([value])
        found.append(value & 127 | 128)
        value >>= 7
    return bytes(found) + bytes([value])


def text(value: str) -> bytes:
    """A string in UTF-8."""
    return b"\x03" + number(len(value.encode())) + value.encode()


def sized(body: bytes) -> bytes:
    """An event: its size in one to five bytes before it."""
    for width in range(1, 6):
        size = number(len(body) + width)
        if len(size) == width:
            return size + body
    raise AssertionError(len(body))


def field(name: str, type_id: int, **attributes: str) -> Element:
    """A field of a type."""
    return "field", {"name": name, "class": str(type_id), **attributes}, ()


def type_of(type_id: int, name: str, *fields: Element, **attributes: str) -> Element:
    """A type of values; of events with ``superType="jdk.jfr.Event"``."""
    return "class", {"id": str(type_id), "name": name, **attributes}, fields


def event_type(type_id: int, name: str, *fields: Element) -> Element:
    """A type of events."""
    return type_of(type_id, name, *fields, superType="jdk.jfr.Event")


def metadata(*types: Element) -> bytes:
    """The event that describes types."""
    strings: dict[str, int] = {}

    def index(value: str) -> bytes:
        return number(strings.setdefault(value, len(strings)))

    def element(part: Element) -> bytes:
        name, attributes, children = part
        found = index(name) + number(len(attributes))
        for key, value in attributes.items():
            found += index(key) + index(value)
        return found + number(len(children)) + b"".join(map(element, children))

    tree = element(("root", {}, [("metadata", {}, types), ("region", {"gmtOffset": "3600000"}, ())]))
    table = number(len(strings)) + b"".join(map(text, strings))
    return sized(number(0) + number(0) * 3 + table + tree)


def checkpoint(pools: dict[int, dict[int, bytes]], delta: int = 0) -> bytes:
    """The event that holds constants: by type and key."""
    body = number(1) + number(0) * 2 + number(delta) + b"\x00" + number(len(pools))
    for type_id, constants in pools.items():
        body += number(type_id) + number(len(constants))
        body += b"".join(number(key) + value for key, value in constants.items())
    return sized(body)


def event(type_id: int, *parts: bytes) -> bytes:
    """An event of a type, of the bytes of its fields."""
    return sized(number(type_id) + b"".join(parts))


def chunk(
    types: Sequence[Element], pools: dict[int, dict[int, bytes]], *events: bytes, size: int | None = None
) -> bytes:
    """A chunk: events, then constants, then types. ``size``: what its header says, if it lies."""
    body = b"".join(events)
    constants = 68 + len(body)
    body += checkpoint(pools)
    described = 68 + len(body)
    body += metadata(*types)
    length = 68 + len(body) if size is None else size
    nanos, ticks, frequency = 1_000_000_000, 500, 2_000_000_000
    head = struct.pack(">4sHHqqqqqqqI", b"FLR\0", 2, 1, length, constants, described, nanos, 9, ticks, frequency, 1)
    return head + body

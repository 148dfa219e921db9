"""Messages and packets as text: names, fields and values, for the wire log and for errors.

Owns the text form. Constants are shown by name, object and type ids as numbers, the ids that are pointers in the
target (fields, methods, frames) in hexadecimal; long lists, strings and byte arrays are cut. No control character gets
through.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum, IntFlag
from typing import TYPE_CHECKING, Any

from jdbpy.errors import ProtocolError
from jdbpy.escape import escape
from jdbpy.record import Record
from jdbpy.wire.codec import DEFAULT_SIZES, GeneratedCodec
from jdbpy.wire.command import Command, find_command
from jdbpy.wire.constants import (
    ClassStatus,
    EventKind,
    InvokeOptions,
    JdwpStepDepth,
    JdwpStepSize,
    JdwpSuspendPolicy,
    SuspendStatus,
    Tag,
    ThreadStatus,
    TypeTag,
    error_name,
)
from jdbpy.wire.faults import find_fault
from jdbpy.wire.ids import ArrayRegion, IDSizes, TaggedObjectID, TaggedValue
from jdbpy.wire.layout import (
    Blob,
    Group,
    Identifier,
    Kinds,
    LayoutNode,
    LayoutText,
    Region,
    Repeat,
    Tagged,
    Untagged,
    layout_of,
)

if TYPE_CHECKING:
    from jdbpy.wire.framing import Packet

ITEMS = 10
"""Elements of a list that are shown."""
LETTERS = 120
"""Characters of a string that are shown."""
BYTES = 32
"""Bytes of a byte array, or of data that cannot be decoded, that are shown."""

_CONSTANTS: dict[str, type[IntEnum] | type[IntFlag]] = {
    "depth": JdwpStepDepth,
    "eventKind": EventKind,
    "options": InvokeOptions,
    "refTypeTag": TypeTag,
    "sigbyte": Tag,
    "size": JdwpStepSize,
    "status": ClassStatus,
    "suspendPolicy": JdwpSuspendPolicy,
    "suspendStatus": SuspendStatus,
    "threadStatus": ThreadStatus,
    "typeTag": TypeTag,
}
_POINTERS = {"fieldIDSize", "methodIDSize", "frameIDSize"}

_codec = GeneratedCodec()


def explain(message: Record) -> str:
    """Return the fields of a message: ``thread=1, startFrame=0, length=-1``; empty when it has none."""
    return _fields(layout_of(type(message)), message)


def explain_data(cls: type[Record], data: bytes, sizes: IDSizes = DEFAULT_SIZES) -> str:
    """Return the fields of the message that the data should be, or what is wrong with the data and how it begins."""
    try:
        return explain(_codec.decode(cls, data, sizes))
    except ProtocolError:
        return f"unreadable: {find_fault(cls, data, sizes)}; the data is {explain_bytes(data)}"


def explain_body(packet: Packet, sizes: IDSizes = DEFAULT_SIZES, command: type[Command[Any]] | None = None) -> str:
    """Return what a packet says, without its header: fields, or the error of a reply; ``command`` is what a reply
    answers.
    """
    if packet.error:
        return f"{error_name(packet.error)} ({packet.error})"
    if packet.is_reply:
        return explain_data(command.REPLY, packet.data, sizes) if command else explain_bytes(packet.data)
    found = find_command(packet.command_set, packet.command)
    return explain_data(found, packet.data, sizes) if found else explain_bytes(packet.data)


def _fields(node: Group, message: Any) -> str:
    return ", ".join(f"{field}={explain_part(part, getattr(message, field), field)}" for field, part in node.fields)


def explain_part(node: LayoutNode, value: Any, field: str) -> str:
    """Return one part of a message as text; ``field`` is its own name, which may say whose constant it is."""
    match node:
        case LayoutText():
            return _text(value)
        case Blob():
            return explain_bytes(value)
        case Identifier():
            return f"{value:#x}" if node.family in _POINTERS else str(value)
        case Tagged() | Untagged():
            return _value(value)
        case Region():
            return _region(value)
        case Repeat():
            return _list(node.element, value, field)
        case Kinds():
            return f"{type(value).__name__}({_fields(layout_of(type(value)), value)})"
        case Group() if node.record is TaggedObjectID:
            return f"{constant_text(Tag, value.tag)} {value.objectID}"
        case Group():
            return f"{node.record.__name__}({_fields(node, value)})"
        case _:
            return _number(value, field)


def _list(element: LayoutNode, values: Sequence[Any], field: str) -> str:
    shown = [explain_part(element, value, field) for value in values[:ITEMS]]
    if len(values) > ITEMS:
        shown.append(f"... {len(values)} in all")
    return f"[{', '.join(shown)}]"


def _number(value: int, field: str) -> str:
    if field == "modBits":
        return f"{value & 0xFFFFFFFF:#x}"
    names = _CONSTANTS.get(field)
    return str(value) if names is None else constant_text(names, value)


def constant_text(names: type[IntEnum] | type[IntFlag], value: int) -> str:
    """Return the name of a number, or the names of its bits; the number itself where there is none."""
    known = issubclass(names, IntFlag) or value in names._value2member_map_
    return (known and names(value).name) or str(value)


def _value(value: TaggedValue) -> str:
    tag = constant_text(Tag, value.tag)
    return tag if value.value is None else f"{tag} {value.value}"


def _region(region: ArrayRegion) -> str:
    shown = [_value(value) if isinstance(value, TaggedValue) else str(value) for value in region.values[:ITEMS]]
    if len(region.values) > ITEMS:
        shown.append(f"... {len(region.values)} in all")
    return f"{constant_text(Tag, region.tag)}[{', '.join(shown)}]"


def _text(text: str) -> str:
    shown = escape(repr(text[:LETTERS]))
    return shown if len(text) <= LETTERS else f"{shown}... ({len(text)} characters)"


def explain_bytes(data: bytes) -> str:
    """Return the first bytes, and how many there are."""
    if not data:
        return "empty"
    return f"{data[:BYTES].hex(' ')}{'...' if len(data) > BYTES else ''} ({len(data)} bytes)"

"""The parts of an event that is alone in its set: read from the bytes, to see whether to decode them.

Owns the offsets, which follow from the declarations in ``messages.event`` and the sizes of the target's ids (a test
compares them with the codec). For all of an event the packet is decoded.

    suspendPolicy  number of events  eventKind  requestID  thread  location (tag, class, method, index)  the kind's own
    byte           int               byte       int        object  byte, type, method, long
"""

from __future__ import annotations

import struct

from jdbpy.record import Record
from jdbpy.wire.constants import EventKind
from jdbpy.wire.framing import Packet
from jdbpy.wire.ids import IDSizes, TaggedValue

REQUEST = slice(6, 10)
"""The id of the request of the first event, as its four bytes."""

KIND = 5

KIND_AND_REQUEST = slice(5, 10)
"""The kind of the first event and its request, as their bytes: what tells an event of another session's request."""

COUNT = slice(1, 5)

ONE = b"\0\0\0\1"
"""``COUNT`` of a set with one event."""

_HEAD = struct.Struct(">BiBi")  # up to the request
THREAD_AT = _HEAD.size
"""The offset of the thread of the first event of a set."""
_UNSIGNED = {1: "B", 2: "H", 4: "I", 8: "Q"}
_FORMS = {"B": "b", "C": "H", "D": "d", "F": "f", "I": "i", "J": "q", "S": "h", "Z": "?"}


def only_request(packet: Packet) -> int:
    """Return the request of the only event of a set that suspends something; 0 for every other set."""
    if len(packet.data) < _HEAD.size:
        return 0
    policy, count, _, request_id = _HEAD.unpack_from(packet.data)
    return int(request_id) if policy and count == 1 else 0


def thread_of(packet: Packet, sizes: IDSizes) -> int:
    """Return the thread of the first event of a set. For a kind without a thread, the bytes there mean nothing."""
    return int.from_bytes(packet.data[THREAD_AT : THREAD_AT + sizes.objectIDSize], "big")


class EventParts(Record):
    """The parts of one kind of event: ``place`` unpacks class and method at ``place_at``; ``value`` are the bytes of
    the value that the event carries, with its tag, None when it carries none."""

    place: struct.Struct
    place_at: int
    value: slice | None
    field: slice | None = None
    """Of a change of a field, which field of which object it is."""


def event_parts(kind: EventKind, sizes: IDSizes) -> EventParts | None:
    """Return the parts of a kind; None for one that has no place in code, or whose value is not at its end."""
    place_at = THREAD_AT + sizes.objectIDSize + 1
    end = place_at + sizes.referenceTypeIDSize + sizes.methodIDSize + 8
    of_field = end + 1 + sizes.referenceTypeIDSize
    after_field = of_field + sizes.fieldIDSize + 1 + sizes.objectIDSize
    field = None
    match kind:
        case EventKind.METHOD_ENTRY | EventKind.METHOD_EXIT | EventKind.BREAKPOINT | EventKind.FIELD_ACCESS:
            value = None
        case EventKind.METHOD_EXIT_WITH_RETURN_VALUE:
            value = slice(end, None)
        case EventKind.FIELD_MODIFICATION:
            value, field = slice(after_field, None), slice(of_field, after_field)
        case _:
            return None
    form = ">" + _UNSIGNED[sizes.referenceTypeIDSize] + _UNSIGNED[sizes.methodIDSize]
    return EventParts(struct.Struct(form), place_at, value, field)


def value_of(data: bytes) -> TaggedValue:
    """Return the value that its tag and its bytes are; bytes that do not fit their tag are taken for a number."""
    tag = data[0]
    form = struct.Struct(">" + _FORMS.get(chr(tag), "x"))
    if chr(tag) in _FORMS and form.size == len(data) - 1:
        return TaggedValue(tag, form.unpack(data[1:])[0])
    return TaggedValue(tag, int.from_bytes(data[1:], "big") if len(data) > 1 else None)

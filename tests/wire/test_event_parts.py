"""The parts of an event as they are read from its bytes, against the codec."""

from __future__ import annotations

import pytest

from jdbpy.wire import event_parts
from jdbpy.wire.codec import default_codec
from jdbpy.wire.constants import EventKind, Tag
from jdbpy.wire.ids import (
    CodeLocation,
    FieldID,
    IDSizes,
    MethodID,
    ObjectID,
    ReferenceTypeID,
    TaggedObjectID,
    TaggedValue,
    ThreadID,
)
from jdbpy.wire.messages import event

WIDE = IDSizes()
NARROW = IDSizes(fieldIDSize=4, methodIDSize=4)
PLACE = CodeLocation(1, ReferenceTypeID(0x1234), MethodID(0x5678), 9)
THREAD = ThreadID(ObjectID(77))
FIELD = (1, ReferenceTypeID(3), FieldID(4), TaggedObjectID(Tag.OBJECT, ObjectID(5)))
VALUES = [
    TaggedValue(ord("I"), -3),
    TaggedValue(ord("J"), 1 << 40),
    TaggedValue(ord("C"), 0xD800),
    TaggedValue(ord("Z"), True),
    TaggedValue(ord("B"), -1),
    TaggedValue(ord("S"), -300),
    TaggedValue(ord("D"), 1.5),
    TaggedValue(ord("F"), 0.25),
    TaggedValue(ord("s"), 88),
    TaggedValue(ord("L"), 0),
    TaggedValue(ord("V"), None),
]


@pytest.mark.parametrize("sizes", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("value", VALUES, ids=lambda value: chr(value.tag))
def test_they_are_where_the_codec_puts_them(sizes: IDSizes, value: TaggedValue) -> None:
    for happened, carries in (
        (event.MethodEntry(0x01020304, THREAD, PLACE), False),
        (event.MethodExit(0x01020304, THREAD, PLACE), False),
        (event.Breakpoint(0x01020304, THREAD, PLACE), False),
        (event.FieldAccess(0x01020304, THREAD, PLACE, *FIELD), False),
        (event.MethodExitWithReturnValue(0x01020304, THREAD, PLACE, value), True),
        (event.FieldModification(0x01020304, THREAD, PLACE, *FIELD, value), True),
    ):
        data = default_codec().encode(event.Composite(0, [happened]), sizes)
        parts = event_parts.event_parts(EventKind(type(happened).KIND), sizes)
        assert parts is not None
        assert data[event_parts.REQUEST] == b"\1\2\3\4"
        assert data[event_parts.COUNT] == event_parts.ONE
        assert parts.place.unpack_from(data, parts.place_at) == (PLACE.classID, PLACE.methodID)
        if isinstance(happened, event.FieldModification):
            assert parts.field is not None
            field = int(happened.fieldID).to_bytes(sizes.fieldIDSize, "big")
            assert data[parts.field] == field + bytes([Tag.OBJECT]) + (5).to_bytes(8, "big")
        if carries:
            assert parts.value is not None
            assert event_parts.value_of(data[parts.value]) == value
        else:
            assert parts.value is None


def test_kinds_without_a_place_have_no_parts() -> None:
    assert event_parts.event_parts(EventKind.THREAD_START, WIDE) is None

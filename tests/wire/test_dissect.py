"""Messages taken apart: every byte of a sound one has its field, and of others the first byte is told that does not
fit, which is the one that the codecs refuse."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from jdbpy.errors import ProtocolError
from jdbpy.record import Record
from jdbpy.wire import dissect as dissecting
from jdbpy.wire.codec import GeneratedCodec
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Tag
from jdbpy.wire.dissect import Misfit, PacketPart, dissect, dissect_extension
from jdbpy.wire.ids import ClassID, FieldID, FieldValue, IDSizes, TaggedValue
from jdbpy.wire.messages import (
    array_reference,
    class_type,
    event,
    event_request,
    string_reference,
    thread_reference,
    virtual_machine,
)
from tests.wire.strategies import MESSAGES, SIZES, messages

CODEC = GeneratedCodec()
OF_FIELDS = {"ClassType.SetValues", "ObjectReference.SetValues", "ArrayReference.SetValues"}
"""The messages with values without tags."""


@pytest.mark.parametrize(("name", "cls"), MESSAGES, ids=[name for name, _ in MESSAGES])
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_each_byte_of_a_sound_message_has_its_field(name: str, cls: type[Record], data: st.DataObject) -> None:
    sizes = data.draw(st.sampled_from(SIZES))
    encoded = CODEC.encode(data.draw(messages(cls, sizes)), sizes)
    taken = dissect(cls, encoded, sizes)
    assert (taken.misfit, taken.left_out, taken.last) == (None, 0, ())
    at = 0
    for part in taken.parts:
        assert part.offset == at, part
        at += part.size
    assert at == len(encoded)


@pytest.mark.parametrize(
    ("name", "cls"), [each for each in MESSAGES if each[0] not in OF_FIELDS], ids=lambda each: str(each)
)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_what_does_not_fit_is_what_the_codec_refuses(name: str, cls: type[Record], data: st.DataObject) -> None:
    encoded = bytearray(CODEC.encode(data.draw(messages(cls, IDSizes()))))
    for _ in range(data.draw(st.integers(0, 3))):
        if encoded:
            encoded[data.draw(st.integers(0, len(encoded) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.sampled_from([0, 0, 1, 5]))
    spoilt = bytes(encoded[: len(encoded) - cut]) + data.draw(st.sampled_from([b"", b"", b"\0", b"xyz"]))
    misfit = dissect(cls, spoilt).misfit
    try:
        CODEC.decode(cls, spoilt)
    except ProtocolError as error:
        found = re.search(r"at offset (\d+)", error.message)
        assert misfit is not None and found is not None, error
        if "values" not in misfit.name:  # an array is refused at its count, not at the first element without room
            assert misfit.offset == int(found[1])
    else:
        assert misfit is None


MISFITS: list[tuple[type[Command[Any]], bytes, Misfit]] = [
    (thread_reference.Frames, b"", Misfit("frames", 0, "a count of 4 bytes", "the end of the packet")),
    (
        thread_reference.Frames,
        b"\0\0\0\2" + bytes(33 + 20),
        Misfit("frames[1].location.methodID", 54, "a methodID of 8 bytes", "3 bytes: 00 00 00"),
    ),
    (
        thread_reference.Frames,
        b"\xff\xff\xff\xff" + bytes(33),
        Misfit("frames", 0, "a count that the 33 bytes behind it can hold", "-1"),
    ),
    (virtual_machine.Dispose, b"\7", Misfit("", 0, "the end of the packet", "1 byte: 07")),
    (
        string_reference.Value,
        b"\0\0\0\5abcd",
        Misfit("stringValue", 0, "a length that the 4 bytes behind it can hold", "5"),
    ),
    (string_reference.Value, b"\0\0\0\4ab\xffd", Misfit("stringValue", 6, "UTF-8", "0xff")),
    (
        class_type.InvokeMethod,
        b"X" + bytes(17),
        Misfit("returnValue", 0, "a tag, one of B C D F I J L S Z [ c g l s t V", "88 ('X')"),
    ),
    (
        array_reference.GetValues,
        b"I\0\0\0\2" + bytes(7),
        Misfit("values", 1, "a count that the 7 bytes behind it can hold", "2"),
    ),
]


@pytest.mark.parametrize(("command", "data", "misfit"), MISFITS)
def test_what_was_expected_is_told(command: type[Command[Any]], data: bytes, misfit: Misfit) -> None:
    assert dissect(command.REPLY, data).misfit == misfit


def test_an_unknown_modifier_is_told_with_those_that_exist() -> None:
    misfit = dissect(event_request.Set, b"\2\2\0\0\0\1\x63").misfit
    assert misfit == Misfit("modifiers[0].modKind", 6, "a modKind, one of 1 2 3 4 5 6 7 8 9 10 11 12 13", "99")


def test_an_event_of_an_unknown_kind_takes_the_rest() -> None:
    taken = dissect(event.Composite, b"\2\0\0\0\1\x4d\1\2\3")
    assert taken.misfit is None
    assert [(part.name, part.text) for part in taken.parts[2:]] == [
        ("events[0].eventKind", "unknown (77)"),
        ("events[0]", "01 02 03 (3 bytes)"),
    ]


def test_values_without_tags_are_read_by_what_is_known_of_fields() -> None:
    values = [FieldValue(FieldID(7), TaggedValue(Tag.INT, 5)), FieldValue(FieldID(8), TaggedValue(Tag.OBJECT, 9))]
    data = CODEC.encode(class_type.SetValues(ClassID(1), values))
    unknown = dissect(class_type.SetValues, data).parts[-1]
    assert (unknown.kind, unknown.offset + unknown.size) == ("values", len(data))
    assert "were not captured" in unknown.text
    known = dissect(
        class_type.SetValues, data, tags=lambda field: {7: int(Tag.INT), 8: int(Tag.OBJECT)}.get(field or 0)
    )
    assert [part.text for part in known.parts if part.kind == "value"] == ["INT 5", "OBJECT 9"]


def test_many_fields_are_left_out_but_for_those_before_a_misfit() -> None:
    data = (100).to_bytes(4, "big") + bytes(33 * 99 + 5)
    taken = dissect(thread_reference.FramesReply, data, most=3)
    assert [part.name for part in taken.parts] == ["frames", "frames[0].frameID", "frames[0].location.typeTag"]
    assert taken.misfit is not None and taken.misfit.name == "frames[99].frameID"
    assert taken.last[-1] == PacketPart("frames[98].location.index", "long", 4 + 33 * 99 - 8, 8, "0")
    assert len(taken.parts) + taken.left_out + len(taken.last) == 1 + 5 * 99


def test_a_message_of_which_the_end_is_missing_fits_as_far_as_it_goes() -> None:
    data = (100).to_bytes(4, "big") + bytes(33 + 12)
    taken = dissect(thread_reference.FramesReply, data, missing=33 * 99 - 12)
    assert (taken.misfit, taken.parts[-1].name) == (None, "frames[1].location.typeTag")
    assert dissect(thread_reference.FramesReply, data, missing=7).misfit is not None  # the count cannot be


def test_a_message_is_not_taken_apart_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dissecting, "MOST_PARTS", 1000)
    data = (2000).to_bytes(4, "big") + bytes(8 * 2000)
    taken = dissect(virtual_machine.AllThreadsReply, data, most=2)
    assert (taken.misfit, len(taken.parts), taken.left_out) == (None, 2, 998)


def test_commands_of_android() -> None:
    found = dissect_extension(199, 1, b"HELO\0\0\0\2ab")
    assert found is not None
    name, taken = found
    assert (name, taken.misfit) == ("DDM.Chunk", None)
    assert [part.text for part in taken.parts] == ["'HELO'", "2", "61 62 (2 bytes)"]
    for data in (b"HE", b"HELO\0\0\0\3ab"):
        found = dissect_extension(199, 1, data)
        assert found is not None and found[1].misfit is not None
    found = dissect_extension(199, 1, b"HELO\0\0\0\1ab")
    assert found is not None and found[1].misfit == Misfit("", 9, "the end of the packet", "1 byte: 62")
    assert dissect_extension(200, 1, b"") is None

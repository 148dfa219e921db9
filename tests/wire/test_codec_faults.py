"""What each codec says of bytes that are no message, and of messages that cannot become bytes."""

from __future__ import annotations

from typing import Any

import pytest

from jdbpy.errors import ProtocolError, UsageError
from jdbpy.wire.codec import Codec, GeneratedCodec, default_codec
from jdbpy.wire.command import Command
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy, Tag
from jdbpy.wire.ids import ArrayID, ArrayRegion, ClassID, FieldID, FieldValue, IDSizes, TaggedValue, ThreadID
from jdbpy.wire.messages import (
    array_reference,
    class_type,
    event,
    event_request,
    reference_type,
    string_reference,
    thread_reference,
    virtual_machine,
)
from jdbpy.wire.reference import ReferenceCodec


@pytest.fixture(params=[GeneratedCodec, ReferenceCodec])
def codec(request: pytest.FixtureRequest) -> Codec:
    made: Codec = request.param()
    return made


FAULTS: list[tuple[type[Command[Any]], bytes, str]] = [
    (thread_reference.Frames, b"", "frames at offset 0: takes 4 bytes, 0 are left"),
    (thread_reference.Frames, b"\0\0\0\1", "frames at offset 0: its count is 1, but only 0 bytes are left"),
    (thread_reference.Frames, b"\x7f\xff\xff\xff" + bytes(33), "frames at offset 0: its count is 2147483647, but only"),
    (thread_reference.Frames, b"\xff\xff\xff\xff" + bytes(33), "frames at offset 0: its count is negative (-1)"),
    (
        thread_reference.Frames,
        b"\0\0\0\2" + bytes(33 + 20),
        "frames[1].location.methodID at offset 54: takes 8 bytes, 3 are left",
    ),
    (thread_reference.Frames, b"\0\0\0\1" + bytes(34), "at offset 37: 1 bytes more than the message has"),
    (virtual_machine.Dispose, b"\0", "at offset 0: 1 bytes more than the message has"),
    (string_reference.Value, b"\0\0\0\5abcd", "stringValue at offset 0: its length is 5, but only 4 bytes are left"),
    (string_reference.Value, b"\x80\0\0\0abcd", "stringValue at offset 0: its length is negative (-2147483648)"),
    (string_reference.Value, b"\0\0\0\4ab\xffd", "stringValue at offset 6: not UTF-8 (0xff)"),
    (string_reference.Value, b"\0\0\0\3ab\xed", "stringValue at offset 6: not UTF-8 (0xed)"),
    (string_reference.Value, b"\0\0\0\2\xc0\x81", "stringValue at offset 4: not UTF-8 (0xc0)"),
    (
        reference_type.ConstantPool,
        b"\0\0\0\1\0\0\0\2x",
        "bytes at offset 4: its length is 2, but only 1 bytes are left",
    ),
    (class_type.InvokeMethod, b"X" + bytes(17), "returnValue at offset 0: no type has the tag 88 ('X')"),
    (array_reference.GetValues, b"V\0\0\0\1", "values at offset 0: no element type has the tag 86 ('V')"),
    (array_reference.GetValues, b"I\0\0\0\2" + bytes(7), "values[1] at offset 9: takes 4 bytes, 3 are left"),
    (
        array_reference.GetValues,
        b"I\x40\0\0\0",
        "values at offset 1: its count is 1073741824, but only 0 bytes are left",
    ),
    (array_reference.GetValues, b"L\0\0\0\1\x01" + bytes(8), "values[0] at offset 5: no type has the tag 1"),
]


@pytest.mark.parametrize(("command", "data", "text"), FAULTS, ids=[text for _, _, text in FAULTS])
def test_a_reply_that_is_none(codec: Codec, command: type[Command[Any]], data: bytes, text: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        codec.decode_reply(command, data)
    assert caught.value.message.startswith(f"{command.NAME} reply: {text}")
    assert "wire-log" in caught.value.hint


def test_faults_inside_an_event_set(codec: Codec) -> None:
    data = codec.encode(
        event.Composite(JdwpSuspendPolicy.ALL, [event.VMDeath(0), event.ClassUnload(3, "LX;")]),
    )
    with pytest.raises(ProtocolError, match=r"^Event\.Composite: events\[1\]\.signature at offset 15: its length is 3"):
        codec.decode(event.Composite, data[:-1])


def test_a_modifier_that_nobody_knows(codec: Codec) -> None:
    data = codec.encode(event_request.Set(EventKind.BREAKPOINT, JdwpSuspendPolicy.ALL, [event_request.Count(1)]))
    with pytest.raises(ProtocolError, match=r"^EventRequest\.Set: modifiers\[0\] at offset 6: no modKind has .* 14"):
        codec.decode(event_request.Set, data[:6] + b"\x0e" + data[7:])


def test_untagged_values_need_the_tags(codec: Codec) -> None:
    command = class_type.SetValues(ClassID(7), [FieldValue(FieldID(8), TaggedValue(Tag.INT, 5))])
    data = codec.encode(command)
    assert len(data) == 8 + 4 + 8 + 4  # no tag
    assert codec.decode(class_type.SetValues, data, tags=[Tag.INT]) == command
    with pytest.raises(ProtocolError, match=r"values\[0\]\.value at offset 20: its type is not known"):
        codec.decode(class_type.SetValues, data)


@pytest.mark.parametrize("size", [0, 3, 9, -8, 1 << 30])
def test_id_sizes_that_cannot_be(codec: Codec, size: int) -> None:
    sizes = IDSizes(objectIDSize=size)
    with pytest.raises(ProtocolError, match=f"objectIDSize is {size}; an id takes 1, 2, 4 or 8 bytes"):
        codec.decode(thread_reference.FramesReply, b"\0\0\0\0", sizes)


def test_an_unknown_event_is_kept_and_takes_the_rest(codec: Codec) -> None:
    events = [event.VMDeath(0), event.UnknownEvent(requestID=0, kind=77, data=b"whatever follows")]
    data = codec.encode(event.Composite(JdwpSuspendPolicy.NONE, events))
    assert codec.decode(event.Composite, data).events == events
    three = data[:1] + b"\0\0\0\3" + data[5:]  # a third event cannot be found behind an unknown one
    assert codec.decode(event.Composite, three).events == events


MISFITS: list[tuple[Command[Any], str]] = [
    (virtual_machine.Exit(1 << 31), "exitCode is 2147483648: "),
    (thread_reference.Frames(ThreadID(-1)), "thread is -1: "),
    (thread_reference.Frames(ThreadID(1), length=None), "length is None: "),  # type: ignore[arg-type]
    (virtual_machine.CreateString(b"x"), "utf is b'x': "),  # type: ignore[arg-type]
    (virtual_machine.RedefineClasses([5]), "classes is [5]: "),  # type: ignore[list-item]
    (event_request.Set(2, 1, [TaggedValue(1, 2)]), "modifiers is [TaggedValue(tag=1, value=2)]: "),  # type: ignore[list-item]
    (event_request.Set(2, 1, [event_request.Count(1 << 40)]), "modifiers is [Count(count=1099511627776)]: "),
    (
        thread_reference.ForceEarlyReturn(ThreadID(1), TaggedValue(Tag.INT, 2.5)),
        "value is TaggedValue(tag=<Tag.INT: 73>, value=2.5",
    ),
    (thread_reference.ForceEarlyReturn(ThreadID(1), TaggedValue(1, 2)), "value is TaggedValue(tag=1, value=2): "),
    (
        array_reference.SetValues(ArrayID(1), 0, [TaggedValue(Tag.BYTE, 128)]),
        "values is [TaggedValue(tag=<Tag.BYTE: 66>, value=128",
    ),
]


@pytest.mark.parametrize(("command", "text"), MISFITS, ids=[text for _, text in MISFITS])
def test_a_message_that_does_not_fit(codec: Codec, command: Command[Any], text: str) -> None:
    with pytest.raises(UsageError) as caught:
        codec.encode(command)
    assert caught.value.message.startswith(f"{command.NAME} cannot be sent: {text}")


def test_ids_that_are_too_wide_for_the_target(codec: Codec) -> None:
    name = thread_reference.Name(ThreadID(1 << 32))
    assert len(codec.encode(name)) == 8
    with pytest.raises(UsageError, match=r"ThreadReference\.Name cannot be sent: thread is 4294967296"):
        codec.encode(name, IDSizes(objectIDSize=4))


def test_regions_give_values_whatever_the_element_type() -> None:
    assert ArrayRegion(Tag.SHORT, [1, 2]).tagged() == [TaggedValue(Tag.SHORT, 1), TaggedValue(Tag.SHORT, 2)]
    assert ArrayRegion(Tag.OBJECT, [TaggedValue(Tag.STRING, 7)]).tagged() == [TaggedValue(Tag.STRING, 7)]


def test_what_is_generated_for_the_ids_of_hotspot_is_generated_once() -> None:
    """Of other widths, which a peer chooses among thousands, nothing is kept beyond its connection."""
    one, two, narrow = GeneratedCodec(), GeneratedCodec(), GeneratedCodec()
    name = thread_reference.Name(ThreadID(7))
    for codec in (one, two):
        codec.encode(name)
    narrow.encode(name, IDSizes(objectIDSize=4))
    assert one._encoders is two._encoders
    assert narrow._encoders is not one._encoders
    assert narrow._encoders[thread_reference.Name] is not one._encoders[thread_reference.Name]


def test_the_environment_chooses_the_codec(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JDBPY_CODEC", raising=False)
    assert isinstance(default_codec(), GeneratedCodec)
    monkeypatch.setenv("JDBPY_CODEC", "construct")
    assert isinstance(default_codec(), ReferenceCodec)
    monkeypatch.setenv("JDBPY_CODEC", "hand-made")
    with pytest.raises(UsageError, match="JDBPY_CODEC=hand-made"):
        default_codec()

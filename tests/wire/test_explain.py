"""Packets as text."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from jdbpy.record import Record
from jdbpy.wire.codec import GeneratedCodec
from jdbpy.wire.command import Command
from jdbpy.wire.constants import EventKind, JdwpStepDepth, JdwpStepSize, JdwpSuspendPolicy, Tag, TypeTag
from jdbpy.wire.explain import explain, explain_body, explain_data
from jdbpy.wire.framing import REPLY, Packet
from jdbpy.wire.ids import (
    ArrayRegion,
    ClassID,
    CodeLocation,
    FieldID,
    FieldValue,
    IDSizes,
    MethodID,
    ObjectID,
    ReferenceTypeID,
    TaggedObjectID,
    TaggedValue,
    ThreadID,
)
from jdbpy.wire.messages import (
    array_reference,
    class_type,
    event,
    event_request,
    reference_type,
    thread_reference,
    virtual_machine,
)
from tests.wire.strategies import MESSAGES, messages

PLACE = CodeLocation(TypeTag.CLASS, ReferenceTypeID(5), MethodID(0x7F00), 3)
STEP = event_request.Step(ThreadID(1), JdwpStepSize.LINE, JdwpStepDepth.OUT)

TEXTS: list[tuple[Record, str]] = [
    (virtual_machine.Dispose(), ""),
    (thread_reference.Frames(ThreadID(7)), "thread=7, startFrame=0, length=-1"),
    (
        event_request.Set(EventKind.SINGLE_STEP, JdwpSuspendPolicy.EVENT_THREAD, [STEP, event_request.Count(1)]),
        "eventKind=SINGLE_STEP, suspendPolicy=EVENT_THREAD, "
        "modifiers=[Step(thread=1, size=LINE, depth=OUT), Count(count=1)]",
    ),
    (
        event.Composite(9, [event.Breakpoint(2, ThreadID(1), PLACE)]),
        "suspendPolicy=9, events=[Breakpoint(requestID=2, thread=1, "
        "location=CodeLocation(typeTag=CLASS, classID=5, methodID=0x7f00, index=3))]",
    ),
    (event.UnknownEvent(0, 77, b"\x01\x02"), "requestID=0, kind=77, data=01 02 (2 bytes)"),
    (
        class_type.InvokeMethodReply(TaggedValue(Tag.VOID, None), TaggedObjectID(Tag.OBJECT, ObjectID(0))),
        "returnValue=VOID, exception=OBJECT 0",
    ),
    (
        class_type.SetValues(ClassID(4), [FieldValue(FieldID(255), TaggedValue(Tag.BOOLEAN, True))]),
        "clazz=4, values=[FieldValue(fieldID=0xff, value=BOOLEAN True)]",
    ),
    (array_reference.GetValuesReply(ArrayRegion(Tag.INT, [-1, 2])), "values=INT[-1, 2]"),
    (
        array_reference.GetValuesReply(ArrayRegion(Tag.OBJECT, [TaggedValue(Tag.STRING, 3)] * 12)),
        f"values=OBJECT[{'STRING 3, ' * 10}... 12 in all]",
    ),
    (virtual_machine.AllThreadsReply([ThreadID(1)] * 11), f"threads=[{'1, ' * 10}... 11 in all]"),
    (thread_reference.NameReply("a\x1b[2J\n\u202e\ud800"), r"threadName='a\x1b[2J\n\u202e\ud800'"),
    (thread_reference.NameReply("x" * 500), f"threadName='{'x' * 120}'... (500 characters)"),
    (reference_type.ConstantPoolReply(2, bytes(99)), f"count=2, bytes={'00 ' * 31}00... (99 bytes)"),
    (reference_type.ConstantPoolReply(0, b""), "count=0, bytes=empty"),
    (reference_type.ModifiersReply(-0x10000000 + 0x19), "modBits=0xf0000019"),
    (reference_type.StatusReply(7), "status=VERIFIED|PREPARED|INITIALIZED"),
    (reference_type.StatusReply(0), "status=0"),
    (thread_reference.StatusReply(-1, 1), "threadStatus=-1, suspendStatus=SUSPEND_STATUS_SUSPENDED"),
]


@pytest.mark.parametrize(("message", "text"), TEXTS, ids=[text for _, text in TEXTS])
def test_messages(message: Record, text: str) -> None:
    assert explain(message) == text


def packet(command: Command[Any]) -> Packet:
    return Packet(3, 0, command.COMMAND_SET, command.COMMAND, 0, GeneratedCodec().encode(command))


def test_bodies_of_packets() -> None:
    name = thread_reference.Name(ThreadID(7))
    assert explain_body(packet(name)) == "thread=7"
    assert explain_body(packet(virtual_machine.Suspend())) == ""
    reply = Packet(3, REPLY, 0, 0, 0, b"\0\0\0\4main")
    assert explain_body(reply, command=type(name)) == "threadName='main'"
    assert explain_body(reply) == "00 00 00 04 6d 61 69 6e (8 bytes)"
    refused = Packet(3, REPLY, 0, 0, 13, b"")
    assert explain_body(refused, command=type(name)) == "THREAD_NOT_SUSPENDED (13)"
    assert explain_body(Packet(3, 0, 199, 1, 0, b"\1")) == "01 (1 bytes)"


def test_data_that_is_no_message() -> None:
    assert explain_data(thread_reference.NameReply, b"\0\0\0\2x") == (
        "unreadable: threadName at offset 0: its length is 2, but only 1 bytes are left; "
        "the data is 00 00 00 02 78 (5 bytes)"
    )


@pytest.mark.parametrize("cls", [cls for _, cls in MESSAGES], ids=[name for name, _ in MESSAGES])
@settings(max_examples=5)
@given(draw=st.data())
def test_no_message_lets_a_control_character_through(draw: st.DataObject, cls: type[Record]) -> None:
    message = draw.draw(messages(cls, IDSizes()))
    text = explain(message)
    assert not [letter for letter in text if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
    assert all(f"{field}=" in text for field in cls.__fields__)

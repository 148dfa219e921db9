"""StackFrame, command set 16: variables of frames of suspended threads, and popping frames.

``frame`` is an id out of ThreadReference.Frames since the thread was last resumed, else INVALID_FRAMEID.
"""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.record import Record
from jdbpy.wire.command import Command, Empty, Reply
from jdbpy.wire.constants import CommandSet
from jdbpy.wire.ids import Byte, FrameID, Int, TaggedObjectID, TaggedValue, ThreadID


class SlotInfo(Record):
    slot: Int
    sigbyte: Byte


class GetValuesReply(Reply):
    values: list[TaggedValue]


class GetValues(Command[GetValuesReply], number=(CommandSet.StackFrame, 1)):
    """Values of slots; ``sigbyte`` is the ``Tag`` of each variable's type. Works without a variable table too.

    INVALID_SLOT for a slot that is not alive, TYPE_MISMATCH for another kind, OPAQUE_FRAME in native methods.
    """

    thread: ThreadID
    frame: FrameID
    slots: Sequence[SlotInfo]


class SlotValue(Record):
    """A slot and its new value; the specification calls it SlotInfo a second time."""

    slot: Int
    slotValue: TaggedValue


class SetValues(Command[Empty], number=(CommandSet.StackFrame, 2)):
    """Set slots. In virtual threads only in the top frame (OPAQUE_FRAME). Slot 0 of an instance method is ``this``."""

    thread: ThreadID
    frame: FrameID
    slotValues: Sequence[SlotValue]


class ThisObjectReply(Reply):
    objectThis: TaggedObjectID


class ThisObject(Command[ThisObjectReply], number=(CommandSet.StackFrame, 3)):
    """The frame's ``this``; 0 in static and native methods."""

    thread: ThreadID
    frame: FrameID


class PopFrames(Command[Empty], number=(CommandSet.StackFrame, 4), capability="canPopFrames", since="1.4"):
    """Drop this frame and those above; the call is made again on resume, with the arguments as they now are.

    Frames go one by one: after an error the upper ones may be gone. NO_MORE_FRAMES for the bottom frame, OPAQUE_FRAME
    when it or its caller is native.
    """

    thread: ThreadID
    frame: FrameID

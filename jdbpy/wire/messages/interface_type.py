"""InterfaceType, command set 5: calling static methods of interfaces."""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.wire.command import Command, Reply
from jdbpy.wire.constants import CommandSet
from jdbpy.wire.ids import Int, InterfaceID, MethodID, TaggedObjectID, TaggedValue, ThreadID


class InvokeMethodReply(Reply):
    returnValue: TaggedValue
    exception: TaggedObjectID


class InvokeMethod(Command[InvokeMethodReply], number=(CommandSet.InterfaceType, 1), since="1.8"):
    """Call a static method of an interface; the conditions are those of ``class_type.InvokeMethod``."""

    clazz: InterfaceID
    thread: ThreadID
    methodID: MethodID
    arguments: Sequence[TaggedValue]
    options: Int

"""ObjectReference, command set 9: fields, monitors and methods of objects, and keeping them alive.

Ids do not keep objects alive: INVALID_OBJECT says that one is gone. Object 0 crashes the VM in most of these.
"""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.wire.command import Command, Empty, Reply
from jdbpy.wire.constants import CommandSet
from jdbpy.wire.ids import (
    Boolean,
    Byte,
    ClassID,
    FieldID,
    FieldValue,
    Int,
    MethodID,
    ObjectID,
    ReferenceTypeID,
    TaggedObjectID,
    TaggedValue,
    ThreadID,
)


class ReferenceTypeReply(Reply):
    refTypeTag: Byte
    typeID: ReferenceTypeID


class ReferenceType(Command[ReferenceTypeReply], number=(CommandSet.ObjectReference, 1)):
    """The type of the object at run time: a class or an array type."""

    object: ObjectID


class GetValuesReply(Reply):
    values: list[TaggedValue]


class GetValues(Command[GetValuesReply], number=(CommandSet.ObjectReference, 2)):
    """Values of instance fields, inherited ones too. Unchecked: a static or foreign field id crashes the VM."""

    object: ObjectID
    fields: Sequence[FieldID]


class SetValues(Command[Empty], number=(CommandSet.ObjectReference, 3)):
    """Set instance fields, final ones too. As unchecked as GetValues."""

    object: ObjectID
    values: Sequence[FieldValue]


class MonitorInfoReply(Reply):
    owner: ThreadID
    entryCount: Int
    waiters: list[ThreadID]


class MonitorInfo(Command[MonitorInfoReply], number=(CommandSet.ObjectReference, 5), capability="canGetMonitorInfo"):
    """The owner of the monitor (0 for none), its entry count, and the waiting threads. Virtual threads are not reported
    (JDK 25).
    """

    object: ObjectID


class InvokeMethodReply(Reply):
    returnValue: TaggedValue
    exception: TaggedObjectID


class InvokeMethod(Command[InvokeMethodReply], number=(CommandSet.ObjectReference, 6)):
    """Call an instance method, overridden or (INVOKE_NONVIRTUAL) exactly this one; see ``class_type.InvokeMethod``."""

    object: ObjectID
    thread: ThreadID
    clazz: ClassID
    methodID: MethodID
    arguments: Sequence[TaggedValue]
    options: Int


class DisableCollection(Command[Empty], number=(CommandSet.ObjectReference, 7)):
    """Keep the object alive until EnableCollection or the end of the session. Pins are counted."""

    object: ObjectID


class EnableCollection(Command[Empty], number=(CommandSet.ObjectReference, 8)):
    """Undo one DisableCollection; unknown ids are no error."""

    object: ObjectID


class IsCollectedReply(Reply):
    isCollected: Boolean


class IsCollected(Command[IsCollectedReply], number=(CommandSet.ObjectReference, 9)):
    """Ask if the object is gone; true for ids that were never handed out as well."""

    object: ObjectID


class ReferringObjectsReply(Reply):
    referringObjects: list[TaggedObjectID]


class ReferringObjects(
    Command[ReferringObjectsReply],
    number=(CommandSet.ObjectReference, 10),
    capability="canGetInstanceInfo",
    since="1.6",
):
    """Reachable objects that refer to this one, at most ``maxReferrers``; 0 is all. The VM stands still meanwhile."""

    object: ObjectID
    maxReferrers: Int

"""ClassType, command set 3: what only classes have."""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.wire.command import Command, Empty, Reply
from jdbpy.wire.constants import CommandSet
from jdbpy.wire.ids import ClassID, FieldValue, Int, MethodID, TaggedObjectID, TaggedValue, ThreadID


class SuperclassReply(Reply):
    superclass: ClassID


class Superclass(Command[SuperclassReply], number=(CommandSet.ClassType, 1)):
    """The direct superclass; 0 for java.lang.Object."""

    clazz: ClassID


class SetValues(Command[Empty], number=(CommandSet.ClassType, 2)):
    """Set static fields, final ones too. The agent checks no field ids, and reports no assignment that failed."""

    clazz: ClassID
    values: Sequence[FieldValue]


class InvokeMethodReply(Reply):
    returnValue: TaggedValue
    exception: TaggedObjectID


class InvokeMethod(Command[InvokeMethodReply], number=(CommandSet.ClassType, 3)):
    """Call a static method on a thread that an event has stopped. Answers when the method returns, which may be never.

    The agent does not check the arguments: too few crash the VM. ``options`` are ``InvokeOptions``; without
    INVOKE_SINGLE_THREADED every thread runs meanwhile. ``exception`` is 0 or what the method threw. Frame ids of the
    thread are void afterwards.
    """

    clazz: ClassID
    thread: ThreadID
    methodID: MethodID
    arguments: Sequence[TaggedValue]
    options: Int


class NewInstanceReply(Reply):
    newObject: TaggedObjectID
    exception: TaggedObjectID


class NewInstance(Command[NewInstanceReply], number=(CommandSet.ClassType, 4)):
    """Make an object and run a constructor; everything said of InvokeMethod holds. One of the two ids is 0."""

    clazz: ClassID
    thread: ThreadID
    methodID: MethodID
    arguments: Sequence[TaggedValue]
    options: Int

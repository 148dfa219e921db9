"""ClassObjectReference, command set 17: from a java.lang.Class to the type."""

from __future__ import annotations

from jdbpy.wire.command import Command, Reply
from jdbpy.wire.constants import CommandSet
from jdbpy.wire.ids import Byte, ClassObjectID, ReferenceTypeID


class ReflectedTypeReply(Reply):
    refTypeTag: Byte
    typeID: ReferenceTypeID


class ReflectedType(Command[ReflectedTypeReply], number=(CommandSet.ClassObjectReference, 1)):
    """The type that a java.lang.Class object represents."""

    classObject: ClassObjectID

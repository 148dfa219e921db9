"""ClassLoaderReference, command set 14: what a class loader sees."""

from __future__ import annotations

from jdbpy.record import Record
from jdbpy.wire.command import Command, Reply
from jdbpy.wire.constants import CommandSet
from jdbpy.wire.ids import Byte, ClassLoaderID, ReferenceTypeID


class ClassInfo(Record):
    refTypeTag: Byte
    typeID: ReferenceTypeID


class VisibleClassesReply(Reply):
    classes: list[ClassInfo]


class VisibleClasses(Command[VisibleClassesReply], number=(CommandSet.ClassLoaderReference, 1)):
    """The types for which this loader was asked first (its initiating loader), whichever loader defined them."""

    classLoaderObject: ClassLoaderID

"""ArrayType, command set 4: making arrays."""

from __future__ import annotations

from jdbpy.wire.command import Command, Reply
from jdbpy.wire.constants import CommandSet
from jdbpy.wire.ids import ArrayTypeID, Int, TaggedObjectID


class NewInstanceReply(Reply):
    newArray: TaggedObjectID


class NewInstance(Command[NewInstanceReply], number=(CommandSet.ArrayType, 1)):
    """Make an array of ``length`` zeros or nulls; a negative length gives OUT_OF_MEMORY."""

    arrType: ArrayTypeID
    length: Int

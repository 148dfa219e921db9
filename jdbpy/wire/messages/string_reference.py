"""StringReference, command set 10: the characters of strings."""

from __future__ import annotations

from jdbpy.wire.command import Command, Reply
from jdbpy.wire.constants import CommandSet
from jdbpy.wire.ids import ObjectID, String


class ValueReply(Reply):
    stringValue: String


class Value(Command[ValueReply], number=(CommandSet.StringReference, 1)):
    """The whole string; there is no way to ask for a part of it."""

    stringObject: ObjectID

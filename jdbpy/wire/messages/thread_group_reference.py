"""ThreadGroupReference, command set 12: the tree of thread groups."""

from __future__ import annotations

from jdbpy.wire.command import Command, Reply
from jdbpy.wire.constants import CommandSet
from jdbpy.wire.ids import String, ThreadGroupID, ThreadID


class NameReply(Reply):
    groupName: String


class Name(Command[NameReply], number=(CommandSet.ThreadGroupReference, 1)):
    """The group's name."""

    group: ThreadGroupID


class ParentReply(Reply):
    parentGroup: ThreadGroupID


class Parent(Command[ParentReply], number=(CommandSet.ThreadGroupReference, 2)):
    """The group that this one is in; 0 at the top."""

    group: ThreadGroupID


class ChildrenReply(Reply):
    childThreads: list[ThreadID]
    childGroups: list[ThreadGroupID]


class Children(Command[ChildrenReply], number=(CommandSet.ThreadGroupReference, 3)):
    """The live platform threads and the groups directly in this one."""

    group: ThreadGroupID

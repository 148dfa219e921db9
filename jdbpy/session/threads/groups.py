"""The tree of thread groups, read level by level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jdbpy.errors import JdwpError
from jdbpy.record import Record
from jdbpy.session.model import ThreadGroup, ThreadInfo
from jdbpy.wire.connection import Connection
from jdbpy.wire.constants import Error
from jdbpy.wire.ids import ThreadGroupID, ThreadID
from jdbpy.wire.messages import thread_group_reference, virtual_machine

_GONE = frozenset({Error.INVALID_THREAD_GROUP, Error.INVALID_OBJECT})
_DEEPEST = 100
"""Levels that are read: no tree is that deep, but an agent could say so."""


class GroupNode(Record):
    """A thread group as the agent tells it, with what is directly in it."""

    name: str
    threads: Sequence[ThreadID]
    groups: Sequence[ThreadGroupID]


class GroupTree(Record):
    """All groups by id, and those at the top."""

    top: Sequence[ThreadGroupID]
    nodes: Mapping[ThreadGroupID, GroupNode]

    def threads(self) -> list[ThreadID]:
        """The threads of all groups."""
        return [thread for node in self.nodes.values() for thread in node.threads]

    def with_threads(self, infos: Mapping[int, ThreadInfo]) -> tuple[ThreadGroup, ...]:
        """The tree with what is known of the threads; those that are not in ``infos`` have ended."""
        return self._level(self.top, infos, _DEEPEST, set())

    def _level(
        self,
        groups: Sequence[ThreadGroupID],
        infos: Mapping[int, ThreadInfo],
        deepest: int,
        seen: set[ThreadGroupID],
    ) -> tuple[ThreadGroup, ...]:
        """``seen`` are groups that stand in the tree by now: one that is said to be below itself stands there once."""
        known = [
            (group, self.nodes[group])
            for group in dict.fromkeys(groups)
            if group in self.nodes and group not in seen and deepest
        ]
        seen.update(group for group, _ in known)
        return tuple(
            ThreadGroup(
                group,
                node.name,
                tuple(infos[thread] for thread in node.threads if thread in infos),
                self._level(node.groups, infos, deepest - 1, seen),
            )
            for group, node in known
        )


async def read_groups(conn: Connection) -> GroupTree:
    """All thread groups; one that is destroyed meanwhile is left out. wire: 1 trip, and 1 for each level."""
    top = (await conn.request(virtual_machine.TopLevelThreadGroups())).groups
    nodes: dict[ThreadGroupID, GroupNode] = {}
    level = list(top)
    while level:
        ask = [
            command(group)
            for group in level
            for command in (thread_group_reference.Name, thread_group_reference.Children)
        ]
        answers = await conn.batch(ask)
        below: dict[ThreadGroupID, None] = {}
        for group, name, children in zip(level, answers[::2], answers[1::2], strict=True):
            for refused in (name, children):
                if isinstance(refused, JdwpError) and refused.number not in _GONE:
                    raise refused
            if not isinstance(name, JdwpError) and not isinstance(children, JdwpError):
                nodes[group] = GroupNode(name.groupName, children.childThreads, children.childGroups)
                below.update(dict.fromkeys(children.childGroups))
        level = [group for group in below if group not in nodes]
    return GroupTree(top, nodes)

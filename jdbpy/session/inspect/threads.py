"""The threads of the target: listing them, finding one, all about one, the tree of groups.

Suspending and resuming belongs to ``execution``; frames beyond the top one that of ``stack``.
"""

from __future__ import annotations

import builtins
from collections.abc import Awaitable, Callable, Mapping, Sequence
from fnmatch import fnmatchcase

from jdbpy.errors import JdwpError, UsageError
from jdbpy.record import Record
from jdbpy.session.eval.utility_calls import CallRunner
from jdbpy.session.events.selection import no_such_thread
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import ENDED, TOP, FrameRange, ThreadReader, wire_thread
from jdbpy.session.inspect import thread_details
from jdbpy.session.inspect.sampling import Sampler
from jdbpy.session.inspect.thread_details import Convert, rename, throw_in
from jdbpy.session.inspect.virtual_threads import VirtualThreads
from jdbpy.session.model.threads import (
    EVERY_THREAD,
    EqualStacks,
    StackTrace,
    ThreadDetail,
    ThreadFilter,
    ThreadGroup,
    ThreadInfo,
    check,
    fits,
    fold,
)
from jdbpy.session.values.thread_fields import dumps_are_safe, find_virtual_threads, require_virtual_threads
from jdbpy.wire.connection import Connection
from jdbpy.wire.constants import Error
from jdbpy.wire.ids import ThreadGroupID, ThreadID
from jdbpy.wire.messages import thread_group_reference, virtual_machine

_GONE = frozenset({Error.INVALID_THREAD_GROUP, Error.INVALID_OBJECT})
_DEEPEST = 100
"""Levels that are read: no tree is that deep, but an agent could say so."""


class GroupNode(Record):
    """A thread group as the agent reports it, with what is directly in it."""

    name: str
    threads: Sequence[ThreadID]
    groups: Sequence[ThreadGroupID]


class GroupTree(Record):
    """All groups by id, and those at the top."""

    top: Sequence[ThreadGroupID]
    nodes: Mapping[ThreadGroupID, GroupNode]

    def threads(self) -> list[ThreadID]:
        """Return the threads of all groups."""
        return [thread for node in self.nodes.values() for thread in node.threads]

    def with_threads(self, infos: Mapping[int, ThreadInfo]) -> tuple[ThreadGroup, ...]:
        """Return the tree with what is known of the threads; those that are not in ``infos`` have ended."""
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
    """Return all thread groups; one that is destroyed meanwhile is left out. wire: 1 trip, and 1 for each level."""
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


_CANDIDATES = 5
"""Threads that an error names when several fit."""


class ThreadDirectory:
    """Component ``session.threads``."""

    def __init__(self, target: Target, runner: CallRunner, convert: Convert) -> None:
        self._target = target
        self._reader = ThreadReader(target)
        self._runner = runner
        self._convert = convert
        self._dumped = VirtualThreads(target, runner)

    async def list(self, with_frames: bool = False, *, chosen: ThreadFilter = EVERY_THREAD) -> list[ThreadInfo]:
        """Return all live threads, in the agent's order, or those that the filter lets through.

        ``with_frames`` adds the top frames of those that are suspended. Virtual threads are among them as far as they
        are known: those that have stopped at an event or were selected, until they end, and all that the agent reports
        when it was started with includevirtualthreads=y. wire: 3 trips, 2 when groups and classes are known, whatever
        the number of threads.
        """
        self._target.require_alive()
        check(chosen)
        return await self._infos(await self._reader.all_threads(), with_frames, chosen)

    async def virtual(
        self, most: int = 0, *, with_frames: bool = False, chosen: ThreadFilter = EVERY_THREAD
    ) -> builtins.list[ThreadInfo]:
        """Return the virtual threads that live, found in the heap: at most ``most`` are looked at, 0 for all.

        The target stands still while its heap is walked. Without the agent they come out of a dump, and nothing stands
        still. In a snapshot they are those that it has. Raises StateError before Java 21. wire: 4 trips.
        """
        self._target.require_alive()
        check(chosen)
        if self._target.diagnostics is not None:
            return await self._dumped.infos(chosen, most)
        if self._target.snapshot is not None:
            require_virtual_threads(self._target)
            return [each for each in await self.list(with_frames, chosen=chosen) if each.virtual]
        found = await self._infos(await find_virtual_threads(self._target, most), with_frames, chosen)
        return [info for info in found if info.state != ENDED]

    async def virtual_stacks(
        self, chosen: ThreadFilter = EVERY_THREAD, *, count: int | None = None
    ) -> builtins.list[StackTrace]:
        """Return the stacks of all virtual threads, mounted or not, or of those that the filter lets through: all
        frames, or the first ``count``.

        Java 21 to 24 are asked while the program runs, later ones while all of it is suspended. The JVM writes them to
        a temporary file, which is removed: with the agent by a method that is run in it, and then the ids of the
        threads are 0. In a snapshot they are those that it has. Raises StateError before Java 21, where it is not safe,
        and where no method can be run. wire: 20 trips, and 2 for every 4 MB; nothing without the agent.
        """
        if self._target.snapshot is None:
            return await self._dumped.stacks(check(chosen), count)
        kept = [wire_thread(each.id) for each in await self.virtual(chosen=chosen)]
        found = await self._reader.read(kept, FrameRange(0, count))
        return [StackTrace(each.info, each.frames, each.total, each.error) for each in found]

    async def virtual_folded(
        self, chosen: ThreadFilter = EVERY_THREAD, *, count: int | None = None
    ) -> builtins.list[EqualStacks]:
        """Like ``virtual_stacks``, equal stacks once: those of most threads first. Costs as that."""
        if self._target.snapshot is None:
            return await self._dumped.folded(check(chosen), count)
        return fold(await self.virtual_stacks(chosen, count=count))

    async def _infos(
        self, threads: builtins.list[ThreadID], with_frames: bool, chosen: ThreadFilter
    ) -> builtins.list[ThreadInfo]:
        read = await self._reader.read(threads, TOP if with_frames else None)
        return [each.info for each in read if fits(chosen, each.info)]

    async def with_fields(self, threads: Sequence[ThreadInfo]) -> builtins.list[ThreadInfo]:
        """Return the same threads with their daemon flag, priority and Java id. Runs nothing. wire: 3 or 4 trips."""
        self._target.require_alive()
        return await thread_details.with_fields(self._target, threads)

    async def detail(self, thread: int | ThreadInfo) -> ThreadDetail:
        """Return all about a thread, by its id or as it was found; what takes a method that cannot be run now is left
        out.

        wire: 8 trips over a link, 4 again.
        """
        if not isinstance(thread, int):
            return await thread_details.read_detail(self._target, thread.id, _same(thread), self._runner)
        self._target.require_alive()
        if thread <= 0:
            raise no_such_thread(thread)
        return await thread_details.read_detail(self._target, thread, lambda: self._by_id(thread), self._runner)

    async def with_times(self, threads: Sequence[ThreadInfo]) -> builtins.list[ThreadInfo]:
        """Return the same threads with their processor time, daemon flag, priority and Java id.

        Raises StateError when no thread can run the method that gives them. wire: 8 trips over a link, 4 again.
        """
        return await thread_details.with_times(self._target, threads, self._runner)

    async def throw_in(self, thread_id: int, expression: str) -> None:
        """Throws the value of an expression in a thread, as soon as it runs (JVM TI StopThread).

        Raises EvalError when that is no Throwable, StateError when the agent refuses. wire: 2 trips and the expression.
        """
        await throw_in(self._target, await self._by_id(thread_id), expression, self._convert)

    async def rename(self, thread_id: int, name: str) -> None:
        """Give a thread another name (Thread.setName). Raises StateError when no method can be run."""
        await rename(self._target, await self._by_id(thread_id), name, self._runner)

    async def find(self, text: str) -> ThreadInfo:
        """Return the thread with this id ("17", "#17", "0x11"), or this name; ``*`` in a name matches anything.

        A name may be cut short or written in other case as long as it fits one thread only. Raises UsageError when no
        thread fits, or several. wire: by id 1 trip, by name 2.
        """
        number = _number(text)
        if number is not None:
            return await self._by_id(number)
        found = await self.find_all(text)
        if len(found) == 1:
            return found[0]
        if not found:
            raise UsageError(f"no thread is called '{text}'", hint="'threads' lists them", code="NO_SUCH_THREAD")
        names = ", ".join(f'{info.id} "{info.name}"' for info in found[:_CANDIDATES])
        more = f" and {len(found) - _CANDIDATES} more" if len(found) > _CANDIDATES else ""
        raise UsageError(
            f"'{text}' fits {len(found)} threads: {names}{more}", hint="name one by its id", code="AMBIGUOUS_THREAD"
        )

    async def find_all(self, text: str) -> Sequence[ThreadInfo]:
        """Return the threads that a name or a pattern with ``*`` fits: exactly if any does, else in other case, else in
        part. Without the agent a name that fits none is looked for among the virtual threads.

        wire: 2 trips.
        """
        found = _named(text, await self.list())
        if not found and self._target.diagnostics is not None and dumps_are_safe(self._target):
            found = _named(text, await self._dumped.infos(EVERY_THREAD, 0))
        return found

    def sampler(self) -> Sampler:
        """Return a sampler of the stacks of all threads, which finds where they spend their time. No
        trip.
        """
        return Sampler(self._target)

    async def groups(self) -> tuple[ThreadGroup, ...]:
        """Return the tree of thread groups with their live threads.

        wire: 1 trip, 1 for each level of groups, 1 for all threads.
        """
        self._target.require_alive()
        tree = await read_groups(self._target.conn)
        threads = [each for each in tree.threads() if each not in self._target.suspension.own]
        return tree.with_threads({each.info.id: each.info for each in await self._reader.read(threads)})

    async def _by_id(self, number: int) -> ThreadInfo:
        self._target.require_alive()
        if 0 < number < 1 << 64:
            found = await self._reader.read([wire_thread(number)])
            if found:
                return found[0].info
        raise no_such_thread(number)


def _named(text: str, threads: Sequence[ThreadInfo]) -> Sequence[ThreadInfo]:
    """Return the threads that a name or a pattern fits, by the first way in which it fits any."""
    lower = text.lower()
    for like in (
        lambda name: name == text,
        lambda name: name.lower() == lower,
        lambda name: fnmatchcase(name.lower(), lower),
        lambda name: name.lower().startswith(lower),
        lambda name: lower in name.lower(),
    ):
        found = [info for info in threads if like(info.name)]
        if found:
            return found
    return []


def _same(thread: ThreadInfo) -> Callable[[], Awaitable[ThreadInfo]]:
    async def get() -> ThreadInfo:
        return thread

    return get


def _number(text: str) -> int | None:
    """Return the id that a text spells, or None."""
    if len(text) > 30:
        return None  # also of what Python takes for too long
    try:
        return int(text.removeprefix("#"), 0)
    except ValueError:
        return None

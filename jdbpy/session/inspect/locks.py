"""Component ``session.locks``: the locks of threads, one lock with all who want it, and deadlocks.

The agent reports the locks of suspended threads only. While the target runs it is suspended for the few round trips
that reading takes, and resumed whatever happens; the report says for how long.

Deadlocks: a thread waits for one thing at a time, so that each has at most one thread before it, and a walk along them
either ends or comes back to where it was.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager

import trio

from jdbpy.errors import JdwpError, StateError
from jdbpy.session.concurrency import both, together
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import ThreadReader, wire_thread
from jdbpy.session.model.locks import Deadlock, DeadlockReport, Lock, LocksReport, LockState, ThreadLocks
from jdbpy.session.model.threads import ThreadInfo
from jdbpy.session.model.values import Limits
from jdbpy.session.values.describe import describe
from jdbpy.session.values.juc_locks import Synchronizer, read_synchronizers, sync_of_lock
from jdbpy.session.values.lock_reader import BLOCKED, FEW, LockReader
from jdbpy.session.values.objects import Objects
from jdbpy.session.values.reader import Reader
from jdbpy.session.values.thread_fields import find_virtual_threads, read_blockers
from jdbpy.wire.constants import Error, Tag
from jdbpy.wire.ids import ObjectID, TaggedValue
from jdbpy.wire.messages import object_reference


def find_deadlocks(threads: Iterable[ThreadLocks]) -> list[Deadlock]:
    """Return the cycles, each with all who wait for one of its threads. Each begins with the thread that was listed
    first."""
    known = {each.thread.id: each for each in threads}
    waits_for = {
        number: each.awaits.owner.id
        for number, each in known.items()
        if each.awaits is not None and each.awaits.owner is not None and each.awaits.owner.id in known
    }
    found = []
    for cycle in find_cycles(waits_for):
        behind = [number for number in waits_for if number not in cycle and _leads_to(number, cycle, waits_for)]
        found.append(Deadlock(tuple(known[each] for each in cycle), tuple(known[each] for each in behind)))
    return found


def find_cycles(after: Mapping[int, int]) -> list[list[int]]:
    """Return the cycles of a graph in which each node has at most one successor, in the order of their first nodes."""
    cycles = []
    seen: set[int] = set()
    for start in after:
        path: dict[int, int] = {}
        node: int | None = start
        while node is not None and node not in seen:
            seen.add(node)
            path[node] = len(path)
            node = after.get(node)
        if node in path:
            cycles.append(list(path)[path[node] :])
    return cycles


def _leads_to(node: int, cycle: Sequence[int], after: Mapping[int, int]) -> bool:
    seen: set[int] = set()
    at: int | None = node
    while at is not None and at not in seen:
        if at in cycle:
            return True
        seen.add(at)
        at = after.get(at)
    return False


_Threads = dict[int, ThreadInfo]
"""Threads by id."""


class _Hold(list[float]):
    """Milliseconds for which the target was held, when it had to be."""

    @property
    def milliseconds(self) -> float | None:
        return self[0] if self else None


_KEPT_FREE = "a thread is about to take it, or the JVM keeps it free for one that was suspended in its wait()"
"""Why a monitor may have no owner although threads that run want it."""


class Locks:
    """Locks of one target."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._reader = LockReader(target)
        self._threads = ThreadReader(target)

    async def of(self, thread_ids: Sequence[int] | None = None, *, virtual: bool = False) -> LocksReport:
        """Return the locks of the given threads, or of all: what each holds, and what it waits for.

        Of virtual threads those that are known; all that the heap has with ``virtual``. A running target is suspended
        meanwhile. wire: 4 or 5 trips, whatever the number of threads; 2 more for locks of java.util.concurrent.
        """
        self._require()
        if virtual:
            self._target.require_agent("looking for locks of virtual threads")
        async with self._held(thread_ids) as hold:
            if thread_ids is not None:
                wanted = [wire_thread(each) for each in thread_ids]
            else:
                wanted = await self._reader.all_threads()
                if virtual:
                    wanted = list(dict.fromkeys([*wanted, *await find_virtual_threads(self._target, 0)]))
            found = await self._reader.read(wanted)
        return LocksReport(tuple(found), hold.milliseconds)

    async def deadlocks(self, *, virtual: bool = False) -> DeadlockReport:
        """Threads that wait for each other for ever: through monitors, java.util.concurrent locks and joins alike.

        Among virtual threads those that are known; all that the heap has with ``virtual``. A running target is
        suspended meanwhile. Costs as ``of``.
        """
        report = await self.of(virtual=virtual)
        return DeadlockReport(tuple(find_deadlocks(report.threads)), len(report.threads), report.held_up)

    async def state(self, object_id: int) -> LockState:
        """Return the monitor of an object or, of a java.util.concurrent lock, its synchronizer: owner, count, who
        waits.

        Raises StateError for null or an object that is gone. wire: 2 trips, 1 for a class that is new, 1 for an owner
        and those who wait.
        """
        self._require()
        if not object_id:
            raise StateError("null is not a lock", hint="'lock EXPRESSION' wants an object")
        try:
            return await self._state(object_id)
        except JdwpError as error:
            if error.number != Error.INVALID_OBJECT:
                raise
            raise StateError("no such object; it may have been garbage-collected", code=error.code) from error

    async def _state(self, object_id: int) -> LockState:
        """Return the state of a lock. Both kinds are asked for at once, before its class is known."""
        reader = Objects.of(self._target).reader
        told, lock, sync, (parked, known) = await together(
            lambda: self._target.conn.request(object_reference.MonitorInfo(ObjectID(object_id))),
            lambda: self._lock(object_id),
            lambda: reader.run(_synchronizer(reader, object_id)),
            self._parked,
        )
        if sync is None:
            return await self._monitor(lock, told, parked.get(object_id, []), known)
        return await self._synchronizer(lock, sync, parked.get(sync.id, []), known)

    async def _monitor(
        self, lock: Lock, told: object_reference.MonitorInfoReply, parked: Sequence[int], known: _Threads
    ) -> LockState:
        """Return the monitor; who is parked for the object itself (a Condition) waits for a signal."""
        threads = await self._infos([told.owner, *told.waiters, *parked], known)
        # Java 17 may tell one twice
        waiters = [threads[each] for each in dict.fromkeys(told.waiters) if each in threads]
        waiting = [each for each in waiters if each.state != BLOCKED]
        entering = tuple(each for each in waiters if each.state == BLOCKED)
        notes = ["virtual threads are not included"] if self._target.at_least(21) and not parked else []
        if not told.owner and any(not each.suspended for each in entering):
            notes.append(_KEPT_FREE)
        return LockState(
            lock,
            threads.get(told.owner),
            told.entryCount,
            entering=entering,
            waiting=(*waiting, *(threads[each] for each in parked if each in threads)),
            note="; ".join(notes),
        )

    async def _synchronizer(self, lock: Lock, told: Synchronizer, queued: Sequence[int], known: _Threads) -> LockState:
        threads = await self._infos([told.owner, *queued], known)
        entering = tuple(threads[each] for each in queued if each in threads)
        note = "" if told.owner or not told.state else f"it has no single owner; its state is {told.state}"
        count = told.state if told.owner else 0
        return LockState(lock.replace(kind="synchronizer"), threads.get(told.owner), count, entering, (), note)

    async def _parked(self) -> tuple[dict[int, list[int]], _Threads]:
        """Return the threads that are parked, by what for, and what was learned of all threads on the way.

        All threads are asked: the queue inside a synchronizer differs between releases. Over a slow link what they are
        is read beside. wire: 2 trips, 3 for classes that are new.
        """
        reader = Objects.of(self._target).reader
        everybody = await self._reader.all_threads()
        beside = everybody if self._target.high_latency and len(everybody) <= FEW else []
        blockers, read = await both(
            lambda: reader.run(read_blockers(reader, everybody)), lambda: self._threads.read(beside)
        )
        parked: dict[int, list[int]] = {}
        for thread, blocker in blockers.items():
            parked.setdefault(blocker, []).append(thread)
        return parked, {each.info.id: each.info for each in read}

    async def _infos(self, threads: Sequence[int], known: _Threads) -> _Threads:
        """These threads. wire: 2 trips, 1 when groups are known, 0 when all are."""
        wanted = [wire_thread(each) for each in dict.fromkeys(threads) if each and each not in known]
        return {**known, **{each.info.id: each.info for each in await self._threads.read(wanted)}}

    async def _lock(self, object_id: int) -> Lock:
        [value] = await describe(self._target, [TaggedValue(Tag.OBJECT, object_id)], Limits(depth=0))
        return Lock(object_id, value.type, value.text, "monitor")

    def _require(self) -> None:
        self._target.require_alive()
        for capability in ("canGetOwnedMonitorInfo", "canGetCurrentContendedMonitor", "canGetMonitorInfo"):
            if not self._target.can(capability):
                raise StateError("this JVM does not report monitors", hint="'capabilities' lists what it can")

    @asynccontextmanager
    async def _held(self, thread_ids: Sequence[int] | None) -> AsyncIterator[_Hold]:
        """Holds the whole target inside the block, unless all that matters is held anyway."""
        target = self._target
        hold = _Hold()
        suspension = target.suspension
        if target.agent_line:  # one dump has it all
            with target.frozen():
                yield hold
            return
        if suspension.everything_held or (thread_ids and all(map(suspension.is_suspended, thread_ids))):
            yield hold
            return
        start = trio.current_time()
        try:
            with target.frozen():
                yield hold
        finally:
            hold.append((trio.current_time() - start) * 1000)


async def _synchronizer(reader: Reader, object_id: int) -> Synchronizer | None:
    """Return the synchronizer behind a lock of java.util.concurrent; None for any other object. wire: 2 trips or
    more."""
    sync = await sync_of_lock(reader, object_id)
    if not sync:
        return None
    return (await read_synchronizers(reader, [sync])).get(sync, Synchronizer(sync, ""))

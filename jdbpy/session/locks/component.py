"""The component ``session.locks``: the locks of threads, one lock with all who want it, and deadlocks.

The agent tells the locks of suspended threads only. While the target runs it is suspended for the few round trips that
reading takes, and let go again whatever happens; the report says for how long.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

import trio

from jdbpy.errors import Disconnected, JdwpError, StateError
from jdbpy.session.concurrency import together
from jdbpy.session.locks.deadlocks import find_deadlocks
from jdbpy.session.locks.model import DeadlockReport, Lock, LocksReport, LockState
from jdbpy.session.locks.reading import LockReader
from jdbpy.session.locks.synchronizers import Synchronizer, read_synchronizers, sync_of_lock
from jdbpy.session.model import Limits, ThreadInfo
from jdbpy.session.suspension import Op
from jdbpy.session.target import Target
from jdbpy.session.threads.fields import read_thread_fields
from jdbpy.session.threads.reader import ThreadReader, wire_thread
from jdbpy.session.threads.virtual import find_virtual_threads
from jdbpy.session.values.describe import describe
from jdbpy.wire.constants import Error, Tag
from jdbpy.wire.ids import ObjectID, Value
from jdbpy.wire.messages import object_reference

_BLOCKED = "waiting for a monitor"


class _Hold(list[float]):
    """Milliseconds for which the target was held, when it had to be."""

    @property
    def milliseconds(self) -> float | None:
        return self[0] if self else None


class Locks:
    """Locks of one target."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._reader = LockReader(target)
        self._threads = ThreadReader(target)

    async def of(self, thread_ids: Sequence[int] | None = None, *, virtual: bool = False) -> LocksReport:
        """The locks of the given threads, or of all: what each holds, and what it waits for.

        Of virtual threads those that are known; all that the heap has with ``virtual``. A running target is suspended
        meanwhile. wire: 8 trips or so, whatever the number of threads.
        """
        self._require()
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
        suspended meanwhile. wire: 8 trips or so, whatever the number of threads.
        """
        report = await self.of(virtual=virtual)
        return DeadlockReport(tuple(find_deadlocks(report.threads)), len(report.threads), report.held_up)

    async def state(self, object_id: int) -> LockState:
        """The monitor of an object or, of a java.util.concurrent lock, its synchronizer: owner, count, who waits.

        Raises StateError for null or an object that is gone. wire: 6 trips or so.
        """
        self._require()
        if not object_id:
            raise StateError("null is no lock", hint="'lock EXPRESSION' wants an object")
        try:
            reader = self._target.objects.reader
            sync = await reader.run(sync_of_lock(reader, object_id))
            return await (self._synchronizer(object_id, sync) if sync else self._monitor(object_id))
        except JdwpError as error:
            if error.number != Error.INVALID_OBJECT:
                raise
            raise StateError("there is no such object (any more)", code=error.code) from error

    async def _monitor(self, object_id: int) -> LockState:
        """The monitor; who is parked for the object itself (a Condition) waits for a signal."""
        told, lock, parked = await together(
            lambda: self._target.conn.request(object_reference.MonitorInfo(ObjectID(object_id))),
            lambda: self._lock(object_id, "monitor"),
            lambda: self._parked(object_id),
        )
        threads = await self._infos([told.owner, *told.waiters, *parked])
        waiters = [threads[each] for each in told.waiters if each in threads]
        waiting = [each for each in waiters if each.state != _BLOCKED]
        return LockState(
            lock,
            threads.get(told.owner),
            told.entryCount,
            entering=tuple(each for each in waiters if each.state == _BLOCKED),
            waiting=(*waiting, *(threads[each] for each in parked if each in threads)),
            note="virtual threads are not told" if self._target.at_least(21) and not parked else "",
        )

    async def _synchronizer(self, object_id: int, sync: int) -> LockState:
        reader = self._target.objects.reader
        found, queued, lock = await together(
            lambda: reader.run(read_synchronizers(reader, [sync])),
            lambda: self._parked(sync),
            lambda: self._lock(object_id, "synchronizer"),
        )
        told = found.get(sync, Synchronizer(sync, ""))
        threads = await self._infos([told.owner, *queued])
        entering = tuple(threads[each] for each in queued if each in threads)
        note = "" if told.owner or not told.state else f"nobody owns it alone; its state is {told.state}"
        return LockState(lock, threads.get(told.owner), told.state if told.owner else 0, entering, (), note)

    async def _parked(self, object_id: int) -> list[int]:
        """The threads that are parked for an object.

        All threads are asked: the queue inside a synchronizer differs between releases. wire: 3 trips.
        """
        reader = self._target.objects.reader
        everybody = await self._reader.all_threads()
        fields = await reader.run(read_thread_fields(reader, everybody))
        return [thread for thread, each in fields.items() if each.blocker == object_id]

    async def _infos(self, threads: Sequence[int]) -> dict[int, ThreadInfo]:
        wanted = [wire_thread(each) for each in dict.fromkeys(threads) if each]
        return {each.info.id: each.info for each in await self._threads.read(wanted)}

    async def _lock(self, object_id: int, kind: str) -> Lock:
        [value] = await describe(self._target, [Value(Tag.OBJECT, object_id)], Limits(depth=0))
        return Lock(object_id, value.type, value.text, kind)

    def _require(self) -> None:
        self._target.require_alive()
        for capability in ("canGetOwnedMonitorInfo", "canGetCurrentContendedMonitor", "canGetMonitorInfo"):
            if not self._target.can(capability):
                raise StateError("this JVM does not tell about monitors", hint="'capabilities' lists what it can")

    @asynccontextmanager
    async def _held(self, thread_ids: Sequence[int] | None) -> AsyncIterator[_Hold]:
        """Holds the whole target inside the block, unless all that matters is held anyway."""
        target = self._target
        hold = _Hold()
        suspension = target.suspension
        if suspension.everything_held or (thread_ids and all(map(suspension.is_suspended, thread_ids))):
            yield hold
            return
        start = trio.current_time()
        target.submit_op(Op.VM_SUSPEND)
        try:
            yield hold
        finally:
            with suppress(Disconnected):
                target.submit_op(Op.VM_RESUME)
            hold.append((trio.current_time() - start) * 1000)

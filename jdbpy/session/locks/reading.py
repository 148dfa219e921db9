"""Reads the locks of any number of threads in the same few waves.

Owns the way from the agent's answers to ``ThreadLocks``. Threads must be suspended, or the agent does not tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jdbpy.errors import JdwpError
from jdbpy.session.concurrency import both, together
from jdbpy.session.locks.model import AwaitedLock, HeldLock, Lock, ThreadLocks
from jdbpy.session.locks.synchronizers import Synchronizer, read_synchronizers
from jdbpy.session.model import Frame, Limits, ThreadInfo, ThreadRef
from jdbpy.session.target import Target
from jdbpy.session.threads.answers import FrameRange
from jdbpy.session.threads.fields import ThreadFields, read_thread_fields
from jdbpy.session.threads.reader import ReadThread, ThreadReader, wire_thread
from jdbpy.session.values.describe import describe
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Error, Tag
from jdbpy.wire.ids import FrameID, ObjectID, ThreadID, Value
from jdbpy.wire.messages import object_reference, stack_frame, thread_reference
from jdbpy.wire.record import Record

_BRIEF = Limits(depth=0, string=40)
_BLOCKED = "waiting for a monitor"
_WAITING = "waiting"
_LIBRARY = ("java.", "jdk.", "sun.")
_ALL_FRAMES = FrameRange()

_WHY_NOT: Mapping[int, str] = {
    Error.THREAD_NOT_SUSPENDED: "the thread is running",
    Error.NOT_IMPLEMENTED: "this JVM does not tell",
    Error.OPAQUE_FRAME: "this JVM does not tell for a virtual thread that is not mounted",
}


class _Answers(Record):
    """What the agent and the thread's fields said of one thread. Monitors are (id, tag), and the depth of the frame."""

    info: ThreadInfo
    held: tuple[tuple[Value, int], ...] = ()
    contended: Value | None = None
    blocker: int = 0
    error: str = ""

    @property
    def wants(self) -> int:
        """The object that it waits for, 0 for none."""
        return int(self.contended.value or 0) if self.contended is not None else self.blocker


class LockReader:
    """Reads the locks of threads of one target."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._threads = ThreadReader(target)

    async def all_threads(self) -> list[ThreadID]:
        """All live threads that are known. wire: 1 trip."""
        return await self._threads.all_threads()

    async def read(self, threads: Sequence[ThreadID]) -> list[ThreadLocks]:
        """The locks of the threads that are alive, in the given order.

        wire: 8 trips or so, whatever the number of threads and locks.
        """
        read, monitors, fields = await together(
            lambda: self._threads.read(threads),
            lambda: self._monitors(threads),
            lambda: self._fields(threads),
        )
        answers = [_answers(each.info, monitors[each.info.id], fields.get(each.info.id)) for each in read]
        parked = [each.blocker for each in answers if each.contended is None and each.blocker]
        synchronizers, frames = await both(
            lambda: self._target.objects.reader.run(read_synchronizers(self._target.objects.reader, parked)),
            lambda: self._frames([each for each in answers if each.held or each.wants or each.info.state == _WAITING]),
        )
        answers = await self._waits(answers, frames)
        owners = {int(value.value or 0): each.info.id for each in answers for value, _ in each.held}
        owners |= await self._unknown_owners(answers, owners)
        locks, names = await both(
            lambda: self._locks(answers, synchronizers),
            lambda: self._names(
                {each.info.id: each.info.name for each in answers},
                {*owners.values(), *(each.owner for each in synchronizers.values())},
            ),
        )
        everybody = _Everybody(owners, synchronizers, locks, names, frames)
        return [everybody.locks_of(each) for each in answers]

    async def _monitors(self, threads: Sequence[ThreadID]) -> dict[int, tuple[Any, Any]]:
        """The agent's two answers for each thread. wire: 1 trip."""
        with_frames = self._target.can("canGetMonitorFrameInfo")
        commands: list[Command[Any]] = [
            thread_reference.OwnedMonitorsStackDepthInfo(thread)
            if with_frames
            else thread_reference.OwnedMonitors(thread)
            for thread in threads
        ]
        commands += [thread_reference.CurrentContendedMonitor(thread) for thread in threads]
        outcomes = await self._target.conn.batch(commands)
        return {
            thread: (one, two) for thread, one, two in zip(threads, outcomes, outcomes[len(threads) :], strict=False)
        }

    async def _fields(self, threads: Sequence[ThreadID]) -> dict[int, ThreadFields]:
        reader = self._target.objects.reader
        return await reader.run(read_thread_fields(reader, threads))

    async def _frames(self, answers: Iterable[_Answers]) -> dict[int, ReadThread]:
        """The stacks of those that hold or want something. wire: 2 trips."""
        threads = [wire_thread(each.info.id) for each in answers]
        return {each.info.id: each for each in await self._threads.read(threads, _ALL_FRAMES)}

    async def _waits(self, answers: list[_Answers], frames: Mapping[int, ReadThread]) -> list[_Answers]:
        """Fills in the objects of Object.wait, which newer releases of HotSpot no longer tell. wire: 0 or 1 trip."""
        waits: dict[int, Frame] = {}
        for each in answers:
            if not each.wants and each.info.id in frames:
                top = frames[each.info.id].frames[:3]
                waits.update((each.info.id, frame) for frame in top if _is_wait(frame) and not frame.native)
        outcomes = await self._target.conn.batch(
            [stack_frame.ThisObject(wire_thread(thread), FrameID(frame.id)) for thread, frame in waits.items()]
        )
        found = {
            thread: Value(outcome.objectThis.tag, outcome.objectThis.objectID)
            for thread, outcome in zip(waits, outcomes, strict=True)
            if not isinstance(outcome, JdwpError) and outcome.objectThis.objectID
        }
        return [each.replace(contended=found.get(each.info.id, each.contended)) for each in answers]

    async def _unknown_owners(self, answers: Sequence[_Answers], known: Mapping[int, int]) -> dict[int, int]:
        """The owners of monitors that none of these threads holds, as far as the agent tells. wire: 0 or 1 trip."""
        wanted = [each.wants for each in answers if each.contended is not None and each.wants not in known]
        monitors = list(dict.fromkeys(wanted)) if self._target.can("canGetMonitorInfo") else []
        outcomes = await self._target.conn.batch([object_reference.MonitorInfo(ObjectID(each)) for each in monitors])
        return {
            monitor: outcome.owner
            for monitor, outcome in zip(monitors, outcomes, strict=True)
            if not isinstance(outcome, JdwpError) and outcome.owner
        }

    async def _locks(self, answers: Iterable[_Answers], parked: Mapping[int, Synchronizer]) -> dict[int, Lock]:
        """Every lock in words. wire: 2 trips or so."""
        values: dict[int, Value] = {}
        for each in answers:
            values.update((int(value.value or 0), value) for value, _ in each.held)
            if each.wants:
                values[each.wants] = each.contended or Value(Tag.OBJECT, each.wants)
        kinds = {each.id: each.kind or "synchronizer" for each in parked.values()}
        described = await describe(self._target, list(values.values()), _BRIEF)
        return {
            number: Lock(number, value.type, value.text, kinds.get(number, "monitor"))
            for number, value in zip(values, described, strict=True)
        }

    async def _names(self, known: dict[int, str], owners: set[int]) -> dict[int, str]:
        """The names of threads. wire: 0 or 1 trip."""
        unknown = [owner for owner in owners if owner and owner not in known]
        outcomes = await self._target.conn.batch([thread_reference.Name(wire_thread(owner)) for owner in unknown])
        told = {
            owner: outcome.threadName
            for owner, outcome in zip(unknown, outcomes, strict=True)
            if not isinstance(outcome, JdwpError)
        }
        return known | told


class _Everybody(Record):
    """What was found out about all threads together."""

    owners: Mapping[int, int]  # thread by monitor
    synchronizers: Mapping[int, Synchronizer]
    locks: Mapping[int, Lock]
    names: Mapping[int, str]
    frames: Mapping[int, ReadThread]

    def locks_of(self, each: _Answers) -> ThreadLocks:
        """The locks of one thread."""
        read = self.frames.get(each.info.id)
        frames = read.frames if read is not None else ()
        held = tuple(
            HeldLock(self.locks[int(value.value or 0)], frames[depth] if 0 <= depth < len(frames) else None)
            for value, depth in each.held
        )
        return ThreadLocks(each.info, held, self._awaits(each, frames) if each.wants else None, each.error)

    def _awaits(self, each: _Answers, frames: Sequence[Frame]) -> AwaitedLock:
        lock = self.locks[each.wants]
        place = next((frame for frame in frames if not frame.location.class_name.startswith(_LIBRARY)), None)
        place = place or (frames[0] if frames else None)
        if each.contended is None:
            found = self.synchronizers.get(each.wants, Synchronizer(each.wants, ""))
            how = ("get" if found.kind == "task" else "acquire") if found.owner else "park"
            return AwaitedLock(lock, how, self._ref(found.owner), place)
        joined = next((frame for frame in frames[:4] if _is_join(frame)), None)
        if joined is not None and lock.id in self.names:
            return AwaitedLock(lock.replace(kind="thread"), "join", self._ref(lock.id), place)
        owner = self.owners.get(each.wants, 0)
        if each.info.state != _BLOCKED and any(_is_wait(frame) for frame in frames[:3]):
            return AwaitedLock(lock, "wait", None, place)
        return AwaitedLock(lock, "enter", self._ref(owner if owner != each.info.id else 0), place)

    def _ref(self, thread: int) -> ThreadRef | None:
        return ThreadRef(thread, self.names.get(thread, "")) if thread else None


def _answers(info: ThreadInfo, monitors: tuple[Any, Any], fields: ThreadFields | None) -> _Answers:
    """Takes apart what came for one thread."""
    owned, contended = monitors
    failed = next((each for each in (owned, contended) if isinstance(each, JdwpError)), None)
    error = _WHY_NOT.get(failed.number, failed.message) if failed is not None else ""
    held: list[tuple[Value, int]] = []
    for each in () if isinstance(owned, JdwpError) else owned.owned:
        if isinstance(each, thread_reference.Monitor):
            held.append((Value(each.monitor.tag, each.monitor.objectID), each.stack_depth))
        else:
            held.append((Value(each.tag, each.objectID), -1))
    wanted = None
    if not isinstance(contended, JdwpError) and contended.monitor.objectID:
        wanted = Value(contended.monitor.tag, contended.monitor.objectID)
    return _Answers(info, tuple(held), wanted, fields.blocker if fields is not None else 0, error)


def _is_join(frame: Frame) -> bool:
    return (frame.location.class_name, frame.location.method) == ("java.lang.Thread", "join")


def _is_wait(frame: Frame) -> bool:
    return frame.location.class_name == "java.lang.Object" and frame.location.method.startswith("wait")

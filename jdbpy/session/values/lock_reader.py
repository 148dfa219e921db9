"""Reads the locks of any number of threads in the same few waves.

Owns the way from the agent's answers to ``ThreadLocks``. Threads must be suspended, or the agent does not tell.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from jdbpy.errors import JdwpError
from jdbpy.record import Record
from jdbpy.session.concurrency import both, once, together
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import FrameRange, ReadThread, ThreadReader, wire_thread
from jdbpy.session.model.locks import AwaitedLock, HeldLock, Lock, ThreadLocks
from jdbpy.session.model.threads import NOT_KNOWN, FrameInfo, ThreadInfo, ThreadRef
from jdbpy.session.model.values import Limits
from jdbpy.session.values.describe import describe
from jdbpy.session.values.juc_locks import Synchronizer, read_synchronizers
from jdbpy.session.values.objects import Objects
from jdbpy.session.values.thread_fields import expect_blockers, read_blockers
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Error, Tag
from jdbpy.wire.error_text import jdwp_error
from jdbpy.wire.ids import FrameID, ObjectID, TaggedValue, ThreadID
from jdbpy.wire.messages import object_reference, stack_frame, thread_reference

_BRIEF = Limits(depth=0, string=40)
BLOCKED = "waiting for a monitor"
_WAITING = "waiting"
_LIBRARY = ("java.", "jdk.", "sun.")
_ALL_FRAMES = FrameRange()
FEW = 100
"""So many threads' stacks are read unasked over a slow link."""

MonitorAnswers = tuple[Any, Any]
"""The replies, or errors, about the monitors that a thread owns, and the one that it wants."""
Monitors = Callable[[], Awaitable[Mapping[int, MonitorAnswers]]]
Blockers = Callable[[], Awaitable[Mapping[int, int]]]
"""These by thread; asked for once."""

_WHY_NOT: Mapping[int, str] = {
    Error.THREAD_NOT_SUSPENDED: "the thread is running",
    Error.NOT_IMPLEMENTED: "this JVM does not report it",
    Error.OPAQUE_FRAME: "this JVM does not report it for a virtual thread that is not mounted",
}


class _Answers(Record):
    """The answers of the agent and of the thread's fields on one thread. Monitors are (id, tag), and the depth of the
    frame.
    """

    info: ThreadInfo
    held: tuple[tuple[TaggedValue, int], ...] = ()
    contended: TaggedValue | None = None
    blocker: int = 0
    error: str = ""

    @property
    def wants(self) -> int:
        """Return the object that it waits for, 0 for none."""
        return int(self.contended.value or 0) if self.contended is not None else self.blocker


class LockReader:
    """Reads the locks of threads of one target."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._threads = ThreadReader(target)

    async def all_threads(self) -> list[ThreadID]:
        """Return all live threads that are known; what ``read`` begins with is looked for beside. wire: 1 trip."""
        reader = Objects.of(self._target).reader
        found, _ = await both(self._threads.all_threads, lambda: reader.run(expect_blockers(reader)))
        return found

    async def read(self, threads: Sequence[ThreadID]) -> list[ThreadLocks]:
        """Return the locks of the threads that are alive, in the given order.

        wire: 2 trips, 1 more for classes that are new and 1 or 2 where Object.wait is unknown; 2 or 3 for the locks of
        java.util.concurrent that threads are parked for. Near by, or with very many threads, 1 or 2 more.
        """
        blockers, monitors = once(lambda: self._blockers(threads)), once(lambda: self._monitors(threads))
        read, (waits, waited), synchronizers, (owners, refused, told) = await together(
            frames := once(lambda: self._with_frames(threads, blockers, monitors)),
            lambda: self._waits(frames, monitors),
            lambda: self._synchronizers(blockers, monitors),
            lambda: self._told(monitors),
        )
        answers = [_answers(each, await monitors(), await blockers(), waits) for each in read]
        names = await self._names(
            {each.info.id: each.info.name for each in answers},
            {*owners.values(), *(each.owner for each, _ in synchronizers.values())},
        )
        locks = {**told, **waited, **{number: lock for number, (_, lock) in synchronizers.items()}}
        known = {number: each for number, (each, _) in synchronizers.items()}
        everybody = _Everybody(owners, refused, known, locks, names, {each.info.id: each for each in read})
        return [everybody.locks_of(each) for each in answers]

    async def _with_frames(
        self, threads: Sequence[ThreadID], blockers: Blockers, monitors: Monitors
    ) -> list[ReadThread]:
        """Return the threads, with the stacks of those that hold or want something.

        Over a slow link those of all threads are asked for at once. wire: 2 trips, 1 when known; else 3, or 2.
        """
        if self._target.high_latency and len(threads) <= FEW:
            return await self._threads.read(threads, _ALL_FRAMES)
        read = await self._threads.read(threads)
        answers = [_answers(each, await monitors(), await blockers(), {}) for each in read]
        concerned = [each for each in answers if each.held or each.wants or each.info.state == _WAITING]
        deep = await self._threads.read([wire_thread(each.info.id) for each in concerned], _ALL_FRAMES)
        deeper = {each.info.id: each for each in deep}
        return [deeper.get(each.info.id, each) for each in read]

    async def _told(self, monitors: Monitors) -> tuple[dict[int, int], dict[int, str], dict[int, Lock]]:
        """Return the owners of monitors, why others are not known, and the monitors in words.

        wire: 1 trip more, 2 for new classes.
        """
        told = {thread: _told_monitors(each) for thread, each in (await monitors()).items()}
        owners = {_id(value): thread for thread, (held, _) in told.items() for value, _ in held}
        wanted = [contended for _, contended in told.values() if contended is not None]
        held = [value for each, _ in told.values() for value, _ in each]
        (others, refused), locks = await both(
            lambda: self._unknown_owners(_id(each) for each in wanted if _id(each) not in owners),
            lambda: self._locks([*held, *wanted]),
        )
        return owners | others, refused, locks

    async def _synchronizers(self, blockers: Blockers, monitors: Monitors) -> dict[int, tuple[Synchronizer, Lock]]:
        """Return what threads are parked for, of those that enter no monitor. wire: 2 or 3 trips behind the
        blockers.
        """
        wanted, told, reader = await blockers(), await monitors(), Objects.of(self._target).reader
        parked = [
            blocker
            for thread, blocker in wanted.items()
            if blocker and thread in told and _told_monitors(told[thread])[1] is None
        ]
        found, locks = await both(
            lambda: reader.run(read_synchronizers(reader, parked)),
            lambda: self._locks([TaggedValue(Tag.OBJECT, each) for each in dict.fromkeys(parked)]),
        )
        return {
            number: (
                found.get(number, Synchronizer(number, "")),
                lock.replace(kind=(number in found and found[number].kind) or "synchronizer"),
            )
            for number, lock in locks.items()
        }

    async def _monitors(self, threads: Sequence[ThreadID]) -> dict[int, MonitorAnswers]:
        """Return the agent's two answers for each thread. wire: 1 trip, 1 more where a thread may be ending."""
        with_frames = self._target.can("canGetMonitorFrameInfo")
        standing = await self._target.ending.standing(threads)
        asked = [thread for thread in threads if thread in standing]
        commands: list[Command[Any]] = [
            thread_reference.OwnedMonitorsStackDepthInfo(thread)
            if with_frames
            else thread_reference.OwnedMonitors(thread)
            for thread in asked
        ]
        commands += [thread_reference.CurrentContendedMonitor(thread) for thread in asked]
        outcomes = await self._target.conn.batch(commands)
        found = dict(zip(asked, zip(outcomes, outcomes[len(asked) :], strict=False), strict=True))
        running = jdwp_error(Error.THREAD_NOT_SUSPENDED)
        return {thread: found.get(thread, (running, running)) for thread in threads}

    async def _blockers(self, threads: Sequence[ThreadID]) -> dict[int, int]:
        reader = Objects.of(self._target).reader
        return await reader.run(read_blockers(reader, threads))

    async def _waits(
        self, frames: Callable[[], Awaitable[Sequence[ReadThread]]], monitors: Monitors
    ) -> tuple[dict[int, TaggedValue], dict[int, Lock]]:
        """Return the objects of Object.wait by thread, and in words, where the agent does not tell them: newer HotSpots
        don't.

        wire: none, or 1 trip behind the frames, 2 more for new classes.
        """
        waits: dict[int, FrameInfo] = {}
        for each in await frames():
            if _told_monitors((await monitors())[each.info.id])[1] is None:
                waits.update((each.info.id, frame) for frame in each.frames[:3] if _is_wait(frame) and not frame.native)
        outcomes = await self._target.conn.batch(
            [stack_frame.ThisObject(wire_thread(thread), FrameID(frame.id)) for thread, frame in waits.items()]
        )
        found = {
            thread: TaggedValue(outcome.objectThis.tag, outcome.objectThis.objectID)
            for thread, outcome in zip(waits, outcomes, strict=True)
            if not isinstance(outcome, JdwpError) and outcome.objectThis.objectID
        }
        return found, await self._locks(found.values())

    async def _unknown_owners(self, monitors: Iterable[int]) -> tuple[dict[int, int], dict[int, str]]:
        """Return the owners of monitors that none of these threads holds, and why the agent reports no others.

        wire: 0 or 1 trip.
        """
        wanted = list(dict.fromkeys(monitors)) if self._target.can("canGetMonitorInfo") else []
        outcomes = await self._target.conn.batch([object_reference.MonitorInfo(ObjectID(each)) for each in wanted])
        owners: dict[int, int] = {}
        refused: dict[int, str] = {}
        for monitor, outcome in zip(wanted, outcomes, strict=True):
            if isinstance(outcome, JdwpError):
                refused[monitor] = f"the owner is not known: {outcome.message}"
            elif outcome.owner:
                owners[monitor] = outcome.owner
        return owners, refused

    async def _locks(self, values: Iterable[TaggedValue]) -> dict[int, Lock]:
        """Monitors in words. wire: 1 trip, 2 for new classes, 0 when known."""
        wanted = {_id(value): value for value in values}
        described = await describe(self._target, list(wanted.values()), _BRIEF)
        return {
            number: Lock(number, value.type, value.text, "monitor")
            for number, value in zip(wanted, described, strict=True)
        }

    async def _names(self, known: dict[int, str], owners: set[int]) -> dict[int, str]:
        """Return the names of threads. wire: 0 or 1 trip."""
        unknown = [owner for owner in owners if owner and owner not in known]
        outcomes = await self._target.conn.batch([thread_reference.Name(wire_thread(owner)) for owner in unknown])
        told = {
            owner: outcome.threadName
            for owner, outcome in zip(unknown, outcomes, strict=True)
            if not isinstance(outcome, JdwpError)
        }
        return dict.fromkeys(unknown, NOT_KNOWN) | known | told


class _Everybody(Record):
    """The findings about all threads together."""

    owners: Mapping[int, int]  # thread by monitor
    refused: Mapping[int, str]  # why an owner is not known
    synchronizers: Mapping[int, Synchronizer]
    locks: Mapping[int, Lock]
    names: Mapping[int, str]
    frames: Mapping[int, ReadThread]

    def locks_of(self, each: _Answers) -> ThreadLocks:
        """Return the locks of one thread."""
        read = self.frames.get(each.info.id)
        frames = read.frames if read is not None else ()
        held = tuple(
            HeldLock(self.locks[_id(value)], frames[depth] if 0 <= depth < len(frames) else None)
            for value, depth in each.held
        )
        return ThreadLocks(each.info, held, self._awaits(each, frames) if each.wants else None, each.error)

    def _awaits(self, each: _Answers, frames: Sequence[FrameInfo]) -> AwaitedLock:
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
        if each.info.state != BLOCKED and any(_is_wait(frame) for frame in frames[:3]):
            return AwaitedLock(lock, "wait", None, place)
        if each.wants in self.refused:
            return AwaitedLock(lock, "enter", ThreadRef(0, NOT_KNOWN, self.refused[each.wants]), place)
        return AwaitedLock(lock, "enter", self._ref(owner if owner != each.info.id else 0), place)

    def _ref(self, thread: int) -> ThreadRef | None:
        return ThreadRef(thread, self.names.get(thread, "")) if thread else None


def _answers(
    read: ReadThread,
    monitors: Mapping[int, MonitorAnswers],
    blockers: Mapping[int, int],
    waits: Mapping[int, TaggedValue],
) -> _Answers:
    """Takes apart what came for one thread."""
    number = read.info.id
    told = monitors[number]
    failed = next((each for each in told if isinstance(each, JdwpError)), None)
    error = _WHY_NOT.get(failed.number, failed.message) if failed is not None else ""
    held, contended = _told_monitors(told)
    blocker = blockers.get(number, 0)
    waited = None if blocker else waits.get(number)
    return _Answers(read.info.replace(frame=None), tuple(held), contended or waited, blocker, error)


def _told_monitors(told: MonitorAnswers) -> tuple[list[tuple[TaggedValue, int]], TaggedValue | None]:
    """Return the monitors that a thread holds, with the depths of their frames, and the one that it wants."""
    owned, contended = told
    held: list[tuple[TaggedValue, int]] = []
    for each in () if isinstance(owned, JdwpError) else owned.owned:
        if isinstance(each, thread_reference.Monitor):
            held.append((TaggedValue(each.monitor.tag, each.monitor.objectID), each.stack_depth))
        else:
            held.append((TaggedValue(each.tag, each.objectID), -1))
    if isinstance(contended, JdwpError) or not contended.monitor.objectID:
        return held, None
    return held, TaggedValue(contended.monitor.tag, contended.monitor.objectID)


def _id(value: TaggedValue) -> int:
    return int(value.value or 0)


def _is_join(frame: FrameInfo) -> bool:
    return (frame.location.class_name, frame.location.method) == ("java.lang.Thread", "join")


def _is_wait(frame: FrameInfo) -> bool:
    return frame.location.class_name == "java.lang.Object" and frame.location.method.startswith("wait")

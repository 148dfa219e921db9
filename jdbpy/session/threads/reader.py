"""Reads threads and their frames, any number of them in the same few waves.

Owns the questions about threads and the words for the answers. A thread that ends in between is left out without a
word; the agent's own threads never show up (it keeps them to itself).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from jdbpy.errors import JdwpError
from jdbpy.session.concurrency import both
from jdbpy.session.model import Frame, Location, ThreadInfo, ThreadRef
from jdbpy.session.target import Target
from jdbpy.session.types.signatures import is_lambda_class
from jdbpy.wire import ids as wire_ids
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Error, SuspendStatus, ThreadStatus
from jdbpy.wire.ids import ObjectID, ThreadGroupID, ThreadID
from jdbpy.wire.messages import thread_group_reference, thread_reference, virtual_machine
from jdbpy.wire.record import Record

ENDED = "ended"
"""The state of a thread that has ended, in words."""

_STATES: dict[int, str] = {
    -1: "not started",
    ThreadStatus.ZOMBIE: ENDED,
    ThreadStatus.RUNNING: "running",
    ThreadStatus.SLEEPING: "sleeping",
    ThreadStatus.MONITOR: "waiting for a monitor",
    ThreadStatus.WAIT: "waiting",
}

_WHY_NO_FRAMES: dict[int, str] = {
    Error.THREAD_NOT_SUSPENDED: "the thread is running",
    Error.INVALID_THREAD: "the thread has ended",
    Error.INVALID_OBJECT: "the thread has ended",
    Error.THREAD_NOT_ALIVE: "the thread has ended",
    Error.INVALID_LENGTH: "",  # a thread without frames was asked for one
    Error.INVALID_INDEX: "",
}


class ReadThread(Record):
    """A thread with the frames that were asked for. ``total`` counts all frames, as far as they were fetched."""

    info: ThreadInfo
    frames: tuple[Frame, ...] = ()
    total: int = 0
    error: str = ""  # why there are no frames


class FrameRange(Record):
    """Which frames are wanted: ``count`` from ``start`` on (0 is the innermost); None is all the rest.

    All frames are fetched, which costs little (25 ms for 10,000) and tells how many there are, and the names are found
    out for those that are wanted; ``top_only`` fetches no more than the first, and so does not tell the total.
    """

    start: int = 0
    count: int | None = None
    top_only: bool = False

    def command(self, thread: ThreadID) -> thread_reference.Frames:
        return thread_reference.Frames(thread, 0, 1 if self.top_only else -1)

    def cut(self, frames: Sequence[thread_reference.Frame]) -> Sequence[thread_reference.Frame]:
        return frames[self.start : None if self.count is None else self.start + self.count]


TOP = FrameRange(0, 1, top_only=True)


class _Answer:
    """The replies about one thread, or the errors in their place, in the order of ``ThreadReader._commands``."""

    __slots__ = ("count", "epoch", "frames", "group", "is_virtual", "name", "status", "thread")

    def __init__(self, thread: ThreadID, epoch: int, replies: Sequence[Any]) -> None:
        self.thread = thread
        self.epoch = epoch
        self.name, self.status, self.count, self.group, *more = replies
        self.frames: Any = more[-1] if more else None
        virtual = more[0] if more else None
        self.is_virtual = virtual.isVirtual if isinstance(virtual, thread_reference.IsVirtualReply) else None

    def cut(self, frames: FrameRange | None) -> Sequence[thread_reference.Frame]:
        """The frames that are wanted."""
        return () if frames is None or isinstance(self.frames, JdwpError) else frames.cut(self.frames.frames)

    def stack(self, frames: FrameRange) -> tuple[object, ...]:
        """What equal stacks have in common: the places of the wanted frames, or why there are none."""
        if isinstance(self.frames, JdwpError):
            return (self.frames.number,)
        places = (frame.location for frame in frames.cut(self.frames.frames))
        return (0, *((place.classID, place.methodID, place.index) for place in places))


class ThreadReader:
    """Reads threads of one target; remembers names of groups and which threads are virtual."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._group_names: dict[ThreadGroupID, str] = {}
        self._virtual: dict[ThreadID, bool] = {}

    async def all_threads(self) -> list[ThreadID]:
        """All live threads that are known: those the agent lists, and virtual ones that have been met. wire: 1 trip."""
        listed = (await self._target.conn.request(virtual_machine.AllThreads())).threads
        if not self._target.at_least(21):
            return listed
        selected = self._target.selection.thread
        met = [*self._target.suspension.held_threads(), *([selected.id] if selected else [])]
        return [*listed, *(wire_thread(each) for each in dict.fromkeys(met) if each not in listed)]

    async def read(self, threads: Iterable[ThreadID], frames: FrameRange | None = None) -> list[ReadThread]:
        """The threads that are alive, in the given order, each with its frames if they are asked for.

        wire: 2 trips, 1 when groups and classes are known, whatever the number of threads.
        """
        alive = await self._ask(threads, frames)
        places = [frame.location for each in alive for frame in each.cut(frames)]
        locations = await self._learn(alive, places)
        places_left = iter(locations)
        return [self._thread(each, frames, places_left) for each in alive]

    async def read_equal(self, threads: Iterable[ThreadID], frames: FrameRange) -> list[list[ReadThread]]:
        """As ``read``, threads with equal stacks together, and only the first of them with its frames.

        Stacks are compared as the agent sends them, so that thousands of like ones cost little. Costs as ``read``.
        """
        groups: dict[object, list[_Answer]] = {}
        for each in await self._ask(threads, frames):
            groups.setdefault(each.stack(frames), []).append(each)
        firsts = [group[0] for group in groups.values()]
        places = [frame.location for each in firsts for frame in each.cut(frames)]
        locations = await self._learn([each for group in groups.values() for each in group], places)
        places_left = iter(locations)
        return [self._equal(self._thread(first, frames, places_left), others) for first, *others in groups.values()]

    def _equal(self, first: ReadThread, others: Sequence[_Answer]) -> list[ReadThread]:
        """Threads with equal stacks: the first as it is, the others with no more than their innermost frame."""
        found = [first]
        for each in others:
            info = self._info(each)
            if first.info.frame is not None:
                own = each.frames.frames[0].frameID
                top = first.info.frame.replace(thread=ThreadRef(each.thread, info.name), id=own, epoch=each.epoch)
                info = info.replace(frame=top)
            found.append(ReadThread(info))
        return found

    async def _ask(self, threads: Iterable[ThreadID], frames: FrameRange | None) -> list[_Answer]:
        """What the agent says of the threads that are alive. wire: 1 trip."""
        wanted = list(threads)
        epochs = [self._target.suspension.epoch_of(thread) for thread in wanted]
        commands = [self._commands(thread, frames) for thread in wanted]
        outcomes = iter(await self._target.conn.batch([command for each in commands for command in each]))
        answers = [
            _Answer(thread, epoch, [next(outcomes) for _ in each])
            for thread, epoch, each in zip(wanted, epochs, commands, strict=True)
        ]
        return [each for each in answers if not isinstance(each.status, JdwpError)]

    async def _learn(self, answers: Sequence[_Answer], places: Sequence[wire_ids.Location]) -> Sequence[Location]:
        """The names of the groups, and the places. wire: 1 trip, 0 when known."""
        groups = {each.group.group for each in answers if not isinstance(each.group, JdwpError)}
        _, locations = await both(lambda: self._learn_groups(groups), lambda: self._target.types.locations(places))
        return locations

    def _commands(self, thread: ThreadID, frames: FrameRange | None) -> list[Command[Any]]:
        """Name, Status, SuspendCount, ThreadGroup; IsVirtual if it has to be asked; Frames, the last, if wanted."""
        commands: list[Command[Any]] = [
            thread_reference.Name(thread),
            thread_reference.Status(thread),
            thread_reference.SuspendCount(thread),
            thread_reference.ThreadGroup(thread),
        ]
        if thread not in self._virtual and self._target.at_least(21):
            commands.append(thread_reference.IsVirtual(thread))
        if frames is not None:
            commands.append(frames.command(thread))
        return commands

    def _info(self, answer: _Answer) -> ThreadInfo:
        """The thread without its frames."""
        thread, status = answer.thread, answer.status
        if answer.is_virtual is not None:
            self._virtual[thread] = answer.is_virtual
        selected = self._target.selection.thread
        return ThreadInfo(
            id=thread,
            name="" if isinstance(answer.name, JdwpError) else answer.name.threadName,
            state=_STATES.get(status.threadStatus, f"state {status.threadStatus}"),
            suspended=bool(status.suspendStatus & SuspendStatus.SUSPEND_STATUS_SUSPENDED),
            suspend_count=0 if isinstance(answer.count, JdwpError) else answer.count.suspendCount,
            group="" if isinstance(answer.group, JdwpError) else self._group_names.get(answer.group.group, ""),
            at_breakpoint=self._target.suspension.stopped_by_event(thread),
            virtual=self._virtual.get(thread, False),
            current=selected is not None and selected.id == thread,
        )

    def _thread(self, answer: _Answer, frames: FrameRange | None, locations: Iterator[Location]) -> ReadThread:
        """The thread with its frames, whose places come next in ``locations``."""
        info = self._info(answer)
        if frames is None:
            return ReadThread(info)
        if isinstance(answer.frames, JdwpError):
            return ReadThread(info, error=_WHY_NO_FRAMES.get(answer.frames.number, answer.frames.message))
        wire_frames = answer.frames.frames
        total = None if frames.top_only else len(wire_frames)
        ref = ThreadRef(answer.thread, info.name)
        shown = tuple(
            model_frame(index, frame, next(locations), ref, answer.epoch, total)
            for index, frame in enumerate(frames.cut(wire_frames), frames.start + 1)
        )
        return ReadThread(info.replace(frame=shown[0] if shown and not frames.start else None), shown, len(wire_frames))

    async def _learn_groups(self, groups: Iterable[ThreadGroupID]) -> None:
        """Learns the names of groups; they never change. wire: 1 trip, 0 when known."""
        unknown = [group for group in groups if group and group not in self._group_names]
        names = await self._target.conn.batch([thread_group_reference.Name(group) for group in unknown])
        for group, name in zip(unknown, names, strict=True):
            if not isinstance(name, JdwpError):
                self._group_names[group] = name.groupName


def model_frame(
    index: int,
    frame: thread_reference.Frame,
    location: Location,
    thread: ThreadRef,
    epoch: int,
    total: int | None = None,
) -> Frame:
    """A frame as front ends see it. ``index`` counts from 1; ``total`` counts all of the thread, if it is known."""
    return Frame(
        index,
        location,
        thread,
        id=frame.frameID,
        epoch=epoch,
        native=location.code_index < 0,
        obsolete=frame.location.methodID == 0,
        height=None if total is None else total - index,
        hidden=_is_hidden(location.class_name),
    )


def _is_hidden(class_name: str) -> bool:
    """Whether the VM made the class for itself: lambdas, method handles; their names tell."""
    return "/0x" in class_name or is_lambda_class(class_name) or class_name.startswith("java.lang.invoke.LambdaForm$")


def wire_thread(number: int) -> ThreadID:
    """A thread id from a plain number."""
    return ThreadID(ObjectID(number))

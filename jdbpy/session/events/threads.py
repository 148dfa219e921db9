"""Reads threads and their frames, any number of them in the same few waves.

Owns the questions about threads and the words for the answers. A thread that ends in between is left out without a
word; the agent's own threads never show up (it keeps them to itself). Frames are kept as bytes: of a hundred thousand
most stand at places that others stand at as well, so stacks are compared, and places distinguished, before anything is
decoded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, overload

from jdbpy.errors import JdwpError
from jdbpy.record import Record
from jdbpy.session.events.ending import is_suspended
from jdbpy.session.events.target import Target
from jdbpy.session.java.signatures import is_hidden_class
from jdbpy.session.jvm.changed_code import is_own_class
from jdbpy.session.jvm.refs import OBSOLETE
from jdbpy.session.model.threads import NO_STATE, NOT_KNOWN, FrameInfo, Location, ThreadInfo, ThreadRef
from jdbpy.wire import ids as wire_ids
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Error, ThreadStatus
from jdbpy.wire.error_text import jdwp_error
from jdbpy.wire.ids import ObjectID, ThreadGroupID, ThreadID
from jdbpy.wire.lazy_records import OnDemand, Rows
from jdbpy.wire.messages import thread_group_reference, thread_reference

Place = bytes
"""A place in code as the agent sends it: equal bytes are the same place."""


class FrameRange(Record):
    """A range of frames: ``count`` from ``start`` on (0 is the innermost); None is all the rest.

    All frames are fetched, which costs little (25 ms for 10,000) and gives their number, and the names are found
    out for those that are wanted; ``top_only`` fetches no more than the first, and so does not tell the total.
    """

    start: int = 0
    count: int | None = None
    top_only: bool = False

    def command(self, thread: ThreadID) -> thread_reference.Frames:
        return thread_reference.Frames(thread, 0, 1 if self.top_only else -1)

    def cut(self, frames: Rows[thread_reference.Frame]) -> Rows[thread_reference.Frame]:
        return frames[self.start : None if self.count is None else self.start + self.count]


_ENDED = frozenset({Error.INVALID_THREAD, Error.INVALID_OBJECT, Error.THREAD_NOT_ALIVE})

TOP = FrameRange(0, 1, top_only=True)


def questions(
    thread: ThreadID, frames: FrameRange | None, *, whether_grouped: bool, whether_virtual: bool
) -> list[Command[Any]]:
    """Name, Status, SuspendCount; ThreadGroup and IsVirtual if they have to be asked; Frames, the last, if wanted."""
    commands: list[Command[Any]] = [
        thread_reference.Name(thread),
        thread_reference.Status(thread),
        thread_reference.SuspendCount(thread),
    ]
    if whether_grouped:
        commands.append(thread_reference.ThreadGroup(thread))
    if whether_virtual:
        commands.append(thread_reference.IsVirtual(thread))
    if frames is not None:
        commands.append(frames.command(thread))
    return commands


class ThreadAnswer:
    """The replies to the ``questions`` about one thread, or the errors in their place.

    ``frames`` are the wanted frames, None with ``no_frames`` as the reason; ``total`` counts all that were fetched.
    ``group`` is what is known of the group, if that was not asked for.
    """

    __slots__ = ("count", "epoch", "frames", "group", "is_virtual", "name", "no_frames", "status", "thread", "total")

    def __init__(
        self,
        thread: ThreadID,
        epoch: int,
        replies: Sequence[Any],
        wanted: FrameRange | None,
        group: thread_reference.ThreadGroupReply | None = None,
    ) -> None:
        self.thread = thread
        self.epoch = epoch
        self.name, self.status, self.count, *more = replies
        self.group = more.pop(0) if group is None else group
        virtual = more[0] if more else None
        self.is_virtual = virtual.isVirtual if isinstance(virtual, thread_reference.IsVirtualReply) else None
        self.frames: Rows[thread_reference.Frame] | None = None
        self.no_frames: JdwpError | None = None
        self.total = 0
        if wanted is not None:
            self.take_frames(more[-1], wanted)

    def take_frames(self, stack: Any, wanted: FrameRange) -> None:
        """Take the answer to Frames, or the error in its place."""
        if isinstance(stack, JdwpError):
            self.no_frames = stack
        else:
            self.no_frames = None
            self.frames, self.total = wanted.cut(stack.frames), len(stack.frames)

    @property
    def has_ended(self) -> bool:
        """True if the thread is no more; any other error leaves it among the threads."""
        return isinstance(self.status, JdwpError) and self.status.number in _ENDED

    @property
    def is_suspended(self) -> bool:
        """True if the agent says so."""
        return is_suspended(self.status)

    @property
    def is_zombie(self) -> bool:
        """True if the thread has run to its end and is not collected yet; the agent says so of virtual ones."""
        return not isinstance(self.status, JdwpError) and self.status.threadStatus == ThreadStatus.ZOMBIE

    def placed_frames(self) -> Iterator[tuple[int, Place]]:
        """Return the id and the place of each wanted frame."""
        return iter(()) if self.frames is None else self.frames.halves()

    def stack(self) -> tuple[object, ...]:
        """Return what equal stacks have in common: the places of the wanted frames, or why there are none."""
        if self.no_frames is not None:
            return (self.no_frames.number,)
        return (0, *[place for _, place in self.placed_frames()])


def places(answers: Iterable[ThreadAnswer]) -> dict[Place, wire_ids.CodeLocation]:
    """Return the places of all the wanted frames, each once."""
    found: dict[Place, wire_ids.CodeLocation] = {}
    for answer in answers:
        if answer.frames is None:
            continue
        for index, (_, place) in enumerate(answer.frames.halves()):
            if place not in found:
                found[place] = answer.frames[index].location
    return found


ENDED = "ended"
"""The state of a thread that has ended, in words."""

STATE_NOT_KNOWN = -2
"""The status of a thread of which nothing, such as a dump of Java 21, tells the state."""

_STATES: dict[int, str] = {
    STATE_NOT_KNOWN: NO_STATE,
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


class FramesOnDemand(OnDemand[FrameInfo]):
    """The frames of one thread. A caller that walks through many stacks holds no more than one frame at a time.

    ``rows`` are the frames after the ``start`` innermost ones; ``total`` counts all of the thread, if it is known.
    """

    __slots__ = ("_epoch", "_located", "_rows", "_start", "_thread", "_total")

    def __init__(
        self,
        rows: Rows[thread_reference.Frame],
        located: Mapping[Place, Location],
        thread: ThreadRef,
        epoch: int,
        start: int = 0,
        total: int | None = None,
    ) -> None:
        self._rows = rows
        self._located = located
        self._thread = thread
        self._epoch = epoch
        self._start = start
        self._total = total

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[FrameInfo]:
        thread, epoch, total, located = self._thread, self._epoch, self._total, self._located
        for index, (frame_id, place) in enumerate(self._rows.halves(), self._start + 1):
            yield model_frame(index, frame_id, located[place], thread, epoch, total)

    @overload
    def __getitem__(self, index: int) -> FrameInfo: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[FrameInfo]: ...

    def __getitem__(self, index: int | slice) -> FrameInfo | Sequence[FrameInfo]:
        chosen = range(len(self))[index]
        if isinstance(chosen, int):
            return next(iter(self._part(chosen, chosen + 1)))
        if chosen.step == 1:
            return self._part(chosen.start, chosen.stop)
        return tuple(self)[index]

    def _part(self, start: int, stop: int) -> FramesOnDemand:
        rows = self._rows[start:stop]
        return FramesOnDemand(rows, self._located, self._thread, self._epoch, self._start + start, self._total)

    def __hash__(self) -> int:
        return hash(tuple(self))


class ReadThread(Record):
    """A thread with the frames that were asked for. ``total`` counts all frames, as far as they were fetched."""

    info: ThreadInfo
    frames: Sequence[FrameInfo] = ()
    total: int = 0
    error: str = ""  # why there are no frames


class ThreadReader:
    """Reads threads of one target; remembers names of groups, the group of a thread, and which threads are virtual."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._groups: dict[ThreadID, thread_reference.ThreadGroupReply] = {}
        self._group_names: dict[ThreadGroupID, str] = {}

    async def all_threads(self) -> list[ThreadID]:
        """Return the threads the agent lists but for the debugger's own, and virtual ones that have been met, until
        they have ended. wire: 1 trip."""
        own = self._target.suspension.own
        listed = [each for each in await self._target.ending.list_threads() if each not in own]
        if len(self._groups) > 2 * len(listed):
            alive = set(listed)
            self._groups = {thread: group for thread, group in self._groups.items() if thread in alive}
        if not self._target.at_least(21):
            return listed
        met = dict.fromkeys([*self._target.suspension.held_threads(), *self._target.met])
        known = set(listed)
        return [*listed, *(wire_thread(each) for each in met if each not in known)]

    async def read(self, threads: Iterable[ThreadID], frames: FrameRange | None = None) -> list[ReadThread]:
        """Return the threads that are alive, in the given order, each with its frames if they are asked for.

        wire: 2 trips, 1 when groups and classes are known, whatever the number of threads.
        """
        alive = await self._ask(threads, frames)
        located = await self._learn(alive, alive)
        return [self._thread(each, frames, located) for each in alive]

    async def read_equal(self, threads: Iterable[ThreadID], frames: FrameRange) -> list[list[ReadThread]]:
        """Like ``read``, threads with equal stacks together, and only the first of them with its frames.

        Stacks are compared as the agent sends them, so that thousands of like ones cost little. Costs as ``read``.
        """
        alive = await self._ask(threads, frames)
        groups: dict[object, list[ThreadAnswer]] = {}
        for each in alive:
            groups.setdefault(each.stack(), []).append(each)
        located = await self._learn(alive, [group[0] for group in groups.values()])
        return [self._equal(self._thread(first, frames, located), others) for first, *others in groups.values()]

    def _equal(self, first: ReadThread, others: Sequence[ThreadAnswer]) -> list[ReadThread]:
        """Threads with equal stacks: the first as it is, the others with no more than their innermost frame."""
        top = first.info.frame
        return [first, *(ReadThread(self._info(each, top and _frame_of(each, top))) for each in others)]

    async def _ask(self, threads: Iterable[ThreadID], frames: FrameRange | None) -> list[ThreadAnswer]:
        """Return what the agent says of the threads that are alive. wire: 1 trip, 2 if one was just suspended.

        A thread that is not known to stand still is asked for frames when its status says that it is suspended.
        """
        wanted, ending = list(threads), self._target.ending
        held = self._target.suspension.is_suspended
        ended: set[ThreadID] = set()
        epochs = [self._target.suspension.epoch_of(thread) for thread in wanted]
        unknown = set(wanted) - self._target.virtual_threads.keys() if self._target.at_least(21) else ()
        frameless = self._target.frameless
        held_before = {thread: ending.since(thread) for thread in wanted if held(thread)}
        stacks = [
            frames if thread in held_before and thread not in frameless and not ending.may_be(thread) else None
            for thread in wanted
        ]
        groups = [self._groups.get(thread) for thread in wanted]
        commands: list[Command[Any]] = []
        asked: list[int] = []
        for thread, stack, group in zip(wanted, stacks, groups, strict=True):
            of_thread = questions(thread, stack, whether_grouped=group is None, whether_virtual=thread in unknown)
            commands += of_thread
            asked.append(len(of_thread))
        outcomes = iter(await self._target.conn.batch(commands))
        answers = [
            ThreadAnswer(thread, epoch, list(islice(outcomes, count)), stack, group)
            for thread, epoch, count, stack, group in zip(wanted, epochs, asked, stacks, groups, strict=True)
        ]
        for each in answers:
            if each.is_suspended and each.thread in held_before:
                ending.found_suspended(each.thread, held_before[each.thread])
        if frames is not None:
            await self._ask_frames([each for each, stack in zip(answers, stacks, strict=True) if stack is None], frames)
        for each in answers:
            if isinstance(each.group, thread_reference.ThreadGroupReply) and each.group.group:
                self._groups[each.thread] = each.group
        for each in answers:
            if each.has_ended or (each.is_zombie and each.thread in self._target.met):
                self._target.forget(each.thread)
                ended.add(each.thread)
        return [each for each in answers if each.thread not in ended]

    async def _ask_frames(self, answers: Sequence[ThreadAnswer], frames: FrameRange) -> None:
        """Ask for the frames of those that are suspended, though nothing here has done that. wire: 0 or 1 trip."""
        running = jdwp_error(Error.THREAD_NOT_SUSPENDED)
        frameless = self._target.frameless
        suspended = [each for each in answers if each.is_suspended and each.thread not in frameless]
        for each in answers:
            each.no_frames = running if each.thread not in frameless else jdwp_error(Error.INVALID_INDEX)
        stacks = await self._target.conn.batch([frames.command(each.thread) for each in suspended])
        for each, stack in zip(suspended, stacks, strict=True):
            each.take_frames(stack, frames)

    async def _learn(
        self, answers: Sequence[ThreadAnswer], with_frames: Sequence[ThreadAnswer]
    ) -> dict[Place, Location]:
        """Learn the names of the groups; the places of the frames of some. wire: 1 trip, 0 when known."""
        groups = {each.group.group for each in answers if not isinstance(each.group, JdwpError)}
        unknown = [group for group in groups if group and group not in self._group_names]
        found = places(with_frames)
        asked = self._target.conn.submit_all([thread_group_reference.Name(group) for group in unknown])
        locations = await self._target.types.locations(list(found.values()))  # asks before anything else can run
        for group, name in zip(unknown, await self._target.conn.gather(asked), strict=True):
            if not isinstance(name, JdwpError):
                self._group_names[group] = name.groupName  # it never changes
        return dict(zip(found, locations, strict=True))

    def _info(self, answer: ThreadAnswer, frame: FrameInfo | None = None) -> ThreadInfo:
        """Return the thread with its innermost frame, if that is known."""
        thread, status = answer.thread, answer.status
        if answer.is_virtual is not None:
            self._target.virtual_threads[thread] = answer.is_virtual
        selected = self._target.selection.thread
        if isinstance(status, JdwpError):
            state, suspended = NO_STATE, self._target.suspension.is_suspended(thread)
        else:
            state = _STATES.get(status.threadStatus, f"state {status.threadStatus}")
            suspended = answer.is_suspended and not self._target.suspension.is_being_decided(thread)
            suspended = suspended and not self._target.agent_line  # there it is only said so, to be asked for frames
        return ThreadInfo(
            id=thread,
            name=_name(answer),
            state=state,
            suspended=suspended,
            suspend_count=0 if isinstance(answer.count, JdwpError) else answer.count.suspendCount,
            group="" if isinstance(answer.group, JdwpError) else self._group_names.get(answer.group.group, ""),
            at_breakpoint=self._target.suspension.stopped_by_event(thread),
            virtual=self._target.virtual_threads.get(thread, False),
            frame=frame,
            current=selected is not None and selected.id == thread,
            error=_refused(answer),
        )

    def _why_no_frames(self, answer: ThreadAnswer) -> str:
        why, suspension = answer.no_frames, self._target.suspension
        if why is None:
            return ""
        if why.number == Error.THREAD_NOT_SUSPENDED and answer.thread in suspension.evaluating:
            return suspension.running_method(answer.thread)
        return _WHY_NO_FRAMES.get(why.number, why.message)

    def _thread(self, answer: ThreadAnswer, frames: FrameRange | None, located: dict[Place, Location]) -> ReadThread:
        """Return the thread with its frames."""
        if frames is None or answer.no_frames is not None:
            return ReadThread(self._info(answer), error=self._why_no_frames(answer))
        shown: Sequence[FrameInfo] = ()
        if answer.frames:
            total = None if frames.top_only else answer.total
            shown = FramesOnDemand(answer.frames, located, _ref(answer), answer.epoch, frames.start, total)
        top = shown[0] if shown and not frames.start else None
        return ReadThread(self._info(answer, top), shown, answer.total)


def model_frame(
    index: int,
    frame_id: int,
    location: Location,
    thread: ThreadRef,
    epoch: int,
    total: int | None = None,
) -> FrameInfo:
    """Return a frame as front ends see it. ``index`` counts from 1; ``total`` counts all of the thread, if it is
    known."""
    return FrameInfo(
        index,
        location,
        thread,
        id=frame_id,
        epoch=epoch,
        native=location.code_index < 0,
        obsolete=location.method_id == OBSOLETE,
        height=None if total is None else total - index,
        hidden=_is_hidden(location.class_name),
    )


@lru_cache(maxsize=1024)
def _is_hidden(class_name: str) -> bool:
    return is_hidden_class(class_name) or is_own_class(class_name)


def _name(answer: ThreadAnswer) -> str:
    return NOT_KNOWN if isinstance(answer.name, JdwpError) else answer.name.threadName


def _ref(answer: ThreadAnswer) -> ThreadRef:
    return thread_ref(answer.thread, answer.name)


def thread_ref(thread: int, answer: thread_reference.NameReply | JdwpError) -> ThreadRef:
    """Return the thread with its name, or with the reason why that is not known."""
    if isinstance(answer, JdwpError):
        return ThreadRef(thread, NOT_KNOWN, f"the name is not known: {answer.message}")
    return ThreadRef(thread, answer.threadName)


def _refused(answer: ThreadAnswer) -> str:
    """Return what of a thread the agent refused to tell, and why."""
    asked = {"name": answer.name, "state": answer.status, "suspend count": answer.count, "group": answer.group}
    refused = {what: error for what, error in asked.items() if isinstance(error, JdwpError)}
    return "; ".join(f"the {what} is not known: {error.message}" for what, error in refused.items())


def _frame_of(answer: ThreadAnswer, equal: FrameInfo) -> FrameInfo:
    """Return the innermost frame of a thread, another's being at the same place."""
    frame_id, _ = next(answer.placed_frames())
    return model_frame(1, frame_id, equal.location, _ref(answer), answer.epoch, answer.total)


def wire_thread(number: int) -> ThreadID:
    """Return a thread id from a plain number."""
    return ThreadID(ObjectID(number))

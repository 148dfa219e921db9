"""What the agent says of one thread, as it came in: which questions, and what the replies have in common.

Owns the order of the questions, and the frames as bytes: of a hundred thousand frames most stand at places that others
stand at as well, so stacks are compared, and places told apart, before anything is decoded. It sends nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from jdbpy.errors import JdwpError
from jdbpy.record import Record
from jdbpy.wire import ids as wire_ids
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Error, ThreadStatus
from jdbpy.wire.ids import ThreadID
from jdbpy.wire.messages import thread_reference
from jdbpy.wire.rows import Rows

Place = bytes
"""A place in code as the agent sends it: equal bytes are the same place."""


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

    def cut(self, frames: Rows[thread_reference.Frame]) -> Rows[thread_reference.Frame]:
        return frames[self.start : None if self.count is None else self.start + self.count]


_ENDED = frozenset({Error.INVALID_THREAD, Error.INVALID_OBJECT, Error.THREAD_NOT_ALIVE})

TOP = FrameRange(0, 1, top_only=True)


def questions(thread: ThreadID, frames: FrameRange | None, *, whether_virtual: bool) -> list[Command[Any]]:
    """Name, Status, SuspendCount, ThreadGroup; IsVirtual if it has to be asked; Frames, the last, if wanted."""
    commands: list[Command[Any]] = [
        thread_reference.Name(thread),
        thread_reference.Status(thread),
        thread_reference.SuspendCount(thread),
        thread_reference.ThreadGroup(thread),
    ]
    if whether_virtual:
        commands.append(thread_reference.IsVirtual(thread))
    if frames is not None:
        commands.append(frames.command(thread))
    return commands


class ThreadAnswer:
    """The replies to the ``questions`` about one thread, or the errors in their place.

    ``frames`` are the wanted frames, None with ``no_frames`` as the reason; ``total`` counts all that were fetched.
    """

    __slots__ = ("count", "epoch", "frames", "group", "is_virtual", "name", "no_frames", "status", "thread", "total")

    def __init__(self, thread: ThreadID, epoch: int, replies: Sequence[Any], wanted: FrameRange | None) -> None:
        self.thread = thread
        self.epoch = epoch
        self.name, self.status, self.count, self.group, *more = replies
        virtual = more[0] if more else None
        self.is_virtual = virtual.isVirtual if isinstance(virtual, thread_reference.IsVirtualReply) else None
        self.frames: Rows[thread_reference.Frame] | None = None
        self.no_frames: JdwpError | None = None
        self.total = 0
        if wanted is None:
            return
        stack = more[-1]
        if isinstance(stack, JdwpError):
            self.no_frames = stack
        else:
            self.frames, self.total = wanted.cut(stack.frames), len(stack.frames)

    @property
    def has_ended(self) -> bool:
        """True if the thread is no more; any other error leaves it among the threads."""
        return isinstance(self.status, JdwpError) and self.status.number in _ENDED

    @property
    def is_zombie(self) -> bool:
        """True if the thread has run to its end and is not collected yet; the agent says so of virtual ones."""
        return not isinstance(self.status, JdwpError) and self.status.threadStatus == ThreadStatus.ZOMBIE

    def placed_frames(self) -> Iterator[tuple[int, Place]]:
        """The id and the place of each wanted frame."""
        return iter(()) if self.frames is None else self.frames.halves()

    def stack(self) -> tuple[object, ...]:
        """What equal stacks have in common: the places of the wanted frames, or why there are none."""
        if self.no_frames is not None:
            return (self.no_frames.number,)
        return (0, *[place for _, place in self.placed_frames()])


def places(answers: Iterable[ThreadAnswer]) -> dict[Place, wire_ids.CodeLocation]:
    """The places of all the wanted frames, each once."""
    found: dict[Place, wire_ids.CodeLocation] = {}
    for answer in answers:
        if answer.frames is None:
            continue
        for index, (_, place) in enumerate(answer.frames.halves()):
            if place not in found:
                found[place] = answer.frames[index].location
    return found

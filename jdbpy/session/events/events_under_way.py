"""Threads that may wait in the agent with an event that it has not sent yet: found by their top frames.

A thread that meets a breakpoint, or ends a step, waits in the agent until the helper thread has reported that. Until
then it has suspend count 0, and neither it nor the helper can be asked about. But it does not move: its status is
RUNNING (docs/agent.md, "Status at an event"), and its top frame is at the place of the
event. So once the requests are cleared, a thread brings no event any more if it is at no place of a breakpoint, waits,
sleeps, or has moved. That does not depend on the processor time that the helper gets. Exceptions, fields, methods and
classes have no place of their own: where such events were requested, each thread that runs Java code has to move.

Not seen that way are virtual threads that the debugger has not met, threads that begin, and classes that are prepared
below a native method.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from jdbpy.errors import JdwpError
from jdbpy.session.events.ending import is_suspended
from jdbpy.wire.command import Command
from jdbpy.wire.constants import ThreadStatus
from jdbpy.wire.ids import ObjectID, ThreadID
from jdbpy.wire.messages import thread_reference

if TYPE_CHECKING:
    from jdbpy.session.events.target import Target

Place = tuple[int, int, int]
"""A class, a method and a code index."""

NATIVE = -1
"""The code index of a frame of a native method, in which a thread may stay for any time."""


class EventsUnderWay:
    """The threads of one target that may have one, after all of its requests were cleared.

    ``threads`` is None before they were examined once.
    """

    def __init__(self, target: Target) -> None:
        self._conn = target.conn
        self._ending = target.ending
        self._virtual = target.virtual_threads
        self._frameless = target.frameless
        self._places = frozenset(target.requests.suspending_places)
        self._stepped = target.requests.stepped_threads()
        self._anywhere = target.requests.has_suspended_anywhere
        self._seen_at: dict[int, Place] = {}
        self.threads: set[int] | None = None

    async def examine(self, threads: Iterable[int], further: Sequence[Command[Any]]) -> list[Any]:
        """Examine those of the given threads that may have one; return the replies to ``further`` commands, which are
        carried out behind that.

        Each thread is suspended for the look only. The resume makes the agent send what waits for one. Virtual threads
        are left out: one that is ending must not be suspended. wire: 1 trip, 2 before release 21.
        """
        found = sorted(
            each
            for each in (threads if self.threads is None else self.threads)
            if not self._virtual.get(each, False) and each not in self._frameless
        )
        ids = [ThreadID(ObjectID(each)) for each in found]
        if self._ending.matter:
            answers, replies = await self._examine_in_two(ids, further)
        else:
            commands: list[Command[Any]] = []
            for each in ids:
                look = thread_reference.Frames(each, 0, 1), thread_reference.Resume(each)
                commands += (thread_reference.Suspend(each), thread_reference.Status(each), *look)
            replies = await self._conn.batch([*commands, *further])
            answers = list(zip(replies[1 : len(commands) : 4], replies[2 : len(commands) : 4], strict=True))
            replies = replies[len(commands) :]
        self.threads = {each for each, of in zip(found, answers, strict=True) if self._may_have(each, *of)}
        return replies

    async def _examine_in_two(
        self, threads: Sequence[ThreadID], further: Sequence[Command[Any]]
    ) -> tuple[list[tuple[Any, Any]], list[Any]]:
        """Return the status and the frames of each thread, and the other replies; the frames only of those that run,
        as far as the agent goes, and are known not to be ending."""
        held = [command(each) for each in threads for command in (thread_reference.Suspend, thread_reference.Status)]
        statuses = (await self._conn.batch(held))[1::2]
        asked = [
            thread
            for thread, status in zip(threads, statuses, strict=True)
            if is_suspended(status) and status.threadStatus == ThreadStatus.RUNNING
        ]
        looks = [thread_reference.Frames(each, 0, 1) for each in asked]
        replies = await self._conn.batch([*looks, *map(thread_reference.Resume, threads), *further])
        frames = dict(zip(asked, replies, strict=False))
        answers = [(status, frames.get(each)) for each, status in zip(threads, statuses, strict=True)]
        return answers, replies[len(looks) + len(threads) :]

    def _may_have(self, thread: int, status: Any, frames: Any) -> bool:
        """True if the thread is at a place where it may have an event."""
        if isinstance(status, JdwpError) or not isinstance(frames, thread_reference.FramesReply) or not frames.frames:
            return False
        if status.threadStatus != ThreadStatus.RUNNING:
            return False
        at = frames.frames[0].location
        place = at.classID, at.methodID, at.index
        moved = self._seen_at.get(thread, place) != place
        self._seen_at[thread] = place
        anywhere = self._anywhere and at.index != NATIVE
        return not moved and (anywhere or place in self._places or thread in self._stepped)

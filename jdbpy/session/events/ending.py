"""Threads that may be ending: old JVMs must not be asked for their frames or monitors.

The agent counts a suspend of a thread that is past being suspended, and then takes it for suspended. Asked for its
frames, HotSpot before release 21 reads what the thread frees at that moment: the JVM crashes (docs/agent.md, "Frames of
a thread that is ending"). Two things tell that a thread does stand still: its status, and that AllThreads lists it when
all threads have been suspended before. One that an event has stopped stands still, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from jdbpy.errors import Disconnected, JdwpError
from jdbpy.wire.constants import SuspendStatus
from jdbpy.wire.ids import ObjectID, ThreadID
from jdbpy.wire.messages import thread_reference, virtual_machine

if TYPE_CHECKING:
    from jdbpy.session.events.target import Target

_BORNE = 21
"""The release from which on a thread that is ending can be asked for anything."""


Since = tuple[int, int]
"""Something that is another as soon as a thread may have run on: its epoch, and how many calls have let all run."""


class EndingThreads:
    """Which suspended threads of one target are known to stand still, of those that may be ending."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._stands: dict[int, Since] = {}

    @property
    def matter(self) -> bool:
        """True if a thread that is ending must not be asked for its frames."""
        target = self._target
        return not target.at_least(_BORNE) and target.snapshot is None and not target.agent_line

    def may_be(self, thread: int) -> bool:
        """True if a thread that was suspended may be ending all the same. No trip."""
        if not self.matter:
            return False
        if self._target.suspension.stopped_by_event(thread) and not self._target.invocations.times_others_ran:
            return False
        return self._stands.get(thread) != self.since(thread)

    def since(self, thread: int) -> Since:
        """Return what ``found_suspended`` wants back, when the status of a suspended thread is asked for. No trip."""
        return self._target.suspension.epoch_of(thread), self._target.invocations.times_others_ran

    def found_suspended(self, thread: int, since: Since) -> None:
        """Take in that a thread had the status of one that is suspended."""
        if self.matter and not self._target.invocations.others_run:
            self._stands[thread] = since

    async def list_threads(self) -> list[ThreadID]:
        """Return the threads that the agent lists. wire: 1 trip."""
        target, suspension = self._target, self._target.suspension
        before, (base, counts) = suspension.ran, suspension.counts()
        calls = target.invocations.times_others_ran
        threads = (await target.conn.request(virtual_machine.AllThreads())).threads
        if self.matter and base and (suspension.ran, target.invocations.times_others_ran) == (before, calls):
            self._stands = {}
            for each in threads:
                if counts.get(each, base):
                    self.found_suspended(each, self.since(each))
        return threads

    async def standing(self, threads: Iterable[int]) -> set[int]:
        """Return those of some suspended threads that can be asked for frames and monitors. wire: 0 trips; 1 before
        release 21 for threads of which that is not known."""
        wanted = list(threads)
        unsure = [(each, self.since(each)) for each in wanted if self.may_be(each)]
        if unsure:
            asked = [thread_reference.Status(ThreadID(ObjectID(each))) for each, _ in unsure]
            for (each, since), status in zip(unsure, await self._target.conn.batch(asked), strict=True):
                if is_suspended(status):
                    self.found_suspended(each, since)
        return {each for each in wanted if not self.may_be(each)}


def is_suspended(status: object) -> bool:
    """True if the answer to Status says that a thread stands still; the suspend count does not tell that."""
    return isinstance(status, thread_reference.StatusReply) and bool(
        status.suspendStatus & SuspendStatus.SUSPEND_STATUS_SUSPENDED
    )


async def frame_count(target: Target, thread: ThreadID) -> int | None:
    """Suspend a thread for a moment and return the number of its frames; None if it is ending. wire: 1 trip, 2 before
    release 21."""
    conn, count = target.conn, thread_reference.FrameCount(thread)
    with conn.corked:
        conn.submit(thread_reference.Suspend(thread))
        status = conn.submit(thread_reference.Status(thread))
        early = None if target.ending.matter else conn.submit(count)
        if early is not None:
            conn.submit(thread_reference.Resume(thread))
    try:
        if early is not None:
            return (await early.wait()).frameCount
        try:
            return (await conn.request(count)).frameCount if is_suspended(await status.wait()) else None
        finally:
            with suppress(Disconnected):
                conn.submit(thread_reference.Resume(thread))
    except JdwpError:
        return None

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
from jdbpy.wire.constants import ThreadStatus
from jdbpy.wire.ids import ObjectID, ThreadID
from jdbpy.wire.messages import thread_reference

if TYPE_CHECKING:
    from jdbpy.session.events.target import Target

Place = tuple[int, int, int]
"""A class, a method and a code index."""

NATIVE = -1
"""The code index of a frame of a native method, in which a thread may stay for any time."""

COMMANDS = 4
"""The number of commands that examine a thread once."""


class EventsUnderWay:
    """The threads of one target that may have one, after all of its requests were cleared.

    ``threads`` is None before they were examined once.
    """

    def __init__(self, target: Target) -> None:
        self._virtual = target.virtual_threads
        self._places = frozenset(target.requests.suspending_places)
        self._stepped = target.requests.stepped_threads()
        self._anywhere = target.requests.has_suspended_anywhere
        self._seen_at: dict[int, Place] = {}
        self.threads: set[int] | None = None

    def examination(self, threads: Iterable[int]) -> tuple[list[int], list[Any]]:
        """Return the threads to examine, of those given, and the commands that do it: ``COMMANDS`` for each.

        Each thread is suspended for its own commands only. The resume makes the agent send what waits for one. Virtual
        threads are left out: one that is ending must not be suspended.
        """
        found = sorted(
            each for each in (threads if self.threads is None else self.threads) if not self._is_virtual(each)
        )
        commands: list[Any] = []
        for each in found:
            thread = ThreadID(ObjectID(each))
            commands += (
                thread_reference.Suspend(thread),
                thread_reference.Status(thread),
                thread_reference.Frames(thread, 0, 1),
                thread_reference.Resume(thread),
            )
        return found, commands

    def _is_virtual(self, thread: int) -> bool:
        return self._virtual.get(thread, False)

    def examined(self, threads: Sequence[int], replies: Sequence[Any]) -> None:
        """Take in the replies to the commands for these threads."""
        self.threads = {
            thread for i, thread in enumerate(threads) if self._may_have(thread, *replies[i * COMMANDS :][1:3])
        }

    def _may_have(self, thread: int, status: Any, frames: Any) -> bool:
        """True if the thread is at a place where it may have an event."""
        if isinstance(status, JdwpError) or isinstance(frames, JdwpError) or not frames.frames:
            return False
        if status.threadStatus != ThreadStatus.RUNNING:
            return False
        at = frames.frames[0].location
        place = at.classID, at.methodID, at.index
        moved = self._seen_at.get(thread, place) != place
        self._seen_at[thread] = place
        anywhere = self._anywhere and at.index != NATIVE
        return not moved and (anywhere or place in self._places or thread in self._stepped)

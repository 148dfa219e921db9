"""What the objects of one JVM share: the session below them, whether another one follows it, and limits of waits.

Every part of this package is made with it and uses nothing else of the JVM. Owns what was written to the target, by
which answers that came early are known to be old, and the lock of what acts on the selected thread.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import trio

from jdbpy.errors import StateError, TimedOut
from jdbpy.session.model import events
from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.session.model.options import StepDepth, StepSize

if TYPE_CHECKING:
    from jdbpy.session.session import Session


class StepAndWait(Protocol):
    """Steps a thread and waits for its next stop. Raises TimedOut, StateError. wire: as the step."""

    async def __call__(
        self, thread: Any, depth: StepDepth, size: StepSize, count: int, timeout: float | None, /, *, alone: bool
    ) -> Any: ...


class Core:
    """What is shared. ``step`` stands here as threads have it, and give out stops, which have threads."""

    step: StepAndWait

    def __init__(self, session: Session, nursery: trio.Nursery) -> None:
        self.session = session
        self.reconnects = False
        """True if the JVM is attached to again when it has gone away."""
        self.is_away = False
        """True from the end of a session until the next one is usable, or given up."""
        self.is_leaving = False
        """True once the script leaves: no other session follows."""
        self.changed = trio.lowlevel.ParkingLot()
        """Where tasks wait until another session has come, or none will."""
        self._nursery = nursery
        self._writes = 0
        self._selection_lock = trio.Lock()

    # -- sessions ----------------------------------------------------------------------------------------------------

    @property
    def comes_back(self) -> bool:
        """True if another session follows when this one ends."""
        return self.reconnects and not self.is_leaving

    @property
    def has_ended(self) -> bool:
        """True when the target has ended, or the connection, and is not attached to again. No trip."""
        return self.session.ending is not None and not self.comes_back

    async def wait_changed(self, session: Session) -> None:
        """Wait until another session has taken the place of this one, or none will."""
        while self.comes_back and self.session is session:
            await self.changed.park()

    def start(self, task: Callable[[], Awaitable[None]]) -> None:
        """Run a task beside the script, until the session ends."""
        self._nursery.start_soon(task)

    # -- what was read before ----------------------------------------------------------------------------------------

    @property
    def epoch(self) -> tuple[int, int, int]:
        """Another one whenever the target has run, as far as the debugger let it, or was written to. No trip."""
        return *self.session.ran, self._writes

    def wrote(self) -> None:
        """Something was written to the target, or may have been: what was read ahead is out of date. No trip."""
        self._writes += 1

    # -- threads and stops -------------------------------------------------------------------------------------------

    async def resume_from(self, stop: events.Stopped) -> None:
        """Let go on what a stop has suspended. wire: no wait."""
        try:
            if stop.policy is SuspendPolicy.THREAD and stop.thread is not None:
                await self.session.execution.resume(stop.thread.id)
            else:
                await self.session.execution.resume()
        except StateError:
            if self.session.is_current(stop):
                raise  # else it was over meanwhile: the session may be in another process

    @asynccontextmanager
    async def selecting(self, thread_id: int) -> AsyncIterator[Session]:
        """The session with the innermost frame of a thread selected, for what acts on the selection. wire: 2 trips."""
        async with self._selection_lock:
            await self.session.select_thread(thread_id)
            yield self.session

    # -- waits -------------------------------------------------------------------------------------------------------

    @contextmanager
    def limit(self, seconds: float | None, message: str) -> Iterator[None]:
        """A limit of time for a wait. Raises TimedOut with the message."""
        if seconds is None:
            yield
            return
        with trio.move_on_after(seconds) as scope:
            yield
        if scope.cancelled_caught:
            raise self._timed_out(message)

    def _timed_out(self, message: str) -> TimedOut:
        """Return the error of a wait; its message names a stop that suspends the target and was not waited for."""
        for stop in self.session.untaken_stops():
            if stop.policy is SuspendPolicy.ALL and stop.thread is not None and self.session.is_current(stop):
                at = f" at breakpoint {stop.breakpoints[0]}" if stop.breakpoints else ""
                return TimedOut(
                    f'{message}: thread "{stop.thread.name}" has stopped{at}, which suspends all threads',
                    hint='wait for that stop as well, or attach with hold="thread"',
                )
        return TimedOut(message)

"""The life of a session as a task of its own: opened, kept, left, and how it ended.

A front end whose client opens the session with one message and leaves it with another one cannot stay in the block that
the session is: this task stays in it. One session at a time; another one may follow it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Generic, TypeVar

import trio

from jdbpy.errors import JdbpyError, LeaveError, StateError
from jdbpy.task_groups import open_nursery

T = TypeVar("T")

Ready = Callable[[T, trio.Nursery], Awaitable[None]]
Leaving = Callable[[T], Awaitable[None]]


async def _nothing(session: object) -> None:
    """Nothing is to be done before the session is left."""


class SessionTask(Generic[T]):
    """The session of one client.

    ``ready`` runs before ``open`` returns, with the session and the nursery of the tasks that last as long as it.
    ``leaving`` runs before a session is left, when those tasks have ended. ``report`` takes a sentence about what went
    wrong once the session was there. ``ended`` is called when the session is over, unless an error that is none of
    ours ends the front end.
    """

    def __init__(
        self,
        nursery: trio.Nursery,
        *,
        ready: Ready[T],
        report: Callable[[str], None],
        leaving: Leaving[T] = _nothing,
        ended: Callable[[], None] = lambda: None,
    ) -> None:
        self._nursery = nursery
        self._ready = ready
        self._report = report
        self._before_leave = leaving
        self._ended = ended
        self._current: T | None = None
        self._tasks: trio.Nursery | None = None
        self._opening: trio.CancelScope | None = None
        self._opened = trio.Event()
        self._refusal = ""
        self._leaving = trio.Event()
        self._left = trio.Event()
        self._problem: JdbpyError | None = None

    @property
    def current(self) -> T | None:
        """Return the session while it lasts."""
        return self._current

    @property
    def is_busy(self) -> bool:
        """True if there is a session, or one is being opened."""
        return self._current is not None or self._opening is not None

    @property
    def was_left(self) -> bool:
        """True if there was a session, which is over."""
        return self._current is None and self._left.is_set()

    async def open(self, opening: AbstractAsyncContextManager[T]) -> None:
        """Open a session and keep it. Raises as opening it does, and StateError when ``give_up`` ends that."""
        self._refusal = ""
        self._opened = trio.Event()
        with trio.CancelScope() as self._opening:
            try:
                await self._nursery.start(self._keep, opening)
            finally:
                scope, self._opening = self._opening, None
                self._opened.set()
        if scope.cancelled_caught:
            raise StateError(self._refusal or "the client has ended the session meanwhile")

    def give_up(self, reason: str) -> None:
        """Make the ``open`` that is under way fail."""
        if self._opening is not None:
            self._refusal = reason
            self._opening.cancel()

    def start(self, task: Callable[[], Awaitable[None]]) -> None:
        """Run a task beside the session, until it ends; while there is none, until the client goes."""
        (self._tasks or self._nursery).start_soon(task)

    def finish(self) -> None:
        """Leave the session soon."""
        self._leaving.set()

    @property
    def left(self) -> trio.Event:
        """Return what is set when the session that lasts now is over."""
        return self._left

    async def leave(self) -> None:
        """Leave the session, or give up the ``open`` that is under way; to leave none is no error.

        Raises LeaveError when it is not certain that the target runs.
        """
        if self._opening is not None:
            self._opening.cancel()
            await self._opened.wait()
            return
        if self._current is None:
            return
        self._leaving.set()
        await self._left.wait()
        if isinstance(self._problem, LeaveError):
            raise self._problem

    async def _keep(
        self,
        opening: AbstractAsyncContextManager[T],
        *,
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        began = False
        try:
            async with opening as session:
                self._leaving, self._left, self._problem = trio.Event(), trio.Event(), None
                self._current = session
                began = True
                async with open_nursery() as nursery:
                    self._tasks = nursery
                    await self._ready(session, nursery)
                    task_status.started()
                    await self._leaving.wait()
                    nursery.cancel_scope.cancel()
                self._current = None
                await self._before_leave(session)
        except JdbpyError as error:
            if not began:
                raise
            self._problem = error
            self._report(error.message)
        except BaseException as error:
            for note in getattr(error, "__notes__", ()):  # that it is not certain that the target runs
                self._report(note)
            raise
        finally:
            self._current = self._tasks = None
            if began:
                self._left.set()
        self._ended()

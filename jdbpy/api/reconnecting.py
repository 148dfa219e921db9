"""A JVM that goes away and comes back: attached to again beside the script, with all that was set in it.

Owns the pauses between attempts, and what is set again: breakpoints and hits with their numbers, as they were when the
JVM went away. What was for a thread or an object of the last run ends.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import TYPE_CHECKING

import trio

from jdbpy.api.core import Core
from jdbpy.api.feeds import Feeds
from jdbpy.errors import ConnectError, JdbpyError
from jdbpy.session.model import events
from jdbpy.session.model.breakpoints import BreakpointInfo
from jdbpy.task_groups import open_nursery

if TYPE_CHECKING:
    from jdbpy.api.vm import Vm
    from jdbpy.session.session import Session

FIRST_PAUSE = 0.25
LONGEST_PAUSE = 15.0
"""Seconds between two attempts: the pause doubles each time."""


class Reconnecting:
    """Keeps a ``Vm`` attached."""

    def __init__(
        self,
        opening: Callable[[], AbstractAsyncContextManager[Session]],
        limit: float,
        on_change: Callable[[Vm, str], object] | None,
    ) -> None:
        self._opening = opening
        self._limit = limit
        self._on_change = on_change
        self._core: Core
        self._leave = trio.Event()
        self._left = trio.Event()

    async def leave(self) -> None:
        """Leave the session that was opened last, and open no other."""
        self._leave.set()
        await self._left.wait()

    async def run(self, vm: Vm, core: Core, feeds: Feeds) -> None:
        """Attach again whenever the session ends, until ``leave`` is called or the target stays away."""
        core.reconnects = True
        self._core = core
        core.session.listen(self._went)
        try:
            async with AsyncExitStack() as stack:
                while await self._ended(vm.session):
                    before = vm.session
                    points = before.points.list() if before.points_are_used else []
                    session = await self._attached(vm, stack)
                    if session is None:
                        return
                    feeds.join(session)
                    session.listen(self._went)
                    await self._put_back(core, feeds, points)
                    core.is_away = False
                    core.changed.unpark_all()
                    self._tell(vm, "")
        finally:
            core.reconnects = core.is_away = False
            core.changed.unpark_all()
            feeds.wake()
            self._left.set()

    def _went(self, event: events.Event) -> None:
        if isinstance(event, events.Exited | events.VMDisconnected) and not self._leave.is_set():
            self._core.is_away = True

    async def _ended(self, session: Session) -> bool:
        """Wait for the end of a session: True if another is wanted."""
        ended = False

        async def leaving() -> None:
            await self._leave.wait()
            nursery.cancel_scope.cancel()

        async with open_nursery() as nursery:
            nursery.start_soon(leaving)
            await session.wait_ended()
            ended = not self._leave.is_set()
            nursery.cancel_scope.cancel()
        return ended

    async def _attached(self, vm: Vm, stack: AsyncExitStack) -> Session | None:
        """Return the next session; None when the limit is over or the script leaves."""
        ending = vm.session.ending
        self._tell(vm, ending.reason if isinstance(ending, events.VMDisconnected) else "the target has ended")
        pause, deadline = FIRST_PAUSE, trio.current_time() + self._limit
        while True:
            try:
                return await stack.enter_async_context(self._opening())
            except ConnectError as error:
                if trio.current_time() + pause > deadline:
                    self._tell(vm, f"it did not come back within {self._limit:g} seconds ({error.message})")
                    return None
            with trio.move_on_after(pause):
                await self._leave.wait()
                return None
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _put_back(self, core: Core, feeds: Feeds, points: list[BreakpointInfo]) -> None:
        for point in points:
            add = feeds.adds.get(point.number)
            feed = feeds.of(point.number)
            if add is None or feed is None:
                continue
            if point.is_of_this_run:
                feed.close("it was for a thread or an object of the last run")
                continue
            core.session.points.number_next(point.number)
            try:
                made = await add(point.given)
                if made.number != point.number:  # of a session that is served: another client was faster
                    await core.session.points.remove([made.number])
                    feed.close("its number has been given to another breakpoint")
            except JdbpyError as error:
                if core.session.ending is not None:  # it is gone again
                    return
                feed.close(f"it cannot be set again: {error.message}")
        first = core.session.last_stop
        if first is not None and first.reason is events.StopReason.START and core.session.ending is None:
            await core.session.execution.resume()

    def _tell(self, vm: Vm, why: str) -> None:
        if self._on_change is not None:
            self._on_change(vm, why)

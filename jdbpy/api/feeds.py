"""The feeds of stops and hits for waiting tasks.

A feed is known before the first stop can come to it, each has its own queue, and a stop is given to one waiter.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import trio

from jdbpy.api.core import Core
from jdbpy.api.delivery import on_rollback
from jdbpy.errors import Disconnected, StateError, TimedOut, UsageError
from jdbpy.session.model import events
from jdbpy.session.model.breakpoints import BreakpointInfo, PointOptions

if TYPE_CHECKING:
    from jdbpy.session.session import Session

CAPACITY = 10_000
"""Hits that wait for a slow script; later ones are dropped and counted."""

_MOST_EARLY = 10_000
"""Stops and hits kept while their breakpoint is being set."""

Add = Callable[[PointOptions], Awaitable[BreakpointInfo]]
"""Sets a breakpoint with options."""


class Feed:
    """Stops or hits on their way to a script: each is given to one of those who wait, in their order."""

    def __init__(self, core: Core, capacity: int = CAPACITY) -> None:
        self._core = core
        self._capacity = capacity
        self._queue: deque[Any] = deque()
        self._arrived = trio.lowlevel.ParkingLot()
        self.dropped = 0
        self.closed = ""
        self.lasts = False  # it goes on when the JVM has gone away and come back

    def put(self, item: Any) -> None:
        """Hand in an item; a report that does not fit is dropped and counted. No wait."""
        if len(self._queue) >= self._capacity and isinstance(item, events.Report):
            self.dropped += 1
            return
        self._queue.append(item)
        if self._arrived:
            self._arrived.unpark()

    def put_back(self, items: Iterable[Any]) -> None:
        """Hand back what was taken and not used, in its order; it comes before all else."""
        self._queue.extendleft(reversed(list(items)))
        self._arrived.unpark_all()

    def put_back_stop(self, stop: events.Stopped) -> None:
        """Hand back a stop: here, and to the session, whose next resume is not to release it. No trip."""
        self._core.session.put_back(stop)
        self.put_back([stop])

    def close(self, why: str) -> None:
        """Nothing comes any more."""
        self.closed = self.closed or why
        self._arrived.unpark_all()

    def wake(self) -> None:
        """Let all who wait see whether the session has ended."""
        self._arrived.unpark_all()

    def take_nowait(self) -> Any:
        """Return the next item, None if there is none now."""
        while self._queue:
            item = self._queue.popleft()
            if isinstance(item, events.Stopped) and not self._core.session.is_current(item):
                continue  # it was resumed by somebody else
            return item
        return None

    async def take(self) -> Any:
        """Return the next item; None when none can come any more. Raises Disconnected."""
        await trio.lowlevel.checkpoint_if_cancelled()
        while True:
            item = self.take_nowait()
            if item is not None:
                return item
            ending = None if self.lasts and self._core.comes_back else self._core.session.ending
            if isinstance(ending, events.VMDisconnected):
                raise Disconnected(ending.reason)
            if ending is not None or self.closed:
                return None
            await self._arrived.park()

    async def stop(self, timeout: float | None, what: str) -> events.Stopped:
        """Return the next stop. Raises TimedOut, StateError when none can come any more, Disconnected."""
        with self._core.limit(timeout, f"{what} within {timeout:g} seconds" if timeout is not None else ""):
            stop = await self.take()
        if stop is None:
            why = "the target has ended" if self._core.session.ending is not None else self.closed
            raise StateError(f"{what}: {why}", code="VM_DEAD" if self._core.session.ending is not None else "CLOSED")
        self._core.session.take(stop)
        assert isinstance(stop, events.Stopped)
        on_rollback(lambda: self.put_back_stop(stop))
        return stop


def only_in_a_block(example: str) -> StateError:
    """Return the error for what is asked of hits or measurements whose block has not begun: nothing would ever come."""
    return StateError("this has not begun: it is for a 'with' block", hint=example, code="NOT_BEGUN")


class ThreadWaiter:
    """Waits for the stops of one thread."""

    def __init__(self, core: Core, thread_id: int) -> None:
        self.thread_id = thread_id
        self.feed = Feed(core)

    async def stop(self, timeout: float | None) -> events.Stopped:
        """Return the thread's next stop. Raises TimedOut, StateError when the thread or the target has ended."""
        return await self.feed.stop(timeout, "the thread did not stop again")


class Feeds:
    """The feeds of one JVM, by the number of what was set in it."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self._feeds: dict[int, Feed] = {}
        self._early: list[list[tuple[int, Any]]] = []
        self._others: list[Feed] = []
        self._waiters: list[ThreadWaiter] = []
        self.adds: dict[int, Add] = {}
        """Sets each of them, with its options: again in a JVM that has come back."""

    def join(self, session: Session) -> None:
        """From now on this is the session of the JVM."""
        self.core.session = session
        session.listen(self.on_event)
        first = session.last_stop
        if first is not None and first.reason is events.StopReason.START:
            session.take(first)  # a target that stands at its start: nobody waits for that

    def of(self, number: int) -> Feed | None:
        """Return the feed of a number, None if a script has not set it."""
        return self._feeds.get(number)

    def add(self, feed: Feed) -> None:
        """Wake a feed of no number, too, when the session ends."""
        self._others.append(feed)

    def discard(self, feed: Feed) -> None:
        """Take back ``add``."""
        if feed in self._others:
            self._others.remove(feed)

    def of_any(self, number: int) -> Feed:
        """Return the feed of a number, one that begins now if a script has not set it."""
        return self._feeds.setdefault(number, Feed(self.core))

    async def arm(self, add: Add, options: PointOptions, feed: Feed) -> int:
        """Set a breakpoint in the target, whose stops and hits all go to the feed; return its number."""
        early: list[tuple[int, Any]] = []
        self._early.append(early)
        try:
            made = await add(options)
        finally:
            self._early.remove(early)
        self._feeds[made.number] = feed
        self.adds[made.number] = add
        feed.lasts = True
        for number, item in early:
            if number == made.number:
                feed.put(item)
        return made.number

    async def disarm(self, number: int, why: str) -> None:
        """Take something out of the target; its feed ends. To do it again is not an error. wire: 1 trip."""
        session, feed = self.core.session, self._feeds.get(number)
        self.adds.pop(number, None)
        if number and _exists(session, number) and session.ending is None:
            try:
                await session.points.remove([number])
            except UsageError:
                if _exists(session, number):
                    raise  # else it has gone meanwhile: the session may be in another process
        if feed is not None:
            feed.close(why)

    async def end(self, number: int, why: str, error: object) -> None:
        """``disarm`` at the end of a block, also of one that was cancelled. Raises TimedOut when the target does not
        answer, unless the block has ended by an ``error``. wire: 1 trip."""
        with self.core.session.finishing() as scope:
            await self.disarm(number, why)
        if scope.cancelled_caught and error is None:
            await trio.lowlevel.checkpoint_if_cancelled()
            raise TimedOut("the target has not answered: whether it was taken out is not known")

    @contextmanager
    def expecting(self, thread_id: int) -> Iterator[ThreadWaiter]:
        """Give the stops of a thread to the waiter as well, from now on. No trip."""
        waiter = ThreadWaiter(self.core, thread_id)
        self._waiters.append(waiter)
        try:
            yield waiter
        finally:
            self._waiters.remove(waiter)

    def on_event(self, event: events.Event) -> None:
        """Put a stop or a hit into the feeds that it belongs to; at the end of the session wake all waiters."""
        if isinstance(event, events.Stopped):
            for number in event.breakpoints:
                self._hand_on(number, event)
            for waiter in self._waiters:
                if event.thread is not None and event.thread.id == waiter.thread_id:
                    waiter.feed.put(event)
        elif isinstance(event, events.Notice):
            if event.report is not None and event.data:
                of = event.data[0][1]
                if isinstance(of, int):
                    self._hand_on(of, event.report)
            elif event.kind == "thread-ended":
                for waiter in self._waiters:
                    if ("thread", waiter.thread_id) in event.data:
                        waiter.feed.close("the thread has ended")
        elif isinstance(event, events.Exited | events.VMDisconnected):
            self.wake()

    def wake(self) -> None:
        """Let all waiters see whether the session has ended."""
        for feed in (*self._feeds.values(), *self._others, *(waiter.feed for waiter in self._waiters)):
            feed.wake()

    def _hand_on(self, number: int, item: Any) -> None:
        feed = self._feeds.get(number)
        if feed is not None:
            feed.put(item)
            return
        for early in self._early:
            if len(early) < _MOST_EARLY:
                early.append((number, item))


def _exists(session: Session, number: int) -> bool:
    return any(each.number == number for each in session.points.list())

"""Breakpoints as live objects: how often they were hit, switched on and off, and the stops that they bring."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

import trio

from jdbpy.api.feeds import Feed
from jdbpy.api.frames import Place
from jdbpy.api.hits import Stop
from jdbpy.api.lazy import Lazy, one_by_one
from jdbpy.errors import UsageError
from jdbpy.session.model.breakpoints import BreakpointInfo, SuspendPolicy

if TYPE_CHECKING:
    from jdbpy.api.vm import Vm


class Breakpoint:
    """A breakpoint, watchpoint, catchpoint or trace in the target. Its properties are as of now, without a trip.

    In an ``async with`` block it is removed at the end of the block.
    """

    def __init__(self, vm: Vm, number: int, feed: Feed) -> None:
        self._vm = vm
        self._feed = feed
        self.number = number
        """Its number, as the command line shows it."""
        self.error: BaseException | None = None
        """The exception of the function given as ``do``; raised at the end of the session."""

    @property
    def record(self) -> BreakpointInfo:
        """Return all about it, as plain data. Raises UsageError once it is removed. No trip."""
        return self._vm.session.points.get(self.number)

    @property
    def spec(self) -> str:
        """Return where it is, or what it watches, as one types it. No trip."""
        return self.record.spec

    @property
    def hits(self) -> int:
        """Return how many hits have counted so far. No trip."""
        return self.record.hits

    @property
    def enabled(self) -> bool:
        """True unless it is switched off. No trip."""
        return self.record.enabled

    @property
    def is_pending(self) -> bool:
        """True while the class is not loaded in which it is to stand. No trip."""
        return not self.record.resolved and bool(self.record.message)

    @property
    def message(self) -> str:
        """Return what it waits for, in words; "" for nothing. No trip."""
        return self.record.message

    @property
    def places(self) -> list[Place]:
        """Return where in code it stands now. No trip."""
        return [Place(each) for each in self.record.resolved]

    @property
    def exists(self) -> bool:
        """False once it is removed. No trip."""
        return any(each.number == self.number for each in self._vm.session.points.list())

    # Waiting

    async def wait(self, timeout: float | None = None) -> Stop:
        """Return the next stop at it that was not taken yet; each stop goes to one of those who wait.

        Raises TimedOut after ``timeout`` seconds (None: no limit), StateError when the target has ended or it was
        removed, Disconnected. wire: no trip.
        """
        stop = await self._feed.stop(timeout, f"{self._called} was not hit")
        return self._vm._stop_of(stop)

    def stops(self, seconds: float | None = None, count: int | None = None) -> AsyncIterator[Stop]:
        """Return its stops one by one, of the next ``seconds`` or the next ``count``; each is resumed when the next is
        asked for, unless it was already. Ends with the target. No trip but for what the loop asks."""
        return one_by_one(self._stops_pages(seconds, count))

    async def _stops_pages(self, seconds: float | None = None, count: int | None = None) -> AsyncIterator[deque[Stop]]:
        deadline = trio.current_time() + seconds if seconds is not None else None
        taken = 0
        while count is None or taken < count:
            stop = None
            with trio.move_on_at(deadline) if deadline is not None else trio.CancelScope():
                stop = await self._feed.take()
            if stop is None:
                return
            taken += 1
            self._vm.session.take(stop)
            shown = self._vm._stop_of(stop)
            page = deque([shown])
            try:
                yield page
            finally:
                if page:
                    self._feed.put_back_stop(stop)
            await shown.resume()

    @property
    def _called(self) -> str:
        shown = next((each for each in self._vm.session.points.list() if each.number == self.number), None)
        return f"breakpoint {self.number}" + (f" ({shown.spec})" if shown is not None else "")

    # Changing

    async def enable(self) -> None:
        """Switch it on. Raises UsageError once it is removed. wire: 1 to 3 trips."""
        await self._vm.session.points.enable([self.number])

    async def disable(self) -> None:
        """Switch it off, and keep it. Raises UsageError once it is removed. wire: 1 trip."""
        await self._vm.session.points.disable([self.number])

    async def remove(self) -> None:
        """Take it out for good; to remove it again is not an error. wire: 1 trip."""
        await self._vm._feeds.disarm(self.number, "it was removed")

    async def set_condition(self, when: str) -> None:
        """Stop only where this boolean Java expression is true; "" stops always. Raises EvalError. wire: none, or as
        setting it."""
        await self._vm.session.points.set_condition(self.number, when)

    def to_dict(self) -> dict[str, Any]:
        """Return its JSON object, as the command line gives it: ``docs/json.md``. No trip."""
        return self.record.to_dict()

    def to_json(self) -> str:
        """``to_dict`` as a text of ASCII. No trip."""
        return self.record.to_json()

    def __repr__(self) -> str:
        if not self.exists:
            return f"<breakpoint {self.number}, removed>"
        shown = self.record
        state = "" if shown.enabled else ", disabled"
        pending = f", {shown.message}" if self.is_pending else ""
        return f"<breakpoint {self.number} {shown.spec}: {shown.hits} hits{state}{pending}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    async def __aenter__(self) -> Breakpoint:
        return self

    async def __aexit__(self, *exc: object) -> None:
        """Remove it. wire: 1 trip."""
        await self._vm._feeds.end(self.number, "it was removed", exc[0])


class LazyBreakpoint(Lazy[Breakpoint]):
    """A breakpoint that is set when it is awaited, waited for, or entered: ``await vm.stop_at("A:1").wait()``."""

    def __init__(self, set_it: Callable[[], Awaitable[Breakpoint]]) -> None:
        super().__init__(set_it)

    async def wait(self, timeout: float | None = None) -> Stop:
        """Set it and wait for its next stop: as of ``Breakpoint``."""
        return await (await self).wait(timeout)

    async def __aenter__(self) -> Breakpoint:
        return await self

    async def __aexit__(self, *exc: object) -> None:
        await (await self).__aexit__(*exc)


def checked_hold(hold: str) -> SuspendPolicy | None:
    """Return what a hit suspends, by the word for it. Raises UsageError."""
    if not hold:
        return None
    try:
        return {"thread": SuspendPolicy.THREAD, "all": SuspendPolicy.ALL}[hold]
    except KeyError:
        raise UsageError(f"hold is 'thread' or 'all', not '{hold}'") from None

"""Breakpoints as live objects: how often they were hit, switched on and off; the stops and the hits that they bring."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import trio

from jdbpy.api.core import Core
from jdbpy.api.feeds import CAPACITY, Add, Feed, Feeds, only_in_a_block
from jdbpy.api.frames import Frame, Place, Thread
from jdbpy.api.hits import Hit, Reported, next_report, report_pages
from jdbpy.api.lazy import Lazy, one_by_one
from jdbpy.errors import StateError, UsageError
from jdbpy.session.model import events
from jdbpy.session.model.breakpoints import BreakpointInfo, PointOptions, SuspendPolicy
from jdbpy.session.model.options import StepDepth, StepSize
from jdbpy.session.model.values import ValueInfo

if TYPE_CHECKING:
    from jdbpy.session.model.snapshots import SnapshotTaken


class Stop(Hit):
    """A stop: a hit whose thread is suspended, and maybe all others. It lasts until its thread is resumed."""

    record: events.Stopped

    def __init__(self, objects: BreakpointObjects, stop: events.Stopped, time: float, number: int = 0) -> None:
        self._objects = objects
        super().__init__(objects.core, stop, str(stop.reason), time, number)

    @property
    def reason(self) -> str:
        """Return why it stopped: ``event``."""
        return self.event

    @property
    def frame(self) -> Frame:
        """Return the innermost frame, good until its thread runs. Raises StateError where there is none. No trip."""
        if self.record.frame is None:
            why = self.record.error or "the thread has no Java frames"
            raise StateError(f"the stop has no frame: {why}", code="NO_SUCH_FRAME")
        return Frame(self._core, self.record.frame)

    @property
    def breakpoint(self) -> Breakpoint:
        """Return the breakpoint that stopped it. Raises StateError for another stop. No trip."""
        if self.record.breakpoint is None:
            raise self._without("breakpoint")
        return self._objects.of(self.record.breakpoint)

    @property
    def suspends_all(self) -> bool:
        """True if all threads were suspended, False if only its own."""
        return self.record.policy is SuspendPolicy.ALL

    @property
    def is_current(self) -> bool:
        """True until its thread runs on. No trip."""
        return self._core.session.is_current(self.record)

    @property
    def warning(self) -> str:
        """Return what went wrong at the stop, such as a condition that failed; "" if nothing has."""
        return self.record.error or (self.record.message if self.failure else "")

    async def snapshot(
        self, path: str | Path, *, depth: int | None = None, most: int | None = None, masks: Sequence[str] = ()
    ) -> SnapshotTaken:
        """Write a snapshot of the JVM as it stands: see ``Vm.snapshot``, whose arguments, errors and costs it has."""
        return await self._core.session.snapshot(str(path), depth=depth, most=most, masks=masks)

    async def resume(self) -> None:
        """Resume what the stop suspends: its thread, or all. A stop that is over is not an error. wire: no wait."""
        if self.is_current:
            await self._core.resume_from(self.record)


class Breakpoint:
    """A breakpoint, watchpoint, catchpoint or trace in the target. Its properties are as of now, without a trip.

    In an ``async with`` block it is removed at the end of the block.
    """

    def __init__(self, objects: BreakpointObjects, number: int, feed: Feed) -> None:
        self._objects = objects
        self._core = objects.core
        self._feed = feed
        self.number = number
        """Its number, as the command line shows it."""
        self.error: BaseException | None = None
        """The exception of the function given as ``do``; raised at the end of the session."""

    @property
    def record(self) -> BreakpointInfo:
        """Return all about it, as plain data. Raises UsageError once it is removed. No trip."""
        return self._core.session.points.get(self.number)

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
        return any(each.number == self.number for each in self._core.session.points.list())

    # Waiting

    async def wait(self, timeout: float | None = None) -> Stop:
        """Return the next stop at it that was not taken yet; each stop goes to one of those who wait.

        Raises TimedOut after ``timeout`` seconds (None: no limit), StateError when the target has ended or it was
        removed, Disconnected. wire: no trip.
        """
        stop = await self._feed.stop(timeout, f"{self._called} was not hit")
        return self._objects.stop_of(stop)

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
            self._core.session.take(stop)
            shown = self._objects.stop_of(stop)
            page = deque([shown])
            try:
                yield page
            finally:
                if page:
                    self._feed.put_back_stop(stop)
            await shown.resume()

    @property
    def _called(self) -> str:
        shown = next((each for each in self._core.session.points.list() if each.number == self.number), None)
        return f"breakpoint {self.number}" + (f" ({shown.spec})" if shown is not None else "")

    # Changing

    async def enable(self) -> None:
        """Switch it on. Raises UsageError once it is removed. wire: 1 to 3 trips."""
        await self._core.session.points.enable([self.number])

    async def disable(self) -> None:
        """Switch it off, and keep it. Raises UsageError once it is removed. wire: 1 trip."""
        await self._core.session.points.disable([self.number])

    async def remove(self) -> None:
        """Take it out for good; to remove it again is not an error. wire: 1 trip."""
        await self._objects.feeds.disarm(self.number, "it was removed")

    async def set_condition(self, when: str) -> None:
        """Stop only where this boolean Java expression is true; "" stops always. Raises EvalError. wire: none, or as
        setting it."""
        await self._core.session.points.set_condition(self.number, when)

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
        await self._objects.feeds.end(self.number, "it was removed", exc[0])


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


class Hits:
    """Hits that are reported while the target goes on; to be used in an ``async with`` block.

    The block begins with the request in the target, so that no hit is lost in between, and ends by taking it out. At
    most 10,000 hits wait for a slow script; ``dropped`` counts those that did not fit.
    """

    def __init__(self, objects: BreakpointObjects, options: PointOptions, add: Add, capacity: int = CAPACITY) -> None:
        self._objects = objects
        self._core = objects.core
        self._options = options
        self._add = add
        self._feed = Feed(objects.core, capacity)
        self._number = 0

    async def __aenter__(self) -> Hits:
        """Begin to take hits. Raises UsageError and EvalError for what makes no sense. wire: 1 to 3 trips."""
        self._number = await self._objects.feeds.arm(self._add, self._options, self._feed)
        return self

    async def __aexit__(self, *exc: object) -> None:
        """End it; what was not taken can still be. wire: 1 trip."""
        await self._objects.feeds.end(self._number, "the block of the hits has ended", exc[0])

    @property
    def breakpoint(self) -> Breakpoint:
        """Return what is set in the target: its count of hits, whether it waits for a class. No trip."""
        return self._objects.of(self._number)

    @property
    def dropped(self) -> int:
        """Hits that were dropped because the script was too slow. No trip."""
        return self._feed.dropped

    def take(self, seconds: float | None = None, count: int | None = None) -> AsyncIterator[Reported]:
        """Return the hits, one by one: of the next ``seconds``, or the next ``count``, or what comes first of both.

        Without either, up to the end of the block or of the target, which is not an error. Raises StateError before the
        block, Disconnected. No trip.
        """
        self._require_begun()
        return one_by_one(self._take_pages(seconds, count))

    def _take_pages(self, seconds: float | None = None, count: int | None = None) -> AsyncIterator[deque[Reported]]:
        return report_pages(self._core, self._feed, seconds, count)

    def __aiter__(self) -> AsyncIterator[Reported]:
        return self.take()

    async def next(self, timeout: float | None = None) -> Reported:
        """Return the next hit. Raises TimedOut after ``timeout`` seconds (None: no limit), StateError when the target
        has ended, or before the block. No trip."""
        self._require_begun()
        return await next_report(self._core, self._feed, timeout, "hit")

    def _require_begun(self) -> None:
        if not self._number:
            raise only_in_a_block("with vm.entries(...) as hits: in it hits.take(seconds=3)")

    def __repr__(self) -> str:
        return f"<hits of {self.breakpoint!r}>" if self._number else "<hits, to be used in a block>"

    async def summary(self) -> Any:
        """Return what all hits come to, taken or not, as ``jdbpy.tracing.TraceSummary``: counts by method, values.

        wire: 2 or 3 trips.
        """
        return await self._core.session.points.summary(self._number)


def checked(places: Sequence[str] | str) -> tuple[str, ...]:
    """Patterns as a tuple; one alone may be given as it is."""
    if isinstance(places, str):
        return (places,) if places else ()
    if not all(isinstance(each, str) for each in places):
        raise UsageError("patterns are texts")
    return tuple(places)


class BreakpointObjects:
    """The objects for the breakpoints of one JVM, by number, and for its stops."""

    def __init__(self, core: Core, feeds: Feeds) -> None:
        self.core = core
        core.step = self.step
        self.feeds = feeds
        self._known: dict[int, Breakpoint] = {}

    def of(self, number: int) -> Breakpoint:
        """Return the breakpoint of that number, also one that was not set by this script. Raises UsageError. No
        trip."""
        if number not in self._known:
            self.core.session.points.get(number)
            self._known[number] = Breakpoint(self, number, self.feeds.of_any(number))
        return self._known[number]

    async def set(self, options: PointOptions, add: Add) -> tuple[Breakpoint, Feed]:
        """Set a breakpoint in the target; return it with its feed. wire: as ``add``."""
        feed = Feed(self.core)
        number = await self.feeds.arm(add, options, feed)
        made = self._known[number] = Breakpoint(self, number, feed)
        return made, feed

    def stop_of(self, stop: events.Stopped) -> Stop:
        """Return a stop as an object with verbs. No trip."""
        number, points = stop.breakpoint, self.core.session.points
        shown = next((each for each in points.list() if each.number == number), None) if number else None
        return Stop(self, stop, time.time(), shown.hits if shown is not None else 0)

    async def step(
        self,
        thread: Thread,
        depth: StepDepth,
        size: StepSize,
        count: int,
        timeout: float | None,
        *,
        alone: bool = False,
    ) -> Stop:
        """Step a thread and wait for its next stop. wire: as the step."""
        leaving = await thread.frame if depth is StepDepth.OUT else None
        with self.feeds.expecting(thread.id) as waiter:
            await self.core.session.execution.start_step(depth, size, count, thread.id, alone=alone)
            stop = await waiter.stop(timeout)
        void = leaving is not None and leaving.record.location.signature.endswith(")V")
        if void and stop.reason is events.StopReason.STEP and stop.return_value is None:
            stop = stop.replace(return_value=ValueInfo("void", "void", "V", None))
        return self.stop_of(stop)

"""The events at a breakpoint: hits that are reported while the target goes on, and stops, which suspend a thread.

One class holds the data of both, whatever the kind: a place was reached, a method entered or left, an exception thrown,
a field read or changed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Sequence
from html import escape as escape_html
from pathlib import Path
from typing import TYPE_CHECKING, Any

import trio

from jdbpy.api.delivery import taken
from jdbpy.api.feeds import CAPACITY, Add, Feed, only_in_a_block
from jdbpy.api.frames import Frame, Place, Thread
from jdbpy.api.lazy import one_by_one
from jdbpy.api.values import Value
from jdbpy.errors import StateError, UsageError
from jdbpy.escape import escape
from jdbpy.session.model import events
from jdbpy.session.model.breakpoints import PointOptions, SuspendPolicy
from jdbpy.session.model.values import ValueInfo

if TYPE_CHECKING:
    from jdbpy.api.breakpoints import Breakpoint
    from jdbpy.api.vm import Vm
    from jdbpy.session.model.snapshots import SnapshotTaken

_PAGE = 64
"""Most hits that are handed out at once."""


class Hit:
    """One hit of a breakpoint, a trace or a watchpoint, with its data as it was then.

    ``event`` is what happened: "breakpoint", "method-entry", "method-exit", "exception", "access", "modification",
    "monitor", "class-prepare", "class-unload", "thread-start", "thread-death", "vm-death"; of stops also "step",
    "pause", "start". A property that does not belong to it raises StateError. Texts and primitives are as they were at
    the hit; what an object holds is read when it is asked for.
    """

    def __init__(self, vm: Vm, record: events.Stopped | events.Report, event: str, time: float, number: int) -> None:
        self._vm = vm
        self.record = record
        self.event = event
        self.time = time
        """The time at which it came to the debugger, in seconds since 1970."""
        self.number = number
        """Which hit of its breakpoint it is, from 1; 0 for what is none of a breakpoint."""

    @property
    def thread(self) -> Thread:
        """Return the thread in which it happened. Raises StateError where there is none (``class-unload``). No trip."""
        if self.record.thread is None:
            raise self._without("thread")
        return Thread(self._vm, self.record.thread)

    @property
    def place(self) -> Place:
        """Return the place in code where it happened. No trip."""
        location = self.record.location
        if location is None:
            raise self._without("place in code")
        return Place(location)

    @property
    def returned(self) -> Value:
        """Return what the method has returned: at a "method-exit", and at the end of ``finish`` and ``next``; a value
        of the type ``void`` of a method that returns nothing. No trip.
        """
        value = self.record.return_value
        if value is None:
            raise self._without("returned value")
        return Value(self._vm, value, "returned")

    @property
    def exception(self) -> Value:
        """Return the exception that was thrown. No trip."""
        found = self.record.exception
        if found is None:
            raise self._without("exception")
        text = found.type if found.message is None else f"{found.type}: {found.message}"
        return Value(self._vm, ValueInfo(found.type, escape(text), "L", found.id, found.id), "exception")

    @property
    def message(self) -> str:
        """Return the message of the exception; "" if it has none. No trip."""
        found = self.record.exception
        if found is None:
            raise self._without("exception")
        return found.message or ""

    @property
    def caught(self) -> bool:
        """True if some frame of the thread catches the exception. No trip."""
        found = self.record.exception
        if found is None:
            raise self._without("exception")
        return found.caught

    @property
    def field(self) -> str:
        """Return the watched field that was read or changed: ``com.acme.Order.total``. No trip."""
        if not self.record.variable:
            raise self._without("field")
        return self.record.variable

    @property
    def old(self) -> Value:
        """Return what the field held before. No trip."""
        if self.record.old_value is None:
            raise self._without("old value")
        return Value(self._vm, self.record.old_value, "old")

    @property
    def new(self) -> Value:
        """Return what the field is about to hold. No trip."""
        if self.record.new_value is None:
            raise self._without("new value")
        return Value(self._vm, self.record.new_value, "new")

    @property
    def object(self) -> Value:
        """Return the object whose field it is, or whose monitor. No trip."""
        if self.record.object is None:
            raise self._without("object")
        return Value(self._vm, self.record.object, "object")

    @property
    def monitor(self) -> str:
        """Return what happened to the monitor: "enter" (another thread has it), "entered", "wait", "waited".
        No trip.
        """
        if not self.record.monitor:
            raise self._without("monitor")
        return self.record.monitor

    @property
    def loaded(self) -> str:
        """Return the name of the class that was loaded or unloaded. No trip."""
        if not self.record.class_name:
            raise self._without("class")
        return self.record.class_name

    @property
    def failure(self) -> str:
        """Return why its condition, or the text of a log, could not be evaluated; "" if it could. No trip."""
        return self.record.failure

    def has(self, what: str) -> bool:
        """True if the hit has that: ``hit.has("returned")``, by the name of a property. No trip."""
        try:
            getattr(self, what)
        except StateError:
            return False
        return True

    def to_dict(self) -> dict[str, Any]:
        """Return its JSON object, as the command line gives it: ``docs/json.md``. No trip."""
        return self.record.to_dict()

    def to_json(self) -> str:
        """``to_dict`` as a text of ASCII. No trip."""
        return self.record.to_json()

    def _without(self, what: str) -> StateError:
        return StateError(f"a hit of the kind '{self.event}' has no {what}", code="NOT_AVAILABLE")

    def _words(self) -> str:
        words = [self.event]
        if self.record.location is not None:
            words.append(str(self.place))
        if self.record.return_value is not None:
            words.append(f"returned {self.record.return_value.text}")
        if self.record.exception is not None:
            words.append(self.exception.text)
        if self.record.variable:
            words.append(f"{self.record.variable}")
        if self.record.old_value is not None or self.record.new_value is not None:
            parts = (self.record.old_value, self.record.new_value)
            words.append(" -> ".join(each.text for each in parts if each is not None))
        if self.record.thread is not None:
            words.append(f"[{escape(self.record.thread.name)}]")
        return " ".join(words)

    def __str__(self) -> str:
        return self._words()

    def __repr__(self) -> str:
        return f"<{type(self).__name__.lower()} {self._words()}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    def _repr_html_(self) -> str:
        return f"<code>{escape_html(str(self))}</code>"


class Reported(Hit):
    """A hit that was reported while the target went on."""

    record: events.Report

    def __init__(self, vm: Vm, report: events.Report) -> None:
        super().__init__(vm, report, report.event, report.time_ns / 1e9, report.hit)

    def _words(self) -> str:
        values = ", ".join(f"{each.name} = {each.value.text}" for each in self.record.values if each.value is not None)
        return f"{super()._words()} {values}".rstrip()

    @property
    def args(self) -> dict[str, Value]:
        """Return the arguments by name, at a "method-entry"; ``arg0``, ``arg1`` without debug information. No trip."""
        return {
            each.name: Value(self._vm, each.value, each.name)
            for each in self.record.arguments
            if each.value is not None
        }

    @property
    def values(self) -> dict[str, Value]:
        """Return what the expressions of ``vm.log`` gave, by their texts. No trip."""
        return {
            each.name: Value(self._vm, each.value, each.name) for each in self.record.values if each.value is not None
        }

    @property
    def cost(self) -> float:
        """Return the seconds that an observed call took. Raises StateError where its begin was not seen. No trip."""
        if self.record.cost is None:
            raise self._without("cost")
        return self.record.cost

    @property
    def stack(self) -> list[Place]:
        """Return the places of the innermost frames, as many as were asked for with ``stack=``. No trip."""
        return [Place(each) for each in self.record.stack]

    @property
    def caller(self) -> Place:
        """Return the place that called the method. Raises StateError unless ``stack`` was 2 or more. No trip."""
        if len(self.record.stack) < 2:
            raise StateError(
                "the caller was not asked for, or there is none",
                hint="give stack=2 or more",
                code="NOT_AVAILABLE",
            )
        return Place(self.record.stack[1])


class Stop(Hit):
    """A stop: a hit whose thread is suspended, and maybe all others. It lasts until its thread is resumed."""

    record: events.Stopped

    def __init__(self, vm: Vm, stop: events.Stopped, time: float, number: int = 0) -> None:
        super().__init__(vm, stop, str(stop.reason), time, number)

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
        return Frame(self._vm, self.record.frame)

    @property
    def breakpoint(self) -> Breakpoint:
        """Return the breakpoint that stopped it. Raises StateError for another stop. No trip."""
        if self.record.breakpoint is None:
            raise self._without("breakpoint")
        return self._vm.breakpoint(self.record.breakpoint)

    @property
    def suspends_all(self) -> bool:
        """True if all threads were suspended, False if only its own."""
        return self.record.policy is SuspendPolicy.ALL

    @property
    def is_current(self) -> bool:
        """True until its thread runs on. No trip."""
        return self._vm.session.is_current(self.record)

    @property
    def warning(self) -> str:
        """Return what went wrong at the stop, such as a condition that failed; "" if nothing has."""
        return self.record.error or (self.record.message if self.failure else "")

    async def snapshot(
        self, path: str | Path, *, depth: int | None = None, most: int | None = None, masks: Sequence[str] = ()
    ) -> SnapshotTaken:
        """Write a snapshot of the JVM as it stands: see ``Vm.snapshot``, whose arguments, errors and costs it has."""
        return await self._vm.snapshot(path, depth=depth, most=most, masks=masks)

    async def resume(self) -> None:
        """Resume what the stop suspends: its thread, or all. A stop that is over is not an error. wire: no wait."""
        if self.is_current:
            await self._vm._resume_from(self.record)


async def report_pages(vm: Vm, feed: Feed, seconds: float | None, count: int | None) -> AsyncIterator[deque[Reported]]:
    """Yield the reported hits of the next ``seconds``, or the next ``count``, as many at once as are there.

    Without either, up to the end of what feeds them. What is left in a page is handed back.
    """
    deadline = trio.current_time() + seconds if seconds is not None else None
    given = 0
    while count is None or given < count:
        if deadline is not None and trio.current_time() > deadline:
            return
        report = None
        with trio.move_on_at(deadline) if deadline is not None else trio.CancelScope():
            report = await feed.take()
        page = deque[Reported]()
        while report is not None:
            page.append(Reported(vm, report))
            full = len(page) >= _PAGE or (count is not None and given + len(page) >= count)
            report = None if full else feed.take_nowait()
        if not page:
            return
        given += len(page)
        try:
            yield page
        finally:
            feed.put_back([each.record for each in page])


async def next_report(vm: Vm, feed: Feed, timeout: float | None, what: str) -> Reported:
    """Return the next reported hit, which is ``what`` in words ("hit").

    Raises TimedOut, StateError when none can come any more, Disconnected.
    """
    with vm._limit(timeout, f"no {what} within {timeout:g} seconds" if timeout is not None else ""):
        report = await feed.take()
    if report is None:
        raise StateError(f"no further {what} can come: the target or the block has ended", code="VM_DEAD")
    taken(lambda: feed.put_back([report]))
    return Reported(vm, report)


class Hits:
    """Hits that are reported while the target goes on; to be used in an ``async with`` block.

    The block begins with the request in the target, so that no hit is lost in between, and ends by taking it out. At
    most 10,000 hits wait for a slow script; ``dropped`` counts those that did not fit.
    """

    def __init__(self, vm: Vm, options: PointOptions, add: Add, capacity: int = CAPACITY) -> None:
        self._vm = vm
        self._options = options
        self._add = add
        self._feed = Feed(vm, capacity)
        self._number = 0

    async def __aenter__(self) -> Hits:
        """Begin to take hits. Raises UsageError and EvalError for what makes no sense. wire: 1 to 3 trips."""
        self._number = await self._vm._feeds.arm(self._add, self._options, self._feed)
        return self

    async def __aexit__(self, *exc: object) -> None:
        """End it; what was not taken can still be. wire: 1 trip."""
        await self._vm._feeds.end(self._number, "the block of the hits has ended", exc[0])

    @property
    def breakpoint(self) -> Breakpoint:
        """Return what is set in the target: its count of hits, whether it waits for a class. No trip."""
        return self._vm.breakpoint(self._number)

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
        return report_pages(self._vm, self._feed, seconds, count)

    def __aiter__(self) -> AsyncIterator[Reported]:
        return self.take()

    async def next(self, timeout: float | None = None) -> Reported:
        """Return the next hit. Raises TimedOut after ``timeout`` seconds (None: no limit), StateError when the target
        has ended, or before the block. No trip."""
        self._require_begun()
        return await next_report(self._vm, self._feed, timeout, "hit")

    def _require_begun(self) -> None:
        if not self._number:
            raise only_in_a_block("with vm.entries(...) as hits: in it hits.take(seconds=3)")

    def __repr__(self) -> str:
        return f"<hits of {self.breakpoint!r}>" if self._number else "<hits, to be used in a block>"

    async def summary(self) -> Any:
        """Return what all hits come to, taken or not, as ``jdbpy.tracing.TraceSummary``: counts by method, values.

        wire: 2 or 3 trips.
        """
        return await self._vm.session.points.summary(self._number)


def checked(places: Sequence[str] | str) -> tuple[str, ...]:
    """Patterns as a tuple; one alone may be given as it is."""
    if isinstance(places, str):
        return (places,) if places else ()
    if not all(isinstance(each, str) for each in places):
        raise UsageError("patterns are texts")
    return tuple(places)

"""The events at a breakpoint: hits that are reported while the target goes on, and stops, which suspend a thread.

One class holds the data of both, whatever the kind: a place was reached, a method entered or left, an exception thrown,
a field read or changed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator
from html import escape as escape_html
from typing import TYPE_CHECKING, Any

import trio

from jdbpy.api.core import Core
from jdbpy.api.delivery import on_rollback
from jdbpy.api.feeds import Feed
from jdbpy.api.frames import Place, Thread
from jdbpy.api.values import Value
from jdbpy.errors import StateError
from jdbpy.escape import escape
from jdbpy.session.model import events
from jdbpy.session.model.values import ValueInfo

if TYPE_CHECKING:
    pass

_PAGE = 64
"""Most hits that are handed out at once."""


class Hit:
    """One hit of a breakpoint, a trace or a watchpoint, with its data as it was then.

    ``event`` is what happened: "breakpoint", "method-entry", "method-exit", "exception", "access", "modification",
    "monitor", "class-prepare", "class-unload", "thread-start", "thread-death", "vm-death"; of stops also "step",
    "pause", "start". A property that does not belong to it raises StateError. Texts and primitives are as they were at
    the hit; what an object holds is read when it is asked for.
    """

    def __init__(
        self, core: Core, record: events.Stopped | events.Report, event: str, time: float, number: int
    ) -> None:
        self._core = core
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
        return Thread(self._core, self.record.thread)

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
        return Value(self._core, value, "returned")

    @property
    def exception(self) -> Value:
        """Return the exception that was thrown. No trip."""
        found = self.record.exception
        if found is None:
            raise self._without("exception")
        text = found.type if found.message is None else f"{found.type}: {found.message}"
        return Value(self._core, ValueInfo(found.type, escape(text), "L", found.id, found.id), "exception")

    @property
    def message(self) -> str:
        """Return the message of the exception; "" if it has none. No trip."""
        found = self.record.exception
        if found is None:
            raise self._without("exception")
        return found.message or ""

    @property
    def caught(self) -> bool | None:
        """True if some frame of the thread catches the exception; None where that is not known, as it passes a method
        that is recorded. No trip."""
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
        return Value(self._core, self.record.old_value, "old")

    @property
    def new(self) -> Value:
        """Return what the field is about to hold. No trip."""
        if self.record.new_value is None:
            raise self._without("new value")
        return Value(self._core, self.record.new_value, "new")

    @property
    def object(self) -> Value:
        """Return the object whose field it is, or whose monitor. No trip."""
        if self.record.object is None:
            raise self._without("object")
        return Value(self._core, self.record.object, "object")

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

    def __init__(self, core: Core, report: events.Report) -> None:
        super().__init__(core, report, report.event, report.time_ns / 1e9, report.hit)

    def _words(self) -> str:
        values = ", ".join(f"{each.name} = {each.value.text}" for each in self.record.values if each.value is not None)
        return f"{super()._words()} {values}".rstrip()

    @property
    def args(self) -> dict[str, Value]:
        """Return the arguments by name, at a "method-entry"; ``arg0``, ``arg1`` without debug information. No trip."""
        return {
            each.name: Value(self._core, each.value, each.name)
            for each in self.record.arguments
            if each.value is not None
        }

    @property
    def values(self) -> dict[str, Value]:
        """Return what the expressions of ``vm.log`` gave, by their texts. No trip."""
        return {
            each.name: Value(self._core, each.value, each.name) for each in self.record.values if each.value is not None
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


async def report_pages(
    core: Core, feed: Feed, seconds: float | None, count: int | None
) -> AsyncIterator[deque[Reported]]:
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
            page.append(Reported(core, report))
            full = len(page) >= _PAGE or (count is not None and given + len(page) >= count)
            report = None if full else feed.take_nowait()
        if not page:
            return
        given += len(page)
        try:
            yield page
        finally:
            feed.put_back([each.record for each in page])


async def next_report(core: Core, feed: Feed, timeout: float | None, what: str) -> Reported:
    """Return the next reported hit, which is ``what`` in words ("hit").

    Raises TimedOut, StateError when none can come any more, Disconnected.
    """
    with core.limit(timeout, f"no {what} within {timeout:g} seconds" if timeout is not None else ""):
        report = await feed.take()
    if report is None:
        raise StateError(f"no further {what} can come: the target or the block has ended", code="VM_DEAD")
    on_rollback(lambda: feed.put_back([report]))
    return Reported(core, report)

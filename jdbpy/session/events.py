"""What happens to a target, as it is handed to front ends: stops, notices, output, the end. Plain data.

What is true of the model holds here as well (``session/model.py``); how events are delivered, ``streams`` says.
"""

from __future__ import annotations

from enum import StrEnum

from jdbpy.record import Record
from jdbpy.session.model import Frame, Location, SuspendPolicy, ThreadRef, Value, Variable


class StopReason(StrEnum):
    """Why a thread stopped; the ``reason`` of the JSON contract."""

    BREAKPOINT = "breakpoint"
    STEP = "step"
    UNTIL = "until"
    PAUSE = "pause"
    START = "start"  # VMStart of a target that was started with suspend=y
    EXCEPTION = "exception"
    ACCESS = "access"
    MODIFICATION = "modification"
    METHOD_ENTRY = "method-entry"
    METHOD_EXIT = "method-exit"
    CLASS_PREPARE = "class-prepare"
    CLASS_UNLOAD = "class-unload"
    THREAD_START = "thread-start"
    THREAD_DEATH = "thread-death"
    MONITOR = "monitor"
    VM_DEATH = "vm-death"


class ExceptionInfo(Record):
    """A throwable at a stop."""

    type: str
    message: str | None
    id: int
    caught: bool
    catch_location: Location | None
    cause: str = ""


class SourceWindow(Record):
    """Lines of source around a place. ``lines`` are (number, text); ``current`` is the number to mark."""

    path: str  # where it was found
    name: str
    lines: tuple[tuple[int, str], ...]
    current: int | None
    total: int
    stale: bool = False  # the file seems not to be what the class was compiled from
    warning: str = ""  # why it seems so, a clause: "it has no method total"


class Stop(Record):
    """Why and where a thread stopped: everything that a front end needs to show it."""

    reason: StopReason
    thread: ThreadRef | None
    frame: Frame | None
    location: Location | None
    policy: SuspendPolicy  # what is held
    epoch: int
    breakpoint: int | None = None
    breakpoints: tuple[int, ...] = ()
    temporary: bool = False
    exception: ExceptionInfo | None = None
    variable: str = ""  # watched field
    old_value: Value | None = None
    new_value: Value | None = None
    return_value: Value | None = None
    source: SourceWindow | None = None
    message: str = ""  # one sentence more, e.g. why a condition failed
    depth: int | None = None
    object: Value | None = None  # whose field was watched; whose monitor it is
    monitor: str = ""  # what happened to it: "enter" (another thread holds it), "entered", "wait", "waited"
    class_name: str = ""  # the class that was loaded
    reasons: tuple[StopReason, ...] = ()  # in the order of the events, where several came together
    error: str = ""  # why the frame or the source is missing


class Exited(Record):
    """The target has ended: ``status`` when the debugger launched it, else None."""

    status: int | None
    reason: str = ""


class Output(Record):
    """Text that a launched target wrote; ``stream`` is "stdout" or "stderr"."""

    stream: str
    text: str


class Lost(Record):
    """A subscriber was too slow: ``count`` events were dropped for it."""

    count: int


class Report(Record):
    """A hit that is reported while the target goes on: when it came to the debugger (ISO 8601 with milliseconds and the
    offset from UTC; nanoseconds since 1970), in which thread, as which hit of its point, and the stack, the innermost
    place first.

    ``event`` is the reason that a stop would have. ``values`` are the expressions of a log text. The rest has the names
    that it has in a stop.
    """

    time: str
    thread: ThreadRef | None
    hit: int
    stack: tuple[Location, ...] = ()
    time_ns: int = 0
    event: str = ""
    location: Location | None = None
    values: tuple[Variable, ...] = ()
    arguments: tuple[Variable, ...] = ()
    exception: ExceptionInfo | None = None
    variable: str = ""
    old_value: Value | None = None
    new_value: Value | None = None
    return_value: Value | None = None
    object: Value | None = None
    monitor: str = ""
    class_name: str = ""


class Notice(Record):
    """Something the user should know that is no stop: ``kind`` is a word for programs, ``text`` a sentence.

    Kinds: breakpoint-resolved, breakpoint-failed, breakpoint-free, breakpoint-recount, breakpoint-hit,
    exception-thrown, field-read, field-changed, trace, monitor, class-loaded, class-unloaded, thread-started,
    thread-ended, vm-death, logpoint, tracepoint, left-out, switched-off, hot-place, resumed,
    warning.
    ``report`` is there where a hit is reported.
    """

    kind: str
    text: str
    data: tuple[tuple[str, object], ...] = ()
    report: Report | None = None

    @property
    def lines(self) -> tuple[str, ...]:
        """The notice as lines of a log: a report with its time, thread and number, and its stack below.

        ``12:34:56.789 [main] #17 total is 42``.
        """
        report = self.report
        if report is None:
            return (self.text,)
        who = report.thread if self.kind in _WITH_THREAD else None
        thread = f"[{who.name or f'thread {who.id}'}] " if who is not None else ""
        stack = [f"    at {place.class_name}.{place.method} ({_line_of(place)})" for place in report.stack]
        return f"{report.time[11:23]} {thread}#{report.hit} {self.text}", *stack


_WITH_THREAD = frozenset(("logpoint", "tracepoint"))
"""Kinds whose texts are the user's; the others tell the thread themselves."""


def _line_of(place: Location) -> str:
    if place.code_index < 0:
        return "native method"
    return (place.source or "unknown source") + (f":{place.line}" if place.line is not None else "")


class Gone(Record):
    """The connection is over without the VM having said that it ended."""

    reason: str


Event = Stop | Exited | Output | Notice | Lost | Gone
"""What a subscriber of ``Session.events()`` receives."""

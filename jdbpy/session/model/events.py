"""The events of a target for front ends: stops, notices, output, the end. Plain data.

What is true of the model holds here as well (``session/model/``); how events are delivered, ``streams`` says.
"""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Annotated, NamedTuple

from jdbpy.json_form import HIDDEN, Json
from jdbpy.record import Record
from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.session.model.kinds import StopReason as StopReason
from jdbpy.session.model.testing import FailedTest
from jdbpy.session.model.threads import FrameInfo, Location, ThreadRef
from jdbpy.session.model.values import ValueInfo, Variable


class ExceptionInfo(Record):
    """A throwable at a stop."""

    json_name = "exception"

    type: str
    message: str | None
    id: int
    caught: Annotated[bool | None, "null where it is not known: a method that it passes is recorded or observed"]
    catch_location: Annotated[Location | None, Json("where it will be caught", optional=True)]
    cause: str = ""


class SourceLine(NamedTuple):
    """A line of source: its number, from 1, and its text."""

    line: int
    text: str


class SourceWindow(Record):
    """Lines of source around a place. ``lines`` are (number, text); ``current`` is the number to mark."""

    json_name = "source"

    path: Annotated[str, "where it was found"]
    name: str
    lines: tuple[SourceLine, ...]
    current: Annotated[int | None, "the line that is marked"]
    total: Annotated[int, "lines of the file"]
    stale: Annotated[bool, "the file seems not to be what the class was compiled from"] = False
    warning: Annotated[str, 'why it seems so, a clause: "it has no method total"'] = ""
    decompiled: Annotated[bool, Json("a decompiler has made it of the class file", optional=True)] = False


class Stopped(Record):
    """Why and where a thread stopped: everything that a front end needs to show it."""

    json_name = "stop"

    reason: Annotated[
        StopReason,
        "breakpoint, step, until, pause, start, exception, test-failure, access, modification, method-entry, "
        "method-exit, class-prepare, class-unload, thread-start, thread-death, monitor, vm-death",
    ]
    thread: ThreadRef | None
    frame: Annotated[FrameInfo | None, HIDDEN]
    location: Location | None
    policy: Annotated[SuspendPolicy, Json("what is suspended: all, thread or none", "suspended")]
    epoch: Annotated[int, HIDDEN]
    breakpoint: Annotated[int | None, "number of the breakpoint, catchpoint, watchpoint or trace"] = None
    breakpoints: Annotated[tuple[int, ...], "all that were hit"] = ()
    temporary: Annotated[bool, "the breakpoint is gone now"] = False
    exception: ExceptionInfo | None = None
    variable: Annotated[str, "the watched field"] = ""
    old_value: Annotated[ValueInfo | None, "what it holds"] = None
    new_value: Annotated[ValueInfo | None, "what it is about to hold"] = None
    return_value: Annotated[ValueInfo | None, "what the method returns"] = None
    source: Annotated[SourceWindow | None, HIDDEN] = None
    message: str = ""  # one sentence more, e.g. why a condition failed
    depth: Annotated[int | None, HIDDEN] = None
    object: Annotated[ValueInfo | None, "whose field it is, or whose monitor"] = None
    monitor: Annotated[str, "what happened to it: enter, entered, wait or waited"] = ""
    class_name: Annotated[str, Json("the class that was loaded", "class")] = ""
    # in the order of the events, where several came together
    reasons: Annotated[tuple[StopReason, ...], HIDDEN] = ()
    error: Annotated[str, "why the frame or its line is missing"] = ""
    clients: Annotated[tuple[str, ...], "whose breakpoint, step or pause it is, where several share the session"] = ()
    failure: Annotated[str, "the error of a condition that could not be evaluated"] = ""
    test: Annotated[FailedTest | None, "the test that has failed"] = None


class ThreadsResumed(Record):
    """Another client of a shared session has resumed threads: these, or all but those in ``suspended``."""

    client: Annotated[str, "who has resumed them; empty for the debugger itself"]
    threads: Annotated[tuple[int, ...], "none named means all"] = ()
    suspended: Annotated[tuple[int, ...], "threads that stay suspended, where all are meant"] = ()


class Exited(Record):
    """The target has ended: ``status`` when the debugger launched it, else None."""

    status: Annotated[int | None, "its exit status; null when jdbpy did not start it"]
    reason: str = ""


class Output(Record):
    """Text that a launched target wrote; ``stream`` is "stdout" or "stderr". In a batch also what Python of the user
    has printed: "python"."""

    stream: Annotated[str, "stdout or stderr; python: printed by a plug-in or `py`"]
    text: str


class EventsDropped(Record):
    """A subscriber was too slow: ``count`` events were dropped for it."""

    json_name = "lost"

    count: int


def time_of(at: float) -> str:
    """Return the local time of so many seconds since 1970, as a report has it: ISO 8601 with milliseconds and the
    offset from UTC."""
    start, offset = _second(int(at))
    return f"{start}{int(at % 1 * 1000):03d}{offset}"


@lru_cache(4)
def _second(at: int) -> tuple[str, str]:
    """Return what the times of one second have in common."""
    local = time.localtime(at)
    offset = time.strftime("%z", local)
    return time.strftime("%Y-%m-%dT%H:%M:%S.", local), f"{offset[:3]}:{offset[3:]}"


class Report(Record):
    """A hit that is reported while the target goes on: when it came to the debugger (ISO 8601 with milliseconds and the
    offset from UTC; nanoseconds since 1970), in which thread, as which hit of its point, and the stack, the innermost
    place first.

    ``event`` is the reason that a stop would have. ``values`` are the expressions of a log text. The rest has the names
    that it has in a stop.
    """

    time: Annotated[str, "of day, with milliseconds and the offset from UTC: ISO 8601"]
    thread: ThreadRef | None
    hit: Annotated[int, "which hit of its point it is"]
    stack: Annotated[tuple[Location, ...], "the innermost place first"] = ()
    time_ns: Annotated[int, Json("nanoseconds since 1970", optional=False)] = 0
    event: Annotated[str, "what happened, as the reason of a stop"] = ""
    location: Location | None = None
    values: Annotated[tuple[Variable, ...], "the expressions of a log text, in order"] = ()
    arguments: Annotated[tuple[Variable, ...], "of the method that was entered"] = ()
    exception: ExceptionInfo | None = None
    variable: Annotated[str, "the watched field"] = ""
    old_value: Annotated[ValueInfo | None, "what it held"] = None
    new_value: Annotated[ValueInfo | None, "what it becomes"] = None
    return_value: Annotated[ValueInfo | None, "what the method returns"] = None
    object: Annotated[ValueInfo | None, "whose field it is, or whose monitor"] = None
    monitor: Annotated[str, "what happened to it: enter, entered, wait or waited"] = ""
    class_name: Annotated[str, Json("the class that was loaded or unloaded", "class")] = ""
    failure: Annotated[str, "the error of a condition or a text that could not be evaluated"] = ""
    cost: Annotated[float | None, "seconds that an observed call took; null where its begin was not seen"] = None


class Notice(Record):
    """Something the user should know that is no stop: ``kind`` is a word for programs, ``text`` a sentence.

    Kinds: breakpoint-resolved, breakpoint-pending, breakpoint-failed, breakpoint-free, breakpoint-recount,
    breakpoint-hit, exception-thrown, field-read, field-changed, trace, monitor, class-loaded, class-unloaded,
    thread-started, thread-ended, vm-death, logpoint, tracepoint, call, call-statistics, call-tree, load,
    mbean-attributes, left-out, switched-off, hot-place, recording-ended, stops-waiting, step-pending, resumed,
    reconnected, set-for-all, remote, warning; in a shared session also stopped-elsewhere, client-joined, client-left,
    breakpoint-added, breakpoint-changed, breakpoint-removed, value-changed, classes-redefined.
    ``report`` is there where a hit is reported.
    """

    kind: Annotated[
        str,
        "breakpoint-resolved, breakpoint-pending (why it is not set yet), breakpoint-failed, breakpoint-free, "
        "breakpoint-recount, "
        "breakpoint-hit, exception-thrown, field-read, field-changed, trace, monitor, "
        "class-loaded, class-unloaded, thread-started, thread-ended, vm-death, logpoint, "
        "tracepoint, call, call-statistics, call-tree, load, mbean-attributes, left-out, switched-off, hot-place, "
        "recording-ended, "
        "stops-waiting (threads that "
        "have stopped and are shown by 'cont'), step-pending (a step that has not ended), resumed (by max-suspend, "
        "with reason, seconds and threads: none named means all), reconnected, set-for-all, remote, warning; where "
        "several share the session stopped-elsewhere, client-joined, client-left, breakpoint-added, "
        "breakpoint-changed, breakpoint-removed, value-changed, classes-redefined...",
    ]
    text: Annotated[str, Json(key="message")]
    data: Annotated[tuple[tuple[str, object], ...], "number, thread, class, method, line and the like, by kind"] = ()
    report: Annotated[Report | None, "where it is the report of a hit"] = None

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the notice as lines of a log: a report with its time, thread and number, and its stack below.

        ``12:34:56.789 [main] #17 total is 42``.
        """
        report = self.report
        if self.kind in _OF_LINES:
            return tuple(self.text.split("\n"))
        if report is None:
            return (self.text,)
        who = report.thread if self.kind in _WITH_THREAD else None
        thread = f"[{who.name or f'thread {who.id}'}] " if who is not None else ""
        stack = [f"    at {place.class_name}.{place.method} ({_line_of(place)})" for place in report.stack]
        return f"{report.time[11:23]} {thread}#{report.hit} {self.text}", *stack


_WITH_THREAD = frozenset(("logpoint", "tracepoint", "call"))
"""Kinds whose texts are the user's; the others tell the thread themselves."""

_OF_LINES = frozenset(("call-statistics", "call-tree", "load", "mbean-attributes"))
"""Kinds whose texts are tables, a row a line; names in them have been escaped."""


def _line_of(place: Location) -> str:
    if place.code_index < 0:
        return "native method"
    return (place.source or "unknown source") + (f":{place.line}" if place.line is not None else "")


class VMDisconnected(Record):
    """The connection is over without the VM having said that it ended."""

    json_name = "disconnected"

    reason: str


Event = Stopped | ThreadsResumed | Exited | Output | Notice | EventsDropped | VMDisconnected
"""The events that a subscriber of ``Session.events()`` receives."""

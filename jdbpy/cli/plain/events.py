"""Events and stops as plain text."""

from __future__ import annotations

from collections.abc import Iterator

from jdbpy import Event, ExceptionInfo, Exited, Gone, Lost, Notice, Stop, StopReason, SuspendPolicy
from jdbpy.cli.plain.text import count, line_of, method_of, place_of, source_lines, value_text
from jdbpy.escape import escape

_REASONS = {
    StopReason.STEP: "Step completed",
    StopReason.UNTIL: "Reached",
    StopReason.PAUSE: "Paused",
    StopReason.START: "Ready to start",
    StopReason.EXCEPTION: "Exception",
    StopReason.ACCESS: "Field read",
    StopReason.MODIFICATION: "Field changed",
    StopReason.METHOD_ENTRY: "Method entered",
    StopReason.METHOD_EXIT: "Method exited",
    StopReason.CLASS_PREPARE: "Class loaded",
    StopReason.CLASS_UNLOAD: "Class unloaded",
    StopReason.THREAD_START: "Thread started",
    StopReason.THREAD_DEATH: "Thread ended",
    StopReason.MONITOR: "Monitor event",
    StopReason.VM_DEATH: "The target is about to end",
}

_NOUNS = {
    StopReason.EXCEPTION: "catchpoint",
    StopReason.ACCESS: "watchpoint",
    StopReason.MODIFICATION: "watchpoint",
    StopReason.METHOD_ENTRY: "trace",
    StopReason.METHOD_EXIT: "trace",
    StopReason.MONITOR: "trace",
    StopReason.CLASS_PREPARE: "catchpoint",
    StopReason.THREAD_START: "catchpoint",
    StopReason.THREAD_DEATH: "catchpoint",
    StopReason.VM_DEATH: "catchpoint",
}


def event_lines(event: Event) -> Iterator[str]:
    """An event, application output excepted."""
    if isinstance(event, Stop):
        yield from stop_lines(event)
    elif isinstance(event, Exited):
        status = "" if event.status is None else f" with status {event.status}"
        yield f"The target has ended{status}."
    elif isinstance(event, Gone):
        yield f"The connection is closed: {escape(event.reason)}"
    elif isinstance(event, Notice):
        yield from map(escape, event.lines)
        if event.kind == "hot-place":
            yield _way_out(event)
    elif isinstance(event, Lost):
        verb = "was" if event.count == 1 else "were"
        yield f"{count(event.count, 'event')} {verb} dropped (too fast to show)"


def _way_out(notice: Notice) -> str:
    """The hint under the report of a hot place."""
    data = dict(notice.data)
    number = data.get("breakpoint")
    if data.get("why") in ("rate", "cost"):
        return (
            f"  hint: 'disable {number}' takes it out; set with 'cost 20%' it is switched off when it takes more, with "
            "'limit 10/s' it reports less"
        )
    return f"  hint: 'disable {number}' takes it out; 'suspend thread' or 'go' suspend less than all threads"


def stop_lines(stop: Stop) -> Iterator[str]:
    """Why and where a thread stopped, what the stop is about, and the source."""
    where = []
    if stop.thread is not None:
        where.append(f'thread "{escape(stop.thread.name)}"')
    if stop.location is not None:
        where += [method_of(stop.location), line_of(stop.location)]
    held = {SuspendPolicy.THREAD: " (the other threads run on)", SuspendPolicy.NONE: " (nothing is suspended)"}
    yield f"{reason_of(stop)}: {', '.join(where)}{held.get(stop.policy, '')}" if where else reason_of(stop)
    if stop.exception is not None:
        yield from _exception_lines(stop.exception)
    if stop.variable:
        new = f" -> {value_text(stop.new_value)}" if stop.new_value is not None else ""
        yield f"  {escape(stop.variable)}: {value_text(stop.old_value)}{new}"
        if stop.object is not None:
            yield f"  of {value_text(stop.object, children=False)}"
    if stop.class_name:
        yield f"  class {escape(stop.class_name)}"
    if stop.return_value is not None:
        yield f"  {'returned' if stop.reason is StopReason.STEP else 'returns'} {value_text(stop.return_value)}"
    if stop.error:
        yield f"  ({escape(stop.error)})"
    if stop.message:
        yield f"  {escape(stop.message)}"
    if stop.source is not None:
        yield from source_lines(stop.source)


def reason_of(stop: Stop) -> str:
    """Why, in a few words: ``Breakpoint 2 hit``."""
    numbers = ", ".join(str(number) for number in stop.breakpoints) or str(stop.breakpoint or "")
    if stop.reason is StopReason.BREAKPOINT:
        return f"{'Temporary breakpoint' if stop.temporary else 'Breakpoint'} {numbers} hit"
    number = f" ({_NOUNS[stop.reason]} {numbers})" if numbers and stop.reason in _NOUNS else ""
    if stop.reason is StopReason.EXCEPTION and stop.exception is not None:
        return f"{'Exception' if stop.exception.caught else 'Uncaught exception'} {escape(stop.exception.type)}{number}"
    return _REASONS.get(stop.reason, str(stop.reason)) + number


def _exception_lines(exception: ExceptionInfo) -> Iterator[str]:
    if exception.message is not None:
        yield f"  message: {escape(exception.message)}"
    if exception.cause:
        yield f"  cause: {escape(exception.cause)}"
    if exception.catch_location is not None:
        yield f"  will be caught at {place_of(exception.catch_location)}"

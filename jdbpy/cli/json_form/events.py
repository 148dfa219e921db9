"""The JSON form of events."""

from __future__ import annotations

from jdbpy import Exited, Gone, Lost, Notice, Output, Report, Stop
from jdbpy.cli.json_form.shape import Field, shape

EVENT_SHAPES = (
    shape(
        "stop",
        Stop,
        "A thread stopped.",
        Field(
            "reason",
            "string",
            "breakpoint, step, until, pause, start, exception, access, modification, method-entry, method-exit, "
            "class-prepare, class-unload, thread-start, thread-death, monitor, vm-death",
        ),
        Field("breakpoint", "integer", "number of the breakpoint, catchpoint, watchpoint or trace", optional=True),
        Field("breakpoints", "integer[]", "all that were hit", optional=True),
        Field("temporary", "boolean", "the breakpoint is gone now", optional=True),
        Field("thread", "thread-ref?"),
        Field("location", "location?"),
        Field("suspended", "string", "what is held: all, thread or none", "policy"),
        Field("exception", "exception", optional=True),
        Field("variable", "string", "the watched field", optional=True),
        Field("old_value", "value", "what it holds", optional=True),
        Field("new_value", "value", "what it is about to hold", optional=True),
        Field("return_value", "value", "what the method returns", optional=True),
        Field("object", "value", "whose field it is, or whose monitor", optional=True),
        Field("monitor", "string", "what happened to it: enter, entered, wait or waited", optional=True),
        Field("class", "string", "the class that was loaded", "class_name", optional=True),
        Field("message", "string", optional=True),
        Field("error", "string", "why the frame or its line is missing", optional=True),
    ),
    shape(
        "exited",
        Exited,
        "The target has ended.",
        Field("status", "integer?", "its exit status; null when jdbpy did not start it"),
        Field("reason", "string", optional=True),
    ),
    shape(
        "output",
        Output,
        "A launched target wrote something.",
        Field("stream", "string", "stdout or stderr"),
        Field("text", "string"),
    ),
    shape(
        "notice",
        Notice,
        "Something worth knowing that is no stop.",
        Field(
            "kind",
            "string",
            "breakpoint-resolved, breakpoint-failed, breakpoint-free, breakpoint-recount, breakpoint-hit, "
            "exception-thrown, field-read, field-changed, trace, monitor, class-loaded, class-unloaded, "
            "thread-started, thread-ended, vm-death, logpoint, tracepoint, left-out, switched-off, hot-place, "
            "resumed (by max-suspend, with reason, seconds and threads: none named means all), warning...",
        ),
        Field("message", "string", source="text"),
        Field("data", "object", "number, thread, class, method, line and the like, by kind", optional=True),
        Field("report", "report", "where it is the report of a hit", optional=True),
    ),
    shape(
        "report",
        Report,
        "A hit that is reported while the target goes on.",
        Field("time", "string", "of day, with milliseconds and the offset from UTC: ISO 8601"),
        Field("thread", "thread-ref?"),
        Field("hit", "integer", "which hit of its point it is"),
        Field("stack", "location[]", "the innermost place first", optional=True),
        Field("time_ns", "integer", "nanoseconds since 1970"),
        Field("event", "string", "what happened, as the reason of a stop", optional=True),
        Field("location", "location", optional=True),
        Field("values", "variable[]", "the expressions of a log text, in order", optional=True),
        Field("arguments", "variable[]", "of the method that was entered", optional=True),
        Field("exception", "exception", optional=True),
        Field("variable", "string", "the watched field", optional=True),
        Field("old_value", "value", "what it held", optional=True),
        Field("new_value", "value", "what it becomes", optional=True),
        Field("return_value", "value", "what the method returns", optional=True),
        Field("object", "value", "whose field it is, or whose monitor", optional=True),
        Field("monitor", "string", "what happened to it: enter, entered, wait or waited", optional=True),
        Field("class", "string", "the class that was loaded or unloaded", "class_name", optional=True),
    ),
    shape("lost", Lost, "Events were dropped: they came too fast to be shown.", Field("count", "integer")),
    shape("disconnected", Gone, "The connection is over.", Field("reason", "string")),
)

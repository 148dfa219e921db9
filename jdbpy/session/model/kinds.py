"""The table of what there is to stop at: reasons of stops, and kinds of breakpoints with their words.

A new kind of event is its reason and rows here, what front ends call its stops in ``words``, a class in
``session/breakpoints``, and a row of the events of a command: ``CATCH_EVENTS`` in ``cli/arguments/points.py``.
"""

from __future__ import annotations

from enum import StrEnum

from jdbpy.record import Record
from jdbpy.session.model.words import STOP_WORDS, StopWords
from jdbpy.wire.constants import EventKind


class StopReason(StrEnum):
    """Why a thread stopped; the ``reason`` of the JSON contract."""

    BREAKPOINT = "breakpoint"
    STEP = "step"
    UNTIL = "until"
    PAUSE = "pause"
    START = "start"  # VMStart of a target that was started with suspend=y
    EXCEPTION = "exception"
    TEST_FAILURE = "test-failure"  # an exception leaves a test, or a test reports a failure
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

    @property
    def words(self) -> StopWords:
        """Return what front ends call it."""
        return STOP_WORDS[self.value]


REASON_OF_EVENT = {
    EventKind.BREAKPOINT: StopReason.BREAKPOINT,
    EventKind.SINGLE_STEP: StopReason.STEP,
    EventKind.EXCEPTION: StopReason.EXCEPTION,
    EventKind.FIELD_ACCESS: StopReason.ACCESS,
    EventKind.FIELD_MODIFICATION: StopReason.MODIFICATION,
    EventKind.METHOD_ENTRY: StopReason.METHOD_ENTRY,
    EventKind.METHOD_EXIT: StopReason.METHOD_EXIT,
    EventKind.METHOD_EXIT_WITH_RETURN_VALUE: StopReason.METHOD_EXIT,
    EventKind.MONITOR_CONTENDED_ENTER: StopReason.MONITOR,
    EventKind.MONITOR_CONTENDED_ENTERED: StopReason.MONITOR,
    EventKind.MONITOR_WAIT: StopReason.MONITOR,
    EventKind.MONITOR_WAITED: StopReason.MONITOR,
    EventKind.CLASS_PREPARE: StopReason.CLASS_PREPARE,
    EventKind.CLASS_UNLOAD: StopReason.CLASS_UNLOAD,
    EventKind.THREAD_START: StopReason.THREAD_START,
    EventKind.THREAD_DEATH: StopReason.THREAD_DEATH,
    EventKind.VM_DEATH: StopReason.VM_DEATH,
}
"""The reason of a stop at each kind of event of the target."""


class BreakpointKind(Record):
    """A kind of breakpoint.

    ``noun`` is what messages call it, ``command`` what sets it, with an ``example`` of its arguments; ``reasons`` are
    those of its stops. ``in_code``: it stands at places in code that were named, and not at events of the VM.
    """

    name: str
    noun: str
    command: str
    example: str
    reasons: tuple[StopReason, ...]
    in_code: bool = False


KINDS = {
    each.name: each
    for each in (
        BreakpointKind("line", "breakpoint", "break", "CLASS:LINE", (StopReason.BREAKPOINT,), in_code=True),
        BreakpointKind("method", "breakpoint", "break", "CLASS.METHOD", (StopReason.BREAKPOINT,), in_code=True),
        BreakpointKind("exception", "catchpoint", "catch", "CLASS", (StopReason.EXCEPTION,)),
        BreakpointKind("test", "catchpoint", "catch", "test", (StopReason.TEST_FAILURE,)),
        BreakpointKind("class-load", "catchpoint", "catch", "load CLASS", (StopReason.CLASS_PREPARE,)),
        BreakpointKind("class-unload", "catchpoint", "catch", "unload CLASS", (StopReason.CLASS_UNLOAD,)),
        BreakpointKind("thread", "catchpoint", "catch", "thread", (StopReason.THREAD_START, StopReason.THREAD_DEATH)),
        BreakpointKind("exit", "catchpoint", "catch", "exit", (StopReason.VM_DEATH,)),
        BreakpointKind("field", "watchpoint", "watch", "CLASS.FIELD", (StopReason.ACCESS, StopReason.MODIFICATION)),
        BreakpointKind(
            "methods", "trace", "trace", "methods in CLASS", (StopReason.METHOD_ENTRY, StopReason.METHOD_EXIT)
        ),
        BreakpointKind("monitors", "trace", "trace", "monitors", (StopReason.MONITOR,)),
    )
}
"""All kinds of breakpoints by name."""

KIND_OF = {reason: each for each in KINDS.values() for reason in each.reasons}
"""The kind of breakpoint that stops with a reason; of BREAKPOINT, one of the two."""


def kind_named(name: str) -> BreakpointKind:
    """Return the kind of that name; one that is not known is shown as a breakpoint at a line."""
    return KINDS.get(name, KINDS["line"])


def kinds_called(noun: str) -> tuple[str, ...]:
    """Return the names of the kinds that have a noun."""
    return tuple(each.name for each in KINDS.values() if each.noun == noun)

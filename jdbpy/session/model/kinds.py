"""The table of what there is to stop at: reasons of stops, and kinds of breakpoints with their words.

A new kind of breakpoint is a row here, what front ends call its stops in ``words``, a class in ``session/breakpoints``,
and the words of a command.
"""

from __future__ import annotations

from enum import StrEnum

from jdbpy.record import Record
from jdbpy.session.model.words import STOP_WORDS, StopWords


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

    @property
    def words(self) -> StopWords:
        """Return what front ends call it."""
        return STOP_WORDS[self.value]


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
        BreakpointKind("class-load", "catchpoint", "catch", "load CLASS", (StopReason.CLASS_PREPARE,)),
        BreakpointKind("class-unload", "catchpoint", "catch", "unload CLASS", (StopReason.CLASS_UNLOAD,)),
        BreakpointKind("thread", "catchpoint", "catch", "thread", (StopReason.THREAD_START, StopReason.THREAD_DEATH)),
        BreakpointKind("exit", "catchpoint", "catch", "exit", (StopReason.VM_DEATH,)),
        BreakpointKind("field", "watchpoint", "watch", "CLASS.FIELD", (StopReason.ACCESS, StopReason.MODIFICATION)),
        BreakpointKind(
            "methods", "trace", "trace", "methods from CLASS", (StopReason.METHOD_ENTRY, StopReason.METHOD_EXIT)
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

"""The words for a stop in every front end, by its reason: one table.

A reason that is not here is shown by its name in the JSON contract.
"""

from __future__ import annotations

from jdbpy.record import Record
from jdbpy.wire.constants import EventKind


class StopWords(Record):
    """``headline`` is what the prompt says; ``editor`` the protocol of editors' word; ``jdb`` what jdb mode announces,
    where that does not need more of the stop than its reason. "" stands for the reason's own name, of ``jdb`` for
    nothing."""

    headline: str
    editor: str = ""
    jdb: str = ""


STOP_WORDS = {
    "breakpoint": StopWords("Breakpoint hit", jdb="Breakpoint hit: "),
    "step": StopWords("Step completed", jdb="Step completed: "),
    "until": StopWords("Reached", "step"),
    "pause": StopWords("Paused"),
    "start": StopWords("Ready to start", "entry", "VM Started: "),
    "exception": StopWords("Exception"),
    "test-failure": StopWords("Test failed", "exception"),
    "access": StopWords("Field read", "data breakpoint"),
    "modification": StopWords("Field changed", "data breakpoint"),
    "method-entry": StopWords("Method entered", "function breakpoint", "Method entered: "),
    "method-exit": StopWords("Method exited", "function breakpoint"),
    "class-prepare": StopWords("Class loaded"),
    "class-unload": StopWords("Class unloaded"),
    "thread-start": StopWords("Thread started"),
    "thread-death": StopWords("Thread ended"),
    "monitor": StopWords("Monitor event"),
    "vm-death": StopWords("The target is about to end"),
}

HAPPENED = {
    EventKind.BREAKPOINT: "hit",
    EventKind.METHOD_ENTRY: "entered",
    EventKind.METHOD_EXIT: "exited",
    EventKind.METHOD_EXIT_WITH_RETURN_VALUE: "exited",
    EventKind.FIELD_ACCESS: "read",
    EventKind.FIELD_MODIFICATION: "changed",
    EventKind.EXCEPTION: "thrown",
    EventKind.MONITOR_CONTENDED_ENTER: "wanted",
    EventKind.MONITOR_CONTENDED_ENTERED: "got",
    EventKind.MONITOR_WAIT: "waiting",
    EventKind.MONITOR_WAITED: "waited",
}
"""What happened to a method, field or monitor, in a summary of hits."""

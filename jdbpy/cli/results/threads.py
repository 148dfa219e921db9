"""What commands about threads and locks return beside the session's own data."""

from __future__ import annotations

from jdbpy import threads
from jdbpy.record import Record


class FoldedStacks(Record):
    """The stacks of threads, equal ones together. ``pc``: code indexes are wanted."""

    groups: tuple[threads.EqualStacks, ...]
    pc: bool = False


class Applied(Record):
    """A command was run for several threads."""

    command: str
    threads: int
    failed: int = 0

"""Random programs that log their own lines and stores, recorded in eight threads at once: each event is compared.

A seed decides the program and what is recorded of it: lines, stores, calls, all; with every third one an exception
breakpoint is set beside. Calls that are kept are compared one
by one, what finds no room is counted: both together are the calls of the program.
"""

from __future__ import annotations

from jdbpy.session.recorded.points import LEVELS
from tests.soak.trial import Run
from tests.weaving.exactness import record_and_compare

LINES, METHODS = 60_000, 6
"""Line events of one try, and methods of its program."""


async def run(run: Run) -> None:
    """One program after the other."""
    lines = gaps = missed = 0
    for seed in run.seeds():
        level = LEVELS[seed % len(LEVELS)]
        with run.attempt(seed, level):
            check = await record_and_compare(run.jvm, seed, level, run.directory, LINES, METHODS, catching=not seed % 3)
            lines, gaps, missed = lines + check.lines, gaps + check.gaps, missed + check.missed
        run.figure("line events compared", f"{lines:,}; {gaps:,} calls with a gap; {missed:,} calls missed and counted")

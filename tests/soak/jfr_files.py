"""Changed recordings of the flight recorder: read as far as they are good, or refused, soon and in little memory."""

from __future__ import annotations

from contextlib import suppress

import jdbpy.jfr
from jdbpy.jfr.printing import json_form
from tests.jfr.recorded import changed, recording
from tests.soak.fuzz import bounded, megabytes
from tests.soak.trial import Run

LIMIT = 90
"""Seconds that any one recording may take."""

EVERY = 20
"""Of so many events one is looked at in all its depth."""


async def run(run: Run) -> None:
    """Change a recording of a real JVM with every event, and read all of it."""
    good = recording(run.jvm).read_bytes()
    before = megabytes()
    for seed in run.seeds():
        data = changed(good, seed)
        with run.attempt(seed, "recordings"), bounded(LIMIT), suppress(jdbpy.jfr.BadRecording):
            for number, event in enumerate(jdbpy.jfr.read(data)):
                if number % EVERY == 0:
                    json_form(event, 3)
    run.figure("recordings", f"{sum(run.outcome.kinds.values()):,}")
    run.figure("memory", f"{before} MB before, {megabytes()} MB at most")

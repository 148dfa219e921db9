"""The list of all trials, in the order of the table."""

from __future__ import annotations

from tests.soak import fuzz, leavings
from tests.soak.trial import Trial

TRIALS: tuple[Trial, ...] = (
    Trial("leavings", "the target runs on, without a request, however jdbpy leaves it", leavings.run, weight=4),
    Trial(
        "fuzz",
        "bytes, packets, events, command lines and expressions that are no good are refused in bounds",
        fuzz.run,
        on_jvms=False,
    ),
)

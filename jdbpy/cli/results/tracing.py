"""What the commands for traces return beside the session's own data."""

from __future__ import annotations

from jdbpy import tracing
from jdbpy.record import Record


class TraceSummaries(Record):
    """What the hits of points that report come to."""

    summaries: tuple[tracing.TraceSummary, ...]

"""The work of a connection so far, in numbers.

Owns the figures only; the connection counts. Tests of round-trip budgets and the benchmarks compare two of them.
"""

from __future__ import annotations

from jdbpy.record import Record


class Statistics(Record):
    """Totals since the connection was opened. Bytes count headers, and not the handshake.

    A wave begins when a command is submitted while no other awaits its reply: the number of waves is the number of
    round trips that were paid one after the other.
    """

    commands: int = 0
    replies: int = 0
    events: int = 0  # event sets
    bytes_in: int = 0
    bytes_out: int = 0
    waves: int = 0
    strays: int = 0  # replies to no command of ours, and commands that are no events; both are ignored
    holds: int = 0  # times that the target was told to hold its events

    def since(self, before: Statistics) -> Statistics:
        """Return what has been added since ``before`` was taken."""
        return Statistics(**{field: value - getattr(before, field) for field, value in self.__iter_fields__()})

"""The exit statuses of all front ends."""

from __future__ import annotations

from jdbpy.errors import Disconnected, JdbpyError, TimedOut

FAILED = 1
"""A command failed, or it is not certain that the target runs on."""

USAGE = 2
"""The command line is wrong."""

NO_CONNECTION = 3
"""No connection, no handshake, or no port to listen at."""

TIMED_OUT = 4
"""The target did not stop in time."""

LOST = 5
"""The connection, or the session that was joined, was lost while it was still needed."""

INTERRUPTED = 130
"""Ctrl-C."""

BROKEN_PIPE = 141
"""Nobody reads the output any more."""


def status_of(error: JdbpyError) -> int:
    """Return the exit status that an error of a command means."""
    if isinstance(error, Disconnected):
        return LOST
    return TIMED_OUT if isinstance(error, TimedOut) else FAILED

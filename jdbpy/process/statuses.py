"""The exit statuses of all front ends."""

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

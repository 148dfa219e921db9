"""Why a connection ended, in words that a user understands.

Owns the sentences; they complete "the connection to the target is closed: ...".
"""

from __future__ import annotations

import errno

from jdbpy.errors import ProtocolError

BY_US = "the debugger closed it"
OUR_FAULT = "an error in the debugger itself"
DISPOSED = "the debugger has detached"
EXITED = "the VM has ended, as the debugger asked"
VM_DEATH = "the VM has ended"

_ERRNO = {
    errno.ECONNRESET: "it was reset: the VM was killed or crashed, or the network dropped the connection",
    errno.EPIPE: "the target's side is gone: the VM was killed or crashed, or the network dropped the connection",
    errno.ETIMEDOUT: "the network has not answered for a long time",
    errno.EHOSTUNREACH: "the target's host cannot be reached any more",
    errno.ENETUNREACH: "the target's network cannot be reached any more",
}


def closed_by_peer(incomplete: tuple[int, int] | None) -> str:
    """The target's side has closed; ``incomplete`` is (bytes here, bytes of the packet) when it was inside a packet."""
    middle = f" in the middle of a packet ({incomplete[0]} of {incomplete[1]} bytes)" if incomplete else ""
    return f"the target closed it{middle}: the VM was killed or crashed, or another program in between closed it"


def broken(error: Exception) -> str:
    """The operating system says that the connection is broken; ``error`` is trio's, its cause the system's."""
    cause = error.__cause__
    if isinstance(cause, OSError) and cause.errno is not None:
        return _ERRNO.get(cause.errno, f"the system reports: {cause.strerror}")
    return "it was broken off"


def not_jdwp(error: ProtocolError) -> str:
    """The target sent something that cannot be understood."""
    return f"the target sent something that is not JDWP: {error.message}"

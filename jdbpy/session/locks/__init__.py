"""Monitors and locks: who holds them, who waits for them, and threads that wait for each other.

* ``component``: ``session.locks``, which reads them for threads or for one object
* ``reading``: the protocol's questions about monitors, for any number of threads in the same few waves
* ``synchronizers``: the locks of java.util.concurrent, read from the fields of what a thread is parked for
* ``deadlocks``: finds cycles; pure

This package's own names are its plain data, public as ``jdbpy.locks``.
"""

from jdbpy.session.locks.model import (
    AwaitedLock,
    Deadlock,
    DeadlockReport,
    HeldLock,
    Lock,
    LocksReport,
    LockState,
    ThreadLocks,
)

__all__ = [
    "AwaitedLock",
    "Deadlock",
    "DeadlockReport",
    "HeldLock",
    "Lock",
    "LockState",
    "LocksReport",
    "ThreadLocks",
]

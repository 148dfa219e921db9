"""Plain data about locks: who holds and who awaits them, deadlocks."""

from __future__ import annotations

from jdbpy.record import Record
from jdbpy.session.model import Frame, ThreadInfo, ThreadRef


class Lock(Record):
    """What threads wait for: an object with its monitor, or a synchronizer of java.util.concurrent.

    ``text`` is the object as ``print`` would show it. ``kind``: "monitor", "synchronizer", "thread" (waited for by
    ``join``) or "task" (of a FutureTask).
    """

    id: int
    type: str
    text: str
    kind: str = "monitor"


class HeldLock(Record):
    """A lock that a thread holds; ``frame`` entered the monitor (None: native code, or not told)."""

    lock: Lock
    frame: Frame | None


class AwaitedLock(Record):
    """What a thread waits for.

    ``how``: "enter" a monitor, "wait" (Object.wait: for notify, not for the owner), "acquire" a synchronizer, "park"
    (for something that nobody owns), "join" a thread, "get" the result of a task. ``owner`` is who has to let go of it,
    ``frame`` the innermost frame that is not of the JDK, else the innermost.
    """

    lock: Lock
    how: str
    owner: ThreadRef | None
    frame: Frame | None


class ThreadLocks(Record):
    """The locks of one thread. ``error`` says why they are not told."""

    thread: ThreadInfo
    held: tuple[HeldLock, ...] = ()
    awaits: AwaitedLock | None = None
    error: str = ""


class LocksReport(Record):
    """The locks of threads. ``held_up``: milliseconds for which the target was suspended to read them, None if it was
    suspended anyway."""

    threads: tuple[ThreadLocks, ...]
    held_up: float | None = None


class LockState(Record):
    """One lock: its owner, how often that has entered it, who waits to enter, who for a notification or a signal."""

    lock: Lock
    owner: ThreadInfo | None
    entry_count: int
    entering: tuple[ThreadInfo, ...]
    waiting: tuple[ThreadInfo, ...]
    note: str = ""


class Deadlock(Record):
    """Threads each of which waits for the next, the last for the first. ``behind`` are those that wait for one of them,
    directly or not."""

    cycle: tuple[ThreadLocks, ...]
    behind: tuple[ThreadLocks, ...] = ()


class DeadlockReport(Record):
    """What was found; ``threads`` were looked at. ``held_up`` as of LocksReport."""

    deadlocks: tuple[Deadlock, ...]
    threads: int
    held_up: float | None = None

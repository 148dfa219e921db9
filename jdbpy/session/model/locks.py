"""Plain data about locks: who holds and who awaits them, deadlocks."""

from __future__ import annotations

from typing import Annotated

from jdbpy.json_form import Json
from jdbpy.record import Record
from jdbpy.session.model.threads import FrameInfo, ThreadInfo, ThreadRef


class Lock(Record):
    """A lock that threads wait for: an object with its monitor, or a synchronizer of java.util.concurrent.

    ``text`` is the object as ``print`` would show it. ``kind``: "monitor", "synchronizer", "thread" (waited for by
    ``join``) or "task" (of a FutureTask).
    """

    id: Annotated[int, "of the object"]
    type: str
    text: Annotated[str, "the object in words"]
    kind: Annotated[str, Json("monitor, synchronizer, thread or task", optional=False)] = "monitor"


class HeldLock(Record):
    """A lock that a thread holds; ``frame`` entered the monitor (None: native code, or not known)."""

    lock: Lock
    frame: Annotated[FrameInfo | None, Json("that entered the monitor", optional=True)]


class AwaitedLock(Record):
    """The lock that a thread waits for.

    ``how``: "enter" a monitor, "wait" (Object.wait: for notify, not for the owner), "acquire" a synchronizer, "park"
    (for something without an owner), "join" a thread, "get" the result of a task. ``owner`` is the one that holds it,
    ``frame`` the innermost frame that is not of the JDK, else the innermost.
    """

    lock: Lock
    how: Annotated[str, "enter, wait, acquire, park, join or get"]
    owner: Annotated[ThreadRef | None, Json("the thread that holds it", optional=True)]
    frame: Annotated[FrameInfo | None, Json("where it waits", optional=True)]


class ThreadLocks(Record):
    """The locks of one thread. ``error`` says why they are not known."""

    thread: ThreadInfo
    held: Annotated[tuple[HeldLock, ...], Json(optional=False)] = ()
    awaits: AwaitedLock | None = None
    error: Annotated[str, "why they are not known"] = ""


class LocksReport(Record):
    """The locks of threads. ``held_up``: milliseconds for which the target was suspended to read them, None if it was
    suspended anyway."""

    json_name = "locks"

    threads: tuple[ThreadLocks, ...]
    held_up: Annotated[float | None, "milliseconds for which the running target was suspended to look"] = None


class LockState(Record):
    """One lock: its owner, how often that has entered it, who waits to enter, who for a notification or a signal."""

    lock: Lock
    owner: Annotated[ThreadInfo | None, Json(optional=True)]
    entry_count: Annotated[int, "how often its owner has entered it"]
    entering: Annotated[tuple[ThreadInfo, ...], "who waits to have it"]
    waiting: Annotated[tuple[ThreadInfo, ...], "who waits for a notification"]
    note: str = ""


class Deadlock(Record):
    """Threads each of which waits for the next, the last for the first. ``behind`` are those that wait for one of them,
    directly or not."""

    cycle: tuple[ThreadLocks, ...]
    behind: Annotated[tuple[ThreadLocks, ...], "those that wait for one of these"] = ()


class DeadlockReport(Record):
    """The findings of a search for deadlocks; ``threads`` were looked at. ``held_up`` as of LocksReport."""

    json_name = "deadlocks"

    deadlocks: tuple[Deadlock, ...]
    threads: Annotated[int, "how many were looked at"]
    held_up: Annotated[float | None, "milliseconds for which the running target was suspended to look"] = None

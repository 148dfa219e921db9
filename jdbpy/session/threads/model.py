"""Plain data about threads beyond ``model.ThreadInfo``: which are wanted, all about one, equal stacks."""

from __future__ import annotations

from typing import Annotated

from jdbpy.json_form import Json
from jdbpy.record import Record
from jdbpy.session.model import Frame, ThreadInfo, ThreadRef


class ThreadFilter(Record):
    """Which threads are wanted; what is empty does not matter.

    ``name``: ``*`` and ``?`` stand for anything, other text may stand anywhere in the name; upper and lower case are
    the same. ``state``: one of ``STATES``. ``group``: the name of the thread's group.
    """

    name: str = ""
    state: str = ""
    group: str = ""


STATES = {
    "running": "running",
    "sleeping": "sleeping",
    "blocked": "waiting for a monitor",
    "waiting": "waiting",
    "new": "not started",
    "ended": "ended",
    "suspended": "",
    "virtual": "",
}
"""The words for states that a filter takes, with the state as ``ThreadInfo`` says it; "" is told by another field."""


class ThreadDetail(Record):
    """All about one thread. What could not be told is None; ``notes`` say why.

    Times are in seconds, ``allocated`` is in bytes, all since the thread began; they take methods run in the target.
    ``user`` is the part of ``thread.cpu`` that was not spent in the system.
    """

    thread: ThreadInfo
    class_name: Annotated[str, Json("of the thread object", "class")]
    groups: Annotated[tuple[str, ...], "from the top down to its own"]
    frames: int | None
    interrupted: bool | None
    context_loader: str | None
    carrier: Annotated[ThreadRef | None, Json("the thread that a virtual thread is mounted on", optional=True)]
    blocker: Annotated[str | None, Json("what it is parked for, as LockSupport.park was told", optional=True)]
    user: Annotated[float | None, "seconds of the CPU time that were not spent in the system"]
    allocated: Annotated[int | None, "bytes"]
    notes: tuple[str, ...] = ()


class EqualStacks(Record):
    """Threads whose stacks are the same, frame by frame; ``frames`` are those of the first of them."""

    threads: tuple[ThreadInfo, ...]
    frames: Annotated[tuple[Frame, ...], "of the first of them; the innermost first"]
    error: Annotated[str, "why there are none"] = ""

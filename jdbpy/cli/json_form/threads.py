"""The JSON form of what commands about locks and single threads return."""

from __future__ import annotations

from jdbpy import locks, threads
from jdbpy.cli.commands.stack import FoldedStacks
from jdbpy.cli.commands.thread_actions import Applied
from jdbpy.cli.json_form.shape import Field, shape

_HELD_UP = Field("held_up", "number", "milliseconds for which the running target was suspended to look", optional=True)

THREAD_SHAPES = (
    shape(
        "folded-stacks",
        FoldedStacks,
        "Stacks of threads, equal ones together.",
        Field("stacks", "equal-stacks[]", "the most frequent first", "groups"),
    ),
    shape(
        "equal-stacks",
        threads.EqualStacks,
        "A stack and the threads that have it.",
        Field("threads", "thread[]"),
        Field("frames", "frame[]", "of the first of them; the innermost first"),
        Field("error", "string", "why there are none", optional=True),
    ),
    shape(
        "thread-detail",
        threads.ThreadDetail,
        "All about a thread. What is null could not be told; `notes` say why.",
        Field("thread", "thread"),
        Field("class", "string", "of the thread object", "class_name"),
        Field("groups", "string[]", "from the top down to its own"),
        Field("frames", "integer?"),
        Field("interrupted", "boolean?"),
        Field("context_loader", "string?"),
        Field("carrier", "thread-ref", "the thread that a virtual thread is mounted on", optional=True),
        Field("blocker", "string", "what it is parked for", optional=True),
        Field("user", "number?", "seconds of the CPU time that were not spent in the system"),
        Field("allocated", "integer?", "bytes"),
        Field("notes", "string[]", optional=True),
    ),
    shape(
        "lock",
        locks.Lock,
        "What threads wait for.",
        Field("id", "integer", "of the object"),
        Field("type", "string"),
        Field("text", "string", "the object in words"),
        Field("kind", "string", "monitor, synchronizer, thread or task"),
    ),
    shape(
        "held-lock",
        locks.HeldLock,
        "A lock that a thread holds.",
        Field("lock", "lock"),
        Field("frame", "frame", "that entered the monitor", optional=True),
    ),
    shape(
        "awaited-lock",
        locks.AwaitedLock,
        "A lock that a thread waits for.",
        Field("lock", "lock"),
        Field("how", "string", "enter, wait, acquire, park, join or get"),
        Field("owner", "thread-ref", "who has to let go of it", optional=True),
        Field("frame", "frame", "where it waits", optional=True),
    ),
    shape(
        "thread-locks",
        locks.ThreadLocks,
        "The locks of a thread.",
        Field("thread", "thread"),
        Field("held", "held-lock[]"),
        Field("awaits", "awaited-lock", optional=True),
        Field("error", "string", "why they are not told", optional=True),
    ),
    shape("locks", locks.LocksReport, "The locks of threads.", Field("threads", "thread-locks[]"), _HELD_UP),
    shape(
        "lock-state",
        locks.LockState,
        "A lock with all who want it.",
        Field("lock", "lock"),
        Field("owner", "thread", optional=True),
        Field("entry_count", "integer", "how often its owner has entered it"),
        Field("entering", "thread[]", "who waits to have it"),
        Field("waiting", "thread[]", "who waits for a notification"),
        Field("note", "string", optional=True),
    ),
    shape(
        "deadlocks",
        locks.DeadlockReport,
        "Threads that wait for each other.",
        Field("deadlocks", "deadlock[]"),
        Field("threads", "integer", "how many were looked at"),
        _HELD_UP,
    ),
    shape(
        "deadlock",
        locks.Deadlock,
        "Each thread waits for the next, the last for the first.",
        Field("cycle", "thread-locks[]"),
        Field("behind", "thread-locks[]", "those that wait for one of these", optional=True),
    ),
    shape(
        "applied",
        Applied,
        "A command was run for several threads.",
        Field("command", "string"),
        Field("threads", "integer"),
        Field("failed", "integer", "for how many it failed"),
    ),
)

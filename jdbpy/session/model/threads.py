"""Plain data about threads and their frames: which are there, which are wanted, equal stacks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

from jdbpy.errors import UsageError
from jdbpy.json_form import HIDDEN, Inline, Json
from jdbpy.record import Record
from jdbpy.session.java.class_names import like, name_in_any_jvm
from jdbpy.session.java.signatures import parameter_types


class ThreadFilter(Record):
    """A choice of threads; what is empty does not matter.

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
    """All about one thread. What could not be read is None; ``notes`` say why.

    Times are in seconds, ``allocated`` is in bytes, all since the thread began; they take methods run in the target.
    ``user`` is the part of ``thread.cpu`` that was not spent in the system.
    """

    thread: ThreadInfo
    class_name: Annotated[str, Json("of the thread object", "class")]
    groups: Annotated[tuple[str, ...], "from the top down to its own"]
    frames: int | None
    interrupted: Annotated[bool | None, "null where that is not known, as of a thread that an event has stopped"]
    context_loader: str | None
    carrier: Annotated[ThreadRef | None, Json("the thread that a virtual thread is mounted on", optional=True)]
    blocker: Annotated[str | None, Json("what it is parked for: the blocker of LockSupport.park", optional=True)]
    user: Annotated[float | None, "seconds of the CPU time that were not spent in the system"]
    allocated: Annotated[int | None, "bytes"]
    notes: tuple[str, ...] = ()


class EqualStacks(Record):
    """Threads whose stacks are the same, frame by frame; ``frames`` are those of the first of them."""

    threads: tuple[ThreadInfo, ...]
    frames: Annotated[tuple[FrameInfo, ...], "of the first of them; the innermost first"]
    error: Annotated[str, "why there are none"] = ""

    @property
    def key(self) -> object:
        """Return a key that is the same for equal stacks of other JVMs, in which ids and names made at run time
        differ."""
        places = [frame.location for frame in self.frames]
        return self.error, *(
            (name_in_any_jvm(at.class_name), at.method, at.signature, at.line, at.code_index) for at in places
        )


EVERY_THREAD = ThreadFilter()


def fits(chosen: ThreadFilter, info: ThreadInfo) -> bool:
    """True if the filter lets the thread through."""
    return (
        like(chosen.name, info.name)
        and (not chosen.group or info.group.lower() == chosen.group.lower())
        and (not chosen.state or _state_fits(chosen.state, info))
    )


def check(chosen: ThreadFilter) -> ThreadFilter:
    """Return the filter itself. Raises UsageError for a state that there is not."""
    if chosen.state and chosen.state not in STATES:
        raise UsageError(f"'{chosen.state}' is not a state of a thread", hint=f"there are {', '.join(STATES)}")
    return chosen


def fold(traces: Iterable[StackTrace]) -> list[EqualStacks]:
    """Groups of threads with equal stacks, the largest first; among equals in the order of the threads.

    Stacks are equal when they have the same methods at the same places. Threads without frames are grouped by why.
    """
    groups: dict[object, list[StackTrace]] = {}
    for trace in traces:
        groups.setdefault((trace.error, *map(_place, trace.frames)), []).append(trace)
    folded = [
        EqualStacks(tuple(trace.thread for trace in group), tuple(group[0].frames), group[0].error)
        for group in groups.values()
    ]
    return sorted(folded, key=lambda group: -len(group.threads))


def _place(frame: FrameInfo) -> tuple[int, int, int]:
    return frame.location.type_id, frame.location.method_id, frame.location.code_index


def _state_fits(wanted: str, info: ThreadInfo) -> bool:
    if wanted == "suspended":
        return info.suspended
    if wanted == "virtual":
        return info.virtual
    return info.state == STATES[wanted]


NOT_KNOWN = "<unknown>"
"""Stands for a name that the agent refused to tell; the ``error`` beside it says why."""


NO_STATE = "state not known"
"""The state of a thread, in words, if neither the agent nor a dump tells it."""


class ThreadRef(Record):
    """A thread by id and name (the name as it was when it was read); ``error`` says why that is not known."""

    id: int
    name: str
    error: Annotated[str, "why its name is not known"] = ""


class Location(Record):
    """A place in code. ``line`` is None without line numbers (native code, compiled without -g)."""

    class_name: Annotated[str, Json(key="class")]
    method: str
    signature: Annotated[str, "of the method, as the JVM writes it: `(I)V`"]
    source: Annotated[str | None, "the file's name; null when the class file has none"]
    line: Annotated[int | None, "null without line numbers"]
    code_index: Annotated[int, "of the bytecode instruction; -1 in native code"]
    type_id: Annotated[int, HIDDEN] = 0
    method_id: Annotated[int, HIDDEN] = 0
    type_tag: Annotated[int, HIDDEN] = 1  # JDWP TypeTag of type_id
    source_path: Annotated[str | None, HIDDEN] = None  # relative path, "com/acme/Order.java", when known
    stratum: Annotated[str, "whose line it is, when it is not the class file's: Kotlin, JSP"] = ""
    error: Annotated[str, "what of it is not known, and why"] = ""

    @property
    def parameter_types(self) -> tuple[str, ...]:
        """Return the types of the method's parameters, as in source; none where the signature is not known."""
        return parameter_types(self.signature) if self.signature.startswith("(") else ()

    @property
    def source_file(self) -> str | None:
        """Return the name or path by which `sources.text` finds the file; a path has a slash: "./index.jsp"."""
        if self.source_path is None:
            return self.source
        return self.source_path if "/" in self.source_path else f"./{self.source_path}"


class FrameInfo(Record):
    """One frame of a stopped thread. ``index`` counts from 1, the innermost."""

    json_name = "frame"

    index: Annotated[int, "from 1, the innermost"]
    location: Annotated[Location, Inline()]
    thread: Annotated[ThreadRef, HIDDEN]
    id: Annotated[int, HIDDEN] = 0  # JDWP frame id; void after the epoch has passed
    epoch: Annotated[int, HIDDEN] = 0
    native: bool = False
    obsolete: Annotated[bool, "it runs an old version of a redefined method"] = False
    # how many frames lie below it, towards the start of the thread; None: not known
    height: Annotated[int | None, HIDDEN] = None
    # of a class that the VM spun for a lambda or a method handle: nothing of the user's source
    hidden: Annotated[bool, HIDDEN] = False


class ThreadInfo(Record):
    """A thread as ``threads`` shows it."""

    json_name = "thread"

    id: Annotated[int, "0 for a virtual thread that a dump tells of and the agent does not know"]
    name: str
    state: Annotated[str, 'in words: "running", "sleeping", "waiting for a monitor", "waiting", "not started", "ended"']
    suspended: bool
    suspend_count: int
    group: Annotated[str, "its thread group"] = ""
    at_breakpoint: Annotated[bool, "it stands where an event stopped it"] = False
    virtual: bool = False
    daemon: bool | None = None
    priority: int | None = None
    frame: Annotated[FrameInfo | None, "top frame, when it was asked for and the thread is suspended"] = None
    current: Annotated[bool, "it is the selected one"] = False
    java_id: Annotated[int | None, "what Thread.getId() gives, when it was asked for"] = None
    cpu: Annotated[float | None, "seconds of CPU time, when they were asked for"] = None
    container: Annotated[str, "the executor or scope in which a virtual thread was started, of a dump of all"] = ""
    error: Annotated[str, "what of it is not known, and why"] = ""


class Suspended(Record):
    """The suspended threads, and the frames that are good: ``everything``, ``anything``, and for each thread that
    differs from the rest its id, whether it is suspended, and the first and last epoch of frames that are good. Those
    of other threads are of ``epoch``. ``ran`` is another pair whenever a thread has run.
    """

    everything: bool = False
    anything: bool = False
    ran: tuple[int, int] = (0, 0)
    epoch: int = 0
    threads: tuple[tuple[int, bool, int, int], ...] = ()

    def is_suspended(self, thread: int) -> bool:
        """True if the thread is suspended."""
        return next((each[1] for each in self.threads if each[0] == thread), self.everything)

    def is_current(self, frame: FrameInfo) -> bool:
        """True if the frame's thread is suspended, and has not run since the frame was read."""
        if not self.is_suspended(frame.thread.id):
            return False
        rest = (0, True, self.epoch, self.epoch)
        _, _, first, last = next((each for each in self.threads if each[0] == frame.thread.id), rest)
        return first <= frame.epoch <= last


class ThreadGroup(Record):
    """A thread group with everything below it."""

    id: int
    name: str
    threads: tuple[ThreadInfo, ...]
    groups: tuple[ThreadGroup, ...]


class StackTrace(Record):
    """The frames of one thread, innermost first; ``total`` counts those left out too; ``error`` says why none.

    ``frames`` as read from a target are made when they are looked at, anew each time, and equal by value.
    """

    json_name = "stack"

    thread: ThreadInfo
    frames: Annotated[Sequence[FrameInfo], "the innermost first"]
    total: Annotated[int, "frames of the thread, those that were left out too"]
    error: Annotated[str, "why there are none"] = ""

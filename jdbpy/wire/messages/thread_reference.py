"""ThreadReference, command set 11: one thread, its stack and its monitors.

``thread`` must be a live one: HotSpot answers INVALID_THREAD for threads that have ended, and for the agent's own.
"""

from __future__ import annotations

from jdbpy.record import Record
from jdbpy.wire.command import Command, Empty, Reply
from jdbpy.wire.constants import CommandSet
from jdbpy.wire.ids import (
    Boolean,
    CodeLocation,
    FrameID,
    Int,
    ObjectID,
    String,
    TaggedObjectID,
    TaggedValue,
    ThreadGroupID,
    ThreadID,
)
from jdbpy.wire.lazy_records import Rows


class NameReply(Reply):
    threadName: String


class Name(Command[NameReply], number=(CommandSet.ThreadReference, 1)):
    """The thread's name, which the program may change at any time; often empty for virtual threads."""

    thread: ThreadID


class Suspend(Command[Empty], number=(CommandSet.ThreadReference, 2)):
    """Add one to the thread's suspend count. OK even when the thread has ended."""

    thread: ThreadID


class Resume(Command[Empty], number=(CommandSet.ThreadReference, 3)):
    """Take one from the thread's suspend count, if it has one. The events it causes may overtake the reply."""

    thread: ThreadID


class StatusReply(Reply):
    threadStatus: Int
    suspendStatus: Int


class Status(Command[StatusReply], number=(CommandSet.ThreadReference, 4)):
    """``ThreadStatus`` (-1 when not started) and ``SuspendStatus``. A thread stopped by an event counts as RUNNING."""

    thread: ThreadID


class ThreadGroupReply(Reply):
    group: ThreadGroupID


class ThreadGroup(Command[ThreadGroupReply], number=(CommandSet.ThreadReference, 5)):
    """The thread's group; 0 once it has ended."""

    thread: ThreadID


class Frame(Record):
    frameID: FrameID
    location: CodeLocation


class FramesReply(Reply):
    frames: Rows[Frame]


class Frames(Command[FramesReply], number=(CommandSet.ThreadReference, 6)):
    """Frames of a suspended thread from ``startFrame`` (0 is the top) on; ``length`` -1 is the rest.

    INVALID_INDEX when it starts past the end, INVALID_LENGTH when it asks for more than there are. Frame ids live until
    the thread is resumed or runs an invocation.
    """

    thread: ThreadID
    startFrame: Int = 0
    length: Int = -1


class FrameCountReply(Reply):
    frameCount: Int


class FrameCount(Command[FrameCountReply], number=(CommandSet.ThreadReference, 7)):
    """The number of frames of a suspended thread."""

    thread: ThreadID


class OwnedMonitorsReply(Reply):
    owned: list[TaggedObjectID]


class OwnedMonitors(
    Command[OwnedMonitorsReply], number=(CommandSet.ThreadReference, 8), capability="canGetOwnedMonitorInfo"
):
    """The objects whose monitors a suspended thread holds."""

    thread: ThreadID


class CurrentContendedMonitorReply(Reply):
    monitor: TaggedObjectID


class CurrentContendedMonitor(
    Command[CurrentContendedMonitorReply],
    number=(CommandSet.ThreadReference, 9),
    capability="canGetCurrentContendedMonitor",
):
    """The object that a suspended thread wants to enter or waits on (Object.wait); 0 when there is none."""

    thread: ThreadID


class Stop(Command[Empty], number=(CommandSet.ThreadReference, 10)):
    """Throw an exception in the thread as soon as it runs. A virtual thread has to be suspended, at an event."""

    thread: ThreadID
    throwable: ObjectID


class Interrupt(Command[Empty], number=(CommandSet.ThreadReference, 11)):
    """Thread.interrupt."""

    thread: ThreadID


class SuspendCountReply(Reply):
    suspendCount: Int


class SuspendCount(Command[SuspendCountReply], number=(CommandSet.ThreadReference, 12)):
    """The number of outstanding suspensions."""

    thread: ThreadID


class Monitor(Record):
    monitor: TaggedObjectID
    stack_depth: Int


class OwnedMonitorsStackDepthInfoReply(Reply):
    owned: list[Monitor]


class OwnedMonitorsStackDepthInfo(
    Command[OwnedMonitorsStackDepthInfoReply],
    number=(CommandSet.ThreadReference, 13),
    capability="canGetMonitorFrameInfo",
    since="1.6",
):
    """The monitors a suspended thread holds and the frame that entered each (0 is the top, -1 unknown: native code)."""

    thread: ThreadID


class ForceEarlyReturn(
    Command[Empty], number=(CommandSet.ThreadReference, 14), capability="canForceEarlyReturn", since="1.6"
):
    """Let the top frame return ``value`` (V for void) when the thread is resumed; no finally blocks run.

    The thread has to be suspended; TYPE_MISMATCH for a value of another kind, OPAQUE_FRAME in native methods, INTERNAL
    the second time before a resume.
    """

    thread: ThreadID
    value: TaggedValue


class IsVirtualReply(Reply):
    isVirtual: Boolean


class IsVirtual(Command[IsVirtualReply], number=(CommandSet.ThreadReference, 15), since="21"):
    """Ask if it is a virtual thread. NOT_IMPLEMENTED before JDK 21."""

    thread: ThreadID

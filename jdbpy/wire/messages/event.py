"""Event, command set 64: the packets that the target sends, with the 18 kinds of events.

Every kind begins with the id of the request that asked for it; 0 means that none did (VMStart and VMDeath come
unasked).
"""

from __future__ import annotations

from jdbpy.wire.command import Choice, Command, Empty
from jdbpy.wire.constants import CommandSet, EventKind
from jdbpy.wire.ids import (
    Boolean,
    Byte,
    Bytes,
    CodeLocation,
    FieldID,
    Int,
    Long,
    ReferenceTypeID,
    String,
    TaggedObjectID,
    TaggedValue,
    ThreadID,
)


class Event(Choice, selector="eventKind"):
    """The base of events. ``KIND`` is the ``EventKind``."""

    requestID: Int


class ThreadEvent(Event):
    """An event in a thread; all but ClassUnload and VMDeath."""

    thread: ThreadID


class LocatableEvent(ThreadEvent):
    """An event at a place in code."""

    location: CodeLocation


class VMStart(ThreadEvent, kind=EventKind.VM_START):
    """The VM has initialized, and ``thread`` will run main. Not sent to who attaches later."""


class SingleStep(LocatableEvent, kind=EventKind.SINGLE_STEP):
    """A step has ended; the instruction at the location has not run yet."""


class Breakpoint(LocatableEvent, kind=EventKind.BREAKPOINT):
    """A breakpoint was reached; the instruction at the location has not run yet."""


class MethodEntry(LocatableEvent, kind=EventKind.METHOD_ENTRY):
    """A method was entered; the location is its first."""


class MethodExit(LocatableEvent, kind=EventKind.METHOD_EXIT):
    """A method is about to return, though not by an exception."""


class MethodExitWithReturnValue(LocatableEvent, kind=EventKind.METHOD_EXIT_WITH_RETURN_VALUE):
    """MethodExit with what is returned. JDWP 1.6."""

    value: TaggedValue


class MonitorEvent(ThreadEvent):
    """An event on the monitor of ``object``. JDWP 1.6, canRequestMonitorEvents."""

    object: TaggedObjectID
    location: CodeLocation


class MonitorContendedEnter(MonitorEvent, kind=EventKind.MONITOR_CONTENDED_ENTER):
    """The thread wants a monitor that another one holds."""


class MonitorContendedEntered(MonitorEvent, kind=EventKind.MONITOR_CONTENDED_ENTERED):
    """The thread got the monitor that it had to wait for."""


class MonitorWait(MonitorEvent, kind=EventKind.MONITOR_WAIT):
    """The thread is about to wait (Object.wait), for ``timeout`` milliseconds or 0 for ever."""

    timeout: Long


class MonitorWaited(MonitorEvent, kind=EventKind.MONITOR_WAITED):
    """The thread is back from Object.wait; ``timed_out`` when it was not notified."""

    timed_out: Boolean


class Exception(LocatableEvent, kind=EventKind.EXCEPTION):
    """An exception was thrown. ``catchLocation`` is no location (class, method and index 0) when nothing catches it."""

    exception: TaggedObjectID
    catchLocation: CodeLocation


class ThreadStart(ThreadEvent, kind=EventKind.THREAD_START):
    """The thread has started and has not run its code yet."""


class ThreadDeath(ThreadEvent, kind=EventKind.THREAD_DEATH):
    """The thread has run its code and is about to end."""


class ClassPrepare(ThreadEvent, kind=EventKind.CLASS_PREPARE):
    """A class was prepared; none of its code has run. ``thread`` is 0 when the agent's own thread did it."""

    refTypeTag: Byte
    typeID: ReferenceTypeID
    signature: String
    status: Int


class ClassUnload(Event, kind=EventKind.CLASS_UNLOAD):
    """A class was unloaded; its id is void already. Never suspends, whatever was asked for."""

    signature: String


class FieldEvent(LocatableEvent):
    """An event on a field of a type; ``object`` is 0 when the field is static."""

    refTypeTag: Byte
    typeID: ReferenceTypeID
    fieldID: FieldID
    object: TaggedObjectID


class FieldAccess(FieldEvent, kind=EventKind.FIELD_ACCESS):
    """A field is about to be read. canWatchFieldAccess."""


class FieldModification(FieldEvent, kind=EventKind.FIELD_MODIFICATION):
    """A field is about to become ``valueToBe``. canWatchFieldModification."""

    valueToBe: TaggedValue


class VMDeath(Event, kind=EventKind.VM_DEATH):
    """The VM is ending; no event follows. It may come several times in one set, once for every earlier session."""


class UnknownEvent(Event, unknown=True):
    """An event of a kind that the specification did not have: its bytes, and those of everything after it in the set,
    because its end is not known. Whose request it answers is unknown too, so ``requestID`` is 0."""

    kind: Byte
    data: Bytes


class Composite(Command[Empty], number=(CommandSet.Event, 100)):
    """A set of events that happened at one moment, sent by the target. ``suspendPolicy`` says what it has suspended."""

    suspendPolicy: Byte
    events: list[Event]

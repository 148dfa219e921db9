"""EventRequest, command set 15: asking for events, with the modifiers that filter them."""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.wire.command import Choice, Command, Empty, Reply
from jdbpy.wire.constants import CommandSet, ModKind
from jdbpy.wire.ids import Boolean, Byte, CodeLocation, FieldID, Int, ObjectID, ReferenceTypeID, String, ThreadID


class Modifier(Choice, selector="modKind"):
    """A condition on the events of a request. They are tested in order, so ``Count`` belongs at the end."""


class Count(Modifier, kind=ModKind.COUNT):
    """Report the ``count``-th event (1 is the first) and drop the request."""

    count: Int


class Conditional(Modifier, kind=ModKind.CONDITIONAL):
    """Reserved; HotSpot takes it and ignores it."""

    exprID: Int


class ThreadOnly(Modifier, kind=ModKind.THREAD_ONLY):
    """Only events in this thread; not for class unload. Thread 0 aborts the VM."""

    thread: ThreadID


class ClassOnly(Modifier, kind=ModKind.CLASS_ONLY):
    """Only events whose class (for class prepare the class itself) is this type or a subtype."""

    clazz: ReferenceTypeID


class ClassMatch(Modifier, kind=ModKind.CLASS_MATCH):
    """Only events whose class has a name (dotted) that matches; one ``*``, at the very start or end."""

    classPattern: String


class ClassExclude(Modifier, kind=ModKind.CLASS_EXCLUDE):
    """No events whose class has a name (dotted) that matches; one ``*``, at the very start or end."""

    classPattern: String


class LocationOnly(Modifier, kind=ModKind.LOCATION_ONLY):
    """Only events at this place. The index has to be the start of an instruction: another one crashes the VM."""

    loc: CodeLocation


class ExceptionOnly(Modifier, kind=ModKind.EXCEPTION_ONLY):
    """Only exceptions of this type or a subtype (0 is any), that will be caught, or will not, or both."""

    exceptionOrNull: ReferenceTypeID
    caught: Boolean
    uncaught: Boolean


class FieldOnly(Modifier, kind=ModKind.FIELD_ONLY):
    """The field whose accesses or modifications are reported."""

    declaring: ReferenceTypeID
    fieldID: FieldID


class Step(Modifier, kind=ModKind.STEP):
    """The thread, ``StepSize`` and ``StepDepth`` of a step. Without it a SINGLE_STEP request never fires."""

    thread: ThreadID
    size: Int
    depth: Int


class InstanceOnly(Modifier, kind=ModKind.INSTANCE_ONLY):
    """Only events whose ``this`` is the object. Events in static and native methods have none and pass."""

    instance: ObjectID


class SourceNameMatch(Modifier, kind=ModKind.SOURCE_NAME_MATCH):
    """Only class prepare: the source name, or one of the SMAP's, matches; one ``*``, at the start or the end."""

    sourceNamePattern: String


class PlatformThreadsOnly(Modifier, kind=ModKind.PLATFORM_THREADS_ONLY):
    """Only thread start and death, and only from JDK 21 on: leave virtual threads out."""


class SetReply(Reply):
    requestID: Int


class Set(Command[SetReply], number=(CommandSet.EventRequest, 1)):
    """Ask for events of an ``EventKind`` with a ``SuspendPolicy``. The first event may overtake the reply.

    A modifier that does not fit the kind gives ILLEGAL_ARGUMENT.
    """

    eventKind: Byte
    suspendPolicy: Byte
    modifiers: Sequence[Modifier] = ()


class Clear(Command[Empty], number=(CommandSet.EventRequest, 2)):
    """Cancel a request; unknown ids are no error."""

    eventKind: Byte
    requestID: Int


class ClearAllBreakpoints(Command[Empty], number=(CommandSet.EventRequest, 3)):
    """Cancel every BREAKPOINT request."""

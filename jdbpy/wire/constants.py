"""The constants of JDWP, spelled as in the specification ("JDWP Protocol Details", the Constants sections).

Owns names for numbers and nothing else. Decoded messages keep plain ``int``: a number that a newer agent invents is no
reason to fail, so look a name up only when one is shown.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag


class CommandSet(IntEnum):
    """The command sets. ``Field`` is reserved and has no commands; ``Event`` is sent by the target."""

    VirtualMachine = 1
    ReferenceType = 2
    ClassType = 3
    ArrayType = 4
    InterfaceType = 5
    Method = 6
    Field = 8
    ObjectReference = 9
    StringReference = 10
    ThreadReference = 11
    ThreadGroupReference = 12
    ArrayReference = 13
    ClassLoaderReference = 14
    EventRequest = 15
    StackFrame = 16
    ClassObjectReference = 17
    ModuleReference = 18
    Event = 64


class Error(IntEnum):
    """Error codes of a reply. What each means to a user is in ``wire.error_text``."""

    NONE = 0
    INVALID_THREAD = 10
    INVALID_THREAD_GROUP = 11
    INVALID_PRIORITY = 12
    THREAD_NOT_SUSPENDED = 13
    THREAD_SUSPENDED = 14
    THREAD_NOT_ALIVE = 15  # HotSpot answers INVALID_THREAD instead
    INVALID_OBJECT = 20
    INVALID_CLASS = 21
    CLASS_NOT_PREPARED = 22
    INVALID_METHODID = 23
    INVALID_LOCATION = 24
    INVALID_FIELDID = 25
    INVALID_FRAMEID = 30
    NO_MORE_FRAMES = 31
    OPAQUE_FRAME = 32
    NOT_CURRENT_FRAME = 33
    TYPE_MISMATCH = 34
    INVALID_SLOT = 35
    DUPLICATE = 40
    NOT_FOUND = 41
    INVALID_MODULE = 42
    INVALID_MONITOR = 50
    NOT_MONITOR_OWNER = 51
    INTERRUPT = 52
    INVALID_CLASS_FORMAT = 60
    CIRCULAR_CLASS_DEFINITION = 61
    FAILS_VERIFICATION = 62
    ADD_METHOD_NOT_IMPLEMENTED = 63
    SCHEMA_CHANGE_NOT_IMPLEMENTED = 64
    INVALID_TYPESTATE = 65
    HIERARCHY_CHANGE_NOT_IMPLEMENTED = 66
    DELETE_METHOD_NOT_IMPLEMENTED = 67
    UNSUPPORTED_VERSION = 68
    NAMES_DONT_MATCH = 69
    CLASS_MODIFIERS_CHANGE_NOT_IMPLEMENTED = 70
    METHOD_MODIFIERS_CHANGE_NOT_IMPLEMENTED = 71
    CLASS_ATTRIBUTE_CHANGE_NOT_IMPLEMENTED = 72
    NOT_IMPLEMENTED = 99
    NULL_POINTER = 100
    ABSENT_INFORMATION = 101
    INVALID_EVENT_TYPE = 102
    ILLEGAL_ARGUMENT = 103
    OUT_OF_MEMORY = 110
    ACCESS_DENIED = 111
    VM_DEAD = 112
    INTERNAL = 113
    UNATTACHED_THREAD = 115
    INVALID_TAG = 500
    ALREADY_INVOKING = 502
    INVALID_INDEX = 503
    INVALID_LENGTH = 504
    INVALID_STRING = 506
    INVALID_CLASS_LOADER = 507
    INVALID_ARRAY = 508
    TRANSPORT_LOAD = 509
    TRANSPORT_INIT = 510
    NATIVE_METHOD = 511
    INVALID_COUNT = 512
    NOT_IN_SNAPSHOT = 60_001  # not of the specification: what a snapshot answers where it has no answer
    NOT_IN_RECORDING = 60_002  # likewise a recording
    NEEDS_AGENT = 60_003  # likewise a JVM without the debugger agent
    NO_ANSWER = 60_004  # likewise one that does not answer at its attach socket


class EventKind(IntEnum):
    """Kinds of events. HotSpot refuses requests for FRAME_POP, USER_DEFINED, CLASS_LOAD and EXCEPTION_CATCH."""

    SINGLE_STEP = 1
    BREAKPOINT = 2
    FRAME_POP = 3
    EXCEPTION = 4
    USER_DEFINED = 5
    THREAD_START = 6
    THREAD_DEATH = 7
    THREAD_END = 7  # a second name in the specification
    CLASS_PREPARE = 8
    CLASS_UNLOAD = 9
    CLASS_LOAD = 10
    FIELD_ACCESS = 20
    FIELD_MODIFICATION = 21
    EXCEPTION_CATCH = 30
    METHOD_ENTRY = 40
    METHOD_EXIT = 41
    METHOD_EXIT_WITH_RETURN_VALUE = 42
    MONITOR_CONTENDED_ENTER = 43
    MONITOR_CONTENDED_ENTERED = 44
    MONITOR_WAIT = 45
    MONITOR_WAITED = 46
    VM_START = 90
    VM_INIT = 90  # a second name in the specification
    VM_DEATH = 99
    VM_DISCONNECTED = 100  # never on the wire


class ModKind(IntEnum):
    """Kinds of modifiers of an event request."""

    COUNT = 1
    CONDITIONAL = 2
    THREAD_ONLY = 3
    CLASS_ONLY = 4
    CLASS_MATCH = 5
    CLASS_EXCLUDE = 6
    LOCATION_ONLY = 7
    EXCEPTION_ONLY = 8
    FIELD_ONLY = 9
    STEP = 10
    INSTANCE_ONLY = 11
    SOURCE_NAME_MATCH = 12
    PLATFORM_THREADS_ONLY = 13


class ThreadStatus(IntEnum):
    """Run state of a thread. HotSpot answers -1 for one that has not been started."""

    ZOMBIE = 0
    RUNNING = 1
    SLEEPING = 2
    MONITOR = 3
    WAIT = 4


class SuspendStatus(IntFlag):
    """Bits of ThreadReference.Status.suspendStatus."""

    SUSPEND_STATUS_SUSPENDED = 1


class ClassStatus(IntFlag):
    """Bits of a type's status."""

    VERIFIED = 1
    PREPARED = 2
    INITIALIZED = 4
    ERROR = 8


class TypeTag(IntEnum):
    """The kind of a reference type."""

    CLASS = 1
    INTERFACE = 2
    ARRAY = 3


class Tag(IntEnum):
    """The kind of a value: the ASCII code of the JNI signature's letter, or of a letter for well-known objects."""

    ARRAY = ord("[")
    BYTE = ord("B")
    CHAR = ord("C")
    OBJECT = ord("L")
    FLOAT = ord("F")
    DOUBLE = ord("D")
    INT = ord("I")
    LONG = ord("J")
    SHORT = ord("S")
    VOID = ord("V")
    BOOLEAN = ord("Z")
    STRING = ord("s")
    THREAD = ord("t")
    THREAD_GROUP = ord("g")
    CLASS_LOADER = ord("l")
    CLASS_OBJECT = ord("c")


class JdwpStepDepth(IntEnum):
    """The depth of a step."""

    INTO = 0
    OVER = 1
    OUT = 2


class JdwpStepSize(IntEnum):
    """The size of a step: to the next instruction or to the next line."""

    MIN = 0
    LINE = 1


GONE = frozenset((Error.INVALID_OBJECT, Error.INVALID_CLASS, Error.INVALID_MODULE, Error.INVALID_CLASS_LOADER))
"""Errors by which the agent says that an object or a class has been collected meanwhile."""


class JdwpSuspendPolicy(IntEnum):
    """The threads that an event suspends."""

    NONE = 0
    EVENT_THREAD = 1
    ALL = 2


class InvokeOptions(IntFlag):
    """Bits of the ``options`` of an invocation."""

    INVOKE_SINGLE_THREADED = 1
    INVOKE_NONVIRTUAL = 2


def error_name(number: int) -> str:
    """Return the name of an error code; ``ERROR_1234`` for one that the specification does not have."""
    return Error(number).name if number in Error._value2member_map_ else f"ERROR_{number}"

"""The meaning of the agent's error codes to the person at the debugger.

Owns one sentence and one hint for each code, and makes the ``JdwpError`` of a reply. The sentences hold for every
command; who knows more (which thread, which breakpoint) says more in a layer above. What stands in quotes in a hint is
a command of jdbpy's command line, or begins with the name of another program.
"""

from __future__ import annotations

from jdbpy.errors import JdwpError
from jdbpy.wire.constants import Error, error_name

_REDEFINE = "undo that change in the source, or restart the program"

_TEXTS: dict[int, tuple[str, str]] = {
    Error.INVALID_THREAD: (
        "the thread has ended, or is not in the state that this needs",
        "'threads' lists the threads; a method can only be invoked in a thread that an event has stopped",
    ),
    Error.INVALID_THREAD_GROUP: ("the thread group is gone", "'threadgroups' lists the groups"),
    Error.INVALID_PRIORITY: ("that is not a thread priority", "priorities go from 1 to 10"),
    Error.THREAD_NOT_SUSPENDED: (
        "the thread is running",
        "'suspend' stops it; 'where' and 'locals' need it suspended",
    ),
    Error.THREAD_SUSPENDED: ("the thread is suspended already", "'threads' shows who is"),
    Error.THREAD_NOT_ALIVE: ("the thread has not been started, or has ended", "'threads' lists the threads"),
    Error.INVALID_OBJECT: (
        "the object has been garbage collected, or was never known",
        "evaluate the expression again",
    ),
    Error.INVALID_CLASS: ("the class has been unloaded, or was never known", "'classes' lists the loaded ones"),
    Error.CLASS_NOT_PREPARED: ("the class is loaded but not ready yet", "try again when the program has first used it"),
    Error.INVALID_METHODID: ("the method does not belong to that class", "'methods CLASS' lists its methods"),
    Error.INVALID_LOCATION: (
        "no code at that place",
        "'lines CLASS' lists the lines with code; native and abstract methods have none",
    ),
    Error.INVALID_FIELDID: ("the field does not belong to that class", "'fields CLASS' lists its fields"),
    Error.INVALID_FRAMEID: ("the frame is gone: its thread has run since", "'where' shows the stack as it is now"),
    Error.NO_MORE_FRAMES: (
        "no frames left to do that with",
        "the outermost frame has no caller to return to",
    ),
    Error.OPAQUE_FRAME: (
        "the VM does not let a debugger change that frame",
        "it is native or called by native code, or a virtual thread is not at an event",
    ),
    Error.NOT_CURRENT_FRAME: ("that works in the top frame only", "'frame 1' selects it"),
    Error.TYPE_MISMATCH: ("the value has the wrong type", "'methods', 'fields' and 'locals' show the types"),
    Error.INVALID_SLOT: ("the variable has no value here", "it is out of scope at this line, or not assigned yet"),
    Error.DUPLICATE: ("that exists already", ""),
    Error.NOT_FOUND: ("that does not exist", ""),
    Error.INVALID_MODULE: ("the module is not known", ""),
    Error.INVALID_MONITOR: ("that object is not a monitor", ""),
    Error.NOT_MONITOR_OWNER: ("the thread does not hold that monitor", ""),
    Error.INTERRUPT: ("the call was interrupted", ""),
    Error.INVALID_CLASS_FORMAT: ("those bytes are not a class file", "give the .class file, not the source"),
    Error.CIRCULAR_CLASS_DEFINITION: ("the class would be its own superclass", _REDEFINE),
    Error.FAILS_VERIFICATION: ("the VM's verifier rejects the new code", "compile it again, with the same libraries"),
    Error.ADD_METHOD_NOT_IMPLEMENTED: ("the VM cannot add a method to a loaded class", _REDEFINE),
    Error.SCHEMA_CHANGE_NOT_IMPLEMENTED: ("the VM cannot change the fields of a loaded class", _REDEFINE),
    Error.INVALID_TYPESTATE: ("the VM cannot redefine the class as it is now", "restart the program"),
    Error.HIERARCHY_CHANGE_NOT_IMPLEMENTED: ("the VM cannot change what a loaded class extends", _REDEFINE),
    Error.DELETE_METHOD_NOT_IMPLEMENTED: ("the VM cannot remove a method from a loaded class", _REDEFINE),
    Error.UNSUPPORTED_VERSION: (
        "the class file is of a version that the VM does not know, or is not a class file",
        "compile it with 'javac --release' and the version of the target",
    ),
    Error.NAMES_DONT_MATCH: ("the class file is of another class", "give the file of the class to be redefined"),
    Error.CLASS_MODIFIERS_CHANGE_NOT_IMPLEMENTED: ("the VM cannot change the modifiers of a loaded class", _REDEFINE),
    Error.METHOD_MODIFIERS_CHANGE_NOT_IMPLEMENTED: ("the VM cannot change the modifiers of a method", _REDEFINE),
    Error.CLASS_ATTRIBUTE_CHANGE_NOT_IMPLEMENTED: (
        "the VM cannot change nest, record or permitted subclass attributes of a loaded class",
        _REDEFINE,
    ),
    Error.NOT_IMPLEMENTED: ("this VM cannot do that", "'version' shows which VM it is"),
    Error.NULL_POINTER: ("null was given where an object is needed", ""),
    Error.ABSENT_INFORMATION: (
        "the class was compiled without that information",
        "compile with 'javac -g' to have variables and source lines",
    ),
    Error.INVALID_EVENT_TYPE: ("this VM has no such event", ""),
    Error.ILLEGAL_ARGUMENT: ("the VM does not take these arguments", "a filter may not fit the kind of event"),
    Error.OUT_OF_MEMORY: ("the target has no memory left for that", ""),
    Error.ACCESS_DENIED: ("the VM does not have that switched on", ""),
    Error.VM_DEAD: ("the target has ended", ""),
    Error.INTERNAL: ("the agent could not do that", "it does not say why; a --wire-log FILE shows what was asked"),
    Error.UNATTACHED_THREAD: ("the thread is not one of the VM's", ""),
    Error.INVALID_TAG: ("the value is of a kind that the agent does not know", ""),
    Error.ALREADY_INVOKING: (
        "the thread is in the middle of another invocation",
        "'cont' lets that one end; if it was a debugger's that has left meanwhile, use another thread",
    ),
    Error.INVALID_INDEX: ("the index is past the end", "indexes start at 0"),
    Error.INVALID_LENGTH: ("there are not as many as that", ""),
    Error.INVALID_STRING: ("that is not a string", ""),
    Error.INVALID_CLASS_LOADER: ("that is not a class loader", ""),
    Error.INVALID_ARRAY: ("that is not an array", ""),
    Error.TRANSPORT_LOAD: ("the agent cannot load its transport", ""),
    Error.TRANSPORT_INIT: ("the agent cannot start its transport", ""),
    Error.NATIVE_METHOD: ("the method is native: it has no lines and no variables", ""),
    Error.NOT_IN_SNAPSHOT: (
        "that is not in the snapshot",
        "a snapshot with a greater --depth or --max has more; what runs or searches the heap needs the JVM",
    ),
    Error.NOT_IN_RECORDING: (
        "that is not in the recording",
        "only what was asked then is answered; attach to the JVM for more",
    ),
    Error.NEEDS_AGENT: (
        "that needs the debugger agent, which this JVM was started without",
        "threads, stacks, locks, histograms, flags, properties and 'jcmd' work without it",
    ),
    Error.NO_ANSWER: (
        "the JVM does not answer at its attach socket",
        "it may be stopped (SIGSTOP), hang, or be held by a debugger",
    ),
    Error.INVALID_COUNT: ("the count must be at least 1", ""),
}


def jdwp_error(number: int, command: str = "") -> JdwpError:
    """Return the error for a code that a reply has brought; ``command`` is the name of what was asked."""
    name = error_name(number)
    sentence, hint = _TEXTS.get(number, ("the target answers with an error that the specification does not have", ""))
    asked = f" from {command}" if command else ""
    return JdwpError(number, name, f"{sentence} ({name}{asked})", hint=hint, command=command)

"""The plain data that the session hands to front ends: no methods that speak to the target, nothing to print.

Names are those of JDI and JVM TI; numbers that people see (frames, breakpoints) start at 1. Class names are Java's
(``java.util.Map$Entry``), types are spelled as in source (``int[]``), ids are the agent's object ids. Whatever is in
here can be kept after the target has moved on; using it to ask for more is then a ``StateError``.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from jdbpy.record import Record


class VmState(StrEnum):
    """What the target is doing, as far as the debugger can tell."""

    RUNNING = "running"  # no thread is held by the debugger
    STOPPED = "stopped"  # at least one thread is held
    EXITED = "exited"  # the VM has ended
    DISCONNECTED = "disconnected"  # the connection is gone; the VM may live on


class SuspendPolicy(StrEnum):
    """Which threads a stop holds."""

    NONE = "none"
    THREAD = "thread"
    ALL = "all"


class StepDepth(StrEnum):
    INTO = "into"
    OVER = "over"
    OUT = "out"


class StepSize(StrEnum):
    LINE = "line"
    MIN = "min"  # one bytecode instruction


NOT_KNOWN = "<unknown>"
"""Stands for a name that the agent refused to tell; the ``error`` beside it says why."""


class ThreadRef(Record):
    """A thread by id and name (the name as it was when it was read); ``error`` says why that is not known."""

    id: int
    name: str
    error: str = ""


class Location(Record):
    """A place in code. ``line`` is None without line numbers (native code, compiled without -g)."""

    class_name: str
    method: str
    signature: str  # JNI form, "(I)V"
    source: str | None  # file name without a path, from SourceFile or the stratum
    line: int | None
    code_index: int  # -1 in native code
    type_id: int = 0
    method_id: int = 0
    type_tag: int = 1  # JDWP TypeTag of type_id
    source_path: str | None = None  # relative path, "com/acme/Order.java", when known
    stratum: str = ""  # whose lines these are, "Kotlin"; "" for those of the class file
    error: str = ""  # what of this the agent refused to tell, and why

    @property
    def source_file(self) -> str | None:
        """The name or path by which `sources.text` finds the file; a path has a slash: "./index.jsp"."""
        if self.source_path is None:
            return self.source
        return self.source_path if "/" in self.source_path else f"./{self.source_path}"


class Frame(Record):
    """One frame of a stopped thread. ``index`` counts from 1, the innermost."""

    index: int
    location: Location
    thread: ThreadRef
    id: int = 0  # JDWP frame id; void after the epoch has passed
    epoch: int = 0
    native: bool = False
    obsolete: bool = False  # runs an old version of a redefined method
    height: int | None = None  # how many frames lie below it, towards the start of the thread; None: not known
    hidden: bool = False  # of a class that the VM spun for a lambda or a method handle: nothing of the user's source


class ThreadInfo(Record):
    """A thread as ``threads`` shows it."""

    id: int
    name: str
    state: str  # in words: "running", "sleeping", "waiting for a monitor", "waiting", "not started", "ended"
    suspended: bool
    suspend_count: int
    group: str = ""
    at_breakpoint: bool = False
    virtual: bool = False
    daemon: bool | None = None
    priority: int | None = None
    frame: Frame | None = None  # top frame, when it was asked for and the thread is suspended
    current: bool = False
    java_id: int | None = None  # what Thread.getId() gives
    cpu: float | None = None  # seconds of processor time, when it was asked for
    error: str = ""  # what of this the agent refused to tell, and why


class ThreadGroup(Record):
    """A thread group with everything below it."""

    id: int
    name: str
    threads: tuple[ThreadInfo, ...]
    groups: tuple[ThreadGroup, ...]


class StackTrace(Record):
    """The frames of one thread, innermost first; ``total`` counts those left out too; ``error`` says why none."""

    thread: ThreadInfo
    frames: tuple[Frame, ...]
    total: int
    error: str = ""


class Value(Record):
    """A value with its text as Java would write the literal.

    ``text`` of an object is a short description, of a string its quoted and escaped literal, cut at the limit with
    ``truncated`` set. ``id`` is the object id (None for primitives, null and void). ``tag`` is the JDWP tag character.
    ``raw`` is the Python value of a primitive: int, float, bool, a one-character str; the object id of an object.
    """

    type: str
    text: str
    tag: str
    raw: int | float | bool | str | None
    id: int | None = None
    length: int | None = None  # of strings (UTF-16 units), arrays and known collections
    truncated: bool = False
    children: tuple[Variable, ...] = ()  # fields or elements, as far as the limits allowed
    note: str = ""  # a word of explanation ("not an ArrayList layout that is known")
    changed: bool = False  # since an earlier stop, of what ``evaluate`` and ``dump`` give
    number: int | None = None  # in the history of values: of $7, 7
    formatted: str = ""  # the text in the format that was asked for, where that makes another one: "0xff"


class Variable(Record):
    """A named value: local, argument, ``this``, field, element."""

    name: str
    type: str  # declared type as in source, generics included when the class file tells
    value: Value | None  # None when it could not be read; ``error`` says why
    kind: str  # "argument", "local", "this", "slot", "field", "static", "element", "captured", "kept", "noted"
    error: str = ""
    declared_in: str = ""  # class of a field
    modifiers: str = ""  # of a field, as in source
    changed: bool = False  # since the last stop at which it was told
    key: Value | None = None  # of an entry of a map, whose ``name`` is the key's text


class Limits(Record):
    """How much of a value is read: every value request carries its limits, so that nothing is unbounded."""

    depth: int = 1  # levels of children
    string: int = 200  # characters shown
    elements: int = 100  # of an array or collection
    fields: int = 100


class BreakpointPlace(Record):
    """One of the places of a breakpoint: the code of its line, or its name, in one method. ``number`` counts from 1.

    ``kind`` is ``line``, ``lambda`` (its body, or code of a class that is written inside the line), ``constructor`` (of
    such a class), or ``method`` where the breakpoint was set by the name of a method.
    """

    number: int
    kind: str
    enabled: bool
    locations: tuple[Location, ...]  # several for copies of the code: in other loaders, of a ``finally``
    error: str = ""  # why the condition makes no sense there: then the breakpoint does not stand there


class Breakpoint(Record):
    """A breakpoint or another point: all that has a number and stops the target or reports from it.

    ``resolved`` are the code locations where a breakpoint stands now; none while its class is not loaded.
    """

    number: int
    spec: str  # as the user would type it: "com.acme.Order:42", "uncaught com.acme.*", "access Order.total"
    kind: str  # line, method, exception, field, methods, monitors, class-load, class-unload, thread, exit
    enabled: bool
    temporary: bool
    policy: SuspendPolicy
    resolved: tuple[Location, ...]
    hits: int = 0
    condition: str = ""
    ignore: int = 0  # hits to let pass before the next stop
    thread: int | None = None
    message: str = ""  # why it is not resolved, in words
    hit_count: str = ""  # which hits count: "== 3", ">= 10", "% 100"
    over: bool = False  # no later hit can count: it has left the target; switching it on begins to count anew
    callers: tuple[str, ...] = ()  # patterns, one of which a caller must fit
    after: int | None = None  # number of the point that must be hit first
    after_each: bool = False  # ... again after each hit of this one
    waiting: bool = False  # that one was not hit yet, and this one is not in the target
    failures: int = 0  # how often the condition could not be evaluated
    failure: str = ""  # why, the last time
    options: tuple[tuple[str, str], ...] = ()  # further filters, for display: (name, text)
    places: tuple[BreakpointPlace, ...] = ()  # of a line or a method, as far as they are loaded


class VmInfo(Record):
    """What the target said of itself at the start."""

    description: str
    name: str
    version: str  # java.version
    jdwp_major: int
    jdwp_minor: int
    address: str
    capabilities: tuple[tuple[str, bool], ...]


class MethodInfo(Record):
    """A method of a loaded class. ``id`` is its JDWP method id."""

    id: int
    name: str
    signature: str
    generic: str
    modifiers: str  # as in source, "public static"
    modifier_bits: int
    class_name: str
    type_id: int
    parameters: tuple[str, ...]  # types as in source
    returns: str


class FieldInfo(Record):
    """A field of a loaded class. ``id`` is its JDWP field id, valid only with ``type_id``."""

    id: int
    name: str
    signature: str
    generic: str
    type: str
    modifiers: str
    modifier_bits: int
    class_name: str
    type_id: int


class ClassInfo(Record):
    """A loaded reference type in a line."""

    id: int
    name: str
    kind: str  # "class", "interface", "array"
    signature: str
    generic: str = ""
    status: str = ""  # "verified prepared initialized"
    loader: str | None = None  # None when it was not asked for, "bootstrap" for the boot loader


class ClassDetail(Record):
    """All that ``class NAME`` shows."""

    info: ClassInfo
    modifiers: str
    superclass: str | None
    superclasses: tuple[str, ...]
    interfaces: tuple[str, ...]
    subclasses: tuple[str, ...]
    nested: tuple[str, ...]
    source: str | None
    loader: str
    class_file_version: str = ""  # with the release in words: "61.0, Java 17"
    module: str = ""
    declaration: str = ""  # as in source: "public final class com.acme.Basket<T extends java.lang.Number>"
    generic_superclass: str = ""  # with its type arguments, where the class file tells them
    generic_interfaces: tuple[str, ...] = ()
    loader_name: str = ""  # what the loader's maker called it
    loader_parents: tuple[str, ...] = ()  # the loaders above it, nearest first
    code_source: str = ""  # URL of the directory or archive that it came from; "" when that is not told
    code_source_candidates: tuple[str, ...] = ()  # what it may be, when only its loader's sources are told
    unknown: tuple[str, ...] = ()  # what the agent refused to tell, and why


class LineEntry(Record):
    """One code location of a source line."""

    line: int
    method: str
    signature: str
    code_index: int
    source: str = ""  # the file, where it is another than the class's main one: of code that was inlined


class KnownNames(Record):
    """Names that are known without asking the target, for completion. Members are by the full name of their class."""

    classes: tuple[str, ...]
    methods: Mapping[str, tuple[str, ...]]
    fields: Mapping[str, tuple[str, ...]]
    sources: tuple[str, ...]

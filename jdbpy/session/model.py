"""The plain data that the session hands to front ends: no methods that speak to the target, nothing to print.

Names are those of JDI and JVM TI; numbers that people see (frames, breakpoints) start at 1. Class names are Java's
(``java.util.Map$Entry``), types are spelled as in source (``int[]``), ids are the agent's object ids. Whatever is in
here can be kept after the target has moved on; using it to ask for more is then a ``StateError``.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

from jdbpy.json_form import HIDDEN, Inline, Json
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
    error: Annotated[str, "why its name is not known"] = ""


class Location(Record):
    """A place in code. ``line`` is None without line numbers (native code, compiled without -g)."""

    class_name: Annotated[str, Json(key="class")]
    method: str
    signature: Annotated[str, "of the method, as the JVM writes it: `(I)V`"]
    source: Annotated[str | None, "the file's name; null when the class does not tell"]
    line: Annotated[int | None, "null without line numbers"]
    code_index: Annotated[int, "of the bytecode instruction; -1 in native code"]
    type_id: Annotated[int, HIDDEN] = 0
    method_id: Annotated[int, HIDDEN] = 0
    type_tag: Annotated[int, HIDDEN] = 1  # JDWP TypeTag of type_id
    source_path: Annotated[str | None, HIDDEN] = None  # relative path, "com/acme/Order.java", when known
    stratum: Annotated[str, "whose line it is, when it is not the class file's: Kotlin, JSP"] = ""
    error: Annotated[str, "what of it is not known, and why"] = ""

    @property
    def source_file(self) -> str | None:
        """The name or path by which `sources.text` finds the file; a path has a slash: "./index.jsp"."""
        if self.source_path is None:
            return self.source
        return self.source_path if "/" in self.source_path else f"./{self.source_path}"


class Frame(Record):
    """One frame of a stopped thread. ``index`` counts from 1, the innermost."""

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

    id: int
    name: str
    state: Annotated[str, 'in words: "running", "sleeping", "waiting for a monitor", "waiting", "not started", "ended"']
    suspended: bool
    suspend_count: int
    group: Annotated[str, "its thread group"] = ""
    at_breakpoint: Annotated[bool, "it stands where an event stopped it"] = False
    virtual: bool = False
    daemon: bool | None = None
    priority: int | None = None
    frame: Annotated[Frame | None, "top frame, when it was asked for and the thread is suspended"] = None
    current: Annotated[bool, "it is the selected one"] = False
    java_id: Annotated[int | None, "what Thread.getId() gives, when it was asked for"] = None
    cpu: Annotated[float | None, "seconds of CPU time, when they were asked for"] = None
    error: Annotated[str, "what of it is not known, and why"] = ""


class ThreadGroup(Record):
    """A thread group with everything below it."""

    id: int
    name: str
    threads: tuple[ThreadInfo, ...]
    groups: tuple[ThreadGroup, ...]


class StackTrace(Record):
    """The frames of one thread, innermost first; ``total`` counts those left out too; ``error`` says why none."""

    json_name = "stack"

    thread: ThreadInfo
    frames: Annotated[tuple[Frame, ...], "the innermost first"]
    total: Annotated[int, "frames of the thread, those that were left out too"]
    error: Annotated[str, "why there are none"] = ""


class Value(Record):
    """A value with its text as Java would write the literal.

    ``text`` of an object is a short description, of a string its quoted and escaped literal, cut at the limit with
    ``truncated`` set. ``id`` is the object id (None for primitives, null and void). ``tag`` is the JDWP tag character.
    ``raw`` is the Python value of a primitive: int, float, bool, a one-character str; the object id of an object.
    """

    type: Annotated[str, "the type of the value itself, as in source"]
    text: Annotated[str, Json("as Java would write the literal; null when it could not be read", "value")]
    tag: Annotated[str, HIDDEN]
    raw: Annotated[int | float | bool | str | None, HIDDEN]
    id: Annotated[int | None, "the object's id"] = None
    length: Annotated[int | None, "of a string, an array or a known collection"] = None
    truncated: Annotated[bool, "more of it was left out"] = False
    children: Annotated[tuple[Variable, ...], "fields or elements, as far as the limits allowed"] = ()
    note: Annotated[str, 'a word of explanation ("not an ArrayList layout that is known")'] = ""
    changed: Annotated[bool, "since an earlier stop"] = False
    number: Annotated[int | None, "in the history: 7 for `$7`"] = None
    formatted: Annotated[str, 'the text in the format that was asked for, where that makes another one: "0xff"'] = ""


class Variable(Record):
    """A named value: local, argument, ``this``, field, element."""

    name: str
    type: Annotated[str, "declared type as in source, generics included when the class file tells"]
    value: Annotated[
        Value | None,
        Inline(
            (
                ("type", Json("the type of the value itself", "runtime_type", True)),
                ("changed", HIDDEN),
                ("number", HIDDEN),
            )
        ),
    ]  # None when it could not be read; ``error`` says why
    kind: Annotated[str, "argument, local, this, slot, field, static, element, captured, kept, noted, expression"]
    error: Annotated[str, "why it could not be read"] = ""
    declared_in: Annotated[str, "the class of a field"] = ""
    modifiers: Annotated[str, "of a field, as in source"] = ""
    changed: Annotated[bool, "since the last stop at which it was told"] = False
    key: Annotated[Value | None, HIDDEN] = None  # of an entry of a map, whose ``name`` is the key's text


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

    number: Annotated[int, "from 1: place 2 of breakpoint 1 is 1.2"]
    kind: Annotated[str, "line; lambda: its body, or a class written inside the line; constructor of one; method"]
    enabled: bool
    locations: Annotated[tuple[Location, ...], "several for copies: in other loaders, of a finally block"]
    error: Annotated[str, "why the condition makes no sense there: it does not stop there"] = ""


class Breakpoint(Record):
    """A breakpoint or another point: all that has a number and stops the target or reports from it.

    ``resolved`` are the code locations where a breakpoint stands now; none while its class is not loaded.
    """

    number: int
    spec: Annotated[
        str,
        Json('as the user would type it: "com.acme.Order:42", "uncaught com.acme.*", "access Order.total"', "location"),
    ]
    kind: Annotated[str, "line, method, exception, field, methods, monitors, class-load, class-unload, thread or exit"]
    enabled: bool
    temporary: bool
    policy: Annotated[SuspendPolicy, Json("what a hit suspends: all, thread or none", "suspend")]
    resolved: Annotated[tuple[Location, ...], "where it stands now; empty while its class is not loaded"]
    hits: Annotated[int, Json(optional=False)] = 0
    condition: str = ""
    ignore: Annotated[int, "hits to let pass before the next stop"] = 0
    thread: Annotated[int | None, "the only thread that stops"] = None
    message: Annotated[str, "why it is not resolved"] = ""
    hit_count: Annotated[str, "which hits count: == 3, >= 10, % 100"] = ""
    over: Annotated[bool, "no later hit can count: it has left the target; switching it on begins to count anew"] = (
        False
    )
    callers: Annotated[tuple[str, ...], "patterns, one of which a caller must fit"] = ()
    after: Annotated[int | None, "the point that must be hit first"] = None
    after_each: Annotated[bool, "again after each hit of this one"] = False
    waiting: Annotated[bool, "that one was not hit yet: this one is not in the target"] = False
    failures: Annotated[int, "how often the condition could not be evaluated"] = 0
    failure: Annotated[str, "why, the last time"] = ""
    options: Annotated[tuple[tuple[str, str], ...], "further filters (from, except, on), and what a hit runs"] = ()
    places: Annotated[tuple[BreakpointPlace, ...], "the methods in which its line or name has code"] = ()


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

    json_name = "method"

    id: Annotated[int, HIDDEN]
    name: str
    signature: str
    generic: Annotated[str, Json(optional=True)]
    modifiers: str  # as in source, "public static"
    modifier_bits: Annotated[int, HIDDEN]
    class_name: Annotated[str, Json(key="class")]
    type_id: Annotated[int, HIDDEN]
    parameters: Annotated[tuple[str, ...], "their types"]
    returns: str


class FieldInfo(Record):
    """A field of a loaded class. ``id`` is its JDWP field id, valid only with ``type_id``."""

    json_name = "field"

    id: Annotated[int, HIDDEN]
    name: str
    signature: str
    generic: Annotated[str, Json(optional=True)]
    type: str
    modifiers: str
    modifier_bits: Annotated[int, HIDDEN]
    class_name: Annotated[str, Json(key="class")]
    type_id: Annotated[int, HIDDEN]


class ClassInfo(Record):
    """A loaded reference type in a line."""

    json_name = "class"

    id: int
    name: str
    kind: Annotated[str, "class, interface or array"]
    signature: str
    generic: Annotated[str, "its generic signature"] = ""
    status: Annotated[str, "verified, prepared, initialized"] = ""
    loader: str | None = None  # None when it was not asked for, "bootstrap" for the boot loader


class ClassDetail(Record):
    """All that ``class NAME`` shows."""

    info: Annotated[ClassInfo, Json(key="class")]
    modifiers: str
    superclass: str | None
    superclasses: Annotated[tuple[str, ...], "up to java.lang.Object"]
    interfaces: tuple[str, ...]
    subclasses: tuple[str, ...]
    nested: tuple[str, ...]
    source: str | None
    loader: str
    class_file_version: Annotated[str, "with the release: `61.0, Java 17`"] = ""
    module: str = ""
    declaration: Annotated[
        str, Json('as in source: "public final class com.acme.Basket<T extends java.lang.Number>"', optional=False)
    ] = ""
    generic_superclass: Annotated[str, "with its type arguments, where the class file tells them"] = ""
    generic_interfaces: Annotated[tuple[str, ...], "with their type arguments"] = ()
    loader_name: Annotated[str, "what the loader's maker called it"] = ""
    loader_parents: Annotated[tuple[str, ...], "the loaders above it, nearest first"] = ()
    code_source: Annotated[str, "URL of the directory or archive that it came from"] = ""
    code_source_candidates: Annotated[tuple[str, ...], "what that may be, when it is not certain"] = ()
    unknown: Annotated[tuple[str, ...], "what the JVM refused to tell, and why"] = ()


class LineEntry(Record):
    """One code location of a source line."""

    json_name = "line"

    line: int
    method: str
    signature: str
    code_index: int
    source: Annotated[str, "the file, when it is not the class's own: of inlined code"] = ""


class KnownNames(Record):
    """Names that are known without asking the target, for completion. Members are by the full name of their class."""

    classes: tuple[str, ...]
    methods: Mapping[str, tuple[str, ...]]
    fields: Mapping[str, tuple[str, ...]]
    sources: tuple[str, ...]

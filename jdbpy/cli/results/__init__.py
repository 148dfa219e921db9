"""What commands return where the session's own data does not say it all: plain records for renderers.

A front end that draws a result dispatches on its type. Their JSON form is declared in ``json_form``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from jdbpy import (
    Breakpoint,
    ClassInfo,
    ClassList,
    Exited,
    FieldInfo,
    Frame,
    LineEntry,
    MethodInfo,
    SourceWindow,
    StackTrace,
    Stop,
    ThreadGroup,
    ThreadInfo,
    Value,
    Variable,
)
from jdbpy.record import Record

SCHEMA_VERSION = 1
"""Of the JSON form (``json_form``)."""


class Done(Record):
    """It was done; ``message`` says what, ``hint`` what may come next."""

    message: str
    hint: str = ""


class Resumed(Record):
    """The target was let go. A batch fills in how that ended: ``stop`` or ``exited``."""

    note: str = ""  # what was set up on the way
    stop: Stop | None = None
    exited: Exited | None = None


class Restarting(Resumed):
    """The front end is to leave its session and start the program again; the next session shows how that went."""


class Stopped(Record):
    """A command stopped a thread by itself (``pause``); the stop is shown as every other."""

    stop: Stop


class Stack(Record):
    """One thread's stack. ``pc``: code indexes are wanted; ``variables`` of the frames, for ``bt full``."""

    trace: StackTrace
    pc: bool = False
    variables: tuple[FrameVariables, ...] = ()


class FrameVariables(Record):
    """The variables of the frame with this number."""

    index: int
    variables: tuple[Variable, ...]


class Stacks(Record):
    """The stacks of all threads."""

    traces: tuple[StackTrace, ...]
    pc: bool = False


class FrameSelected(Record):
    """A frame was selected; ``source`` is what stands there."""

    frame: Frame
    source: SourceWindow | None


class ThreadSelected(Record):
    """A thread was selected; ``frame`` is its top frame when it is held."""

    thread: ThreadInfo
    frame: Frame | None = None
    source: SourceWindow | None = None


class Threads(Record):
    """Threads, of one ``group`` or of all."""

    threads: tuple[ThreadInfo, ...]
    group: str = ""
    verbose: bool = False  # daemon, priority, Java id and CPU time are wanted
    note: str = ""


class ThreadGroups(Record):
    groups: tuple[ThreadGroup, ...]


class Variables(Record):
    """Variables of a frame: all, or only its arguments."""

    variables: tuple[Variable, ...]
    frame: Frame | None = None
    only: str = ""  # "argument": the others were left out


class Printed(Record):
    """The value of an expression. ``full``: its fields or elements are wanted too (``dump``).

    ``numbered``: a person reads it, who may want to know its number in the history.
    """

    expression: str
    value: Value
    full: bool = False
    numbered: bool = False


class TypeOf(Record):
    """The type of an expression's value."""

    expression: str
    type: str


class Assigned(Record):
    target: str
    value: Value


class Displayed(Record):
    """Values shown at each stop: (number, expression, value or None, why not)."""

    items: tuple[DisplayedItem, ...]


class DisplayedItem(Record):
    number: int
    expression: str
    value: Value | None
    error: str = ""


class BreakpointSet(Record):
    """A new breakpoint; ``remote``: the target is not on this machine."""

    breakpoint: Breakpoint
    remote: bool = False


class Breakpoints(Record):
    """Breakpoints and other points, all or those of some ``kinds``."""

    breakpoints: tuple[Breakpoint, ...]
    kinds: tuple[str, ...] = ()


class BreakpointsChanged(Record):
    """``action`` is "deleted", "enabled" or "disabled"; "condition" or "hit count", each with "set" or "removed".

    With ``places`` ("1.2") it was done to these places of breakpoints only.
    """

    action: str
    breakpoints: tuple[Breakpoint, ...]
    places: tuple[str, ...] = ()


class Monitor(Record):
    """A command that is run at every stop."""

    number: int
    command: str


class Monitors(Record):
    monitors: tuple[Monitor, ...]


class Actions(Record):
    """Commands that are run when a point is hit; ``expected``: they are to be typed now."""

    number: int
    commands: tuple[str, ...]
    expected: bool = False


class Listing(Record):
    """Source text."""

    window: SourceWindow


class SourcePath(Record):
    path: tuple[str, ...]


class Classes(Record):
    """Loaded classes whose name fits ``pattern``."""

    pattern: str
    classes: Sequence[ClassInfo]

    @property
    def names(self) -> Iterable[str]:
        """The names of all; of a list of the session's without making a record for each."""
        return self.classes.names if isinstance(self.classes, ClassList) else (each.name for each in self.classes)


class Methods(Record):
    class_name: str
    methods: tuple[MethodInfo, ...]


class Fields(Record):
    class_name: str
    fields: tuple[FieldInfo, ...]


class Lines(Record):
    class_name: str
    lines: tuple[LineEntry, ...]


class Excludes(Record):
    """Patterns of classes that stepping passes through."""

    patterns: tuple[str, ...]


class SettingValue(Record):
    name: str
    value: str
    form: str
    help: str


class SettingValues(Record):
    settings: tuple[SettingValue, ...]


class Version(Record):
    """Of jdbpy and of the target."""

    jdbpy: str
    schema: int  # of the JSON form
    vm: str
    java: str
    jdwp: str
    description: str
    address: str


class HelpEntry(Record):
    name: str
    aliases: tuple[str, ...]
    usage: str
    summary: str
    group: str


class HelpIndex(Record):
    """Commands in a line each; ``topic`` is what was searched for."""

    entries: tuple[HelpEntry, ...]
    topic: str = ""


class HelpPage(Record):
    """All about one command."""

    entry: HelpEntry
    details: str
    options: tuple[HelpWord, ...]
    arguments: tuple[HelpWord, ...]


class HelpWord(Record):
    """An option or an argument of a command, and what it means."""

    word: str
    help: str


class HelpTopic(Record):
    """An answer that is not about one command."""

    topic: str
    text: str


class ScriptRead(Record):
    """A file of commands was run."""

    path: str
    commands: int


class ShellRun(Record):
    """A command of the shell was run: its exit status (-9: ended by signal 9) and what it printed."""

    status: int
    output: str


class SourceFiles(Record):
    """Source files of loaded classes."""

    files: tuple[SourceOf, ...]


class SourceOf(Record):
    """A source file: its name with the package's directories, its classes, and where it was found ("": nowhere)."""

    name: str
    classes: tuple[str, ...]
    path: str


class Saved(Record):
    path: str
    count: int


class Left(Record):
    """The debugger leaves. ``action``: "detached" (the target runs on) or "terminated"."""

    action: str
    message: str


class Listening(Record):
    """jdbpy waits for a JVM to connect to ``address``."""

    address: str

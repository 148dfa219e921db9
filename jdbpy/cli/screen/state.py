"""The state that the panes show: plain, immutable records, replaced as a whole.

``reader`` makes it beside the session, and the panes render it in the screen's thread; neither knows the other. Text
that comes from the target is escaped when the record is made.
"""

from __future__ import annotations

from jdbpy.record import Record


class LineMark(Record):
    """A breakpoint at a line of the source that is shown. ``kind`` is ``on``, ``off``, ``log`` or ``wait`` (it is set
    for a class that is not loaded yet, or stands nowhere)."""

    line: int
    number: int
    kind: str


class LineValues(Record):
    """What is shown behind a line that is not the current one: the values that it has written."""

    line: int
    text: str


class SourceShown(Record):
    """The text in the source pane. ``kind``: ``source``, ``decompiled``, ``bytecode``, or ``none`` with a ``message``.

    ``key`` is the same as long as it is the same text. ``current`` is the line of the selected frame, from 1, and
    ``top`` is True if that frame is the innermost. ``values`` are the variables that are named at that line,
    ``behind`` what other lines of a recorded call have written.
    """

    kind: str = "none"
    key: str = ""
    title: str = ""
    name: str = ""  # of the file, for its language
    class_name: str = ""
    lines: tuple[str, ...] = ()
    current: int | None = None
    top: bool = True
    values: str = ""
    behind: tuple[LineValues, ...] = ()
    message: str = ""
    at: int = 0  # the line to go to; 0: the current one


class FrameShown(Record):
    """A frame of the stack: its number from 1, ``Order.total``, ``Order.java:42``, its package."""

    index: int
    method: str
    place: str
    package: str = ""
    selected: bool = False


class NodeShown(Record):
    """A variable, field or element. ``path`` names it among all in the tree, ``depth`` is 0 for those of the frame.

    ``opens``: there is something in it; ``open``: that is shown below it. ``more``: a row that is no variable and
    shows the next page when it is opened.
    """

    path: str
    name: str
    text: str
    type: str = ""
    kind: str = "local"
    depth: int = 0
    opens: bool = False
    open: bool = False
    changed: bool = False
    error: bool = False
    more: bool = False


class ThreadShown(Record):
    """A thread: its id, name, state in words. ``stopped``: it stands still."""

    id: int
    name: str
    state: str
    stopped: bool = False
    hit: bool = False
    current: bool = False


class JvmShown(Record):
    """One of several JVMs: its name, its state, where it stands."""

    name: str
    state: str
    place: str = ""
    current: bool = False


class WatchShown(Record):
    """An expression of ``display`` with its value, or why it has none."""

    number: int
    expression: str
    text: str
    error: bool = False
    changed: bool = False


class PluginPane(Record):
    """A pane of a plug-in: its name, and the lines that it has given."""

    name: str
    lines: tuple[str, ...] = ()
    error: bool = False


class ScreenState(Record):
    """All that the panes show. ``busy``: what belongs to the stop is still being read.

    ``runs``: nothing is selected that stands still; stack, variables and watches are then those of the last stop.
    ``recorded`` names the recorded call that is shown in place of the target. ``lives`` is False once the target has
    ended; ``file``: a snapshot is shown.
    """

    runs: bool = True
    busy: bool = False
    status: str = ""
    recorded: str = ""
    lives: bool = True
    file: bool = False
    thread: str = ""
    source: SourceShown = SourceShown()
    marks: tuple[LineMark, ...] = ()
    frames: tuple[FrameShown, ...] = ()
    frames_total: int = 0
    variables: tuple[NodeShown, ...] = ()
    variables_note: str = ""
    watches: tuple[WatchShown, ...] = ()
    threads: tuple[ThreadShown, ...] = ()
    jvms: tuple[JvmShown, ...] = ()
    plugins: tuple[PluginPane, ...] = ()

    @property
    def shown_is(self) -> str:
        """Return which line of keys fits: ``target``, ``ended``, ``file`` or ``recorded``."""
        if self.recorded:
            return "recorded"
        return "file" if self.file else "target" if self.lives else "ended"

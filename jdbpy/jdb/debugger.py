"""The state of jdb mode: the session once there is one, the current thread, what was asked for before, the prompt.

jdb has a notion of a current thread of its own: a stop that suspends everything sets it, letting go unsets it, and a
hit that suspends one thread only leaves it alone. The session's selection follows it.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from jdbpy import ThreadInfo, ThreadRef, UsageError
from jdbpy.jdb.cmdline import JdbLine
from jdbpy.jdb.output import JdbOutput, JdiTrace, number
from jdbpy.jdb.specs import Specs

if TYPE_CHECKING:
    from jdbpy import Session

EXCLUDES = ("java.*", "javax.*", "sun.*", "com.sun.*", "jdk.*")
"""Classes that steps and traces pass over unless told otherwise."""


class Debugger:
    """The state that commands and events share. ``connect`` opens the session with the given main class and
    arguments.
    """

    def __init__(self, line: JdbLine, out: JdbOutput, connect: Callable[[str], Awaitable[None]]) -> None:
        self.line = line
        self.out = out
        self.connect = connect
        self.session: Session | None = None
        self.current: ThreadRef | None = None
        self.group: str | None = None
        self.specs = Specs(out)
        self.monitors: dict[int, str] = {}
        self.last_monitor = 0
        self.excludes: tuple[str, ...] = EXCLUDES  # as shown
        self.trace = line.trace  # flags of dbgtrace
        self.source_path = line.source_path
        self.not_searched: tuple[str, ...] = ()  # of the target's class path, for sources; until that is said
        self.next_listed: int | None = None  # where an empty line after `list` goes on
        self.tracing = ""  # the trace in effect, in words
        self.repeating = False
        self.saved: dict[str, str] = {}  # by `save`: key and text
        self.kept: dict[int, str] = {}  # by `disablegc`: object id and the name it is saved under
        self.leaving = False
        self.read: Callable[[str], Awaitable[bool]]  # runs the lines of a file; the interpreter's

    @property
    def target(self) -> Session:
        """Return the session; commands that need it are not run without one."""
        assert self.session is not None
        return self.session

    @property
    def patterns(self) -> tuple[str, ...]:
        """Return the classes that are excluded: "none" is none, and no class of that name."""
        return () if self.excludes == ("none",) else self.excludes

    def trace_wire(self) -> None:
        """Begins or ends to show what goes over the wire."""
        if self.session is not None:
            self.session.log_wire(JdiTrace(self.trace, self.out.error) if self.trace else None)

    async def source_line(self, class_name: str, line: int | None, source: str | None) -> None:
        """Write a line of the source of a class, numbered. Where that is not found, say once what was not searched."""
        file = await self.target.sources.text(class_name, source) if line is not None else None
        if file is not None and line is not None and 1 <= line <= len(file.lines):
            self.out.line(f"{number(line)}    {file.lines[line - 1]}")
        elif file is None and line is not None:
            self.say_not_searched()

    def say_not_searched(self) -> None:
        """Say, once, which part of the target's class path is not searched for sources."""
        if self.not_searched:
            paths, self.not_searched = os.pathsep.join(self.not_searched), ()
            why = "the target is not known to be a process of yours on this machine"
            self.out.line(f"Not searched for sources, since {why}: {paths}; use PATH names a source path.")

    # -- the current thread --------------------------------------------------------------------------------------

    async def make_current(self, thread: ThreadRef | ThreadInfo) -> None:
        """Make a thread the current one, at its innermost frame."""
        self.current = ThreadRef(thread.id, thread.name)
        await self.target.select_thread(thread.id)

    def let_go(self) -> None:
        """Nothing is current any more: everything runs."""
        self.current = None
        self.group = None

    @property
    def frame_index(self) -> int:
        """Number of the current frame, from 1."""
        thread, frame = self.target.selection
        return frame if self.current is not None and thread == self.current.id else 1

    async def follow(self) -> None:
        """Make the session select the current thread again, if a hit of another one has changed that."""
        if self.session is not None and self.current is not None and self.session.selection[0] != self.current.id:
            await self.session.select_thread(self.current.id)

    async def thread(self, word: str) -> ThreadInfo | None:
        """Return the thread of an id as the user gives it; says so if there is none."""
        text = word.removeprefix("t@")
        if text[:1].isdigit():
            try:
                return await self.target.threads.find(text)
            except UsageError:
                pass
        self.out.line(f'"{word}" is not a valid thread id.')
        return None

    # -- the prompt ----------------------------------------------------------------------------------------------

    def prompt(self, *, simple: bool = False) -> None:
        """Write the prompt: ``main[1] `` with a current thread, ``> `` without one or when it is about to run."""
        if self.current is None or simple:
            self.out.print("> ")
        else:
            self.out.print(f"{self.current.name}[{number(self.frame_index)}] ")

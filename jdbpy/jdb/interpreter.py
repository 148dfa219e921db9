"""jdb's commands by name, and the interpreter of lines: comments, repetition, ``!!``, lookup, when the prompt comes.

A command is a function of the debugger and the rest of its line that writes its answer.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Awaitable, Callable

import trio

from jdbpy import Disconnected, JdbpyError, UsageError
from jdbpy.jdb.debugger import Debugger
from jdbpy.jdb.words import Words
from jdbpy.process.scripts import read_script
from jdbpy.process.standard import OutputLost
from jdbpy.record import Record

Function = Callable[[Debugger, Words], Awaitable[None]]


class JdbCommand(Record):
    """A command. ``offline``: it makes sense before there is a target. ``resumes``: its prompt comes before it acts.

    ``evaluates``: it may take long, and the next line is not kept waiting.
    """

    name: str
    function: Function
    offline: bool = False
    resumes: bool = False
    evaluates: bool = False


COMMANDS: dict[str, JdbCommand] = {}
"""All commands, filled when ``commands`` is imported."""

REPEATABLE = frozenset(("up", "down", "step", "stepi", "next", "cont", "list", "pop", "reenter"))
"""The line that an empty one runs again after ``repeat on``."""

LIST_BEGINS_AGAIN = REPEATABLE - {"list"} | {"run", "suspend", "resume", "kill", "interrupt", "threadgroup"}
"""Commands after which ``list`` is at the current line again, whether they did anything or not."""


def jdb_command(
    *names: str, offline: bool = False, resumes: bool = False, evaluates: bool = False
) -> Callable[[Function], Function]:
    """Make a function the command of these names."""

    def register(function: Function) -> Function:
        for name in names:
            COMMANDS[name] = JdbCommand(name, function, offline, resumes, evaluates)
        return function

    return register


MOST_TIMES = 2**31 - 1
"""The highest number of times that a line can be repeated."""

_PATIENCE = 1.0
"""Seconds without a word between the debugger and the target after which the next line no longer waits for an
evaluation: a method runs. jdb would not wait, and mix the answers."""

_TICKS = 10
"""So often within that time it is looked whether something was said."""


class JdbInterpreter:
    """Runs lines; evaluations that take long go on in the nursery."""

    def __init__(self, jdb: Debugger, nursery: trio.Nursery) -> None:
        self._jdb = jdb
        self._nursery = nursery
        self._last = ""
        self._reading: list[str] = []  # the files that are being run, each by the one before
        jdb.read = self.read

    async def line(self, text: str) -> None:
        """Run a line that was typed."""
        jdb = self._jdb
        if text.startswith("!!") and self._last:
            text = self._last + text[2:]
            jdb.out.line(text)
        if text.strip():
            self._last = text
            await self.run(text)
        elif jdb.repeating and (name := _repeated(self._last)) in REPEATABLE:
            await self.run("list" if name == "list" and jdb.next_listed is not None else self._last)
        else:
            jdb.prompt()

    async def read(self, path: str) -> bool:
        """Run the lines of a file; False if it cannot be read."""
        try:
            real = await trio.to_thread.run_sync(os.path.realpath, path)
            if real in self._reading:
                raise UsageError(f"{path} reads itself")
            lines = await trio.to_thread.run_sync(read_script, path, abandon_on_cancel=True)
        except (UsageError, ValueError):
            if "\0" not in path and os.path.isdir(path) and os.access(path, os.R_OK):  # noqa: ASYNC240 (one look)
                self._jdb.out.line(f"*** Reading commands from {path}")
            self._jdb.out.line(f"Could not open: {path}")
            return False
        self._jdb.out.line(f"*** Reading commands from {path}")
        self._reading.append(real)
        try:
            for text in lines:
                if text.strip() and not self._jdb.leaving:
                    await self.run(text)
        finally:
            self._reading.pop()
        return True

    async def run(self, text: str) -> None:
        """Run a line that has a command in it."""
        words = Words(text)
        name = words.next().lower()
        if name.startswith("#"):
            self._prompt()
        elif name[0].isdecimal() and words.more():
            if not name.isdecimal() or len(name) > 10 or int(name) > MOST_TIMES:
                self._jdb.out.line(f"Unrecognized command: '{name}'.  Try help...")
                self._prompt()
                return
            rest = words.rest()
            if not int(name):
                self._prompt()
            for _ in range(int(name)):
                if self._jdb.leaving:
                    break
                await self.run(rest)
                await trio.lowlevel.checkpoint()
        else:
            await self._command(name, words)

    async def _command(self, name: str, words: Words) -> None:
        from jdbpy.jdb import commands as commands  # which takes a while: not before the first prompt

        jdb = self._jdb
        if name in LIST_BEGINS_AGAIN:
            jdb.next_listed = None
        command = COMMANDS.get(name)
        if command is None:
            jdb.out.line(f"Unrecognized command: '{name}'.  Try help...")
        elif jdb.session is None and not command.offline:
            jdb.out.line(f"Command '{name}' is not valid until the VM is started with the 'run' command")
        elif command.resumes:
            jdb.prompt(simple=True)
            await self._guarded(command, words)
            return
        elif command.evaluates:
            await self._evaluate(command, words)
            return
        else:
            connected = jdb.session is not None
            await self._guarded(command, words)
            if jdb.leaving or (name == "run" and not connected and jdb.session is not None):
                return
        self._prompt()

    async def _evaluate(self, command: JdbCommand, words: Words) -> None:
        """Run what evaluates, with its prompt after it; wait for it, but not for a method that takes long.

        Time in which this process is busy, or is not given the processor, does not count.
        """
        done = trio.Event()

        async def evaluate() -> None:
            await self._guarded(command, words)
            self._prompt()
            done.set()

        self._nursery.start_soon(evaluate)
        silent, said = 0, self._said()
        while not done.is_set() and silent < _TICKS:
            with trio.move_on_after(_PATIENCE / _TICKS):
                await done.wait()
            before, said = said, self._said()
            silent = silent + 1 if said == before else 0

    def _said(self) -> int:
        """Return how many commands and replies there were."""
        session = self._jdb.session
        if session is None:
            return 0
        statistics = session.statistics()
        return int(statistics.commands + statistics.replies)

    async def _guarded(self, command: JdbCommand, words: Words) -> None:
        try:
            await self._jdb.follow()
            await command.function(self._jdb, words)
        except Disconnected:
            pass  # told by the event that follows
        except JdbpyError as error:
            self._jdb.out.line(error.message)
        except OutputLost:
            raise
        except Exception:  # ours; jdb goes on after its own as well
            self._jdb.out.line(f"Internal exception:\n{traceback.format_exc().rstrip()}")

    def _prompt(self) -> None:
        if not self._jdb.leaving:
            self._jdb.prompt()


def _repeated(line: str) -> str:
    """Return the name of the command that a line runs, behind the numbers that say how often; "" for none."""
    words = line.lower().split()
    while len(words) > 1 and words[0].isdecimal() and int(words[0]):
        del words[0]
    return words[0] if words else ""

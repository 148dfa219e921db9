"""Every command that the JDK's jdb has, documented or not: it is ours too, and the scripts use it right and wrong."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
from trio.testing import MockClock

from jdbpy.jdb import commands as commands
from jdbpy.jdb.interpreter import COMMANDS, JdbCommand, JdbInterpreter
from jdbpy.jdb.words import Words, whole_number
from tests.jdb import scripts
from tests.jdb.beside import JDKS

TTY = "com.sun.tools.example.debug.tty.TTY"
"""The class of jdb; its static initializer makes the list of commands, of three words each."""

USES = {
    "!!": ("!!", "!!x"),
    "?": ("?", "? x"),
    "bytecodes": ("bytecodes JdbTour$Square rename", "bytecodes Nope x"),
    "catch": ("catch java.lang.IllegalStateException", "catch uncaught"),
    "class": ("class JdbTour$Square all", "class Nope"),
    "classes": ("classes", "classes x"),
    "classpath": ("classpath", "classpath x"),
    "clear": ("clear JdbTour:{locked}", "clear foo"),
    "connectors": ("connectors", "connectors x"),
    "cont": ("cont", "cont"),
    "dbgtrace": ("dbgtrace 0", "dbgtrace x"),
    "disablegc": ("disablegc square", "disablegc 1"),
    "down": ("down", "down 9"),
    "dump": ("dump square", "dump"),
    "enablegc": ("enablegc square", "enablegc 1"),
    "eval": ("eval square.side", "eval"),
    "exclude": ("exclude java.*,jdk.*", "exclude none"),
    "exit": ("exit now", "exit now"),
    "extension": ("extension JdbTour", "extension Nope"),
    "fields": ("fields JdbTour$Square", "fields Nope"),
    "gc": ("gc", "gc"),
    "help": ("help", "help x"),
    "ignore": ("ignore java.lang.IllegalStateException", "ignore Foo"),
    "interrupt": ("interrupt <main>", "interrupt 99"),
    "kill": ('kill 1 new java.lang.IllegalStateException("killed")', "kill 99 x"),
    "lines": ("lines JdbTour caught", "lines JdbTour$Square nope"),
    "list": ("list work", "list nope"),
    "load": ("load x", "load"),
    "locals": ("locals", "locals x"),
    "lock": ("lock square", "lock 1"),
    "memory": ("memory", "memory"),
    "methods": ("methods JdbTour$Square", "methods Nope"),
    "monitor": ("monitor #", "monitor"),
    "next": ("next", "next"),
    "pop": ("pop", "pop 99"),
    "print": ("print square.name", "print nope"),
    "quit": ("quit x", "quit x"),
    "read": ("read /dev/null", "read /nope"),
    "redefine": ("redefine JdbTour$Base {classes}/JdbTour$Base.class", "redefine JdbTour /nope"),
    "reenter": ("reenter", "reenter 99"),
    "repeat": ("repeat on", "repeat maybe"),
    "resume": ("resume <main>", "resume 99"),
    "run": ("run", "run"),
    "save": ("save x square", "save x"),
    "set": ("set total = 5", "set square"),
    "sourcepath": ("sourcepath {sources}", "sourcepath /nope"),
    "step": ("step", "step"),
    "stepi": ("stepi", "stepi"),
    "stop": ("stop in JdbTour.work", "stop foo"),
    "suspend": ("suspend <main>", "suspend 99"),
    "thread": ("thread <main>", "thread 99"),
    "threadgroup": ("threadgroup main", "threadgroup nope"),
    "threadgroups": ("threadgroups", "threadgroups x"),
    "threadlocks": ("threadlocks <main>", "threadlocks 99"),
    "threads": ("threads main", "threads nope"),
    "trace": ("trace method exit", "trace foo"),
    "unmonitor": ("unmonitor 1", "unmonitor 9"),
    "untrace": ("untrace methods", "untrace"),
    "unwatch": ("unwatch access JdbTour.counter", "unwatch JdbTour.counter"),
    "up": ("up", "up x"),
    "use": ("use", "use /nope"),
    "version": ("version", "version x"),
    "watch": ("watch all JdbTour.counter", "watch counter"),
    "where": ("where all", "where 99"),
    "wherei": ("wherei all", "wherei"),
}
"""A right and a wrong line for each. The same line twice: it is wrong where it comes before the program runs."""


def of_jdk(home: str) -> set[str]:
    """The commands of a JDK's jdb, as its class has them."""
    javap = [str(Path(home, "bin", "javap")), "-p", "-c", "--module", "jdk.jdi", TTY]
    code = subprocess.run(javap, capture_output=True, text=True, check=True).stdout
    words = re.findall(r"// String (\S+)$", code[code.index("static {}") :], re.MULTILINE)
    return {
        name for name, first, second in zip(words, words[1:], words[2:], strict=False) if {first, second} <= {"y", "n"}
    }


def test_numbers_at_the_start_of_a_text() -> None:
    assert [whole_number(each) for each in ("12,5x", "-3", "x", "²", "1²")] == [125, -3, None, None, 1]


def test_every_command_of_jdb_is_ours() -> None:
    """And we have none beside."""
    assert len(of_jdk(JDKS[-1].home)) > 60
    assert set(COMMANDS) == set().union(*(of_jdk(jdk.home) for jdk in JDKS))


def test_every_command_is_used_right_and_wrong() -> None:
    assert set(USES) == set(COMMANDS)
    typed = scripts.typed()
    assert {line for lines in USES.values() for line in lines} <= typed
    assert all(line.split()[0].startswith(name) for name, lines in USES.items() for line in lines)


def test_every_command_comes_before_the_program_runs() -> None:
    """Where most make no sense; so a line without a wrong argument is a wrong use as well."""
    before = scripts.EVERY_COMMAND.partition("~run\n")[0].splitlines()
    ending = {"exit", "quit", "run"}
    assert {line.lstrip("~=").split()[0].removeprefix("?2") for line in before} >= set(COMMANDS) - ending - {"?"}


class Answering:
    """What the interpreter knows of a debugger whose target has answered so often."""

    def __init__(self) -> None:
        self.answers = 0
        self.session = SimpleNamespace(statistics=lambda: SimpleNamespace(commands=0, replies=self.answers))
        self.leaving = False

    async def follow(self) -> None:
        pass

    def prompt(self) -> None:
        pass


@pytest.mark.parametrize("answers", [True, False], ids=["answers", "silent"])
async def test_the_next_line_waits_for_an_evaluation_as_long_as_the_target_answers(
    answers: bool, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long that takes: only a method that runs on does not keep the next line waiting."""
    ended = trio.Event()

    async def evaluate(jdb: Any, words: Words) -> None:
        for _ in range(10):
            await trio.sleep(0.5)
            jdb.answers += answers
        ended.set()

    monkeypatch.setitem(COMMANDS, "lengthy", JdbCommand("lengthy", evaluate, evaluates=True))
    async with trio.open_nursery() as nursery:
        await JdbInterpreter(cast(Any, Answering()), nursery).line("lengthy")
        assert ended.is_set() == answers

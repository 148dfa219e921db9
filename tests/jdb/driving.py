"""A jdb, the JDK's or ours, driven through its pipes as editors drive it: a line is written when the prompt is there.

A line of a script may begin with a mark: ``~`` waits for a prompt with a thread in it (the next stop). ``?`` is for a
command after which the JDK's jdb writes no prompt or several, so that the answer to a line behind it tells its end, and
``!`` is both. ``+`` waits for a stop where a monitor writes a prompt as well: from another thread than what is typed.
``=`` waits for a hit that leaves the rest of the program running.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager

import trio

from jdbpy.record import Record
from tests.harness import LIMIT, Jvm, within
from tests.harness.processes import piped, send_line
from tests.harness.programs import ROOT
from tests.jdb import differences

PROMPT = re.compile(rf"(?:^|\n){differences.PROMPT}+$".encode())
HIT = re.compile(rb"\n> $")
STOPPED = re.compile(rb"(?<!: )\b[\w-]+\[\d+\] (?:> )?$")  # not amid the line of an event: see ``normalized``
MONITORED = re.compile(rb"(?:[\w-]+\[\d+\] ){2}$")
_ANY_PROMPT = re.compile(differences.PROMPT)
_OWN_PROMPT = re.compile(f"{differences.PROMPT}$".encode())
"""That of the command itself, where the event was quicker: what is typed before it comes would seem to be answered."""
_LISTED_MAIN = re.compile(r"\(java\.lang\.Thread\)(\S+) +main ")
MAIN = "<main>"
_SENTINEL = "whatnow"
_SENTINEL_ANSWERED = re.compile(rf"'{_SENTINEL}'\.  Try help\.\.\.\n{differences.PROMPT}+$".encode())


class Answer(Record):
    """A line that was typed, without its mark, and all that was written before the next."""

    line: str
    text: str


class Run(Record):
    """What a script gave: its answers, what came after the last, and the exit status."""

    answers: tuple[Answer, ...]
    rest: str
    status: int


def ours(*arguments: str) -> list[str]:
    return [sys.executable, "-W", "error", "-m", "jdbpy", "jdb", *arguments]


def theirs(jvm: Jvm, *arguments: str) -> list[str]:
    """The command line of the jdb beside that Java."""
    return [os.path.join(jvm.home, "bin", "jdb"), *arguments]


class Driven:
    """A running jdb."""

    def __init__(self, process: trio.Process, *, is_ours: bool) -> None:
        self.process = process
        self._is_ours = is_ours

    async def answer(self, line: str, main: str = "") -> Answer:
        """Types a line of a script, with the id of the main thread for ``<main>``, and waits for the answer to it."""
        mark = line[0] if line[:1] in tuple("~?!+=") and not line.startswith(("!!", "? ")) and line != "?" else ""
        bare = line[len(mark) :]
        await self.type(bare.replace(MAIN, main))
        text = ""
        if mark != "?":
            text = await self.read({"": PROMPT, "=": HIT, "+": MONITORED}.get(mark, STOPPED))
            if mark in ("~", "=", "+") and differences.begins_with_event(text) and len(_ANY_PROMPT.findall(text)) == 1:
                text += await self.read(_OWN_PROMPT)
        if mark in ("?", "!"):
            text = await self._read_on(text)
        return Answer(bare, text)

    async def begin(self) -> str:
        """Return what is written up to the first stop, all of its prompts included: several threads write them."""
        return await self._read_on(await self.read(STOPPED))

    async def _read_on(self, text: str) -> str:
        """Return the text and what follows it, up to the answer to one more line that is typed; without that answer."""
        await self.type(_SENTINEL)
        text += await self.read(_SENTINEL_ANSWERED)
        return re.sub(rf"{differences.PROMPT}?Unrecognized command: '{_SENTINEL}'.*\n", "", text)

    async def type(self, line: str) -> None:
        """Types a line."""
        await send_line(self.process, line)

    async def read(self, until: re.Pattern[bytes] = PROMPT) -> str:
        """Return what is written up to the pattern, or up to the end."""
        assert self.process.stdout is not None
        got = b""
        with trio.move_on_after(LIMIT):
            while not until.search(got):
                data = await self.process.stdout.receive_some()
                if not data:
                    return got.decode() if self._is_ours else differences.without_failed_reading(got.decode())
                got += data
            return got.decode()
        raise AssertionError(f"waited in vain for {until.pattern!r} after {got.decode()!r}")


@asynccontextmanager
async def drive(
    command: list[str], jvm: Jvm, *, cwd: str | None = None, env: Mapping[str, str] | None = None
) -> AsyncIterator[Driven]:
    """Starts a jdb that launches with the given Java; kills it when the block ends."""
    inherited = {name: value for name, value in os.environ.items() if name != "JAVA_TOOL_OPTIONS"}
    environ = {**inherited, "PYTHONPATH": str(ROOT), "JAVA_HOME": jvm.home, "LC_ALL": "C.UTF-8", "HOME": os.devnull}
    environ.update(env or {})
    async with piped(command, stderr=subprocess.STDOUT, env=environ, cwd=cwd) as process:
        yield Driven(process, is_ours=command[0] == sys.executable)


def _main_thread(answers: Sequence[Answer]) -> str:
    """Return the id of the main thread in the last list of threads."""
    return [found[1] for each in answers if (found := _LISTED_MAIN.search(each.text)) is not None][-1]


async def run_script(command: list[str], jvm: Jvm, script: Iterable[str]) -> Run:
    """Runs a script to its end, then closes the input."""
    async with drive(command, jvm) as driven:
        answers = [Answer("", await driven.read())]
        for line in script:
            if driven.process.returncode is None:
                answers.append(await driven.answer(line, _main_thread(answers) if MAIN in line else ""))
        assert driven.process.stdin is not None
        await driven.process.stdin.aclose()
        rest = await driven.read(re.compile(rb"(?!)"))
        with within(LIMIT):
            return Run(tuple(answers), rest, await driven.process.wait())

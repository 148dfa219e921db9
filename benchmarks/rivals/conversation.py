"""A debugger that is driven as a script would: commands into its standard input, answers out of its output.

Both jdb and jdbpy complain at once, without asking the target, about a word that is no command; that complaint tells
that all before it is done.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from tests.harness.jvms import Jvm
from tests.harness.processes import piped, send_line

PATIENCE = 180.0
"""Seconds that any single answer may take; jdb takes more than two minutes for some over a slow link."""


class Conversation:
    """A running debugger."""

    def __init__(self, process: trio.Process) -> None:
        self._process = process
        self.pid = process.pid
        self._text = ""
        self._asked = 0

    async def until(self, text: str) -> str:
        """Waits until ``text`` has been written; gives all output up to there, and forgets it."""
        assert self._process.stdout is not None
        pieces = [self._text]
        unsearched = self._text
        with trio.fail_after(PATIENCE):
            while text not in unsearched:  # each piece once: long answers come in many, while the clock runs
                data = await self._process.stdout.receive_some()
                if not data:
                    raise RuntimeError(f"the debugger has ended instead of writing {text!r}: {''.join(pieces)}")
                pieces.append(data.decode(errors="replace"))
                unsearched = unsearched[-len(text) :] + pieces[-1]
        before, _, self._text = "".join(pieces).partition(text)
        return before

    async def say(self, command: str) -> None:
        """Gives a command and waits for nothing."""
        await send_line(self._process, command)

    async def leave(self) -> None:
        """Lets the debugger end, and with it the program that it has launched."""
        assert self._process.stdout is not None
        await self.say("quit")
        with trio.fail_after(PATIENCE):
            while await self._process.stdout.receive_some():
                pass

    async def ask(self, command: str) -> str:
        """Gives a command and waits until it is done; returns its output."""
        self._asked += 1
        nonsense = f'"nonsense{self._asked}"'  # for a mere word jdbpy would look for a command like it
        await self.say(f"{command}\n{nonsense}")
        return await self.until(nonsense)


@asynccontextmanager
async def converse(command: Sequence[str], *, java_home: str | None = None) -> AsyncIterator[Conversation]:
    """Runs a debugger; the block's end kills it. ``java_home``: the Java with which it launches targets."""
    env = None if java_home is None else {**os.environ, "JAVA_HOME": java_home}
    async with piped(command, stderr=subprocess.STDOUT, start_new_session=True, env=env) as process:
        yield Conversation(process)


@asynccontextmanager
async def open_jdb(jvm: Jvm, address: str) -> AsyncIterator[Conversation]:
    """The jdb that came with a JDK, attached and at its prompt."""
    async with converse([str(Path(jvm.home, "bin", "jdb")), "-attach", address]) as conversation:
        await conversation.until("> ")
        yield conversation


@asynccontextmanager
async def open_jdbpy(address: str) -> AsyncIterator[Conversation]:
    """jdbpy's command line, attached."""
    async with converse([sys.executable, "-m", "jdbpy", "attach", address, "--keep-going"]) as conversation:
        await conversation.ask("version")
        yield conversation

"""jdbpy at its prompt on a pseudo-terminal, as a person has it."""

from __future__ import annotations

import os
import pty
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from benchmarks.rivals.conversation import PATIENCE

PROMPT = b"\x1b[?2004h"
"""What the prompt sends when it begins to take keys: "mark what is pasted"."""

_LEAVE = "\x04"  # Ctrl-D


class Terminal:
    """The terminal on which jdbpy runs: what a person types, and what is written on it."""

    def __init__(self, stream: trio.lowlevel.FdStream) -> None:
        self._stream = stream
        self._written = b""

    async def until(self, text: bytes) -> None:
        """Waits until ``text`` has been written, and forgets what was written up to there."""
        with trio.fail_after(PATIENCE):
            while text not in self._written:
                self._written += await self._stream.receive_some()
        self._written = self._written.partition(text)[2]

    async def type(self, keys: str) -> None:
        await self._stream.send_all(keys.encode())

    async def run(self, line: str) -> None:
        """Types a line and waits for the next prompt."""
        await self.type(f"{line}\r")
        await self.until(PROMPT)


@asynccontextmanager
async def open_prompt(address: str) -> AsyncIterator[Terminal]:
    """Attaches; the block is entered when the prompt takes keys, and its end leaves the debugger."""
    master, slave = pty.openpty()
    async with trio.lowlevel.FdStream(master) as stream:
        try:
            process = await trio.lowlevel.open_process(
                [sys.executable, "-m", "jdbpy", "attach", address],
                stdin=slave,
                stdout=slave,
                stderr=slave,
                env={**os.environ, "TERM": "xterm-256color"},
                start_new_session=True,
            )
        finally:
            os.close(slave)
        try:
            terminal = Terminal(stream)
            await terminal.until(PROMPT)
            yield terminal
            await terminal.type(_LEAVE)
        finally:
            process.kill()
            with trio.CancelScope(shield=True):
                await process.wait()

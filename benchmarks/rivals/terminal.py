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

_LEAVE = b"\x04"  # Ctrl-D


@asynccontextmanager
async def open_prompt(address: str) -> AsyncIterator[None]:
    """Attaches; the block is entered when the prompt takes keys, and its end leaves the debugger."""
    master, slave = pty.openpty()
    async with trio.lowlevel.FdStream(master) as terminal:
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
            written = b""
            with trio.fail_after(PATIENCE):
                while PROMPT not in written:
                    written += await terminal.receive_some()
            yield
            await terminal.send_all(_LEAVE)
        finally:
            process.kill()
            with trio.CancelScope(shield=True):
                await process.wait()

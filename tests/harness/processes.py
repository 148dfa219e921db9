"""Processes: with pipes, spoken to line by line, none outliving its block; and halted ones."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import trio


def heed_signals() -> None:
    """Let SIGHUP, SIGINT and SIGTERM act again where nohup or a shell's ``&`` ignores them: children inherit that."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


@asynccontextmanager
async def piped(command: Sequence[str], **options: Any) -> AsyncIterator[trio.Process]:
    """Starts a process with pipes for its input and output; it is killed if it still runs when the block ends.

    ``options`` are those of subprocess.Popen.
    """
    process = await trio.lowlevel.open_process(list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
    try:
        yield process
    finally:
        process.kill()
        with trio.CancelScope(shield=True):
            await process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe is not None:
                    await trio.aclose_forcefully(pipe)


async def send_line(process: trio.Process, line: str) -> None:
    """Writes a line to the process's standard input."""
    assert process.stdin is not None
    await process.stdin.send_all(f"{line}\n".encode())


async def halt(pid: int) -> None:
    """Stops a child (SIGSTOP) and waits until it stands: on a busy machine its threads run on for a while."""
    os.kill(pid, signal.SIGSTOP)
    await trio.to_thread.run_sync(os.waitid, os.P_PID, pid, os.WSTOPPED)

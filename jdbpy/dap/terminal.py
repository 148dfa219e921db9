"""A program that the client runs in a terminal for us, and its exit status.

The client starts ``in_terminal``, which starts the program and tells how it has ended. Without a Python to start that
with the client starts the program itself, and the status is not known.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import trio

from jdbpy.dap import in_terminal
from jdbpy.task_groups import open_nursery

_LIMIT = 3.0
"""Seconds until the status of a program that has ended is known."""
_LONGEST = 200


class TerminalProgram:
    """One program; ``on_end`` is told its status as soon as it is known."""

    def __init__(self, port: int, on_end: Callable[[int], None]) -> None:
        self._port = port
        self._on_end = on_end
        self._token = secrets.token_hex(16)
        self._ended = trio.Event()
        self._status: int | None = None
        script = in_terminal.__file__
        self._starter = [sys.executable, "-I", script] if sys.executable and os.path.isfile(script) else []

    def command(self, words: Sequence[str]) -> list[str]:
        """Return the command that the client is to start."""
        return [*self._starter, str(self._port), self._token, *words] if self._starter else list(words)

    async def status(self) -> int | None:
        """Return the exit status of the program, which has ended; None if it does not become known."""
        with trio.move_on_after(_LIMIT if self._starter else 0):
            await self._ended.wait()
        return self._status

    async def take(self, stream: trio.SocketStream) -> None:
        """Take what a connection says."""
        data = b""
        async with stream:
            while b"\n" not in data and len(data) < _LONGEST:
                more = await stream.receive_some(_LONGEST)
                if not more:
                    return
                data += more
        token, _, status = data.decode("latin-1").strip().partition(" ")
        if secrets.compare_digest(token.encode(), self._token.encode()) and status.isdecimal():
            self._status = int(status)
            self._ended.set()
            self._on_end(self._status)


@asynccontextmanager
async def terminal_program(on_end: Callable[[int], None]) -> AsyncIterator[TerminalProgram]:
    """A program whose status is waited for in the block."""
    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with listener, open_nursery() as nursery:
        program = TerminalProgram(listener.socket.getsockname()[1], on_end)
        nursery.start_soon(_accept, listener, program)
        yield program
        nursery.cancel_scope.cancel()


async def _accept(listener: trio.SocketListener, program: TerminalProgram) -> None:
    while True:
        stream = await listener.accept()
        with trio.move_on_after(_LIMIT):
            try:
                await program.take(stream)
            except trio.BrokenResourceError:
                continue

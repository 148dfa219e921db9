"""The process of a JVM of our own: its output, its standard input, its end with its whole process group."""

from __future__ import annotations

import codecs
import os
import signal
from collections.abc import Callable
from contextlib import suppress

import trio

from jdbpy.errors import UsageError
from jdbpy.session.connect.program_output import read_in_order
from jdbpy.session.model.events import Output

DRAIN_LIMIT = 1.0
"""Seconds to wait for the rest of the output of a JVM that has ended: a child of its may hold the pipes open."""

TERMINATE_LIMIT = 2.0
"""Seconds between SIGTERM, which runs the target's shutdown hooks, and SIGKILL."""


class Launched:
    """A target that was started and has connected: ``stream`` is the agent's socket, not yet shaken hands with."""

    def __init__(self, process: trio.Process, arguments: list[str]) -> None:
        self.process = process
        self.arguments = arguments
        self.address = ""
        self.stream: trio.SocketStream
        self._drained = trio.Event()
        self._errors = ""
        self._kept = False

    @property
    def pid(self) -> int:
        return self.process.pid

    async def wait_exit(self) -> int:
        """Wait for the end of the process and of its output; returns the exit status (-9: killed by signal 9)."""
        status = await self.process.wait()
        with trio.move_on_after(DRAIN_LIMIT):
            await self._drained.wait()
        return status

    async def send_input(self, text: str) -> None:
        """Write to the standard input of a target launched with ``stdin="pipe"``; raises UsageError otherwise."""
        if self.process.stdin is None:
            raise UsageError("the target was launched without a pipe to its standard input")
        await self.process.stdin.send_all(text.encode())

    async def close_input(self) -> None:
        """End the standard input of a target launched with ``stdin="pipe"``."""
        if self.process.stdin is not None:
            await self.process.stdin.aclose()

    @property
    def kept(self) -> bool:
        """True if the target runs on when the block is left."""
        return self._kept

    def keep_running(self) -> None:
        """From now on leaving the block does not end the process: it was detached. Its output goes nowhere then."""
        self._kept = True

    async def terminate(self) -> None:
        """End the process with its group: SIGTERM, and SIGKILL after TERMINATE_LIMIT. Cannot be cancelled."""
        if self._kept:
            return
        with trio.CancelScope(shield=True):
            await self.end(TERMINATE_LIMIT)

    def ask_to_end(self) -> None:
        """Send SIGTERM to the process group, if the process has not ended."""
        if self.process.returncode is None:
            self._signal(signal.SIGTERM)

    async def end(self, grace: float) -> None:
        """Send SIGTERM to the process group, and SIGKILL after that many seconds; returns when the process has
        ended."""
        self.ask_to_end()
        if self.process.returncode is None:
            with trio.move_on_after(grace):
                await self.process.wait()
        if self.process.returncode is None:
            self._signal(signal.SIGKILL)
            await self.process.wait()

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)  # start_new_session made it the leader of its group

    async def read_output(self, on_output: Callable[[Output], None]) -> None:
        """Hand on what the process writes, until it has closed both pipes; nothing, if it has a terminal of its own."""
        if self.process.stdout is None or self.process.stderr is None:
            self._drained.set()
            return
        decoders = {name: codecs.getincrementaldecoder("utf-8")("replace") for name in ("stdout", "stderr")}

        def take(name: str, data: bytes) -> None:
            if text := decoders[name].decode(data, final=not data):
                self._hand_on(name, text, on_output)

        await read_in_order({"stdout": self.process.stdout, "stderr": self.process.stderr}, take)
        self._drained.set()

    def _hand_on(self, name: str, text: str, on_output: Callable[[Output], None]) -> None:
        if len(self._errors) < 4000:  # for the message, should the JVM not come up; java prints some faults to stdout
            self._errors += text
        on_output(Output(name, text))

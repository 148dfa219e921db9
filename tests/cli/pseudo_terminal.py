"""jdbpy on a pseudo-terminal, as a person would use it: keys in, what is on the screen out, and the modes afterwards.

Waits are for what is on the screen, and bounded; nothing sleeps.
"""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import trio

from tests.cli.screen import Screen
from tests.harness import LIMIT

ROOT = Path(__file__).parents[2]

COLOR = re.compile(r"\x1b\[(?:[0-9;]*;)?(?:3[0-7]|4[0-7]|9[0-7]|10[0-7]|[34]8;)[0-9;]*m")

_OWN_TERMINAL = """\
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Makes the terminal the controlling one, so that Ctrl-C is a signal to the child and nobody else."""


class PseudoTerminal:
    """A running jdbpy and the terminal that it runs on. ``sent`` is all that it wrote, escape codes included."""

    def __init__(self, process: subprocess.Popen[bytes], master: int, slave: int, screen: Screen) -> None:
        self.process = process
        self.screen = screen
        self.sent = ""
        self.modes_before = termios.tcgetattr(slave)
        self._master = master
        self._slave = slave
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._seen = 0  # characters of the screen's text that an earlier expect() has consumed

    @property
    def modes(self) -> list[Any]:
        """The terminal's modes now, as ``termios`` has them."""
        return termios.tcgetattr(self._slave)

    async def expect(self, *wanted: str) -> str:
        """Waits until all of ``wanted`` are on the screen, in that order, after what was expected before.

        Returns the text from there to their end.
        """
        begin = self._seen
        for piece in wanted:
            await self.wait_until(lambda piece=piece: piece in self.screen.text[self._seen :], repr(piece))  # type: ignore[misc]
            self._seen = self.screen.text.index(piece, self._seen) + len(piece)
        return self.screen.text[begin : self._seen]

    async def prompt(self, line: str) -> None:
        """Waits until the cursor stands on ``line``: the prompt and what is typed there."""
        await self.wait_until(lambda: self.screen.cursor_line == line, f"the cursor on {line!r}")

    def type(self, keys: str) -> None:
        """Presses keys; Enter is ``\\r``, Ctrl-C ``\\x03``, Ctrl-D ``\\x04``."""
        os.write(self._master, keys.encode())

    async def run(self, line: str, *wanted: str, then: str) -> str:
        """Types a line and waits for its echo, for ``wanted`` on the screen, and for the prompt ``then``."""
        self.type(line)
        await self.wait_until(lambda: self.screen.cursor_line.endswith(line), f"the echo of {line!r}")
        self.type("\r")
        shown = await self.expect(line, *wanted)
        await self.prompt(then)
        return shown

    def signal(self, number: int) -> None:
        """Sends a signal to jdbpy alone."""
        self.process.send_signal(number)

    def resize(self, columns: int, lines: int) -> None:
        """Gives the window another size, as a window manager would."""
        self.screen.resize(columns, lines)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def hang_up(self) -> None:
        """Takes the terminal away, as a lost ssh connection does."""
        os.close(self._slave)
        os.close(self._master)
        self._master = self._slave = -1

    async def wait_exit(self) -> int:
        """Waits until jdbpy has ended; returns its exit status. Its last words are on the screen then."""
        async with trio.open_nursery() as nursery:
            if self._master >= 0:
                nursery.start_soon(self._read_on)
            with trio.move_on_after(LIMIT):
                while self.process.poll() is None:
                    await trio.to_thread.run_sync(self._wait_a_little)
            nursery.cancel_scope.cancel()
        assert self.process.returncode is not None, f"jdbpy did not end:\n{self.screen.text}"
        if self._master >= 0:
            self._drain()
        return self.process.returncode

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for handle in (self._master, self._slave):
            if handle >= 0:
                os.close(handle)

    def _wait_a_little(self) -> None:
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(0.2)

    async def wait_until(self, done: Callable[[], bool], what: str) -> None:
        """Waits until ``done``, looking whenever something was written; ``what`` is named when it never is.

        It looks now and then besides: the modes of a terminal change without a word.
        """
        with trio.move_on_after(LIMIT):
            while not done():
                with trio.move_on_after(0.2):
                    await self._read()
        assert done(), f"waited in vain for {what}; on the screen:\n{self.screen.text}"

    async def _read(self) -> None:
        await trio.lowlevel.wait_readable(self._master)
        self._take()

    async def _read_on(self) -> None:
        while True:
            await self._read()

    def _take(self) -> None:
        text = self._decoder.decode(os.read(self._master, 65536))
        self.sent += text
        self.screen.feed(text)

    def _drain(self) -> None:
        os.set_blocking(self._master, False)
        try:
            while True:
                self._take()
        except BlockingIOError:
            os.set_blocking(self._master, True)


@asynccontextmanager
async def open_terminal(
    arguments: Sequence[str],
    home: Path,
    *,
    columns: int = 100,
    lines: int = 40,
    environ: Mapping[str, str] | None = None,
    shell: str = '"$@"',
    where: Path | None = None,
    screen: Callable[[int, int], Any] = Screen,
) -> AsyncIterator[PseudoTerminal]:
    """Runs ``jdbpy ARGUMENTS`` on a terminal of that size, with ``home`` as the home directory; ends it at the end.

    ``where`` is the working directory, by default ``home``. ``shell`` is a line for sh in which ``"$@"`` runs jdbpy.
    ``screen`` makes the model of the screen.
    """
    around = [] if shell == '"$@"' else ["/bin/sh", "-c", shell, "sh"]
    master, slave = pty.openpty()
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    inherited = {key: os.environ[key] for key in ("PATH", "JAVA_HOME", "LANG") if key in os.environ}
    process = subprocess.Popen(  # noqa: ASYNC220  (its end is waited for in a thread)
        [sys.executable, "-c", _OWN_TERMINAL, *around, sys.executable, "-m", "jdbpy", *arguments],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={
            **inherited,
            "HOME": str(home),
            "TERM": "xterm-256color",
            "PYTHONPATH": str(ROOT),
            "PYTHONWARNINGS": "error",
            **(environ or {}),
        },
        cwd=where or home,
    )
    terminal = PseudoTerminal(process, master, slave, screen(columns, lines))
    try:
        yield terminal
    finally:
        terminal.close()

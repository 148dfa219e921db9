"""The one way to the screen while the REPL runs.

Owns the order of everything that is shown: results, events, output of the target. Gathers what comes within a few
hundredths of a second, because each print above a live prompt costs an erase and a redraw (2,000 lines at once: 35 ms;
one by one: 4 s). It decides nothing about the look; the text it gets is safe to print.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

import trio

GATHER = 0.030
"""Seconds for which text is gathered above a live prompt: short for an eye, long for a flood."""

LIMIT = 512 * 1024
"""Characters that may wait for a slow terminal before ``room()`` blocks."""


class Surface(Protocol):
    """The surface that the sink writes on."""

    @property
    def prompting(self) -> bool:
        """True if a prompt is on the screen, which every print must erase and draw again."""

    async def show(self, text: str) -> None:
        """Put text on the screen, above the prompt if there is one; return when the terminal has taken it."""


class Sink:
    """Takes text from any task, in order, and shows it; ``run()`` must be running in a task of its own."""

    def __init__(self, surface: Surface, *, gather: float = GATHER, limit: int = LIMIT) -> None:
        self._surface = surface
        self._gather = gather
        self._limit = limit
        self.written = 0
        """How often something was written: what is shown in place stands at the end of it, or not."""
        self._waiting: list[str] = []
        self._size = 0
        self._showing = False
        self._hurry = trio.Event()
        self._filled = trio.Event()
        self._emptied = trio.Event()
        self._screen = trio.Lock()

    def write(self, text: str) -> None:
        """Append text, which becomes whole lines: a missing last newline is added. Never waits."""
        if not text:
            return
        self._waiting.append(text if text.endswith("\n") else text + "\n")
        self._size += len(text)
        self.written += 1
        self._filled.set()

    async def room(self) -> None:
        """Wait until the terminal has taken enough: a brake for writers faster than it can show."""
        while self._size > self._limit:
            await self._emptied.wait()

    async def flush(self) -> None:
        """Wait until everything written so far is on the screen; do not wait for the time of gathering."""
        while self._waiting or self._showing:
            self._hurry.set()
            await self._emptied.wait()

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """The screen belongs to a pager within the block; what is written meanwhile is shown afterwards."""
        await self.flush()
        async with self._screen:
            yield

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Show what is written, until cancelled. Errors of the terminal (a hang-up is OSError) end it."""
        task_status.started()
        while True:
            await self._filled.wait()
            if self._surface.prompting:
                with trio.move_on_after(self._gather):
                    await self._hurry.wait()
            async with self._screen:
                self._showing = True
                text, self._size = "".join(self._waiting), 0
                self._waiting.clear()
                self._filled = trio.Event()
                self._hurry = trio.Event()
                await self._surface.show(text)
                self._showing = False
            self._emptied.set()
            self._emptied = trio.Event()


class LineGatherer:
    """Collects what a launched target writes and gives it back in whole lines.

    A prompt is redrawn below every print, so text without a newline would be cut in two by it. Each stream keeps its
    unfinished line until the rest arrives; ``rest()`` gives up waiting (the caller decides when, and shows it as a
    line of its own). Nothing is lost or reordered within a stream. ``\\r\\n`` is one newline, also when the two come
    in different pieces; ``\\r`` alone, with which a progress bar writes over itself, ends a line as well.
    """

    def __init__(self, longest: int = 4096) -> None:
        """``longest`` bounds an unfinished line, in characters: a target that never ends its line is shown anyway."""
        self._longest = longest
        self._open: dict[str, str] = {}

    @property
    def pending(self) -> bool:
        """True if some stream has an unfinished line."""
        return bool(self._open)

    def feed(self, stream: str, text: str) -> list[str]:
        """Return the lines of ``stream`` that are whole after ``text``, without their newlines."""
        text = self._open.pop(stream, "") + text
        held = text[-1:] if text.endswith("\r") else ""  # perhaps the first half of \r\n
        text = text.removesuffix("\r").replace("\r\n", "\n").replace("\r", "\n")
        *lines, rest = text.split("\n")
        while len(rest) > self._longest:
            lines.append(rest[: self._longest])
            rest = rest[self._longest :]
        if rest or held:
            self._open[stream] = rest + held
        return lines

    def rest(self) -> list[tuple[str, str]]:
        """Return the unfinished lines as (stream, text), which from now on count as whole."""
        rest = [(stream, text.removesuffix("\r")) for stream, text in self._open.items()]
        self._open.clear()
        return rest

"""The prompt without line editing: for TERM=dumb, Emacs' shell buffers, output that goes to a file.

Owns the same promises as ``prompt_line`` with no escape code at all: the terminal's own line editing is used, events
come on lines of their own, and the prompt is written again below them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TextIO

import trio

from jdbpy.cli.repl.prompt_state import PromptState, prompt_text
from jdbpy.cli.repl.terminal import size

COLUMNS = 80
"""Width for which the prompt is made: nobody knows the real one."""


class PlainPrompt:
    """Lines from a person at a terminal that knows nothing but text."""

    def __init__(self, stdin: TextIO, stdout: TextIO) -> None:
        self._input = stdin.fileno()
        self._output = stdout
        self._state = PromptState()
        self._asking: Callable[[], str] | None = None  # the prompt that is open now
        self._typed = b""

    @property
    def pages(self) -> bool:
        """True if long text goes through a pager: such a terminal scrolls for itself, or is a log."""
        return False

    @property
    def completes(self) -> bool:
        """True if names are completed: a terminal without line editing passes no Tab on."""
        return False

    @property
    def prompting(self) -> bool:
        return self._asking is not None

    def update(self, state: PromptState) -> None:
        """Take another state, which the next prompt shows."""
        self._state = state

    def redraw(self) -> None:
        """Does nothing: what is written stays as it is."""

    async def read_line(self) -> str:
        """Return the next line; raises EOFError at Ctrl-D and when the terminal is gone."""
        return await self._read(lambda: prompt_text(self._state, COLUMNS))

    async def ask(self, question: str) -> str:
        """Return the answer to a question; "" at Ctrl-D."""
        try:
            return await self._read(lambda: question)
        except EOFError:
            return ""

    def size(self) -> tuple[int, int]:
        """Columns and lines of the window, as far as anything is known of it."""
        return size()

    async def page(self, parts: Iterable[str]) -> None:
        """Write a long text as it is: it is not asked for here."""
        for part in parts:
            await self.show(part)

    async def show(self, text: str) -> None:
        """Write text; below it the prompt again, if one is open."""
        if self._asking is not None:
            text = f"\n{text}{self._asking()}"
        await trio.to_thread.run_sync(self._write, text)

    async def _read(self, prompt: Callable[[], str]) -> str:
        await trio.to_thread.run_sync(self._write, prompt())
        self._asking = prompt
        try:
            while b"\n" not in self._typed:
                await trio.lowlevel.wait_readable(self._input)
                try:
                    piece = os.read(self._input, 4096)
                except OSError as error:  # EIO: the terminal is gone
                    raise EOFError from error
                if not piece:
                    await trio.to_thread.run_sync(self._write, "\n")
                    raise EOFError
                self._typed += piece
        finally:
            self._asking = None
        line, _, self._typed = self._typed.partition(b"\n")
        return line.decode("utf-8", "replace").removesuffix("\r")

    def _write(self, text: str) -> None:
        self._output.write(text)
        self._output.flush()

"""The output at the prompt: outcomes that fit are written at once, those taller than the screen wait for the pager.

Owns the renderer and the rule of what waits. The order on the screen is the sink's; when it is time to page says the
conversation.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import chain
from typing import Protocol

from jdbpy.cli.output.plain import PlainRenderer
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.output.shows import shown
from jdbpy.cli.repl.prompt_state import PromptState
from jdbpy.cli.repl.sink import Sink, Surface
from jdbpy.cli.repl.terminal import fitting, rows
from jdbpy.record import Record


class Prompt(Surface, Protocol):
    """The source of lines."""

    @property
    def pages(self) -> bool: ...

    @property
    def completes(self) -> bool: ...

    def update(self, state: PromptState) -> None: ...

    def redraw(self) -> None: ...

    async def read_line(self) -> str: ...

    async def ask(self, question: str) -> str: ...

    def size(self) -> tuple[int, int]: ...

    async def page(self, parts: Iterable[str]) -> None: ...


class Screen:
    """The outcomes of one conversation on their way to the terminal."""

    def __init__(self, prompt: Prompt, sink: Sink, make_renderer: Callable[[], PlainRenderer]) -> None:
        self.long: list[Iterable[str]] = []
        """Outcomes that wait for ``page``: one that is taller than the screen, and those behind it."""
        self._prompt = prompt
        self._sink = sink
        self._make_renderer = make_renderer
        self._in_place: tuple[int, int] | None = None  # rows that are to be written over, and what the sink had then

    @cached_property
    def renderer(self) -> PlainRenderer:
        """Made when the first thing is to be shown: the prompt need not wait for it."""
        return self._make_renderer()

    def show(self, outcome: Outcome, *, at_once: bool) -> None:
        """Show an outcome now if it fits on the screen, and nothing long waits before it.

        ``at_once``: it comes of what is run by itself at a stop; the user has not asked for it.
        """
        error = outcome.error is not None
        parts = iter([self.renderer.error(outcome)]) if error else self.renderer.parts(outcome)
        columns, lines = self._prompt.size()
        text = fitting(parts, columns, lines - 1) if self._prompt.pages and not at_once else "".join(parts)
        if isinstance(text, str) and (not self.long or at_once):
            self._sink.write(self._back() + text)
        else:
            self.long.append([text] if isinstance(text, str) else text)

    def show_in_place(self, result: Record) -> None:
        """Show a result over the one that was shown so last, if that is still at the end of the screen. It must fit:
        what is too tall is cut.
        """
        columns, lines = self._prompt.size()
        text = "".join(self.renderer.text_of(shown(result, self.renderer.settings)))
        kept, height = "", 0
        for line in text.splitlines(keepends=True):
            height += rows(line.rstrip("\n"), columns)
            if height >= lines:
                break
            kept += line
        height = sum(rows(line, columns) for line in kept.split("\n")[:-1])
        self._sink.write(self._back() + kept)
        self._in_place = height, self._sink.written

    def _back(self) -> str:
        """Return what leads back to the begin of what was shown in place, and erases it; "" if there is none there."""
        there, self._in_place = self._in_place, None
        return f"\x1b[{there[0]}A\r\x1b[J" if there is not None and there[1] == self._sink.written else ""

    async def page(self) -> None:
        """Let the user read what is long."""
        async with self._sink.held():
            await self._prompt.page(chain.from_iterable(self.long))

    def fault(self) -> None:
        """Show the exception that is being handled, one that is no error of jdbpy's own."""
        self._sink.write(fault_text())


def fault_text() -> str:
    """Return what to say of an exception that is no error of jdbpy's own."""
    return f"internal error, please report it:\n{traceback.format_exc()}"

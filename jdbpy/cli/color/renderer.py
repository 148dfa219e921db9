"""The renderer of the interactive terminal: the plain renderer's text in colors, and tables that fit the window.

Owns the choice per type of result: a table, source code, or the plain lines with colors laid over them. It words
nothing itself, so that what a person reads is what a log would say.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from rich.console import Console, RenderableType
from rich.highlighter import Highlighter
from rich.text import Text

from jdbpy import ClassDetail, Event, Exited, Gone, Lost, Output, Stop, locks
from jdbpy.cli import results
from jdbpy.cli.color import look
from jdbpy.cli.color.source import source_texts
from jdbpy.cli.plain.events import event_lines
from jdbpy.cli.plain.renderer import PlainRenderer, lines_of, some_at_a_time
from jdbpy.cli.renderer import Outcome
from jdbpy.cli.repl.terminal import size
from jdbpy.cli.results.code import Disassemblies
from jdbpy.cli.results.threads import FoldedStacks
from jdbpy.cli.results.values import Examined, NamedValues
from jdbpy.cli.settings import Settings
from jdbpy.record import Record

_LOOKS: dict[type, Highlighter] = {
    ClassDetail: look.Members(),
    Disassemblies: look.Code(),
    results.Assigned: look.Values(),
    results.Classes: look.Classes(),
    results.Displayed: look.Values(),
    NamedValues: look.Declared(),
    Examined: look.Bytes(),
    results.Fields: look.Members(),
    results.FrameSelected: look.Frames(),
    FoldedStacks: look.Frames(),
    locks.DeadlockReport: look.Locks(),
    locks.LockState: look.Locks(),
    locks.LocksReport: look.Locks(),
    results.HelpPage: look.Help(),
    results.HelpTopic: look.Help(),
    results.Methods: look.Members(),
    results.Printed: look.Values(),
    results.Stack: look.Frames(),
    results.Stacks: look.Frames(),
    results.ThreadGroups: look.Frames(),
    results.ThreadSelected: look.Frames(),
}
"""What is laid over the lines of a result; sentences otherwise."""


@cache
def drawn() -> Mapping[type, Callable[[Any, int], Iterator[RenderableType]]]:
    """How results are drawn that are tables; loaded when there is a result, which at a stop there is not."""
    from jdbpy.cli.color.tables import TABLES
    from jdbpy.cli.color.vm import VM_TABLES

    return {**TABLES, **VM_TABLES}


_TRAILING = re.compile(r"(?: |\x1b\[[0-9;]*m)+$", re.MULTILINE)
"""Blanks with which tables fill their last column, with the color codes among them."""


class RichRenderer(PlainRenderer):
    """Implements ``Renderer`` for a terminal with colors; measures the window each time."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._console = Console(
            file=io.StringIO(), force_terminal=True, color_system="standard", highlight=False, markup=False, emoji=False
        )

    def parts(self, outcome: Outcome) -> Iterator[str]:
        """The result in pieces, drawn while they are asked for."""
        result = outcome.result
        if type(result) in drawn():
            for each in drawn()[type(result)](result, size()[0]):
                yield self._draw([each])
        elif isinstance(result, results.Listing):
            yield self._draw(source_texts(result.window))
        elif isinstance(result, results.FrameSelected | results.ThreadSelected) and result.source is not None:
            yield from self._lines(result.replace(source=None))
            yield self._draw(source_texts(result.source))
        elif result is not None:
            yield from self._lines(result)

    def error(self, outcome: Outcome) -> str:
        return self._draw(look.Errors()(line) for line in super().error(outcome).splitlines())

    def event(self, event: Event) -> str:
        if isinstance(event, Output):
            return event.text
        texts: list[Text] = []
        if isinstance(event, Stop):
            texts += [look.Stops()(line) for line in event_lines(event.replace(source=None))]
            texts += source_texts(event.source) if event.source is not None else []
            texts += [look.styled(hint, "faint") for hint in self.hints(event)]
        else:
            style = "title" if isinstance(event, Exited | Gone | Lost) else "plain"
            texts += [look.styled(line, style) for line in event_lines(event)]
        return self._draw(texts)

    def displays(self, displayed: results.Displayed) -> str:
        return self._draw(look.Values()(line) for line in super().displays(displayed).splitlines())

    def _lines(self, result: Record) -> Iterator[str]:
        """The plain lines with the colors for that type of result."""
        highlighter = _LOOKS.get(type(result), look.Sentences())
        for some in some_at_a_time(lines_of(result, self.settings)):
            yield self._draw(highlighter(line) for line in some)

    def _draw(self, drawn: Iterable[RenderableType]) -> str:
        """Text for the terminal. Lines are not broken: the terminal does that, and then they can be copied whole."""
        console = self._console
        console.width = size()[0]
        with console.capture() as capture:
            for one in drawn:
                console.print(one, soft_wrap=isinstance(one, Text))
        return _TRAILING.sub(lambda match: match[0].replace(" ", ""), capture.get())

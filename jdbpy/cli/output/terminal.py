"""The writer of the interactive terminal: pieces in their colors, tables that fit the window, source with highlights.

Owns how pieces become text with color codes. It words nothing itself, so that a person reads what a log would say.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.style import Style
from rich.text import Text

from jdbpy import Event, Stopped
from jdbpy.cli.output.columns import GAP, broken, cut, fit, with_packages
from jdbpy.cli.output.pieces import (
    STYLES,
    CodePieces,
    CutPieces,
    Line,
    LinePieces,
    Pieces,
    RowPieces,
    Sentence,
    Shown,
    TablePieces,
    aligned,
    escaped,
)
from jdbpy.cli.output.plain import PlainRenderer, stale
from jdbpy.cli.repl.terminal import size, wants_links
from jdbpy.cli.settings import Settings

LINES = 100
"""Lines, or rows of a table, that are drawn at a time: a long result can be read before all of it is drawn."""

_TRAILING = re.compile(r"(?: |\x1b\[[0-9;]*m)+$", re.MULTILINE)
"""Blanks with which tables fill their last column, with the color codes among them."""


class RichRenderer(PlainRenderer):
    """Implements ``Renderer`` for a terminal with colors. ``table_columns`` gives the width of tables at each time,
    where there is no window too."""

    def __init__(
        self,
        settings: Settings,
        columns: Callable[[], int | None] = lambda: None,
        table_columns: Callable[[], int] = lambda: size()[0],
    ) -> None:
        super().__init__(settings, columns)
        self._table_columns = table_columns
        self._console = Console(
            file=io.StringIO(), force_terminal=True, color_system="standard", highlight=False, markup=False, emoji=False
        )

    def event(self, event: Event, jvm: str = "", stays: str = "") -> str:
        text = super().event(event, jvm, stays)
        if not isinstance(event, Stopped) or self.settings.on_screen:
            return text
        return linked(text, event) if wants_links(self.settings["links"], sys.stdout) else text

    def text_of(self, shown: Shown) -> Iterator[str]:
        columns, width = self._columns(), self._table_columns()
        shown = with_packages(shown, self.settings["packages"])
        lines: list[RenderableType] = []
        for each in (drawn for some in shown for drawn in _drawn(some, columns, width)):
            lines.append(each)
            if len(lines) == LINES or not isinstance(each, Text):
                yield self._draw(lines, width)
                lines.clear()
        if lines:
            yield self._draw(lines, width)

    def _draw(self, drawn: Iterable[RenderableType], width: int) -> str:
        """Text for the terminal. Lines of data are not broken: the terminal does that, and they can be copied whole."""
        console = self._console
        console.width = width
        with console.capture() as capture:
            for one in drawn:
                console.print(one, soft_wrap=isinstance(one, Text))
        return _TRAILING.sub(lambda match: match[0].replace(" ", ""), capture.get())


def linked(text: str, stop: Stopped) -> str:
    """Return the text of a stop with its file as a link (OSC 8), if that is a file of this machine."""
    at, window = stop.location, stop.source
    if at is None or window is None or not os.path.isfile(window.path):
        return text
    from socket import gethostname  # most terminals are not known to have links
    from urllib.parse import quote

    place = f"{at.source}:{at.line}"
    to = f"file://{gethostname()}{quote(os.path.abspath(window.path))}"
    return text.replace(place, f"\x1b]8;;{to}\x1b\\{place}\x1b]8;;\x1b\\", 1)


def styled(line: Line) -> Text:
    """Return a line as rich draws it."""
    text = Text()
    for words, style in escaped(line):
        text.append(words, _STYLES[style])
    return text


_STYLES = {name: Style.parse(style) for name, style in STYLES.items()}


def _drawn(
    shown: Line | Sentence | CutPieces | LinePieces | RowPieces | TablePieces | CodePieces,
    columns: int | None,
    width: int,
) -> Iterator[RenderableType]:
    if isinstance(shown, str | Pieces):
        yield styled(shown)
    elif isinstance(shown, Sentence):
        yield from map(styled, broken(shown, columns))
    elif isinstance(shown, CutPieces):
        yield styled(cut(shown, columns))
    elif isinstance(shown, CodePieces):
        from jdbpy.cli.output.source import source_texts  # which brings the lexers

        yield from source_texts(shown.window, columns)
        if shown.window.stale:
            yield styled(stale(shown.window))
    elif isinstance(shown, LinePieces):
        yield from map(styled, shown.lines)
    elif isinstance(shown, RowPieces):
        yield from map(styled, aligned(shown))
    else:
        yield from _table(shown, width)


def _table(shown: TablePieces, width: int) -> Iterator[RenderableType]:
    """Yield a table, some rows at a time."""
    from rich.table import Table  # most results have none

    columns, cells = shown.columns, [list(map(styled, row)) for row in shown.rows]
    if not cells:
        return
    natural = [max(cell_len(cell.plain) for cell in column) for column in zip(*cells, strict=True)]
    if shown.titles:
        natural = [
            max(needed, len(column.title)) if needed else 0 for needed, column in zip(natural, columns, strict=True)
        ]
    fitted = fit(columns, natural, width)
    for first in range(0, len(cells), LINES):
        table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, show_header=shown.titles and not first)
        for place in fitted:
            column = columns[place.index]
            table.add_column(
                column.title,
                header_style=STYLES["faint"],
                style=STYLES[column.style],
                width=place.width,
                justify="right" if column.right else "left",
                overflow="fold" if column.fold else "ellipsis",
                no_wrap=not column.fold,
            )
        for row in cells[first : first + LINES]:
            table.add_row(*(row[place.index] for place in fitted))
        yield table

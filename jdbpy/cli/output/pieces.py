"""The pieces of shown results: pieces of text with a style, lines of them, sentences, rows, tables, source code.

Owns the forms and the names of styles. A function that shows a result makes these; a writer (``plain``, ``terminal``)
turns them into text. Text is escaped for the writers, by ``escaped`` and ``plain_text``, and nowhere before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from jdbpy import SourceWindow
from jdbpy.escape import escape
from jdbpy.record import Record

STYLES = {
    "plain": "",
    "title": "bold",
    "heading": "bold underline",
    "faint": "dim",
    "package": "dim",
    "marker": "bold green",
    "error": "bold red",
    "number": "cyan",
    "string": "green",
    "name": "bold",
    "type": "cyan",
    "word": "magenta",
    "changed": "bold magenta",
}
"""The styles, as rich spells them.

Only normal colors of the terminal's own palette that are dark enough for a light background and light enough for a dark
one (red, green, magenta, cyan), and bold and faint, which fit both.
"""


class Pieces:
    """A line, or a part of one: pieces of text, each with the name of its style. ``+`` joins them, and plain text."""

    __slots__ = ("pieces",)

    def __init__(self, pieces: tuple[tuple[str, str], ...] = ()) -> None:
        self.pieces = pieces

    def __add__(self, other: Pieces | str) -> Pieces:
        return Pieces(self.pieces + _pieces(other))

    def __radd__(self, other: str) -> Pieces:
        return Pieces(_pieces(other) + self.pieces)

    def __bool__(self) -> bool:
        return any(text for text, _ in self.pieces)

    @property
    def text(self) -> str:
        """Return the text without styles, not escaped."""
        return "".join([text for text, _ in self.pieces])


Line = Pieces | str
"""A line of output, or a cell of a row; a string has the plain style."""


class Sentence(Record):
    """A line in words, which a writer breaks between words where its window is too narrow.

    ``indent`` comes before each line but the first. ``most``: columns at which it is broken also where the window is
    wider, or there is none.
    """

    line: Line
    indent: str = "  "
    most: int | None = None


class CutPieces(Record):
    """A line that is shown in one row: where a window is too narrow, packages are abbreviated, then the end is cut."""

    line: Line


class RowPieces(Record):
    """Rows of cells in columns that are as wide as they need, in every writer. ``indent``: blanks before each row."""

    rows: Iterable[Sequence[Line]]
    indent: str = ""


class Column(Record):
    """A column of a table. ``least`` is the width below which its text becomes useless.

    ``drop`` says which is left out first when there is no room for that: the highest, and 0 never; a ``spare`` one is
    left out before any other gets narrower than its text. ``fold``: what does not fit goes on below, otherwise it is
    cut.
    """

    title: str
    style: str = "plain"
    least: int = 4
    drop: int = 0
    spare: bool = False
    fold: bool = False
    right: bool = False


class TablePieces(Record):
    """A table that a terminal fits into its window; pipes get its rows, or ``plain`` where they are to differ."""

    columns: Sequence[Column]
    rows: Iterable[Sequence[Line]]
    titles: bool = True
    plain: Iterable[Line] | RowPieces | None = None


class LinePieces(Record):
    """A list of lines so long that pieces of each would cost more than the rest: ``plain`` has the same as text."""

    lines: Iterable[Line]
    plain: Iterable[str]


class CodePieces(Record):
    """Lines of source with their numbers, ``=>`` before the current one; each in one row, cut by a narrow window."""

    window: SourceWindow


Shown = Iterator[Line | Sentence | CutPieces | LinePieces | RowPieces | TablePieces | CodePieces]
"""The pieces that a function which shows a result yields; a long result is shown while it is made."""


def piece(text: str, style: str) -> Pieces:
    """Return a text in a style."""
    return Pieces(((text, style),))


def name(text: str) -> Pieces:
    """Return what stands out: a name."""
    return piece(text, "name")


def title(text: str) -> Pieces:
    """Return what a line is about."""
    return piece(text, "title")


def faint(text: str) -> Pieces:
    """Return what stands back: packages, remarks."""
    return piece(text, "faint")


def package(name: str) -> Pieces:
    """Return the package of a name, with its dot: ``com.acme.``; a narrow window abbreviates it."""
    return piece(name, "package")


def number(value: object) -> Pieces:
    """Return a number in its color."""
    return piece(str(value), "number")


def remark(text: str) -> Sentence:
    """Return ``  (text)``, a sentence below what it is about."""
    return Sentence(piece(f"  ({text})", "faint"), "    ")


def behind(begin: Pieces, line: Line | Sentence | CutPieces) -> Pieces | Sentence | CutPieces:
    """Return a line or a sentence with ``begin`` before it."""
    return line.replace(line=begin + line.line) if isinstance(line, Sentence | CutPieces) else begin + line


def joined(separator: str, parts: Iterable[Line]) -> Pieces:
    """Return lines as one, with a separator between them."""
    found: list[tuple[str, str]] = []
    for index, part in enumerate(parts):
        if index:
            found.append((separator, "plain"))
        found += _pieces(part)
    return Pieces(tuple(found))


def some(names: Sequence[str], most: int = 10) -> str:
    """``a, b and 7 more``: the first of many names."""
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def count(number: int, noun: str, plural: str = "") -> str:
    """``1 thread``, ``3 threads``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def nearest(window: SourceWindow, count: int) -> SourceWindow:
    """Return a window with at most ``count`` lines, those around the current one; the last ones where none is."""
    lines = window.lines
    if len(lines) <= count:
        return window
    numbers = [number for number, _ in lines]
    at = numbers.index(window.current) if window.current in numbers else len(lines) - 1
    first = max(0, min(at - count // 2, len(lines) - count))
    return window.replace(lines=lines[first : first + count])


def like(pattern: str) -> str:
    """`` like PATTERN`` for a count of what fits a pattern; nothing without one."""
    return f" like {pattern}" if pattern else ""


def escaped(line: Line) -> Iterator[tuple[str, str]]:
    """Yield the pieces of a line, safe for any terminal. Text of the target is escaped here and in ``plain_text``."""
    for text, style in _pieces(line):
        yield escape(text), style


def plain_text(line: Line) -> str:
    """Return a line as text without styles, escaped at once: characters are escaped one by one."""
    return escape(line if isinstance(line, str) else line.text)


def aligned(rows: RowPieces) -> Iterator[Pieces]:
    """Yield each row as a line; the last cell is not filled up."""
    cells = [[tuple(escaped(cell)) for cell in row] for row in rows.rows]
    sizes = [[_width(cell) for cell in row] for row in cells]
    widths = [max(column) for column in zip(*sizes, strict=True)]
    for row, size in zip(cells, sizes, strict=True):
        line: list[tuple[str, str]] = [(rows.indent, "plain")]
        last = max((index for index, own in enumerate(size) if own), default=-1)
        for cell, own, width in zip(row[: last + 1], size, widths, strict=False):
            line += (*cell, (" " * (width - own + 2), "plain"))
        yield Pieces(tuple(line[:-1] if last >= 0 else ()))


def _pieces(line: Line) -> tuple[tuple[str, str], ...]:
    return ((line, "plain"),) if isinstance(line, str) else line.pieces


def _width(cell: Sequence[tuple[str, str]]) -> int:
    return len(cell[0][0]) if len(cell) == 1 else sum(len(text) for text, _ in cell)

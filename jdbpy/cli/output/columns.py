"""Narrow windows: which columns of a table are shown, and how wide; sentences that are broken between words; lines that
are abbreviated and cut."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from textwrap import TextWrapper

from jdbpy.cli.output.pieces import (
    Column,
    CutPieces,
    Line,
    LinePieces,
    Pieces,
    RowPieces,
    Sentence,
    Shown,
    TablePieces,
    escaped,
)
from jdbpy.record import Record

GAP = 2
"""Blanks between two columns."""

_NARROWEST = 20
"""Columns that each window is taken to have: in fewer, hardly a word would stand in a line."""


class Fitted(Record):
    """A column that is shown: its ``index`` among all, and its ``width``."""

    index: int
    width: int


def fit(columns: Sequence[Column], natural: Sequence[int], width: int) -> list[Fitted]:
    """Return the columns to show in ``width`` when their texts are ``natural`` wide; a column without text is left
    out."""
    shown = [index for index, needed in enumerate(natural) if needed]
    least = [min(needed, column.least) for column, needed in zip(columns, natural, strict=True)]

    def total(widths: Sequence[int]) -> int:
        return sum(widths[index] for index in shown) + GAP * (len(shown) - 1)

    if total(natural) > width:
        shown = [index for index in shown if not columns[index].spare]
    while total(least) > width:
        droppable = [index for index in shown if columns[index].drop]
        if not droppable:
            break
        shown.remove(max(droppable, key=lambda index: columns[index].drop))
    widths = list(natural)
    for floor in (least, [1] * len(columns)):
        while (over := total(widths) - width) > 0:
            widest, second = _widest(shown, widths, floor)
            if widest is None:
                break
            widths[widest] -= min(over, max(1, widths[widest] - max(second, floor[widest])))
    return [Fitted(index, widths[index]) for index in shown]


def _widest(shown: Sequence[int], widths: Sequence[int], floor: Sequence[int]) -> tuple[int | None, int]:
    """Return the widest column that can still give way, and the width of the next one."""
    giving = sorted((index for index in shown if widths[index] > floor[index]), key=lambda index: -widths[index])
    if not giving:
        return None, 0
    return giving[0], widths[giving[1]] if len(giving) > 1 else 0


def cells(text: str) -> int:
    """Return the cells of a terminal that a text takes: wide characters take two."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # not needed for most texts

    return cell_len(text)


def cut(shown: CutPieces, columns: int | None) -> Pieces:
    """Return a line, escaped, for a window of ``columns``: as it is if there is room or no window.

    Else packages are abbreviated, from the left and as far as needed (``c.a.shop.Order``), and what is still too long
    ends with "…".
    """
    pieces = list(escaped(shown.line))
    if columns is None:
        return Pieces(tuple(pieces))
    over = sum(cells(text) for text, _ in pieces) - max(_NARROWEST, columns)
    for index, (text, style) in enumerate(pieces):
        if over > 0 and style == "package":
            short = abbreviated(text, over)
            over -= len(text) - len(short)
            pieces[index] = short, style
    return Pieces(tuple(pieces)) if over <= 0 else _cut_off(pieces, max(_NARROWEST, columns))


def abbreviated(package: str, by: int) -> str:
    """Return a package, ``com.acme.shop.``, with as many parts as initials, from the left, as make it ``by`` characters
    shorter: ``c.a.shop.``."""
    parts = package.split(".")
    for index, part in enumerate(parts):
        if by <= 0:
            break
        if len(part) > 1:
            by -= len(part) - 1
            parts[index] = part[0]
    return ".".join(parts)


def with_packages(shown: Shown, wanted: str) -> Shown:
    """Yield pieces with packages as the setting ``packages`` wants them: whole, as initials, or left out; "fit" leaves
    that to the width of the window."""
    if wanted == "fit":
        yield from shown
        return

    def changed(text: str) -> tuple[str, str]:
        if wanted == "full":
            return text, "faint"  # which no window shortens
        return abbreviated(text, len(text)) if wanted == "short" else "", "package"

    def line(of: Line) -> Line:
        if isinstance(of, str):
            return of
        return Pieces(tuple(changed(text) if style == "package" else (text, style) for text, style in of.pieces))

    def rows(of: RowPieces) -> RowPieces:
        return of.replace(rows=[tuple(map(line, row)) for row in of.rows])

    for each in shown:
        if isinstance(each, str | Pieces):
            yield line(each)
        elif isinstance(each, Sentence | CutPieces):
            yield each.replace(line=line(each.line))
        elif isinstance(each, RowPieces):
            yield rows(each)
        elif isinstance(each, TablePieces):
            plain = each.plain
            plain = rows(plain) if isinstance(plain, RowPieces) else plain if plain is None else list(map(line, plain))
            yield each.replace(rows=[tuple(map(line, row)) for row in each.rows], plain=plain)
        elif isinstance(each, LinePieces):
            lines = list(map(line, each.lines))
            yield LinePieces(lines, [of if isinstance(of, str) else of.text for of in lines])
        else:
            yield each


def cut_text(text: str, columns: int | None) -> str:
    """Return the text, or as much of it as fits in a window before "…"."""
    if columns is None or cells(text) <= columns:
        return text
    return _cut_off([(text, "plain")], columns).text


def _cut_off(pieces: Sequence[tuple[str, str]], columns: int) -> Pieces:
    """Return as much of a line as there is room for, with "…" behind it."""
    found: list[tuple[str, str]] = []
    room = columns - 1
    for text, style in pieces:
        if (needed := cells(text)) > room:
            kept = text[:room]
            while cells(kept) > room:
                kept = kept[:-1]
            found += [(kept, style), ("…", "faint")]
            break
        found.append((text, style))
        room -= needed
    return Pieces(tuple(found))


def columns_of_window() -> int | None:
    """Return the width of the window that standard output is shown in; None if it is no terminal."""
    try:
        return max(_NARROWEST, os.get_terminal_size(sys.stdout.fileno()).columns)
    except (OSError, ValueError, AttributeError):
        return None


def broken(sentence: Sentence, columns: int | None) -> Iterator[Pieces]:
    """Yield a sentence as escaped lines, broken between words where ``columns`` are too few; None: as many as there
    are."""
    pieces = tuple(escaped(sentence.line))
    text = "".join([text for text, _ in pieces])
    width = min((each for each in (columns, sentence.most) if each is not None), default=len(text))
    if len(text) <= width:
        yield Pieces(pieces)
        return
    width = max(_NARROWEST, width)
    hanging = sentence.indent[: width // 3]
    lines = TextWrapper(
        width,
        subsequent_indent=hanging,
        break_long_words=False,
        break_on_hyphens=False,
        expand_tabs=False,
        replace_whitespace=False,
    ).wrap(text)
    at = 0
    for index, line in enumerate(lines):
        indent = hanging if index else ""
        words = line.removeprefix(indent)
        at = text.index(words, at)
        part = _cut(pieces, at, at + len(words))
        yield indent + part if indent else part
        at += len(words)


def _cut(pieces: Sequence[tuple[str, str]], begin: int, end: int) -> Pieces:
    """Return a part of a line: its characters from ``begin`` to ``end``."""
    found = []
    at = 0
    for text, style in pieces:
        if part := text[max(0, begin - at) : max(0, end - at)]:
            found.append((part, style))
        at += len(text)
    return Pieces(tuple(found))

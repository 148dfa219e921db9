"""Lines of styled text: cut or padded to a number of columns, and parsed from a renderer's terminal output.

A line is a list of (style, text), as prompt_toolkit takes it; wide characters count two columns. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from wcwidth import wcwidth  # comes with prompt_toolkit

Fragment = tuple[str, str]
Line = list[Fragment]

_ANSI = re.compile(r"\x1b\[([0-9;]*)m")

_PACKAGE = re.compile(r"(?P<quoted>\"(?:[^\"\\]|\\.)*\"?|'(?:[^'\\]|\\.)*'?)|(?<![\w$./-])(?:[a-z_][\w$]*\.)+(?=[A-Z])")

_COLORS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "gray")
"""The colors of codes 30 to 37, as prompt_toolkit names them after ``ansi``."""


@lru_cache(4096)
def _wide(character: str) -> int:
    return max(0, wcwidth(character))


def columns_of(text: str) -> int:
    """Return the width of a text in columns."""
    return len(text) if text.isascii() else sum(map(_wide, text))


def width(line: Iterable[Fragment]) -> int:
    """Return the width of a line in columns."""
    return sum(columns_of(text) for _, text in line)


def cut_text(text: str, columns: int) -> str:
    """Return the beginning of a text that fits in so many columns."""
    if text.isascii():
        return text[: max(0, columns)]
    used = 0
    for place, character in enumerate(text):
        used += _wide(character)
        if used > columns:
            return text[:place]
    return text


def skipped(line: Iterable[Fragment], columns: int) -> Line:
    """Return a line without its first columns; a wide character that is cut in two becomes a blank."""
    found: Line = []
    for style, text in line:
        while columns > 0 and text:
            taken = _wide(text[0])
            text = (" " if taken > columns else "") + text[1:]
            columns -= min(taken, columns) if taken else 0
        if text:
            found.append((style, text))
    return found


def fitted(line: Iterable[Fragment], columns: int, *, fill: str | None = None) -> Line:
    """Return a line in exactly or at most so many columns: ``…`` ends one that was cut, and with ``fill`` blanks of
    that style follow one that is short."""
    found: Line = []
    line = list(line)
    used, whole = 0, width(line)
    room = columns if whole <= columns else columns - 1
    for style, text in line:
        part = cut_text(text, room - used)
        if part:
            found.append((style, part))
            used += columns_of(part)
        if len(part) < len(text):
            break
    if whole > columns and columns > 0:
        found.append(("class:faint", "…"))
        used += 1
    if fill is not None and used < columns:
        found.append((fill, " " * (columns - used)))
    return found


def overlaid(line: Iterable[Fragment], style: str) -> Line:
    """Return a line with a style added to all of it."""
    return [(f"{own} {style}".strip(), text) for own, text in line]


def of_terminal(text: str) -> list[Line]:
    """Return the lines of a text that a renderer has written, with its color codes as styles."""
    style = ""
    lines: list[Line] = []
    for row in text.removesuffix("\n").split("\n"):
        line: Line = []
        end = 0
        for code in _ANSI.finditer(row):
            if code.start() > end:
                line.append((style, row[end : code.start()]))
            style = _style_after(style, code[1])
            end = code.end()
        if end < len(row):
            line.append((style, row[end:].replace("\a", "").expandtabs(8)))
        lines.append(line)
    return lines


def _style_after(style: str, codes: str) -> str:
    words = style.split()
    for code in (int(each or 0) for each in codes.split(";")):
        if code == 0:
            words = []
        elif code == 1:
            words.append("bold")
        elif code == 2:
            words.append("class:faint")
        elif code == 4:
            words.append("underline")
        elif code == 7:
            words.append("reverse")
        elif 30 <= code <= 37:
            words.append(f"ansi{_COLORS[code - 30]}")
        elif 90 <= code <= 97:
            words.append(f"ansibright{_COLORS[code - 90]}" if code not in (90, 97) else "")
    return " ".join(each for each in words if each)


def wrapped(line: Line, columns: int, most: int = 200) -> list[Line]:
    """Return a line as rows of at most so many columns; the characters of a word may be divided."""
    rows: list[Line] = [[]]
    room = columns
    for style, text in line:
        while text:
            part = cut_text(text, room)
            if not part:
                if room == columns:
                    return rows
                rows.append([])
                room = columns
                if len(rows) > most:
                    return rows
                continue
            rows[-1].append((style, part))
            room -= columns_of(part)
            text = text[len(part) :]
    return rows


def short_type(name: str) -> str:
    """Return the name of a type without packages: ``List<Order>`` for ``java.util.List<com.acme.Order>``.

    Of a value too: what stands between quotes stays.
    """
    return _PACKAGE.sub(lambda match: match["quoted"] or "", name)

"""Values in forms of their own, as plain text: bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from jdbpy import values
from jdbpy.cli.plain.text import count, table, variable_line
from jdbpy.cli.results.values import Examined, NamedValues, Views
from jdbpy.cli.settings import Settings
from jdbpy.escape import escape

_ROW = 16
"""Bytes in a line."""


def examined(result: Examined, settings: Settings) -> Iterator[str]:
    """A line that says what it is, then 16 bytes a line: offset, hexadecimal by element, text."""
    found = result.bytes
    order = ", high byte first" if found.width > 1 else ""
    yield f"{escape(result.expression)}: {escape(found.type)}, {escape(count(found.length, found.element))}{order}"
    offset = found.start * found.width
    width = _ROW // found.width * (2 * found.width + 1) - 1 + (_ROW // found.width > 1)
    for place in range(0, len(found.data), _ROW):
        row = found.data[place : place + _ROW]
        yield f"  {offset + place:08x}  {_hex(row, found.width):<{width}}  |{_text(row, found.element)}|"
    if found.left_out:
        yield f"  ... {count(found.left_out, 'more element')}; {_how_to_see(found)}"


def _how_to_see(found: values.Bytes) -> str:
    """How what was left out is shown: the next page of an array, all of anything else."""
    shown = found.length - found.left_out
    if not found.type.endswith("[]"):
        return f"'x/{found.length}' shows all"
    return f"a slice shows them, [{shown}..{min(2 * shown, found.length)}], or 'x/{found.length}' all"


def _hex(row: bytes, width: int) -> str:
    """Elements in hexadecimal, a wider gap in the middle."""
    cells = [row[place : place + width].hex() for place in range(0, len(row), width)]
    half = _ROW // width // 2
    return " ".join(cells[:half]) + ("  " if cells[half:] else "") + " ".join(cells[half:])


def _text(row: bytes, element: str) -> str:
    """The bytes that are characters of ASCII, or the characters; a dot for what would not show."""
    if element == "char":
        units = [chr(row[place] << 8 | row[place + 1]) for place in range(0, len(row), 2)]
        return "".join(unit if escape(unit) == unit else "." for unit in units)
    return "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in row)


def named_values(result: NamedValues, settings: Settings) -> Iterator[str]:
    """A value a line, as variables are shown."""
    yield from map(variable_line, result.values)
    if not result.values:
        saved = "nothing is saved; 'save NAME EXPRESSION' keeps a value as $NAME"
        yield saved if result.what == "saved" else "no value has been shown yet; 'print EXPRESSION' shows one"


def views(result: Views, settings: Settings) -> Iterator[str]:
    """A view a line: the pattern, and what it shows."""
    yield from table((each.pattern, each.expression or f"({each.function}, in Python)") for each in result.views)
    if not result.views and result.pattern:
        yield f"there is no view for {escape(result.pattern)}; 'view {escape(result.pattern)} EXPRESSION' adds one"
    elif not result.views:
        yield "there are no views but those that are built in; 'view CLASS EXPRESSION' adds one"


LINES: dict[type, Callable[[Any, Settings], Iterator[str]]] = {
    Views: views,
    Examined: examined,
    NamedValues: named_values,
}

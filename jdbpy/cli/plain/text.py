"""Small pieces of plain text that several results are made of: places, values, tables, source lines.

All of it is escaped here: what these functions return can go to a terminal.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from jdbpy import Frame, Location, SourceWindow, Value, Variable
from jdbpy.cli.settings import Settings
from jdbpy.escape import escape, escape_line

INLINE_CHILDREN = 10
"""Fields or elements that `print` shows in its line; `dump` shows the rest."""


def method_of(location: Location) -> str:
    """``com.acme.Order.total``."""
    return escape(f"{location.class_name}.{location.method}")


def line_of(location: Location) -> str:
    """``Order.java:42``, or what is known of it."""
    if location.code_index < 0:
        return "native method"
    if location.source is None:
        return "unknown source" if location.line is None else f"line {location.line}"
    line = f":{location.line}" if location.line is not None else ""
    return escape(location.source) + (line or (f", {escape(location.error)}" if location.error else ""))


def place_of(location: Location) -> str:
    """``com.acme.Order.total (Order.java:42)``."""
    return f"{method_of(location)} ({line_of(location)})"


def short_place_of(location: Location) -> str:
    """``Order.total:42``: no package, no file, whose name is the class's as a rule; ``Util.kt:3`` of a source map."""
    line = f":{location.line}" if location.line is not None else ""
    if location.stratum:
        return escape(f"{location.source}{line}")
    return escape(f"{location.class_name.rpartition('.')[2]}.{location.method}{line}")


def frame_line(frame: Frame, settings: Settings, *, pc: bool = False) -> str:
    """``[1] com.acme.Order.total (Order.java:42)``, the number as the setting frame-base wants it."""
    number = frame.index - 1 + settings["frame-base"]
    index = f", pc = {frame.location.code_index}" if pc and frame.location.code_index >= 0 else ""
    old = " [replaced since]" if frame.obsolete else ""
    return f"[{number}] {place_of(frame.location)}{index}{old}"


def source_lines(window: SourceWindow) -> Iterator[str]:
    """The lines of a window with their numbers, ``=>`` before the current one."""
    width = max([len(str(number)) for number, _ in window.lines], default=1)
    for number, text in window.lines:
        yield f"{'=>' if number == window.current else '  '} {number:>{width}}  {escape_line(text)}".rstrip()
    if window.stale:
        yield f"(the class was not compiled from this {escape(window.name)}: {escape(window.warning)})"


def value_text(value: Value | None, error: str = "", *, children: bool = True) -> str:
    """A value in one line; some of its children in braces after it, unless the text has told them already."""
    if value is None:
        return f"<{escape(error or 'unknown')}>"
    text = escape(value.formatted or value.text)
    if value.truncated and value.length is not None and value.tag == "s":
        text += f" ({value.length} characters)"
    if children and value.children and not value.text.endswith(("]", "}")):
        shown = [_child(child) for child in value.children[:INLINE_CHILDREN]]
        more = ", ..." if len(value.children) > INLINE_CHILDREN or (value.truncated and value.tag != "s") else ""
        text += f" {{{', '.join(shown)}{more}}}"
    return f"{text}  ({escape(value.note)})" if value.note else text


def value_tree(value: Value, indent: str = "  ") -> Iterator[str]:
    """The children of a value, one a line, theirs below them."""
    for child in value.children:
        yield indent + variable_line(child, children=False, inside=value.type)
        if child.value is not None:
            yield from value_tree(child.value, indent + "  ")
    if value.children and value.truncated and value.tag != "s":
        more = f" of {value.length}" if value.length is not None else ""
        yield f"{indent}... more are not shown{more}"


def variable_line(variable: Variable, *, children: bool = True, inside: str = "") -> str:
    """``int n = 7``; an element is ``[3] = 7``; a field that the class ``inside`` has inherited tells from where."""
    text = value_text(variable.value, variable.error, children=children)
    changed = changed_mark(variable)
    if variable.kind == "element":
        return f"{escape(variable.name)} = {text}{changed}"
    modifiers = f"{escape(variable.modifiers)} " if variable.modifiers else ""
    origin = f"  ({escape(variable.declared_in)})" if variable.declared_in not in ("", inside) else ""
    return f"{modifiers}{escape(variable.type)} {escape(variable.name)} = {text}{changed}{origin}"


def changed_mark(thing: Value | Variable | None) -> str:
    """What stands behind a value that is another than at an earlier stop."""
    return "  (changed)" if thing is not None and thing.changed else ""


def table(rows: Iterable[Sequence[str]], indent: str = "") -> Iterator[str]:
    """Rows of cells, escaped, in columns as wide as they need; the last one is not filled up."""
    cells = [[escape(cell) for cell in row] for row in rows]
    widths = [max(len(cell) for cell in column) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        yield (indent + "  ".join(padded)).rstrip()


def columns_of_window() -> int | None:
    """Return the width of the window that standard output is shown in; None if it is no terminal."""
    try:
        return max(20, os.get_terminal_size(sys.stdout.fileno()).columns)
    except (OSError, ValueError, AttributeError):
        return None


def prose(line: str, indent: str = "  ") -> list[str]:
    """Return a sentence as lines that are broken between words, where the window is too narrow for it."""
    columns = columns_of_window()
    if columns is None or len(line) <= columns:
        return [line]
    return wrap(line, columns, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def some(names: Sequence[str], most: int = 10) -> str:
    """``a, b and 7 more``: the first of many names."""
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def count(number: int, noun: str, plural: str = "") -> str:
    """``1 thread``, ``3 threads``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def _child(variable: Variable) -> str:
    text = value_text(variable.value, variable.error, children=False)
    return text if variable.kind == "element" and variable.name.startswith("[") else f"{escape(variable.name)}: {text}"

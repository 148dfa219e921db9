"""Narrow windows: which columns of a table are shown, and how wide; sentences that are broken between words."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from textwrap import wrap

from jdbpy.cli.output.pieces import Column
from jdbpy.record import Record

GAP = 2
"""Blanks between two columns."""


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


def prose_text(text: str, indent: str = "  ") -> str:
    """Return a text, each of its lines a sentence as by ``prose``."""
    return "".join(f"{part}\n" for line in text.splitlines() for part in (prose(line, indent) or [""]))

"""Tables that scripts print and notebooks show: names of columns, rows of plain values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape as escape_html
from typing import Any

from jdbpy.escape import escape


class Table:
    """Rows under named columns. ``str(table)`` is aligned text; a notebook shows it as a table.

    ``columns`` are the names; ``rows`` are tuples of numbers and texts, and are what iterating gives. Text of the
    target is escaped in both forms. No trip.
    """

    def __init__(self, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        self.columns = tuple(columns)
        self.rows = [tuple(row) for row in rows]

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        """Return the row of that index, from 0. No trip."""
        return self.rows[index]

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a dict for each row, by the names of the columns."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def __str__(self) -> str:
        texts = [self.columns, *([_text(each) for each in row] for row in self.rows)]
        widths = [max(len(row[place]) for row in texts) for place in range(len(self.columns))]
        right = [
            bool(self.rows) and all(isinstance(row[place], int | float) for row in self.rows)
            for place in range(len(self.columns))
        ]
        lines = (
            "  ".join(
                text.rjust(width) if numeric else text.ljust(width)
                for text, width, numeric in zip(row, widths, right, strict=True)
            )
            for row in texts
        )
        return "\n".join(line.rstrip() for line in lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        def row(cells: Sequence[Any], tag: str) -> str:
            made = (f"<{tag}{_aligned(each)}>{escape_html(_text(each))}</{tag}>" for each in cells)
            return f"<tr>{''.join(made)}</tr>"

        head = row(self.columns, "th")
        return f"<table><thead>{head}</thead><tbody>{''.join(row(each, 'td') for each in self.rows)}</tbody></table>"


def _aligned(value: Any) -> str:
    return ' style="text-align:right"' if isinstance(value, int | float) else ""


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.3f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else escape(str(value))

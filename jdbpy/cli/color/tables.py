"""Tables in colors: threads, variables, breakpoints, settings, the index of the help.

Owns their columns. What stands in the cells is worded by the plain renderer's modules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from jdbpy import Variable
from jdbpy.cli.color.columns import GAP, Column, fit
from jdbpy.cli.color.look import STYLES, Literals, styled
from jdbpy.cli.plain.answers import breakpoint_rows, nothing_set
from jdbpy.cli.plain.help import quoted, short_names
from jdbpy.cli.plain.stacks import more_about, state_of
from jdbpy.cli.plain.text import short_place_of, value_text
from jdbpy.cli.results import Breakpoints, HelpIndex, SettingValues, Threads, Variables
from jdbpy.cli.topics import GROUPS, TOPICS
from jdbpy.escape import escape

ROWS = 100
"""Rows that are drawn at a time: a long table can be read before all of it is drawn."""

Drawn = Iterator[RenderableType]

_THREADS = (
    Column("", style="marker", least=1),
    Column("id", style="number", least=4, right=True),
    Column("name", style="name", least=8, fold=True),
    Column("group", style="faint", least=6, spare=True),
    Column("state", least=8, fold=True),
    Column("CPU", style="number", least=8, right=True),
    Column("priority", least=7, drop=4),
    Column("Java id", style="faint", least=9, drop=5),
    Column("place", style="type", least=20, drop=1, fold=True),
)
_VARIABLES = (
    Column("name", style="name", least=6, fold=True),
    Column("type", style="faint", least=8, drop=1, fold=True),
    Column("value", least=10, fold=True),
)
_BREAKPOINTS = (
    Column("#", style="number", least=2, right=True),
    Column("", least=3),
    Column("place", style="name", least=16, fold=True),
    Column("a hit", least=10, drop=3, fold=True),
    Column("hits", least=6, drop=2),
    Column("", style="faint", least=10, drop=1, fold=True),
)
_SETTINGS = (
    Column("setting", style="name", least=8, fold=True),
    Column("value", style="number", least=4, fold=True),
    Column("meaning", least=12, drop=1, fold=True),
)
_COMMANDS = (
    Column("", style="name", least=8, fold=True),
    Column("", style="number", least=4, drop=1, fold=True),
    Column("", least=14, fold=True),
)


def threads(result: Threads, width: int) -> Drawn:
    rows = [
        (
            "*" if thread.current else "",
            str(thread.id),
            thread.name,
            thread.group if not result.group else "",
            state_of(thread),
            *(more_about(thread) if result.verbose else ("", "", "")),
            short_place_of(thread.frame.location) if thread.frame is not None else "",
        )
        for thread in result.threads
    ]
    yield from draw(_THREADS, rows, width, titles=True)
    if not rows:
        yield Text("no threads")
    if result.note:
        yield styled(f"({escape(result.note)})", "faint")


def variables(result: Variables, width: int) -> Drawn:
    this = [variable for variable in result.variables if variable.kind == "this"]
    arguments = [variable for variable in result.variables if variable.kind == "argument"]
    others = [variable for variable in result.variables if variable.kind not in ("argument", "this")]
    yield from draw(_VARIABLES, map(_variable, this), width)
    for title, group in (("Arguments", arguments), ("Local variables", others)):
        if group:
            yield styled(title, "heading")
            yield from draw(_VARIABLES, map(_variable, group), width)
    if not result.variables:
        yield Text("no arguments" if result.only else "no variables here")


def breakpoints(result: Breakpoints, width: int) -> Drawn:
    rows = [row for point in result.breakpoints for row in breakpoint_rows(point)]
    yield from draw(_BREAKPOINTS, rows, width, titles=True)
    if not rows:
        yield Text(nothing_set(result))


def setting_values(result: SettingValues, width: int) -> Drawn:
    rows = [(one.name, one.value, f"{one.help} ({one.form})") for one in result.settings]
    yield from draw(_SETTINGS, rows, width, titles=True)


def help_index(result: HelpIndex, width: int) -> Drawn:
    for group, title in GROUPS.items():
        entries = [entry for entry in result.entries if entry.group == group]
        if entries:
            yield Text.assemble(styled(group, "heading"), f": {title}")
            rows = [(entry.name, short_names(entry), quoted(entry.summary)) for entry in entries]
            yield from draw(_COMMANDS, rows, width)
    if not result.topic:
        yield Text(f"'help COMMAND' says all about one; other topics: {', '.join(TOPICS)}")


TABLES: dict[type, Callable[[Any, int], Drawn]] = {
    Breakpoints: breakpoints,
    HelpIndex: help_index,
    SettingValues: setting_values,
    Threads: threads,
    Variables: variables,
}
"""How each of these results is drawn in a width."""

Cell = str | Text


def draw(
    columns: Sequence[Column], rows: Sequence[Sequence[Cell]] | map[Any], width: int, *, titles: bool = False
) -> Drawn:
    """A table, some rows at a time. Cells of plain text are escaped here."""
    cells = [[escape(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    if not cells:
        return
    natural = [max(cell_len(str(cell)) for cell in column) for column in zip(*cells, strict=True)]
    if titles:
        natural = [
            max(needed, len(column.title)) if needed else 0 for needed, column in zip(natural, columns, strict=True)
        ]
    fitted = fit(columns, natural, width)
    for first in range(0, len(cells), ROWS):
        table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, show_header=titles and not first)
        for place in fitted:
            column = columns[place.index]
            table.add_column(
                column.title,
                header_style=STYLES["faint"],
                style=STYLES.get(column.style, ""),
                width=place.width,
                justify="right" if column.right else "left",
                overflow="fold" if column.fold else "ellipsis",
                no_wrap=not column.fold,
            )
        for row in cells[first : first + ROWS]:
            table.add_row(*(row[place.index] for place in fitted))
        yield table


def _variable(variable: Variable) -> tuple[Cell, Cell, Cell]:
    value = Text(value_text(variable.value, variable.error))
    Literals().highlight(value)
    if variable.changed:
        value.append("  (changed)", STYLES["changed"])
    return variable.name, variable.type, value

"""The layout: the rectangle of each pane, computed from the window size and the user's settings. Pure.

The source is at the left, output runs below everything, the others are stacked at the right, in two columns where the
window is wide, or below the source where it is narrow. A pane for which no room is left is left out, the least
important first.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from jdbpy.record import Record

SOURCE, VARIABLES, STACK, WATCHES, THREADS, JVMS, OUTPUT = (
    "source",
    "variables",
    "stack",
    "watches",
    "threads",
    "jvms",
    "output",
)
PANES = (SOURCE, VARIABLES, STACK, WATCHES, THREADS, JVMS, OUTPUT)
"""The panes that are always there, in the order in which Tab goes through them."""

NARROW = 64
"""Minimum window width for panes beside the source."""

WIDE = 150
"""Minimum window width for two columns of panes beside the source."""

LEAST_ROWS = 3
"""Rows of the smallest pane, its title included."""

LEAST_SOURCE = 5

_WEIGHTS = {VARIABLES: 5, STACK: 4, WATCHES: 2, THREADS: 3, JVMS: 2}
_OF_PLUGINS = 2

MOST_SIDE = 80


class Rectangle(Record):
    """A pane's place: column and row of its upper left corner, from 0; the title is its first row."""

    column: int
    row: int
    columns: int
    rows: int

    def has(self, column: int, row: int) -> bool:
        """True if the rectangle contains the point."""
        return self.column <= column < self.column + self.columns and self.row <= row < self.row + self.rows


class Sizes(Record):
    """The user's settings: columns at the side, rows of output, rows more or fewer for other panes; 0: not set."""

    side: int = 0
    output: int = 0
    rows: tuple[tuple[str, int], ...] = ()


def arranged(columns: int, rows: int, shown: Collection[str], sizes: Sizes = Sizes()) -> dict[str, Rectangle]:
    """Return the places of the panes in ``shown`` (names; what is not in ``PANES`` is a plug-in's)."""
    if columns < 1 or rows < 1:
        return {}
    found: dict[str, Rectangle] = {}
    height = rows
    if OUTPUT in shown and len(shown) > 1:
        output = _output_rows(rows, sizes)
        if output:
            height -= output
            found[OUTPUT] = Rectangle(0, height, columns, output)
    elif OUTPUT in shown:
        return {OUTPUT: Rectangle(0, 0, columns, rows)}
    side = [
        name for name in (*PANES, *sorted(set(shown) - set(PANES))) if name in shown and name not in (SOURCE, OUTPUT)
    ]
    if not side:
        return {**found, SOURCE: Rectangle(0, 0, columns, height)} if SOURCE in shown else found
    if SOURCE not in shown:
        half = columns // 2
        if columns >= NARROW and len(side) > 1:
            split = _halves(side)
            return {
                **found,
                **_stacked(split[0], Rectangle(0, 0, half, height), sizes),
                **_stacked(split[1], Rectangle(half + 1, 0, columns - half - 1, height), sizes),
            }
        return {**found, **_stacked(side, Rectangle(0, 0, columns, height), sizes)}
    if columns < NARROW:
        own = max(LEAST_SOURCE, height // 2)
        found[SOURCE] = Rectangle(0, 0, columns, min(own, height))
        if height - own >= LEAST_ROWS:
            found |= _stacked(side, Rectangle(0, own, columns, height - own), sizes)
        else:
            found[SOURCE] = Rectangle(0, 0, columns, height)
        return found
    beside = _side_columns(columns, sizes)
    left = columns - beside - 1
    found[SOURCE] = Rectangle(0, 0, left, height)
    if columns >= WIDE and len(side) > 1:
        first, second = _halves(side)
        middle = (beside - 1) * 11 // 20
        found |= _stacked(first, Rectangle(left + 1, 0, middle, height), sizes)
        found |= _stacked(second, Rectangle(left + middle + 2, 0, beside - middle - 1, height), sizes)
        return found
    return found | _stacked(side, Rectangle(left + 1, 0, beside, height), sizes)


def _output_rows(rows: int, sizes: Sizes) -> int:
    wanted = sizes.output or min(14, max(4, rows // 4))
    most = rows - LEAST_SOURCE - 1
    return min(wanted, most) if most >= LEAST_ROWS else 0


def _side_columns(columns: int, sizes: Sizes) -> int:
    natural = columns * 52 // 100 if columns >= WIDE else min(MOST_SIDE, columns * (38 if columns < 100 else 42) // 100)
    return max(20, min(sizes.side or natural, columns - 30))


def _halves(side: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the panes of two columns: those with values first, the others beside them."""
    first = [name for name in side if name in (VARIABLES, WATCHES)]
    second = [name for name in side if name not in first]
    if not first or not second:
        middle = (len(side) + 1) // 2
        return list(side[:middle]), list(side[middle:])
    return first, second


def _stacked(names: Sequence[str], area: Rectangle, sizes: Sizes) -> dict[str, Rectangle]:
    """Return the rectangles of panes stacked in an area; those that do not fit are left out, the last ones first."""
    names = list(names)
    while len(names) > 1 and len(names) * LEAST_ROWS > area.rows:
        names.remove(max(names, key=lambda name: (name not in PANES, -_weight(name))))
    heights = _shares(names, area.rows, dict(sizes.rows))
    found: dict[str, Rectangle] = {}
    row = area.row
    for name, height in zip(names, heights, strict=True):
        found[name] = Rectangle(area.column, row, area.columns, height)
        row += height
    return found


def _weight(name: str) -> int:
    return _WEIGHTS.get(name, _OF_PLUGINS)


def _shares(names: Sequence[str], rows: int, more: Mapping[str, int]) -> list[int]:
    """Return the height of each pane: by weight, plus or minus what the user has set."""
    total = sum(map(_weight, names))
    heights = [max(LEAST_ROWS, rows * _weight(name) // total + more.get(name, 0)) for name in names]
    while (over := sum(heights) - rows) > 0:
        tallest = max(range(len(heights)), key=lambda place: heights[place])
        if heights[tallest] <= 1:
            break
        heights[tallest] -= min(over, max(1, heights[tallest] - LEAST_ROWS))
    heights[0] += rows - sum(heights)
    return heights

"""The screen without a terminal: its panes, which of them are visible and where, the focus; rendered as rows of text.

Pure: a state and keys in, rows and actions out. ``application`` draws the rows.
"""

from __future__ import annotations

from jdbpy.cli.screen import layout
from jdbpy.cli.screen.fragments import Line, columns_of, cut_text, fitted, width
from jdbpy.cli.screen.layout import OUTPUT, PANES, SOURCE, WATCHES, Rectangle, Sizes, arranged
from jdbpy.cli.screen.output_log import OutputLog
from jdbpy.cli.screen.output_pane import OutputPane
from jdbpy.cli.screen.panes import (
    Action,
    JvmsPane,
    Pane,
    PluginRows,
    StackPane,
    ThreadsPane,
    VariablesPane,
    WatchesPane,
)
from jdbpy.cli.screen.source_pane import SourcePane
from jdbpy.cli.screen.state import ScreenState

WHEEL = 3
"""Rows that a notch of the wheel scrolls."""


class ScreenModel:
    """One screen. ``focus`` is the name of a pane, or ``prompt``."""

    def __init__(self, log: OutputLog) -> None:
        self.source = SourcePane()
        self.variables = VariablesPane()
        self.watches = WatchesPane()
        self.panes: dict[str, Pane] = {
            pane.name: pane
            for pane in (
                self.source,
                self.variables,
                StackPane(),
                self.watches,
                ThreadsPane(),
                JvmsPane(),
                OutputPane(log),
            )
        }
        self.state = ScreenState()
        self.focus = SOURCE
        self.sizes = Sizes()
        self.wished: dict[str, bool] = {}  # panes that the user has shown or hidden
        self.alone = ""  # the pane that has the whole screen
        self.places: dict[str, Rectangle] = {}

    def take(self, state: ScreenState) -> None:
        """Take a new state."""
        self.state = state
        for each in state.plugins:
            if each.name not in self.panes:
                self.panes[each.name] = PluginRows(each.name)
        for name in [name for name in self.panes if name not in PANES]:
            if all(each.name != name for each in state.plugins):
                del self.panes[name]
        for pane in self.panes.values():
            pane.take(state)

    # Which panes are shown

    @property
    def shown(self) -> list[str]:
        """Return the names of the panes that should be visible, whether there is room or not."""
        if self.alone:
            return [self.alone]
        return [name for name in self.panes if self.wished.get(name, self._by_itself(name))]

    def _by_itself(self, name: str) -> bool:
        if name == WATCHES:
            return bool(self.state.watches)
        if name == layout.JVMS:
            return bool(self.state.jvms)
        return True

    def show(self, name: str, shown: bool) -> None:
        """Show or hide a pane; the last visible one stays."""
        if shown or len(self.shown) > 1:
            self.wished[name] = shown
            self.alone = ""

    def toggle(self, name: str) -> None:
        """Show a pane that is hidden, hide one that is shown."""
        self.show(name, name not in self.shown)

    def zoom(self) -> None:
        """Toggle between the focused pane alone and all panes."""
        self.alone = "" if self.alone else self.focus if self.focus in self.panes else SOURCE

    def zoom_on(self, name: str) -> None:
        """Show one pane alone."""
        self.focus = self.alone = name

    def resize(self, name: str, by: int) -> None:
        """Grow or shrink a pane by rows; the source by columns."""
        sizes = self.sizes
        place = self.places.get(name)
        if name == SOURCE or place is None:
            at_side = [each.columns for each in self.places.values() if each.column]
            total = max((each.column + each.columns for each in self.places.values()), default=0)
            source = self.places.get(SOURCE)
            if at_side and source is not None:
                self.sizes = sizes.replace(side=max(20, total - source.columns - 1 - 2 * by))
        elif name == OUTPUT:
            self.sizes = sizes.replace(output=max(layout.LEAST_ROWS, place.rows + by))
        else:
            rows = dict(sizes.rows)
            rows[name] = max(-30, min(60, rows.get(name, 0) + by))
            self.sizes = sizes.replace(rows=tuple(rows.items()))

    def size(self, name: str, wanted: int) -> None:
        """Set the height of a pane; of the source, the width."""
        place = self.places.get(name)
        if place is not None:
            now = place.columns if name == SOURCE else place.rows
            self.resize(name, (wanted - now) // 2 if name == SOURCE else wanted - now)

    # The focus

    def turn(self, by: int) -> None:
        """Focus the next or the previous pane, in their order on the screen."""
        names = [name for name in self.panes if name in self.places] or [SOURCE]
        place = names.index(self.focus) if self.focus in names else 0
        self.focus = names[(place + by) % len(names)]

    def focus_on(self, name: str) -> None:
        """Focus a pane; show it if it is hidden."""
        if name in self.panes and name not in self.shown:
            self.show(name, True)
        self.focus = name

    @property
    def pane(self) -> Pane:
        """Return the pane that has the focus; the source if it is the prompt."""
        return self.panes.get(self.focus, self.source)

    # Drawing

    def rows(self, columns: int, rows: int) -> list[Line]:
        """Return the panes as exactly so many rows."""
        self.places = arranged(columns, rows, self.shown, self.sizes)
        if self.focus != "prompt" and self.focus not in self.places:
            self.focus = SOURCE if SOURCE in self.places else next(iter(self.places), "prompt")
        drawn = {name: self._drawn(name, place) for name, place in self.places.items()}
        found: list[Line] = []
        for row in range(rows):
            line: Line = []
            at = 0
            for name, place in sorted(self.places.items(), key=lambda each: each[1].column):
                if not place.row <= row < place.row + place.rows:
                    continue
                if place.column > at:
                    line.append(("class:border", "│" if place.column - at == 1 else " " * (place.column - at)))
                line += drawn[name][row - place.row]
                at = place.column + place.columns
            found.append(line)
        return found

    def _drawn(self, name: str, place: Rectangle) -> list[Line]:
        pane = self.panes[name]
        focused = self.focus == name
        body = pane.rows(place.columns, place.rows - 1, focused)
        number = list(self.panes).index(name) + 1
        lines = [self._title(f"{number} {pane.heading()}", place.columns, focused)]
        lines += [fitted(line, place.columns, fill="") for line in body[: place.rows - 1]]
        lines += [[("", " " * place.columns)]] * (place.rows - len(lines))
        return lines

    def _title(self, words: str, columns: int, focused: bool) -> Line:
        words = f" {cut_text(words, max(0, columns - 4))} "
        style = "class:title.focused" if focused else "class:title"
        rest = max(0, columns - 1 - columns_of(words))
        return fitted([("class:border", "─"), (style, words), ("class:border", "─" * rest)], columns)

    # The mouse

    def pane_at(self, column: int, row: int) -> str:
        """Return the name of the pane at a point, "" for none."""
        return next((name for name, place in self.places.items() if place.has(column, row)), "")

    def click(self, column: int, row: int, *, twice: bool = False) -> Action | None:
        """Focus the pane that was clicked; return the action of the click."""
        name = self.pane_at(column, row)
        if not name:
            return None
        self.focus = name
        place = self.places[name]
        if row == place.row:
            return None
        return self.panes[name].click(column - place.column, row - place.row - 1, twice=twice)

    def wheel(self, column: int, row: int, by: int) -> None:
        """Scroll the pane at a point."""
        name = self.pane_at(column, row)
        if name:
            self.panes[name].scroll(by * WHEEL)


def beside(left: Line, right: Line, columns: int) -> Line:
    """Return a line with right-aligned text, which is dropped first if there is no room for both."""
    room = columns - width(left)
    if room <= width(right):
        return fitted(left, columns, fill="class:keys")
    return [*left, ("class:keys", " " * (room - width(right))), *right]

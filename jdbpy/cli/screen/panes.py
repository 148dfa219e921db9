"""The panes that are lists of rows: stack, threads, JVMs, watches, variables, panes of plug-ins. Pure.

A pane takes a state and renders its rows as styled text for a width and a height; keys and clicks move its cursor or
return an ``Action``, which the caller carries out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

from jdbpy.cli.screen.fragments import Line, fitted, overlaid, short_type
from jdbpy.cli.screen.state import FrameShown, JvmShown, NodeShown, ScreenState, ThreadShown, WatchShown
from jdbpy.record import Record

Item = TypeVar("Item")


class Action(Record):
    """The result of a key or a click. ``kind``: ``line`` (run ``text`` as if it was typed), ``open``, ``close`` (a node
    of the variables, by its path), ``type`` (put ``text`` on the prompt line), ``say`` (show it there)."""

    kind: str
    text: str = ""


class Pane(ABC):
    """A pane; one that shows a list of items is a ``ListPane``."""

    name = ""
    title = ""

    def take(self, state: ScreenState) -> None:  # noqa: B027  (the output pane has no use for it)
        """Take a new state."""

    @abstractmethod
    def rows(self, columns: int, rows: int, focused: bool) -> list[Line]:
        """Return at most so many rows."""

    def heading(self) -> str:
        """Return the title, with the number of rows where it matters."""
        return self.title

    @abstractmethod
    def move(self, by: int) -> None:
        """Move the cursor by rows."""

    @abstractmethod
    def page(self, by: int) -> None:
        """Move the cursor by a page."""

    @abstractmethod
    def ends(self, *, last: bool) -> None:
        """Move the cursor to the first or the last row."""

    def aside(self, by: int) -> Action | None:
        """Return the action of Left or Right."""
        return None

    def scroll(self, by: int) -> None:
        """Scroll; the cursor goes along."""
        self.move(by)

    def enter(self) -> Action | None:
        """Return the action of Enter at the cursor."""
        return None

    def click(self, column: int, row: int, *, twice: bool = False) -> Action | None:
        """Return the action of a click; row 0 is the first below the title."""
        return None


class ListPane(Pane, Generic[Item]):
    """A pane with one row per item. The cursor stays on its item as long as that exists."""

    empty = ""

    def __init__(self) -> None:
        self.items: Sequence[Item] = ()
        self.cursor = 0
        self.top = 0
        self._height = 1

    @abstractmethod
    def key(self, item: Item) -> Hashable:
        """Return what identifies an item from state to state."""

    @abstractmethod
    def row(self, item: Item, columns: int) -> Line:
        """Return an item as a line."""

    def is_current(self, item: Item) -> bool:
        """True for the current item: the cursor follows it when it changes."""
        return False

    def set_items(self, items: Sequence[Item]) -> None:
        """Replace the items."""
        before = [self.key(each) for each in self.items if self.is_current(each)]
        chosen = self.key(self.items[self.cursor]) if self.cursor < len(self.items) else None
        self.items = items
        current = [place for place, each in enumerate(items) if self.is_current(each)]
        if current and [self.key(items[place]) for place in current] != before:
            self.cursor = current[0]
        else:
            places = {self.key(each): place for place, each in enumerate(items)}
            self.cursor = places.get(chosen, min(self.cursor, max(0, len(items) - 1)))

    def rows(self, columns: int, rows: int, focused: bool) -> list[Line]:
        self._height = max(1, rows)
        if not self.items:
            return [fitted([("class:faint", self.empty)], columns)][:rows]
        self._keep_in_sight()
        shown: list[Line] = []
        for place in range(self.top, min(len(self.items), self.top + rows)):
            line = fitted(self.row(self.items[place], columns), columns)
            if focused and place == self.cursor:
                line = fitted(overlaid(line, "class:cursor"), columns, fill="class:cursor")
            shown.append(line)
        return shown

    def heading(self) -> str:
        hidden = len(self.items) > self._height
        return f"{self.title} {self.cursor + 1}/{len(self.items)}" if hidden else self.title

    def move(self, by: int) -> None:
        self.cursor = max(0, min(len(self.items) - 1, self.cursor + by))

    def page(self, by: int) -> None:
        self.move(by * max(1, self._height - 1))

    def ends(self, *, last: bool) -> None:
        self.cursor = max(0, len(self.items) - 1) if last else 0

    def scroll(self, by: int) -> None:
        self.top = max(0, min(len(self.items) - self._height, self.top + by))
        self.cursor = max(self.top, min(self.top + self._height - 1, self.cursor, len(self.items) - 1))

    def enter(self) -> Action | None:
        return self.chosen(self.items[self.cursor]) if self.cursor < len(self.items) else None

    def chosen(self, item: Item) -> Action | None:
        """Return the action of Enter on an item."""
        return None

    def click(self, column: int, row: int, *, twice: bool = False) -> Action | None:
        place = self.top + row
        if not 0 <= place < len(self.items):
            return None
        self.cursor = place
        return self.chosen(self.items[place])

    def _keep_in_sight(self) -> None:
        self.cursor = max(0, min(self.cursor, len(self.items) - 1))
        self.top = min(self.top, self.cursor, max(0, len(self.items) - self._height))
        self.top = max(0, self.top, self.cursor - self._height + 1)


class StackPane(ListPane[FrameShown]):
    """The frames of the selected thread."""

    name, title, empty = "stack", "Stack", "no stack: nothing is stopped"

    def take(self, state: ScreenState) -> None:
        self.title = f"Stack of {state.thread}" if state.thread else "Stack"
        self.empty = "no stack: nothing is stopped" if state.runs else state.variables_note or "no frames"
        self.set_items(state.frames)

    def key(self, item: FrameShown) -> Hashable:
        return item.index, item.method

    def is_current(self, item: FrameShown) -> bool:
        return item.selected

    def row(self, item: FrameShown, columns: int) -> Line:
        style = "class:chosen" if item.selected else ""
        return [
            ("class:marker" if item.selected else "class:faint", "▶" if item.selected else " "),
            ("class:faint", f"{item.index} " if item.index else ""),  # a line about the frames has none
            (style or "class:name", item.method),
            ("class:type", f" {item.place}"),
            ("class:faint", f" {item.package}" if item.package else ""),
        ]

    def chosen(self, item: FrameShown) -> Action | None:
        return Action("line", f"frame {item.index}") if item.index else None


class ThreadsPane(ListPane[ThreadShown]):
    """The threads, suspended ones first."""

    name, title, empty = "threads", "Threads", "no threads are known yet"

    def take(self, state: ScreenState) -> None:
        self.set_items(state.threads)

    def key(self, item: ThreadShown) -> Hashable:
        return item.id

    def is_current(self, item: ThreadShown) -> bool:
        return item.current

    def row(self, item: ThreadShown, columns: int) -> Line:
        mark = "▶" if item.current else "■" if item.hit else "‖" if item.stopped else " "
        style = "class:chosen" if item.current else "class:name" if item.stopped else ""
        return [
            ("class:marker" if item.current or item.hit else "class:faint", mark),
            ("class:faint", f"{item.id} "),
            (style, item.name),
            ("class:faint", f" {item.state}"),
        ]

    def chosen(self, item: ThreadShown) -> Action | None:
        return Action("line", f"thread {item.id}")


class JvmsPane(ListPane[JvmShown]):
    """The JVMs, where several are debugged."""

    name, title, empty = "jvms", "JVMs", "one JVM"

    def take(self, state: ScreenState) -> None:
        self.set_items(state.jvms)

    def key(self, item: JvmShown) -> Hashable:
        return item.name

    def is_current(self, item: JvmShown) -> bool:
        return item.current

    def row(self, item: JvmShown, columns: int) -> Line:
        return [
            ("class:marker", "▶" if item.current else " "),
            ("class:chosen" if item.current else "class:name", item.name),
            ("class:faint", f" {item.state}"),
            ("class:type", f" {item.place}" if item.place else ""),
        ]

    def chosen(self, item: JvmShown) -> Action | None:
        return Action("line", f"session {item.name}")


class WatchesPane(ListPane[WatchShown]):
    """The expressions of ``display``."""

    name, title, empty = "watches", "Watches", "none: w adds an expression"

    def take(self, state: ScreenState) -> None:
        self.set_items(state.watches)

    def key(self, item: WatchShown) -> Hashable:
        return item.number

    def row(self, item: WatchShown, columns: int) -> Line:
        style = "class:error" if item.error else "class:changed" if item.changed else "class:value"
        return [
            ("class:changed", "*" if item.changed else " "),
            ("class:faint", f"{item.number} "),
            ("class:name", item.expression),
            ("", " = "),
            (style, item.text),
        ]

    def chosen(self, item: WatchShown) -> Action | None:
        return Action("type", f"print {item.expression}")

    def delete(self) -> Action | None:
        """Return the action that removes the watch at the cursor."""
        if self.cursor >= len(self.items):
            return None
        return Action("line", f"undisplay {self.items[self.cursor].number}")


class VariablesPane(ListPane[NodeShown]):
    """The variables of the selected frame as a tree."""

    name, title, empty = "variables", "Variables", "no variables: nothing is stopped"

    def __init__(self) -> None:
        super().__init__()
        self.with_types = False
        self.with_packages = False

    def take(self, state: ScreenState) -> None:
        self.empty = state.variables_note or ("nothing is stopped" if state.runs else "no variables here")
        self.set_items(state.variables)

    def key(self, item: NodeShown) -> Hashable:
        return item.path

    def row(self, item: NodeShown, columns: int) -> Line:
        indent = "  " * min(item.depth, 12)
        if item.more:
            return [("", f" {indent}"), ("class:faint", f"  {item.text}")]
        sign = "▾ " if item.open else "▸ " if item.opens else "  "
        style = "class:error" if item.error else "class:changed" if item.changed else "class:value"
        if item.kind == "string" and style == "class:value":
            style = "class:string"
        typed = item.type if self.with_packages else short_type(item.type)
        text = item.text if self.with_packages or item.kind == "string" else short_type(item.text)
        return [
            ("class:changed", "*" if item.changed else " "),
            ("", indent),
            ("class:faint", sign),
            ("class:name", item.name),
            ("class:type", f": {typed}" if self.with_types and typed else ""),
            ("", " = "),
            (style, text),
        ]

    def chosen(self, item: NodeShown) -> Action | None:
        if item.more:
            return Action("more", item.path)
        if not item.opens:
            return Action("say", f"':print {item.path}' shows it whole") if item.depth == 0 else None
        return Action("close" if item.open else "open", item.path)

    def aside(self, by: int) -> Action | None:
        """Right opens a closed node; Left closes an open one, or goes to its parent."""
        if self.cursor >= len(self.items):
            return None
        item = self.items[self.cursor]
        if by > 0:
            return self.chosen(item) if item.more or (item.opens and not item.open) else None
        if item.open:
            return Action("close", item.path)
        above = [place for place in range(self.cursor) if self.items[place].depth < item.depth]
        if above:
            self.cursor = above[-1]
        return None

    def click(self, column: int, row: int, *, twice: bool = False) -> Action | None:
        place = self.top + row
        if not 0 <= place < len(self.items):
            return None
        self.cursor = place
        item = self.items[place]
        return self.chosen(item) if item.opens or item.more else None


class PluginRows(ListPane[str]):
    """A pane of a plug-in: lines of text."""

    empty = "nothing to show"

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.title = name.capitalize()
        self._failed = False

    def take(self, state: ScreenState) -> None:
        for each in state.plugins:
            if each.name == self.name:
                self._failed = each.error
                self.items = each.lines

    def key(self, item: str) -> Hashable:
        return item

    def row(self, item: str, columns: int) -> Line:
        return [("class:error" if self._failed else "", f" {item}")]

"""The tree of variables: the open nodes, their contents, and the rows to show. Pure.

A node is identified by its path, ``order.items[2].name``. Open nodes stay open from stop to stop in the same method,
and are read again; values that have changed since the last stop are marked.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from jdbpy import ValueInfo, Variable
from jdbpy.cli.screen.state import NodeShown
from jdbpy.escape import escape
from jdbpy.record import Record

PAGE = 50
"""Elements that are shown at first, and more with each page."""

MOST_OPEN = 40
"""Nodes that are read again at each stop."""


class NodeContents(Record):
    """What is in a node as far as it was read, and how much there is (None: no more than that)."""

    items: tuple[Variable, ...] = ()
    total: int | None = None
    error: str = ""


class VariableTree:
    """The variables of one frame after the other."""

    def __init__(self) -> None:
        self._roots: Sequence[Variable] = ()
        self._place: Hashable = None  # the method in which they stand
        self._open: dict[str, int] = {}  # with the elements that are wanted
        self._held: dict[str, NodeContents] = {}
        self._before: dict[str, str] = {}  # texts at the last stop
        self._texts: dict[str, str] = {}

    def take(self, place: Hashable, variables: Sequence[Variable], *, same_stop: bool = False) -> None:
        """Show the variables of a frame from now on. ``place`` is the same for the same invocation of a method."""
        if place != self._place:
            self._open.clear() if self._method(place) != self._method(self._place) else None
            self._before, self._texts = {}, {}
        elif not same_stop:
            self._before, self._texts = self._texts or self._before, {}
        self._place = place
        self._roots = variables
        self._held = {}

    @staticmethod
    def _method(place: Hashable) -> Hashable:
        return place[0] if isinstance(place, tuple) else place

    def opened(self, path: str) -> None:
        """Open a node."""
        self._open.setdefault(path, PAGE)

    def closed(self, path: str) -> None:
        """Close a node."""
        self._open.pop(path, None)

    def more(self, path: str) -> None:
        """Show a further page of a node."""
        self._open[path] = self._open.get(path, PAGE) + PAGE
        self._held.pop(path, None)

    def put(self, path: str, held: NodeContents) -> None:
        """Take in what is in a node."""
        self._held[path] = held

    def wanted(self) -> list[tuple[str, ValueInfo, int]]:
        """Return the open nodes that are in sight and not read: path, value, elements that are wanted."""
        found: list[tuple[str, ValueInfo, int]] = []
        for path, variable in self._walk("", self._roots):
            if path in self._open and path not in self._held and variable.value is not None and opens(variable.value):
                found.append((path, variable.value, self._open[path]))
        return found[:MOST_OPEN]

    def _walk(self, above: str, variables: Sequence[Variable]) -> list[tuple[str, Variable]]:
        found: list[tuple[str, Variable]] = []
        for path, variable in zip(paths(above, variables), variables, strict=True):
            found.append((path, variable))
            if path in self._open and path in self._held:
                found += self._walk(path, self._held[path].items)
        return found

    def nodes(self) -> tuple[NodeShown, ...]:
        """Return the rows."""
        found: list[NodeShown] = []
        self._add(found, "", self._roots, 0)
        return tuple(found)

    def _add(self, found: list[NodeShown], above: str, variables: Sequence[Variable], depth: int) -> None:
        for path, variable in zip(paths(above, variables), variables, strict=True):
            value = variable.value
            text = one_line(variable)
            self._texts[path] = text
            before = self._before.get(path)
            can_open = value is not None and opens(value)
            is_open = can_open and path in self._open
            found.append(
                NodeShown(
                    path,
                    escape(variable.name),
                    text,
                    escape(value.type if value is not None and value.id is not None else variable.type),
                    "string" if value is not None and value.tag == "s" else variable.kind,
                    depth,
                    can_open,
                    is_open,
                    variable.changed or (before is not None and before != text),
                    value is None,
                )
            )
            if is_open:
                self._add_held(found, path, depth + 1)

    def _add_held(self, found: list[NodeShown], path: str, depth: int) -> None:
        held = self._held.get(path)
        if held is None:
            found.append(NodeShown(f"{path} …", "", "…", depth=depth, kind="note"))
            return
        if held.error:
            found.append(NodeShown(f"{path} !", "", escape(held.error), depth=depth, kind="note", error=True))
        self._add(found, path, held.items, depth)
        if held.total is not None and held.total > len(held.items):
            left = held.total - len(held.items)
            text = f"… {left} more of {held.total}: Enter shows {min(left, PAGE)}"
            found.append(NodeShown(path, "", text, depth=depth, more=True))
        elif not held.items and not held.error:
            found.append(NodeShown(f"{path} 0", "", "(nothing in it)", depth=depth, kind="note"))


def opens(value: ValueInfo) -> bool:
    """True if there may be something in a value."""
    return value.id is not None and value.tag != "s" and value.raw not in (None, 0) and value.length != 0


def paths(above: str, variables: Sequence[Variable]) -> list[str]:
    """Return the path of each variable in a node, none twice."""
    found: dict[str, None] = {}
    for each in variables:
        name = each.name
        path = f"{above}{name}" if name.startswith("[") else f"{above}.{name}" if above else name
        if each.key is not None:
            path = f"{above}[{name}]"
        if path in found:
            path = f"{path} ({each.declared_in.rpartition('.')[2]})"
        while path in found:
            path += "'"
        found[path] = None
    return list(found)


def one_line(variable: Variable, *, children: bool = True) -> str:
    """Return the value as text, or why there is none; some of what is in an object, as ``locals`` shows it."""
    from jdbpy.cli.output.pieces import plain_text
    from jdbpy.cli.output.values import value_line

    if variable.value is None:
        return escape(variable.error or "unknown")
    return plain_text(value_line(variable.value, children=children))

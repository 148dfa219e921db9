"""The parts of a value, page by page; chains of objects; and what is asked of one of them is asked of all.

Made by ./dev generate from jdbpy/api/parts.py; do not edit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jdbpy.api import parts as inner
from jdbpy.sync import portal

if TYPE_CHECKING:
    from jdbpy.sync.values import Value


class Children(portal.Synced):
    """The parts of a value, as an iterator of values; pages are read as they are needed.

    wire: a few trips for each page; pages grow from 64 to 1,024 values.
    """

    __slots__ = ()

    def __iter__(self) -> Iterator[Value]:
        """Walk through them."""
        return self._iterate(self._inner._pages())

    def page(self, start: int, count: int) -> list[Value]:
        """``count`` of them from ``start`` on, fewer at the end. Raises UsageError for negative numbers.

        wire: 3 trips or a few more, whatever their number.
        """
        found: list[Value] = self._await(lambda: self._inner.page(start, count))
        return found

    def count(self) -> int:
        """Return how many there are. Raises UsageError where only reading all of them would tell. wire: 3 trips."""
        found: int = self._await(lambda: self._inner.count())
        return found


portal.register(inner.Children, Children)


class Chain(portal.Synced):
    """Linked objects, as an iterator of values; the links are followed when the first is asked for."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Value]:
        """Walk through them."""
        return self._iterate(self._inner._pages())


portal.register(inner.Chain, Chain)

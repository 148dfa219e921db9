"""Time by method: measured by looking at all stacks a hundred times a second, without an event in the target.

Made by ./dev generate from jdbpy/api/timing.py; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jdbpy.api import timing as inner
from jdbpy.sync import portal

if TYPE_CHECKING:
    from jdbpy.api.tables import Table
    from jdbpy.session.inspect.sampling import MethodTime, Sampled


class Timing(portal.Synced):
    """Seconds that threads spend in methods, as clocks count them: waiting counts too. For an ``with`` block.

    All threads are suspended for a moment at each look, a hundred times a second at most, and run for four fifths of
    the time at least. What lasts less than a look is found in proportion to its share.
    """

    __slots__ = ()

    def __enter__(self) -> Timing:
        """Begin to measure. Raises StateError when all threads are suspended. wire: 1 trip a look."""
        self._await(self._inner.__aenter__)
        return self

    def __exit__(self, *exc: object) -> None:
        """End it. No trip."""
        self._await(lambda: self._inner.__aexit__(*exc))

    def result(self) -> Sampled:
        """Return what was measured: of all ``seconds``, which are waited for, or up to now if none were given.

        Raises StateError when all threads were suspended, or before the block. wire: 2 trips for classes that are new.
        """
        found: Sampled = self._await(lambda: self._inner.result())
        return found

    def methods(self) -> list[MethodTime]:
        """Return the methods that fit, those with the most time first. As ``result``."""
        found: list[MethodTime] = self._await(lambda: self._inner.methods())
        return found

    def table(self, most: int = 20) -> Table:
        """Return the ``most`` expensive methods, by ``method``, ``seconds``, ``own`` (without what it called) and
        ``share`` of the time in percent. As ``result``."""
        found: Table = self._await(lambda: self._inner.table(most))
        return found


portal.register(inner.Timing, Timing)

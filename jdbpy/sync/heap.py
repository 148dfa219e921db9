"""The heap as a script sees it: histograms that can be subtracted, instances as values.

Made by ./dev generate from jdbpy/api/heap.py; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jdbpy.api import heap as inner
from jdbpy.sync import portal

if TYPE_CHECKING:
    from jdbpy.api.heap import Histogram
    from jdbpy.sync.values import Value


class Heap(portal.Synced):
    """Questions about all objects. Each walks the heap: the target stands still meanwhile, some 10 ms for a small heap
    and seconds for a large one."""

    __slots__ = ()

    def histogram(self, pattern: str = "") -> Histogram:
        """Reachable instances of all classes, or of those whose name fits (``com.acme.*``): none is left out.

        Raises UsageError when no class fits, StateError where the JVM cannot tell. wire: 2 trips.
        """
        found: Histogram = self._await(lambda: self._inner.histogram(pattern))
        return found

    def instances(self, class_name: str, most: int = 100) -> list[Value]:
        """Reachable instances of exactly that class, ``most`` of them.

        Raises UsageError for a class that is not loaded. wire: 3 or 4 trips.
        """
        found: list[Value] = self._await(lambda: self._inner.instances(class_name, most))
        return found

    def count(self, class_name: str) -> int:
        """Return how many reachable instances of exactly that class there are. Raises and wire: as ``instances``."""
        found: int = self._await(lambda: self._inner.count(class_name))
        return found

    def referrers(self, of: Value, most: int = 50) -> list[Value]:
        """Return the objects that refer to one, ``most`` of them; ``name`` is the field or element that does.

        Raises UsageError for what is not an object, or was collected. wire: 3 trips or a few more.
        """
        found: list[Value] = self._await(lambda: self._inner.referrers(portal.unwrap(of), most))
        return found

    def path(self, to: Value) -> Any:
        """Return a shortest chain of references that keeps an object alive, as ``jdbpy.heap.HeapPath``. wire: a trip a
        level, and a heap walk for each."""
        return self._await(lambda: self._inner.path(portal.unwrap(to)))


portal.register(inner.Heap, Heap)

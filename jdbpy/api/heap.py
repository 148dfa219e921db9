"""The heap as a script sees it: histograms that can be subtracted, instances as values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jdbpy.api.core import Core
from jdbpy.api.parts import Peers
from jdbpy.api.tables import Table
from jdbpy.api.values import Value
from jdbpy.errors import JdwpError, UsageError

_EVERY = 1 << 30


class Histogram:
    """Reachable instances by class: ``histogram["com.acme.Order"]`` is their number, 0 for a class without any.

    ``later - earlier`` is what has come and gone: the differences, those of 0 left out.
    """

    def __init__(self, counts: Mapping[str, int]) -> None:
        self.counts = dict(counts)
        """Numbers by the names of classes, in no order."""

    @property
    def total(self) -> int:
        """Return the number of all instances; of a difference, what it comes to."""
        return sum(self.counts.values())

    def top(self, count: int = 10) -> Table:
        """Return the ``count`` classes with the most instances, of a difference with the largest changes, as a table
        with the columns ``class`` and ``instances``. No trip."""
        ordered = sorted(self.counts.items(), key=lambda each: (-abs(each[1]), each[0]))
        return Table(["class", "instances"], ordered[:count])

    def __getitem__(self, class_name: str) -> int:
        """Return the number of instances of a class by its name; 0 for one that has none. No trip."""
        return self.counts.get(class_name, 0)

    def __sub__(self, earlier: Histogram) -> Histogram:
        names = self.counts.keys() | earlier.counts.keys()
        changes = {name: self[name] - earlier[name] for name in names}
        return Histogram({name: change for name, change in changes.items() if change})

    def __len__(self) -> int:
        return len(self.counts)

    def __iter__(self) -> Iterator[str]:
        return iter(self.counts)

    def __str__(self) -> str:
        return str(self.top(20))

    def __repr__(self) -> str:
        return f"<histogram: {len(self.counts):,} classes, {self.total:,} instances>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        return self.top(20)._repr_html_()


class Heap:
    """Questions about all objects. Each walks the heap: the target stands still meanwhile, some 10 ms for a small heap
    and seconds for a large one."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def histogram(self, pattern: str = "") -> Histogram:
        """Reachable instances of all classes, or of those whose name fits (``com.acme.*``): none is left out.

        Raises UsageError when no class fits, StateError where the JVM cannot tell. wire: 2 trips.
        """
        found = await self._core.session.heap.histogram(pattern, limit=_EVERY)
        counts: dict[str, int] = {}
        for each in found.classes:
            counts[each.class_name] = counts.get(each.class_name, 0) + each.count
        return Histogram(counts)

    async def instances(self, class_name: str, most: int = 100) -> list[Value]:
        """Reachable instances of exactly that class, ``most`` of them.

        Raises UsageError for a class that is not loaded. wire: 3 or 4 trips.
        """
        found = await self._core.session.heap.instances(class_name, limit=most)
        peers = Peers(self._core)
        return [Value(self._core, each, f"[{n}]", peers=peers) for n, each in enumerate(found.values)]

    async def count(self, class_name: str) -> int:
        """Return how many reachable instances of exactly that class there are. Raises and wire: as ``instances``."""
        return (await self._core.session.heap.instances(class_name, limit=1)).total

    async def referrers(self, of: Value, most: int = 50) -> list[Value]:
        """Return the objects that refer to one, ``most`` of them; ``name`` is the field or element that does.

        Raises UsageError for what is not an object, or was collected. wire: 3 trips or a few more.
        """
        try:
            found = await self._core.session.heap.referrers(of.id, limit=most)
        except JdwpError as error:
            if error.code != "INVALID_OBJECT":
                raise
            raise UsageError("the object was garbage-collected", code=error.code) from error
        peers = Peers(self._core)
        return [Value(self._core, each.value, ", ".join(each.how), peers=peers) for each in found]

    async def path(self, to: Value) -> Any:
        """Return a shortest chain of references that keeps an object alive, as ``jdbpy.heap.HeapPath``. wire: a trip a
        level, and a heap walk for each."""
        return await self._core.session.heap.path(to.id)

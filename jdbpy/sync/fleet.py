"""Several JVMs at once: the same asked of all side by side, and their hits in one row, each with its JVM.

Made by ./dev generate from jdbpy/api/fleet.py; do not edit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from jdbpy.api import fleet as inner
from jdbpy.sync import portal

if TYPE_CHECKING:
    from jdbpy.sync.breakpoints import Hits
    from jdbpy.sync.hits import Reported
    from jdbpy.sync.vm import Vm


class Answer(portal.Synced):
    """The answer of one JVM when all were asked: a ``value``, or the ``error`` why there is none."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """That of the JVM."""
        found: str = self._wrap(self._inner.name)
        return found

    @property
    def value(self) -> Any:
        """The result."""
        found: Any = self._wrap(self._inner.value)
        return found

    @property
    def error(self) -> Exception | None:
        """The error because of which there is none; None when it went well."""
        found: Exception | None = self._wrap(self._inner.error)
        return found

    @property
    def ok(self) -> bool:
        """True if there is a value."""
        found: bool = self._wrap(self._inner.ok)
        return found


portal.register(inner.Answer, Answer)


class FleetHit(portal.Synced):
    """A hit in one of several JVMs, or the news that one went away or came back."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """That of the JVM."""
        found: str = self._wrap(self._inner.name)
        return found

    @property
    def vm(self) -> Vm:
        """The JVM itself."""
        found: Vm = self._wrap(self._inner.vm)
        return found

    @property
    def hit(self) -> Reported | None:
        """The hit that was reported; None when the JVM went away."""
        found: Reported | None = self._wrap(self._inner.hit)
        return found

    @property
    def gone(self) -> str:
        """The reason why the JVM went away; "" for a hit."""
        found: str = self._wrap(self._inner.gone)
        return found


portal.register(inner.FleetHit, FleetHit)


class Fleet(portal.Synced):
    """Several JVMs, by name. Made by ``jdbpy.fleet``, and good until its block ends.

    ``vms`` are those that could be had; ``missing`` says of the others why not.
    """

    __slots__ = ()

    @property
    def vms(self) -> dict[str, Vm]:
        """The JVMs by name, in the order of their addresses."""
        found: dict[str, Vm] = self._wrap(self._inner.vms)
        return found

    @property
    def missing(self) -> dict[str, Exception]:
        """Those that could not be attached to, with the error."""
        found: dict[str, Exception] = self._wrap(self._inner.missing)
        return found

    @property
    def names(self) -> list[str]:
        """Return the names of the JVMs. No trip."""
        found: list[str] = self._wrap(self._inner.names)
        return found

    def __getitem__(self, name: str) -> Vm:
        """Return the JVM of that name. Raises KeyError. No trip."""
        found: Vm = self._wrap(self._inner[name])
        return found

    def __len__(self) -> int:
        """Return how many JVMs there are. No trip."""
        return len(self._inner)

    def each(self, do: Callable[[Vm], Any], timeout: float | None = None) -> dict[str, Answer]:
        """Ask the same of all JVMs side by side; return an ``Answer`` for each, by name.

        ``do`` is called with each ``Vm``; what it returns is awaited if it can be. An error of one, such as that it
        went away, is its answer, and disturbs no other; so is TimedOut for one that takes longer than ``timeout``.
        wire: as what is asked, of the slowest.
        """
        found: dict[str, Answer] = self._await(lambda: self._inner.each(self._function(do), timeout))
        return found

    def gather(self, do: Callable[[Vm], Any], timeout: float | None = None) -> dict[str, Any]:
        """Like ``each``, and return the values alone. Raises the first error, with the name of its JVM as a note."""
        found: dict[str, Any] = self._await(lambda: self._inner.gather(self._function(do), timeout))
        return found

    def hits(self, make: Callable[[Vm], Hits]) -> FleetHits:
        """Hits of all JVMs in one row: ``fleet.hits(lambda vm: vm.log("Order.total", "{total}"))``, for a block.

        ``make`` is called with each ``Vm``. A hit has the name of its JVM; those of one JVM come in the order of time.
        A JVM that goes away is reported in the row, once, and the others go on. No trip until the block begins.
        """
        found: FleetHits = self._wrap(self._inner.hits(self._maker(make)))
        return found


portal.register(inner.Fleet, Fleet)


class FleetHits(portal.Synced):
    """Hits of several JVMs; to be used in an ``with`` block. ``failed`` has those where they could not be set."""

    __slots__ = ()

    @property
    def failed(self) -> dict[str, Exception]:
        """The JVMs in which they could not be set, with the errors."""
        found: dict[str, Exception] = self._wrap(self._inner.failed)
        return found

    def __enter__(self) -> FleetHits:
        """Begin to take hits, in all JVMs side by side. Raises the error of all if it fails in each. wire: 1 to 3."""
        self._await(self._inner.__aenter__)
        return self

    def __exit__(self, *exc: object) -> None:
        """End it in all JVMs side by side. Raises as ``Hits`` does. wire: 1 trip."""
        self._await(lambda: self._inner.__aexit__(*exc))

    def take(self, seconds: float | None = None, count: int | None = None) -> Iterator[FleetHit]:
        """Return the hits one by one: of the next ``seconds``, or the next ``count``, or what comes first of both.

        Without either, up to the end of the block or of all targets. No trip.
        """
        return self._iterate(self._inner._take_pages(seconds, count))

    def __iter__(self) -> Iterator[FleetHit]:
        """Walk through them."""
        return self._iterate(self._inner._take_pages())

    def next(self, timeout: float | None = None) -> FleetHit:
        """Return the next hit. Raises TimedOut, StateError when all targets have ended. No trip."""
        found: FleetHit = self._await(lambda: self._inner.next(timeout))
        return found


portal.register(inner.FleetHits, FleetHits)

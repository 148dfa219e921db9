"""Several JVMs at once: the same asked of all side by side, and their hits in one row, each with its JVM."""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial
from typing import Any

import trio

from jdbpy.api.breakpoints import Hits
from jdbpy.api.delivery import on_rollback
from jdbpy.api.hits import Reported
from jdbpy.api.lazy import one_by_one
from jdbpy.api.vm import Vm, start_beside
from jdbpy.errors import Disconnected, JdbpyError, StateError, TimedOut, UsageError
from jdbpy.task_groups import open_nursery

MOST_WAITING = 1_000
"""Hits that wait in the common row; more wait with their JVMs, and are counted there when they are too many."""


class Answer:
    """The answer of one JVM when all were asked: a ``value``, or the ``error`` why there is none."""

    def __init__(self, name: str, value: Any = None, error: Exception | None = None) -> None:
        self.name = name
        """That of the JVM."""
        self.value: Any = value
        """The result."""
        self.error: Exception | None = error
        """The error because of which there is none; None when it went well."""

    @property
    def ok(self) -> bool:
        """True if there is a value."""
        return self.error is None

    def __repr__(self) -> str:
        return f"<{self.name}: {self.value!r}>" if self.ok else f"<{self.name}: {self.error!r}>"


class FleetHit:
    """A hit in one of several JVMs, or the news that one went away or came back."""

    def __init__(self, name: str, vm: Vm, hit: Reported | None, gone: str = "") -> None:
        self.name = name
        """That of the JVM."""
        self.vm: Vm = vm
        """The JVM itself."""
        self.hit: Reported | None = hit
        """The hit that was reported; None when the JVM went away."""
        self.gone = gone
        """The reason why the JVM went away; "" for a hit."""

    def __repr__(self) -> str:
        return f"<{self.name}: {self.hit!r}>" if self.hit is not None else f"<{self.name} is gone: {self.gone}>"


class Fleet:
    """Several JVMs, by name. Made by ``jdbpy.fleet``, and good until its block ends.

    ``vms`` are those that could be had; ``missing`` says of the others why not.
    """

    def __init__(self) -> None:
        self.vms: dict[str, Vm] = {}
        """The JVMs by name, in the order of their addresses."""
        self.missing: dict[str, Exception] = {}
        """Those that could not be attached to, with the error."""

    @property
    def names(self) -> list[str]:
        """Return the names of the JVMs. No trip."""
        return list(self.vms)

    def __getitem__(self, name: str) -> Vm:
        """Return the JVM of that name. Raises KeyError. No trip."""
        return self.vms[name]

    def __len__(self) -> int:
        """Return how many JVMs there are. No trip."""
        return len(self.vms)

    async def each(self, do: Callable[[Vm], Any], timeout: float | None = None) -> dict[str, Answer]:
        """Ask the same of all JVMs side by side; return an ``Answer`` for each, by name.

        ``do`` is called with each ``Vm``; what it returns is awaited if it can be. An error of one, such as that it
        went away, is its answer, and disturbs no other; so is TimedOut for one that takes longer than ``timeout``.
        wire: as what is asked, of the slowest.
        """
        answers: dict[str, Answer] = {}

        async def ask(name: str, vm: Vm) -> None:
            try:
                with trio.move_on_after(timeout if timeout is not None else float("inf")) as scope:
                    value = do(vm)
                    answers[name] = Answer(name, await value if inspect.isawaitable(value) else value)
                if scope.cancelled_caught:
                    answers[name] = Answer(name, error=TimedOut(f"no answer within {timeout:g} seconds"))
            except Exception as error:
                answers[name] = Answer(name, error=error)

        async with open_nursery() as nursery:
            for name, vm in self.vms.items():
                nursery.start_soon(ask, name, vm)
        return {name: answers[name] for name in self.vms}

    async def gather(self, do: Callable[[Vm], Any], timeout: float | None = None) -> dict[str, Any]:
        """Like ``each``, and return the values alone. Raises the first error, with the name of its JVM as a note."""
        answers = await self.each(do, timeout)
        for answer in answers.values():
            if answer.error is not None:
                answer.error.add_note(f"in the JVM {answer.name}")
                raise answer.error
        return {name: answer.value for name, answer in answers.items()}

    def hits(self, make: Callable[[Vm], Hits]) -> FleetHits:
        """Hits of all JVMs in one row: ``fleet.hits(lambda vm: vm.log("Order.total", "{total}"))``, for a block.

        ``make`` is called with each ``Vm``. A hit has the name of its JVM; those of one JVM come in the order of time.
        A JVM that goes away is reported in the row, once, and the others go on. No trip until the block begins.
        """
        return FleetHits(self, make)

    def __repr__(self) -> str:
        missing = f", {len(self.missing)} missing" if self.missing else ""
        return f"<fleet of {len(self.vms)} JVMs: {', '.join(self.vms)}{missing}>"


class FleetHits:
    """Hits of several JVMs; to be used in an ``async with`` block. ``failed`` has those where they could not be set."""

    def __init__(self, fleet: Fleet, make: Callable[[Vm], Hits]) -> None:
        self._fleet = fleet
        self._make = make
        self._hits: list[Hits] = []
        self._followers: list[trio.CancelScope] = []
        self._given: deque[FleetHit] = deque()
        self._arrived = trio.lowlevel.ParkingLot()
        self._room = trio.lowlevel.ParkingLot()
        self._going = 0
        self.failed: dict[str, Exception] = {}
        """The JVMs in which they could not be set, with the errors."""

    async def __aenter__(self) -> FleetHits:
        """Begin to take hits, in all JVMs side by side. Raises the error of all if it fails in each. wire: 1 to 3."""
        made: dict[str, Hits] = {}

        async def begin(name: str, vm: Vm) -> None:
            try:
                found: Any = self._make(vm)
                hits: Hits = await found if inspect.isawaitable(found) else found
                await hits.__aenter__()
                made[name] = hits
            except JdbpyError as error:
                self.failed[name] = error

        async with open_nursery() as nursery:
            for name, vm in self._fleet.vms.items():
                nursery.start_soon(begin, name, vm)
        if self.failed and not made:
            raise next(iter(self.failed.values()))
        for name, hits in made.items():
            vm = self._fleet.vms[name]
            self._hits.append(hits)
            self._followers.append(trio.CancelScope())
            self._going += 1
            start_beside(vm, partial(self._follow, name, vm, hits, self._followers[-1]))
        return self

    async def __aexit__(self, *exc: object) -> None:
        """End it in all JVMs side by side. Raises as ``Hits`` does. wire: 1 trip."""
        for scope in self._followers:
            scope.cancel()
        async with open_nursery() as nursery:  # each of them shields its own end, until the time of this task is over
            for hits in self._hits:
                nursery.start_soon(_end, hits, exc[0])

    async def _follow(self, name: str, vm: Vm, hits: Hits, scope: trio.CancelScope) -> None:
        why = "the target has ended"
        with scope:
            try:
                async for hit in hits.take():
                    while len(self._given) >= MOST_WAITING:
                        await self._room.park()
                    self._give(FleetHit(name, vm, hit))
            except Disconnected as error:
                why = error.message
        self._going -= 1
        if scope.cancelled_caught:
            self._arrived.unpark_all()
        else:
            self._give(FleetHit(name, vm, None, why))

    def _give(self, hit: FleetHit) -> None:
        self._given.append(hit)
        self._arrived.unpark_all()

    def _put_back(self, hits: Iterable[FleetHit]) -> None:
        self._given.extendleft(reversed(list(hits)))
        self._arrived.unpark_all()

    def take(self, seconds: float | None = None, count: int | None = None) -> AsyncIterator[FleetHit]:
        """Return the hits one by one: of the next ``seconds``, or the next ``count``, or what comes first of both.

        Without either, up to the end of the block or of all targets. No trip.
        """
        return one_by_one(self._take_pages(seconds, count))

    async def _take_pages(
        self, seconds: float | None = None, count: int | None = None
    ) -> AsyncIterator[deque[FleetHit]]:
        deadline = trio.current_time() + seconds if seconds is not None else None
        count_taken = 0
        while count is None or count_taken < count:
            with trio.move_on_at(deadline) if deadline is not None else trio.CancelScope() as scope:
                while not self._given and self._going:
                    await self._arrived.park()
            if not self._given or scope.cancelled_caught:
                return
            page = deque([self._given.popleft()])
            self._room.unpark_all()
            count_taken += 1
            try:
                yield page
            finally:
                self._put_back(page)

    def __aiter__(self) -> AsyncIterator[FleetHit]:
        return self.take()

    async def next(self, timeout: float | None = None) -> FleetHit:
        """Return the next hit. Raises TimedOut, StateError when all targets have ended. No trip."""
        with trio.move_on_after(timeout if timeout is not None else float("inf")):
            while not self._given and self._going:
                await self._arrived.park()
            if not self._given:
                raise StateError("no further hit can come: all targets or the block have ended", code="VM_DEAD")
            self._room.unpark_all()
            hit = self._given.popleft()
            on_rollback(lambda: self._put_back([hit]))
            return hit
        raise TimedOut(f"no hit within {timeout:g} seconds")


async def _end(hits: Hits, error: object) -> None:
    with suppress(Disconnected):
        await hits.__aexit__(error, None, None)


class Opened:
    """Opens the JVMs of a fleet side by side, each in a task of its own, and leaves them so."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self._nursery = nursery
        self._leave = trio.Event()
        self._open = 0
        self._left = trio.lowlevel.ParkingLot()

    async def open(self, openings: Mapping[str, AbstractAsyncContextManager[Vm]]) -> Fleet:
        """Return the fleet of those that could be had. Raises the first error if none could."""
        found: dict[str, Vm] = {}
        fleet = Fleet()

        async def open_one(name: str) -> None:
            try:
                found[name] = await self._nursery.start(self._hold, openings[name])
            except JdbpyError as error:
                fleet.missing[name] = error

        async with open_nursery() as nursery:
            for name in openings:
                nursery.start_soon(open_one, name)
        if not found and fleet.missing:
            raise next(iter(fleet.missing.values()))
        fleet.vms = {name: found[name] for name in openings if name in found}
        return fleet

    async def leave(self) -> None:
        """Leave all of them side by side."""
        self._leave.set()
        while self._open:
            await self._left.park()

    async def _hold(
        self, opening: AbstractAsyncContextManager[Vm], task_status: trio.TaskStatus[Vm] = trio.TASK_STATUS_IGNORED
    ) -> None:
        self._open += 1
        try:
            async with opening as vm:
                task_status.started(vm)
                await self._leave.wait()
        finally:
            self._open -= 1
            self._left.unpark_all()


def named(addresses: Iterator[tuple[str, str]]) -> dict[str, str]:
    """Return the addresses by name; raises UsageError for a name that is given twice."""
    found: dict[str, str] = {}
    for name, address in addresses:
        if name in found:
            raise UsageError(f"two JVMs of the fleet are called {name}", hint="give them names of their own")
        found[name] = address
    return found

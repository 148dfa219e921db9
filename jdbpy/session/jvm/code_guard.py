"""A lock between setting breakpoints and redefining classes: ``CodeGuard``. Neither happens during the other.

Finding a place takes several trips, and setting a breakpoint there one more. If the class is redefined in between, the
index may lie within an instruction of the new code, and the VM crashes when it gets there (docs/agent.md, "Breakpoints
between instructions"). Tables that are read in several trips would also mix the old code with the new.

A redefinition holds the lock until the breakpoints of the class are set again. That needs places too, so a task that
holds the lock, and the tasks that it starts, may enter it again. While a task holds the lock, it must wait for nothing
but replies from the target: anything else may itself be waiting for the lock.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar

import trio

from jdbpy.wire.ids import ReferenceTypeID


class _Section:
    """A block that a task has entered, inherited by tasks started within it. ``active`` is False once it is left."""

    __slots__ = ("active", "guard", "outer", "replaces")

    def __init__(self, guard: CodeGuard, outer: _Section | None, *, replaces: bool) -> None:
        self.guard = guard
        self.outer = outer
        self.replaces = replaces
        self.active = True


_entered: ContextVar[_Section | None] = ContextVar("_entered", default=None)


class CodeGuard:
    """The lock of one target: many tasks may rely on its code at a time, or one may redefine classes."""

    def __init__(self) -> None:
        self._relying = 0
        self._replaced: frozenset[ReferenceTypeID] | None = None  # the classes that are being redefined
        self._waiting = 0  # tasks that want to redefine classes; they go before new readers
        self._turn = trio.lowlevel.ParkingLot()

    def is_replaced(self, type_id: ReferenceTypeID) -> bool:
        """True while another task redefines the class and will set its breakpoints again. No trip."""
        return self._replaced is not None and type_id in self._replaced and self._own_section() is None

    @asynccontextmanager
    async def unchanged(self) -> AsyncIterator[None]:
        """Keep all classes from being redefined within the block; wait first for a redefinition under way. No trip."""
        if self._own_section() is not None:
            yield
            return
        while self._replaced is not None or self._waiting:
            await self._turn.park()
        self._relying += 1
        try:
            with self._entering(replaces=False):
                yield
        finally:
            self._relying -= 1
            self._turn.unpark_all()

    @asynccontextmanager
    async def replacing(self, type_ids: Collection[ReferenceTypeID]) -> AsyncIterator[None]:
        """Redefine these classes, and set their breakpoints again, within the block; wait first for tasks that rely on
        code. No trip.

        It must not be entered within ``unchanged``.
        """
        own = self._own_section()
        if own is not None:
            assert own.replaces, "code is to be replaced by what relies on it"
            yield
            return
        self._waiting += 1
        try:
            while self._replaced is not None or self._relying:
                await self._turn.park()
        finally:
            self._waiting -= 1
            self._turn.unpark_all()
        self._replaced = frozenset(type_ids)
        try:
            with self._entering(replaces=True):
                yield
        finally:
            self._replaced = None
            self._turn.unpark_all()

    def _own_section(self) -> _Section | None:
        """Return the innermost active section of this guard that the task has entered or inherited, or None."""
        section = _entered.get()
        while section is not None and not (section.active and section.guard is self):
            section = section.outer
        return section

    @contextmanager
    def _entering(self, *, replaces: bool) -> Iterator[None]:
        section = _Section(self, _entered.get(), replaces=replaces)
        _entered.set(section)
        try:
            yield
        finally:
            section.active = False
            _entered.set(section.outer)

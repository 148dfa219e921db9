"""What is set by places in code, and the replacing of code, kept apart: each waits for the other.

A place is found in several trips and set in a further one. If its class is given other code in between, the place is
in the midst of an instruction, and the VM breaks where it gets there (docs/agent.md, "Breakpoints between
instructions"); and what is read by parts is half of the former code and half of the new one.

Who replaces code holds it until the breakpoints of before are set again, which needs places: within its own section a
task, and those that it starts, may do both. Wait in a section for nothing but the target's answers.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar

import trio

from jdbpy.wire.ids import ReferenceTypeID


class _Section:
    """What a task has entered, and may have left while tasks that it started go on."""

    __slots__ = ("active", "guard", "outer", "replaces")

    def __init__(self, guard: CodeGuard, outer: _Section | None, *, replaces: bool) -> None:
        self.guard = guard
        self.outer = outer
        self.replaces = replaces
        self.active = True


_entered: ContextVar[_Section | None] = ContextVar("_entered", default=None)


class CodeGuard:
    """The code of one target: many may rely on it at a time, or one may replace some of it."""

    def __init__(self) -> None:
        self._relying = 0
        self._replaced: frozenset[ReferenceTypeID] | None = None  # the classes, while some are being replaced
        self._waiting = 0  # who want to replace some: those that come to rely on it let them go first
        self._turn = trio.lowlevel.ParkingLot()

    def is_replaced(self, type_id: ReferenceTypeID) -> bool:
        """True while another task replaces the code of a class: its places are to be set when that is done. No trip."""
        return self._replaced is not None and type_id in self._replaced and self._own_section() is None

    @asynccontextmanager
    async def unchanged(self) -> AsyncIterator[None]:
        """Within the block no class is given other code. wire: none; it waits for what replaces some now."""
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
        """Within the block these classes are given other code, and all that stood in them is set again.

        It must not be entered within ``unchanged``. wire: none; it waits for what relies on code now.
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
        """Return the section of this guard that the task is in, itself or by the task that has started it."""
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

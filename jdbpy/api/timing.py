"""Time by method: measured by looking at all stacks a hundred times a second, without an event in the target."""

from __future__ import annotations

from typing import Any

import trio

from jdbpy.api.core import Core
from jdbpy.api.feeds import only_in_a_block
from jdbpy.api.tables import Table
from jdbpy.session.inspect.sampling import MethodTime, Sampled, Sampler


class Timing:
    """Seconds that threads spend in methods, as clocks count them: waiting counts too. For an ``async with`` block.

    All threads are suspended for a moment at each look, a hundred times a second at most, and run for four fifths of
    the time at least. What lasts less than a look is found in proportion to its share.
    """

    def __init__(self, core: Core, pattern: str, seconds: float | None, every: float) -> None:
        self._core = core
        self._pattern = pattern
        self._seconds = seconds
        self._every = every
        self._sampler: Sampler | None = None
        self._scope = trio.CancelScope()
        self._done = trio.Event()
        self._error: Exception | None = None

    async def __aenter__(self) -> Timing:
        """Begin to measure. Raises StateError when all threads are suspended. wire: 1 trip a look."""
        self._sampler = self._core.session.threads.sampler()
        self._core.start(self._run)
        return self

    async def _run(self) -> None:
        assert self._sampler is not None
        try:
            with self._scope:
                await self._sampler.run(self._seconds, self._every)
        except Exception as error:  # raised by what asks for the result
            self._error = error
        finally:
            self._done.set()

    async def __aexit__(self, *exc: object) -> None:
        """End it. No trip."""
        self._scope.cancel()
        await self._done.wait()

    async def result(self) -> Sampled:
        """Return what was measured: of all ``seconds``, which are waited for, or up to now if none were given.

        Raises StateError when all threads were suspended, or before the block. wire: 2 trips for classes that are new.
        """
        if self._sampler is None:
            raise only_in_a_block("with vm.sample(...) as spent: in it, or behind it, spent.table()")
        if self._seconds is not None or self._error is not None:
            await self._done.wait()
        if self._error is not None:
            raise self._error
        return await self._sampler.result(self._pattern)

    async def methods(self) -> list[MethodTime]:
        """Return the methods that fit, those with the most time first. As ``result``."""
        return list((await self.result()).methods)

    async def table(self, most: int = 20) -> Table:
        """Return the ``most`` expensive methods, by ``method``, ``seconds``, ``own`` (without what it called) and
        ``share`` of the time in percent. As ``result``."""
        found = await self.result()
        rows: list[list[Any]] = []
        for each in found.methods[:most]:
            share = 100 * each.total / found.seconds if found.seconds else 0.0
            rows.append([f"{each.class_name}.{each.method}", each.total, each.own, round(share, 1)])
        return Table(["method", "seconds", "own", "share"], rows)

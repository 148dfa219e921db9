"""Samples, medians and ratios: what a measurement is, before it is a table."""

from __future__ import annotations

import statistics
import time
from collections.abc import Awaitable, Callable
from enum import Enum

from jdbpy.record import Record


class Unit(Enum):
    """What the amounts of a result are."""

    SECONDS = "s"
    BYTES = "B"


class Sample(Record):
    """One run. ``amount`` is the seconds of the work, or of one piece of it, or its bytes of memory; ``waves`` the
    round trips, where counted."""

    amount: float
    waves: float | None = None


class Figure(Record):
    """All runs of one contender ("jdb", "jdbpy", "floor")."""

    contender: str
    samples: tuple[Sample, ...]

    @property
    def median(self) -> float:
        return statistics.median(sample.amount for sample in self.samples)

    @property
    def lowest(self) -> float:
        return min(sample.amount for sample in self.samples)

    @property
    def highest(self) -> float:
        return max(sample.amount for sample in self.samples)

    @property
    def waves(self) -> float | None:
        """The median of the round trips."""
        counted = [sample.waves for sample in self.samples if sample.waves is not None]
        return statistics.median(counted) if counted else None


class Result(Record):
    """What a case has found: ``work`` in words, the ``link`` it went over, a figure for each contender."""

    work: str
    link: str
    figures: tuple[Figure, ...]
    unit: Unit = Unit.SECONDS

    def figure(self, contender: str) -> Figure | None:
        return next((figure for figure in self.figures if figure.contender == contender), None)


class Effort(Record):
    """How much measuring is enough: ``runs`` at most, and after the first none that begins later than ``seconds``."""

    runs: int = 5
    seconds: float = 5.0


async def measure(contender: str, effort: Effort, run: Callable[[], Awaitable[Sample]]) -> Figure:
    """Runs the contender again and again, as the effort allows, at least once."""
    start = time.perf_counter()
    samples = [await run()]
    while len(samples) < effort.runs and time.perf_counter() - start < effort.seconds:
        samples.append(await run())
    return Figure(contender, tuple(samples))

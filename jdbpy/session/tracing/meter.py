"""How many hits of a point are reported, how many are left out, and when there have been enough. Pure.

Owns the pace of one point that reports and goes on. Time comes in as an argument (seconds of a monotonic clock), so
that nothing here waits and a test turns its clock by hand.
"""

from __future__ import annotations

import math

from jdbpy.record import Record
from jdbpy.session.tracing.model import Reporting

WINDOW = 1.0
"""Seconds over which hits are counted for the limits."""

AGENT_COST = 5e-6
"""Seconds that HotSpot's agent takes to send an event that suspends nothing; measured on loopback."""


class LeftOut(Record):
    """Hits that were counted and not reported, in the time (seconds) before now."""

    count: int
    seconds: float


class Pace(Record):
    """What was measured in a window: hits a second, and the share of a second that they take."""

    rate: float
    cost: float
    load: float


class Taken(Record):
    """One hit as the meter took it.

    ``left_out`` is to be said before it. ``spent`` and ``too_much`` tell why the point is to be switched off after it:
    it has had its hits, or these take more of the target's time than they may.
    """

    number: int
    at: float
    reported: bool
    left_out: LeftOut | None = None
    spent: bool = False
    too_much: Pace | None = None


class Meter:
    """The hits of one point since it was set or switched on."""

    def __init__(self, reporting: Reporting) -> None:
        self._limit = math.inf if reporting.limit is None else reporting.limit
        self._most = reporting.most
        self._allowed = reporting.cost / 100
        self._first = self.last = 0.0
        self._cost = 0.0
        self._busy = self._accounted_busy = 0.0  # when the window was opened, and when hits were accounted for
        self._accounted = 0
        self._said = self._left_out = self._reports = 0
        self._counted_until = -math.inf  # a hit before that, and before that of the last number, is only counted
        self._last_number: float = self._most or math.inf
        self.samples = 0
        self._paused = True
        self.over = False
        """Whether it is to be switched off, or is: later hits do not count."""
        self.window: tuple[int, float] | None = None
        """Hits and seconds of the last window, until somebody has taken note of them."""
        self._open_window(-math.inf)

    def restart(self, hits: int) -> None:
        """The point is switched on again, after so many hits."""
        self._last_number = hits + (self._most or math.inf)
        self.over, self._paused = False, True
        self._open_window(-math.inf)

    @property
    def cost(self) -> float:
        """Mean time (seconds) that the debugger takes for a hit; 0 when none was measured."""
        return self._cost / self.samples if self.samples else 0.0

    @property
    def seconds(self) -> float:
        """From the first hit to the last."""
        return self.last - self._first

    @property
    def left_out_until(self) -> float | None:
        """The end of a window in which hits were left out: it is then said how many."""
        return self._window + WINDOW if self._left_out and self._limit else None

    def measured(self, seconds: float, hits: int = 1) -> None:
        """A hit, or some together, have taken the debugger so long."""
        self.samples += hits
        self._cost += seconds

    def passes(self, number: int, now: float) -> bool:
        """The short way of ``take`` for a hit that is only counted: False where there is more to it, and nothing done.

        It is there for floods: most of the hits of one that is limited go this way.
        """
        if now >= self._counted_until or number >= self._last_number:
            return False
        self._left_out += 1
        self.last = now
        return True

    def take(self, number: int, now: float, *, wall: float, busy: float | None = None, crowded: bool = False) -> Taken:
        """Takes the hit of that number, counted from 1. ``crowded``: earlier ones still wait to be reported.

        ``busy`` are the seconds that the debugger has spent on events so far; None where ``measured`` tells.
        """
        too_much = left_out = None
        if self._paused:  # that time does not count
            self._first, self._paused = self._first + now - self.last, False
        self.last = now
        if now >= self._window + WINDOW:
            too_much = self._judge(now, busy)
            left_out = self.close(now)
            self._open_window(now, busy or 0.0)
        reported = self._reports < self._limit and not crowded
        if reported:
            self._reports += 1
        else:
            self._left_out += 1
            if self._reports >= self._limit:
                self._counted_until = self._window + WINDOW
        spent = number >= self._last_number
        if spent or too_much:
            self.over = True
            left_out = left_out or self.close(now)
        return Taken(number, wall, reported, left_out, spent, too_much)

    def close(self, now: float, busy: float | None = None) -> LeftOut | None:
        """What was left out since the window began and is not said yet; ``busy`` is as for ``take``."""
        if busy is not None:
            self._account(busy)
        count, self._left_out = self._left_out, 0
        self._said += count
        self._counted_until = -math.inf
        return LeftOut(count, min(max(now - self._window, 0.0), WINDOW)) if count and self._limit else None

    def _open_window(self, now: float, busy: float = 0.0) -> None:
        self._window = now
        self._busy = self._accounted_busy = busy
        self._reports = self._left_out = self._said = self._accounted = 0
        self._counted_until = -math.inf

    @property
    def _in_window(self) -> int:
        return self._reports + self._left_out + self._said

    def _account(self, busy: float) -> None:
        """Enters what the hits since the last time have taken."""
        hits = self._in_window - self._accounted
        if hits:
            self.measured(busy - self._accounted_busy, hits)
            self._accounted += hits
            self._accounted_busy = busy

    def _judge(self, now: float, busy: float | None) -> Pace | None:
        """The pace of the window that is over, when that is more than the point may take."""
        seconds = now - self._window
        if seconds > 2 * WINDOW:  # it was quiet meanwhile
            return None
        hits = self._in_window
        if busy is None:  # its hits suspend a thread, and are measured by that
            return None
        self.window = hits, seconds
        self._account(busy)
        spent = busy - self._busy
        load = (spent + AGENT_COST * hits) / seconds
        return Pace(hits / seconds, spent / hits, load) if 0 < self._allowed < load else None

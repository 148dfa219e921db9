"""The rates of hits of requests: the pace of those that report, and places that cost the target much.

Pure: time comes in as an argument (seconds of a monotonic clock), so that nothing here waits and a test turns its clock
by hand.

``RateLimiter`` says how many hits of a breakpoint are reported, how many are left out, and when there have been enough.

Hot places are noticed and reported once. Two things make a place hot. It is hit often, and no hit stops for the user:
the condition is false, a hit count passes, or hits are only reported. Or it is in code that other threads wait for:
class loading, locks, logging. ``HitLoad`` measures the target, not the debugger: for how long the hits of one
breakpoint suspended threads, from the arrival of the event to the agent's answer to the Resume. That takes no call in
the target. It leaves out the time that the agent needs before the event arrives, and what breakpoints do to compiled
code.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from jdbpy.record import Record
from jdbpy.session.model.breakpoints import Reporting
from jdbpy.wire.constants import JdwpSuspendPolicy

LOAD_WINDOW = 1.0
"""Seconds over which hits are counted."""


class HotLimits(Record):
    """From when on a place counts as hot. ``rate`` is hits a second without a stop; ``cost`` is the percentage of the
    time for which they suspend threads. 0: never."""

    rate: int = 1000
    cost: int = 20


class Load(Record):
    """The hits of a window without a stop: how many in how many seconds, and for which share of the time they suspended
    the threads that hit (``everything``: all threads)."""

    hits: int
    seconds: float
    share: float
    everything: bool

    @property
    def rate(self) -> float:
        return self.hits / self.seconds

    @property
    def text(self) -> str:
        """Return the load in words."""
        whose = "all threads" if self.everything else "the threads that hit it"
        held = f", which suspended {whose} for {self.share:.0%} of the time" if self.share >= 0.005 else ""
        return f"hit {self.hits:,} times in {self.seconds:.1f} s without a stop{held}"


class HitLoad:
    """The load of one breakpoint. Pure: time comes in as an argument, in seconds of a monotonic clock."""

    def __init__(self) -> None:
        self._arrived: dict[int, float] = {}
        self._since: float | None = None  # when the window was opened
        self._last = 0.0
        self._hits = 0
        self._suspended = 0.0
        self._threads: set[int] = set()
        self._going_on: set[int] = set()
        self.total = 0.0
        """Seconds for which hits without a stop have suspended their threads, all together."""

    def arrived(self, thread: int, now: float) -> None:
        """An event of the breakpoint came in."""
        self._arrived[thread] = now

    def stopped(self, thread: int) -> None:
        """A hit became a stop: what came before is the user's way there, and no load."""
        self._arrived.pop(thread, None)
        self._going_on.discard(thread)
        self._since = None

    def goes_on(self, thread: int) -> None:
        """The thread is resumed for another event of the same hit: that time counts, and it is one hit."""
        self._going_on.add(thread)

    def resumed(self, thread: int, now: float, *, everything: bool) -> Load | None:
        """The agent has resumed the thread of a hit. Return the load at the end of a window."""
        arrived = self._arrived.pop(thread, None)
        if arrived is None:
            return None
        self.total += now - arrived
        if self._since is None or now > self._last + 2 * LOAD_WINDOW:  # it was quiet meanwhile
            self._since, self._hits, self._suspended = arrived, 0, 0.0
            self._threads.clear()
        # While everything is suspended, other hits that are on their way suspend nothing more.
        self._suspended += now - (max(arrived, self._last) if everything else arrived)
        self._last = now
        self._hits += thread not in self._going_on
        self._going_on.discard(thread)
        self._threads.add(thread)
        seconds = now - self._since
        if seconds < LOAD_WINDOW:
            return None
        share = self._suspended / seconds / (1 if everything else len(self._threads))
        load = Load(self._hits, seconds, min(1.0, share), everything)
        self._since = None
        return load


class Hittable(Protocol):
    """A breakpoint whose hits are measured."""

    load: HitLoad


class HitTimes:
    """The hits under way, by the thread that each of them suspends. ``on_load`` is called at the end of a window."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._hits: dict[int, Hittable] = {}
        self.on_load: Callable[[Any, Load], None] = lambda point, load: None

    def arrived(self, point: Hittable, thread: int) -> None:
        """An event of the breakpoint came in, which suspends the thread."""
        self._hits[thread] = point
        point.load.arrived(thread, self._clock())

    def stopped(self, thread: int) -> None:
        """The hit of the thread is a stop."""
        point = self._hits.pop(thread, None)
        if point is not None:
            point.load.stopped(thread)

    def resuming(self, thread: int, policy: JdwpSuspendPolicy) -> Callable[[Any], None] | None:
        """A Resume is about to be sent for the hit of the thread. Return what is to be called with the answer."""
        point = self._hits.pop(thread, None)
        if point is None:
            return None

        def resumed(_: Any) -> None:
            load = point.load.resumed(thread, self._clock(), everything=policy is JdwpSuspendPolicy.ALL)
            if load is not None:
                self.on_load(point, load)

        return resumed


# -- code that other threads wait for ------------------------------------------------------------------------------

_SENSITIVE = {
    "class-loading": (
        "java.lang.ClassLoader", "java.lang.Class", "java.lang.module.", "java.net.URLClassLoader",
        "java.security.SecureClassLoader", "jdk.internal.loader.", "sun.misc.Launcher",
        "org.springframework.boot.loader.", "org.apache.catalina.loader.",
    ),
    "locking": (
        "java.lang.ref.", "java.util.concurrent.locks.", "java.lang.VirtualThread",
        "jdk.internal.misc.Unsafe", "sun.misc.Unsafe",
    ),
    "logging": (
        "java.util.logging.", "java.lang.System$Logger", "sun.util.logging.", "jdk.internal.logger.", "org.slf4j.",
        "ch.qos.logback.", "org.apache.log4j.", "org.apache.logging.", "org.apache.commons.logging.",
        "org.apache.juli.", "org.jboss.logging.", "org.jboss.logmanager.",
    ),
}  # fmt: skip
"""Classes and packages (with a dot at the end) whose code threads hold each other up in."""

WHY = {
    "class-loading": "a thread that is suspended there makes other threads that load classes wait",
    "locking": "a thread that is suspended there may hold a lock that other threads, and expressions, wait for",
    "logging": "a thread that is suspended there makes all threads that log wait",
}


def sensitive(class_names: Iterable[str]) -> tuple[str, str]:
    """Return the first class in whose code other threads may have to wait, and the kind of code; "" and "" for none."""
    for name in class_names:
        top = name.partition("$$")[0]
        for kind, prefixes in _SENSITIVE.items():
            for prefix in prefixes:
                if top == prefix or top.startswith(prefix if prefix.endswith(".") else f"{prefix}$"):
                    return name, kind
    return "", ""


WINDOW = 1.0
"""Seconds over which hits are counted for the limits."""

AGENT_COST = 5e-6
"""Seconds that HotSpot's agent takes to send an event that suspends nothing; measured on loopback."""


class LeftOut(Record):
    """Hits that were counted and not reported, in the time (seconds) before now."""

    count: int
    seconds: float


class Pace(Record):
    """The measurement of a window: hits a second, and the share of a second that they take."""

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


class RateLimiter:
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
        """True if it is to be switched off, or is: later hits do not count."""
        self.window: tuple[int, float] | None = None
        """Hits and seconds of the last window, until somebody has taken note of them."""
        self.measure_at = self.measure_pause = 0.0  # when its slowdown is to be measured, and how long after the last
        self.slowdown: float | None = None
        """The share of the target's time that the point took when that was measured last."""
        self._open_window(-math.inf)

    @property
    def left_out(self) -> int:
        """Hits of this window that were not reported, and of which it is not said yet."""
        return self._left_out

    def load(self, now: float) -> Load:
        """Return the hits of this window so far, as if they had suspended nothing."""
        return Load(self._in_window, max(now - self._window, 1e-6), 0.0, everything=False)

    def missed(self, hits: int, now: float | None = None) -> None:
        """So many more hits were not reported: the target has counted them, or they came in ``now``.

        Those that come when all of a window is said already begin the next one.
        """
        if now is not None:
            if not self._left_out and now >= self._window + WINDOW:
                self._open_window(now)
            self.last = now
        self._left_out += hits

    @property
    def counts_until(self) -> float:
        """Until then hits are only counted; in the past while they are reported."""
        return self._counted_until

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
        """Return the end of a window in which hits were left out: it is then said how many."""
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
        """Take the hit of that number, counted from 1. ``crowded``: earlier ones still wait to be reported.

        ``busy`` are the seconds that the debugger has spent on events so far; None where ``measured`` has it.
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
        """Return what was left out since the window began and is not said yet; ``busy`` is as for ``take``."""
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
        """Enter what the hits since the last time have taken."""
        hits = self._in_window - self._accounted
        if hits:
            self.measured(busy - self._accounted_busy, hits)
            self._accounted += hits
            self._accounted_busy = busy

    def _judge(self, now: float, busy: float | None) -> Pace | None:
        """Return the pace of the window that is over, when that is more than the point may take."""
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

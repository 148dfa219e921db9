"""Hot places: breakpoints that cost the target more than their user may know, noticed and reported once.

Two things make a place hot. It is hit often, and no hit stops for the user: the condition is false, a hit count passes,
or hits are only reported. Or it is in code that other threads wait for: class loading, locks, logging.

``HitLoad`` measures the target, not the debugger: for how long the hits of one breakpoint suspended threads, from the
arrival of the event to the agent's answer to the Resume. That takes no call in the target. It leaves out the time that
the agent needs before the event arrives, and what breakpoints do to compiled code.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from jdbpy.record import Record
from jdbpy.wire.constants import JdwpSuspendPolicy

WINDOW = 1.0
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
        """The load in words."""
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
        if self._since is None or now > self._last + 2 * WINDOW:  # it was quiet meanwhile
            self._since, self._hits, self._suspended = arrived, 0, 0.0
            self._threads.clear()
        # While everything is suspended, other hits that are on their way suspend nothing more.
        self._suspended += now - (max(arrived, self._last) if everything else arrived)
        self._last = now
        self._hits += thread not in self._going_on
        self._going_on.discard(thread)
        self._threads.add(thread)
        seconds = now - self._since
        if seconds < WINDOW:
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
        "java.security.SecureClassLoader", "jdk.internal.loader.", "org.springframework.boot.loader.",
        "org.apache.catalina.loader.",
    ),
    "locking": (
        "java.lang.ref.", "java.util.concurrent.locks.", "java.lang.VirtualThread",
        "jdk.internal.misc.Unsafe",
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

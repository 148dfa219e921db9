"""The common part of all ways to observe calls: which methods, from when on, and that all of it is taken out.

A class that is not loaded yet is waited for.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol

import trio

from jdbpy.errors import Disconnected, JdbpyError, UsageError
from jdbpy.session.breakpoints.class_watch import ClassWatch
from jdbpy.session.breakpoints.method_patterns import ObservedMethod, choose, choose_in, read_wanted
from jdbpy.session.calls.backend import CallsInTarget, EndedCall, MethodKey
from jdbpy.session.calls.breakpoint_backend import BreakpointBackend
from jdbpy.session.events.finishing import finishing
from jdbpy.session.events.target import Target, needs_jvm
from jdbpy.session.jvm.refs import RefType
from jdbpy.session.model.calls import CallsEnded
from jdbpy.session.model.events import Notice
from jdbpy.wire.messages import event_request


class Observations(Protocol):
    """Keeps the observations that are in the target."""

    def in_target(self, asked: bool) -> CallsInTarget | None:
        """Return what has the target itself observe calls; None where that is not wanted."""

    @property
    def target(self) -> Target:
        """Return the target."""

    def start(self, task: Callable[[], Awaitable[object]]) -> None:
        """Run a task beside the session."""

    def begun(self, observation: Observation) -> None:
        """Enter an observation that is in the target now."""

    def ended(self, observation: Observation) -> None:
        """Forget an observation."""


CALLS_UNTIL = 20
"""Calls of a method by which its class goes into the target."""

CALLS_AGAIN = 5_000
"""After so many more it is tried again."""


class Observation:
    """The calls of some methods, observed for as long as an ``async with`` block lasts."""

    calls_until, calls_again = CALLS_UNTIL, CALLS_AGAIN

    reads = False
    """True if threads are suspended to read the values of a report."""

    def __init__(
        self,
        observer: Observations,
        method: str,
        most_methods: int,
        in_target: bool = False,
        excludes: Sequence[str] = (),
    ) -> None:
        self.method = method
        self.asked = in_target
        """True if the user has asked that the target itself observes."""
        self.in_target: dict[MethodKey, ObservedMethod] = {}
        """The methods that the target itself observes."""
        self.why_ordinary = ""
        """The reasons why methods are observed by breakpoints, where the target was to do it."""
        self.calls = 0
        """Calls that have ended so far."""
        self.failures = 0
        """Calls that an exception has ended."""
        self.reported = 0
        """Calls that were reported one by one."""
        self.waiting = ""
        """The reason why no method is observed yet: the class is not loaded."""
        self.over = trio.Event()
        """Set when it has had all that was asked for, or the target has ended."""
        self._observer = observer
        self._target = observer.target
        self._wanted = read_wanted(method, excludes)
        self._most_methods = most_methods
        self._watch: ClassWatch | None = None
        self._methods: dict[MethodKey, ObservedMethod] = {}
        self._began = self._ended = 0.0
        self._instrumented: CallsInTarget | None = None
        self.means = self._made_means()

    def _made_means(self) -> BreakpointBackend:
        return BreakpointBackend(self._target, self._take)

    def _take(self, calls: Sequence[EndedCall]) -> None:
        raise NotImplementedError

    @property
    def observed(self) -> int:
        """Return the number of methods that are observed."""
        return len(self._methods)

    @property
    def lacks(self) -> tuple[str, ...]:
        """Sentences about what is not observed or not measured."""
        return tuple(dict.fromkeys(self.means.lacks))

    @property
    def condition_false(self) -> int:
        """Return the number of calls for which the condition was false."""
        return 0

    @property
    def summary(self) -> CallsEnded:
        """Return its totals so far."""
        return CallsEnded(
            self.method,
            self.observed,
            self.calls,
            self.failures,
            self.reported,
            self.seconds,
            len(self.in_target),
            self.why_ordinary,
            self.condition_false,
        )

    @property
    def seconds(self) -> float:
        """Return the seconds that it has lasted."""
        return (self._ended or time.perf_counter()) - self._began if self._began else 0.0

    async def __aenter__(self) -> Any:
        """Begin. Raises UsageError where the pattern fits too many methods, or none. wire: 4 trips."""
        self._target.require_alive()
        self._target.require_jvm("observing calls")
        if self._target.played:
            raise needs_jvm("observing calls", "a recording")
        if self.reads:
            self._target.conn.require_allowed(event_request.Set)
        try:
            await self._begin()
        except BaseException:
            await self._close()
            raise
        self._observer.begun(self)
        self._instrumented = self._observer.in_target(self.asked)
        if self._instrumented is not None:
            self._instrumented.begun(self)
        return self

    async def __aexit__(self, *exc: object) -> None:
        """Take everything out of the target. wire: 1 trip."""
        await self._close()

    async def _begin(self) -> None:
        self._began = time.perf_counter()
        methods = await choose(self._target, self._wanted, self._most_methods)
        if not methods and self._wanted.class_name is not None:
            self._watch = ClassWatch(self._target, self._wanted.class_name, self._on_class)
            found = await self._watch.open()
            methods = await choose_in(self._target, self._wanted, found)  # loaded in between
            if not found:
                self.waiting = self._watch.waiting()
        if methods:
            await self._add(methods)

    @property
    def methods(self) -> Sequence[ObservedMethod]:
        """Return the methods that are observed."""
        return tuple(self._methods.values())

    async def refresh(self) -> None:
        """Take in what the target has counted so far; without it that is done a few times a second. wire: 2 trips for
        each class that observes itself."""
        if self._instrumented is not None:
            await self._instrumented.refresh(self)

    def has_ended(self) -> bool:
        """True if it has ended, or has all that was asked for."""
        return bool(self._ended) or self.over.is_set()

    def start(self, task: Callable[[], Awaitable[object]]) -> None:
        """Run a task beside the session."""
        self._observer.start(task)

    def hand_over(self, methods: Sequence[ObservedMethod]) -> None:
        """Hand methods over to the target, which observes them itself from now on. wire: no wait."""
        self.in_target.update({each.key: each for each in methods})
        self.means.hand_over([each.key for each in methods])

    def refuse(self, why: str) -> None:
        """Note why the target does not observe methods itself."""
        self.why_ordinary = why

    def take_back(self, type_id: int, why: str) -> None:
        """Breakpoints observe the methods of a class again, from its redefinition on, for that reason."""
        back = [each for key, each in self.in_target.items() if key[0] == type_id]
        for each in back:
            del self.in_target[each.key]
        self.why_ordinary = why
        if not self._ended:
            self.means.take_back(back)

    async def _add(self, methods: Sequence[ObservedMethod]) -> None:
        await self._prepare(methods)
        self._methods.update({each.key: each for each in methods})
        await self.means.open(methods)
        if not any(each.method.has_code for each in self._methods.values()):
            abstract = next(iter(self._methods.values()))
            what = "native" if abstract.method.is_native else "abstract"
            raise UsageError(
                f"{abstract.name} is {what}: it has no code whose calls could be observed",
                hint="name the class that implements it, or a pattern" if what == "abstract" else "",
                code="NO_CODE",
            )
        if self._instrumented is not None:
            self._instrumented.begun(self)

    async def _prepare(self, methods: Sequence[ObservedMethod]) -> None:
        """Read what a kind of observation needs beforehand."""

    async def _on_class(self, prepared: RefType) -> None:
        try:
            await self._add(await choose_in(self._target, self._wanted, [prepared]))
            self.waiting = ""
        except JdbpyError as error:
            text = f"the calls of {self.method} cannot be observed: {error.message}"
            self._target.publish(Notice("warning", text))
            self.over.set()

    async def _close(self) -> None:
        self._ended = time.perf_counter()
        self._observer.ended(self)
        with finishing(self._target), suppress(Disconnected):
            dropped = self.means.drop()  # first of all: replies come behind the calls that were reported until then
            if self._watch is not None:
                await self._target.conn.gather(self._watch.close())
            if self._instrumented is not None:
                await self._instrumented.ended(self)
            await self._target.conn.gather(dropped)
            await self.means.close()

    def _count(self, call: EndedCall) -> None:
        self.calls += 1
        self.failures += call.failed

"""Calls that are reported one by one, with their values."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import trio

from jdbpy.errors import JdbpyError, UsageError
from jdbpy.session.breakpoints.method_patterns import ObservedMethod
from jdbpy.session.calls.backend import CallDetails, EndedCall, NotRead, ReadCall
from jdbpy.session.calls.breakpoint_backend import BreakpointBackend
from jdbpy.session.calls.call_reader import CallReader, ReportLimit
from jdbpy.session.calls.expressions import MOST_COST, cost_range, with_times
from jdbpy.session.calls.observation import Observation, Observations
from jdbpy.session.eval.evaluator import Evaluator
from jdbpy.session.events.finishing import finishing
from jdbpy.session.events.requests import RESUME, EventRequest, RequestHit, RequestSpec, Verdict
from jdbpy.session.model.events import Notice, Report, time_of
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy

_MOST_WAITING = 1_000
"""The most calls that were read and wait to be reported; beyond that they are only counted."""

_LAST = 5.0
"""The seconds for reporting the last calls when an observation ends."""


MOST_LEVELS = 10
"""Levels of fields and elements that a report may tell."""


class ObservedCalls(Observation):
    """Calls that are reported one by one."""

    reads = True

    def __init__(
        self,
        observer: Observations,
        evaluator: Callable[[], Evaluator],
        method: str,
        when: str,
        show: Sequence[str],
        callers: int,
        limit: int | None,
        most: int,
        most_methods: int,
        on_call: Callable[[Report], None] | None,
        in_target: bool = False,
        depth: int = 0,
        excludes: Sequence[str] = (),
    ) -> None:
        if not 0 <= depth <= MOST_LEVELS:
            raise UsageError(f"values of calls are told 0 to {MOST_LEVELS} levels deep, not {depth}")
        self._pace = ReportLimit(limit)
        self._reader = CallReader(
            observer.target, evaluator, condition=when, shown=show, callers=callers, depth=depth, pace=self._pace
        )
        self._reader.until(self._has_enough)
        self.ordinary_because = self._reader.needs_frame
        """The reason why the target itself cannot observe."""
        by_cost = not self.ordinary_because and not self._reader.is_conditional
        self.costs = cost_range(with_times(when.strip())) if by_cost else (0, MOST_COST)
        """The shortest and the longest time of calls that are wanted, in nanoseconds."""
        self._most = most
        self._on_call = on_call
        self._conditional = bool(when.strip())
        self._condition_false = 0
        self._accepted = 0
        self._settled = 0  # those of the accepted ones that were reported, or could not be
        self._end: EventRequest | None = None  # what holds the end of the target for reports
        self._waiting: deque[tuple[EndedCall, ReadCall]] = deque()
        self._told = trio.Event()  # set while nothing waits to be told
        self._told.set()
        self._arrived = trio.Event()
        super().__init__(observer, method, most_methods, in_target, excludes)

    @property
    def reader(self) -> CallReader:
        """Has its condition and the expressions that are shown."""
        return self._reader

    @property
    def lacks(self) -> tuple[str, ...]:
        return (*super().lacks, *self._reader.lacks)

    def _made_means(self) -> BreakpointBackend:
        return BreakpointBackend(self._target, self._take, self._reader)

    @property
    def condition_false(self) -> int:
        """Return the number of calls for which the condition was false."""
        return self._condition_false

    async def _prepare(self, methods: Sequence[ObservedMethod]) -> None:
        await self._reader.prepare(methods)

    def _take(self, calls: Sequence[EndedCall]) -> None:
        for call in calls:
            if self._is_full():
                if isinstance(call.read, ReadCall):
                    call.read.release()
                continue
            self._count(call)
            if not isinstance(call.read, ReadCall):
                self._condition_false += call.read is NotRead.FALSE
                continue
            self._accepted += 1
            self._waiting.append((call, call.read))
            self._told = trio.Event() if self._told.is_set() else self._told
            self._arrived.set()
            if self._is_full():
                self.means.drop()

    # -- what the target itself keeps -------------------------------------------------------------------------------

    def count(self, ended: int, failed: int, wanted: int) -> None:
        """Count calls that have ended, those of them that an exception has ended, and those for which the condition
        held."""
        self.calls += ended
        self.failures += failed
        if self._conditional:
            self._condition_false += ended - wanted

    def leave_out(self, count: int) -> None:
        """So many wanted calls are not reported."""
        self._pace.left_out += count

    def rests_until(self) -> float:
        """Return the time until which no call is reported, where this second has had enough; else one in the past."""
        return self._pace.full_until

    def accept(self, count: int) -> int:
        """Return how many of so many calls that have ended are to be reported."""
        taken = 0
        for _ in range(count):
            if self._has_enough():
                break
            if self._pace.passes(time.perf_counter()):
                self._accepted += 1
                taken += 1
        return taken

    async def report(self, call: EndedCall) -> None:
        """Report a call. wire: what describing its values takes."""
        if isinstance(call.read, ReadCall):
            await self._tell_one(call, call.read)

    # -- reports ----------------------------------------------------------------------------------------------------

    def _has_enough(self) -> bool:
        """True if nothing more is to be read: there are enough reports, or too many wait to be reported."""
        return self._is_full() or len(self._waiting) >= _MOST_WAITING

    def _is_full(self) -> bool:
        """True if as many calls were accepted as there are to be at most."""
        return bool(self._most) and self._accepted >= self._most

    async def __aenter__(self) -> Any:
        await super().__aenter__()
        self._observer.start(self._tell)
        spec = RequestSpec(EventKind.VM_DEATH, JdwpSuspendPolicy.ALL, [], self._at_end)
        self._end, _ = self._target.requests.submit(spec)
        return self

    async def __aexit__(self, *exc: object) -> None:
        await super().__aexit__(*exc)
        with finishing(self._target):
            await self._at_end()
        if self._end is not None:
            self._target.requests.drop([self._end])
        self.over.set()
        self._arrived.set()

    async def _at_end(self, hit: RequestHit | None = None) -> Verdict:
        """Keep the target from its end until all calls are reported."""
        with trio.move_on_after(_LAST):
            await self._told.wait()
        return RESUME

    async def _tell(self) -> None:
        """Tell of calls as they come, beside the target's events, until it is over. Runs as a task of the session."""
        try:
            while True:
                while self._waiting:
                    call, read = self._waiting[0]
                    await self._tell_one(call, read)
                    self._waiting.popleft()
                self._told.set()
                if self.over.is_set():
                    return
                self._arrived = trio.Event()
                await self._arrived.wait()
        finally:
            self._told.set()

    async def _tell_one(self, call: EndedCall, read: ReadCall) -> None:
        try:
            details = await self._reader.describe(call.method, read)
        except JdbpyError:  # the target has ended meanwhile, or a class of it was unloaded
            self._pace.left_out += 1
        else:
            self._tell_details(call, details)
        finally:
            read.release()
        self._settled += 1
        if self._most and self._settled >= self._most:
            self.over.set()

    def _tell_details(self, call: EndedCall, details: CallDetails) -> None:
        self.reported += 1
        left = self._pace.take()
        if left:
            text = f"... {left:,} more {'call' if left == 1 else 'calls'} of {self.method} left out"
            self._publish(Notice("left-out", text, (("method", self.method), ("count", left))))
        self._report(call, details)

    def _publish(self, notice: Notice) -> None:
        if self._on_call is None:
            self._target.publish(notice)

    def _report(self, call: EndedCall, details: CallDetails) -> None:
        now = call.at or time.time()
        report = Report(
            time_of(now),
            details.thread,
            self.reported,
            details.callers,
            time_ns=round(now * 1e9),
            event="call",
            location=details.location,
            values=details.shown,
            arguments=details.arguments,
            exception=details.exception,
            return_value=details.returned,
            object=details.receiver,
            failure=details.failure,
            cost=call.cost,
        )
        if self._on_call is not None:
            self._on_call(report)
            return
        owner, method = call.method.owner.name, call.method.method.name
        data = (("class", owner), ("method", method), ("thread", call.thread))
        self._target.publish(Notice("call", call_text(call, details), data, report))


def call_text(call: EndedCall, details: CallDetails) -> str:
    """Return one call in a line: ``com.acme.Order.pay(amount = 3) on Order@12 returned 42, 1.24 ms``."""
    given = ", ".join(f"{each.name} = {each.value.text}" for each in details.arguments if each.value is not None)
    text = f"{call.method.name}({given})"
    if details.receiver is not None and not details.shown:
        text += f" on {details.receiver.text}"
    if details.exception is not None:
        thrown = details.exception
        text += f" threw {thrown.type}" + (f": {thrown.message}" if thrown.message is not None else "")
    elif call.failed:
        text += " threw an exception"
    elif details.returned is not None:
        text += f" returned {details.returned.text}"
    else:
        text += " returned"
    text += f", {time_text(call.cost)}"
    if details.shown:
        text += "; " + ", ".join(f"{each.name} = {each.value.text}" for each in details.shown if each.value is not None)
    return text + (f" ({details.failure})" if details.failure else "")


def time_text(seconds: float | None) -> str:
    """Return a time in the unit that suits it: ``1.24 ms``."""
    if seconds is None:
        return "begun before it was observed"
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:,.2f} {unit}"
    return f"{seconds * 1e6:,.0f} µs"

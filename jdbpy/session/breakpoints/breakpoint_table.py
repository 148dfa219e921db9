"""All points of a session under their numbers: listed, switched on and off, changed, removed.

Owns the row of numbers. What a hit means belongs to ``hit_rule``, what is asked of the target that of a kind.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

from jdbpy.errors import UsageError
from jdbpy.escape import escape
from jdbpy.session.breakpoints.breakpoint_base import BreakpointBase, Failures, parse_hit_count
from jdbpy.session.breakpoints.callers import Callers
from jdbpy.session.breakpoints.counting_filter import counting_filter_of
from jdbpy.session.breakpoints.dependents import Dependents
from jdbpy.session.breakpoints.hit_rule import HitRule
from jdbpy.session.breakpoints.hot_places import HotPlaces
from jdbpy.session.breakpoints.reports import Reporter, absolute
from jdbpy.session.breakpoints.summary import summarize
from jdbpy.session.breakpoints.throttle import Resting
from jdbpy.session.events.conditions import CompileCondition, CompileLogText, Condition
from jdbpy.session.events.requests import RESUME, EventRequest, RequestHit, RequestSpec, Verdict
from jdbpy.session.events.target import Target
from jdbpy.session.execution.waiting import WaitingStops
from jdbpy.session.extension import Extension
from jdbpy.session.model.breakpoints import (
    NO_OPTIONS,
    BreakpointInfo,
    PointOptions,
    Reporting,
    SuspendPolicy,
    normalized,
)
from jdbpy.session.model.events import Notice
from jdbpy.session.model.tracing import TraceSummary
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy as WirePolicy
from jdbpy.wire.ids import ReferenceTypeID
from jdbpy.wire.messages import event_request

P = TypeVar("P", bound=BreakpointBase)


class _Row:
    """The numbers that were given, and what all points need together: one for all clients of a session."""

    def __init__(self) -> None:
        self.last = 0
        self.last_internal = 0
        self.end: EventRequest | None = None  # what holds the end of the target for reports


class BreakpointTable:
    """The ``points`` of a session."""

    def __init__(
        self,
        target: Target,
        compile_condition: CompileCondition | None = None,
        compile_log: CompileLogText | None = None,
        on_computable: Callable[[bool], None] = lambda asked: None,
    ) -> None:
        """``on_computable`` is called before a point gets what the target could compute itself, a condition or a
        report: with True where the user has asked for that."""
        self._target = target
        self._compile = compile_condition
        self._compile_log = compile_log
        self._points: dict[int, BreakpointBase] = {}
        self._row = _Row()
        self.reporter = Reporter(
            target,
            on_rate=lambda point, load: self.hot_places.on_rate(point, load),
            on_window_over=lambda point: self._resting.wake(point),
        )
        self._dependents = Dependents(target, self._points)
        self._on_computable = on_computable
        self._resting = Resting(target, self.reporter)
        self.hot_places = HotPlaces(target, self._points, self.reporter)
        self.rule = HitRule(target, self._points, self.reporter, self._dependents, self.hot_places)

    async def add(self, make: Callable[[int, PointOptions], P], options: PointOptions = NO_OPTIONS) -> BreakpointInfo:
        """Give a new point its number, its options and its condition, and set it.

        Raises UsageError when it cannot be set, EvalError for a condition that does not compile.
        """
        self._target.require_alive()
        self._target.require_jvm("setting a breakpoint")
        options = normalized(options)
        _check_count(options.ignore)
        if options.thread == 0:
            raise UsageError("no thread 0", hint="'threads' lists them")
        _check_held(options)
        if options.after is not None:
            self._point(options.after)
        point = self._made(make, options)
        after = point.options.after
        if point.wire_policy is not WirePolicy.NONE or after is not None:
            self._target.conn.require_allowed(event_request.Set)  # before anything of it is in the target
        tried = options.tried and not options.enabled and after is None
        if after is None and not tried:
            self._points[point.number] = point  # its first hit may come before all of it is set
        try:
            point.enabled = point.enabled or tried
            await point.renew()  # it may be removed or disabled meanwhile
            await point.check(point.condition)
            await point.check_log()
            if tried:
                point.enabled = False
                await self._disarm([point])
                self._points[point.number] = point
            shown = point.snapshot()
            if after is not None:  # it was set only to see whether it can be
                self._point(after)
                self._points[point.number] = point
                await self._dependents.wait(point)
                shown = shown.replace(waiting=point.waiting)
            slip = await point.callers.slip() if point.callers is not None else ""
        except BaseException:
            self._points.pop(point.number, None)
            point.removed = True
            point.disarm()
            if self._row.last == point.number:
                self._row.last -= 1
            raise
        if slip:
            self._target.publish(Notice("warning", slip, (("breakpoint", point.number),)))
        if point.reports:  # else all stays as it was: thousands may be added in a row
            self._watch_end()
        self.hot_places.check(point, (*(place.class_name for place in point.places()), *options.classes))
        self._tell("added", point)
        return shown

    def _tell(self, what: str, *points: BreakpointBase) -> None:
        """Publish for the other clients of a shared session what this one has done with points."""
        if self._target.clients is not None:
            for point in points:
                if point.options.internal:
                    continue
                text = f"{point.called} {what}: {escape(point.shown_spec)}"
                kind = "changed" if what not in ("added", "removed") else what
                self._target.tell_others(f"breakpoint-{kind}", text, ("breakpoint", point.number))

    def of_client(self, client: str) -> builtins.list[int]:
        """Return the numbers of the points that a client has set. No trip."""
        return [number for number, point in sorted(self._points.items()) if point.client == client]

    def _made(self, make: Callable[[int, PointOptions], P], options: PointOptions) -> P:
        """Return the point with what the debugger itself decides at its hits, not set yet. Raises UsageError,
        EvalError."""
        policy = options.policy
        if options.log or options.reporting.stack:
            policy = SuspendPolicy.NONE
        elif policy is None:
            policy = self._target.default_policy
        if options.log and self._compile_log is None:
            raise UsageError("logpoints need an evaluator, and this session has none")
        hit_count = parse_hit_count(options.hits) if options.hits else None
        options = options.replace(
            policy=policy,
            condition=options.condition.strip(),
            hits=str(hit_count or ""),
            reporting=_absolute(options.reporting),
        )
        point = make(self._row.last_internal - 1 if options.internal else self._row.last + 1, options)
        point.require_fitting(options)
        point.counting_filter = partial(counting_filter_of, point, self.reporter, self._target.conn)
        point.on_left_out = self._resting.left_out
        point.hit_count = hit_count
        point.callers = Callers(self._target, options.callers) if options.callers else None
        point.condition = self._compiled(options.condition)
        point.log = self._compile_log(options.log) if options.log and self._compile_log is not None else None
        if point.reports:
            self._on_computable(False)
        if options.woven:
            self._on_computable(True)
        if options.internal:
            self._row.last_internal -= 1
        else:
            self._row.last += 1
        if self._target.clients is not None:
            point.client = self._target.client
            if options.internal:
                self._target.clients.internal[point.number] = point.client
        return point

    @property
    def last_number(self) -> int:
        """Return the highest number that was given; 0 for none."""
        return self._row.last

    def number_next(self, number: int) -> None:
        """Give the next breakpoint this number, unless numbers up to it have been given already. No trip."""
        self._row.last = max(self._row.last, number - 1)

    def list(self) -> builtins.list[BreakpointInfo]:
        """Return all points by number, without internal ones. No trip."""
        return [self._shown(point) for _, point in sorted(self._points.items()) if not point.options.internal]

    def get(self, number: int) -> BreakpointInfo:
        """Return the point of that number. Raises UsageError. No trip."""
        return self._shown(self._point(number))

    def of_type(self, kind: type[P]) -> builtins.list[P]:
        """Return the points of a class, by number: for the component that sets them."""
        return [point for _, point in sorted(self._points.items()) if isinstance(point, kind)]

    async def remove(self, numbers: Iterable[int]) -> None:
        """Removes points; what waits for one of them waits no more. Raises UsageError, and removes none, if one of
        them does not exist. wire: 1 trip, and as setting what waited.
        """
        points = self._take(numbers)
        await self._settle_kept(points)
        for point in [each for each in points if each.number in self._points]:
            del self._points[point.number]
            point.removed = True
            if self._target.clients is not None:
                self._target.clients.internal.pop(point.number, None)
        removed = [point.number for point in points]
        self._drop_stops(removed)
        await self._disarm(points)
        self._watch_end()
        await self._dependents.were_removed(removed)
        self._tell("removed", *points)

    def _drop_stops(self, numbers: Iterable[int]) -> None:
        """Drop the stops that are not shown yet and that only these points have caused. wire: no wait."""
        WaitingStops.of(self._target).drop(numbers)

    async def enable(self, numbers: Iterable[int]) -> None:
        """Sets points again that were disabled; one whose hit count is over begins to count anew. Raises UsageError.

        wire: as setting each of them.
        """
        for point in self._take(numbers):
            before, enabled, hits = point.requested, point.enabled, point.hits
            point.enabled = True
            if point.over:
                point.hits = 0
            if not enabled or hits != point.hits:
                point.rate_limiter.restart(point.hits)
            try:
                if not self._ended:
                    await point.renew(before)
            except BaseException:
                point.enabled, point.hits = enabled, hits
                raise
            self._tell("enabled", point)

    async def disable(self, numbers: Iterable[int]) -> None:
        """Takes points out of the target and keeps them. Raises UsageError. wire: 1 trip."""
        points = self._take(numbers)
        await self._settle_kept(points)
        for point in points:
            point.enabled = False
        self._drop_stops(point.number for point in points)
        await self._disarm(points)
        self._tell("disabled", *points)

    def disable_all(self) -> tuple[int, ...]:
        """Disable what is enabled, and return the numbers. wire: no wait."""
        points = [point for _, point in sorted(self._points.items()) if point.enabled]
        for point in points:
            point.enabled = False
            point.disarm()
        self._drop_stops(point.number for point in points)
        self.reporter.settle(*points)
        return tuple(point.number for point in points if not point.options.internal)

    async def set_condition(self, number: int, condition: str) -> BreakpointInfo:
        """Make a point count only where the expression is true; "" makes it count always. Raises EvalError.

        wire: none, or as setting the point, where its requests have to be others then.
        """
        self._target.require_alive()
        point = self._point(number)
        text = condition.strip()
        changed = point.options.replace(condition=text)
        _check_held(changed)
        point.require_fitting(changed)
        compiled = self._compiled(text)
        if compiled is not None:
            self._target.conn.require_allowed(event_request.Set)  # a condition is computed in a thread that is held
        await self._settle_kept([point])
        before = point.requested
        await point.check(compiled)
        point.condition, point.options, point.failures = compiled, changed, Failures()
        self._drop_stops([number])
        await point.renew(before)
        self._tell("changed", point)
        return point.snapshot()

    async def set_hit_count(self, number: int, hits: str) -> BreakpointInfo:
        """Make only some hits of a point count, ``"== 3"``, ``">= 10"``, ``"% 100"``; "" makes all count. Hits are
        counted anew. Raises UsageError. wire: as ``set_condition``.
        """
        self._target.require_alive()
        point = self._point(number)
        hit_count = parse_hit_count(hits) if hits.strip() else None
        await self._settle_kept([point])
        before = point.requested
        point.hit_count, point.hits = hit_count, 0
        point.options = point.options.replace(hits=str(hit_count or ""))
        point.rate_limiter.restart(0)
        await point.renew(before)
        self._tell("changed", point)
        return point.snapshot()

    async def set_ignore(self, number: int, count: int) -> BreakpointInfo:
        """Let the next ``count`` hits of a point pass. wire: as ``set_condition``."""
        _check_count(count)
        self._target.require_alive()
        point = self._point(number)
        await self._settle_kept([point])
        before = point.requested
        point.ignore = count
        await point.renew(before)
        self._tell("changed", point)
        return point.snapshot()

    async def summary(self, number: int, *, methods: int = 20, values: int = 5) -> TraceSummary:
        """Return what the hits of a point that reports come to: by method how many, how often, and which values they
        brought.

        They are counted whether they were reported or left out; so many ``methods`` are listed, and ``values`` of
        each. A point that stops has no summary: raises UsageError. wire: 2 trips or 3, 0 when all is known.
        """
        point = self._point(number)
        if not point.reports:
            raise UsageError(f"{point.called} stops: no summary of its hits", hint="'trace', 'logpoint' and the like")
        return await summarize(self._target, point, methods, values)

    def warn_at(self, *, rate: int | None = None, cost: int | None = None) -> None:
        """Set from when on a point is reported as hot: at ``rate`` hits a second without a stop, or when they suspend
        threads for ``cost`` percent of the time. 0: never; None: as before. No trip."""
        self.hot_places.warn_at(rate, cost)

    def forget_code(self) -> None:
        """Classes were redefined: their variables may lie in other slots at the places where conditions and texts were
        compiled. No trip."""
        for point in self._points.values():
            for compiled in (point.condition, point.log):
                if compiled is not None:
                    compiled.forget_code()

    async def redefined(self, type_ids: Iterable[ReferenceTypeID]) -> None:
        """Sets points again in classes that were just redefined; breakpoints are set by their own component."""
        renewed = tuple(type_ids)
        for _, point in sorted(self._points.items()):
            if point.wanted:
                await point.redefined(renewed)
        for extension in self._target.extensions.of(Extension.redefined):
            await extension.redefined(renewed)

    # -- the end -----------------------------------------------------------------------------------------------------

    def _watch_end(self) -> None:
        """Make the target wait at its end, where points report, until all reports before it were read. wire: no wait.

        Sets of events are handled in their order, so that of the end comes after those reports.
        """
        if self._ended:
            return
        requests = self._target.requests
        wanted = any(point.reports for point in self._points.values())
        if wanted and self._row.end is None and self._target.conn.allows(event_request.Set):
            self._row.end, _ = requests.submit(RequestSpec(EventKind.VM_DEATH, WirePolicy.ALL, [], self._at_end))
        elif not wanted and self._row.end is not None:
            requests.drop([self._row.end])
            self._row.end = None

    async def _at_end(self, hit: RequestHit) -> Verdict:
        await self.read_kept()
        return RESUME

    async def read_kept(self) -> None:
        """Report the hits that the target has kept so far, which else are read some moments later. wire: none where
        it keeps none, else 1 trip or 2.
        """
        await self._settle_kept(self._points.values())

    async def _settle_kept(self, points: Iterable[BreakpointBase]) -> None:
        """Report hits of these points that the target has kept. wire: none, or 1 trip or 2."""
        changing = tuple(points)
        for extension in self._target.extensions.of(Extension.before_change) if not self._ended else ():
            await extension.before_change(changing)

    # -- helpers -----------------------------------------------------------------------------------------------------

    def _point(self, number: int) -> BreakpointBase:
        point = self._points.get(number)
        if point is None:
            raise UsageError(f"no breakpoint {number}", hint="'breakpoints' lists them")
        return point

    def _shown(self, point: BreakpointBase) -> BreakpointInfo:
        """Return the point as plain data, with a message if it cannot be hit. No trip."""
        shown, first = point.snapshot(), self._points.get(point.options.after or 0)
        if point.waiting and first is not None and (first.over or not first.enabled):
            why = f"number {first.number} is {'over' if first.enabled else 'switched off'}"
            shown = shown.replace(message=f"{shown.message}; {why}" if shown.message else why)
        return shown

    @property
    def _ended(self) -> bool:
        """True if the target is gone: what is kept now is the list, for one that is started or attached to again."""
        return self._target.publisher.ending is not None

    def _take(self, numbers: Iterable[int]) -> builtins.list[BreakpointBase]:
        return [self._point(number) for number in dict.fromkeys(numbers)]

    async def _disarm(self, points: Iterable[BreakpointBase]) -> None:
        points = tuple(points)
        self.reporter.settle(*points)
        if self._ended:
            return
        await self._target.conn.gather([reply for point in points for reply in point.disarm()])
        for extension in self._target.extensions.of(Extension.breakpoints_removed):
            await extension.breakpoints_removed()

    def _compiled(self, condition: str) -> Condition | None:
        if condition and self._compile is None:
            raise UsageError("conditions need an evaluator, and this session has none")
        if condition:
            self._on_computable(False)
        return self._compile(condition) if condition and self._compile is not None else None


def _absolute(reporting: Reporting) -> Reporting:
    """Return how to report, with the whole path of the file, if there is one."""
    return reporting.replace(file=absolute(reporting.file)) if reporting.file else reporting


def _check_held(options: PointOptions) -> None:
    reads = options.log or options.condition or options.callers or options.reporting.stack
    if reads and not options.reporting.hold:
        raise UsageError(
            "a stack, a text or a condition needs the thread to be suspended", hint="leave out --no-suspend"
        )


def _check_count(count: int) -> None:
    if count < 0:
        raise UsageError(f"ignore count {count}: must be 0 or more", hint="it is the number of hits to let pass")


class ClientBreakpointTable(BreakpointTable):
    """The points of a shared session as one client has them: numbers and rules are those of all, what is set is its."""

    def __init__(self, shared: BreakpointTable, target: Target) -> None:
        self._target = target
        self._compile, self._compile_log = shared._compile, shared._compile_log
        self._on_computable = shared._on_computable
        self._points, self._row = shared._points, shared._row
        self.reporter, self.rule, self.hot_places = shared.reporter, shared.rule, shared.hot_places
        self._dependents, self._resting = shared._dependents, shared._resting

    async def remove(self, numbers: Iterable[int]) -> None:
        """Like ``BreakpointTable.remove``. Raises ReadOnlyError for a client that may not set any."""
        self._target.conn.require_allowed(event_request.Set)
        await super().remove(numbers)

    async def disable(self, numbers: Iterable[int]) -> None:
        """Like ``BreakpointTable.disable``. Raises ReadOnlyError for a client that may not set any."""
        self._target.conn.require_allowed(event_request.Set)
        await super().disable(numbers)

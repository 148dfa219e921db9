"""All points of a session under their numbers: listed, switched on and off, removed, and what a hit of one means.

Owns the row of numbers and the rule of a hit (condition, ignore count, one time only, stop or report). What a kind of
point asks of the target is its own business; whether a set of events stops the target is decided by all votes together
in the pump.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from jdbpy.errors import Disconnected, JdbpyError, JdwpError, UsageError
from jdbpy.session.model import Breakpoint, StopReason, SuspendPolicy
from jdbpy.session.points.conditions import CompileCondition, CompileLogText
from jdbpy.session.points.options import NO_OPTIONS, PointOptions
from jdbpy.session.points.point import Point
from jdbpy.session.requests import GO, Hit, StopPlan, Verdict
from jdbpy.session.target import Target
from jdbpy.session.tracing.log_file import absolute
from jdbpy.session.tracing.reports import Reporter

P = TypeVar("P", bound=Point)


class Points:
    """The ``points`` of a session."""

    def __init__(
        self,
        target: Target,
        compile_condition: CompileCondition | None = None,
        compile_log: CompileLogText | None = None,
    ) -> None:
        self._target = target
        self._compile = compile_condition
        self._compile_log = compile_log
        self._points: dict[int, Point] = {}
        self._last_number = 0
        self.reporter = Reporter(target)

    async def add(self, make: Callable[[int, SuspendPolicy], P], options: PointOptions = NO_OPTIONS) -> Breakpoint:
        """Gives a new point its number, its policy and its condition, and sets it.

        Raises UsageError when it cannot be set, EvalError for a condition that does not compile.
        """
        self._target.require_alive()
        _check_count(options.ignore)
        if options.thread == 0:
            raise UsageError("there is no thread 0", hint="'threads' lists them")
        if not options.reporting.hold and (options.log or options.condition or options.reporting.stack):
            raise UsageError("a stack, a text or a condition needs the thread to be held", hint="leave out --no-stop")
        policy = options.policy
        if options.log or options.reporting.stack:
            policy = SuspendPolicy.NONE
        elif policy is None:
            policy = SuspendPolicy.THREAD if self._target.remote else SuspendPolicy.ALL
        file = absolute(options.reporting.file) if options.reporting.file else ""
        self._last_number += 1
        point = make(self._last_number, policy)
        point.file = file
        self._compile_condition(point, options.condition)
        if options.log:
            if self._compile_log is None:
                raise UsageError("logpoints need an evaluator, and this session has none")
            point.log = self._compile_log(options.log)
        self._points[point.number] = point
        try:
            await point.arm()
        except BaseException:
            del self._points[point.number]
            raise
        return point.snapshot()

    def list(self) -> builtins.list[Breakpoint]:
        """All points by number. No trip."""
        return [point.snapshot() for _, point in sorted(self._points.items())]

    def get(self, number: int) -> Breakpoint:
        """The point of that number. Raises UsageError. No trip."""
        return self._point(number).snapshot()

    def of_type(self, kind: type[P]) -> builtins.list[P]:
        """The points of a class, by number: for the component that sets them."""
        return [point for _, point in sorted(self._points.items()) if isinstance(point, kind)]

    async def remove(self, numbers: Iterable[int]) -> None:
        """Removes points. Raises UsageError, and removes none, if one of them does not exist. wire: 1 trip."""
        points = self._take(numbers)
        for point in points:
            del self._points[point.number]
        await self._disarm(points)

    async def enable(self, numbers: Iterable[int]) -> None:
        """Sets points again that were disabled. Raises UsageError. wire: as setting each of them."""
        for point in self._take(numbers):
            if not point.enabled:
                point.meter.restart(point.hits)
                await point.arm()
                point.enabled = True

    async def disable(self, numbers: Iterable[int]) -> None:
        """Takes points out of the target and keeps them. Raises UsageError. wire: 1 trip."""
        points = self._take(numbers)
        for point in points:
            point.enabled = False
        await self._disarm(points)

    async def set_condition(self, number: int, condition: str) -> Breakpoint:
        """Makes a point count only where the expression is true; "" makes it count always. Raises EvalError.

        wire: none, or as setting the point, where its requests have to be others then.
        """
        point = self._point(number)
        before = _requested(point)
        self._compile_condition(point, condition)
        return await self._renewed(point, before)

    async def set_ignore(self, number: int, count: int) -> Breakpoint:
        """Lets the next ``count`` hits of a point pass. wire: as ``set_condition``."""
        _check_count(count)
        point = self._point(number)
        before = _requested(point)
        point.ignore = count
        return await self._renewed(point, before)

    # -- hits --------------------------------------------------------------------------------------------------------

    async def hit(self, point: Point, reason: StopReason, hit: Hit) -> Verdict:
        """The vote on one hit. A condition that fails stops, and says so: the user is to know rather than to wonder."""
        message = ""
        if point.condition is not None:
            try:
                if not await point.condition.holds(hit.thread):
                    return GO
            except Disconnected:
                raise
            except JdbpyError as error:
                message = f"the condition of {point.noun} {point.number} failed: {error.message}"
        if point.agent_count:  # the agent has counted, and has dropped the request
            point.hits += point.agent_count - 1
            point.ignore = 0
            self._target.requests.spent(hit.request)
        point.hits += 1
        if point.ignore and not message:
            point.ignore -= 1
            return GO
        taken = self.reporter.take(point)
        if point.temporary:
            self._points.pop(point.number, None)
            point.disarm()
        if point.reports:
            await self.reporter.report(point, hit, taken, message)
            return GO
        extra: dict[str, Any] = {"breakpoint": point.number, "breakpoints": (point.number,)}
        if point.temporary:
            extra["temporary"] = True
        try:
            extra.update(await point.details(hit))
        except JdwpError as error:
            message = message or f"what happened could not be read: {error.message}"
        if message:
            extra["message"] = message
        if taken.spent:
            self.reporter.switch_off(point, taken)
        return StopPlan(reason, extra)

    # -- helpers -----------------------------------------------------------------------------------------------------

    def _point(self, number: int) -> Point:
        point = self._points.get(number)
        if point is None:
            raise UsageError(f"there is no breakpoint {number}", hint="'breakpoints' lists them")
        return point

    def _take(self, numbers: Iterable[int]) -> builtins.list[Point]:
        self._target.require_alive()
        return [self._point(number) for number in dict.fromkeys(numbers)]

    async def _disarm(self, points: Iterable[Point]) -> None:
        points = tuple(points)
        self.reporter.settle(*points)
        await self._target.conn.gather([reply for point in points for reply in point.disarm()])

    async def _renewed(self, point: Point, before: tuple[object, ...]) -> Breakpoint:
        if point.enabled and _requested(point) != before:
            point.disarm()
            await point.arm()
        return point.snapshot()

    def _compile_condition(self, point: Point, text: str) -> None:
        text = text.strip()
        if text and self._compile is None:
            raise UsageError("conditions need an evaluator, and this session has none")
        point.condition = self._compile(text) if text and self._compile is not None else None
        point.condition_text = text


def _check_count(count: int) -> None:
    if count < 0:
        raise UsageError(f"an ignore count of {count} makes no sense", hint="it is the number of hits to let pass")


def _requested(point: Point) -> tuple[object, ...]:
    """What of a point's state its requests in the target depend on."""
    return point.wire_policy, point.agent_count

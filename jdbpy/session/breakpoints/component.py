"""The breakpoints of a session: numbered, listed, switched on and off, and what happens when one is hit.

Owns the numbers and the meaning of a hit (condition, ignore count, one time only). Where a breakpoint stands in the
target is ``placement``'s business; whether a composite event stops the target is decided by all votes in the pump.
"""

from __future__ import annotations

import builtins
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from jdbpy.errors import Disconnected, JdbpyError, JdwpError, UsageError
from jdbpy.session.breakpoints.breakpoint import LogicalBreakpoint
from jdbpy.session.breakpoints.conditions import CompileCondition
from jdbpy.session.breakpoints.location_spec import ClassLine, CurrentLine, FileLine, MethodPlace, parse_location
from jdbpy.session.breakpoints.placement import Placement
from jdbpy.session.breakpoints.places import AbsoluteSpec
from jdbpy.session.class_names import ClassName, path_of_package
from jdbpy.session.model import Breakpoint, Frame, Location, Notice, StopReason, SuspendPolicy
from jdbpy.session.requests import GO, Hit, StopPlan, Verdict
from jdbpy.session.signatures import outermost
from jdbpy.session.target import Target
from jdbpy.wire.ids import ObjectID, ReferenceTypeID, ThreadID
from jdbpy.wire.messages import thread_reference

SelectedFrame = Callable[[], Awaitable[Frame]]


class Breakpoints:
    """The ``breakpoints`` of a session. ``selected_frame`` gives meaning to places like ``:42`` and ``+3``."""

    def __init__(
        self,
        target: Target,
        compile_condition: CompileCondition | None = None,
        selected_frame: SelectedFrame | None = None,
    ) -> None:
        self._target = target
        self._compile = compile_condition
        self._selected_frame = selected_frame
        self._placement = Placement(target, self._on_hit)
        self._points: dict[int, LogicalBreakpoint] = {}
        self._last_number = 0

    async def add(
        self,
        spec: str,
        *,
        temporary: bool = False,
        policy: SuspendPolicy | None = None,
        condition: str = "",
        thread: int | None = None,
        ignore: int = 0,
    ) -> Breakpoint:
        """Sets a breakpoint; ``location_spec`` tells how places are written.

        It stands on every code location of the place in every loader, and is set in classes that are loaded later;
        when there is none yet, ``message`` of the result says what it waits for. ``policy`` is what a hit suspends: by
        default everything, on a remote target only the thread that hits; NONE publishes a notice and goes on.
        ``condition`` is a boolean Java expression, ``thread`` the id of the only thread to stop in, ``ignore`` how many
        hits to let pass first. Raises UsageError when the place is not there, EvalError for a condition that does not
        compile. wire: as ``Placement.arm``.
        """
        self._target.require_alive()
        if ignore < 0:
            raise UsageError(f"an ignore count of {ignore} makes no sense", hint="it is the number of hits to let pass")
        if thread == 0:
            raise UsageError("there is no thread 0", hint="'threads' lists them")
        place = await self._absolute(parse_location(spec))
        if policy is None:
            policy = SuspendPolicy.THREAD if self._target.remote else SuspendPolicy.ALL
        self._last_number += 1
        point = LogicalBreakpoint(
            self._last_number, place, policy, temporary=temporary, thread=thread, ignore=ignore
        )
        self._set_condition(point, condition)
        self._points[point.number] = point
        try:
            await self._placement.arm(point)
        except BaseException:
            del self._points[point.number]
            raise
        return point.snapshot(self._target.types)

    def list(self) -> builtins.list[Breakpoint]:
        """All breakpoints by number. No trip."""
        return [point.snapshot(self._target.types) for _, point in sorted(self._points.items())]

    def get(self, number: int) -> Breakpoint:
        """The breakpoint of that number. Raises UsageError. No trip."""
        return self._point(number).snapshot(self._target.types)

    def find(self, spec: str) -> builtins.list[int]:
        """Numbers of the breakpoints at a place, however it is written; not relative to a frame. No trip."""
        place = parse_location(spec)
        if isinstance(place, CurrentLine):
            raise UsageError(f"'{spec}' depends on the selected frame", hint="name the class: Class:LINE")
        types = self._target.types
        return [number for number, point in sorted(self._points.items()) if point.is_at(place, types)]

    async def remove(self, numbers: Iterable[int]) -> None:
        """Removes breakpoints. Raises UsageError, and removes none, if one of them does not exist. wire: 1 trip."""
        points = self._take(numbers)
        for point in points:
            del self._points[point.number]
        await self._disarm(points)

    async def clear_all(self) -> builtins.list[int]:
        """Removes all breakpoints and returns their numbers. wire: 1 trip."""
        numbers = sorted(self._points)
        await self.remove(numbers)
        return numbers

    async def enable(self, numbers: Iterable[int]) -> None:
        """Sets breakpoints again that were disabled. Raises UsageError. wire: as ``add`` for each."""
        for point in self._take(numbers):
            if not point.enabled:
                await self._placement.arm(point)
                point.enabled = True

    async def disable(self, numbers: Iterable[int]) -> None:
        """Takes breakpoints out of the target and keeps them. Raises UsageError. wire: 1 trip."""
        points = self._take(numbers)
        for point in points:
            point.enabled = False
        await self._disarm(points)

    def set_condition(self, number: int, condition: str) -> Breakpoint:
        """Makes a breakpoint stop only where the expression is true; "" makes it stop always. Raises EvalError."""
        point = self._point(number)
        self._set_condition(point, condition)
        return point.snapshot(self._target.types)

    def set_ignore(self, number: int, count: int) -> Breakpoint:
        """Lets the next ``count`` hits of a breakpoint pass."""
        if count < 0:
            raise UsageError(f"an ignore count of {count} makes no sense", hint="it is the number of hits to let pass")
        point = self._point(number)
        point.ignore = count
        return point.snapshot(self._target.types)

    async def reinstall(self, type_ids: Iterable[int]) -> None:
        """Sets all breakpoints again in classes that were just redefined. wire: 3 trips a breakpoint."""
        renewed = [ReferenceTypeID(each) for each in type_ids]
        for point in builtins.list(self._points.values()):
            if point.enabled:
                await self._placement.renew(point, renewed)

    # -- hits --------------------------------------------------------------------------------------------------------

    async def _on_hit(self, point: LogicalBreakpoint, hit: Hit) -> Verdict:
        """The vote on one hit. A condition that fails stops, and says so: the user is to know rather than to wonder."""
        message = ""
        if point.condition is not None:
            try:
                if not await point.condition.holds(hit.thread):
                    return GO
            except Disconnected:
                raise
            except JdbpyError as error:
                message = f"the condition of breakpoint {point.number} failed: {error.message}"
        point.hits += 1
        if point.ignore and not message:
            point.ignore -= 1
            return GO
        if point.temporary:
            self._points.pop(point.number, None)
            self._placement.disarm(point)
        if point.policy is SuspendPolicy.NONE:
            await self._tell(point, hit, message)
            return GO
        extra: dict[str, Any] = {"breakpoint": point.number, "breakpoints": (point.number,)}
        if point.temporary:
            extra["temporary"] = True
        if message:
            extra["message"] = message
        return StopPlan(StopReason.BREAKPOINT, extra)

    async def _tell(self, point: LogicalBreakpoint, hit: Hit, message: str) -> None:
        """Publishes the hit of a breakpoint that suspends nothing: the target runs on meanwhile, and may be gone
        before it has told the thread's name. wire: 1 trip."""
        types, place, name = self._target.types, hit.event.location, ""
        try:
            await types.locations([place])
            name = (await self._target.conn.request(thread_reference.Name(ThreadID(ObjectID(hit.thread))))).threadName
        except (JdwpError, Disconnected):
            pass
        location = types.location(place)
        where = f"{location.class_name}.{location.method}" + (f", line {location.line}" if location.line else "")
        data = (("breakpoint", point.number), ("thread", hit.thread), ("line", location.line))
        text = f"breakpoint {point.number} hit: " + (f'thread "{name}", ' if name else "") + where
        self._target.publish(Notice("breakpoint-hit", text + (f" ({message})" if message else ""), data))

    # -- helpers -----------------------------------------------------------------------------------------------------

    def _point(self, number: int) -> LogicalBreakpoint:
        point = self._points.get(number)
        if point is None:
            raise UsageError(f"there is no breakpoint {number}", hint="'breakpoints' lists them")
        return point

    def _take(self, numbers: Iterable[int]) -> builtins.list[LogicalBreakpoint]:
        self._target.require_alive()
        return [self._point(number) for number in dict.fromkeys(numbers)]

    async def _disarm(self, points: Iterable[LogicalBreakpoint]) -> None:
        pending = [reply for point in points for reply in self._placement.disarm(point)]
        await self._target.conn.gather(pending)

    def _set_condition(self, point: LogicalBreakpoint, text: str) -> None:
        text = text.strip()
        if text and self._compile is None:
            raise UsageError("conditions need an evaluator, and this session has none")
        point.condition = self._compile(text) if text and self._compile is not None else None
        point.condition_text = text

    async def _absolute(self, place: ClassLine | FileLine | CurrentLine | MethodPlace) -> AbsoluteSpec:
        """The place without reference to the selected frame. wire: as reading that frame, when it refers to it."""
        if isinstance(place, CurrentLine):
            current = await self._current()
            line = (current.line or 0) + place.line if place.relative else place.line
            if place.relative and (current.line is None or line < 1):
                raise UsageError(f"there is no line {place}", hint="the place must be one of the current file")
            if current.source is None:
                return ClassLine(ClassName(outermost(current.class_name), bound=True), line)
            return FileLine(path_of_package(current.class_name), current.source, line)
        if isinstance(place, MethodPlace) and place.class_name is None:
            current = await self._current()
            named: MethodPlace = place.replace(class_name=ClassName(current.class_name, bound=True))
            return named
        return place

    async def _current(self) -> Location:
        if self._selected_frame is None:
            raise UsageError("no frame is selected", hint="name the class: Class:LINE or Class.method")
        return (await self._selected_frame()).location

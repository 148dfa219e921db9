"""The breakpoints of a session: setting them at places, finding them by their place.

Where a breakpoint stands in the target is ``placement``'s business; numbers, switching and what a hit means are those
of all points (``points``).
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Coroutine, Iterable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, Concatenate, ParamSpec

from jdbpy.errors import StateError, UsageError
from jdbpy.session.breakpoints.breakpoint_base import MOST_CHECKED
from jdbpy.session.breakpoints.breakpoint_table import BreakpointTable
from jdbpy.session.breakpoints.line_breakpoint import LineBreakpoint
from jdbpy.session.breakpoints.location_spec import ClassLine, CurrentLine, FileLine, MethodPlace, parse_location
from jdbpy.session.breakpoints.placement import Placement
from jdbpy.session.breakpoints.places import AbsoluteSpec
from jdbpy.session.breakpoints.watchpoints import SelectedFrame
from jdbpy.session.events.requests import RequestHit, Vote
from jdbpy.session.events.target import Target
from jdbpy.session.extension import Extension
from jdbpy.session.java.class_names import ClassName, path_of_package
from jdbpy.session.java.signatures import outermost
from jdbpy.session.model.breakpoints import BreakpointInfo, PointOptions
from jdbpy.session.model.events import StopReason
from jdbpy.session.model.threads import Location
from jdbpy.wire.ids import ReferenceTypeID

P = ParamSpec("P")


def _taking(
    options: Callable[P, PointOptions],
) -> Callable[
    [Callable[..., Any]], Callable[Concatenate[LineBreakpoints, str, P], Coroutine[Any, Any, BreakpointInfo]]
]:
    """Give a method the keyword arguments of the options, for type checkers: they are written down once."""
    return lambda method: method


class LineBreakpoints:
    """The ``breakpoints`` of a session. ``selected_frame`` gives meaning to places like ``:42`` and ``+3``.

    ``get``, ``remove``, ``enable``, ``disable``, ``set_condition``, ``set_hit_count`` and ``set_ignore`` are those of
    ``points``.
    """

    def __init__(
        self,
        target: Target,
        points: BreakpointTable,
        selected_frame: SelectedFrame | None = None,
        shared: LineBreakpoints | None = None,
    ) -> None:
        """``shared`` are those of a session that a client has joined: what stands in the target is one set for all."""
        self._target = target
        self._points = points
        self._selected_frame = selected_frame
        self.placement: Placement = Placement(target, self._on_hit) if shared is None else shared.placement
        """Their placement in the target; for components of the session."""
        self.get = points.get
        self.remove = points.remove
        self.enable = points.enable
        self.disable = points.disable
        self.set_condition = points.set_condition
        self.set_hit_count = points.set_hit_count
        self.set_ignore = points.set_ignore

    def refuse_lines_without_code(self) -> None:
        """From now on a line without code is refused, as jdb does, instead of taken for the next one with code."""
        self.placement.moves = False

    def stop_at_failures(self) -> None:
        """From now on a class is stopped at, as jdb does, in which nothing can be set that waited for it."""
        self._target.stops_at_failures = True

    @_taking(PointOptions)
    async def add(self, spec: str, **options: Any) -> BreakpointInfo:
        """Set a breakpoint; ``location_spec`` has the forms of places.

        It stands on every code location of the place in every loader, and is set in classes that are loaded later;
        when there is none yet, ``message`` of the result says what it waits for. ``options`` are those of
        ``PointOptions``, by name. With ``log`` it is a logpoint, with frames of the stack in ``reporting`` a
        tracepoint. Raises UsageError when the place is not there, EvalError for a condition or text that does not
        compile. wire: as ``Placement.arm``.
        """
        return await self.add_with(spec, PointOptions(**options))

    async def add_with(self, spec: str, options: PointOptions) -> BreakpointInfo:
        """Like ``add``, with all that a point may be given in one piece. Raises and wire: as ``add``."""
        self._target.require_alive()
        place = await self._absolute(parse_location(spec))
        make = partial(LineBreakpoint, spec=place, placing=self.placement)
        return await self._points.add(make, options)

    def adding_many(self) -> AbstractAsyncContextManager[None]:
        """Within the block, ``add`` does not wait until the agent has confirmed a breakpoint in code that is known.

        Thousands are added at the speed of sending them. They can be hit at once. One that the agent refuses is
        published as a ``breakpoint-failed`` notice by the end of the block. wire: 1 trip at its end.
        """
        return self.placement.adding_many()

    def list(self) -> builtins.list[BreakpointInfo]:
        """Return all breakpoints by number; ``points.list`` has the other points too. No trip."""
        return [point.snapshot() for point in self._all()]

    def find(self, spec: str) -> builtins.list[int]:
        """Numbers of the breakpoints at a place, however it is written; not relative to a frame. No trip."""
        place = parse_location(spec)
        if isinstance(place, CurrentLine) or (isinstance(place, MethodPlace) and place.class_name is None):
            hint = "name the class: Class:LINE or Class.method"
            raise UsageError(f"'{spec}' depends on the selected frame", hint=hint)
        return [point.number for point in self._all() if point.is_at(place, self._target.types)]

    async def clear_all(self) -> builtins.list[int]:
        """Remove all breakpoints, in a shared session those of the client; return their numbers. wire: 1 trip."""
        client, shared = self._target.client, self._target.clients is not None
        numbers = [point.number for point in self._all() if not shared or point.client == client]
        await self.remove(numbers)
        return numbers

    async def before_redefinition(self, type_ids: Iterable[int]) -> None:
        """Compile conditions and texts at places in classes that are going to be redefined. wire: 1 trip, if any is
        new there."""
        changing = set(type_ids)
        for point in self._all():
            places = [each for each in point.placed if each.classID in changing]
            for compiled in (point.condition, point.log):
                if compiled is not None and len(places) <= MOST_CHECKED:
                    for place, location in zip(places, await self._target.types.locations(places), strict=True):
                        await compiled.prepare(place, location)

    async def reinstall(self, type_ids: Iterable[int]) -> None:
        """Set all breakpoints again in classes that were just redefined. wire: 3 trips a breakpoint."""
        self.placement.forget_code()
        self._points.forget_code()
        renewed = [ReferenceTypeID(each) for each in type_ids]
        for extension in self._target.extensions.of(Extension.code_cleared):
            extension.code_cleared(renewed)
        for point in self._all():
            if point.wanted:
                await self.placement.renew(point, renewed)
        await self._points.redefined(renewed)

    async def enable_place(self, number: int, place: int) -> BreakpointInfo:
        """Let a breakpoint stand again at one of its places, which was disabled. Raises UsageError. wire: 1 trip."""
        return await self._switch_place(number, place, enabled=True)

    async def disable_place(self, number: int, place: int) -> BreakpointInfo:
        """Take a breakpoint out of one of its places, ``Breakpoint.places``. Raises UsageError. wire: no wait."""
        return await self._switch_place(number, place, enabled=False)

    # -- helpers -----------------------------------------------------------------------------------------------------

    async def _switch_place(self, number: int, place: int, *, enabled: bool) -> BreakpointInfo:
        self.get(number)
        point = next((each for each in self._all() if each.number == number), None)
        if point is None:
            raise UsageError(f"number {number} is not a breakpoint: it has no places", code="NO_PLACE")
        point.code.get(number, place).enabled = enabled
        if point.group is not None and self._target.publisher.ending is None:
            async with self._target.code_guard.unchanged():
                await self.placement.sync(point)
        return point.snapshot()

    def _on_hit(self, point: LineBreakpoint, hit: RequestHit) -> Vote:
        return self._points.rule.hit(point, StopReason.BREAKPOINT, hit)

    def _all(self) -> builtins.list[LineBreakpoint]:
        return self._points.of_type(LineBreakpoint)

    async def _absolute(self, place: ClassLine | FileLine | CurrentLine | MethodPlace) -> AbsoluteSpec:
        """Return the place without reference to the selected frame. wire: as reading that frame, when it refers to
        it."""
        if isinstance(place, CurrentLine):
            current = await self._current(place)
            line = (current.line or 0) + place.line if place.relative else place.line
            if place.relative and (current.line is None or line < 1):
                raise UsageError(f"no line {place}", hint="the place must be one of the current file")
            if current.source is None:
                return ClassLine(ClassName(outermost(current.class_name), bound=True), line, place.part)
            directory = path_of_package(current.class_name)
            if current.source_path is not None:
                directory = current.source_path.rpartition("/")[0]
            return FileLine(directory, current.source, line, place.part)
        if isinstance(place, MethodPlace) and place.class_name is None:
            current = await self._current(place)
            named: MethodPlace = place.replace(class_name=ClassName(current.class_name, bound=True))
            return named
        return place

    async def _current(self, place: CurrentLine | MethodPlace) -> Location:
        """Return where the selected frame stands, which a place depends on. Raises StateError when there is none."""
        form = "Class:LINE" if isinstance(place, CurrentLine) else f"Class.{place}"
        hint = f"name the class: {form}"
        if self._selected_frame is None:
            raise UsageError("no frame is selected", hint=hint)
        try:
            return (await self._selected_frame()).location
        except StateError as error:
            raise StateError(
                f"'{place}' is looked for in the class of the selected frame: {error.message}",
                hint=hint,
                code=error.code,
            ) from error

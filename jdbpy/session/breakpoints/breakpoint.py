"""One breakpoint as the user sees it: a number and a place, wherever and how often that is in the target.

Owns the state of one breakpoint; it asks the target nothing. ``placement`` puts it into the target.
"""

from __future__ import annotations

from typing import Any, Protocol

from jdbpy.errors import UsageError
from jdbpy.session import model
from jdbpy.session.breakpoints.code_places import CodePlaces
from jdbpy.session.breakpoints.location_spec import ClassLine, FileLine, MethodPlace
from jdbpy.session.breakpoints.places import AbsoluteSpec
from jdbpy.session.points.conditions import Condition
from jdbpy.session.points.options import PointOptions
from jdbpy.session.points.point import Point
from jdbpy.session.requests import EventRequest, Hit
from jdbpy.session.types.cache import TypeCache
from jdbpy.session.types.class_names import ClassName, enclosing
from jdbpy.wire.ids import CodeLocation
from jdbpy.wire.pending import Pending

MANY = 1000
"""So many hits are worth to be counted by the agent: here they would take some tenths of a second."""


class BreakpointGroup(Protocol):
    """The breakpoints of one class or file: ``placement.ClassGroup``."""

    points: dict[LogicalBreakpoint, None]
    watches: dict[str, EventRequest]


class Placing(Protocol):
    """What puts breakpoints into the target: ``placement.Placement``."""

    types: TypeCache

    async def arm(self, point: LogicalBreakpoint) -> None: ...

    async def check(self, point: LogicalBreakpoint, condition: Condition | None) -> None: ...

    def disarm(self, point: LogicalBreakpoint) -> list[Pending[Any]]: ...


class LogicalBreakpoint(Point):
    """A breakpoint with a number. ``placed`` are the code locations where it stands in the target; the
    breakpoints of its ``group`` share what watches for classes."""

    noun = "breakpoint"

    def __init__(
        self,
        number: int,
        policy: model.SuspendPolicy,
        options: PointOptions,
        *,
        spec: AbsoluteSpec,
        placing: Placing,
    ) -> None:
        super().__init__(number, policy, options)
        self.typed = str(spec)
        self.spec = spec  # with the full class name, once that is known
        self.kind = "method" if isinstance(spec, MethodPlace) else "line"
        self.placed: dict[CodeLocation, EventRequest] = {}
        self.moved: tuple[CodeLocation, ...] = ()  # where it stands because its own line has no code
        self.group: BreakpointGroup | None = None  # while it is armed
        part = "" if isinstance(spec, MethodPlace) else spec.part
        self.code = CodePlaces(placing.types, by_line=not isinstance(spec, MethodPlace), part=part)
        self._placing = placing

    @property
    def agent_count(self) -> int:
        """Of many hits at one place. The agent counts for each place by itself, and tells nothing meanwhile: counting
        begins anew at a second place, and of few hits it is better to know how many there were."""
        return self.only_hit if self.only_hit >= MANY else 0

    async def arm(self) -> None:
        await self._placing.arm(self)

    def disarm(self) -> list[Pending[Any]]:
        return self._placing.disarm(self)

    @property
    def requested(self) -> tuple[object, ...]:
        return *super().requested, tuple(self.code.wanted())

    async def check(self, condition: Condition | None) -> None:
        await self._placing.check(self, condition)

    def told(self, hit: Hit, where: str, details: dict[str, Any]) -> tuple[str, str]:
        return "breakpoint-hit", f"breakpoint {self.number} hit: {where}"

    def require_fitting(self, options: PointOptions) -> None:
        if options.classes or options.excludes:
            raise UsageError(
                "a breakpoint is in one class: there is nothing to choose",
                hint="'callers' limits it to what calls it",
            )

    def places(self) -> tuple[model.Location, ...]:
        return tuple(sorted((self._placing.types.location(place) for place in self.placed), key=_order))

    def snapshot(self) -> model.Breakpoint:
        return super().snapshot().replace(places=self.code.snapshot())

    @property
    def shown_spec(self) -> str:
        """The place as it is best typed: with the full name of the class when it stands in one only. No trip."""
        types = self._placing.types
        spec = self.spec
        if isinstance(spec, FileLine) or spec.class_name is None or spec.class_name.is_pattern:
            return str(spec)
        around = {name for place in self.placed for name in enclosing(types.location(place).class_name)}
        meant = [name for name in around if spec.class_name.is_name_of(name) or spec.class_name.is_end_of(name)]
        return str(spec.replace(class_name=ClassName(meant[0], bound=True)) if len(meant) == 1 else spec)

    def is_at(self, spec: AbsoluteSpec, types: TypeCache) -> bool:
        """Whether another way to write a place means this breakpoint."""
        if str(spec) in (self.typed, str(self.spec)):
            return True
        if isinstance(spec, MethodPlace):
            return isinstance(self.spec, MethodPlace) and _same_method(spec, self.spec)
        if isinstance(self.spec, MethodPlace):
            return False
        if spec.part not in ("", self.spec.part):
            return False
        return any(_is_line(spec, types.location(place)) for place in self.code.locations())


def _order(place: model.Location) -> tuple[str, int, int]:
    return place.class_name, place.line or 0, place.code_index


def _same_method(one: MethodPlace, other: MethodPlace) -> bool:
    assert one.class_name is not None
    assert other.class_name is not None
    name = other.class_name.text
    return (
        one.method == other.method
        and one.parameters in (None, other.parameters)
        and (one.class_name.is_name_of(name) or one.class_name.is_end_of(name))
    )


def _is_line(spec: ClassLine | FileLine, place: model.Location) -> bool:
    if place.line != spec.line:
        return False
    if isinstance(spec, FileLine):
        return place.source == spec.file
    name = spec.class_name
    return any(name.is_name_of(each) or name.is_end_of(each) for each in enclosing(place.class_name))

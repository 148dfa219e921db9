"""One breakpoint at a line or method: a number, a place, and all its code, wherever that is in the target.

A line has several places where it holds a lambda, where it was inlined, where a name means several methods. Owns the
state of one breakpoint, and which of its places it is for: by its spelling, by what the user has disabled, and by its
condition. It asks the target nothing; ``placement`` puts it into the target.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from jdbpy.errors import EvalError, UsageError
from jdbpy.session.breakpoints.breakpoint_base import MOST_CHECKED, BreakpointBase, CountedPlace
from jdbpy.session.breakpoints.location_spec import LAMBDA, LINE, ClassLine, FileLine, MethodPlace
from jdbpy.session.breakpoints.places import AbsoluteSpec
from jdbpy.session.events.conditions import Condition
from jdbpy.session.events.requests import EventRequest, RequestHit
from jdbpy.session.java.class_names import ClassName, enclosing
from jdbpy.session.java.signatures import is_lambda_body
from jdbpy.session.jvm.types import TypeCache
from jdbpy.session.model.breakpoints import BreakpointInfo, BreakpointPlace, PointOptions
from jdbpy.session.model.threads import Location
from jdbpy.wire.constants import EventKind
from jdbpy.wire.ids import CodeLocation
from jdbpy.wire.pending import Pending

METHOD = "method"
CONSTRUCTOR = "constructor"

_ORDER = {LINE: 0, METHOD: 0, LAMBDA: 1, CONSTRUCTOR: 2}


class CodePlace:
    """The code of a breakpoint in one method, in all loaders. ``number`` is 0 while it is none that was asked for;
    ``wrong`` says why the condition ``checked`` makes no sense there."""

    __slots__ = ("checked", "enabled", "found", "kind", "locations", "number", "wrong")

    def __init__(self, found: Location) -> None:
        self.found = found
        self.kind = METHOD
        self.number = 0
        self.enabled = True
        self.checked: Condition | None = None
        self.wrong: EvalError | None = None
        self.locations: dict[CodeLocation, None] = {}

    @property
    def is_wanted(self) -> bool:
        """True if the breakpoint is to stand there."""
        return bool(self.number) and self.enabled and self.wrong is None


class CodePlaces:
    """The places of one breakpoint, ``part`` of its line: ``line``, ``lambda``, ``lambda2``, or "" for all."""

    def __init__(self, types: TypeCache, *, by_line: bool, part: str) -> None:
        self._types = types
        self._by_line = by_line
        self._part = part
        self._places: dict[tuple[str, str, str], CodePlace] = {}

    def enter(self, locations: Iterable[CodeLocation]) -> None:
        """Take in code that was found; what is new gets the next numbers. No trip."""
        for each in locations:
            found = self._types.location(each)
            key = found.class_name, found.method, found.signature
            if key not in self._places:
                self._places[key] = CodePlace(found)
            self._places[key].locations[each] = None
        if self._by_line:
            self._classify()
        ordered = self._in_order()
        chosen = dict.fromkeys(each for each in ordered if self._is_chosen(each, ordered))
        for place in ordered:
            place.number = place.number if place in chosen else 0
        last = max((place.number for place in chosen), default=0)
        for place in chosen:
            if not place.number:
                last += 1
                place.number = last

    def forget(self, locations: Iterable[CodeLocation] | None = None) -> None:
        """Forget where the code is, of all or these; places keep their numbers, and whether they are disabled."""
        gone = None if locations is None else set(locations)
        for place in self._places.values():
            if gone is None or not gone.isdisjoint(place.locations):
                place.locations = {each: None for each in place.locations if gone is not None and each not in gone}
                place.checked = place.wrong = None

    def move(self, moved: Mapping[CodeLocation, CodeLocation]) -> None:
        """Code was put in or taken out: what was at an index is at another now."""
        for place in self._places.values():
            place.locations = {moved.get(each, each): None for each in place.locations}

    def chosen(self) -> list[CodePlace]:
        """Return the places that there are now, of those that the breakpoint is for, by number."""
        there = [place for place in self._places.values() if place.number and place.locations]
        return sorted(there, key=lambda place: place.number)

    async def compile(self, condition: Condition | None, brings: Iterable[str]) -> dict[CodePlace, EvalError | None]:
        """Return what is wrong with a condition at each place: None where it is right, or it takes a hit to tell.

        wire: 1 trip or 2 a place for classes and variables that are new.
        """
        results: dict[CodePlace, EvalError | None] = {}
        places = self.chosen()
        for place in places:
            if condition is None or len(places) > MOST_CHECKED:
                results[place] = None
            elif place.checked is condition:
                results[place] = place.wrong
            else:
                [found] = await self._types.locations([next(iter(place.locations))])
                results[place] = await condition.check(found, brings)
        return results

    def stand_where_wrong(self) -> None:
        """Stand where the condition makes no sense: it does so nowhere, and the stop of a hit is to say so."""
        for place in self._places.values():
            place.checked = place.wrong = None

    def wanted(self) -> list[CodeLocation]:
        """Return the code locations at which the breakpoint is to stand."""
        return [each for place in self._places.values() if place.is_wanted for each in place.locations]

    def locations(self) -> list[CodeLocation]:
        """Return all that was found."""
        return [each for place in self._places.values() for each in place.locations]

    def get(self, breakpoint: int, number: int) -> CodePlace:
        """Return the place of that number. Raises UsageError."""
        there = self.chosen()
        place = next((each for each in there if each.number == number), None)
        if place is None:
            noun = "place" if len(there) == 1 else "places"
            raise UsageError(
                f"breakpoint {breakpoint} has no place {number}",
                hint=f"it has {len(there)} {noun}; 'breakpoints' lists them" if there else "it has none yet",
                code="NO_PLACE",
            )
        return place

    def snapshot(self) -> tuple[BreakpointPlace, ...]:
        """Return the places as plain data. No trip."""
        return tuple(
            BreakpointPlace(
                place.number,
                place.kind,
                place.enabled,
                tuple(map(self._types.location, place.locations)),
                place.wrong.message if place.wrong is not None else "",
            )
            for place in self.chosen()
        )

    def missing_part(self) -> UsageError | None:
        """Return the error that says why no place is the part of the line that was asked for; None if one is."""
        found = [place for place in self._places.values() if place.locations]
        if not found or any(place.number for place in found):
            return None
        first, lambdas = found[0].found, sum(place.kind == LAMBDA for place in found)
        counted = (
            "no lambda" if not lambdas else "there is 1 lambda" if lambdas == 1 else f"there are {lambdas} lambdas"
        )
        message = f"{counted} on line {first.line} of {first.source or first.class_name}"
        return UsageError(message, hint="without :lambda the breakpoint is for the whole line", code="NO_LAMBDA")

    # -- which part of the line --------------------------------------------------------------------------------------

    def _classify(self) -> None:
        """Tell the line's own code from lambdas that begin on it, and from classes that are written inside it."""
        places = list(self._places.values())
        owners = {place.found.class_name for place in places}
        for place in places:
            found = place.found
            if any(each in owners for each in enclosing(found.class_name)[1:]):
                place.kind = CONSTRUCTOR if found.method in ("<init>", "<clinit>") else LAMBDA
            else:
                place.kind = LAMBDA if is_lambda_body(found.method) and self._span(place)[0] == found.line else LINE
        if all(place.kind != LINE for place in places):  # the first line of a lambda's block: that is its line
            bodies = [place for place in places if is_lambda_body(place.found.method)]
            outer = max(bodies, key=lambda place: (self._span(place)[1], _natural(place.found)), default=None)
            if outer is not None:
                outer.kind = LINE

    def _span(self, place: CodePlace) -> tuple[int, int]:
        """Return the first and the last line of the method."""
        lines: set[int] = set()
        for each in place.locations:
            lines |= self._types.lines_of((each.classID, each.methodID), place.found.source).lines()
        return min(lines, default=0), max(lines, default=0)

    def _in_order(self) -> list[CodePlace]:
        """Return the line first, then lambdas as compilers number them."""
        if not self._by_line:
            return list(self._places.values())
        return sorted(self._places.values(), key=lambda place: (_ORDER[place.kind], _natural(place.found)))

    def _is_chosen(self, place: CodePlace, ordered: list[CodePlace]) -> bool:
        if not self._part.startswith(LAMBDA):
            return self._part in ("", place.kind) or not self._by_line
        lambdas = [each for each in ordered if each.kind == LAMBDA]
        number = self._part.removeprefix(LAMBDA)
        return place in lambdas and (not number or lambdas.index(place) + 1 == int(number))


def _natural(found: Location) -> list[tuple[int, str]]:
    """Return a key by which ``lambda$main$10`` comes after ``lambda$main$9``."""
    parts = re.split(r"(\d+)", f"{found.class_name}.{found.method}")
    return [(int(part) if part.isdecimal() else 0, part) for part in parts]


MANY = 1000
"""So many hits are worth to be counted by the agent: here they would take some tenths of a second."""


class BreakpointGroup(Protocol):
    """The breakpoints of one class or file: ``class_groups.ClassGroup``."""

    points: dict[LineBreakpoint, None]
    watches: dict[str, EventRequest]


class Placing(Protocol):
    """The part that puts breakpoints into the target: ``placement.Placement``."""

    types: TypeCache

    async def arm(self, point: LineBreakpoint) -> None: ...

    async def check(self, point: LineBreakpoint, condition: Condition | None) -> None: ...

    def disarm(self, point: LineBreakpoint) -> list[Pending[Any]]: ...


class LineBreakpoint(BreakpointBase):
    """A breakpoint with a number. ``placed`` are the code locations where it stands in the target; the
    breakpoints of its ``group`` share what watches for classes."""

    def __init__(
        self,
        number: int,
        options: PointOptions,
        *,
        spec: AbsoluteSpec,
        placing: Placing,
    ) -> None:
        super().__init__(number, options)
        self.typed = str(spec)
        self.spec = spec  # with the full class name, once that is known
        self.kind = "method" if isinstance(spec, MethodPlace) else "line"
        self.placed: dict[CodeLocation, EventRequest] = {}
        self.moved: tuple[CodeLocation, ...] = ()  # where it stands because its own line has no code
        self.group: BreakpointGroup | None = None  # while it is armed
        self.passed_by = False  # a class that its short name may mean has come, without the place, which was said
        self.computed_in_target = False
        self.why_ordinary = ""
        self.weaving_helps = False
        """True if ``weave N`` has the target compute the condition in spite of ``why_ordinary``."""
        part = "" if isinstance(spec, MethodPlace) else spec.part
        self.code = CodePlaces(placing.types, by_line=not isinstance(spec, MethodPlace), part=part)
        self._placing = placing

    @property
    def agent_count(self) -> int:
        """Return the agent's count for many hits at one place. The agent counts for each place by itself, and reports
        nothing meanwhile: counting begins anew at a second place, and of few hits it is better to know how many there
        were.
        """
        return self.only_hit if self.only_hit >= MANY else 0

    async def arm(self) -> None:
        await self._placing.arm(self)

    def disarm(self) -> list[Pending[Any]]:
        return self._placing.disarm(self)

    @property
    def requested(self) -> tuple[object, ...]:
        there = (self.condition,) if self.computed_in_target else ()
        counted = (self.hit_count, self.ignore, self.awaited) if there and self.reports else ()
        return *super().requested, tuple(self.code.wanted()), *there, *counted

    async def counted_place(self, kind: EventKind, method: tuple[int, int]) -> CountedPlace | None:
        found = [request for place, request in self.placed.items() if (place.classID, place.methodID) == method]
        return CountedPlace(kind, found[0].modifiers, kind, method) if len(found) == 1 else None

    def standing(self) -> Mapping[EventRequest, EventKind]:
        return {} if self.computed_in_target else dict.fromkeys(self.placed.values(), EventKind.BREAKPOINT)

    async def check(self, condition: Condition | None) -> None:
        await self._placing.check(self, condition)

    def told(self, hit: RequestHit, where: str, details: dict[str, Any]) -> tuple[str, str]:
        return "breakpoint-hit", f"breakpoint {self.number} hit: {where}"

    def require_fitting(self, options: PointOptions) -> None:
        if options.classes or options.excludes:
            raise UsageError(
                "a breakpoint is in one class: there is nothing to choose",
                hint="'callers' limits it to what calls it",
            )

    def places(self) -> tuple[Location, ...]:
        return tuple(sorted((self._placing.types.location(place) for place in self.placed), key=_order))

    def snapshot(self) -> BreakpointInfo:
        shown = super().snapshot().replace(places=self.code.snapshot())
        why = "" if self.computed_in_target else self.why_ordinary
        return shown.replace(in_target=self.computed_in_target, ordinary=why)

    @property
    def shown_spec(self) -> str:
        """Return the place as it is best typed: with the full name of the class when it stands in one only. No trip."""
        types = self._placing.types
        spec = self.spec
        if isinstance(spec, FileLine) or spec.class_name is None or spec.class_name.is_pattern:
            return str(spec)
        around = {name for place in self.placed for name in enclosing(types.location(place).class_name)}
        meant = [name for name in around if spec.class_name.is_name_of(name) or spec.class_name.is_end_of(name)]
        return str(spec.replace(class_name=ClassName(meant[0], bound=True)) if len(meant) == 1 else spec)

    def is_at(self, spec: AbsoluteSpec, types: TypeCache) -> bool:
        """True if another way to write a place means this breakpoint."""
        if str(spec) in (self.typed, str(self.spec)):
            return True
        if isinstance(spec, MethodPlace):
            return isinstance(self.spec, MethodPlace) and _same_method(spec, self.spec)
        if isinstance(self.spec, MethodPlace):
            return False
        if spec.part not in ("", self.spec.part):
            return False
        return any(_is_line(spec, types.location(place)) for place in self.code.locations())


def _order(place: Location) -> tuple[str, int, int]:
    return place.class_name, place.line or 0, place.code_index


def _same_method(one: MethodPlace, other: MethodPlace) -> bool:
    assert one.class_name is not None
    assert other.class_name is not None
    name = other.class_name.text
    return (
        (one.method, one.index) == (other.method, other.index)
        and one.parameters in (None, other.parameters)
        and (one.class_name.is_name_of(name) or one.class_name.is_end_of(name))
    )


def _is_line(spec: ClassLine | FileLine, place: Location) -> bool:
    if place.line != spec.line:
        return False
    if isinstance(spec, FileLine):
        return place.source == spec.file
    name = spec.class_name
    return any(name.is_name_of(each) or name.is_end_of(each) for each in enclosing(place.class_name))

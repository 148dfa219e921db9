"""The watchpoints of a session: stops where a field is read or about to change, with its value before and after.

A field is watched where it is declared. Which class a name means may be known only later; then the watchpoint waits.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from jdbpy.errors import Disconnected, EvalError, JdbpyError, StateError, UsageError
from jdbpy.identifiers import IDENTIFIER
from jdbpy.session.breakpoints.breakpoint_base import MOST_CHECKED
from jdbpy.session.breakpoints.breakpoint_table import BreakpointTable
from jdbpy.session.breakpoints.class_watch import ClassWatch
from jdbpy.session.breakpoints.event_point import Basis, EventBreakpoint, set_point
from jdbpy.session.breakpoints.field_accesses import accesses
from jdbpy.session.concurrency import both
from jdbpy.session.events.conditions import Condition, Given
from jdbpy.session.events.requests import RequestHit
from jdbpy.session.events.target import Target
from jdbpy.session.java.class_names import ClassName, close_to, parse_class_name
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.refs import Field, RefType
from jdbpy.session.model.breakpoints import NO_OPTIONS, BreakpointInfo, PointOptions, SuspendPolicy
from jdbpy.session.model.threads import FrameInfo
from jdbpy.session.model.values import Limits, ValueInfo
from jdbpy.session.values.describe import describe
from jdbpy.wire import ids
from jdbpy.wire.constants import EventKind, Tag
from jdbpy.wire.ids import CodeLocation, FieldID, ObjectID, ReferenceTypeID
from jdbpy.wire.messages import event, event_request, object_reference, reference_type
from jdbpy.wire.pending import Pending

_SHOWN = Limits(elements=10, fields=10)
"""The limits for a value in the report of a hit."""

_COSTS = "while a field is watched the JVM interprets all threads; a breakpoint with the condition costs less"
"""The remark of watchpoints with a condition (docs/agent.md, "Watched fields interpret everything")."""

_COPIED = frozenset((*"BCDFIJSZ", "Ljava/lang/String;"))
"""Types of which javac puts a constant's value where the constant is used (JLS 13.1)."""


class Watchpoint(EventBreakpoint):
    """Stops at accesses to a field, at modifications, or at both; of any object, or (``instance``) of one."""

    kind = "field"
    what = "accesses to fields"
    brings = frozenset(("old", "new"))
    looks_at_thread = True

    def __init__(self, basis: Basis, *, name: ClassName, field: str, access: bool, modification: bool) -> None:
        super().__init__(basis)
        self.field = field
        self.access = access
        self.modification = modification
        self._typed = name
        self._watched: dict[tuple[ReferenceTypeID, FieldID], Field] = {}
        self._remarks: list[str] = []
        self._doubt = ""
        """Why the condition makes no sense where the field is known to be accessed."""
        self._watch = ClassWatch(basis.target, name, self._on_class)

    @property
    def spec(self) -> str:
        which = "all " if self.access and self.modification else "access " if self.access else ""
        return f"{which}{self._watch.name.text}.{self.field}"

    def is_for(self, name: ClassName, field: str) -> bool:
        """True if it was set for, or found, that field of a class of that name."""
        return field == self.field and self._watch.is_for(name)

    async def _set_up(self) -> None:
        """wire: 3 trips, and 1 a superclass that is new; 2 for a class that is not loaded."""
        can = self._target.can
        if (self.access and not can("canWatchFieldAccess")) or (
            self.modification and not can("canWatchFieldModification")
        ):
            raise StateError("this JVM cannot watch fields", code="NOT_IMPLEMENTED")
        self._watched.clear()
        found = await self._watch.open()
        self.message = "" if found else self._watch.waiting()
        if found:
            await self._place(found)

    def disarm(self) -> list[Pending[Any]]:
        return [*self._watch.close(), *super().disarm()]

    async def check(self, condition: Condition | None) -> None:
        """Raise EvalError for a condition that makes sense nowhere, where all code is known that accesses the field.

        Where it is not, the message tells of it. wire: none without a condition or for a class that is not loaded, else
        4 trips, fewer for what is known.
        """
        self._doubt = ""
        fields = tuple(self._watched.values()) if condition is not None else ()
        refused: list[EvalError] = []
        for field in fields:
            known = await accesses(self._target, field, reads=self.access, changes=self.modification)
            wrong = await self._wrong(condition, known.places) if condition is not None else None
            if wrong is None:
                break
            if known.all_known:
                refused.append(wrong)
        if fields and len(refused) == len(fields):
            self._doubt = ""
            raise refused[0]
        self._say()

    async def _wrong(self, condition: Condition, places: tuple[CodeLocation, ...]) -> EvalError | None:
        """Return why a condition makes sense at none of the places, and remark on it; None if it may."""
        wrong: EvalError | None = None
        for place in await self._target.types.locations(places if len(places) <= MOST_CHECKED else ()):
            wrong = await condition.check(place, self.brings)
            if wrong is None:
                self._doubt = ""
                break
            where = f"{place.class_name}.{place.method}"
            self._doubt = f"the condition makes no sense in {where}, which accesses the field: {wrong.message}"
        return wrong

    def _say(self) -> None:
        """Put the message together; of a watchpoint that waits it stays."""
        if self._watched:
            self.message = "; ".join([*self._remarks, *([self._doubt] if self._doubt else [])])

    async def given(self, hit: RequestHit, text: str) -> Given:
        happened = hit.event
        field = self._watched[happened.typeID, happened.fieldID]
        given = {}
        if "$old" in text:
            given["old"] = (await self._value(field, happened.object), field.signature)
        if isinstance(happened, event.FieldModification):
            given["new"] = (happened.valueToBe, field.signature)
        return given

    def lacks(self, hit: RequestHit) -> frozenset[str]:
        return frozenset() if isinstance(hit.event, event.FieldModification) else frozenset(("new",))

    async def details(self, hit: RequestHit) -> dict[str, Any]:
        """Return the field, its value and the one to be, and the object. wire: 2 trips or 3."""
        happened = hit.event
        field = self._watched[happened.typeID, happened.fieldID]
        owner = (await self._target.types.info([field.type_id])).get(field.type_id)
        holds = self.reporting.hold or self.policy is not SuspendPolicy.NONE
        values = [await self._value(field, happened.object)] if holds else []  # it may have changed by now
        if isinstance(happened, event.FieldModification):
            values.append(happened.valueToBe)
        if happened.object.objectID:
            values.append(ids.TaggedValue(happened.object.tag, happened.object.objectID))
        shown = iter(await describe(self._target, values, _SHOWN))
        told: dict[str, Any] = {"variable": f"{owner.name if owner else '?'}.{field.name}"}
        if holds:
            told["old_value"] = next(shown)
        if isinstance(happened, event.FieldModification):
            told["new_value"] = next(shown)
        if happened.object.objectID:
            told["object"] = next(shown)
        return told

    def told(self, hit: RequestHit, where: str, details: dict[str, Any]) -> tuple[str, str]:
        name = details.get("variable", self.field)
        new: ValueInfo | None = details.get("new_value")
        old: ValueInfo | None = details.get("old_value")
        if new is None:
            return "field-read", f"{name} read{f', {old.text}' if old is not None else ''}: {where}"
        return "field-changed", f"{name} changed{f' from {old.text}' if old is not None else ''} to {new.text}: {where}"

    async def _value(self, field: Field, of: ids.TaggedObjectID) -> ids.TaggedValue:
        if field.is_static:
            ask_type = reference_type.GetValues(field.type_id, [field.id])
            return (await self._target.conn.request(ask_type)).values[0]
        ask = object_reference.GetValues(ObjectID(of.objectID), [field.id])
        return (await self._target.conn.request(ask)).values[0]

    async def _on_class(self, prepared: RefType) -> None:
        waited = not self.requests
        try:
            await self._place([prepared])
            await self.check(self.condition)
            self._announce(resolved=waited)
        except EvalError as error:
            super().disarm()
            self._watched.clear()
            self.message = error.message
            self._announce(resolved=False)
        except UsageError as error:
            if not self._typed.is_pattern:
                self.message = error.message
                self._announce(resolved=False)

    async def _place(self, types: Iterable[RefType]) -> None:
        """Watch the field in the classes that declare or inherit it. Raises UsageError when none does.

        wire: 2 trips, and 1 a superclass that is new.
        """
        types = list(types)
        fields = [field for each in types if (field := await self._find(each)) is not None]
        if not fields:
            raise await self._missing(types[0])
        new = {(field.type_id, field.id): field for field in fields if (field.type_id, field.id) not in self._watched}
        self._watched.update(new)
        self._note(fields[0], types[0])
        kinds = [EventKind.FIELD_ACCESS] * self.access + [EventKind.FIELD_MODIFICATION] * self.modification
        await self._request([(kind, [event_request.FieldOnly(*key)]) for kind in kinds for key in new])

    async def _find(self, known: RefType) -> Field | None:
        """Return the field as the class declares it, else the nearest superclass, else an interface."""
        types = self._target.types
        for owner in (known, *await types.ancestors(known.id, facts.FIELDS)):
            for field in (await types.fields([owner.id])).get(owner.id, ()):
                if field.name == self.field:
                    return field
        return None

    def _note(self, field: Field, asked: RefType) -> None:
        """Return a remark about the field that was found."""
        declaring = next((each for each in self._target.types.all_known() if each.id == field.type_id), asked)
        notes = []
        if declaring.id != asked.id:
            notes.append(f"declared in {declaring.name}: stops for every object that has it")
        if field.is_static and field.is_final and field.signature in _COPIED:
            notes.append("a constant: the compiler may have copied its value to where it is used")
        if self.condition is not None:
            notes.append(_COSTS)
        self._remarks = notes
        self._say()

    async def _missing(self, known: RefType) -> UsageError:
        fields = (await self._target.types.fields([known.id])).get(known.id, ())
        near = close_to(self.field, (field.name for field in fields))
        hint = f"there is {', '.join(near)}" if near else f"'fields {known.name}' lists what there is"
        return UsageError(f"no field {self.field} in {known.name}", hint=hint, code="NO_FIELD")


def is_object(value: ValueInfo) -> bool:
    """True if a described value is an object, whose fields can be watched."""
    return value.id is not None and value.tag != chr(Tag.ARRAY)


Evaluate = Callable[[str], Awaitable[ValueInfo]]
SelectedFrame = Callable[[], Awaitable[FrameInfo]]

_FIELD = re.compile(IDENTIFIER)


class Watchpoints:
    """The ``watchpoints`` of a session. ``session.points`` lists, switches and removes them."""

    def __init__(
        self, target: Target, points: BreakpointTable, evaluate: Evaluate, selected_frame: SelectedFrame
    ) -> None:
        self._target = target
        self._points = points
        self._evaluate = evaluate
        self._selected_frame = selected_frame

    async def add(
        self, spec: str, *, access: bool = False, modification: bool = True, options: PointOptions = NO_OPTIONS
    ) -> BreakpointInfo:
        """Stops where a field is about to change (``modification``), where it is read (``access``), or both.

        ``spec`` is ``Class.field`` for the field of every object; a class that is not loaded yet is waited for.
        ``this.field``, or any expression before the dot that is an object, is for that object alone; so is a field's
        name alone, for ``this``. The stop has ``variable``, ``old_value``, ``new_value`` and ``object``. Raises
        UsageError when there is no such field. wire: 2 trips, and 1 a superclass that is new; 1 for an object of a
        variable, and what evaluating it takes.
        """
        if not (access or modification):
            raise UsageError("neither accesses nor modifications would be left")
        owner, field = split(spec)
        name, instance = await self._owner(owner, field)
        if instance is not None:
            options = options.replace(instance=instance)
        subject = {"name": name, "field": field, "access": access, "modification": modification}
        return await set_point(self._points, self._target, Watchpoint, options, **subject)

    def find(self, spec: str, *, access: bool | None = None, modification: bool | None = None) -> builtins.list[int]:
        """Numbers of the watchpoints of a field; with ``access`` and ``modification`` only of that sort. No trip."""
        owner, field = split(spec)
        points = self._points.of_type(Watchpoint)
        if not _is_class_name(owner):
            return []
        name = parse_class_name(owner)
        return [
            point.number
            for point in points
            if point.is_for(name, field)
            and access in (None, point.access)
            and modification in (None, point.modification)
        ]

    async def _owner(self, owner: str, field: str) -> tuple[ClassName, int | None]:
        """Return the class whose field is meant, and the object if it is one object's."""
        if not owner:
            return await self._here(field)
        if owner == "this" or not _is_class_name(owner):
            value = await self._evaluate(owner)
        else:
            name = parse_class_name(owner)
            if self._is_known(name):
                return name, None
            found = await self._class_or_value(name, owner)
            if found is None:
                return name, None  # or it is loaded later
            value = found
        if not is_object(value):
            raise UsageError(f"{owner} is not an object: it is {value.text}", hint="watch CLASS.FIELD, or OBJECT.FIELD")
        return ClassName(value.type, bound=True), value.id

    async def _here(self, field: str) -> tuple[ClassName, int | None]:
        frame = await self._selected_frame()
        try:
            value = await self._evaluate("this")
        except Disconnected:
            raise
        except JdbpyError:  # static code
            return ClassName(frame.location.class_name, bound=True), None
        return ClassName(value.type, bound=True), value.id

    async def _class_or_value(self, name: ClassName, owner: str) -> ValueInfo | None:
        """Return the value of what may be the name of a class as well, None where it is that, or nothing.

        A name without a dot is a variable or a field of the class that runs: over a slow link it is read beside the
        listing of classes, as nothing is run for it.
        """

        async def value() -> ValueInfo | None:
            try:
                return await self._evaluate(owner)
            except Disconnected:
                raise
            except JdbpyError:
                return None

        if self._target.high_latency and "." not in owner:
            found, _ = await both(value, self._target.types.all_classes)
            return None if self._is_known(name) else found
        await self._target.types.all_classes()
        return None if self._is_known(name) else await value()

    def _is_known(self, name: ClassName) -> bool:
        """True if a class is known that the name means. No trip."""
        known = [each.name for each in self._target.types.all_known() if not each.is_array]
        return any(name.is_name_of(each) or name.is_end_of(each) for each in known if name.needle in each)


def split(spec: str) -> tuple[str, str]:
    """Owner and field of ``Order.total``, ``this.total`` or ``total``. Raises UsageError."""
    owner, _, field = spec.strip().rpartition(".")
    if not _FIELD.fullmatch(field.strip()):
        raise UsageError(f"'{spec}' names no field", hint="write Class.field, this.field or OBJECT.field")
    return owner.strip(), field.strip()


def _is_class_name(text: str) -> bool:
    try:
        parse_class_name(text)
    except UsageError:
        return False
    return True

"""Watchpoints: stops where a field is read or about to change, with its value before and after.

A field is watched where it is declared. Which class a name means may be known only later; then the watchpoint waits.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jdbpy.errors import StateError, UsageError
from jdbpy.session import model
from jdbpy.session.points.class_watch import ClassWatch
from jdbpy.session.points.conditions import Given
from jdbpy.session.points.event_point import Basis, EventPoint
from jdbpy.session.requests import Hit
from jdbpy.session.types import facts
from jdbpy.session.types.class_names import ClassName, close_to
from jdbpy.session.types.refs import Field, RefType
from jdbpy.session.values.describe import describe
from jdbpy.wire import ids
from jdbpy.wire.constants import EventKind, Tag
from jdbpy.wire.ids import FieldID, ObjectID, ReferenceTypeID
from jdbpy.wire.messages import event, event_request, object_reference, reference_type
from jdbpy.wire.pending import Pending

_SHOWN = model.Limits(elements=10, fields=10)
"""How much of a value a hit tells."""

_COPIED = frozenset((*"BCDFIJSZ", "Ljava/lang/String;"))
"""Types of which javac puts a constant's value where the constant is used (JLS 13.1)."""


class FieldPoint(EventPoint):
    """Stops at accesses to a field, at modifications, or at both; of any object, or (``instance``) of one."""

    noun = "watchpoint"
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
        self._watch = ClassWatch(basis.target, name, self._on_class)

    @property
    def spec(self) -> str:
        which = "all " if self.access and self.modification else "access " if self.access else ""
        return f"{which}{self._watch.name.text}.{self.field}"

    def is_for(self, name: ClassName, field: str) -> bool:
        """Whether it was set for, or found, that field of a class of that name."""
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

    async def given(self, hit: Hit, text: str) -> Given:
        happened = hit.event
        field = self._watched[happened.typeID, happened.fieldID]
        given = {}
        if "$old" in text:
            given["old"] = (await self._value(field, happened.object), field.signature)
        if isinstance(happened, event.FieldModification):
            given["new"] = (happened.valueToBe, field.signature)
        return given

    async def details(self, hit: Hit) -> dict[str, Any]:
        """The field, its value and the one to be, and the object. wire: 2 trips or 3."""
        happened = hit.event
        field = self._watched[happened.typeID, happened.fieldID]
        owner = (await self._target.types.info([field.type_id])).get(field.type_id)
        holds = self.reporting.hold or self.policy is not model.SuspendPolicy.NONE
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

    def told(self, hit: Hit, where: str, details: dict[str, Any]) -> tuple[str, str]:
        name = details.get("variable", self.field)
        new: model.Value | None = details.get("new_value")
        old: model.Value | None = details.get("old_value")
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
            self._announce(resolved=waited)
        except UsageError as error:
            if not self._typed.is_pattern:
                self.message = error.message
                self._announce(resolved=False)

    async def _place(self, types: Iterable[RefType]) -> None:
        """Watches the field in the classes that declare or inherit it. Raises UsageError when none does.

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
        """The field as the class declares it, else the nearest superclass, else an interface."""
        types = self._target.types
        for owner in (known, *await types.ancestors(known.id, facts.FIELDS)):
            for field in (await types.fields([owner.id])).get(owner.id, ()):
                if field.name == self.field:
                    return field
        return None

    def _note(self, field: Field, asked: RefType) -> None:
        """What should be known about the field that was found."""
        declaring = next((each for each in self._target.types.all_known() if each.id == field.type_id), asked)
        notes = []
        if declaring.id != asked.id:
            notes.append(f"declared in {declaring.name}: stops for every object that has it")
        if field.is_static and field.is_final and field.signature in _COPIED:
            notes.append("a constant: the compiler may have copied its value to where it is used")
        self.message = "; ".join(notes)

    async def _missing(self, known: RefType) -> UsageError:
        fields = (await self._target.types.fields([known.id])).get(known.id, ())
        near = close_to(self.field, (field.name for field in fields))
        hint = f"there is {', '.join(near)}" if near else f"'fields {known.name}' lists what there is"
        return UsageError(f"no field {self.field} in {known.name}", hint=hint, code="NO_FIELD")


def is_object(value: model.Value) -> bool:
    """Whether a described value is an object, whose fields can be watched."""
    return value.id is not None and value.tag != chr(Tag.ARRAY)

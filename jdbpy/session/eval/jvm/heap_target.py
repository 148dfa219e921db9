"""The contents of classes, objects and arrays of the target, read and written for an expression.

The part of ``EvalTarget`` that needs no stopped thread. Owns what was read ahead, until something is written or run.
Knows no frame, and runs nothing. What loaders have answered is ``class_finder``'s; the commands are those of the
session's reader and of ``values.writes``; here their values become raw ones, and their errors the expression's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from jdbpy.errors import EvalError, JdwpError, Thrown, UsageError
from jdbpy.session.eval.jvm.class_finder import ClassFinder
from jdbpy.session.eval.target import ClassFacts, Raw, Ref, Spot, fields_from_wire, from_wire, to_wire
from jdbpy.session.java.signatures import signature_of
from jdbpy.session.target.reading import Reading, gather
from jdbpy.session.target.refs import Field, as_declared
from jdbpy.session.target.target import Target
from jdbpy.session.values import writes
from jdbpy.session.values.objects import Objects, contents
from jdbpy.session.values.reader import Reader
from jdbpy.session.values.shown import Entries, Items
from jdbpy.session.values.strings import MOST, string_length, string_part
from jdbpy.wire.constants import Error, Tag
from jdbpy.wire.ids import ReferenceTypeID, TaggedValue
from jdbpy.wire.messages import reference_type

T = TypeVar("T")
Place = tuple[int, int, int]
"""Object or 0, type of the field or 0, and field or index."""


class HeapTarget:
    """Classes as the code of one of them sees them through its loader; fields, elements and texts of objects."""

    def __init__(self, target: Target, classes: ClassFinder) -> None:
        self._target = target
        self._classes = classes
        self._read: dict[Place, Raw] = {}  # ahead
        self.notes: list[str] = []  # words of warning that writing gave

    # Classes

    @property
    def release(self) -> int:
        """See ``EvalTarget``."""
        return self._target.release

    @property
    def high_latency(self) -> bool:
        """See ``EvalTarget``."""
        return self._target.high_latency

    async def find_classes(self, names: Sequence[str]) -> list[int]:
        """See ``EvalTarget``."""
        return await self._classes.find(names)

    def knows_classes(self, names: Sequence[str]) -> bool:
        """See ``EvalTarget``."""
        return self._classes.knows(names)

    def likely_class(self, name: str) -> int:
        """See ``EvalTarget``."""
        return self._target.types.known_named(signature_of(name))

    async def class_facts(self, ids: Sequence[int]) -> list[ClassFacts]:
        """See ``EvalTarget``."""
        return await self._classes.facts(ids)

    async def simple_names(self, name: str) -> list[str]:
        """See ``EvalTarget``."""
        return await self._classes.simple_names(name)

    async def has_package(self, name: str) -> bool:
        """See ``EvalTarget``."""
        return await self._classes.has_package(name)

    async def referenced_classes(self) -> list[str]:
        """See ``EvalTarget``."""
        return await self._classes.referenced()

    async def initialized(self, class_id: int) -> bool:
        """See ``EvalTarget``."""
        return await self._classes.initialized(class_id)

    async def class_object(self, class_id: int) -> Ref:
        """See ``EvalTarget``."""
        known = self._classes.class_objects
        if class_id not in known:
            reply = await self._target.conn.request(reference_type.ClassObject(ReferenceTypeID(class_id)))
            known[class_id] = Ref(reply.classObject, Tag.CLASS_OBJECT)
        return known[class_id]

    # Objects and arrays

    async def _run(self, reading: Reading[T]) -> T:
        """Runs what the reader reads."""
        return await Objects.of(self._target).reader.run(reading)

    async def classes_of(self, objects: Sequence[Ref]) -> list[int]:
        """See ``EvalTarget``. Raises EvalError for an object that is gone or never was."""
        reader = Objects.of(self._target).reader
        try:
            return list(await self._run(gather([reader.type_id(ref.id) for ref in objects])))
        except JdwpError as error:
            if error.number != Error.INVALID_OBJECT:
                raise
            raise EvalError(
                "there is no such object (any more)", hint="it may have been collected", code="INVALID_OBJECT"
            ) from error

    async def read_ahead(self, spot: Spot) -> Raw:
        """See ``EvalTarget``."""
        obj, field = spot.obj, spot.field
        place = _place_of(obj, field, spot.index)
        if place not in self._read:
            if obj is None:
                assert field is not None
                values = await self.read_statics(field.type_id, [field])
            elif field is not None:
                values = await self.read_fields(obj, [field])
            else:
                values = await self.read_array(obj, spot.index, 1)
            if not values:
                return None
            self._read[place] = values[0]
        return self._read[place]

    async def read_fields(self, obj: Ref, fields: Sequence[Field]) -> list[Raw]:
        """See ``EvalTarget``."""
        places = [_place_of(obj, field) for field in fields]
        if self._read and all(place in self._read for place in places):
            return [self._read[place] for place in places]
        reader = Objects.of(self._target).reader
        return fields_from_wire(fields, await self._run(reader.fields(obj.id, fields)))

    async def read_fields_of_all(self, objects: Sequence[Ref], fields: Sequence[Field]) -> list[list[Raw]]:
        """The same fields of many objects; each must be declared by their classes. wire: 1 trip."""
        reader = Objects.of(self._target).reader
        rows = await self._run(reader.fields_of_all([obj.id for obj in objects], fields))
        for row in rows:
            if isinstance(row, JdwpError):
                raise row
        return [fields_from_wire(fields, row) for row in rows if not isinstance(row, JdwpError)]

    async def read_statics(self, class_id: int, fields: Sequence[Field]) -> list[Raw]:
        """See ``EvalTarget``."""
        assert all(field.is_static and field.type_id == class_id for field in fields)
        places = [_place_of(None, field) for field in fields]
        if self._read and all(place in self._read for place in places):
            return [self._read[place] for place in places]
        command = reference_type.GetValues(ReferenceTypeID(class_id), [field.id for field in fields])
        reply = await self._run(Objects.of(self._target).reader.request(command))
        return fields_from_wire(fields, as_declared(fields, reply.values))

    async def array_length(self, array: Ref) -> int:
        """See ``EvalTarget``."""
        reader = Objects.of(self._target).reader
        return await self._run(reader.length(array.id))

    async def read_array(self, array: Ref, start: int, count: int) -> list[Raw]:
        """See ``EvalTarget``."""
        if start < 0:
            return []
        place = _place_of(array, None, start)
        if count == 1 and place in self._read:
            return [self._read[place]]
        reader = Objects.of(self._target).reader
        try:
            values = await self._run(reader.elements(array.id, start, count))
        except JdwpError as error:
            if error.number not in (Error.INVALID_INDEX, Error.INVALID_LENGTH):
                raise
            return []
        return [from_wire(value) for value in values]

    async def whole_arrays(self, arrays: Sequence[Ref]) -> list[list[Raw]]:
        """All elements of arrays. wire: 1 trip, whatever their number."""
        reader = Objects.of(self._target).reader
        found = await self._run(gather([reader.whole(array.id) for array in arrays]))
        return [[from_wire(value) for value in values] for values in found]

    async def read_strings(self, strings: Sequence[Ref]) -> list[str]:
        """See ``EvalTarget``."""
        reader = Objects.of(self._target).reader
        return await self._run(gather([_whole(reader, ref.id) for ref in strings]))

    async def string_length(self, string: Ref) -> int | None:
        """See ``EvalTarget``."""
        reader = Objects.of(self._target).reader
        return await self._run(string_length(reader, string.id))

    async def string_part(self, string: Ref, start: int, count: int) -> str:
        """See ``EvalTarget``."""
        reader = Objects.of(self._target).reader
        return await self._run(string_part(reader, string.id, start, count))

    async def elements(self, collection: Ref, most: int) -> list[Raw] | list[tuple[Raw, Raw]] | None:
        """See ``EvalTarget``."""
        match await contents(self._target, TaggedValue(collection.tag, collection.id), most):
            case Items(items=items):
                return [from_wire(value) for value in items]
            case Entries(entries=entries):
                return [(from_wire(key), from_wire(value)) for key, value in entries]
        return None

    async def object_text(self, obj: Ref) -> str | None:
        """See ``EvalTarget``."""
        return None

    # Writing

    async def write_field(self, obj: Ref, field: Field, value: Raw) -> None:
        """See ``EvalTarget``."""
        self._read.clear()
        with as_eval_error():
            self._note(await writes.write_field(self._target, obj.id, field, to_wire(field.signature, value)))

    async def write_static(self, class_id: int, field: Field, value: Raw) -> None:
        """See ``EvalTarget``."""
        self._read.clear()
        with as_eval_error():
            self._note(await writes.write_static(self._target, field, to_wire(field.signature, value)))

    async def write_array(self, array: Ref, element: str, start: int, values: Sequence[Raw]) -> None:
        """See ``EvalTarget``. Raises Thrown (ArrayStoreException) for an object that the array does not take."""
        self._read.clear()
        try:
            await writes.write_elements(self._target, array.id, start, [to_wire(element, value) for value in values])
        except UsageError as error:
            if error.code != "TYPE_MISMATCH":
                raise EvalError(error.message, code=error.code) from error
            (wrong,) = await self.class_facts(await self.classes_of([v for v in values if isinstance(v, Ref)][:1]))
            raise Thrown("java.lang.ArrayStoreException", wrong.name) from error

    def _note(self, note: str) -> None:
        if note and note not in self.notes:
            self.notes.append(note)


async def _whole(reader: Reader, string_id: int) -> str:
    length = await string_length(reader, string_id) or 0
    if length > MOST:
        raise EvalError(
            f"the string has {length} characters, and no more than {MOST} are fetched",
            hint="length(), charAt(i), substring(from, to) and the like fetch what they need",
            code="TOO_LONG",
        )
    return await reader.text(string_id)


def _place_of(obj: Ref | None, field: Field | None, index: int = 0) -> Place:
    return (obj.id if obj else 0, *((field.type_id, field.id) if field else (0, index)))


@contextmanager
def as_eval_error() -> Iterator[None]:
    """Turns what the writers say of a wrong value into an error of the expression."""
    try:
        yield
    except UsageError as error:
        raise EvalError(error.message, hint=error.hint, code=error.code) from error

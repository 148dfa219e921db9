"""The contents of classes, objects and arrays of the target, read and written for an expression.

The part of ``EvalTarget`` that needs no stopped thread. Knows no frame, and runs nothing. What loaders have answered is
``class_finder``'s; all is read by the session's reader and written by ``values.writes``; here their values become raw
ones, and their errors the expression's. What was prefetched is good until the expression writes or runs something.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from jdbpy.errors import EvalError, JdwpError, Thrown, UsageError
from jdbpy.session.eval.jvm.class_finder import ClassFinder
from jdbpy.session.eval.target import ClassFacts, Raw, Ref, fields_from_wire, from_wire, to_wire
from jdbpy.session.events.target import Target
from jdbpy.session.java.signatures import signature_of
from jdbpy.session.jvm.reading import Reading, gather
from jdbpy.session.jvm.refs import Field
from jdbpy.session.values import writes
from jdbpy.session.values.objects import Objects, contents
from jdbpy.session.values.reader import Reader
from jdbpy.session.values.remembered import Prefetched
from jdbpy.session.values.shown import Entries, Items
from jdbpy.session.values.strings import MOST, string_length, string_part
from jdbpy.wire.constants import Error
from jdbpy.wire.ids import ArrayID, ObjectID, TaggedValue
from jdbpy.wire.messages import array_reference

_MOST_BYTES = 1 << 20
"""Bytes of an array that are asked for in one command."""

T = TypeVar("T")


class HeapTarget:
    """Classes as the code of one of them sees them through its loader; fields, elements and texts of objects."""

    def __init__(self, target: Target, classes: ClassFinder) -> None:
        self._target = target
        self._classes = classes
        self._prefetched = Prefetched()
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

    def is_undecided(self, name: str) -> bool:
        """See ``EvalTarget``."""
        return self._classes.is_undecided(name)

    async def holders(self, name: str) -> list[str]:
        """See ``EvalTarget``."""
        return await self._classes.holders(name)

    async def others(self, class_id: int, names: Sequence[str]) -> dict[str, int]:
        """See ``EvalTarget``."""
        return await self._classes.others(class_id, names)

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

    async def classes_in_method(self) -> list[str]:
        """See ``EvalTarget``: without a frame none is known."""
        return []

    async def initialized(self, class_id: int) -> bool:
        """See ``EvalTarget``."""
        return await self._classes.initialized(class_id)

    async def class_object(self, class_id: int) -> Ref:
        """See ``EvalTarget``."""
        return await self._classes.class_object(class_id)

    # Objects and arrays

    async def _run(self, reading: Reading[T]) -> T:
        """Run what the reader reads."""
        return await Objects.of(self._target).reader.run(reading, self._prefetched)

    async def classes_of(self, objects: Sequence[Ref]) -> list[int]:
        """See ``EvalTarget``. Raises EvalError for an object that is gone or never was."""
        reader = Objects.of(self._target).reader
        try:
            return list(await self._run(gather([reader.type_id(ref.id) for ref in objects])))
        except JdwpError as error:
            if error.number != Error.INVALID_OBJECT:
                raise
            raise EvalError("no such object; it may have been garbage-collected", code="INVALID_OBJECT") from error

    def _fields(self, obj: Ref | None, fields: Sequence[Field]) -> Reading[list[TaggedValue]]:
        """Return the reading of fields, static ones of one class without an object."""
        reader = Objects.of(self._target).reader
        return reader.fields(obj.id, fields) if obj is not None else reader.static_fields(fields)

    async def _elements(self, array: Ref, start: int, count: int) -> list[TaggedValue]:
        """Return the elements of an array; none where it has not so many."""
        try:
            return await Objects.of(self._target).reader.elements(array.id, start, count) if start >= 0 else []
        except JdwpError as error:
            if error.number not in (Error.INVALID_INDEX, Error.INVALID_LENGTH):
                raise
            return []

    async def read_fields(self, obj: Ref, fields: Sequence[Field]) -> list[Raw]:
        """See ``EvalTarget``."""
        return fields_from_wire(fields, await self._run(self._fields(obj, fields)))

    async def read_fields_of_all(self, objects: Sequence[Ref], fields: Sequence[Field]) -> list[list[Raw]]:
        """Return the same fields of many objects; each must be declared by their classes. wire: 1 trip."""
        reader = Objects.of(self._target).reader
        rows = await self._run(reader.fields_of_all([obj.id for obj in objects], fields))
        for row in rows:
            if isinstance(row, JdwpError):
                raise row
        return [fields_from_wire(fields, row) for row in rows if not isinstance(row, JdwpError)]

    async def read_statics(self, class_id: int, fields: Sequence[Field]) -> list[Raw]:
        """See ``EvalTarget``."""
        assert all(field.type_id == class_id for field in fields)
        return fields_from_wire(fields, await self._run(self._fields(None, fields)))

    async def array_length(self, array: Ref) -> int:
        """See ``EvalTarget``."""
        reader = Objects.of(self._target).reader
        return await self._run(reader.length(array.id))

    async def read_array(self, array: Ref, start: int, count: int) -> list[Raw]:
        """See ``EvalTarget``."""
        return [from_wire(value) for value in await self._run(self._elements(array, start, count))]

    async def whole_arrays(self, arrays: Sequence[Ref]) -> list[list[Raw]]:
        """Return all elements of arrays. wire: 1 trip, whatever their number."""
        reader = Objects.of(self._target).reader
        found = await self._run(gather([reader.whole(array.id) for array in arrays]))
        return [[from_wire(value) for value in values] for values in found]

    async def read_bytes(self, array: Ref, count: int) -> bytes:
        """Return the first elements of a ``byte[]``. Raises JdwpError where it has fewer. wire: 1 trip."""
        asked = [
            array_reference.GetValues(ArrayID(ObjectID(array.id)), at, min(_MOST_BYTES, count - at))
            for at in range(0, count, _MOST_BYTES)
        ]
        found = bytearray()
        for outcome in await self._target.conn.batch(asked):
            if isinstance(outcome, JdwpError):
                raise outcome
            found += struct.pack(f"{len(outcome.values.values)}b", *outcome.values.values)
        return bytes(found)

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
        self._prefetched.clear()
        with as_eval_error():
            self._note(await writes.write_field(self._target, obj.id, field, to_wire(field.signature, value)))

    async def write_static(self, class_id: int, field: Field, value: Raw) -> None:
        """See ``EvalTarget``."""
        self._prefetched.clear()
        with as_eval_error():
            self._note(await writes.write_static(self._target, field, to_wire(field.signature, value)))

    async def write_array(self, array: Ref, element: str, start: int, values: Sequence[Raw]) -> None:
        """See ``EvalTarget``. Raises Thrown (ArrayStoreException) for an object that the array does not take."""
        self._prefetched.clear()
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


@contextmanager
def as_eval_error() -> Iterator[None]:
    """Turn what the writers say of a wrong value into an error of the expression."""
    try:
        yield
    except UsageError as error:
        raise EvalError(error.message, hint=error.hint, code=error.code) from error

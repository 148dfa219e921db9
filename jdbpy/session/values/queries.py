"""Questions of scripts about objects, each for many objects at once: a field, texts, elements, chains, whole graphs.

Owns how few trips such a question takes. Everything is read from fields and elements; no code runs in the target. What
is longer than its limit raises; nothing is cut. Component ``session.objects``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jdbpy.errors import JdbpyError, JdwpError, UsageError
from jdbpy.record import Record
from jdbpy.session.concurrency import both as both_calls
from jdbpy.session.events.target import Target
from jdbpy.session.java.generics import source_type
from jdbpy.session.java.signatures import field_modifiers
from jdbpy.session.jvm.reading import gather, read_both
from jdbpy.session.jvm.refs import Field
from jdbpy.session.model.events import Notice
from jdbpy.session.model.threads import FrameInfo
from jdbpy.session.model.values import Limits, ValueInfo, Variable
from jdbpy.session.values.describe import Describer, describe
from jdbpy.session.values.export import Export
from jdbpy.session.values.obj import find_fields
from jdbpy.session.values.objects import Objects, contents
from jdbpy.session.values.reader import ClassLayout, Reader
from jdbpy.session.values.shown import Entries, UnknownLayout
from jdbpy.session.values.strings import string_length
from jdbpy.session.values.variables import current_frames, read_slots
from jdbpy.wire import ids
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import ObjectID, ReferenceTypeID
from jdbpy.wire.layout import OBJECT_TAGS
from jdbpy.wire.messages import reference_type, virtual_machine

SHALLOW = Limits(depth=0)
"""The limits for a value that is going to be asked for more: one line."""

MOST_CHARACTERS = 1_000_000
MOST_VALUES = 10_000
MOST_NODES = 100_000

_NODE_BY_NODE = 8
"""Nodes of a chain that are followed one by one, before all instances of their class are looked at."""

_MOST_CLASSES = 8
"""Classes of nodes whose instances are looked at for one chain."""

_MOST_INSTANCES = 200_000


class ElementRange(Record):
    """Elements of an array or collection, or entries of a map: ``size`` of them in all (None: not known), and some."""

    size: int | None
    items: tuple[Variable, ...]
    is_map: bool = False


class ObjectQueries:
    """Component ``session.objects``."""

    def __init__(self, target: Target) -> None:
        self._target = target

    @property
    def _reader(self) -> Reader:
        self._target.require_alive()
        return Objects.of(self._target).reader

    # -- fields --------------------------------------------------------------------------------------------------

    async def field(
        self, object_ids: Sequence[int], name: str, limits: Limits = SHALLOW
    ) -> list[Variable | JdbpyError]:
        """Return the instance field of that name of each object, or why it cannot be read: there is no such field, or
        the object was collected. wire: 2 trips and what describing them takes, whatever their number.
        """
        reader = self._reader

        async def one(object_id: int) -> tuple[Field, ids.TaggedValue] | JdbpyError:
            try:
                shape = await reader.shape(await reader.type_id(object_id))
                try:
                    [field] = await find_fields(reader, shape, [name])
                except UnknownLayout:
                    return await _no_field(reader, shape, name)
                [value] = await reader.fields(object_id, [field])
            except JdwpError as error:
                return error
            return field, value

        async def every() -> list[Variable | JdbpyError]:
            found = await gather([one(each) for each in object_ids])
            describer = self._describer(limits, len(found))
            read = [each for each in found if not isinstance(each, JdbpyError)]
            texts = iter(await describer.values([value for _, value in read]))
            return [
                each if isinstance(each, JdbpyError) else Variable(name, source_type(each[0]), next(texts), "field")
                for each in found
            ]

        return await reader.run(every())

    async def fields(self, object_id: int, limits: Limits = SHALLOW) -> tuple[Variable, ...]:
        """Return all instance fields of an object, those of its own class first, each with the class that declares it
        and its modifiers. Raises JdwpError when it was collected.

        wire: 2 trips and what describing them takes.
        """
        return await self._fields(object_id, limits)

    async def fields_of_this(self, frame: FrameInfo, limits: Limits = SHALLOW) -> tuple[Variable, ...]:
        """Like ``fields``, of the object whose method a frame runs; nothing in static code. Raises StateError.

        wire: as ``fields``, and 1 trip where ``this`` is not known; over a slow link 1 less where objects are new.
        """
        [frame] = await current_frames(self._target, [frame])
        this, _ = await read_slots(self._target, frame, [])
        return await self._fields(int(this.value), limits, expected=True) if this.value else ()

    async def _fields(self, object_id: int, limits: Limits, *, expected: bool = False) -> tuple[Variable, ...]:
        """``expected``: what the fields refer to is guessed beside reading them, over a slow link."""
        reader, objects = self._reader, Objects.of(self._target)

        async def read() -> tuple[Variable, ...]:
            found = await _all_fields(reader, object_id)
            reading = reader.fields(object_id, [field for _, field in found])
            if expected:
                references = sum(field.signature[0] in "L[" for _, field in found)
                values, _ = await read_both(reading, objects.guess_objects(references))
            else:
                values = await reading
            described = await self._describer(limits, len(values)).values(values)
            return tuple(
                Variable(
                    field.name,
                    source_type(field),
                    value,
                    "field",
                    declared_in=shape.name,
                    modifiers=field_modifiers(field.bits),
                )
                for (shape, field), value in zip(found, described, strict=True)
            )

        return await reader.run(read())

    # -- texts ---------------------------------------------------------------------------------------------------

    async def texts(self, string_ids: Sequence[int], most: int = MOST_CHARACTERS) -> list[str | JdbpyError]:
        """Return the whole text of each string; one of more than ``most`` characters is a UsageError in its place.

        wire: 3 trips, 1 when their lengths are known, whatever their number.
        """
        reader = self._reader

        async def one(string_id: int) -> str | JdbpyError:
            try:
                length = await string_length(reader, string_id)
                if length is not None and length > most:
                    return too_long(length, most)
                text = await reader.text(string_id)
            except JdwpError as error:
                return error
            return text if len(text) <= most else too_long(len(text), most)

        return await reader.run(gather([one(each) for each in string_ids]))

    # -- elements ------------------------------------------------------------------------------------------------

    async def part(self, value: ValueInfo, start: int, count: int, limits: Limits = SHALLOW) -> ElementRange | None:
        """``count`` elements or entries from ``start`` on; None for what is no array and no collection that is known.

        wire: 3 trips for an array or list, a few more for maps, and what describing them takes.
        """
        wire = wire_value(value)
        found = await contents(self._target, wire, start + count, start)
        if found is None:
            return None
        if isinstance(found, Entries):
            entries = found.entries[start:]
            keys, held = await both_calls(
                lambda: describe(self._target, [key for key, _ in entries], limits),
                lambda: describe(self._target, [each for _, each in entries], limits),
            )
            pairs = zip(keys, held, strict=True)
            named = tuple(Variable(key.text, each.type, each, "element", key=key) for key, each in pairs)
            return ElementRange(found.size, named, is_map=True)
        described = await describe(self._target, found.items[start:], limits)
        numbered = enumerate(described, start)
        return ElementRange(found.size, tuple(Variable(f"[{n}]", each.type, each, "element") for n, each in numbered))

    # -- whole graphs --------------------------------------------------------------------------------------------

    async def python(
        self, values: Sequence[ValueInfo], *, depth: int, most: int = MOST_VALUES, longest: int = MOST_CHARACTERS
    ) -> list[Any]:
        """Return the values as Python objects, with what they refer to, ``depth`` objects deep. See ``values.export``.

        Raises UsageError where there is more of it than ``depth``, ``most`` values or ``longest`` characters of a text.
        wire: 2 to 5 trips a level, whatever the number of objects.
        """
        reader = self._reader
        export = Export(reader, Objects.of(self._target).views, depth, most, longest)
        return await reader.run(export.values([wire_value(each) for each in values]))

    # -- chains --------------------------------------------------------------------------------------------------

    async def chain(self, first: int, link: str, most: int = MOST_NODES, *, walk_heap: bool = True) -> list[int]:
        """Return the objects from ``first`` along the field ``link``, up to null or an object that was there before.

        Raises UsageError when there are more than ``most`` or a field is missing. Of a long chain all instances of the
        nodes' class are looked for, which walks the heap: the target stands still meanwhile. Without ``walk_heap`` the
        chain is followed node by node. wire: 3 trips for each of the first 8 nodes at most, then about 4 in all; 1 or
        2 a node without the walk.
        """
        reader = self._reader
        nodes: dict[int, None] = {first: None}
        known: dict[int, int] = {}
        walked: set[ReferenceTypeID] = set()
        walk_heap = walk_heap and self._target.can("canGetInstanceInfo") and self._target.snapshot is None
        field: Field | None = None  # where every node that it leads to has it as well
        current = first
        while True:
            if current in known:
                following = known[current]
            else:
                if walk_heap and len(nodes) > _NODE_BY_NODE and len(walked) < _MOST_CLASSES:
                    type_id = await reader.run(reader.type_id(current))
                    if type_id not in walked:
                        walked.add(type_id)
                        known.update(await self._links(type_id, link))
                        continue
                following, field = await reader.run(self._follow(current, link, field))
            if not following or following in nodes:
                self._dispose(known, nodes)
                return list(nodes)
            if len(nodes) >= most:
                raise UsageError(
                    f"the chain of '{link}' has more than {most:,} objects",
                    hint="give a larger limit: most=...",
                    code="TOO_MANY",
                )
            nodes[following] = None
            current = following

    async def _follow(self, object_id: int, link: str, field: Field | None) -> tuple[int, Field | None]:
        """Return where the field of one object leads, and the field if what it leads to is sure to have it too: it is
        declared with the very class that declares it. wire: 1 trip, 2 where the class of the object has to be asked
        for.
        """
        reader = self._reader
        if field is None:
            field = await _link_field(reader, await reader.type_id(object_id), link)
        [value] = await reader.fields(object_id, [field])
        declaring = await reader.signature(ReferenceTypeID(field.type_id))
        return int(value.value or 0), field if field.signature == declaring else None

    async def _links(self, type_id: ReferenceTypeID, link: str) -> dict[int, int]:
        """Return where the field of every instance of the class leads to. wire: 2 trips, and the target
        stands still.
        """
        conn, reader = self._target.conn, self._reader
        field = await reader.run(_link_field(reader, type_id, link))
        name = (await reader.run(reader.shape(type_id))).name
        self._target.publish(
            Notice("heap-walk", f"looking for instances of {name}: the target is suspended while its heap is walked")
        )
        reply = await conn.request(reference_type.Instances(type_id, _MOST_INSTANCES))
        objects = [int(each.objectID) for each in reply.instances]
        found = await reader.run(reader.fields_of_all(objects, [field]))
        return {
            each: int(values[0].value or 0)
            for each, values in zip(objects, found, strict=True)
            if not isinstance(values, JdwpError)
        }

    def _dispose(self, known: dict[int, int], nodes: dict[int, None]) -> None:
        """Give back the ids of instances that are not on the chain: once of the times that they were sent. No wait."""
        kept = nodes.keys() | self._target.pinned
        spare = [virtual_machine.Request(ObjectID(each), 1) for each in known if each not in kept]
        if spare and self._target.conn.close_reason is None:
            self._target.conn.submit(virtual_machine.DisposeObjects(spare))

    # -- helpers -------------------------------------------------------------------------------------------------

    def _describer(self, limits: Limits, count: int) -> Describer:
        objects = Objects.of(self._target)
        wide = limits.replace(elements=max(limits.elements, count))
        return Describer(objects.reader, objects.views, wide)


def wire_value(value: ValueInfo) -> ids.TaggedValue:
    """Return the value as the agent sends it; null for what has no place in the target."""
    if value.id is not None:
        return ids.TaggedValue(ord(value.tag), value.id)
    if ord(value.tag) in OBJECT_TAGS:
        return ids.TaggedValue(Tag.OBJECT, 0)
    return ids.TaggedValue(ord(value.tag), ord(value.raw) if isinstance(value.raw, str) else value.raw)


def too_long(length: int, most: int) -> UsageError:
    """Return the error for a text that is longer than the caller wants."""
    return UsageError(
        f"the text has {length:,} characters, more than {most:,}", hint="give a larger limit", code="TOO_LONG"
    )


async def _all_fields(reader: Reader, object_id: int) -> list[tuple[ClassLayout, Field]]:
    shapes = [await reader.shape(await reader.type_id(object_id))]
    while shapes[-1].superclass:
        shapes.append(await reader.shape(shapes[-1].superclass))
    return [(shape, field) for shape in shapes for field in shape.fields if not field.is_static]


async def _no_field(reader: Reader, shape: ClassLayout, name: str) -> UsageError:
    names = [field.name for field in shape.fields if not field.is_static]
    return UsageError(
        f"{shape.name} has no field '{name}'",
        hint=f"it has {', '.join(names[:10])}" if names else "it declares none",
        code="NO_SUCH_FIELD",
    )


async def _link_field(reader: Reader, type_id: ReferenceTypeID, name: str) -> Field:
    """Return the field that leads from one node to the next. Raises UsageError."""
    shape = await reader.shape(type_id)
    try:
        [field] = await find_fields(reader, shape, [name])
    except UnknownLayout:
        raise await _no_field(reader, shape, name) from None
    if field.signature[0] not in "L[":
        raise UsageError(f"the field '{name}' of {shape.name} is not a reference", code="NO_REFERENCE")
    return field

"""Describes wire values as plain data: a text as Java would write it, children as deep as the limits go.

``describe`` shows collections and the like by their views, ``dump`` shows one object by its fields. Both read fields
and elements only and run no code in the target; all values are described side by side, in common waves.

How deep: a value at depth 1 or more has children, which are described one level less deep. At depth 0 a collection or
an array shows its size, a record or an Optional its parts in short, any other object its class and id (``heads``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from jdbpy.errors import JdbpyError, JdwpError
from jdbpy.escape import escape
from jdbpy.garbage import rare_collection
from jdbpy.session.java.generics import source_type
from jdbpy.session.java.signatures import PRIMITIVES, field_modifiers, java_name
from jdbpy.session.java.texts import primitive_text, string_literal, utf16_length
from jdbpy.session.jvm.reading import gather, read_both
from jdbpy.session.jvm.refs import Field
from jdbpy.session.model.values import Limits, ValueInfo, Variable, formatted
from jdbpy.session.values.obj import find_fields
from jdbpy.session.values.objects import Objects, Viewer
from jdbpy.session.values.reader import ClassLayout, Reader
from jdbpy.session.values.shown import (
    Entries,
    Holder,
    Items,
    Pair,
    Part,
    Parts,
    Scalar,
    Shown,
    Text,
    Trouble,
    UnknownLayout,
)
from jdbpy.session.values.strings import string_start
from jdbpy.session.values.value_text import (
    array_head,
    braces,
    brackets,
    composed,
    label,
    object_head,
    sized_head,
    with_parts,
)
from jdbpy.session.values.views.language import boxed
from jdbpy.session.values.walk import LEFT_OUT
from jdbpy.wire import ids
from jdbpy.wire.constants import Error, Tag
from jdbpy.wire.layout import OBJECT_TAGS

if TYPE_CHECKING:
    from jdbpy.session.events.target import Target
    from jdbpy.session.values.views.registry import Registry, View

_MOST_VALUES = 10_000
"""Values of one description in all, or one collection of as many elements as the limits allow: depth and width may each
be modest and their product not."""

_MANY = 200
"""Elements of one collection from which on those that are boxed numbers are read together."""

_LONG = 2_000
"""Elements of one collection from which on none of what is made for them is looked at by the garbage collector."""

_DEFAULT_LIMITS = Limits()

_UNREADABLE: dict[int, tuple[str, str]] = {
    Error.INVALID_OBJECT: ("<collected>", "it was garbage-collected"),
    Error.NOT_IN_SNAPSHOT: ("<not in the snapshot>", "the snapshot ends before this object"),
    Error.NOT_IN_RECORDING: ("<not in the recording>", "nobody asked for this object"),
}
"""Text and note of an object that cannot be read, by the error."""

_SPECIAL = {
    "java.lang.String": Tag.STRING,
    "java.lang.Class": Tag.CLASS_OBJECT,
    "java.lang.Thread": Tag.THREAD,
    "java.lang.ThreadGroup": Tag.THREAD_GROUP,
    "java.lang.ClassLoader": Tag.CLASS_LOADER,
}
"""Classes whose objects have a tag of their own."""

_WITH_FIELDS = OBJECT_TAGS - {Tag.ARRAY, Tag.STRING, Tag.CLASS_OBJECT}


async def describe(
    target: Target, values: Sequence[ids.TaggedValue], limits: Limits = _DEFAULT_LIMITS, format: str = ""
) -> list[ValueInfo]:
    """Describes values, collections by what they hold; ``format`` is one of ``formats.FORMATS``, for numbers.

    An object that was garbage-collected meanwhile is described as such; the only errors are those of the connection.
    wire: for plain objects and strings 2 trips a level when their classes are known, a few more for collections.
    """
    describer = Describer(Objects.of(target).reader, Objects.of(target).views, limits, format=format)
    return await Objects.of(target).reader.run(describer.values(values))


async def dump(target: Target, value: ids.TaggedValue, limits: Limits = _DEFAULT_LIMITS, format: str = "") -> ValueInfo:
    """Describes one value by its text and all its fields: inherited ones too, and the static ones.

    Only the value itself is shown by its fields; what these hold is shown as ``describe`` does, collections by their
    elements.
    """
    describer = Describer(Objects.of(target).reader, Objects.of(target).views, limits, raw=True, format=format)
    return await Objects.of(target).reader.run(describer.with_statics(value))


class Described:
    """A described value, and the shorter text that replaces it in the preview of what contains it.

    ``formatted`` is that text in the format that was asked for. ``failed`` is the view that failed for it, or for a
    part that its text shows, and why.
    """

    __slots__ = ("failed", "formatted", "head", "value")

    def __init__(self, value: ValueInfo, head: str | None = None, failed: str = "") -> None:
        self.value = value
        self.failed = failed
        self.head = value.text if head is None else head
        self.formatted = (value.formatted or value.text) if head is None else head


class Describer:
    """Describes values under one set of limits.

    ``raw`` shows the object itself by its fields (``dump``). With ``brief`` what a view shows in a word has no fields
    beside it: in a list of variables, those of a thread would cost more trips than all else.
    """

    def __init__(
        self,
        reader: Reader,
        views: Registry,
        limits: Limits,
        *,
        raw: bool = False,
        brief: bool = False,
        format: str = "",
    ) -> None:
        self.reader = reader
        self._viewer = Viewer(reader, views, limits.string)
        self._limits = limits
        self._raw = raw
        self._brief = brief
        self._format = format
        self._left = max(_MOST_VALUES, limits.elements + 1)

    async def values(self, values: Sequence[ids.TaggedValue]) -> list[ValueInfo]:
        return [each.value for each in await gather([self.describe(value, self._limits.depth) for value in values])]

    async def with_statics(self, value: ids.TaggedValue) -> ValueInfo:
        if value.tag not in _WITH_FIELDS or not value.value or self._limits.depth < 1:
            return (await self.describe(value, self._limits.depth)).value
        described, statics = await read_both(
            self.describe(value, self._limits.depth), self._statics_of(int(value.value))
        )
        return described.value.replace(children=(*described.value.children, *statics))

    async def describe(self, value: ids.TaggedValue, depth: int) -> Described:
        if value.tag not in OBJECT_TAGS:
            return Described(self._primitive(value))
        if not value.value:
            return Described(ValueInfo("null", "null", chr(value.tag), None))
        object_id = int(value.value)
        try:
            if value.tag == Tag.STRING:
                text, length = await string_start(self.reader, object_id, 2 * self._limits.string + 2)
                return Described(self._string(object_id, "java.lang.String", text, length))
            if value.tag == Tag.ARRAY:
                return await self._array(object_id, depth)
            if value.tag == Tag.CLASS_OBJECT:
                name = java_name(await self.reader.reflected(object_id))
                return Described(ValueInfo("java.lang.Class", f"{name}.class", "c", object_id, object_id))
            return await self._object(chr(value.tag), object_id, depth)
        except JdwpError as error:
            if error.number == Error.NEEDS_AGENT:  # its class is known all the same
                name = java_name(await self.reader.signature(await self.reader.type_id(object_id)))
                shown = f"{name.rpartition('.')[2]}@{object_id}"
                return Described(ValueInfo(name, shown, chr(value.tag), object_id, object_id))
            text, note = _UNREADABLE.get(error.number, ("<unreadable>", error.message))
            return Described(ValueInfo("?", text, chr(value.tag), object_id, object_id, note=note))

    def _primitive(self, value: ids.TaggedValue) -> ValueInfo:
        tag = chr(value.tag)
        raw = chr(int(value.value or 0)) if tag == "C" else value.value
        text = primitive_text(value, self.reader.release)
        return ValueInfo(PRIMITIVES.get(tag, "?"), text, tag, raw, formatted=self._formatted(value))

    def _formatted(self, value: ids.TaggedValue | None) -> str:
        return formatted(value, self._format) if self._format and value is not None else ""

    # -- strings and arrays --------------------------------------------------------------------------------------

    def _string(self, object_id: int, type_name: str, text: str, length: int, tag: str = "s") -> ValueInfo:
        cut = text[: self._limits.string]
        truncated = utf16_length(cut) < length
        literal = string_literal(cut) + ("..." if truncated else "")
        return ValueInfo(type_name, literal, tag, object_id, object_id, length, truncated)

    async def _array(self, array_id: int, depth: int) -> Described:
        type_id, length = await read_both(self.reader.type_id(array_id), self.reader.length(array_id))
        wanted = min(length, self._limits.elements, self._left) if depth >= 1 else 0
        signature, elements = await read_both(self.reader.signature(type_id), self.reader.elements(array_id, 0, wanted))
        head = array_head(signature, length)
        value = ValueInfo(java_name(signature), head, "[", array_id, array_id, length)
        if depth < 1:
            return Described(value)
        described = await self._all(elements, depth - 1)
        children = _elements(described, java_name(signature[1:]))
        value = value.replace(truncated=len(children) < length, children=children)
        return self._composed(value, described, lambda heads: f"{head} {braces(heads, length)}", head)

    # -- objects -------------------------------------------------------------------------------------------------

    async def _object(self, tag: str, object_id: int, depth: int) -> Described:
        """By its view, or by its fields where there is no view or the view does not know what it sees."""
        chain, view = await self._viewer.find(object_id)
        if tag == "L":  # what came by its id alone
            special = next((_SPECIAL[each.name] for each in chain if each.name in _SPECIAL), Tag.OBJECT)
            special = Tag.ARRAY if chain[0].name.endswith("[]") else special
            if special in (Tag.STRING, Tag.CLASS_OBJECT, Tag.ARRAY):
                return await self.describe(ids.TaggedValue(special, object_id), depth)
            tag = chr(special)
        if self._raw and depth == self._limits.depth and view is not None and depth >= 1:
            described, children = await read_both(
                self._by_view(view, tag, object_id, chain, 1), self._fields(object_id, chain, depth)
            )
            value = described.value.replace(children=children, length=None, truncated=False)
            return Described(value, described.head)
        return await self._by_view(view, tag, object_id, chain, depth)

    async def _by_view(
        self, view: View | None, tag: str, object_id: int, chain: Sequence[ClassLayout], depth: int
    ) -> Described:
        """By its view, or by its fields where there is none or it fails."""
        note = failed = ""
        if view is not None:
            try:
                shown = await self._viewer.run(view, object_id, chain, self._wanted(depth))
                return await self._write(shown, tag, object_id, chain, depth)
            except UnknownLayout as error:
                note = f"not a layout of {chain[-1].name} that is known: {error}"
            except JdwpError as error:
                if await self.reader.is_gone(object_id):
                    raise
                kept = error.number not in LEFT_OUT
                note = "it changed while it was read" if kept else "not all of it is in the snapshot"
            except JdbpyError as error:
                failed = error.message
            except Exception as error:  # a view, which may be the user's own, must not spoil what stands beside it
                failed = f"{type(error).__name__}: {error}"
        if failed:
            note, failed = f"its view failed: {failed}", f"the view of {chain[0].name} failed: {failed}"
        children = await self._fields(object_id, chain, depth)
        text = object_head(chain[0].name, object_id)
        plain = ValueInfo(chain[0].name, text, tag, object_id, object_id, children=children, note=note)
        return Described(plain, failed=failed)

    async def _write(
        self, shown: Shown, tag: str, object_id: int, chain: Sequence[ClassLayout], depth: int
    ) -> Described:
        """Turn what a view has read into text and children."""
        name = chain[0].name
        plain = ValueInfo(name, object_head(name, object_id), tag, object_id, object_id)
        match shown:
            case Scalar(text=text, fields=fields, held=wrapped):
                children = await self._fields(object_id, chain, depth) if fields and not self._brief else ()
                text = escape(text[: self._limits.string])
                return Described(plain.replace(text=text, children=children, formatted=self._formatted(wrapped)))
            case Text(text=text, length=length):
                return Described(self._string(object_id, name, text, length, tag))
            case Items(size=size, items=items, name=other):
                head = sized_head(other or name, size, object_id)
                if depth < 1:
                    return Described(plain.replace(text=head, length=size))
                described = await self._all(items, depth - 1)
                plain = _container(plain, size, _elements(described))
                return self._composed(plain, described, lambda heads: f"{head} {brackets(heads, size)}", head)
            case Entries(size=size, entries=entries, name=other):
                head = sized_head(other or name, size, object_id)
                if depth < 1:
                    return Described(plain.replace(text=head, length=size))
                keys, held = await read_both(
                    self._all([key for key, _ in entries], depth - 1),
                    self._all([held for _, held in entries], depth - 1),
                )
                pairs = list(zip(keys, held, strict=False))
                plain = _container(plain, size, tuple(_entry(key, each) for key, each in pairs))

                def entries_text(heads: list[str]) -> str:
                    shown = [f"{key}={each}" for key, each in zip(heads[::2], heads[1::2], strict=True)]
                    return f"{head} {braces(shown, size)}"

                return self._composed(plain, [part for pair in pairs for part in pair], entries_text, head)
            case _ if depth < 0:  # what follows shows its parts even at depth 0, but their parts no more
                return Described(plain)
            case Pair(key=key, value=held):
                pair = await self._all([key, held], depth - 1)
                children = tuple(map(_named, ("key", "value"), pair)) if depth >= 1 else ()
                return self._composed(plain.replace(children=children), pair, "=".join)
            case Holder(value=held, name=part, empty=empty):
                if held is None:
                    return Described(plain.replace(text=f"{label(name)}.{empty}"))
                [inner] = await self._all([held], depth - 1)
                children = (_named(part, inner),) if depth >= 1 else ()
                plain = plain.replace(children=children)
                return self._composed(plain, [inner], lambda heads: f"{label(name)}[{heads[0]}]")
            case Parts(parts=parts, name=other):
                children, pieces = await self._parts(parts, depth)

                def parts_text(heads: list[str]) -> str:
                    named = [f"{part.name}={head}" for part, head in zip(parts, heads, strict=False)]
                    return with_parts(label(other or name), named)

                return self._composed(plain.replace(children=children), pieces, parts_text)
            case Trouble(message=message, parts=parts, note=note):
                children = (await self._parts(parts, depth))[0] if depth >= 1 else ()
                said = f": {escape(message[: self._limits.string])}" if message is not None else ""
                return Described(plain.replace(text=f"{name}{said}", children=children, note=note))
        raise TypeError(f"a view returned {shown!r}, which is not one of the classes of values.shown")

    async def _parts(self, parts: Sequence[Part], depth: int) -> tuple[tuple[Variable, ...], list[Described]]:
        """Children for named parts, none at depth 0, and what they were made of."""
        described = await self._all([part.value for part in parts], depth - 1)
        named = [_named(part.name, each, part.type) for part, each in zip(parts, described, strict=False)]
        return (tuple(named) if depth >= 1 else ()), described

    def _composed(
        self,
        plain: ValueInfo,
        described: Sequence[Described],
        write: Callable[[list[str]], str],
        head: str | None = None,
    ) -> Described:
        """Return a value whose text is written of the heads of others. Its note says if the view of one of them
        failed."""
        value = composed(plain, ((each.head, each.formatted) for each in described), write)
        failed = next((each.failed for each in described if each.failed), "")
        return Described(value.replace(note=value.note or failed) if failed else value, head, failed)

    # -- fields --------------------------------------------------------------------------------------------------

    async def _fields(self, object_id: int, chain: Sequence[ClassLayout], depth: int) -> tuple[Variable, ...]:
        """Return all instance fields, those of the object's own class first. None at depth 0."""
        if depth < 1:
            return ()
        fields = [(field, shape) for shape in await self._whole(chain) for field in shape.fields if not field.is_static]
        fields = fields[: self._limits.fields]
        values, _ = await read_both(
            self.reader.fields(object_id, [field for field, _ in fields]),
            self.reader.look_up_likely(field.signature for field, _ in fields),
        )
        described, _ = await read_both(self._all(values, depth - 1), self.reader.read_expected())
        return tuple(_field(field, shape, each) for (field, shape), each in zip(fields, described, strict=False))

    async def _whole(self, chain: Sequence[ClassLayout]) -> list[ClassLayout]:
        """Return a class and all of its superclasses; ``chain`` may end where a view was found."""
        classes = list(chain)
        while classes[-1].superclass:
            classes.append(await self.reader.shape(classes[-1].superclass))
        return classes

    async def _statics_of(self, object_id: int) -> tuple[Variable, ...]:
        """Return all static fields of an object's class and its superclasses; none when it is gone."""
        try:
            found_by, _ = await self._viewer.find(object_id)
        except JdwpError:
            return ()
        chain = await self._whole(found_by)
        fields = [[field for field in shape.fields if field.is_static] for shape in chain]
        read = [self.reader.statics(shape, wanted) for shape, wanted in zip(chain, fields, strict=True)]
        found, _ = await read_both(
            gather(read), self.reader.look_up_likely(field.signature for part in fields for field in part)
        )
        values = [value for part in found for value in part][: self._limits.fields]
        owners = [(field, shape) for shape, wanted in zip(chain, fields, strict=True) for field in wanted]
        described, _ = await read_both(self._all(values, self._limits.depth - 1), self.reader.read_expected())
        return tuple(_field(field, shape, each) for (field, shape), each in zip(owners, described, strict=False))

    # -- how much ------------------------------------------------------------------------------------------------

    def _wanted(self, depth: int) -> int:
        return min(self._limits.elements, self._left) if depth >= 1 else 0

    async def _all(self, values: Sequence[ids.TaggedValue], depth: int) -> list[Described]:
        """Describes values side by side, as many as are left of all."""
        values = values[: self._left]
        self._left -= len(values)
        if len(values) < _LONG:
            return await self._side_by_side(values, depth)
        with rare_collection():
            return await self._side_by_side(values, depth)

    async def _side_by_side(self, values: Sequence[ids.TaggedValue], depth: int) -> list[Described]:
        boxes = await self._boxes(values) if len(values) >= _MANY else {}
        if not boxes:
            return await gather([self.describe(value, depth) for value in values])
        found = [boxes.get(int(value.value or 0)) if value.tag == Tag.OBJECT else None for value in values]
        rest = [self.describe(value, depth) for value, box in zip(values, found, strict=True) if box is None]
        others = iter(await gather(rest))
        return [next(others) if box is None else box for box in found]

    async def _boxes(self, values: Sequence[ids.TaggedValue]) -> dict[int, Described]:
        """Describes those that are boxed numbers, all at once: a reading for each would take most of the time.

        wire: 2 trips, whatever their number.
        """
        objects = list(dict.fromkeys(int(each.value) for each in values if each.tag == Tag.OBJECT and each.value))
        members: dict[int, list[int]] = {}
        for object_id, type_id in zip(objects, await self.reader.type_ids(objects), strict=True):
            if type_id is not None:
                members.setdefault(type_id, []).append(object_id)
        found: dict[int, Described] = {}
        for alike in members.values():
            try:
                chain, view = await self._viewer.find(alike[0])
                if view is not boxed:
                    continue
                fields = await find_fields(self.reader, chain[-1], ["value"])
            except (JdwpError, UnknownLayout):
                continue
            name, release = chain[0].name, self.reader.release
            for object_id, read in zip(alike, await self.reader.fields_of_all(alike, fields), strict=True):
                if not isinstance(read, JdwpError):
                    text = escape(primitive_text(read[0], release)[: self._limits.string])
                    value = ValueInfo(name, text, "L", object_id, object_id, formatted=self._formatted(read[0]))
                    found[object_id] = Described(value)
        return found


def _container(plain: ValueInfo, size: int | None, children: tuple[Variable, ...]) -> ValueInfo:
    cut = size is None or len(children) < size
    return plain.replace(length=size, truncated=cut, children=children)


def _elements(described: Sequence[Described], declared: str = "") -> tuple[Variable, ...]:
    return tuple(
        Variable(f"[{index}]", declared or each.value.type, each.value, "element")
        for index, each in enumerate(described)
    )


def _entry(key: Described, held: Described) -> Variable:
    return Variable(key.head, held.value.type, held.value, "element", key=key.value)


def _named(name: str, described: Described, declared: str = "") -> Variable:
    return Variable(name, declared or described.value.type, described.value, "field")


def _field(field: Field, declared_in: ClassLayout, described: Described) -> Variable:
    kind = "static" if field.is_static else "field"
    modifiers = field_modifiers(field.bits)
    return Variable(
        field.name, source_type(field), described.value, kind, declared_in=declared_in.name, modifiers=modifiers
    )

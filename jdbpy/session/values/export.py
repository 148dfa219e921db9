"""Values of the target as Python objects: numbers, texts, lists, dicts; objects as dicts of their fields.

Owns the rules of that translation and its limits: what is deeper, longer or more than the caller wants raises, so that
a script never takes a part for the whole. Objects are read level by level, all of a level at once; one that is referred
to twice, also by itself, is one Python object.

===========================  ==================================================
Java                         Python
===========================  ==================================================
null                         None
primitives, boxed ones       bool, int, float; char is a str of one character
String, StringBuilder        str
byte[]                       bytes
other arrays, collections    list
maps                         dict; a list of pairs where a key cannot be one
BigInteger, BigDecimal       int, decimal.Decimal
Optional                     what it holds, or None
enums                        str, the name of the constant
dates, paths, classes        str, as Java writes them
any other object             JavaObject: a dict of its fields, with ``type``
===========================  ==================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from jdbpy.errors import JdwpError, UsageError
from jdbpy.session.java.signatures import java_name
from jdbpy.session.jvm.reading import gather, read_both
from jdbpy.session.jvm.refs import Field
from jdbpy.session.values.objects import Viewer
from jdbpy.session.values.reader import ClassLayout, Reader
from jdbpy.session.values.shown import (
    Entries,
    Holder,
    Items,
    Pair,
    Parts,
    Scalar,
    Shown,
    Text,
    Trouble,
    UnknownLayout,
)
from jdbpy.session.values.strings import string_length
from jdbpy.session.values.views.registry import Registry
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue
from jdbpy.wire.layout import OBJECT_TAGS


class JavaObject(dict[str, Any]):
    """The fields of an object by name, its own class's first; ``type`` is the name of its class.

    A field that a superclass hides is called ``Superclass.name``. Equal to a dict of the same fields.
    """

    def __init__(self, type: str) -> None:
        super().__init__()
        self.type = type

    def __repr__(self) -> str:
        return f"{self.type.rpartition('.')[2]}({super().__repr__()})"


class _Node:
    """One object that was read: the values it leads to, and how it is built of what these are built to."""

    __slots__ = ("build", "parts")

    def __init__(
        self, parts: Sequence[TaggedValue], build: Callable[[], tuple[Any, Callable[[list[Any]], None] | None]]
    ):
        self.parts = parts
        self.build = build


def _leaf(value: Any) -> _Node:
    return _Node((), lambda: (value, None))


class Export:
    """One translation under its limits. ``values`` is a reading, for ``Reader.run``."""

    def __init__(self, reader: Reader, views: Registry, depth: int, most: int, longest: int) -> None:
        if depth < 1 or most < 1 or longest < 0:
            raise UsageError("the limits of depth and number must be 1 or more")
        self._reader = reader
        self._viewer = Viewer(reader, views, longest + 1)
        self._depth = depth
        self._most = most
        self._longest = longest
        self._count = 0
        self._nodes: dict[int, _Node] = {}
        self._built: dict[int, Any] = {}

    async def values(self, values: Sequence[TaggedValue]) -> list[Any]:
        """Return the values as Python objects. Raises UsageError beyond a limit, JdwpError for a collected object."""
        self._counted(len(values))
        wanted = [each for each in values if _is_object(each)]
        for level in range(self._depth + 1):
            new = {int(each.value or 0): each for each in wanted if int(each.value or 0) not in self._nodes}
            if not new:
                break
            read = await gather([self._read(each) for each in new.values()])
            self._nodes.update(zip(new, read, strict=True))
            if level == self._depth:
                deeper = next((each for each, node in zip(new, read, strict=True) if node.parts), None)
                if deeper is not None:
                    raise self._too_deep(await self._name(deeper))
            wanted = [part for node in read for part in node.parts if _is_object(part)]
        return [self._python(each) for each in values]

    # -- reading ---------------------------------------------------------------------------------------------------

    async def _read(self, value: TaggedValue) -> _Node:
        object_id = int(value.value or 0)
        if value.tag == Tag.STRING:
            return _leaf(await self._string(object_id))
        if value.tag == Tag.CLASS_OBJECT:
            return _leaf(java_name(await self._reader.reflected(object_id)))
        if value.tag == Tag.ARRAY:
            return await self._array(object_id)
        chain, view = await self._viewer.find(object_id)
        name = chain[0].name
        if name == "java.lang.String":
            return _leaf(await self._string(object_id))
        if name.endswith("[]"):
            return await self._array(object_id)
        if view is not None:
            try:
                shown = await self._viewer.run(view, object_id, chain, self._most + 1)
            except (UnknownLayout, JdwpError):
                shown = None
            node = self._node_of(shown, chain) if shown is not None else None
            if node is not None:
                return node
        return await self._object(object_id, chain)

    async def _string(self, string_id: int) -> str:
        length = await string_length(self._reader, string_id)
        if length is not None and length > self._longest:
            raise self._too_long(length)
        text = await self._reader.text(string_id)
        if len(text) > self._longest:
            raise self._too_long(len(text))
        return text

    async def _array(self, array_id: int) -> _Node:
        type_id, length = await read_both(self._reader.type_id(array_id), self._reader.length(array_id))
        signature = await self._reader.signature(type_id)
        if signature == "[B":
            if length > self._longest:
                raise self._too_long(length)
        else:
            self._counted(length)
        elements = await self._reader.elements(array_id, 0, length)
        if signature == "[B":
            return _leaf(bytes(int(each.value or 0) & 0xFF for each in elements))
        return _list(elements)

    async def _object(self, object_id: int, chain: Sequence[ClassLayout]) -> _Node:
        shapes = list(chain)
        while shapes[-1].superclass:
            shapes.append(await self._reader.shape(shapes[-1].superclass))
        fields = [(shape, field) for shape in shapes for field in shape.fields if not field.is_static]
        self._counted(len(fields))
        values = await self._reader.fields(object_id, [field for _, field in fields])
        return _struct(shapes[0].name, list(_names(fields)), values)

    def _node_of(self, shown: Shown, chain: Sequence[ClassLayout]) -> _Node | None:
        """Return what a view has read; None where the object's fields say more."""
        name = chain[0].name
        match shown:
            case Scalar(held=held) if held is not None:
                return _leaf(_primitive(held))
            case Scalar(text=text):
                return self._scalar(text, chain)
            case Text(text=text, length=length):
                if length > self._longest:
                    raise self._too_long(length)
                return _leaf(text)
            case Items(items=items):
                self._counted(len(items))
                return _list(items)
            case Entries(entries=entries):
                self._counted(2 * len(entries))
                return _map(entries)
            case Holder(value=held):
                return _leaf(None) if held is None else _Node([held], lambda: _holding())
            case Pair(key=key, value=held):
                self._counted(2)
                return _pair(key, held)
            case Parts(parts=parts):
                self._counted(len(parts))
                return _struct(name, [part.name for part in parts], [part.value for part in parts])
            case Trouble(parts=parts):
                self._counted(len(parts))
                return _struct(name, [part.name for part in parts], [part.value for part in parts])
        return None

    def _scalar(self, text: str, chain: Sequence[ClassLayout]) -> _Node | None:
        if len(text) > self._longest:
            raise self._too_long(len(text))
        match chain[-1].name:
            case "java.math.BigInteger":
                return _leaf(int(text))
            case "java.math.BigDecimal":
                return _leaf(Decimal(text))
            case "java.lang.Enum":
                return _leaf(text.rpartition(".")[2])
        return _leaf(text)

    # -- building --------------------------------------------------------------------------------------------------

    def _python(self, value: TaggedValue) -> Any:
        """Build what was read, without recursion: chains may be long. Containers come to be before what they hold."""
        if not _is_object(value):
            return _primitive(value)
        start = int(value.value or 0)
        fills: list[tuple[_Node, Callable[[list[Any]], None]]] = []
        ahead = [start]
        while ahead:
            object_id = ahead.pop()
            if object_id in self._built:
                continue
            node = self._nodes[object_id]
            self._built[object_id], fill = node.build()
            if fill is not None:
                fills.append((node, fill))
                ahead += [int(part.value or 0) for part in node.parts if _is_object(part)]
        for node, fill in reversed(fills):  # what holds a key or a pair is filled after what it holds
            fill([self._resolved(part) for part in node.parts])
        return self._resolved(value)

    def _resolved(self, value: TaggedValue) -> Any:
        found = self._built[int(value.value or 0)] if _is_object(value) else _primitive(value)
        for _ in range(self._depth + 1):
            if not isinstance(found, _Held):
                break
            found = found.value
        return found

    # -- limits ----------------------------------------------------------------------------------------------------

    def _counted(self, count: int) -> None:
        self._count += count
        if self._count > self._most:
            raise UsageError(
                f"there are more than {self._most:,} values", hint="give a larger limit: most=...", code="TOO_MANY"
            )

    def _too_long(self, length: int) -> UsageError:
        return UsageError(
            f"a text has {length:,} characters, more than {self._longest:,}",
            hint="give a larger limit: longest=...",
            code="TOO_LONG",
        )

    def _too_deep(self, name: str) -> UsageError:
        return UsageError(
            f"there is more than depth={self._depth} reaches: a {name}",
            hint=f"give depth={self._depth + 1} or more, or ask for a part of it",
            code="TOO_DEEP",
        )

    async def _name(self, object_id: int) -> str:
        return (await self._reader.shape(await self._reader.type_id(object_id))).name


class _Held:
    """Stands for what an Optional holds, or a pair, until that is built."""

    def __init__(self) -> None:
        self.value: Any = None


def _list(values: Sequence[TaggedValue]) -> _Node:
    def build() -> tuple[Any, Callable[[list[Any]], None] | None]:
        made: list[Any] = []
        return made, made.extend

    return _Node(values, build)


def _map(entries: Sequence[tuple[TaggedValue, TaggedValue]]) -> _Node:
    def build() -> tuple[Any, Callable[[list[Any]], None] | None]:
        made: dict[Any, Any] = {}
        held = _Held()
        held.value = made

        def fill(parts: list[Any]) -> None:
            pairs = list(zip(parts[::2], parts[1::2], strict=True))
            try:
                made.update(pairs)
            except TypeError:  # a list or an object is the key
                held.value = pairs

        return held, fill

    return _Node([part for pair in entries for part in pair], build)


def _struct(type_name: str, names: Sequence[str], values: Sequence[TaggedValue]) -> _Node:
    def build() -> tuple[Any, Callable[[list[Any]], None] | None]:
        made = JavaObject(type_name)
        return made, lambda parts: made.update(zip(names, parts, strict=True))

    return _Node(values, build)


def _holding() -> tuple[Any, Callable[[list[Any]], None]]:
    held = _Held()

    def fill(parts: list[Any]) -> None:
        [held.value] = parts

    return held, fill


def _pair(key: TaggedValue, value: TaggedValue) -> _Node:
    def build() -> tuple[Any, Callable[[list[Any]], None] | None]:
        held = _Held()

        def fill(parts: list[Any]) -> None:
            held.value = tuple(parts)

        return held, fill

    return _Node([key, value], build)


def _names(fields: Sequence[tuple[ClassLayout, Field]]) -> Iterator[str]:
    """Yield the names of fields; one that a class hides which inherits it gets its own class's before it."""
    seen: set[str] = set()
    for shape, field in fields:
        yield field.name if field.name not in seen else f"{shape.name}.{field.name}"
        seen.add(field.name)


def _is_object(value: TaggedValue) -> bool:
    return value.tag in OBJECT_TAGS and bool(value.value)


def _primitive(value: TaggedValue) -> Any:
    if value.tag in OBJECT_TAGS or value.tag == Tag.VOID:
        return None
    return chr(int(value.value or 0)) if value.tag == Tag.CHAR else value.value

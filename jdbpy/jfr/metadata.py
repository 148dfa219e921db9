"""The types of a chunk: the metadata event is a tree of elements with attributes, which describes every type in it.

Owns the way from those bytes to ``Type`` and ``TypedField``. Types refer to each other by number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from operator import itemgetter

from jdbpy.jfr.primitives import BadRecording, plain_string, string, varint

_DEEPEST = 100
"""How deep elements may stand in each other; the JDK writes seven."""


class TypedField:
    """A field of a type: its own ``type``, whether it holds the key of a constant, whether it is an array."""

    __slots__ = ("annotations", "array", "constant", "name", "type_id")

    def __init__(
        self, name: str, type_id: int, constant: bool, array: bool, annotations: dict[str, tuple[str, ...]]
    ) -> None:
        self.name = name
        self.type_id = type_id
        self.constant = constant
        self.array = array
        self.annotations = annotations

    def annotation(self, name: str) -> str | None:
        """Return the value of an annotation such as ``jdk.jfr.Timespan``: "" for one without, None if it lacks."""
        values = self.annotations.get(name)
        return None if values is None else (values[0] if values else "")


class Type:
    """A type of events or of values. ``simple``: its value is that of its one field.

    ``label``, ``description`` and ``category`` are the JVM's words for a person, or "" and ().
    """

    __slots__ = ("annotations", "fields", "id", "index", "name", "settings", "simple", "super_type")

    def __init__(
        self,
        type_id: int,
        name: str,
        super_type: str,
        simple: bool,
        fields: tuple[TypedField, ...],
        annotations: dict[str, tuple[str, ...]],
        settings: tuple[str, ...],
    ) -> None:
        self.id = type_id
        self.name = name
        self.super_type = super_type
        self.simple = simple and len(fields) == 1
        self.fields = fields
        self.annotations = annotations
        self.settings = settings
        self.index = {field.name: place for place, field in enumerate(fields)}

    def __repr__(self) -> str:
        return f"Type({self.name!r}, {', '.join(self.index)})"

    @property
    def is_event(self) -> bool:
        """True if events have this type."""
        return self.super_type == "jdk.jfr.Event"

    @property
    def label(self) -> str:
        """The name for a person."""
        return " ".join(self.annotations.get("jdk.jfr.Label", ()))

    @property
    def description(self) -> str:
        """A sentence about it."""
        return " ".join(self.annotations.get("jdk.jfr.Description", ()))

    @property
    def category(self) -> tuple[str, ...]:
        """Where it stands in a tree of all, from the root."""
        return self.annotations.get("jdk.jfr.Category", ())


class Metadata:
    """The types of one chunk by number, and the clock of the machine: ``utc_offset`` in milliseconds.

    ``described`` are the bytes of the description, which are the same in most chunks of a recording.
    """

    def __init__(self, types: dict[int, Type], utc_offset: int, described: bytes) -> None:
        self.types = types
        self.utc_offset = utc_offset
        self.described = described
        self.by_name = {each.name: each for each in types.values()}


Attributes = dict[str, str]


class _Element:
    __slots__ = ("attributes", "children", "name")

    def __init__(self, name: str, attributes: Attributes, children: Sequence[_Element]) -> None:
        self.name = name
        self.attributes = attributes
        self.children = children

    def all(self, name: str) -> list[_Element]:
        return [each for each in self.children if each.name == name]


_NONE: Sequence[_Element] = ()


def read_metadata(data: bytes, begin: int, compressed: bool, former: Metadata | None = None) -> Metadata:
    """Return the metadata event at an offset of its chunk, or ``former``, that of another chunk, if it is the same."""
    if compressed:
        number = varint
        size, at = varint(data, begin)
    else:
        number = _plain
        size, at = int.from_bytes(data[begin : begin + 4], "big"), begin + 4
    for _ in range(4):  # type, start, duration, id
        _, at = number(data, at)
    end = begin + size
    described = data[at:end]
    if former is not None and former.described == described:
        return former
    count, at = _count(data, at, compressed)
    strings: list[str] = []
    for _ in range(count):
        text, at = (string if compressed else plain_string)(data, at)
        strings.append(str(text or ""))
    # only numbers follow; they are decoded lazily, so that a wrong size costs no memory
    found = map(itemgetter(0), (_NUMBER if compressed else _PLAIN_NUMBER).finditer(data, at, end))
    numbers = map(_Numbers().__getitem__ if compressed else _from_bytes, found)
    types, offset = _types(_root(numbers, strings))
    return Metadata(types, offset, described)


_NUMBER = re.compile(rb"[\x80-\xff]{0,8}[\x00-\xff]")
_PLAIN_NUMBER = re.compile(rb"[\x00-\xff]{4}")


class _Numbers(dict[bytes, int]):
    """Compressed integers by their bytes: most of the numbers in a tree are there many times."""

    def __missing__(self, each: bytes) -> int:
        self[each] = number = sum((byte & 127 if place < 8 else byte) << 7 * place for place, byte in enumerate(each))
        return number


def _from_bytes(four: bytes) -> int:
    return int.from_bytes(four, "big")


def _plain(data: bytes, at: int) -> tuple[int, int]:
    return int.from_bytes(data[at : at + 8], "big"), at + 8


def _count(data: bytes, at: int, compressed: bool) -> tuple[int, int]:
    if compressed:
        count, at = varint(data, at)
    else:
        count, at = int.from_bytes(data[at : at + 4], "big"), at + 4
    if count > len(data) - at:
        raise BadRecording(f"the metadata at byte {at} of its chunk says that {count} parts follow")
    return count, at


def _root(numbers: Iterator[int], strings: list[str]) -> _Element:
    """Return the tree of elements. An element is its name, attributes and children, encoded as indices of strings and
    counts. Each iteration takes at least one number, so a wrong count ends with the data."""
    take = numbers.__next__

    def element(deepest: int) -> _Element:
        if not deepest:
            raise BadRecording(f"the elements of the metadata stand more than {_DEEPEST} deep in each other")
        name = strings[take()]
        attributes = {strings[take()]: strings[take()] for _ in range(take())}
        count = take()
        return _Element(name, attributes, [element(deepest - 1) for _ in range(count)] if count else _NONE)

    try:
        return element(_DEEPEST)
    except StopIteration:
        raise BadRecording("the metadata of a chunk is cut: it says that more parts follow") from None
    except IndexError:
        raise BadRecording(f"the metadata of a chunk names a string that is none of its {len(strings)}") from None


def _types(root: _Element) -> tuple[dict[int, Type], int]:
    elements: dict[int, _Element] = {}
    offset = 0
    for part in root.children:
        if part.name == "region":
            offset = _whole(part.attributes.get("gmtOffset", "0"))
        for each in part.all("class"):
            elements[_whole(each.attributes.get("id", ""))] = each
    names = {number: each.attributes.get("name", "") for number, each in elements.items()}
    types = {}
    for number, each in elements.items():
        fields = tuple([_field(field.attributes, field, names) for field in each.all("field")])
        types[number] = Type(
            number,
            names[number],
            each.attributes.get("superType", ""),
            each.attributes.get("simpleType") == "true",
            fields,
            _annotations(each, names),
            tuple(setting.attributes.get("name", "") for setting in each.all("setting")),
        )
    return types, offset


def _field(attributes: Attributes, element: _Element, names: dict[int, str]) -> TypedField:
    return TypedField(
        attributes.get("name", ""),
        _known(_whole(attributes.get("class", "")), names),
        attributes.get("constantPool") == "true",
        "dimension" in attributes and _whole(attributes["dimension"]) > 0,
        _annotations(element, names),
    )


def _known(number: int, names: dict[int, str]) -> int:
    if number not in names:
        raise BadRecording(f"a field has the type {number}, which the metadata does not describe")
    return number


def _annotations(element: _Element, names: dict[int, str]) -> dict[str, tuple[str, ...]]:
    """Return the annotations of a type or field: the values of each by the name of its type."""
    if not element.children:
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for each in element.all("annotation"):
        name = names.get(_whole(each.attributes.get("class", "")), "")
        if len(each.attributes) == 2 and "value" in each.attributes:
            found[name] = (each.attributes["value"],)
            continue
        values = [
            (_whole(key.removeprefix("value").removeprefix("-") or "0"), value)
            for key, value in each.attributes.items()
            if key.startswith("value")
        ]
        found[name] = tuple(value for _, value in sorted(values))
    return found


def _whole(text: str) -> int:
    if not text.removeprefix("-").isdecimal() or len(text) > 20:
        raise BadRecording(f"the metadata says {text[:40]!r} where a number stands")
    return int(text)

"""Random messages for property tests, made from the same layouts that the codecs are made from."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from jdbpy.record import Record
from jdbpy.wire.command import all_commands
from jdbpy.wire.ids import ArrayRegion, IDSizes, TaggedValue
from jdbpy.wire.layout import (
    OBJECT_TAGS,
    VALUE_CODES,
    VOID_TAG,
    Blob,
    Group,
    Identifier,
    Kinds,
    LayoutNode,
    LayoutNumber,
    LayoutText,
    Region,
    Repeat,
    Tagged,
    Untagged,
    layout_of,
)

SIZES = [
    IDSizes(),
    IDSizes(4, 4, 4, 4, 4),
    IDSizes(fieldIDSize=4, methodIDSize=4),  # HotSpot on 32 bits
    IDSizes(8, 4, 4, 8, 4),
    IDSizes(4, 8, 8, 4, 8),
]
"""Widths of ids to try: each family with both widths, together with both widths of the others."""

MESSAGES: list[tuple[str, type[Record]]] = [
    *((command.NAME, command) for command in all_commands()),
    *((f"{command.NAME} reply", command.REPLY) for command in all_commands()),
]
"""The name and the class of every message, both directions."""

_NUMBERS: dict[str, st.SearchStrategy[Any]] = {
    "?": st.booleans(),
    "b": st.integers(-128, 127),
    "B": st.integers(0, 255),
    "h": st.integers(-(2**15), 2**15 - 1),
    "H": st.integers(0, 2**16 - 1),
    "i": st.integers(-(2**31), 2**31 - 1),
    "q": st.integers(-(2**63), 2**63 - 1),
    "f": st.floats(width=32, allow_nan=False),
    "d": st.floats(allow_nan=False),
}
JAVA_STRINGS = st.text(st.characters(codec="utf-16", categories=None)).map(
    lambda text: text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
)
"""Strings as Java has them: any sequence of UTF-16 units, halves of surrogate pairs among them."""


def messages(cls: type[Record], sizes: IDSizes) -> st.SearchStrategy[Any]:
    """Messages of a class that a target with such ids could send or take."""
    return _parts(layout_of(cls), sizes)


def _parts(node: LayoutNode, sizes: IDSizes) -> st.SearchStrategy[Any]:
    match node:
        case LayoutNumber():
            return _NUMBERS[node.code]
        case Identifier():
            return st.integers(0, 256 ** getattr(sizes, node.family) - 1)
        case LayoutText():
            return JAVA_STRINGS
        case Blob():
            return st.binary(max_size=20)
        case Tagged():
            return st.sampled_from([*VALUE_CODES, *OBJECT_TAGS, VOID_TAG]).flatmap(lambda tag: _values(tag, sizes))
        case Untagged():
            return st.sampled_from([*VALUE_CODES, *OBJECT_TAGS]).flatmap(lambda tag: _values(tag, sizes))
        case Region():
            return st.sampled_from([*VALUE_CODES, *OBJECT_TAGS]).flatmap(lambda tag: _regions(tag, sizes))
        case Repeat():
            return st.lists(_parts(node.element, sizes), max_size=4)
        case Group():
            return st.builds(node.record, *(_parts(part, sizes) for _, part in node.fields))
        case Kinds():
            return st.sampled_from(list(node.choice.KINDS.values())).flatmap(lambda cls: messages(cls, sizes))
        case _:
            raise TypeError(node)


def _scalars(tag: int, sizes: IDSizes) -> st.SearchStrategy[Any]:
    if tag == VOID_TAG:
        return st.none()
    return _NUMBERS[VALUE_CODES[tag]] if tag in VALUE_CODES else st.integers(0, 256**sizes.objectIDSize - 1)


def _values(tag: int, sizes: IDSizes) -> st.SearchStrategy[TaggedValue]:
    return st.builds(TaggedValue, st.just(tag), _scalars(tag, sizes))


def _regions(tag: int, sizes: IDSizes) -> st.SearchStrategy[ArrayRegion]:
    if tag in VALUE_CODES:
        elements = _scalars(tag, sizes)
    else:
        elements = st.sampled_from(sorted(OBJECT_TAGS)).flatmap(lambda each: _values(each, sizes))
    return st.builds(ArrayRegion, st.just(tag), st.lists(elements, max_size=4))


def untagged(message: Record) -> list[int]:
    """The tags of the untagged values in a message, in order: what its target knows."""
    return _tags(layout_of(type(message)), message)


def _tags(node: LayoutNode, value: Any) -> list[int]:
    match node:
        case Untagged():
            return [value.tag]
        case Repeat():
            return [tag for item in value for tag in _tags(node.element, item)]
        case Group():
            return [tag for field, part in node.fields for tag in _tags(part, getattr(value, field))]
        case _:
            return []

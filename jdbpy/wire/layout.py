"""Layout: what a message looks like in bytes, read off the annotations of its declaration.

Owns the small tree that both codecs, the fault finder and the packet explainer work from. It knows the widths and the
order of things, and holds no data. A layout is built when it is first asked for and kept.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Any, NewType, get_args, get_origin

from jdbpy.errors import ProtocolError
from jdbpy.record import Record
from jdbpy.wire.command import Choice
from jdbpy.wire.ids import ArrayRegion, FieldID, FrameID, IDSizes, MethodID, ObjectID, ReferenceTypeID, TaggedValue
from jdbpy.wire.lazy_records import Columns, Rows


class LayoutNode:
    """A part of a message."""


class LayoutNumber(LayoutNode):
    """A number of fixed width; ``code`` is its ``struct`` code."""

    def __init__(self, code: str) -> None:
        self.code = code


class Identifier(LayoutNode):
    """An id; ``family`` is the field of ``IDSizes`` with its width."""

    def __init__(self, family: str) -> None:
        self.family = family


class LayoutText(LayoutNode):
    """A length and UTF-8."""


class Blob(LayoutNode):
    """A length and bytes."""


class Tagged(LayoutNode):
    """A tag and a value (the specification's value)."""


class Untagged(LayoutNode):
    """The value of a field or an element without its tag; who decodes it has to know the tag. Never void."""


class Region(LayoutNode):
    """A tag, a count, and elements: without tags when primitive, each with its own when objects (arrayregion)."""


class Repeat(LayoutNode):
    """A count and that many elements, held in a list, or in what the declaration says: ``Columns`` or ``Rows``."""

    def __init__(self, element: LayoutNode, held: type[list[Any] | Columns[Any] | Rows[Any]] = list) -> None:
        self.element = element
        self.held = held


class Group(LayoutNode):
    """The fields of a record, in order."""

    def __init__(self, record: type[Record], fields: list[tuple[str, LayoutNode]]) -> None:
        self.record = record
        self.fields = fields


class Kinds(LayoutNode):
    """A byte, and the group that it selects from the kinds of a ``Choice``."""

    def __init__(self, choice: type[Choice]) -> None:
        self.choice = choice


VALUE_CODES = {ord(tag): code for tag, code in zip("BCDFIJSZ", "bHdfiqh?", strict=True)}
"""The ``struct`` code of a primitive value by its tag."""
OBJECT_TAGS = frozenset(b"L[stglc")
"""Tags of values that are references."""
VOID_TAG = ord("V")

_MARKED = {
    "byte": LayoutNumber("B"),
    "boolean": LayoutNumber("?"),
    "int": LayoutNumber("i"),
    "long": LayoutNumber("q"),
    "string": LayoutText(),
    "bytes": Blob(),
    "untagged": Untagged(),
}
_FAMILIES: dict[Any, str] = {
    FieldID: "fieldIDSize",
    MethodID: "methodIDSize",
    ObjectID: "objectIDSize",
    ReferenceTypeID: "referenceTypeIDSize",
    FrameID: "frameIDSize",
}
_WIDTHS = {1: "B", 2: "H", 4: "I", 8: "Q"}
_layouts: dict[type[Record], Group] = {}


def layout_of(record: type[Record]) -> Group:
    """Return the layout of a message, or of a part of one."""
    found = _layouts.get(record)
    if found is None:
        hints = _hints(record)
        found = Group(record, [(field, _node(hints[field])) for field in record.__fields__])
        _layouts[record] = found
    return found


def number_code(node: LayoutNumber | Identifier, sizes: IDSizes) -> str:
    """Return the ``struct`` code of a number or an id."""
    return node.code if isinstance(node, LayoutNumber) else id_code(sizes, node.family)


def id_code(sizes: IDSizes, family: str) -> str:
    """Return the ``struct`` code of a family of ids; they are unsigned."""
    return _WIDTHS[getattr(sizes, family)]


def fixed_codes(node: LayoutNode, sizes: IDSizes) -> str | None:
    """Return the ``struct`` codes of a part that always takes the same number of bytes; None for one of varying
    width."""
    match node:
        case LayoutNumber() | Identifier():
            return number_code(node, sizes)
        case Group():
            codes = [fixed_codes(part, sizes) for _, part in node.fields]
            return None if None in codes else "".join(code for code in codes if code)
        case _:
            return None


def check_sizes(sizes: IDSizes) -> None:
    """Raises ProtocolError when ids of such sizes cannot be."""
    for family, size in sizes.__iter_fields__():
        if size not in _WIDTHS:
            raise ProtocolError(f"VirtualMachine.IDSizes reply: {family} is {size}; an id takes 1, 2, 4 or 8 bytes")


def _hints(record: type[Record]) -> dict[str, Any]:
    """Return the annotations of a record and its bases, evaluated where each was written."""
    hints: dict[str, Any] = {}
    for owner in reversed(record.__mro__):
        names = getattr(owner, "__slots__", ())
        scope = vars(sys.modules[owner.__module__])
        for field, hint in vars(owner).get("__annotations__", {}).items():
            if field in names:
                hints[field] = eval(hint, scope)
    return hints


def _node(hint: Any) -> LayoutNode:
    if get_origin(hint) is Annotated:
        return _MARKED[hint.__metadata__[0]]
    if get_origin(hint) in (list, Sequence):
        return Repeat(_node(get_args(hint)[0]))
    if get_origin(hint) in (Columns, Rows):
        return Repeat(_node(get_args(hint)[0]), get_origin(hint))
    if isinstance(hint, NewType):
        while hint not in _FAMILIES:
            hint = hint.__supertype__
        return Identifier(_FAMILIES[hint])
    if hint is TaggedValue:
        return Tagged()
    if hint is ArrayRegion:
        return Region()
    if issubclass(hint, Choice):
        return Kinds(hint)
    return layout_of(hint)

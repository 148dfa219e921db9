"""A message taken apart: each field with its place, its bytes and its value, as far as they fit the declaration.

Owns the way through the bytes of a message whose sender is not trusted to know JDWP, by the constructs of the reference
codec. What does not fit is told at its byte, with what was expected there; what comes before it is told all the same.
Commands that are not JDWP's, but known, are declared here.
"""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import construct as c

from jdbpy.record import Record
from jdbpy.wire.codec import DEFAULT_SIZES
from jdbpy.wire.constants import Tag
from jdbpy.wire.explain import ITEMS, constant_text, explain_bytes, explain_part
from jdbpy.wire.ids import IDSizes, TaggedValue
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
from jdbpy.wire.reference import construct_of, value_constructs

MOST_PARTS = 1_000_000
"""Parts of a message that are looked at."""
_LAST = 8
"""Parts before a misfit that are kept when there are more than were wanted."""

_KINDS = {"B": "byte", "?": "boolean", "i": "int", "q": "long"}
_VALUE_TAGS = "".join(sorted(map(chr, {*VALUE_CODES, *OBJECT_TAGS})))
_COUNT = LayoutNumber("i")
_BYTE = LayoutNumber("B")
_TAGGED = Tagged()

HEADER = c.Struct("length" / c.Int32ub, "id" / c.Int32ub, "flags" / c.Int8ub, "last" / c.Int16ub)
"""The header of a packet; ``last`` is an error code, or a command set and a command."""
_DDM = c.Struct("type" / c.Bytes(4), "length" / c.Int32ub, "data" / c.Bytes(c.this.length))


class PacketPart(Record):
    """A field, or a count or tag before some, with its ``size`` bytes at ``offset``.

    ``name`` leads to it, ``frames[3].location.methodID``; ``kind`` is the specification's type.
    """

    name: str
    kind: str
    offset: int
    size: int
    text: str


class Misfit(Record):
    """The first byte of a message that does not fit: what was expected there, and what was found."""

    name: str
    offset: int
    expected: str
    found: str


class Dissection(Record):
    """A message taken apart: the first parts, those just before a misfit, and how many were left out between them."""

    parts: Sequence[PacketPart]
    left_out: int
    last: Sequence[PacketPart]
    misfit: Misfit | None


def dissect(
    record: type[Record],
    data: bytes,
    sizes: IDSizes = DEFAULT_SIZES,
    *,
    tags: Callable[[int | None], int | None] = lambda field: None,
    most: int = MOST_PARTS,
    missing: int = 0,
) -> Dissection:
    """Take apart the data of a message. ``tags`` gives the tag of a value without one, by the id of its field.

    ``most``: parts that are wanted at the beginning. ``missing``: bytes that the message has behind the data, which
    nobody knows; then what follows the data is no misfit.
    """
    return _Dissector(data, sizes, tags, most, missing).through(record)


def dissect_extension(command_set: int, command: int, data: bytes) -> tuple[str, Dissection] | None:
    """Return the name and the parts of a command that is not JDWP's; None if it is not known. DDM is Android's."""
    if (command_set, command) != (199, 1):
        return None
    try:
        chunk = _DDM.parse(data)
    except c.ConstructError:
        misfit = Misfit("length", min(4, len(data)), "a type of 4 bytes, a length, and as many bytes", found(data, 0))
        return "DDM.Chunk", Dissection((), 0, (), misfit)
    parts = (
        PacketPart("type", "4 letters", 0, 4, repr(chunk.type)[1:]),
        PacketPart("length", "int", 4, 4, str(chunk.length)),
        PacketPart("data", "bytes", 8, len(chunk.data), explain_bytes(chunk.data)),
    )
    rest = 8 + chunk.length
    return "DDM.Chunk", Dissection(parts, 0, (), _too_long(data, rest) if rest < len(data) else None)


def found(data: bytes, offset: int) -> str:
    """Return the bytes at an offset as text: how many are left there, and which the first are."""
    rest = len(data) - offset
    if rest <= 0:
        return "the end of the packet"
    shown = data[offset : offset + 16].hex(" ")
    return f"{rest} {'byte' if rest == 1 else 'bytes'}: {shown}{'...' if rest > 16 else ''}"


def _too_long(data: bytes, offset: int) -> Misfit:
    return Misfit("", offset, "the end of the packet", found(data, offset))


class _MisfitFound(Exception):
    """Carries the misfit."""

    def __init__(self, misfit: Misfit) -> None:
        super().__init__()
        self.misfit = misfit


class _Enough(Exception):
    """What follows is not taken apart."""


class _Dissector:
    """Goes through the data part by part."""

    def __init__(
        self, data: bytes, sizes: IDSizes, tags: Callable[[int | None], int | None], most: int, missing: int
    ) -> None:
        self.data = data
        self.missing = missing
        self.sizes = sizes
        self.tags = tags
        self.most = most
        self.count = 0
        self.parts: list[PacketPart] = []
        self.last: deque[tuple[tuple[str, str, int, int], Callable[[], str]]] = deque(maxlen=_LAST)
        self.field_id: int | None = None
        self._stream = io.BytesIO(data)
        self._context = c.Container()
        self._constructs: dict[LayoutNode, Any] = {}
        self._values = value_constructs(sizes)

    def through(self, record: type[Record]) -> Dissection:
        misfit: Misfit | None = None
        try:
            self.part(layout_of(record), "", "")
            if self.at < len(self.data):
                misfit = _too_long(self.data, self.at)
        except _MisfitFound as fault:
            misfit = fault.misfit
        except _Enough:  # the rest is left out
            pass
        last = tuple(PacketPart(*about, text()) for about, text in self.last) if misfit is not None else ()
        return Dissection(self.parts, self.count - len(self.parts) - len(last), last, misfit)

    @property
    def at(self) -> int:
        return self._stream.tell()

    @property
    def left(self) -> int:
        return len(self.data) - self.at

    def part(self, node: LayoutNode, name: str, field: str) -> None:
        match node:
            case LayoutNumber():
                self.read(node, name, field, _KINDS[node.code])
            case Identifier():
                value = self.read(node, name, field, node.family.removesuffix("Size"))
                if node.family == "fieldIDSize":
                    self.field_id = value
            case LayoutText() | Blob():
                self.counted(node, name, field)
            case Tagged():
                self.tagged(name, field)
            case Untagged():
                self.untagged(name, field)
            case Region():
                self.region(name, field)
            case Repeat():
                self.repeat(node, name, field)
            case Group():
                for own, inner in node.fields:
                    self.part(inner, f"{name}.{own}" if name else own, own)
            case _:
                raise TypeError(f"no way through {node}")

    def read(self, node: LayoutNode, name: str, field: str, kind: str) -> Any:
        """Read a part of known width, note it, and return its value."""
        start = self.at
        value = self.parsed(self.construct(node), name, kind)
        self.note(name, kind, start, lambda: explain_part(node, value, field))
        return value

    def parsed(self, construct: Any, name: str, kind: str) -> Any:
        start = self.at
        try:
            return construct._parsereport(self._stream, self._context, "")
        except c.StreamError as fault:
            self._stream.seek(start)
            if self.missing:
                raise _Enough from fault
            width = f" of {construct.sizeof()} bytes" if isinstance(construct, c.FormatField) else ""
            raise self.unfit(name, start, f"{_with_article(kind)}{width}") from fault

    def construct(self, node: LayoutNode) -> Any:
        known = self._constructs.get(node)
        if known is None:
            known = self._constructs[node] = construct_of(node, self.sizes)
        return known

    def note(self, name: str, kind: str, start: int, text: Callable[[], str]) -> None:
        self.count += 1
        if self.count <= self.most:
            self.parts.append(PacketPart(name, kind, start, self.at - start, text()))
        else:
            self.last.append(((name, kind, start, self.at - start), text))
        if self.count == MOST_PARTS:
            raise _Enough

    def unfit(self, name: str, offset: int, expected: str, what: str = "") -> _MisfitFound:
        return _MisfitFound(Misfit(name, offset, expected, what or found(self.data, offset)))

    def number(self, name: str, kind: str, least: int) -> int:
        """Read a count or a length, after which each of what it counts takes ``least`` bytes."""
        start = self.at
        count: int = self.parsed(self.construct(_COUNT), name, kind)
        if not 0 <= count * least <= self.left + self.missing:
            raise self.unfit(
                name, start, f"a {kind} that the {self.left + self.missing:,} bytes behind it can hold", f"{count:,}"
            )
        return count

    def counted(self, node: LayoutText | Blob, name: str, field: str) -> None:
        start = self.at
        length = self.number(name, "length", 1)
        self._stream.seek(start)
        try:
            value = self.parsed(self.construct(node), name, "string")
        except UnicodeDecodeError as error:
            at = start + 4 + error.start
            raise self.unfit(name, at, "UTF-8", f"{self.data[at]:#04x}") from error
        kind = "string" if isinstance(node, LayoutText) else f"{length} bytes"
        self.note(name, kind, start, lambda: explain_part(node, value, field))

    def tagged(self, name: str, field: str) -> None:
        start, tag = self.at, self.tag(_VALUE_TAGS + chr(VOID_TAG), name)
        self.parsed(self.construct(_BYTE), name, "tag")
        value = None if tag == VOID_TAG else self.value(tag, name)
        self.note(name, "value", start, lambda: explain_part(_TAGGED, TaggedValue(tag, value), field))

    def value(self, tag: int, name: str) -> Any:
        return self.parsed(self._values[tag], name, f"value with the tag {chr(tag)},")

    def tag(self, known: str, name: str) -> int:
        """Look at the next byte, which must be one of these tags, and leave it."""
        tag = self.data[self.at] if self.left else None
        if tag is None and self.missing:
            raise _Enough
        if tag is None or chr(tag) not in known:
            what = f"{tag} ({chr(tag)!a})" if tag is not None else ""
            raise self.unfit(name, self.at, f"a tag, one of {' '.join(known)}", what)
        return tag

    def untagged(self, name: str, field: str) -> None:
        tag, start = self.tags(self.field_id), self.at
        if tag is None:
            self._stream.seek(len(self.data))
            if start < len(self.data):
                shown = explain_bytes(self.data[start:])
                text = f"{shown}: their types are in declarations that were not captured"
                self.note(name, "values", start, lambda: text)
            raise _Enough
        value = self.value(tag, name)
        self.note(name, "value", start, lambda: explain_part(_TAGGED, TaggedValue(tag, value), field))

    def region(self, name: str, field: str) -> None:
        tag, start = self.tag(_VALUE_TAGS, name), self.at
        self.parsed(self.construct(_BYTE), name, "tag")
        self.note(name, "tag", start, lambda: constant_text(Tag, tag))
        element = self._values[tag]
        width = element.sizeof()
        objects = tag in OBJECT_TAGS
        start = self.at
        count = self.number(name, "count", width + objects)
        self.note(name, "count", start, lambda: str(count))
        if objects:
            for index in range(count):
                self.part(_TAGGED, f"{name}[{index}]", field)
        elif count:
            start = self.at
            first = [self.parsed(element, name, "value") for _ in range(min(count, ITEMS))]
            self._stream.seek(min(start + count * width, len(self.data)))
            more = f", ... {count} in all" if count > ITEMS else ""
            self.note(name, f"{count} values", start, lambda: f"[{', '.join(map(str, first))}{more}]")

    def repeat(self, node: Repeat, name: str, field: str) -> None:
        start = self.at
        count = self.number(name, "count", 1)
        self.note(name, "count", start, lambda: str(count))
        for index in range(count):
            item = f"{name}[{index}]"
            if not isinstance(node.element, Kinds):
                self.part(node.element, item, field)
            elif not self.kind(node.element, item):
                break

    def kind(self, node: Kinds, name: str) -> bool:
        """One of a choice; False if it is unknown and takes the rest."""
        choice, start = node.choice, self.at
        number = self.parsed(self.construct(_BYTE), f"{name}.{choice.SELECTOR}", "byte")
        record = choice.KINDS.get(number)
        if record is None and choice.UNKNOWN is None:
            known = " ".join(map(str, sorted(choice.KINDS)))
            raise self.unfit(f"{name}.{choice.SELECTOR}", start, f"a {choice.SELECTOR}, one of {known}", str(number))
        kind = record.__name__ if record else "unknown"
        self.note(f"{name}.{choice.SELECTOR}", "byte", start, lambda: f"{kind} ({number})")
        if record is not None:
            self.part(layout_of(record), name, "")
            return True
        start = self.at
        self._stream.seek(len(self.data))
        self.note(name, "bytes", start, lambda: explain_bytes(self.data[start:]))
        return False


def _with_article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"

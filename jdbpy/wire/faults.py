"""The exact fault in the bytes of a message.

Owns the search for the first fault. Both codecs only notice that something is wrong, which keeps the good case fast;
then this walks through the layout slowly, part by part, and says which field at which offset has what against it.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from jdbpy.record import Record
from jdbpy.wire.ids import IDSizes
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
    id_code,
    layout_of,
    number_code,
)
from jdbpy.wire.strings import ENCODING_ERRORS


def find_fault(record: type[Record], data: bytes, sizes: IDSizes, tags: Sequence[int] = ()) -> str:
    """Return the first fault in the data of a message: ``frames[3].frameID at offset 45: ...``; empty when it is sound.

    ``tags`` are those of untagged values, as for decoding.
    """
    walk = _FaultWalk(data, sizes, tags)
    try:
        walk.part(layout_of(record), "")
    except _FaultFound as fault:
        return str(fault)
    rest = len(data) - walk.pos
    return f"at offset {walk.pos}: {rest} bytes more than the message has" if rest else ""


class _FaultFound(Exception):
    """Carries the fault's text."""


class _FaultWalk:
    """Goes through data part by part; ``pos`` is the offset of the next byte."""

    def __init__(self, data: bytes, sizes: IDSizes, tags: Sequence[int]) -> None:
        self.data = data
        self.pos = 0
        self.sizes = sizes
        self.tags = iter(tags)

    def part(self, node: LayoutNode, path: str) -> None:
        match node:
            case LayoutNumber() | Identifier():
                self.number(number_code(node, self.sizes), path)
            case LayoutText() | Blob():
                self.counted(node, path)
            case Tagged():
                self.value(self.number("B", path), path)
            case Untagged():
                tag = next(self.tags, None)
                if tag is None or tag == VOID_TAG:
                    raise self.fault(path, self.pos, "its type is not known, and the value comes without its tag")
                self.value(tag, path)
            case Region():
                self.region(path)
            case Repeat():
                self.repeat(node, path)
            case Group():
                for field, part in node.fields:
                    self.part(part, f"{path}.{field}" if path else field)
            case _:
                raise TypeError(f"no way through {node}")

    def fault(self, path: str, offset: int, reason: str) -> _FaultFound:
        return _FaultFound(f"{path} at offset {offset}: {reason}")

    def left(self) -> int:
        return len(self.data) - self.pos

    def number(self, code: str, path: str) -> int:
        width = struct.calcsize(">" + code)
        if self.left() < width:
            raise self.fault(path, self.pos, f"takes {width} bytes, {self.left()} are left")
        (number,) = struct.unpack_from(">" + code, self.data, self.pos)
        self.pos += width
        return int(number) if code not in "fd" else 0

    def count(self, path: str, what: str) -> int:
        """Return a count or a length, which can be no more than the bytes that are left."""
        offset = self.pos
        count = self.number("i", path)
        if count < 0:
            raise self.fault(path, offset, f"its {what} is negative ({count})")
        if count > self.left():
            raise self.fault(path, offset, f"its {what} is {count}, but only {self.left()} bytes are left")
        return count

    def counted(self, node: LayoutText | Blob, path: str) -> None:
        length = self.count(path, "length")
        content = self.data[self.pos : self.pos + length]
        if isinstance(node, LayoutText):
            try:
                content.decode("utf-8", ENCODING_ERRORS)
            except UnicodeDecodeError as error:
                raise self.fault(path, self.pos + error.start, f"not UTF-8 ({content[error.start]:#04x})") from None
        self.pos += length

    def value(self, tag: int, path: str) -> None:
        if tag in OBJECT_TAGS:
            self.number(id_code(self.sizes, "objectIDSize"), path)
        elif tag in VALUE_CODES:
            self.number(VALUE_CODES[tag], path)
        elif tag != VOID_TAG:
            raise self.fault(path, self.pos - 1, f"no type has the tag {tag} ({chr(tag)!a})")

    def region(self, path: str) -> None:
        tag = self.number("B", path)
        if tag not in OBJECT_TAGS and tag not in VALUE_CODES:
            raise self.fault(path, self.pos - 1, f"no element type has the tag {tag} ({chr(tag)!a})")
        for index in range(self.count(path, "count")):
            item = f"{path}[{index}]"
            self.value(self.number("B", item) if tag in OBJECT_TAGS else tag, item)

    def repeat(self, node: Repeat, path: str) -> None:
        for index in range(self.count(path, "count")):
            item = f"{path}[{index}]"
            if not isinstance(node.element, Kinds):
                self.part(node.element, item)
            elif not self.kind(node.element, item):
                break

    def kind(self, node: Kinds, path: str) -> bool:
        """One of a choice; False when it is unknown and takes the rest."""
        kind = self.number("B", path)
        record = node.choice.KINDS.get(kind)
        if record is not None:
            self.part(layout_of(record), path)
            return True
        if node.choice.UNKNOWN is None:
            raise self.fault(path, self.pos - 1, f"no {node.choice.SELECTOR} has the number {kind}")
        self.pos = len(self.data)
        return False

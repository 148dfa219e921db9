"""Random messages of the wire, made from the layouts that the codecs are made from, and ways to spoil bytes."""

from __future__ import annotations

import random
from typing import Any

from jdbpy.record import Record
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

_BITS = {"b": 8, "h": 16, "i": 32, "q": 64}
_TAGS = [*VALUE_CODES, *OBJECT_TAGS]
_CHARACTERS = "aZ/;[L$.\x00\x1b\n\u00ad\u200b\u202eé漢\ud800\udfff\U0001f600"
_INTERESTING = [b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\x80\x00\x00\x00", bytes(4), bytes(8), b"\x00\x01\x00\x00"]


def message(cls: type[Record], sizes: IDSizes, rng: random.Random) -> Any:
    """Return a message of a class with random contents."""
    return _part(layout_of(cls), sizes, rng)


def text(rng: random.Random) -> str:
    """Return a short string of characters that are trouble somewhere."""
    return "".join(rng.choice(_CHARACTERS) for _ in range(rng.randint(0, 6)))


def spoil(data: bytes, rng: random.Random) -> bytes:
    """Return the bytes with some of them flipped, replaced, left out, doubled or added."""
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        at = rng.randint(0, len(changed))
        match rng.randint(0, 4):
            case 0 if changed:
                changed[at % len(changed)] ^= 1 << rng.randint(0, 7)
            case 1:
                piece = rng.choice(_INTERESTING)
                changed[at : at + len(piece)] = piece
            case 2:
                del changed[at : at + rng.randint(1, 8)]
            case 3:
                changed[at:at] = changed[at : at + rng.randint(1, 16)]
            case _:
                changed[at:at] = rng.randbytes(rng.randint(1, 8))
    return bytes(changed)


def _part(node: LayoutNode, sizes: IDSizes, rng: random.Random) -> Any:
    match node:
        case LayoutNumber():
            return _number(node.code, rng)
        case Identifier():
            return rng.choice([0, 1, rng.getrandbits(8 * getattr(sizes, node.family))])
        case LayoutText():
            return text(rng)
        case Blob():
            return rng.randbytes(rng.randint(0, 20))
        case Tagged():
            return _value(rng.choice([*_TAGS, VOID_TAG]), sizes, rng)
        case Untagged():
            return _value(rng.choice(_TAGS), sizes, rng)
        case Region():
            tag = rng.choice(_TAGS)
            count = rng.randint(0, 4)
            if tag in VALUE_CODES:
                return ArrayRegion(tag, [_scalar(tag, sizes, rng) for _ in range(count)])
            return ArrayRegion(tag, [_value(rng.choice(sorted(OBJECT_TAGS)), sizes, rng) for _ in range(count)])
        case Repeat():
            return [_part(node.element, sizes, rng) for _ in range(rng.randint(0, 4))]
        case Group():
            return node.record(*(_part(part, sizes, rng) for _, part in node.fields))
        case Kinds():
            return message(rng.choice(list(node.choice.KINDS.values())), sizes, rng)
        case _:
            raise TypeError(node)


def _number(code: str, rng: random.Random) -> Any:
    if code == "?":
        return rng.random() < 0.5
    if code in "fd":
        return float(rng.randint(-1000, 1000))
    bits = _BITS[code.lower()]
    number = rng.choice([0, 1, rng.getrandbits(bits), (1 << bits - 1) - 1])
    return number - (1 << bits) if code.islower() and number >= 1 << bits - 1 else number


def _scalar(tag: int, sizes: IDSizes, rng: random.Random) -> Any:
    if tag == VOID_TAG:
        return None
    return _number(VALUE_CODES[tag], rng) if tag in VALUE_CODES else rng.getrandbits(8 * sizes.objectIDSize)


def _value(tag: int, sizes: IDSizes, rng: random.Random) -> TaggedValue:
    return TaggedValue(tag, _scalar(tag, sizes, rng))

"""StackMapTable (JVMS 4.7.4) of code whose instructions move: only distances and the places of ``new`` change."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

_SAME_FRAME, _SAME_LOCALS_1, _SAME_LOCALS_1_EXTENDED, _CHOP, _SAME_EXTENDED, _FULL = 63, 127, 247, 250, 251, 255
_OBJECT, _UNINITIALIZED = 7, 8

Move = Callable[[int], int]


class UnknownFrame(Exception):
    """A frame that the specification does not have."""


def shift_frames(content: bytes, target: Move, place: Move) -> bytes:
    """Return the table with its frames at ``target`` of where they were, and objects not initialized from ``place``.

    Raises UnknownFrame, struct.error, IndexError.
    """
    [count] = struct.unpack_from(">H", content, 0)
    at, before, after = 2, -1, -1
    out = [content[:2]]
    for _ in range(count):
        tag = content[at]
        start = at
        at += 1
        if tag <= _SAME_FRAME:
            delta, types, form = tag, b"", "same"
        elif tag <= _SAME_LOCALS_1:
            delta, form = tag - 64, "same_1"
            types, at = _types(content, at, 1, place)
        elif tag < _SAME_LOCALS_1_EXTENDED:
            raise UnknownFrame(f"frame of type {tag} at {start}")
        else:
            [delta] = struct.unpack_from(">H", content, at)
            at += 2
            form, types = "", b""
            if tag == _SAME_LOCALS_1_EXTENDED:
                form = "same_1"
                types, at = _types(content, at, 1, place)
            elif tag <= _CHOP:
                pass
            elif tag == _SAME_EXTENDED:
                form = "same"
            elif tag < _FULL:
                types, at = _types(content, at, tag - _SAME_EXTENDED, place)
            else:
                for _ in ("locals", "stack"):
                    number = content[at : at + 2]
                    more, at = _types(content, at + 2, struct.unpack(">H", number)[0], place)
                    types += number + more
        before += delta + 1
        moved = target(before)
        out.append(_frame(tag, form, moved - after - 1, types))
        after = moved
    if at != len(content):
        raise UnknownFrame("bytes behind the last frame")
    return b"".join(out)


def _frame(tag: int, form: str, delta: int, types: bytes) -> bytes:
    if form == "same":
        return bytes([delta]) if delta <= _SAME_FRAME else struct.pack(">BH", _SAME_EXTENDED, delta)
    if form == "same_1":
        head = bytes([64 + delta]) if delta <= 63 else struct.pack(">BH", _SAME_LOCALS_1_EXTENDED, delta)
        return head + types
    return struct.pack(">BH", tag, delta) + types


def _types(content: bytes, at: int, count: int, place: Move) -> tuple[bytes, int]:
    """Verification types, and the offset behind them."""
    out = []
    for _ in range(count):
        tag = content[at]
        if tag > _UNINITIALIZED:
            raise UnknownFrame(f"verification type {tag}")
        width = 3 if tag in (_OBJECT, _UNINITIALIZED) else 1
        one = content[at : at + width]
        if tag == _UNINITIALIZED:
            [offset] = struct.unpack(">H", one[1:])
            one = struct.pack(">BH", tag, place(offset))
        out.append(one)
        at += width
    return b"".join(out), at


FrameLocals = Mapping[int, str]
"""The kinds of values (I, J, F, D, L, or UNINITIALIZED_THIS) in slots; of those that have one."""

UNINITIALIZED_THIS = "U"

_SLOT_KINDS = {1: "I", 2: "F", 3: "D", 4: "J", 5: "L", 6: UNINITIALIZED_THIS, 7: "L"}


class FullFrame(NamedTuple):
    """A frame with the verification types of all locals and of the operand stack."""

    at: int
    locals: tuple[bytes, ...]
    stack: tuple[bytes, ...] = ()


TOP_TYPE, INT_TYPE, FLOAT_TYPE, DOUBLE_TYPE, LONG_TYPE, THIS_TYPE = (bytes([tag]) for tag in (0, 1, 2, 3, 4, 6))


def object_type(number: int) -> bytes:
    """Return the verification type of a class of the pool."""
    return struct.pack(">BH", _OBJECT, number)


_TYPES = {
    "I": INT_TYPE,
    "F": FLOAT_TYPE,
    "D": DOUBLE_TYPE,
    "J": LONG_TYPE,
    "L": object_type(0),
    UNINITIALIZED_THIS: THIS_TYPE,
}


def read_frames(content: bytes, first: FrameLocals) -> Iterator[tuple[int, FrameLocals]]:
    """Return the code index of each frame of a table and its locals; ``first`` are those at the method's beginning.

    Raises UnknownFrame, struct.error, IndexError.
    """
    types: list[bytes] = []
    for slot, kind in sorted(first.items()):
        types += [TOP_TYPE] * (slot - _width(types))
        types.append(_TYPES[kind])
    for frame in full_frames(content, types):
        yield frame.at, _by_slot(frame.locals)


def _by_slot(types: Sequence[bytes]) -> FrameLocals:
    found: dict[int, str] = {}
    slot = 0
    for each in types:
        kind = _SLOT_KINDS.get(each[0])
        if kind is not None:
            found[slot] = kind
        slot += _width([each])
    return found


def _width(types: Sequence[bytes]) -> int:
    """Return the slots that locals of these types take."""
    return sum(2 if each in (LONG_TYPE, DOUBLE_TYPE) else 1 for each in types)


def full_frames(content: bytes, first: Sequence[bytes]) -> Iterator[FullFrame]:
    """Return the frames of a table; ``first`` are the types of the locals at the method's beginning.

    Raises UnknownFrame, struct.error, IndexError.
    """
    [count] = struct.unpack_from(">H", content, 0)
    at, index, locals_ = 2, -1, list(first)
    for _ in range(count):
        tag = content[at]
        at += 1
        stack: list[bytes] = []
        if tag <= _SAME_LOCALS_1:
            delta = tag % 64
            if tag > _SAME_FRAME:
                at = _split(content, at, 1, stack)
        elif tag < _SAME_LOCALS_1_EXTENDED:
            raise UnknownFrame(f"frame of type {tag}")
        else:
            [delta] = struct.unpack_from(">H", content, at)
            at += 2
            if tag == _SAME_LOCALS_1_EXTENDED:
                at = _split(content, at, 1, stack)
            elif tag <= _CHOP:
                del locals_[max(0, len(locals_) - (_SAME_EXTENDED - tag)) :]
            elif _SAME_EXTENDED < tag < _FULL:
                at = _split(content, at, tag - _SAME_EXTENDED, locals_)
            elif tag == _FULL:
                locals_ = []
                for types in (locals_, stack):
                    [number] = struct.unpack_from(">H", content, at)
                    at = _split(content, at + 2, number, types)
        index += delta + 1
        yield FullFrame(index, tuple(locals_), tuple(stack))


def _same(index: int) -> int:
    return index


def _split(content: bytes, at: int, count: int, types: list[bytes]) -> int:
    """Add verification types to a list, and return the offset behind them."""
    for _ in range(count):
        one, at = _types(content, at, 1, _same)
        types.append(one)
    return at


def with_variable(frame: FullFrame, slot: int, kind: bytes) -> FullFrame:
    """Return the frame with a variable of that type in a slot behind all others. Raises UnknownFrame."""
    width = _width(frame.locals)
    if width > slot:
        raise UnknownFrame("more locals than the method has")
    return frame._replace(locals=(*frame.locals, *([TOP_TYPE] * (slot - width)), kind))


def table_of(frames: Iterable[FullFrame]) -> bytes:
    """Return the content of a StackMapTable with these frames, in the order of their indices."""
    out: list[bytes] = []
    before: FullFrame | None = None
    for each in frames:
        delta = each.at - (before.at if before is not None else -1) - 1
        if before is not None and each.locals == before.locals and len(each.stack) < 2:
            out.append(_frame(0, "same_1" if each.stack else "same", delta, b"".join(each.stack)))
        else:
            types = struct.pack(">H", len(each.locals)) + b"".join(each.locals)
            types += struct.pack(">H", len(each.stack)) + b"".join(each.stack)
            out.append(_frame(_FULL, "", delta, types))
        before = each
    return struct.pack(">H", len(out)) + b"".join(out)

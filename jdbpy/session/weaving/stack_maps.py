"""StackMapTable (JVMS 4.7.4) of code whose instructions move: only distances and the places of ``new`` change."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping

_SAME_FRAME, _SAME_LOCALS_1, _SAME_LOCALS_1_EXTENDED, _CHOP, _SAME_EXTENDED, _FULL = 63, 127, 247, 250, 251, 255
_OBJECT, _UNINITIALIZED = 7, 8

Move = Callable[[int], int]


class UnknownFrame(Exception):
    """A frame that the specification does not have."""


def shift_frames(content: bytes, target: Move, place: Move) -> bytes:
    """The table with its frames at ``target`` of where they were, and objects not initialized from ``place``.

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


def read_frames(content: bytes, first: FrameLocals) -> Iterator[tuple[int, FrameLocals]]:
    """The code index of each frame of a table and the locals in it; ``first`` are those at the method's beginning.

    Raises UnknownFrame, struct.error, IndexError.
    """
    [count] = struct.unpack_from(">H", content, 0)
    locals_ = [(slot, kind) for slot, kind in sorted(first.items())]
    at, index = 2, -1
    for _ in range(count):
        tag = content[at]
        at += 1
        if tag <= _SAME_LOCALS_1:
            delta = tag % 64
            at = at if tag <= _SAME_FRAME else _types(content, at, 1, _same)[1]
        elif tag < _SAME_LOCALS_1_EXTENDED:
            raise UnknownFrame(f"frame of type {tag}")
        else:
            [delta] = struct.unpack_from(">H", content, at)
            at += 2
            if tag == _SAME_LOCALS_1_EXTENDED:
                at = _types(content, at, 1, _same)[1]
            elif tag <= _CHOP:
                locals_ = locals_[: max(0, len(locals_) - (_SAME_EXTENDED - tag))]
            elif _SAME_EXTENDED < tag < _FULL:
                at = _more_locals(content, at, tag - _SAME_EXTENDED, locals_)
            elif tag == _FULL:
                locals_ = []
                [number] = struct.unpack_from(">H", content, at)
                at = _more_locals(content, at + 2, number, locals_)
                [number] = struct.unpack_from(">H", content, at)
                at = _types(content, at + 2, number, _same)[1]
        index += delta + 1
        yield index, {slot: kind for slot, kind in locals_ if kind}


def _more_locals(content: bytes, at: int, count: int, locals_: list[tuple[int, str]]) -> int:
    """Add locals of a frame to those before them, and return the offset behind them."""
    slot = locals_[-1][0] + (2 if locals_[-1][1] in ("J", "D") else 1) if locals_ else 0
    for _ in range(count):
        tag = content[at]
        kind = _SLOT_KINDS.get(tag, "")
        locals_.append((slot, kind))
        slot += 2 if kind in ("J", "D") else 1
        at = _types(content, at, 1, _same)[1]
    return at


def _same(index: int) -> int:
    return index

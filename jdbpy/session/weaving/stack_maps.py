"""StackMapTable (JVMS 4.7.4) of code whose instructions move: only distances and the places of ``new`` change."""

from __future__ import annotations

import struct
from collections.abc import Callable

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

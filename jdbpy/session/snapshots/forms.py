"""The bytes of the wire that snapshots take apart without decoding them: values, ids, frames. Pure.

Owns the kinds of entries in the file. An entry holds an answer: two bytes of error code, then the body of the reply; a
few hold less than a question asks for, or more, and ``answering`` makes the answer of them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from jdbpy.errors import ProtocolError
from jdbpy.session.answer_stream import (
    ERROR as ERROR,
    FRAME as FRAME,
    ID as ID,
    INT as INT,
    NULL as NULL,
    OK as OK,
    count_at as count_at,
    kind_of as kind_of,
    text_body as text_body,
)
from jdbpy.session.jvm.refs import MASKED_ID
from jdbpy.wire.constants import Tag
from jdbpy.wire.layout import OBJECT_TAGS

SLOT = struct.Struct(">iB")
SLOT_ANSWER = struct.Struct(">iBHB")
"""Slot, tag of the variable, error code, length of the tagged value that follows."""

TOGETHER = b"\0"
"""The entry of a frame: the slots as they were asked (count, slot and tag of each), and the values of all."""
APART = b"\1"
"""The same: of each slot a SLOT_ANSWER and its value."""

LAYOUTS = 0x10000
"""By type: the ids of its objects' fields, in the order of the values in the entries of objects."""
SOURCES = 0x10001
"""By ``class name, NUL, source file``: the path, NUL and the text of a source file that was at hand."""

RECORDED = 0x10002
"""By number: the lines of a file of recorded calls."""

SIZES = {ord(tag): size for tag, size in zip("BCDFIJSZV", (1, 2, 8, 4, 4, 8, 2, 1, 0), strict=True)}
"""Bytes of a value by its tag; an object's is an id of 8."""

MASKED_TEXT = "<masked>"
MASKED_VALUE = bytes([Tag.STRING]) + ID.pack(MASKED_ID)


def size_of(tag: int) -> int:
    """Bytes of a value with that tag. Raises ProtocolError for a tag that does not exist."""
    size = SIZES.get(tag)
    if size is not None:
        return size
    if tag in OBJECT_TAGS:
        return 8
    raise ProtocolError(f"a value of unknown kind ({tag})")


def tagged_values(data: bytes, at: int, count: int) -> Iterator[bytes]:
    """Values with their tags, each as its bytes. Raises ProtocolError when there are fewer."""
    for _ in range(count):
        if at >= len(data):
            raise ProtocolError("fewer values than there should be")
        end = at + 1 + size_of(data[at])
        if end > len(data):
            raise ProtocolError("a value is cut off")
        yield data[at:end]
        at = end

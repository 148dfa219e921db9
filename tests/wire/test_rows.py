"""Records held as the bytes of their rows are the same records."""

from __future__ import annotations

import pytest

from jdbpy.wire.codec import Codec, GeneratedCodec
from jdbpy.wire.ids import CodeLocation, FrameID, IDSizes, MethodID, ReferenceTypeID
from jdbpy.wire.lazy_records import Rows
from jdbpy.wire.messages.thread_reference import Frame, FramesReply
from jdbpy.wire.reference import ReferenceCodec
from tests.fakes.frames import frames_reply


def _frame(number: int, place: int) -> Frame:
    return Frame(FrameID(number), CodeLocation(1, ReferenceTypeID(place), MethodID(7), -place))


RECORDS = [_frame(number, number % 3) for number in range(10)]
ROWS = frames_reply(*RECORDS).frames


def test_they_are_read_as_a_list_is() -> None:
    assert len(ROWS) == 10
    assert list(ROWS) == RECORDS
    assert (ROWS[0], ROWS[-1]) == (RECORDS[0], RECORDS[-1])
    assert list(ROWS[2:8]) == RECORDS[2:8]
    assert list(ROWS[8:2:-3]) == RECORDS[8:2:-3]
    assert list(reversed(ROWS)) == RECORDS[::-1]
    assert RECORDS[3] in ROWS
    assert list(ROWS[2:8][1:-1][9:]) == list(ROWS[5:2]) == list(ROWS[:0].halves()) == []
    assert list(ROWS[2:8][1:-1]) == RECORDS[3:7]
    assert [first for first, _ in ROWS[2:8][1:-1].halves()] == [each.frameID for each in RECORDS[3:7]]
    with pytest.raises(IndexError):
        ROWS[10]


def test_they_equal_a_list_of_equal_records() -> None:
    assert ROWS == RECORDS
    assert RECORDS == ROWS
    assert frames_reply(*RECORDS).frames == ROWS
    assert ROWS[1:] != RECORDS
    assert [*RECORDS[1:], _frame(99, 0)] != ROWS
    assert repr(ROWS[:1]) == f"Rows({RECORDS[:1]})"


def test_the_first_field_stands_apart_from_the_others() -> None:
    halves = list(ROWS.halves())
    assert [first for first, _ in halves] == [each.frameID for each in RECORDS]
    others = [rest for _, rest in halves]
    assert others[:3] == others[3:6]
    assert len(set(others)) == 3


@pytest.mark.parametrize("codec", [GeneratedCodec(), ReferenceCodec()], ids=["generated", "construct"])
@pytest.mark.parametrize("sizes", [IDSizes(), IDSizes(frameIDSize=4, methodIDSize=4)], ids=["8 bytes", "4 bytes"])
def test_both_codecs_make_them(codec: Codec, sizes: IDSizes) -> None:
    reply = FramesReply(ROWS)
    decoded = codec.decode(FramesReply, codec.encode(reply, sizes), sizes)
    assert isinstance(decoded.frames, Rows)
    assert decoded == reply
    assert list(decoded.frames) == RECORDS
    assert list(decoded.frames.halves())[1][0] == RECORDS[1].frameID
    assert codec.decode(FramesReply, bytes(4), sizes).frames == []

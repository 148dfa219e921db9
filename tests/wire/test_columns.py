"""Records held by column are the same records."""

from __future__ import annotations

import pytest

from jdbpy.wire.codec import GeneratedCodec
from jdbpy.wire.ids import ReferenceTypeID
from jdbpy.wire.lazy_records import Columns
from jdbpy.wire.messages.virtual_machine import AllClassesWithGenericReply, ClassInfoWithGeneric
from jdbpy.wire.reference import ReferenceCodec


def _listed(number: int) -> ClassInfoWithGeneric:
    return ClassInfoWithGeneric(1, ReferenceTypeID(number), f"LC{number};", "<T:>" * (number % 2), 7)


RECORDS = [_listed(number) for number in range(10)]
COLUMNS = Columns.of(ClassInfoWithGeneric, RECORDS)


def test_they_are_read_as_a_list_is() -> None:
    assert len(COLUMNS) == 10
    assert list(COLUMNS) == RECORDS
    assert (COLUMNS[0], COLUMNS[-1]) == (RECORDS[0], RECORDS[-1])
    assert list(COLUMNS[2:8:3]) == RECORDS[2:8:3]
    assert list(reversed(COLUMNS)) == RECORDS[::-1]
    assert RECORDS[3] in COLUMNS
    assert COLUMNS.index(RECORDS[3]) == 3
    with pytest.raises(IndexError):
        COLUMNS[10]


def test_a_column_is_the_values_of_one_field() -> None:
    assert COLUMNS.column("signature") == [each.signature for each in RECORDS]
    assert COLUMNS[4:6].column("typeID") == [4, 5]


def test_they_equal_a_list_of_equal_records() -> None:
    assert COLUMNS == RECORDS
    assert RECORDS == COLUMNS
    assert Columns.of(ClassInfoWithGeneric, RECORDS) == COLUMNS
    assert RECORDS[1:] != COLUMNS
    assert [*RECORDS[1:], _listed(99)] != COLUMNS
    assert COLUMNS != "text"
    assert repr(COLUMNS[:1]) == f"Columns({RECORDS[:1]})"


@pytest.mark.parametrize("codec", [GeneratedCodec(), ReferenceCodec()], ids=["generated", "construct"])
def test_both_codecs_make_them(codec: GeneratedCodec | ReferenceCodec) -> None:
    reply = AllClassesWithGenericReply(COLUMNS)
    decoded = codec.decode(AllClassesWithGenericReply, codec.encode(reply))
    assert isinstance(decoded.classes, Columns)
    assert decoded == reply
    assert codec.decode(AllClassesWithGenericReply, bytes(4)).classes == []

"""The list of classes: in order, chosen from, and each record made when it is looked at."""

from __future__ import annotations

import pytest

from jdbpy.session.inspect.class_list import ClassList, class_list
from jdbpy.session.model.classes import ClassInfo
from jdbpy.wire.ids import ReferenceTypeID
from jdbpy.wire.lazy_records import Columns
from jdbpy.wire.messages.virtual_machine import ClassInfoWithGeneric

TOLD = [
    (1, "Lshop/Order$Line;", "", 7),
    (3, "[I", "", 0),
    (2, "Lshop/Priced;", "<T:Ljava/lang/Object;>Ljava/lang/Object;", 3),
    (1, "Lshop/Order;", "", 7),
    (1, "Lshop/T$$Lambda.0x07;", "", 8),
    (3, "[[Lshop/Order;", "", 0),
    (9, "odd", "", 0),
    (1, "", "", 0),
]
LISTED = Columns.of(
    ClassInfoWithGeneric,
    (ClassInfoWithGeneric(tag, ReferenceTypeID(at), *rest) for at, (tag, *rest) in enumerate(TOLD, 10)),  # type: ignore[arg-type]
)
INFOS = [
    ClassInfo(17, "", "class", "", "", ""),
    ClassInfo(11, "int[]", "array", "[I", "", ""),
    ClassInfo(16, "odd", "class", "odd", "", ""),
    ClassInfo(13, "shop.Order", "class", "Lshop/Order;", "", "verified prepared initialized"),
    ClassInfo(10, "shop.Order$Line", "class", "Lshop/Order$Line;", "", "verified prepared initialized"),
    ClassInfo(15, "shop.Order[][]", "array", "[[Lshop/Order;", "", ""),
    ClassInfo(12, "shop.Priced", "interface", TOLD[2][1], TOLD[2][2], "verified prepared"),
    ClassInfo(14, "shop.T$$Lambda/0x07", "class", "Lshop/T$$Lambda.0x07;", "", "error"),
]


def test_all_by_name() -> None:
    found = class_list(LISTED)
    assert found == INFOS
    assert found == INFOS
    assert found.names == [info.name for info in INFOS]


def test_it_is_read_as_a_list_is() -> None:
    found = class_list(LISTED)
    assert len(found) == len(INFOS)
    assert [found[place] for place in range(-8, 8)] == [*INFOS, *INFOS]
    assert isinstance(found[2:5], ClassList)
    assert found[2:5] == INFOS[2:5]
    assert found[::-1] == INFOS[::-1]
    assert found[2:5][1] == INFOS[3]
    assert INFOS[3] in found
    assert found != INFOS[1:]
    assert found != INFOS[::-1]
    assert found != ()
    assert repr(found[1:2]) == f"ClassList({INFOS[1:2]})"
    for place in (8, -9):
        with pytest.raises(IndexError):
            found[place]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("shop.Order", ["shop.Order", "shop.Order$Line", "shop.Order[][]"]),
        ("*Order", ["shop.Order"]),
        ("order", ["shop.Order", "shop.Order$Line", "shop.Order[][]"]),
        ("oRder", []),
        ("*.order", ["shop.Order"]),
        ("*.oRder", []),
        ("int??", ["int[]"]),
        (" ", [info.name for info in INFOS]),
    ],
)
def test_those_that_fit(pattern: str, names: list[str]) -> None:
    assert class_list(LISTED, pattern).names == names


def test_those_with_certain_ids() -> None:
    assert class_list(LISTED, ids={13, 11, 99}) == [INFOS[1], INFOS[3]]
    assert class_list(LISTED, "order", {13, 11}) == [INFOS[3]]
    assert class_list(LISTED, ids=set()) == []

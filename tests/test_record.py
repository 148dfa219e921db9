"""Record, the base of plain data: how it is made, compared, copied and matched."""

from __future__ import annotations

import pytest

from jdbpy.record import Record


class BreakpointBase(Record):
    x: int
    y: int = 0


class Named(BreakpointBase):
    name: str = ""


def test_match_takes_fields_by_position_inherited_ones_first() -> None:
    match Named(1, 2, "a"):
        case Named(x, y, name):
            assert (x, y, name) == (1, 2, "a")


def test_replace_gives_a_record_of_the_same_class() -> None:
    named = Named(1, name="a")
    copy = named.replace(y=5)
    assert copy == Named(1, 5, "a") and named.y == 0
    assert copy.name == "a"  # of the class itself: a type checker knows the field


def test_replace_refuses_what_is_no_field() -> None:
    with pytest.raises(TypeError, match="z"):
        BreakpointBase(1).replace(z=1)

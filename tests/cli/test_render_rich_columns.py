"""Which columns a table shows, and how wide, at every width."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from jdbpy.cli.output.columns import GAP, Fitted, fit
from jdbpy.cli.output.pieces import Column

COLUMNS = [
    Column("", least=1),
    Column("id", least=4, right=True),
    Column("name", least=8),
    Column("group", least=6, spare=True),
    Column("state", least=8, fold=True),
    Column("place", least=20, drop=1, fold=True),
]
NATURAL = [1, 5, 30, 10, 20, 60]


def shown(width: int, natural: list[int] = NATURAL) -> dict[int, int]:
    return {column.index: column.width for column in fit(COLUMNS, natural, width)}


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (200, {0: 1, 1: 5, 2: 30, 3: 10, 4: 20, 5: 60}),  # as wide as they need
        (136, {0: 1, 1: 5, 2: 30, 3: 10, 4: 20, 5: 60}),
        (135, {0: 1, 1: 5, 2: 30, 4: 20, 5: 60}),  # the group is left out first
        (114, {0: 1, 1: 5, 2: 30, 4: 20, 5: 50}),  # then the widest gives way
        (80, {0: 1, 1: 5, 2: 23, 4: 20, 5: 23}),
        (49, {0: 1, 1: 4, 2: 8, 4: 8, 5: 20}),  # until all are as narrow as they may
        (40, {0: 1, 1: 5, 2: 14, 4: 14}),  # then the place is left out
        (20, {0: 1, 1: 4, 2: 4, 4: 5}),  # and what must stay is squeezed
    ],
)
def test_widths(width: int, expected: dict[int, int]) -> None:
    assert shown(width) == expected


def test_columns_without_text_take_no_room() -> None:
    assert shown(200, [0, 5, 30, 0, 20, 0]) == {1: 5, 2: 30, 4: 20}


@given(
    st.lists(st.integers(0, 120), min_size=len(COLUMNS), max_size=len(COLUMNS)),
    st.integers(20, 300),
)
def test_a_table_never_is_wider_than_the_terminal(natural: list[int], width: int) -> None:
    fitted = fit(COLUMNS, natural, width)
    assert sum(column.width for column in fitted) + GAP * max(0, len(fitted) - 1) <= width
    assert all(0 < column.width <= natural[column.index] for column in fitted)
    if sum(natural) + GAP * (len(COLUMNS) - 1) <= width:
        assert fitted == [Fitted(index, needed) for index, needed in enumerate(natural) if needed]

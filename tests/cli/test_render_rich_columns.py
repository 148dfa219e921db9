"""Which columns a table shows, and how wide, at every width; where a sentence is broken."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from jdbpy.cli.output.columns import GAP, Fitted, broken, fit, with_packages
from jdbpy.cli.output.pieces import Column, CutPieces, Pieces, RowPieces, Sentence, TablePieces, faint, package, piece
from jdbpy.cli.output.plain import plain_lines

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


def lines_of(sentence: Sentence, columns: int | None) -> list[str]:
    return [line.text for line in broken(sentence, columns)]


LOST = Sentence(piece("error:", "error") + " no source of the class is known, so that nothing is shown", "    ")


def test_a_sentence_is_broken_between_words_and_keeps_its_styles() -> None:
    assert [line.pieces for line in broken(LOST, 30)] == [
        (("error:", "error"), (" no source of the class", "plain")),
        (("    ", "plain"), ("is known, so that nothing", "plain")),
        (("    ", "plain"), ("is shown", "plain")),
    ]


@pytest.mark.parametrize("columns", [None, 64, 200])
def test_a_sentence_that_fits_stays_whole(columns: int | None) -> None:
    assert lines_of(LOST, columns) == ["error: no source of the class is known, so that nothing is shown"]


def test_a_sentence_that_is_hard_to_read_in_one_line() -> None:
    sentence = Sentence(faint("  a word and another"), "    ", most=20)
    assert lines_of(sentence, None) == lines_of(sentence, 100) == ["  a word and another"]
    sentence = sentence.replace(line=faint("  a word and another one"))
    assert lines_of(sentence, None) == lines_of(sentence, 100) == ["  a word and another", "    one"]


@given(st.text(st.sampled_from("ab \t-\x1b\u202e"), max_size=90), st.integers(1, 60))
def test_no_word_of_a_sentence_is_lost_or_broken(text: str, columns: int) -> None:
    whole = "".join(lines_of(Sentence(text), None))
    lines = lines_of(Sentence(text), columns)
    assert " ".join(lines).split() == whole.split()
    assert all(len(line) <= max(columns, 20) or len(line.split()) == 1 for line in lines)
    assert "\x1b" not in whole


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        ("fit", "com.acme.shop.Order.total"),
        ("full", "com.acme.shop.Order.total"),
        ("short", "c.a.s.Order.total"),
        ("none", "Order.total"),
    ],
)
def test_packages_are_as_the_setting_wants_them(wanted: str, shown: str) -> None:
    line = package("com.acme.shop.") + "Order.total"
    rows = RowPieces([["1", line]])
    parts: tuple[Pieces | Sentence | CutPieces | RowPieces | TablePieces, ...] = (
        line,
        Sentence(line),
        CutPieces(line),
        rows,
        TablePieces((Column("n"), Column("m")), rows.rows),
    )
    found = list(plain_lines(with_packages(iter(parts), wanted), None))
    assert [each.split()[-1] for each in found] == [shown] * len(parts)
    [narrow] = plain_lines(with_packages(iter([CutPieces(line)]), wanted), 24)
    assert narrow == {"fit": "c.acme.shop.Order.total", "full": "com.acme.shop.Order.tot…"}.get(wanted, shown)

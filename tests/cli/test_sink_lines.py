"""Whole lines out of pieces, however the pieces are cut."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from jdbpy.cli.repl.sink import LineGatherer


@pytest.mark.parametrize(
    ("pieces", "lines", "rest"),
    [
        (["a\n"], ["a"], []),
        (["a", "b\nc\n", "d"], ["ab", "c"], ["d"]),
        (["a\r\nb\r\n"], ["a", "b"], []),
        (["a\r", "\nb\n"], ["a", "b"], []),
        (["a\r", "b\n"], ["a", "b"], []),
        (["10%\r20%\r", "30%\n"], ["10%", "20%", "30%"], []),
        (["a\r"], [], ["a"]),
        (["\n\n"], ["", ""], []),
        ([""], [], []),
    ],
)
def test_lines(pieces: list[str], lines: list[str], rest: list[str]) -> None:
    gatherer = LineGatherer()
    assert [line for piece in pieces for line in gatherer.feed("stdout", piece)] == lines
    assert [text for _, text in gatherer.rest()] == rest
    assert not gatherer.pending


def test_a_line_that_never_ends_is_shown_in_parts() -> None:
    gatherer = LineGatherer(longest=5)
    assert gatherer.feed("stdout", "01234567") == ["01234"]
    assert gatherer.feed("stdout", "89abc") == ["56789"]
    assert gatherer.feed("stdout", "\n") == ["abc"]


def test_streams_are_kept_apart() -> None:
    gatherer = LineGatherer()
    assert gatherer.feed("stdout", "out ") == []
    assert gatherer.feed("stderr", "err ") == []
    assert gatherer.pending
    assert gatherer.feed("stdout", "more\n") == ["out more"]
    assert gatherer.rest() == [("stderr", "err ")]
    assert gatherer.rest() == []


@given(st.lists(st.text(alphabet="ab\r\n", max_size=6), max_size=8))
def test_the_cut_makes_no_difference(pieces: list[str]) -> None:
    whole, cut = LineGatherer(), LineGatherer()
    expected = whole.feed("stdout", "".join(pieces))
    got = [line for piece in pieces for line in cut.feed("stdout", piece)]
    assert (got, cut.rest()) == (expected, whole.rest())

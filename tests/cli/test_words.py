"""The lexer of command lines."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from jdbpy.cli.words import next_word, split_words
from jdbpy.errors import UsageError


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", []),
        ("   ", []),
        ("a", ["a"]),
        ("  a\tb  ", ["a", "b"]),
        ('thread "my thread" x', ["thread", "my thread", "x"]),
        ("'it is' \"one\"two", ["it is", "onetwo"]),
        ('""', [""]),
        ("a'b c'd", ["ab cd"]),
    ],
)
def test_words(line: str, words: list[str]) -> None:
    assert [word.text for word in split_words(line)] == words


def test_an_open_quote_is_an_error_with_a_hint() -> None:
    with pytest.raises(UsageError, match="a quote is not closed") as caught:
        split_words('thread "x')
    assert caught.value.hint


@given(st.text())
def test_words_cover_the_line_in_order(line: str) -> None:
    position = 0
    while word := next_word(line, position):
        assert position <= word.start < word.end <= len(line)
        assert not line[position : word.start].strip()
        position = word.end
    assert not line[position:].strip()

"""The screen that the tests look at is itself right."""

from __future__ import annotations

import pytest

from tests.cli.screen import Screen


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("abc\r\ndef", "abc\ndef"),
        ("abc\rX", "Xbc"),
        ("abcdefghijKL", "abcdefghij\nKL"),
        ("abc\x1b[2DX", "aXc"),
        ("a\x1b[3Cb", "a   b"),
        ("one\r\ntwo\x1b[A\rX", "Xne\ntwo"),
        ("one\r\ntwo\x1b[1A\r\x1b[J", ""),
        ("one\r\ntwo\x1b[1A\x1b[2G\x1b[K!", "o!\ntwo"),
        ("\x1b[1;31mred\x1b[0m\x1b[?25l\x1b[?2004h", "red"),
        ("a  \r\nb", "a\nb"),
        ("one\r\ntwo\x1b[HX", "Xne\ntwo"),
        ("one\x1b[3;2HX", "one\n\n X"),
        ("one\r\ntwo\x1bM\rX\x1bM\rnew", "new\nXne\ntwo"),
        ("one\r\ntwo\x1b[2J\x1b[Hx", "x\n"),
    ],
)
def test_codes(data: str, text: str) -> None:
    whole, bytewise = Screen(10, 5), Screen(10, 5)
    whole.feed(data)
    for character in data:
        bytewise.feed(character)
    assert whole.text == bytewise.text == text


def test_the_cursor() -> None:
    screen = Screen(10, 5)
    screen.feed("one\r\n> tw")
    assert screen.cursor_line == "> tw"
    screen.feed("\x1b[A")
    assert screen.cursor_line == "one"


def test_a_code_that_it_does_not_know() -> None:
    with pytest.raises(AssertionError, match="does not know"):
        Screen(10, 5).feed("\x1b[5Z")

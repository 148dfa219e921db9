"""How many rows a text takes, and whether it fits on the screen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jdbpy.cli.repl.terminal import fitting, rows


@pytest.mark.parametrize(
    ("line", "columns", "expected"),
    [
        ("", 80, 1), ("a", 80, 1), ("a" * 80, 80, 1), ("a" * 81, 80, 2), ("a" * 161, 80, 3), ("abc\n", 3, 1),
        ("\x1b[1;31mabc\x1b[0m", 3, 1), ("日本語", 6, 1), ("日本語", 5, 2), ("e\u0301" * 4, 4, 1),
    ],
)  # fmt: skip
def test_rows(line: str, columns: int, expected: int) -> None:
    assert rows(line, columns) == expected


@pytest.mark.parametrize("text", ["", "one\n", "1\n2\n3\n", "x" * 30 + "\n", "\n\n\n"])
def test_what_fits_comes_back_as_text(text: str) -> None:
    assert fitting([text], 10, 3) == text


@pytest.mark.parametrize("text", ["1\n2\n3\n4\n", "x" * 31 + "\n", "\n\n\n\n"])
def test_what_does_not_fit_comes_back_whole(text: str) -> None:
    rest = fitting([text], 10, 3)
    assert not isinstance(rest, str)
    assert "".join(rest) == text


def test_no_more_is_made_than_is_looked_at() -> None:
    made = 0

    def endless() -> Iterator[str]:
        nonlocal made
        while True:
            made += 1
            yield "line\nline\n"

    rest = fitting(endless(), 80, 10)
    assert not isinstance(rest, str)
    assert made == 6
    assert next(rest) == "line\nline\n"
    assert made == 6

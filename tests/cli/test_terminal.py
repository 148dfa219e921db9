"""What a terminal can do: tables of TERM, NO_COLOR, --color and the kinds of standard streams."""

from __future__ import annotations

import io
import os
import pty
import termios
from collections.abc import Iterator
from typing import TextIO

import pytest

from jdbpy.cli.repl.terminal import can_edit, restored_modes, wants_color


@pytest.fixture
def tty() -> Iterator[TextIO]:
    master, slave = pty.openpty()
    with open(slave, encoding="utf-8") as stream:
        yield stream
    os.close(master)


PIPE = io.StringIO()


@pytest.mark.parametrize(
    ("choice", "on_tty", "environ", "colored"),
    [
        ("auto", True, {"TERM": "xterm-256color"}, True),
        ("auto", True, {"TERM": "linux"}, True),
        ("auto", True, {"TERM": "dumb"}, False),
        ("auto", True, {"TERM": "DUMB"}, False),
        ("auto", True, {}, False),
        ("auto", True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        ("auto", True, {"TERM": "xterm", "NO_COLOR": ""}, True),
        ("auto", False, {"TERM": "xterm"}, False),
        ("always", True, {"TERM": "dumb", "NO_COLOR": "1"}, True),
        ("always", False, {}, True),
        ("never", True, {"TERM": "xterm"}, False),
    ],
)
def test_color(tty: TextIO, choice: str, on_tty: bool, environ: dict[str, str], colored: bool) -> None:
    assert wants_color(choice, tty if on_tty else PIPE, environ) is colored


@pytest.mark.parametrize(
    ("stdin_tty", "stdout_tty", "term", "editing"),
    [
        (True, True, "xterm", True),
        (True, True, "dumb", False),
        (True, True, "", False),
        (True, False, "xterm", False),
        (False, True, "xterm", False),
    ],
)
def test_line_editing(tty: TextIO, stdin_tty: bool, stdout_tty: bool, term: str, editing: bool) -> None:
    assert can_edit(tty if stdin_tty else PIPE, tty if stdout_tty else PIPE, {"TERM": term}) is editing


def test_modes_are_restored_whatever_happens(tty: TextIO) -> None:
    before = termios.tcgetattr(tty)
    with pytest.raises(ValueError, match="in the middle"), restored_modes(tty):
        raw = termios.tcgetattr(tty)
        raw[3] &= ~(termios.ECHO | termios.ICANON)
        termios.tcsetattr(tty, termios.TCSANOW, raw)
        raise ValueError("in the middle")
    assert termios.tcgetattr(tty) == before


def test_without_a_terminal_there_is_nothing_to_restore() -> None:
    with restored_modes(PIPE):
        pass

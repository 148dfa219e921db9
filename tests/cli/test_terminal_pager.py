"""Which pager is run, and how much it is given. What it does is shown on a pseudo-terminal, in test_repl_look."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from jdbpy import ClassInfo
from jdbpy.cli.commands.classes import Classes
from jdbpy.cli.output.plain import PlainRenderer
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.output.terminal import RichRenderer
from jdbpy.cli.repl import terminal_pager
from jdbpy.cli.repl.terminal import fitting
from jdbpy.cli.repl.terminal_pager import page_through, pager_command
from jdbpy.cli.settings import Settings
from tests.harness import LIMIT, within


@pytest.fixture
def programs(tmp_path: Path) -> str:
    """A directory with a ``less`` and a ``most``."""
    for name in ("less", "most"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    return str(tmp_path)


@pytest.mark.parametrize(
    ("pager", "command"),
    [
        ("", ["less", "-R", "-K", "-X"]),
        ("less", ["less", "-R", "-K", "-X"]),
        ("less -S", ["less", "-S"]),
        ("most", ["most"]),
        ("most -w 'a b'", ["most", "-w", "a b"]),
        ("absent", []),
    ],
)
def test_command(programs: str, pager: str, command: list[str]) -> None:
    got = pager_command({"PATH": programs, "PAGER": pager})
    assert [word.removeprefix(programs + "/") for word in got] == command


def test_without_any(tmp_path: Path) -> None:
    assert pager_command({"PATH": str(tmp_path)}) == []


LINES = 100_000

FIRST_PAGE_THEN_THE_REST = """
import pathlib, sys
first = [sys.stdin.buffer.readline() for _ in range(40)]
pathlib.Path(sys.argv[1]).write_bytes(b"".join(first))
rest = sum(1 for _ in sys.stdin.buffer)
pathlib.Path(sys.argv[2]).write_text(str(rest))
"""


async def test_the_first_page_is_there_long_before_the_last_line_is_made(tmp_path: Path) -> None:
    """The pipe holds 64 KB, so that whoever makes the text is held up by a reader who has seen no more than a page."""
    script, first, rest = (tmp_path / name for name in ("pager.py", "first", "rest"))
    script.write_text(FIRST_PAGE_THEN_THE_REST)
    shown_at_half: list[str] = []

    def lines() -> Iterator[str]:
        for number in range(LINES):
            if number == LINES // 2:
                shown_at_half.extend(first.read_text().splitlines())
            yield f"line {number:06} of a long text\n"

    with within(LIMIT):
        await page_through([sys.executable, str(script), str(first), str(rest)], lines())
    assert shown_at_half[0] == "line 000000 of a long text"
    assert len(shown_at_half) == 40
    assert rest.read_text() == str(LINES - 40)


async def test_what_the_reader_never_looks_at_is_never_made(tmp_path: Path) -> None:
    script = tmp_path / "pager.py"
    script.write_text("import sys; sys.stdin.readline()")
    made = 0

    def lines() -> Iterator[str]:
        nonlocal made
        for made in range(1, LINES + 1):
            yield f"line {made:06} of a long text\n"

    with within(LIMIT):
        await page_through([sys.executable, str(script)], lines())
    assert 0 < made < LINES


async def test_a_pager_that_does_not_leave_is_killed_and_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal_pager, "_PATIENCE", 0.1)
    pager = [sys.executable, "-c", _STUBBORN, str(tmp_path / "pid")]
    with within(LIMIT):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(page_through, pager, ["text\n"])
            while not (tmp_path / "pid").exists():
                await trio.lowlevel.checkpoint()
            nursery.cancel_scope.cancel()
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)  # neither running nor a zombie


_STUBBORN = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
with open(sys.argv[1] + ".new", "w") as file:
    file.write(str(os.getpid()))
os.rename(sys.argv[1] + ".new", sys.argv[1])
while True:
    signal.pause()
"""


@pytest.mark.parametrize("renderer", [PlainRenderer, RichRenderer])
def test_a_long_result_is_drawn_no_further_than_is_shown(renderer: type[PlainRenderer]) -> None:
    drawn = 0

    class Long(tuple[ClassInfo, ...]):
        __slots__ = ()

        def __iter__(self) -> Iterator[ClassInfo]:
            nonlocal drawn
            for drawn in range(1, LINES + 1):
                yield ClassInfo(drawn, f"com.acme.C{drawn}", "class", f"Lcom/acme/C{drawn};")

    outcome = Outcome("classes", None, Classes("", Long()))
    begun = fitting(renderer(Settings()).parts(outcome), 80, 24)
    assert not isinstance(begun, str)
    first = "com.acme.\x1b[0mC1" if renderer is RichRenderer else "com.acme.C1\n"
    assert first in next(begun)
    assert drawn < 1_000

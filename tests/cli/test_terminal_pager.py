"""Which pager is run. What it does is shown on a pseudo-terminal, in test_repl_look."""

from __future__ import annotations

from pathlib import Path

import pytest

from jdbpy.cli.repl.terminal_pager import pager_command


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

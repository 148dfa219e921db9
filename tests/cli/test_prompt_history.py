"""The history file: its place, its mode, its length, and what becomes of a home that cannot be written."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from jdbpy.cli.repl.prompt_line import LineHistory, history_path
from tests.cli.prompt import attached
from tests.harness import Jvm


@pytest.mark.parametrize(
    ("environ", "path"),
    [
        ({"HOME": "/home/ann"}, "/home/ann/.local/state/jdbpy/history"),
        ({"HOME": "/home/ann", "XDG_STATE_HOME": "/state"}, "/state/jdbpy/history"),
        ({"HOME": "/home/ann", "XDG_STATE_HOME": "relative"}, "/home/ann/.local/state/jdbpy/history"),
        ({"XDG_STATE_HOME": "/state"}, "/state/jdbpy/history"),
        ({"HOME": ""}, None),
        ({}, None),
    ],
)
def test_place(environ: dict[str, str], path: str | None) -> None:
    assert history_path(environ) == (Path(path) if path else None)


def typed(path: Path | None, *lines: str) -> LineHistory:
    history = LineHistory(path)
    list(history.load_history_strings())
    for line in lines:
        history.append_string(line)
    return history


def loaded(path: Path, kept: int = 5000) -> list[str]:
    return list(LineHistory(path, kept=kept).load_history_strings())


def test_lines_are_kept_over_runs_for_the_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "new" / "jdbpy" / "history"
    typed(path, "stop in A.b", "cont")
    typed(path, "where é 日本")
    assert loaded(path) == ["where é 日本", "cont", "stop in A.b"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_file_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_text("old\n")
    path.chmod(0o644)
    typed(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert loaded(path) == ["new", "old"]


def test_what_is_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "history"
    history = typed(path, "next", "next", "next  ", " secret", "", "   ", "next")
    assert loaded(path) == ["next"]
    assert history.get_strings() == ["next"]


def test_a_line_stays_one_line(tmp_path: Path) -> None:
    path = tmp_path / "history"
    typed(path, 'print "a\nb"')
    assert loaded(path) == ['print "a b"']


def test_the_file_is_cut_back(tmp_path: Path) -> None:
    path = tmp_path / "history"
    typed(path, *(f"print {number}" for number in range(30)))
    assert loaded(path, kept=10) == [f"print {number}" for number in range(29, 19, -1)]
    assert len(path.read_text().splitlines()) == 10
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["history"]


@pytest.mark.parametrize("place", ["/proc/nobody/history", "/dev/null/history"])
def test_without_a_place_to_write_the_history_lasts_for_this_run(place: str) -> None:
    history = typed(Path(place), "cont", "next")
    assert history.get_strings() == ["cont", "next"]
    assert loaded(Path(place)) == []


def test_without_a_home(tmp_path: Path) -> None:
    assert typed(None, "cont").get_strings() == ["cont"]


def test_bytes_that_are_no_text_do_not_stop_the_debugger(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_bytes(b"good\n\xff\xfe\nlast\n")
    assert loaded(path)[0] == "last"
    assert loaded(path)[-1] == "good"


async def test_what_was_typed_is_listed_and_the_editor_opens_at_a_place(any_jvm: Jvm, tmp_path: Path) -> None:
    editor = tmp_path / "edit"
    editor.write_text('#!/bin/sh\necho "opened $1 $2"\n')
    editor.chmod(0o700)
    async with attached(any_jvm, tmp_path, environ={"EDITOR": str(editor), "VISUAL": ""}) as (terminal, target):
        line = target.program.line("tick")
        await terminal.prompt(">")
        await terminal.run(f"edit Ticker:{line}", f"opened +{line} ", "Ticker.java", then=">")
        await terminal.run("edit java.lang.String:1", "error: ", then=">")
        await terminal.run("history -n 2 edit T", f"edit Ticker:{line}", then=">")
        terminal.type("quit\r")
        assert await terminal.wait_exit() == 0

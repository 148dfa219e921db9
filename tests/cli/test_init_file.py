"""The user's own file of commands: where it is, and that the prompt reads it and a batch does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from jdbpy.cli.repl.loop import init_lines
from tests.cli.process import jdbpy, launching, script
from tests.cli.prompt import attached
from tests.cli.pseudo_terminal import open_terminal
from tests.harness import Jvm, program, start_target


@pytest.mark.parametrize("place", [".config/jdbpy/init", "elsewhere/jdbpy/init"])
def test_where_it_is(tmp_path: Path, place: str) -> None:
    environ = {"HOME": str(tmp_path)}
    if place.startswith("elsewhere"):
        environ["XDG_CONFIG_HOME"] = str(tmp_path / "elsewhere")
    assert init_lines(environ) == ([], "")
    file = tmp_path / place
    file.parent.mkdir(parents=True)
    file.write_text("set hints off\n")
    assert init_lines(environ) == ([f"read -q -k {file}"], "")
    relative = [f"read -q -k {file}"] if ".config" in place else []
    assert init_lines({**environ, "XDG_CONFIG_HOME": "relative"}) == (relative, "")
    assert init_lines({}) == ([], "")


def test_a_target_has_a_file_of_its_own(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path)}
    directory = tmp_path / ".config/jdbpy"
    (directory / "targets").mkdir(parents=True)
    (directory / "targets" / "db:5005").write_text("set max-suspend 30\n")
    own = f"read -q -k {directory}/targets/db:5005"
    assert init_lines(environ, address="db:5005") == ([own], "")
    assert init_lines(environ, address="other:5005") == ([], "")
    (directory / "init").write_text("")
    assert init_lines(environ, address="db:5005") == ([f"read -q -k {directory}/init", own], "")
    assert init_lines(environ, address="../targets/db:5005") == ([f"read -q -k {directory}/init"], "")


async def test_the_target_s_settings_are_in_force(any_jvm: Jvm, tmp_path: Path) -> None:
    directory = tmp_path / ".config/jdbpy/targets"
    directory.mkdir(parents=True)
    async with start_target(any_jvm, "Ticker", suspend=False) as target:
        (directory / target.address).write_text("set max-suspend 30\nset hold thread\n")
        async with open_terminal(["attach", target.address], tmp_path) as terminal:
            await terminal.prompt(">")
            await terminal.run("show max-suspend", "max-suspend", "30", then=">")
            await terminal.run("break Ticker.tick", "a hit suspends", "thread", then=">")


async def test_the_prompt_reads_it(any_jvm: Jvm, tmp_path: Path) -> None:
    file = tmp_path / ".config/jdbpy/init"
    file.parent.mkdir(parents=True)
    file.write_text("# mine\nview Ticker 1 + 1\nset list-lines 3\n")
    async with attached(any_jvm, tmp_path, suspend=True) as (terminal, _):
        shown = await terminal.expect("2 commands of")
        assert "1 + 1" not in shown
        await terminal.prompt("main[1]")
        await terminal.run("view", "Ticker", "1 + 1", then="main[1]")
        await terminal.run("show list-lines", "3", then="main[1]")
        terminal.type("quit\r")
        assert await terminal.wait_exit() == 0


async def test_a_slip_in_it_keeps_nothing_else_from_running(any_jvm: Jvm, tmp_path: Path) -> None:
    file = tmp_path / ".config/jdbpy/init"
    file.parent.mkdir(parents=True)
    file.write_text("set list-lines nonsense\nset list-lines 7\n")
    async with attached(any_jvm, tmp_path, "-c", "show list-lines", suspend=True) as (terminal, _):
        await terminal.expect("error: ", "line 1 of", "list-lines  7")
        await terminal.prompt("main[1]")
        terminal.type("quit\r")
        assert await terminal.wait_exit() == 0


async def test_a_batch_does_not_read_it(any_jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "jdbpy/init"
    file.parent.mkdir(parents=True)
    file.write_text("set list-lines 3\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    done = await jdbpy(*launching(program("Hello"), "--json", *script("show list-lines")), jvm=any_jvm)
    assert [found["command"] for found in done.results] == ["show list-lines"]
    assert done.results[0]["data"]["settings"][0]["value"] == "10"


async def test_what_is_read_quietly_shows_only_what_fails(any_jvm: Jvm, tmp_path: Path) -> None:
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    inner.write_text("set list-lines 3\n")
    outer.write_text(f"read {inner}\nshow list-lines\nset list-lines nonsense\n")
    lines = (f"read -q {outer}", "show list-lines")
    done = await jdbpy(*launching(program("Hello"), "--json", "--keep-going", *script(*lines)), jvm=any_jvm)
    assert [(found["command"], found["ok"]) for found in done.results] == [
        ("set list-lines nonsense", False),
        (f"read -q {outer}", False),
        ("show list-lines", True),
    ]

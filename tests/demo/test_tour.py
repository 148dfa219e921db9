"""The tour runs by itself on every Java, checks what it shows, and says so when something is missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import jdbpy
from jdbpy.cli import demo
from jdbpy.cli.batch import Batch
from jdbpy.cli.console import Console
from jdbpy.cli.output.plain import PlainRenderer
from jdbpy.cli.output.terminal import RichRenderer
from jdbpy.cli.settings import Settings
from jdbpy.demo.program import demo_command
from jdbpy.demo.tour import TOUR
from tests.cli.pseudo_terminal import open_terminal
from tests.harness import LIMIT, Jvm


async def take_tour(jvm: Jvm, look: type[PlainRenderer] = PlainRenderer) -> int:
    """Run the tour on that Java as ``jdbpy demo </dev/null`` would; returns the exit status."""
    settings = Settings()
    console = Console(look(settings), json=False)
    async with jdbpy.launch_session(demo_command(jvm.java), options=demo.demo_options(jdbpy.Options())) as session:
        return await demo.run_tour(Batch(session, console, settings, timeout=LIMIT))


async def test_every_step_does_what_it_should(jvm: Jvm, capsys: pytest.CaptureFixture[str]) -> None:
    status = await take_tour(jvm)
    shown = capsys.readouterr()
    assert (status, shown.err) == (0, ""), shown.out
    assert [line for line in shown.out.splitlines() if line.startswith("> ")][2:] == [f"> {step.line}" for step in TOUR]
    assert re.search(r"^=> +\d+ +CoffeeBar bar = new CoffeeBar\(\);$", shown.out, re.MULTILINE)  # where main begins
    assert "That was the tour." in shown.out


async def test_the_tour_in_color(any_jvm: Jvm, capsys: pytest.CaptureFixture[str]) -> None:
    status = await take_tour(any_jvm, RichRenderer)
    shown = capsys.readouterr()
    assert (status, shown.err) == (0, ""), shown.out
    assert "\x1b[" in shown.out


async def test_a_step_that_shows_something_else_fails(
    any_jvm: Jvm, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "OUTPUT_LIMIT", 0.1)
    monkeypatch.setattr(demo, "TOUR", (TOUR[0].replace(shows=("no such text",)), *TOUR[1:]))
    assert await take_tour(any_jvm) == 1
    shown = capsys.readouterr()
    assert "expected to see here: no such text" in shown.err
    assert f"> {TOUR[1].line}" not in shown.out


async def test_a_step_whose_command_fails_ends_the_tour(
    any_jvm: Jvm, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "TOUR", (TOUR[0].replace(line="print nothing.of.the.kind", shows=()),))
    assert await take_tour(any_jvm) == 1
    assert capsys.readouterr().err.startswith("error: ")


async def test_a_program_that_ends_early_is_started_again_with_the_tour(tmp_path: Path) -> None:
    async with open_terminal(["demo"], tmp_path) as terminal:
        await terminal.prompt("main[1]")
        assert f"1/{len(TOUR)}" in terminal.screen.text
        await terminal.run("cont", "'run' starts it again", then=">")
        shown = await terminal.run("run", f"1/{len(TOUR)}", then="main[1]")
        assert "CoffeeBar.java" in shown
        for _ in range(2):
            await terminal.run("where", "CoffeeBar.main", then="main[1]")
        terminal.type("quit\r")
        assert await terminal.wait_exit() == 0
        assert terminal.screen.text.rstrip().endswith("the target is ended")  # nothing more is suggested

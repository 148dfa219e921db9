"""The ends of a session at the prompt: signals, terminals and targets that go; what is left behind."""

from __future__ import annotations

import signal
from pathlib import Path

from tests.cli.prompt import CTRL_C, attached, run_without_answer, selected, ticks
from tests.cli.pseudo_terminal import open_terminal
from tests.harness import Jvm, program


async def test_signals_from_outside(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path) as (terminal, target):
        await terminal.prompt(">")
        terminal.signal(signal.SIGINT)
        await terminal.expect("Paused")
        await selected(terminal)
        terminal.signal(signal.SIGTERM)
        assert await terminal.wait_exit() == 128 + signal.SIGTERM
        assert terminal.modes == terminal.modes_before
        await ticks(target)


async def test_a_terminal_that_is_taken_away(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path) as (terminal, target):
        await terminal.prompt(">")
        terminal.type(CTRL_C)
        await terminal.expect("Paused")
        terminal.hang_up()
        assert await terminal.wait_exit() == 128 + signal.SIGHUP
        await ticks(target)


async def test_a_killed_target(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path) as (terminal, target):
        await terminal.prompt(">")
        terminal.type("half a line")
        await terminal.prompt("> half a line")
        target.kill()
        await terminal.expect("The connection is closed", "'reconnect' attaches again")
        await terminal.prompt(">")  # it stays, so that no other program gets what is typed
        assert "half a line" not in terminal.screen.text
        terminal.type("quit\r")
        assert await terminal.wait_exit() == 5
        assert terminal.modes == terminal.modes_before


async def test_a_target_that_is_killed_in_the_middle_of_a_command(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path) as (terminal, target):
        await run_without_answer(terminal, target)
        target.kill()
        await terminal.expect("The connection is closed")
        await terminal.prompt(">")
        terminal.type("quit\r")
        assert await terminal.wait_exit() == 5
        assert terminal.modes == terminal.modes_before


async def test_a_target_that_ends(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path) as (terminal, target):
        await terminal.prompt(">")
        assert target.process.stdin is not None
        await target.process.stdin.aclose()
        await terminal.expect("The target has ended", "'reconnect' attaches again")
        await terminal.run("break Ticker.tick", "pending: 'break Ticker.tick' is run when the target is back", then=">")
        await terminal.run("breakpoints", "pending until the target is back: break Ticker.tick", then=">")
        terminal.type("quit\r")
        assert await terminal.wait_exit() == 0
        assert terminal.modes == terminal.modes_before


async def test_output_of_a_launched_target(any_jvm: Jvm, tmp_path: Path) -> None:
    prog = program("Hello")
    words = ["launch", "-cp", prog.classes, prog.main, "wörld", "\x1b[2Jevil"]
    async with open_terminal(words, tmp_path, environ={"JAVA_HOME": any_jvm.home}) as terminal:
        await terminal.expect("Ready to start")
        await terminal.prompt("main[1]")
        await terminal.run("stop in Hello.greeting", then="main[1]")
        await terminal.run("run", "Breakpoint 1 hit", then="main[1]")
        await terminal.run("cont", "1 hello wörld", "Breakpoint 1 hit", then="main[1]")
        terminal.type("cont\r")
        await terminal.expect("2 hello \\u001b[2Jevil", "waiting", "The target has ended with status 0")
        terminal.type("quit\r")
        await terminal.expect("the target has ended")
        assert await terminal.wait_exit() == 0
        assert terminal.modes == terminal.modes_before

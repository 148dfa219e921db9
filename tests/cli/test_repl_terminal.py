"""The prompt on a pseudo-terminal, with a real JVM behind it: what a person sees and what is left behind."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from jdbpy.cli.repl.prompt_history import history_path
from jdbpy.cli.repl.terminal_pager import QUESTION
from tests.cli.pseudo_terminal import COLOR, PseudoTerminal, open_terminal
from tests.harness import Jvm, Target, program, start_target

CTRL_C, CTRL_D, TAB, UP = "\x03", "\x04", "\t", "\x1b[A"


@asynccontextmanager
async def attached(
    jvm: Jvm,
    home: Path,
    *options: str,
    suspend: bool = False,
    columns: int = 100,
    lines: int = 40,
    environ: dict[str, str] | None = None,
) -> AsyncIterator[tuple[PseudoTerminal, Target]]:
    """jdbpy at its prompt, attached to a Ticker that runs, or is held at its start."""
    async with start_target(jvm, "Ticker", suspend=suspend) as target:
        if not suspend:
            await target.wait_output("ready")
        words = ["attach", target.address, "--sourcepath", target.program.sources, *options]
        async with open_terminal(words, home, columns=columns, lines=lines, environ=environ) as terminal:
            yield terminal, target


PAGER = """\
import signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
print("first line:", sys.stdin.readline())
print("press a key", flush=True)
open("/dev/tty").readline()
"""


async def selected(terminal: PseudoTerminal) -> str:
    """Waits until a thread is selected; returns the prompt that says which."""
    await terminal.wait_until(lambda: terminal.screen.cursor_line.endswith("[1]"), "a selected thread")
    return terminal.screen.cursor_line


async def ticks(target: Target) -> None:
    """The target runs: it answers."""
    before = target.stdout.count("tick")
    await target.send()
    await target.wait_output(f"tick {before + 1}")


async def test_a_session_from_the_first_prompt_to_the_last(jvm: Jvm, tmp_path: Path) -> None:
    async with attached(jvm, tmp_path, suspend=True) as (terminal, target):
        await terminal.expect("Java", "Ready to start")
        await terminal.prompt("main[1]")
        await terminal.run("stop in Ticker.tick", "reakpoint 1", then="main[1]")
        await terminal.run("cont", then=">")
        await target.send()
        shown = await terminal.expect("Breakpoint 1 hit", "Ticker.tick", "=>", "ticks++;", "Hint:")
        assert "static void tick" in shown.partition("=>")[0]
        await terminal.prompt("main[1]")
        await terminal.run("where", "[1] Ticker.tick", "[2] Ticker.main", then="main[1]")
        await terminal.run("next", "Step completed", "=>", "System.out.println", then="main[1]")
        terminal.type("\r")  # an empty line steps again
        await terminal.expect("Step completed")
        await terminal.prompt("main[1]")
        await terminal.run("frobnicate", "there is no command 'frobnicate'", then="main[1]")
        terminal.type("quit\r")
        await terminal.expect("the target runs on")
        assert await terminal.wait_exit() == 0
        assert terminal.modes == terminal.modes_before
        await ticks(target)


async def test_ctrl_c_pauses_and_ctrl_d_leaves(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path) as (terminal, target):
        await terminal.prompt(">")
        assert terminal.modes != terminal.modes_before
        terminal.type("no such thing")
        await terminal.prompt("> no such thing")
        terminal.type(CTRL_C)  # clears the line
        await terminal.prompt(">")
        terminal.type(CTRL_C)  # on an empty line: pauses
        await terminal.expect("Paused")
        thread = await selected(terminal)
        terminal.type(CTRL_C)  # nothing runs any more
        await terminal.expect("nothing is running")
        await terminal.prompt(thread)
        terminal.type(CTRL_D)
        await terminal.expect("the target runs on")
        assert await terminal.wait_exit() == 0
        assert terminal.modes == terminal.modes_before
        assert "no command" not in terminal.screen.text
        await ticks(target)


async def test_ctrl_c_ends_a_command_that_gets_no_answer(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path) as (terminal, target):
        await terminal.prompt(">")
        os.kill(target.pid, signal.SIGSTOP)
        terminal.type("threads\r")
        await terminal.expect("threads")
        await terminal.wait_until(lambda: terminal.modes == terminal.modes_before, "the command to run")
        terminal.type(CTRL_C)
        await terminal.expect("interrupted")
        await terminal.prompt(">")
        os.kill(target.pid, signal.SIGCONT)
        await terminal.run("threads", "spinner", then=">")
        terminal.type(CTRL_D)
        await terminal.expect("the target runs on")
        assert await terminal.wait_exit() == 0
        await ticks(target)


async def test_a_question_before_what_cannot_be_undone(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path, suspend=True) as (terminal, _):
        await terminal.prompt("main[1]")
        await terminal.run("stop in Ticker.tick", then="main[1]")
        for answer in ("n\r", "\r", CTRL_C, CTRL_D):
            terminal.type("delete all\r")
            await terminal.expect("[y/N]")
            terminal.type(answer)
            await terminal.prompt("main[1]")
        await terminal.run("breakpoints", "Ticker.tick", then="main[1]")
        terminal.type("delete all\r")
        await terminal.expect("[y/N]")
        terminal.type("y\r")
        await terminal.prompt("main[1]")
        await terminal.run("breakpoints", "no breakpoints", then="main[1]")
        terminal.type(UP + UP)  # the answers are no part of the history
        await terminal.prompt("main[1] delete all")


async def test_a_count_before_a_command_waits_for_each_stop(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path) as (terminal, target):
        await terminal.prompt(">")
        await terminal.run("stop in Ticker.tick", then=">")
        await target.send()
        await terminal.expect("Breakpoint 1 hit")
        await terminal.prompt("main[1]")
        await terminal.run("2 next", "Step completed", "Step completed", then="main[1]")
        terminal.type("2 cont\r")
        await terminal.expect("2 cont")
        await target.send()
        await terminal.expect("Breakpoint 1 hit")
        await target.wait_output("tick 2")
        terminal.type(CTRL_C)  # instead of the second stop
        await terminal.expect("Paused")
        await selected(terminal)


async def test_commands_that_are_run_at_a_hit(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path) as (terminal, target):
        await terminal.prompt(">")
        await terminal.run("stop in Ticker.tick", then=">")
        await terminal.run("commands 1", then="commands 1>")
        await terminal.run("never run", then="commands 1>")
        terminal.type(CTRL_C)  # gives up
        await terminal.expect("nothing was changed")
        await terminal.prompt(">")
        await terminal.run("commands 1", then="commands 1>")
        await terminal.run("where", then="commands 1>")
        await terminal.run("cont", then="commands 1>")
        await terminal.run("end", then=">")
        await target.send()
        await terminal.expect("Breakpoint 1 hit", "[1] Ticker.tick", "[2] Ticker.main")
        await terminal.prompt(">")  # it runs on
        await target.wait_output("tick 1")
        await terminal.run("monitor version", then=">")
        await target.send()
        await terminal.expect("Breakpoint 1 hit", "target 127.0.0.1", "[1] Ticker.tick")
        await terminal.prompt(">")
        assert "no command" not in terminal.screen.text


async def test_several_lines_that_are_pasted(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path, suspend=True) as (terminal, target):
        await terminal.prompt("main[1]")
        terminal.type("\x1b[200~stop in Ticker.tick\ncont\nwhere\nnonsense\nversion\x1b[201~\r")
        await target.send()
        await terminal.expect("reakpoint 1", "Breakpoint 1 hit", "[1] Ticker.tick", "there is no command 'nonsense'")
        await terminal.prompt("main[1]")
        assert "target 127.0.0.1" not in terminal.screen.text  # a line that fails ends the row


async def test_an_event_comes_above_a_line_that_is_being_typed(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path) as (terminal, target):
        await terminal.prompt(">")
        await terminal.run("stop in Ticker.tick", "reakpoint 1", then=">")
        terminal.type("whe")
        await terminal.prompt("> whe")
        await target.send()
        await terminal.prompt("main[1] whe")
        terminal.type("re\r")
        await terminal.expect("Breakpoint 1 hit", "main[1] where", "[1] Ticker.tick")
        await terminal.prompt("main[1]")


async def test_completion(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path) as (terminal, _):
        await terminal.prompt(">")
        terminal.type("vers" + TAB)
        await terminal.prompt("> version")
        terminal.type("\r")
        await terminal.expect("target 127.0.0.1")
        await terminal.prompt(">")
        terminal.type("set frame-b" + TAB)
        await terminal.prompt("> set frame-base")
        terminal.type(CTRL_C)
        await terminal.prompt(">")
        terminal.type("thr" + TAB)  # several: the menu
        await terminal.expect("> thr", "threadgroups", "threads", "thread find")


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
        await terminal.expect("The connection is closed")
        assert await terminal.wait_exit() == 5
        assert terminal.modes == terminal.modes_before
        assert "half a line" not in terminal.screen.text  # the prompt was taken off the screen


async def test_a_target_that_is_killed_in_the_middle_of_a_command(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path) as (terminal, target):
        await terminal.prompt(">")
        os.kill(target.pid, signal.SIGSTOP)
        terminal.type("threads\r")
        await terminal.expect("threads")
        await terminal.wait_until(lambda: terminal.modes == terminal.modes_before, "the command to run")
        target.kill()
        await terminal.expect("The connection is closed")
        assert await terminal.wait_exit() == 5
        assert terminal.modes == terminal.modes_before


async def test_a_target_that_ends(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path) as (terminal, target):
        await terminal.prompt(">")
        assert target.process.stdin is not None
        await target.process.stdin.aclose()
        await terminal.expect("The target has ended")
        assert await terminal.wait_exit() == 0
        assert terminal.modes == terminal.modes_before


@pytest.mark.parametrize("environ", [{"TERM": "dumb"}, {"TERM": ""}])
async def test_a_terminal_that_knows_no_escape_codes(any_jvm: Jvm, tmp_path: Path, environ: dict[str, str]) -> None:
    async with attached(any_jvm, tmp_path, environ=environ) as (terminal, target):
        await terminal.prompt(">")
        await terminal.run("stop in Ticker.tick", "reakpoint 1", then=">")
        terminal.type("whe")
        await terminal.prompt("> whe")
        await target.send()
        await terminal.expect("Breakpoint 1 hit", "=>")
        await terminal.prompt("main[1]")
        terminal.type("re\r")
        await terminal.expect("[1] Ticker.tick")
        await terminal.prompt("main[1]")
        await terminal.run("clear 1", "deleted", then="main[1]")
        await terminal.run("cont", then=">")
        terminal.type(CTRL_C)
        await terminal.expect("Paused")
        await selected(terminal)
        terminal.type(CTRL_D)
        await terminal.expect("the target runs on")
        assert await terminal.wait_exit() == 0
        assert "\x1b" not in terminal.sent
        assert terminal.modes == terminal.modes_before
        await ticks(target)


@pytest.mark.parametrize(("options", "environ"), [((), {"NO_COLOR": "1"}), (("--color", "never"), {})])
async def test_without_colours(any_jvm: Jvm, tmp_path: Path, options: tuple[str], environ: dict[str, str]) -> None:
    async with attached(any_jvm, tmp_path, *options, suspend=True, environ=environ) as (terminal, _):
        await terminal.prompt("main[1]")
        await terminal.run("threads", "main", then="main[1]")
        await terminal.run("nonsense", "there is no command", then="main[1]")
        terminal.type(CTRL_D)
        assert await terminal.wait_exit() == 0
        assert not COLOR.findall(terminal.sent)


async def test_colours_on_the_other_hand(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path, suspend=True) as (terminal, _):
        await terminal.prompt("main[1]")
        await terminal.run("nonsense", "there is no command", then="main[1]")
        assert COLOR.search(terminal.sent)


async def test_a_window_that_becomes_narrow(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path, "-c", "threads", suspend=True, columns=120) as (terminal, _):
        await terminal.expect("Reference Handler")
        await terminal.prompt("main[1]")
        terminal.resize(20, 40)
        await terminal.wait_until(  # the toolbar, without what no longer fits
            lambda: terminal.screen.text.endswith("\n stopped │ main[1]"), "a shorter toolbar"
        )
        shown = await terminal.run("threads", "Ref", then="main[1]")
        assert "Reference Handler" not in shown
        terminal.resize(120, 40)
        await terminal.run("threads", "Reference Handler", then="main[1]")


async def test_history_is_kept_over_runs(any_jvm: Jvm, tmp_path: Path) -> None:
    async with start_target(any_jvm, "Ticker", suspend=False) as target:
        async with open_terminal(["attach", target.address], tmp_path) as terminal:
            await terminal.prompt(">")
            await terminal.run("version", "target 127.0.0.1", then=">")
            terminal.type(CTRL_D)
            assert await terminal.wait_exit() == 0
        async with open_terminal(["attach", target.address], tmp_path) as terminal:
            await terminal.prompt(">")
            terminal.type(UP)
            await terminal.prompt("> version")
            terminal.type("\r")
            await terminal.expect("target 127.0.0.1")
    history = history_path({"HOME": str(tmp_path)})
    assert history is not None
    assert history.stat().st_mode & 0o777 == 0o600
    assert history.read_text() == "version\n"


async def test_output_taller_than_the_screen(any_jvm: Jvm, tmp_path: Path) -> None:
    bare = {"PATH": str(tmp_path)}  # no less there: the pager of our own
    async with attached(any_jvm, tmp_path, suspend=True, lines=12, environ=bare) as (terminal, _):
        await terminal.prompt("main[1]")
        terminal.type("help\r")
        await terminal.expect("running:")
        await terminal.prompt(QUESTION)
        terminal.type("q")
        await terminal.prompt("main[1]")
        terminal.type("help\r")
        await terminal.prompt(QUESTION)
        terminal.type(CTRL_C)
        await terminal.prompt("main[1]")
        terminal.type(CTRL_D)
        assert await terminal.wait_exit() == 0
        assert terminal.modes == terminal.modes_before


async def test_output_through_a_pager(any_jvm: Jvm, tmp_path: Path) -> None:
    """It is there while the pager still reads, gets all of the text, and may leave early."""
    pager = tmp_path / "pager.py"
    pager.write_text(PAGER)
    environ = {"PAGER": f"{sys.executable} {pager}"}
    async with attached(any_jvm, tmp_path, suspend=True, lines=12, environ=environ) as (terminal, _):
        await terminal.prompt("main[1]")
        terminal.type("help\r")
        await terminal.expect("first line: running:", "press a key")
        terminal.type(CTRL_C)  # is for the pager, which ignores it
        terminal.type("\r")
        await terminal.prompt("main[1]")
        await terminal.run("version", "target 127.0.0.1", then="main[1]")
        assert terminal.modes != terminal.modes_before
        assert "interrupted" not in terminal.screen.text


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
        assert await terminal.wait_exit() == 0
        assert terminal.modes == terminal.modes_before


async def test_commands_given_at_the_start_run_before_the_first_prompt(any_jvm: Jvm, tmp_path: Path) -> None:
    options = ("-c", "stop in Ticker.tick", "-c", "cont", "-c", "where")
    async with attached(any_jvm, tmp_path, *options, suspend=True) as (terminal, target):
        await target.send()
        await terminal.expect("reakpoint 1", "Breakpoint 1 hit", "[1] Ticker.tick", "[2] Ticker.main")
        await terminal.prompt("main[1]")


async def test_an_interrupt_ends_the_wait_of_a_row_of_commands(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path, "-c", "cont", "-c", "version", suspend=True) as (terminal, target):
        await target.wait_output("ready")
        terminal.type(CTRL_C)
        await terminal.expect("Paused")
        await selected(terminal)
        assert "target 127.0.0.1" not in terminal.screen.text

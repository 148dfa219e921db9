"""The prompt on a pseudo-terminal, with a real JVM behind it: what a person types and gets."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from jdbpy.cli.repl.prompt_line import history_path
from tests.cli.prompt import CTRL_C, CTRL_D, TAB, UP, attached, run_without_answer, selected, ticks
from tests.cli.pseudo_terminal import open_terminal
from tests.harness import Jvm, start_target


async def test_a_session_from_the_first_prompt_to_the_last(jvm: Jvm, tmp_path: Path) -> None:
    async with attached(jvm, tmp_path, suspend=True) as (terminal, target):
        await terminal.expect("Java", "Ready to start")
        await terminal.prompt("main[1]")
        await terminal.run("stop in Ticker.tick", "reakpoint 1", then="main[1]")
        assert terminal.screen.text.count("Ready to start") == 1
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
        await terminal.run("frobnicate", "unknown command 'frobnicate'", then="main[1]")
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
        assert "unknown command" not in terminal.screen.text
        await ticks(target)


async def test_ctrl_c_ends_a_command_that_gets_no_answer(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path) as (terminal, target):
        await run_without_answer(terminal, target)
        terminal.type(CTRL_C)
        await terminal.expect("interrupted")
        await terminal.prompt(">")
        os.kill(target.pid, signal.SIGCONT)
        await terminal.run("threads", "spinner", then=">")
        terminal.type(CTRL_D)
        await terminal.expect("the target runs on")
        assert await terminal.wait_exit() == 0
        await ticks(target)


async def test_ctrl_c_at_a_method_says_that_it_runs_on(jvm: Jvm, tmp_path: Path) -> None:
    async with attached(jvm, tmp_path, suspend=True, columns=140, lines=60) as (terminal, target):
        await terminal.prompt("main[1]")
        await terminal.run("stop in Ticker.tick", then="main[1]")
        await terminal.run("cont", then=">")
        await target.send()
        await terminal.expect("Breakpoint 1 hit")
        await terminal.prompt("main[1]")
        terminal.type("print Ticker.main(null)\r")
        await terminal.wait_until(lambda: target.stdout.count("ready") == 2, "the method to run")
        terminal.type(CTRL_C)
        await terminal.expect("interrupted", "is still running in thread", "main", "its end is reported")
        await terminal.prompt("main[1]")
        for line in ("print order.name", "where", "next"):
            terminal.type(f"{line}\r")
            await terminal.expect(line, "that thread is running a method for an earlier expression")
            await terminal.prompt("main[1]")
        assert "cannot find symbol" not in terminal.screen.text


async def test_the_toolbar_shows_where_a_pop_has_led(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path, suspend=True) as (terminal, target):
        await terminal.prompt("main[1]")
        await terminal.run("stop in Ticker.tick", then="main[1]")
        await terminal.run("cont", then=">")
        await target.send()
        await terminal.expect("Breakpoint 1 hit")
        await terminal.prompt("main[1]")
        at = f"Ticker.tick:{target.program.line('tick')}"
        await terminal.wait_until(lambda: at in terminal.screen.text, "the place of the stop")
        await terminal.run("pop", "[1] Ticker.main", then="main[1]")
        await terminal.wait_until(lambda: "Ticker.main:" in terminal.screen.text, "the place after the pop")
        assert "Ticker.tick:" not in terminal.screen.text


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
        assert "unknown command" not in terminal.screen.text


async def test_several_lines_that_are_pasted(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path, suspend=True) as (terminal, target):
        await terminal.prompt("main[1]")
        terminal.type("\x1b[200~stop in Ticker.tick\ncont\nwhere\nnonsense\nversion\x1b[201~\r")
        await target.send()
        await terminal.expect("reakpoint 1", "Breakpoint 1 hit", "[1] Ticker.tick", "unknown command 'nonsense'")
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


async def test_history_is_kept_over_runs(any_jvm: Jvm, tmp_path: Path) -> None:
    async with start_target(any_jvm, "Ticker", suspend=False) as target:
        async with open_terminal(["attach", target.address], tmp_path) as terminal:
            await terminal.prompt(">")
            await terminal.run("version", "target 127.0.0.1", then=">")
            terminal.type(CTRL_D)
            assert await terminal.wait_exit() == 0
        await target.wait_listening_again()
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


async def test_ctrl_c_in_pasted_lines_pauses_once(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path, suspend=True) as (terminal, target):
        await terminal.prompt("main[1]")
        terminal.type("\x1b[200~cont\nversion\x1b[201~\r")
        await target.wait_output("ready")
        terminal.type(CTRL_C)
        await terminal.expect("Paused")
        await selected(terminal)
        await terminal.run("threads", "Finalizer", "suspended", then="main[1]")
        assert " times" not in terminal.screen.text
        await terminal.run("resume", "resumed", then=">")
        await ticks(target)

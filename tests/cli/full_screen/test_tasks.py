"""What a person does on the screen, by keys alone: one program for all of it, on a real terminal."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

from tests.cli.full_screen.screens import (
    DOWN,
    F5,
    F8,
    F9,
    F11,
    RIGHT,
    SHIFT_F8,
    FullTerminal,
    full_screen,
    launched,
    restored,
)
from tests.harness import Jvm, program, start_target

PANES = program("Panes")


async def go_to(screen: FullTerminal, marker: str) -> None:
    """Put the cursor on a line of the source."""
    screen.press("g")
    await screen.sees("go to line:")
    screen.press(f"{PANES.line(marker)}\r")
    await screen.sees(lambda: "go to line:" not in screen.text, what="the question to be answered")


async def margin(screen: FullTerminal, sign: str, marker: str) -> None:
    """Wait until a line has this sign in its margin."""
    wanted = re.compile(rf"^{sign}[ ▶] *{PANES.line(marker)} ", re.MULTILINE)
    await screen.sees(lambda: wanted.search(screen.text) is not None, what=f"{sign!r} at {marker}")


async def test_the_tasks_of_a_person(any_jvm: Jvm, tmp_path: Path) -> None:
    async with full_screen(launched(PANES, any_jvm), tmp_path, lines=40) as screen:
        await screen.sees("Ready to start", "1 ", "Output")
        await screen.command("stop in Panes.turn")
        screen.press(F5)
        await screen.stands_at("int before = total;")
        await screen.sees("Stack of main", "Panes.main", "number = 0", "worker-3")

        # a breakpoint by key: its mark, and the program stops there
        await go_to(screen, "says")
        screen.press(F9)
        await screen.sees(
            lambda: re.search(rf"^● *{PANES.line('says')} ", screen.text, re.M) is not None, what="a mark"
        )
        screen.press("c")
        await screen.stands_at("System.out.println(")
        await go_to(screen, "says")
        screen.press("b")
        await margin(screen, " ", "says")

        # the same with the mouse, in the margin
        for sign in ("●", " "):
            rows = screen.text.split("\n")
            row = next(number for number, line in enumerate(rows, 1) if "many[number" in line)
            screen.press(f"\x1b[<0;1;{row}M\x1b[<0;1;{row}m")
            await margin(screen, sign, "many")

        # steps; output of the program; values behind the line, and what has changed
        screen.press("n")
        await screen.sees("turn 0 sums to 4")
        await screen.stands_at("if (number == 4)")
        await screen.sees("number = 0")
        screen.press(F5)
        await screen.stands_at("int before = total;")
        await screen.sees("*  number = 1")
        screen.press(F8)
        await screen.stands_at("for (Cup cup : cups)")
        screen.press("n")
        await screen.stands_at("total += cup.price(number + 1);")
        screen.press(F11)
        await screen.stands_at("int sum = size * each;")
        await screen.sees("Cup.price")

        # frames
        screen.press("u")
        await screen.stands_at("total += cup.price(number + 1);")
        await screen.sees("▷")
        screen.press("d")
        await screen.stands_at("int sum = size * each;")
        screen.press(SHIFT_F8)
        await screen.stands_at("total += cup.price(number + 1);")

        # the tree of variables
        screen.press("2")
        await screen.sees(lambda: "▸ this" in screen.pane(2), what="this in the variables")
        await to_row(screen, "this")
        screen.press("\r")
        await screen.sees("▾ this", "▸ cups", "▸ many")
        await to_row(screen, "cups")
        screen.press(RIGHT)
        await screen.sees("▾ cups", "▸ [1]")
        await to_row(screen, "[1]")
        screen.press("\r")
        await screen.sees('name = "日本茶"')
        await to_row(screen, "many")
        screen.press("\r")
        await screen.sees("[0] = ")
        screen.press("\r")

        # search
        screen.press("1/flood()")
        await screen.sees("search: flood()")
        screen.press("\r")
        await screen.sees("flood(); // @flood")
        screen.press(".")
        await screen.sees("static void flood()")
        screen.press("h")
        await screen.stands_at("total += cup.price(number + 1);")

        # a watch
        screen.press("wtotal * 2\r")
        await screen.sees(lambda: "total * 2 = 8" in screen.pane(4)[:200], what="the watch")
        screen.press("nn")
        await screen.sees(lambda: "total * 2 = 12" in screen.pane(4)[:200], what="another value of the watch")

        # a thread
        screen.press("5")
        await to_row(screen, "worker-3", pane=5)
        screen.press("\r")
        await screen.sees("Stack of worker-3", "'u' goes to the caller")
        screen.press("uu")
        await screen.sees("STARTED.wait();", "▷")

        # panes
        screen.press("5o")
        await screen.sees(lambda: "5 Threads" not in screen.text, what="the pane to go")
        screen.press("z")
        await screen.sees(lambda: "7 Output" not in screen.text, what="one pane alone")
        screen.press("z")
        await screen.sees("7 Output")

        # another size
        screen.terminal.resize(200, 50)
        await screen.sees(lambda: len(max(screen.text.split("\n"), key=len)) > 150, what="the wide window")
        screen.terminal.resize(80, 24)
        await screen.sees(lambda: len(max(screen.text.split("\n"), key=len)) <= 80, what="the small window")

        # there and back: output is kept
        screen.press(":screen\r")
        await screen.terminal.wait_until(lambda: "\x1b[?1049l" in screen.terminal.sent, "the plain prompt")
        await screen.sees("worker-3[3]")
        await screen.terminal.wait_until(
            lambda: screen.terminal.screen.cursor_line.startswith("worker-3[3]"), "the plain prompt"
        )
        screen.press("layout\r")
        await screen.sees("1 Panes.java", "Stack of worker-3")

        # a flood: keys are answered, and it is interrupted
        screen.press(":delete 1\r")
        await screen.sees(lambda: "delete 1" in screen.text, what="the breakpoint to go")
        screen.press(F5)
        await screen.sees("flood 1", "the program runs")
        screen.press("?")
        await screen.sees("Keys in panes")
        screen.press("?p")
        await screen.sees("Paused")

        screen.press("q")
        await screen.sees("leave the debugger?")
        screen.press("y\r")
        assert await screen.terminal.wait_exit() == 0
        assert screen.terminal.modes == screen.terminal.modes_before
        assert restored(screen)


async def to_row(screen: FullTerminal, name: str, pane: int = 2) -> None:
    """Move the cursor of the pane with the focus down to a row."""
    rows = screen.pane(pane).split("\n")[1:]
    place = next(number for number, row in enumerate(rows) if re.search(rf"^[│▶‖■▸▾*\d ]*{re.escape(name)}(?!\w)", row))
    screen.press("\x1b[H" + DOWN * place)


async def test_the_end_of_the_target_and_of_ours(any_jvm: Jvm, tmp_path: Path) -> None:
    async with full_screen(launched(program("Ticker"), any_jvm), tmp_path) as screen:
        await screen.sees("Ready to start")
        screen.terminal.signal(signal.SIGTERM)
        assert await screen.terminal.wait_exit() == 128 + signal.SIGTERM
        assert screen.terminal.modes == screen.terminal.modes_before
        assert restored(screen)
    async with start_target(any_jvm, "Ticker", suspend=False) as target:
        await target.wait_output("ready")
        async with full_screen(["attach", target.address], tmp_path) as screen:
            await screen.sees("7 Output", "spinner")
            await screen.command("pause")
            await screen.sees("Paused", "Stack of")
            os.kill(target.pid, signal.SIGKILL)
            await screen.sees("'reconnect' attaches again")
            await screen.command("quit")
            assert await screen.terminal.wait_exit() == 5
            assert screen.terminal.modes == screen.terminal.modes_before
            assert restored(screen)


FAULT = """
import jdbpy.cli.screen.model as model

drawn, rows = [], model.ScreenModel.rows

def faulty(self, columns, height):
    drawn.append(columns)
    if len(drawn) == 12:
        raise ValueError("a fault of the screen")
    return rows(self, columns, height)

model.ScreenModel.rows = faulty
"""


async def test_a_fault_of_the_screen_and_a_terminal_that_goes(any_jvm: Jvm, tmp_path: Path) -> None:
    """A fault ends the screen and not the session, which goes on at the plain prompt."""
    plugin = tmp_path / "fault.py"
    plugin.write_text(FAULT)
    plugin.chmod(0o600)
    words = launched(program("Ticker"), any_jvm)
    words[1:1] = ["-p", str(plugin)]
    async with full_screen(words, tmp_path) as screen:
        await screen.sees("ValueError: a fault of the screen", lambda: "\x1b[?1049l" in screen.terminal.sent)
        await screen.terminal.prompt("main[1]")
        screen.press("screen\r")
        await screen.sees(lambda: screen.terminal.sent.count("\x1b[?1049h") == 2, "7 Output", what="the screen again")
        screen.terminal.hang_up()
        assert await screen.terminal.wait_exit() == 128 + signal.SIGHUP


async def test_a_question_is_read_to_its_end_in_a_narrow_window(any_jvm: Jvm, tmp_path: Path) -> None:
    async with full_screen(launched(PANES, any_jvm), tmp_path, columns=40, lines=30) as screen:
        await screen.sees("Ready to start")
        await screen.command("stop in Panes.turn")
        screen.press(F5)
        await screen.stands_at("int before = total;")
        await screen.command("return 1")
        await screen.sees("leave Panes.turn now, without running", "the rest of it? [y/N]")
        screen.press("n\r")
        await screen.sees(lambda: "[y/N]" not in screen.text, what="the question to be answered")
        await screen.stands_at("int before = total;")
        screen.press(":quit\r")
        assert await screen.terminal.wait_exit() == 0

"""A recorded call on the screen: opened, stepped forward and back by keys, left for the live view."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from jdbpy.cli.screen.fragments import width
from jdbpy.cli.screen.keys import AT_BOTTOM, bottom
from tests.cli.full_screen.screens import F5, F8, full_screen, launched
from tests.harness import Jvm, program

PRICED = program("Priced")
F6 = "\x1b[17~"


async def test_a_recorded_call_is_looked_at_by_keys(any_jvm: Jvm, tmp_path: Path) -> None:
    async with full_screen(launched(PRICED, any_jvm), tmp_path, columns=80, lines=30) as screen:
        await screen.sees("Ready to start")
        await screen.command("record Till.price deep 1")
        await screen.command(f"break {PRICED.at('closed')}")
        screen.press(F5)
        await screen.stands_at('System.out.println("closed")')
        await screen.command("recorded if count == 6")
        listed = re.compile(r"^(\d+) .*count = 6", re.MULTILINE)
        await screen.sees(lambda: listed.search(screen.text) is not None, what="the call of six")
        found = listed.search(screen.text)
        assert found is not None
        number = found[1]
        await screen.command(f"recorded {number}")
        await screen.sees(f"Priced.java — recorded {number}, 1/22", 'code = "tea"', f"Stack of recorded call {number}")
        await screen.stands_at("Integer unit = units")
        await screen.sees("F8 on F6 back F5 to its end q close", f"recorded {number}>")  # the panes have the keys
        screen.press(F8)
        await screen.stands_at("if (unit == null)")
        await screen.sees("called Map.get = 270", "*  unit = 270")
        screen.press("n")
        await screen.stands_at("if (member)")
        screen.press(F6)
        await screen.sees(f"recorded {number}, 2/22")
        await screen.stands_at("if (unit == null)")
        # what is in an object, as far as it was kept
        screen.press("2")
        screen.press("\x1b[C")
        await screen.sees("▾ this", "taken = ")
        screen.press("1")
        screen.press(F5)
        await screen.sees(f"recorded {number}, returned 1458", "sum = 1458")
        assert "sum = 0" in screen.text, "the values behind the lines"
        screen.press(F5)
        await screen.sees("this is the end of the recorded call", "'close' leaves it")
        # to the line of the cursor, back
        screen.press("g")
        await screen.sees("go to line:")
        screen.press(f"{PRICED.line('sum')}\r")
        await screen.sees(lambda: "go to line:" not in screen.text, what="the question to be answered")
        screen.press("t")
        await screen.stands_at("int sum = 0;")
        # back to what is live; there the keys are those of the target
        screen.press("q")
        await screen.sees(f"recorded call {number} is closed", "Stack of main", "F5 go")
        await screen.stands_at('System.out.println("closed")')
        screen.press("r")
        await screen.sees("no recorded call is open")
        screen.press(F5)
        await screen.sees("exited")
        screen.press("q")
        await screen.sees("leave the debugger?")
        screen.press("y\r")
        assert await screen.terminal.wait_exit() == 0


@pytest.mark.parametrize("shown_is", AT_BOTTOM)
@pytest.mark.parametrize("columns", [10, 40, 80, 200])
def test_keys_at_the_bottom_fit(columns: int, shown_is: str) -> None:
    line = bottom(columns, shown_is)
    assert line[-2:] == [("class:keys.key", " ?"), ("class:keys", " keys")]
    assert width(line) <= columns

"""Random keys, sizes and floods by a seed: the screen stays, no traceback is shown, and the terminal is restored.

A short walk in the suite; a long one by hand: ``JDBPY_SCREEN_STEPS=5000 pytest tests/cli/full_screen/test_random.py``.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

from tests.cli.full_screen.screens import (
    BACK,
    DOWN,
    F5,
    F7,
    F8,
    F9,
    F10,
    F11,
    LEFT,
    RIGHT,
    SHIFT_F8,
    TAB,
    UP,
    FullTerminal,
    full_screen,
    launched,
    restored,
)
from tests.harness import Jvm, program

STEPS = int(os.environ.get("JDBPY_SCREEN_STEPS", "60"))

EMPTY = "\x05\x15"
"""Deletes what is on the line, wherever the cursor is."""

KEYS = (
    *(
        F5,
        F7,
        F8,
        F9,
        F10,
        F11,
        SHIFT_F8,
        UP,
        DOWN,
        LEFT,
        RIGHT,
        TAB,
        "\x1b[Z",
        "\x1b[H",
        "\x1b[F",
        "\x1b[5~",
        "\x1b[6~",
    ),
    *"nsfcbutdBhjkGzoyY+-<>.,?1234567",
    *("\r", " ", "?", "p", "\x0c"),
    *(
        "/turn\r",
        "g5\r",
        "g999\r",
        "wtotal\r",
        "x",
        ":locals\r",
        ":list\r",
        ":threads\r",
        ":print this\r",
        ":where all\r",
        ":run\r",
    ),
    *(":screen output 8\r", ":screen stack off\r", ":screen stack on\r", ":screen source only\r", ":no such thing\r"),
    *("\x1b[<0;1;5M\x1b[<0;1;5m", "\x1b[<0;70;4M\x1b[<0;70;4m", "\x1b[<64;5;5M", "\x1b[<65;70;9M", "\x1b[<0;10;1M"),
)


async def walk(screen: FullTerminal, chosen: random.Random, steps: int) -> None:
    """Press keys and change the size of the window; now and then wait until the screen has answered."""
    done: list[str | tuple[int, int]] = []
    for step in range(steps):
        if chosen.random() < 0.15:
            size = (chosen.randint(20, 250), chosen.randint(5, 60))
            done.append(size)
            screen.terminal.resize(*size)
        else:
            key = chosen.choice(KEYS)
            done.append(key)
            screen.press(key)
        if step % 10 == 9:
            screen.terminal.resize(100, 30)
            await settled(screen, f"step {step}, after {done[-30:]}")


async def settled(screen: FullTerminal, when: str) -> None:
    """A command is answered: what was pressed before has been dealt with."""
    screen.press(f"{BACK}\r:{EMPTY}screen jvms off\r{BACK}")
    await screen.sees(lambda: "6 JVMs" not in screen.text, what=f"no pane of JVMs, {when}")
    screen.press(f"{BACK}\r:{EMPTY}screen jvms on\r{BACK}")
    await screen.sees(lambda: "6 JVMs" in screen.text, what=f"a pane of JVMs, {when}")
    assert "Traceback" not in screen.terminal.sent
    assert "internal error" not in screen.terminal.sent


async def test_random_keys_sizes_and_floods(any_jvm: Jvm, tmp_path: Path) -> None:
    seed = int(os.environ.get("JDBPY_SCREEN_SEED", "1"))
    async with full_screen(launched(program("Panes"), any_jvm), tmp_path) as screen:
        await screen.sees("Ready to start")
        await screen.command("stop in Panes.turn")
        await walk(screen, random.Random(seed), STEPS)
        screen.press(f":{EMPTY}quit\r")  # from a pane, or from the command line
        await screen.terminal.wait_exit()
        assert screen.terminal.modes == screen.terminal.modes_before
        assert restored(screen)

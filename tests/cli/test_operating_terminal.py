"""`top` on a pseudo-terminal: a table that is shown over the one before, until Ctrl-C, and the prompt behind it."""

from __future__ import annotations

from pathlib import Path

from tests.cli.prompt import CTRL_C, CTRL_D, attached
from tests.harness import Jvm


async def test_top_is_shown_in_place_and_ends_in_good_order(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path, suspend=True) as (terminal, target):
        await terminal.prompt("main[1]")
        await terminal.run("break thread Ticker.tick", "reakpoint 1", then="main[1]")
        await terminal.run("cont", then=">")
        await target.send()
        await terminal.expect("Breakpoint 1 hit")
        await terminal.prompt("main[1]")
        seen = set[str]()

        def heads() -> list[str]:
            return [line for line in terminal.screen.text.splitlines() if "threads: cpu" in line]

        def several() -> bool:
            seen.update(heads())
            return len(seen) > 2

        terminal.type("top -n 3 every 100ms\r")
        await terminal.wait_until(several, "several tables, one after the other")
        terminal.type(CTRL_C)
        await terminal.prompt("main[1]")
        assert len(heads()) == 1
        assert "interrupted" not in terminal.screen.text
        assert terminal.screen.text.count("pools:") == 1
        await terminal.run("print 20 + 3", "= 23", then="main[1]")
        terminal.type(CTRL_D)
        assert await terminal.wait_exit() == 0
        assert terminal.modes == terminal.modes_before

"""`profile` on a pseudo-terminal: how far it is, Ctrl-C that ends it early, in one JVM and in several."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.process import jdbpy
from tests.cli.prompt import CTRL_C, CTRL_D
from tests.cli.pseudo_terminal import PseudoTerminal, open_terminal
from tests.harness import LIMIT, Jvm, program, start_target, within

SECONDS = 5
"""In which a JVM has begun, and is seen many times."""


async def goes_on(terminal: PseudoTerminal) -> None:
    """Wait until a line has said again and again how far it is, each time in the place of the last one."""
    seen = set[str]()

    def several() -> bool:
        text = terminal.screen.text
        seen.update(re.findall(r"profiling .* (\d+) of 600 s; Ctrl-C ends it", text))
        assert text.count("of 600 s") <= 1
        return len(seen) > 1 and max(map(int, seen)) >= SECONDS

    await terminal.wait_until(several, "a profile that says how far it is")


async def test_ctrl_c_ends_a_profile_early_and_shows_what_there_is(jvm: Jvm, tmp_path: Path) -> None:
    async with (
        start_target(jvm, program("Shares"), suspend=False) as one,
        start_target(jvm, program("Shares"), suspend=False) as two,
    ):
        await one.wait_output("ready")
        await two.wait_output("ready")
        words = ["attach", f"a={one.address}", f"b={two.address}"]
        async with open_terminal(words, tmp_path, columns=100, lines=50) as terminal:
            with within(2 * LIMIT):
                await terminal.prompt("a>")
                terminal.type("profile 10m\r")
                await goes_on(terminal)
                terminal.type(CTRL_C)
                await terminal.expect("time on the processor:", "Shares.half", "a sample every")
                await terminal.prompt("a>")
                assert "of 600 s" not in terminal.screen.text
                file = tmp_path / "both.collapsed"
                terminal.type(f"each profile 10m to {file}\r")
                await goes_on(terminal)
                terminal.type(CTRL_C)
                await terminal.expect("written: ")  # what there is: on a busy machine one may have only begun
                await terminal.prompt("a>")
                stacks = file.read_text()
                assert re.search(r"^[ab];.*;Shares\.(half|third|rest) \d+$", stacks, re.MULTILINE), stacks
                terminal.type(CTRL_D)
                await terminal.wait_exit()


async def test_each_profile_shows_those_of_all_jvms(any_jvm: Jvm) -> None:
    async with (
        start_target(any_jvm, program("Shares"), suspend=False) as one,
        start_target(any_jvm, program("Shares"), suspend=False) as two,
    ):
        await one.wait_output("ready")
        await two.wait_output("ready")
        done = await jdbpy(
            "attach", f"a={one.address}", f"b={two.address}", "--json", "-c", "each profile 3s", "-c",
            "each profile 3s --fold",
        )  # fmt: skip
        assert done.status == 0, (done.err, done.out)
        apart, together = (each["data"] for each in done.results)
        for item in apart["results"]:
            assert "Shares.half" in [row["method"] for row in item["data"]["methods"]]
        assert [item["jvm"] for item in apart["results"]] == ["a", "b"]
        assert {row["method"] for row in together["tree"] if not row["depth"]} == {"a", "b"}
        assert {"computer in a", "computer in b"} <= {row["name"] for row in together["threads"]}

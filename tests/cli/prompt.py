"""jdbpy at its prompt on a pseudo-terminal, attached to a real JVM: for tests of what a person sees."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.cli.pseudo_terminal import PseudoTerminal, open_terminal
from tests.harness import Jvm, Target, start_target
from tests.harness.processes import halt

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


async def selected(terminal: PseudoTerminal) -> str:
    """Waits until a thread is selected; returns the prompt that says which."""
    await terminal.wait_until(lambda: terminal.screen.cursor_line.endswith("[1]"), "a selected thread")
    return terminal.screen.cursor_line


async def run_without_answer(terminal: PseudoTerminal, target: Target) -> None:
    """Begins a command that the target, which is halted, does not answer."""
    await terminal.prompt(">")
    await halt(target.pid)
    terminal.type("threads\r")
    await terminal.expect("threads")
    await terminal.wait_until(lambda: terminal.modes == terminal.modes_before, "the command to run")


async def ticks(target: Target) -> None:
    """The target runs: it answers."""
    before = target.stdout.count("tick")
    await target.send()
    await target.wait_output(f"tick {before + 1}")

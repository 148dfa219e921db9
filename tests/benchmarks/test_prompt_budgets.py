"""Round-trip budgets at the prompt on a terminal, where no source is at hand: those of a batch."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from benchmarks.bench import TARGETS
from benchmarks.relay import Relay, open_relay
from jdbpy.cli.commands import TABLE
from jdbpy.cli.context import Context
from jdbpy.cli.repl.completion_refresh import Known, NamesRefresher
from jdbpy.task_groups import open_nursery
from tests.benchmarks.counted import LOOK, at
from tests.cli.prompt import selected
from tests.cli.pseudo_terminal import PseudoTerminal, open_terminal
from tests.harness import Jvm, program, start_target

RTT = 0.12
"""A link that counts as slow."""

BUDGETS = (
    ("locals", 5),
    ("dump words", 5),
    ("dump data", 5),
    ("print number", 1),
    ("print words[3].length()", 5),
    ("locals", 3),
    ("dump words", 2),
)
"""The commands in order, and the trips that each may take."""

AT_A_STOP = 6
"""Trips for the names that completion offers, once for a stop, and behind the command that came meanwhile."""


@asynccontextmanager
async def at_look(jvm: Jvm, home: Path, **environ: str) -> AsyncIterator[tuple[PseudoTerminal, Relay, str]]:
    """At the prompt of a stop behind a link, in a directory without sources; and how the prompt begins there."""
    target_program = program(LOOK.program, where=TARGETS)
    async with start_target(jvm, target_program, suspend=False) as target:
        await target.wait_output("ready")
        link = open_relay(target.address, rtt=RTT)
        async with link as relay, open_terminal(["attach", relay.address], home, environ=environ) as terminal:
            await terminal.prompt(">")
            terminal.type(f"stop at {LOOK.text}\r")
            await terminal.expect("Breakpoint 1", "Breakpoint 1 hit")
            yield terminal, relay, await selected(terminal)


async def trips(terminal: PseudoTerminal, relay: Relay, prompt: str) -> list[tuple[str, int]]:
    """Runs the commands; gives the round trips of each until the prompt is back."""
    found = []
    for line, _ in BUDGETS:
        before = relay.traffic()
        terminal.type(line)
        await terminal.prompt(f"{prompt} {line}")
        terminal.type("\r")
        await terminal.prompt(prompt)
        found.append((line, relay.traffic().since(before).waves))
    return found


async def test_a_terminal_that_only_scrolls(jvm: Jvm, tmp_path: Path) -> None:
    """Nothing is read there but what commands ask for."""
    async with at_look(jvm, tmp_path, TERM="dumb") as (terminal, relay, prompt):
        found = await trips(terminal, relay, prompt)
    assert found == [(line, min(waves, budget)) for (line, waves), (_, budget) in zip(found, BUDGETS, strict=True)]


async def test_a_terminal_with_completion(jvm: Jvm, tmp_path: Path) -> None:
    """Completion reads names behind the stop, not behind every command; and waits while one runs."""
    async with at_look(jvm, tmp_path, PAGER="cat") as (terminal, relay, prompt):
        found = await trips(terminal, relay, prompt)
    late = sum(max(0, waves - budget) for (_, waves), (_, budget) in zip(found, BUDGETS, strict=True))
    assert late <= AT_A_STOP, found


class Told(Known):
    """Tells when names are known anew, but for classes on disk: the search for these takes its own time."""

    def __init__(self) -> None:
        self.renewed = trio.Event()
        super().__init__(TABLE)

    def __setattr__(self, name: str, value: object) -> None:
        before = getattr(self, "names", None)
        super().__setattr__(name, value)
        if name == "names" and (before is None or before.not_loaded is self.names.not_loaded):
            self.renewed.set()


async def test_names_are_read_once_at_a_stop(jvm: Jvm) -> None:
    """After a command that has run nothing no trip is made for completion; in another frame one is."""
    async with at(LOOK, jvm) as counted, open_nursery() as nursery:
        known = Told()
        names = NamesRefresher(Context(counted.session), known)
        nursery.start_soon(names.run)

        async def refreshed() -> int:
            before = counted.relay.traffic()
            known.renewed = trio.Event()
            with names.held():
                pass
            await known.renewed.wait()
            return counted.relay.traffic().since(before).commands

        assert await refreshed() > 0
        assert "words" in dict(known.names.variables)
        assert await counted.waves(counted.session.values.evaluate("number")) == 0
        assert await refreshed() == 0
        assert "words" in dict(known.names.variables)
        await counted.session.select_frame(2)
        assert await refreshed() > 0
        assert "args" in dict(known.names.variables)
        nursery.cancel_scope.cancel()

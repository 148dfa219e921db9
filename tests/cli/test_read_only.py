"""Every command of the manual in a read-only session: by the wire log nothing left that changes the target."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import trio

import jdbpy
from jdbpy import Options, StateError, VmState
from jdbpy.cli.commands import TABLE
from jdbpy.cli.context import Context
from jdbpy.cli.interpreter import Interpreter
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.table import CliCommand
from jdbpy.record import Record
from jdbpy.wire.command import all_commands
from jdbpy.wire.effects import Effect, effect_of
from tests.cli import (
    test_code_commands as code,
    test_commands as general,
    test_condition_commands as conditions,
    test_event_commands as events,
    test_heap_commands as heap,
    test_recording_commands as recording,
    test_restarts as restarts,
    test_thread_commands as threads,
    test_vm_commands as vm,
)
from tests.harness import LIMIT, Jvm, Program, start_target, within

_SENT = re.compile(r"[\d. ]+ -> #\d+ (\S+) ?(.*)")
_EFFECTS = {command.NAME: effect_of(command) for command in all_commands()}


class Part(Record):
    """A script of commands, the program it is for, and lines before it."""

    program: Program
    steps: Callable[[Path], list[tuple[str, Any]]]
    before: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()


PARTS = {
    "general": Part(general.LEDGER, general.steps),
    "code": Part(code.SWAPPED, code.steps, ("stop in Swapped.next", "run")),
    "conditions": Part(conditions.ROUNDS, conditions.steps),
    "events": Part(events.HAPPENINGS, events.steps, (), ("methods", "fields", "exceptions")),
    "heap": Part(heap.HOARD, heap.steps, ("stop in Hoard.work", "run")),
    "recording": Part(recording.PRICED, recording.steps),
    "restarts": Part(restarts.HELLO, restarts.steps, (), ("a", "b")),
    "threads": Part(threads.LOCKS, threads.steps, ("run",)),
    "vm": Part(vm.LEDGER, vm.steps, ("stop in Ledger.total", "run")),
}


def sent(log: Path) -> list[tuple[str, str]]:
    """The commands of a wire log, with their fields in words."""
    return [(found[1], found[2]) for found in map(_SENT.match, log.read_text().splitlines()) if found]


def harmful(log: Path, *, allow_suspend: bool) -> list[tuple[str, str]]:
    """The commands that should not have left in a read-only session."""
    return [
        (name, fields)
        for name, fields in sent(log)
        if _EFFECTS[name] is Effect.CHANGES
        or (_EFFECTS[name] is Effect.SUSPENDS and not allow_suspend and "suspendPolicy=NONE" not in fields)
    ]


class Tried:
    """Lines that are run in a session, with their outcomes; after one that resumes, the next stop is waited for."""

    def __init__(self, session: jdbpy.Session, *, stops: bool) -> None:
        self.session = session
        self.outcomes: list[Outcome] = []
        self._stops = stops
        context = Context(session)
        context.wait = _waits_for_nothing
        self._interpreter = Interpreter(TABLE, context, self.outcomes.append, self._settle)

    async def run(self, line: str) -> None:
        if self._stops and self.session.state is VmState.RUNNING and not line.startswith(("pause", "detach")):
            with suppress(StateError):  # it has stopped meanwhile
                await self.session.execution.pause()
        with within(LIMIT):
            await self._interpreter.run(line)

    async def _settle(self, command: CliCommand, result: Record) -> Record:
        if self._stops and self.session.points.list():
            with trio.move_on_after(2):  # what was refused may be what would have led to a stop
                await self.session.next_stop()
        return result

    @property
    def refused(self) -> set[str]:
        """The lines that were refused because the session is read-only."""
        return {each.line for each in self.outcomes if each.error is not None and each.error.code == "READ_ONLY"}


async def _waits_for_nothing(seconds: float) -> bool:
    return False


@asynccontextmanager
async def trying(jvm: Jvm, part: Part, log: Path, *, allow_suspend: bool) -> AsyncIterator[Tried]:
    options = Options(
        read_only=True, allow_suspend=allow_suspend, wire_log=str(log), source_path=(part.program.sources,)
    )
    async with (
        start_target(jvm, part.program, *part.arguments) as target,
        jdbpy.attach_session(target.address, options=options) as session,
    ):
        yield Tried(session, stops=allow_suspend)


def lines_of(part: Part, directory: Path) -> Sequence[str]:
    snapshots = [f"snapshot {directory / 'hoard.jdbpy'}", "find gold"] if part is PARTS["heap"] else []
    return [*part.before, *(line for line, _ in part.steps(directory)), *snapshots, *general.REFUSED]


@pytest.mark.parametrize("allow_suspend", [False, True], ids=["plain", "allow-suspend"])
@pytest.mark.parametrize("name", PARTS)
async def test_nothing_leaves_that_changes_the_target(jvm: Jvm, name: str, allow_suspend: bool, tmp_path: Path) -> None:
    part, log = PARTS[name], tmp_path / "wire.log"
    async with trying(jvm, part, log, allow_suspend=allow_suspend) as tried:
        for line in lines_of(part, tmp_path):
            await tried.run(line)
    assert sent(log)
    assert harmful(log, allow_suspend=allow_suspend) == []
    assert tried.refused or (allow_suspend and name in ("conditions", "events", "restarts"))
    bugs = [each for each in tried.outcomes if each.error is not None and each.error.code == "JDBPY_FAULT"]
    assert not bugs


def test_every_command_of_the_manual_is_tried() -> None:
    lines = [line for part in PARTS.values() for line in lines_of(part, Path())]
    assert {found.command.name for found in map(TABLE.find, lines) if found} == {each.name for each in TABLE}

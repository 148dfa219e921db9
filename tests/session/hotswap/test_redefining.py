"""After a redefinition the ids of former code are asked for before anything runs: later a VM may crash at that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jdbpy import SuspendPolicy
from jdbpy.session.events.redefining import GROWS_BEFORE, redefine
from jdbpy.wire.command import Command
from jdbpy.wire.messages import thread_reference, virtual_machine
from tests.harness import LIMIT, Debugging, Jvm, debug, program, within

BUSY = program("Busy")
CLASS_FILE = Path(BUSY.classes, "Busy.class").read_bytes()


def sent_by(d: Debugging, monkeypatch: pytest.MonkeyPatch) -> list[Command[Any]]:
    """The commands that leave from now on."""
    conn, sent = d.session._target.conn, list[Command[Any]]()
    submit = conn.submit

    def noted(command: Command[Any], *arguments: Any, **named: Any) -> Any:
        sent.append(command)
        return submit(command, *arguments, **named)

    monkeypatch.setattr(conn, "submit", noted)
    return sent


def all_are_asked_before_they_run(sent: list[Command[Any]]) -> bool:
    """True if each redefinition is followed by AllThreads and Frames of whole stacks, before any resume."""
    changes = [at for at, command in enumerate(sent) if isinstance(command, virtual_machine.RedefineClasses)]
    assert changes
    for at in changes:
        behind = sent[at + 1 :]
        asked = [each for each in behind if isinstance(each, thread_reference.Frames) and each.length == -1]
        runs = (virtual_machine.Resume, thread_reference.Resume)
        first_run = next((n for n, each in enumerate(behind) if isinstance(each, runs)), len(behind))
        if not asked or behind.index(asked[-1]) > first_run:
            return False
    return True


async def test_checks_that_are_put_in_and_taken_out(jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    with within(LIMIT):
        async with debug(jvm, "Heated", suspend=False) as d:
            sent = sent_by(d, monkeypatch)
            place = d.at("passed", "Kettle")
            policy = SuspendPolicy.THREAD
            point = await d.session.breakpoints.add(place, policy=policy, condition="i < 0", woven=True)
            turns = 0
            while not d.session.breakpoints.get(point.number).in_target:
                turns += 1
                await d.target.send(f"loop {turns}")
                await d.target.wait_output(f"done loop {turns} ")
            assert await d.session.instrumentation.remove() == ["Kettle"]
            assert all_are_asked_before_they_run(sent) is (jvm.feature < GROWS_BEFORE)
            await d.session.breakpoints.remove([point.number])


async def test_a_hot_swap_of_a_program_that_runs(jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    """All are suspended for it, and run afterwards."""
    with within(LIMIT):
        async with debug(jvm, BUSY, "4", suspend=False) as d:
            await d.target.wait_output("ready")
            [found] = await d.session._target.types.by_signature("LBusy;")
            sent = sent_by(d, monkeypatch)
            await redefine(d.session._target, [virtual_machine.ClassDef(found.id, CLASS_FILE)])
            before = jvm.feature < GROWS_BEFORE
            assert all_are_asked_before_they_run(sent) is before
            kinds = [type(each) for each in sent]
            assert kinds.count(virtual_machine.Suspend) == kinds.count(virtual_machine.Resume) == int(before)
            await d.target.send("count")
            await d.target.wait_output("count ")

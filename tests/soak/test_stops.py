"""A few random sessions on a program with several threads keep the rules of stops; see ``stops``."""

from __future__ import annotations

from pathlib import Path

import pytest

import jdbpy
from tests.harness import LIMIT, Jvm, within
from tests.soak import stops
from tests.soak.doors import ApiDoor, Door, batch_door, dap_door
from tests.soak.trial import Run

TRIES = {"words": 4, "link": 1, "process": 1, "dap": 2, "two": 1}


@pytest.mark.parametrize("kind", TRIES)
async def test_what_is_shown_as_a_stop_is_one(
    jvm: Jvm, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stops, "ONLY", [kind])
    monkeypatch.setattr(stops, "WORDS", 15)
    run = Run("stops", jvm, tmp_path, seed=1, seconds=1000, tries=TRIES[kind])
    await stops.run(run)
    outcome = run.finish()
    assert outcome.tries == TRIES[kind]
    assert not outcome.failures


async def test_each_front_end_tells_who_owns_a_lock(jvm: Jvm) -> None:
    """So a step that waits for what the client itself keeps suspended is told from one that is lost."""
    async with stops.crew(jvm) as program:
        for kind in ("words", "api", "dap"):
            with within(LIMIT):
                address = await program.address()
                if kind == "dap":
                    async with dap_door(program.target, "thread") as dap:
                        await _owner_is_told(dap)
                    continue
                async with jdbpy.attach_session(address) as session:
                    if kind == "api":
                        await _owner_is_told(ApiDoor(session))
                        continue
                    async with batch_door(session, typed=False) as batch:
                        await _owner_is_told(batch)


async def _owner_is_told(door: Door) -> None:
    for word in ("set hold thread", 'stop thread in Crew.guarded if name.equals("w1")', "cont", "next"):
        [*_, result] = shown = await door.ask(word)
        assert result["ok"], shown
    assert any(each.get("event") == "stop" and each["data"]["reason"] == "step" for each in shown), shown
    while not (lock := await door.lock("Crew.LOCK")).entering:
        assert lock.owner == "worker-1"
    assert lock.owner == "worker-1"

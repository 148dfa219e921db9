"""A few tries of each trial: it can be run, and what it shows holds. ``./dev soak`` runs them for longer."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.harness import Jvm, program
from tests.soak import (
    changes,
    conversations,
    crowds,
    endurance,
    floods,
    fuzz,
    leavings,
    mutations,
    recordings_of_calls,
    signals,
    spoilt_files,
    table,
    tasks,
    weaves,
)
from tests.soak.busy import busy
from tests.soak.second_debugger import second_debugger
from tests.soak.trial import Run
from tests.weaving.programs import read_directory, write_jar

SUSPEND, RESUME, SET = (1, 8), (1, 9), (15, 1)
METHOD_ENTRY = (  # once: events that are left behind an agent that is busy would be the next debugger's
    bytes([40, 0])
    + (2).to_bytes(4, "big")
    + bytes([5])
    + (4).to_bytes(4, "big")
    + b"Busy"
    + b"\1"
    + (1).to_bytes(4, "big")
)
"""A request for entries of methods of Busy, of suspend policy NONE."""


@pytest.fixture(autouse=True)
def few_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use three busy threads, fewer than a soak has: other tests run at the same time."""
    monkeypatch.setattr("tests.soak.busy.THREADS", 3)


async def hold(trial: Callable[[Run], Awaitable[None]], run: Run) -> None:
    """Run a trial; none of its tries may fail."""
    await trial(run)
    outcome = run.finish()
    assert outcome.tries >= run.tries
    assert not outcome.failures


@pytest.mark.parametrize(
    "kind", ["framing", "codec", "greeting", "answers", "events", "command lines", "expressions", "class files"]
)
async def test_input_that_is_no_good(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz, "KINDS", {kind: fuzz.KINDS[kind]})
    tries = {"framing": 150, "codec": 500, "expressions": 60, "class files": 60}.get(kind, 20)
    await hold(fuzz.run, Run("fuzz", None, tmp_path, seed=1, seconds=1000, tries=tries))


async def test_leavings(jvm: Jvm, tmp_path: Path) -> None:
    await hold(leavings.run, Run("leavings", jvm, tmp_path, seed=1, seconds=1000, tries=5))


async def test_signals(jvm: Jvm, tmp_path: Path) -> None:
    await hold(signals.run, Run("signals", jvm, tmp_path, seed=1, seconds=1000, tries=2))


async def test_mutated_sessions(jvm: Jvm, tmp_path: Path) -> None:
    await hold(mutations.run, Run("mutations", jvm, tmp_path, seed=1, seconds=1000, tries=3))


async def test_changed_conversations_of_the_doors(jvm: Jvm, tmp_path: Path) -> None:
    run = Run("conversations", jvm, tmp_path, seed=1, seconds=1000, tries=15)
    await hold(conversations.run, run)
    assert set(run.outcome.kinds) == {"dap", "json", "prompt", "objects", "mcp"}


@pytest.mark.parametrize("kind", ["snapshots", "recordings"])
async def test_changed_files(jvm: Jvm, tmp_path: Path, kind: str) -> None:
    await hold(getattr(spoilt_files, kind), Run(kind, jvm, tmp_path, seed=1, seconds=1000, tries=12))


async def test_twenty_tasks(jvm: Jvm, tmp_path: Path) -> None:
    await hold(tasks.run, Run("tasks", jvm, tmp_path, seed=1, seconds=1000, tries=1))


async def test_rounds_in_one_session(jvm: Jvm, tmp_path: Path) -> None:
    await hold(endurance.run, Run("endurance", jvm, tmp_path, seed=1, seconds=1000, tries=90))


async def test_floods(jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(floods, "SECONDS", 0.1)
    await hold(floods.run, Run("floods", jvm, tmp_path, seed=1, seconds=1000, tries=len(floods.FLOODS)))


async def test_a_class_that_is_changed_while_threads_are_in_it(jvm: Jvm, tmp_path: Path) -> None:
    await hold(changes.run, Run("changes", jvm, tmp_path, seed=1, seconds=1000, tries=1))


async def test_many_breakpoints(jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowds, "BREAKPOINTS", 150)
    await hold(crowds.run, Run("crowds", jvm, tmp_path, seed=1, seconds=1000, tries=1))


async def test_a_recorded_program_that_logs_itself(jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops of all kinds, many variables, calls with a gap: each line, store and count is the program's."""
    monkeypatch.setattr(recordings_of_calls, "LINES", 2_000)
    monkeypatch.setattr(recordings_of_calls, "METHODS", 3)
    await hold(recordings_of_calls.run, Run("recorded", jvm, tmp_path, seed=11, seconds=1000, tries=1))


async def test_woven_programs(jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small program that has all that is hard to weave, and some passes over a condition."""
    jar = tmp_path / "woven.jar"
    write_jar(jar, None, read_directory(Path(program("Woven").classes)))
    monkeypatch.setattr(weaves, "SUBJECTS", (weaves.Subject("Woven", jar, "Woven", lambda out: []),))
    monkeypatch.setattr(weaves, "PASSES", 4_000_000)
    monkeypatch.setattr(weaves, "WARM_UP", 1_000_000)
    await hold(weaves.run, run := Run("weaves", jvm, tmp_path, seed=4, seconds=1000, tries=4))
    assert all(
        "refused: none" in run.outcome.figures[name] for name in ("Woven", "Woven, around methods", "Woven, recorded")
    )


async def test_the_second_debugger_sees_what_a_first_has_left(jvm: Jvm) -> None:
    async with busy(jvm) as target:
        with second_debugger(int((await target.address()).rpartition(":")[2])) as debugger:
            assert debugger.suspended() == {}
            debugger.ask(SUSPEND)
            assert {"main", "busy-0", "busy-2"} <= set(debugger.suspended())
            debugger.ask(RESUME)
            debugger.ask(SET, METHOD_ENTRY)
            while not debugger.events:
                debugger.threads()
            assert debugger.events[0][0] == METHOD_ENTRY[0]
        await target.verify()


def test_a_failure_is_counted_and_says_how_to_repeat_it(tmp_path: Path) -> None:
    run = Run("fuzz", None, tmp_path, seed=40, seconds=1000, tries=3)
    for seed in run.seeds():
        with run.attempt(seed, "codec"):
            assert seed == 40, f"took {seed} seconds"
    outcome = run.finish()
    assert (outcome.tries, outcome.failed, len(outcome.failures)) == (3, 2, 1)
    assert '"kinds": {"codec": 3}' in json.dumps(outcome.to_dict())
    shown = table.plain([outcome])
    assert "FAILED ./dev soak --only fuzz --seed 41 --tries 1   (2 times)\n       codec: took 41 seconds" in shown
    assert "| fuzz | - | 3 | 2 |  |" in table.markdown([outcome], 5)

"""A few tries of each trial: it can be run, and what it shows holds. ``./dev soak`` runs them for longer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.harness import Jvm
from tests.soak import crowds, endurance, floods, fuzz, leavings, signals
from tests.soak.trial import Run


async def hold(trial: Callable[[Run], Awaitable[None]], run: Run) -> None:
    """Run a trial; none of its tries may fail."""
    await trial(run)
    outcome = run.finish()
    assert outcome.tries >= run.tries
    assert not outcome.failures


@pytest.mark.parametrize("kind", ["framing", "codec", "greeting", "answers", "command lines", "expressions"])
async def test_input_that_is_no_good(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz, "KINDS", {kind: fuzz.KINDS[kind]})
    tries = {"framing": 300, "codec": 1500, "expressions": 150}.get(kind, 20)
    await hold(fuzz.run, Run("fuzz", None, tmp_path, seed=1, seconds=1000, tries=tries))


async def test_leavings(jvm: Jvm, tmp_path: Path) -> None:
    await hold(leavings.run, Run("leavings", jvm, tmp_path, seed=1, seconds=1000, tries=9))


async def test_signals(jvm: Jvm, tmp_path: Path) -> None:
    await hold(signals.run, Run("signals", jvm, tmp_path, seed=1, seconds=1000, tries=3))


async def test_rounds_in_one_session(jvm: Jvm, tmp_path: Path) -> None:
    await hold(endurance.run, Run("endurance", jvm, tmp_path, seed=1, seconds=1000, tries=90))


async def test_floods(jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(floods, "SECONDS", 0.3)
    await hold(floods.run, Run("floods", jvm, tmp_path, seed=1, seconds=1000, tries=len(floods.FLOODS)))


async def test_many_breakpoints(jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowds, "BREAKPOINTS", 150)
    await hold(crowds.run, Run("crowds", jvm, tmp_path, seed=1, seconds=1000, tries=1))

"""A few tries of each trial: it can be run, and what it shows holds. ``./dev soak`` runs them for longer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.soak import fuzz
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

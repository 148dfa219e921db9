"""A few random sessions on a program with several threads keep the rules of stops; see ``stops``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness import Jvm
from tests.soak import stops
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

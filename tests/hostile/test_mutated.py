"""Sessions whose packets are changed on their way: the debugger ends in time, with a status of the contract."""

from __future__ import annotations

import math
import resource

import pytest

from jdbpy.session.jvm import latency
from tests.harness import Jvm, program, start_target
from tests.hostile.agent import no_endless_loop
from tests.hostile.mutator import STATUSES, Outcome, mutated_session, mutated_sessions, record

pytestmark = pytest.mark.one_java

SESSIONS = 30
"""Of each run, on each Java version; ./dev soak runs thousands."""

MOST_MEMORY = 200 * 1024
"""Kilobytes that this process may grow by."""


def check(outcomes: list[Outcome]) -> None:
    failed = [f"seed {one.seed}, {one.changes}: {one.failure}" for one in outcomes if one.failure]
    assert not failed, "\n\n".join(failed)
    assert {one.status for one in outcomes} <= set(STATUSES)


async def test_sessions_that_are_played_again(jvm: Jvm) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with no_endless_loop(300):
        recorded = await record(jvm)
        check(await mutated_sessions(range(SESSIONS), recorded))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_MEMORY


async def test_a_session_without_changes_succeeds(any_jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tried above is a session that works: only what was changed makes it fail.

    On a busy machine the link may count as slow when the session is recorded, and not when it is played, or the other
    way around: then other questions are asked.
    """
    monkeypatch.setattr(latency, "HIGH", math.inf)
    recorded = await record(any_jvm)
    outcome = await mutated_session(None, recorded, timeout=20)
    assert (outcome.status, outcome.failure, outcome.changes) == (0, "", ()), outcome.text


async def test_sessions_with_a_real_jvm(jvm: Jvm) -> None:
    """Here the target acts on what a misled debugger asks of it, and runs on afterwards."""
    async with start_target(jvm, program("Prey"), suspend=False) as target:
        await target.wait_output("ready")
        with no_endless_loop(300):
            for seed in range(3):
                check([await mutated_session(seed, target.port)])
                await target.wait_listening(seed + 2)

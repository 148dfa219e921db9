"""Sessions whose packets are changed on their way: no hang, no traceback, no status outside the contract.

Recorded sessions with a real JVM are played again by the thousand: every other one has code woven, calls observed and a
snapshot taken.
"""

from __future__ import annotations

import resource
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.hostile.mutator import COMMANDS, COMMANDS_OF_CODE, LONGEST, mutated_session, record, side_by_side
from tests.hostile.recording import Recording
from tests.soak.trial import Run

LANES = 6
"""Sessions at a time: most of them wait for what never comes."""

MEMORY = 200
"""Megabytes that this process may have at most."""


async def run(run: Run) -> None:
    """Play sessions with changes for as long as there is time."""
    before = _megabytes()
    sources: list[tuple[Recording, tuple[str, ...]]] = [(await record(run.jvm), COMMANDS)]
    sources.append((await record(run.jvm, _commands(COMMANDS_OF_CODE, run.directory / "recorded")), COMMANDS_OF_CODE))
    pace = await _pace(run, *sources[0])
    statuses: Counter[int] = Counter()
    changes = 0

    async def play(seed: int) -> None:
        nonlocal changes
        with run.attempt(seed):
            recorded, commands = sources[seed % len(sources)]
            file = run.directory / str(seed)
            outcome = await mutated_session(
                seed,
                recorded,
                timeout=pace,
                greeting=10 * pace,
                longest=LONGEST + pace * len(commands) * 2,
                commands=_commands(commands, file),
            )
            file.unlink(missing_ok=True)
            changes += len(outcome.changes)
            statuses[outcome.status] += 1
            assert not outcome.failure, f"{outcome.failure} (changes: {', '.join(outcome.changes[-3:])})"
            if before < MEMORY:  # else an earlier trial has needed more
                assert _megabytes() < MEMORY, f"the memory of this process has reached {_megabytes()} MB"

    await side_by_side(run.seeds(), play, LANES if run.tries != 1 else 1)
    run.figure("changes", f"{changes:,}")
    run.figure("statuses", ", ".join(f"{count:,} times {status}" for status, count in sorted(statuses.items())))
    run.figure("memory", f"{_megabytes()} MB at most")


async def _pace(run: Run, recorded: Recording, commands: Sequence[str]) -> float:
    """Seconds that a command is to have: several times those that it takes where nothing is changed, here and now."""
    begun = time.monotonic()
    outcome = await mutated_session(None, recorded, timeout=60, longest=600, commands=commands)
    assert not outcome.failure, outcome.failure
    taken = time.monotonic() - begun
    run.figure("a session without changes", f"{taken:.2f} s")
    return min(5.0, max(0.3, 5 * taken / len(commands)))


def _commands(commands: Sequence[str], file: Path) -> list[str]:
    return [each.replace("{path}", str(file)) for each in commands]


def _megabytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

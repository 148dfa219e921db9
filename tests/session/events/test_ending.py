"""Threads that start and end all the time: no JVM crashes because one of them is asked what it must not be asked."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

import jdbpy
from jdbpy import Session, StepDepth
from jdbpy.errors import JdbpyError
from jdbpy.profiles.profile import SAMPLING
from tests.harness import LIMIT, Jvm, program, start_target, within
from tests.harness.standing import standing_rule


async def look_at_threads(session: Session, directory: Path) -> None:
    """Everything that looks at stacks or locks, while the program runs and while it stands still."""
    before = await session.threads.list()
    found = await session.profiler.profile(0.2, "wall", sampling=True)
    assert found.source == SAMPLING
    await session.vm.diagnostic_command("VM.uptime")  # in a thread of the debugger's own
    await session.locks.deadlocks()
    await session.snapshots.take(str(directory / "state"), depth=0)
    for thread in before[-8:]:
        with suppress(JdbpyError):  # it has ended
            await session.execution.suspend([thread.id])
            try:
                await session.stack.frames(thread.id, 0, 4)
                await session.locks.of([thread.id])
            finally:
                await session.execution.unsuspend([thread.id])
    await session.execution.pause()
    assert any(each.frames for each in await session.stack.all())
    await session.execution.resume()


async def test_no_thread_that_may_be_ending_is_asked_for_its_frames(
    any_jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before release 21 that may crash the JVM, as HotSpot 8 did with this program."""
    assert any_jvm.feature < 21
    brief = program("Brief")
    async with start_target(any_jvm, brief, suspend=False) as target:
        await target.wait_output("ready")
        with within(LIMIT), standing_rule(monkeypatch):
            async with jdbpy.attach_session(target.address) as session:
                await look_at_threads(session, tmp_path)
                await session.breakpoints.add(brief.at("beat"))
                await session.next_stop()
                await session.execution.step(StepDepth.OVER)

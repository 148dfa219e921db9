"""A JVM without the debugger agent says the same as with it: threads, states, frames, locks, deadlocks."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

import jdbpy
from jdbpy import Options, Session, StateError, VmState
from jdbpy.session.connect.without_agent import channel_of_process, session_over
from jdbpy.session.model.locks import LocksReport
from jdbpy.session.model.threads import StackTrace
from tests.harness import Jvm, start_target

Stack = tuple[str, str, tuple[tuple[str, str, str | None, int | None], ...]]


def stacks(traces: Iterable[StackTrace]) -> list[Stack]:
    """Names, states and frames of all threads that are not the agent's own."""
    found = []
    for trace in traces:
        places = [each.location for each in trace.frames]
        # the names of lambdas' classes have a number behind them, which is another one in each form before Java 15
        classes = [at.class_name.partition("$$Lambda")[0] for at in places]
        lines = [(at.method, at.source if at.line else None, at.line) for at in places]
        frames = tuple((name, *line) for name, line in zip(classes, lines, strict=True))
        if not trace.thread.name.startswith("JDWP ") and trace.thread.name != "Attach Listener":
            found.append((trace.thread.name, trace.thread.state, frames))
    return sorted(found)


def locks(report: LocksReport) -> list[object]:
    """What each thread holds and waits for, in words that say nothing of ids."""
    names = {each.thread.id: each.thread.name for each in report.threads}
    found = []
    for each in report.threads:
        held = sorted((lock.lock.type, str(lock.frame and lock.frame.location.method)) for lock in each.held)
        awaits = each.awaits
        wanted = awaits and (awaits.lock.type, awaits.how, awaits.owner and names[awaits.owner.id])
        if held or wanted:
            found.append((each.thread.name, held, wanted))
    return sorted(found, key=str)


async def deadlocked(session: Session) -> list[list[str]]:
    report = await session.locks.deadlocks()
    return sorted(sorted(each.thread.name for each in one.cycle) for one in report.deadlocks)


@pytest.mark.every_java
async def test_it_says_what_the_agent_says(jvm: Jvm) -> None:
    async with start_target(jvm, "EveryState", suspend=False) as target:
        await target.wait_output("settled")
        async with (
            jdbpy.attach_session(target.address) as debugger,
            channel_of_process(target.pid) as channel,
            session_over(channel, "here", Options()) as session,
        ):
            assert session.state is VmState.RUNNING
            assert debugger.info.version == session.info.version
            found = stacks(await session.stack.all())
            of_dump, dead = locks(await session.locks.of()), await deadlocked(session)
            assert session.selected_thread_name == "main"
            await debugger.execution.pause()
            assert found == stacks(await debugger.stack.all())
            assert of_dump == locks(await debugger.locks.of())
            assert dead == await deadlocked(debugger) == [["lock-a", "lock-b"], ["monitor-a", "monitor-b"]]
            await debugger.execution.resume()
            with pytest.raises(StateError, match="pausing the program needs the debugger agent"):
                await session.execution.pause()

"""Locks on real JVMs: who holds and who waits, one lock with its queue, and the three deadlocks of the program."""

from __future__ import annotations

import pytest

from jdbpy.errors import StateError
from jdbpy.session.inspect.locks import find_cycles
from jdbpy.session.model.locks import DeadlockReport, LocksReport, ThreadLocks
from jdbpy.session.model.vm import VmState
from tests.harness import Debugging, Jvm, debug

pytestmark = pytest.mark.one_java


def by_name(report: LocksReport) -> dict[str, ThreadLocks]:
    return {each.thread.name: each for each in report.threads}


def waits(each: ThreadLocks, d: Debugging) -> tuple[str, str, str | None, int | None]:
    """How it waits, what kind of lock for, who has to let go, and at which line."""
    assert each.awaits is not None
    owner = each.awaits.owner
    assert each.awaits.frame is not None
    return each.awaits.how, each.awaits.lock.kind, owner.name if owner else None, each.awaits.frame.location.line


def names(report: DeadlockReport) -> list[tuple[list[str], list[str]]]:
    """The threads of each deadlock and those behind it; a JVM may list threads oldest or newest first."""
    return sorted(
        (sorted(each.thread.name for each in one.cycle), sorted(each.thread.name for each in one.behind))
        for one in report.deadlocks
    )


DEADLOCKS = [(["abel", "cain"], []), (["adam", "eve"], ["behind"]), (["castor", "pollux"], [])]


@pytest.mark.every_java
async def test_what_threads_hold_and_want(jvm: Jvm) -> None:
    async with debug(jvm, "Locks") as d:
        await d.run_to("ready")
        line = d.program.line
        report = await d.session.locks.of()
        assert report.held_up is None, "the target stands anyway"
        threads = by_name(report)
        assert waits(threads["adam"], d) == ("enter", "monitor", "eve", line("wanted"))
        assert waits(threads["cain"], d) == ("acquire", "synchronizer", "abel", line("locked"))
        assert waits(threads["castor"], d) == ("join", "thread", "pollux", line("joined"))
        assert waits(threads["ringer"], d) == ("wait", "monitor", None, line("bell"))
        assert waits(threads["getter"], d)[:3] == ("get", "task", "worker")
        assert waits(threads["worker"], d)[0] == "park"
        assert threads["main"].awaits is None
        [held] = threads["main"].held
        assert held.frame is not None
        assert (held.lock.type, held.frame.location.line) == ("java.lang.Object", line("ready"))
        [left] = threads["adam"].held
        wanted = threads["eve"].awaits
        assert wanted is not None
        assert left.lock == wanted.lock
        assert left.frame is not None
        assert left.frame.location.method == "crossMonitors"
        only = await d.session.locks.of([threads["ringer"].thread.id])
        assert [each.thread.name for each in only.threads] == ["ringer"]


@pytest.mark.every_java
async def test_deadlocks(jvm: Jvm) -> None:
    async with debug(jvm, "Locks") as d:
        await d.run_to("ready")
        report = await d.session.locks.deadlocks()
        assert names(report) == DEADLOCKS
        assert report.held_up is None
        await d.resume()
        report = await d.session.locks.deadlocks()
        assert names(report) == DEADLOCKS, "of a target that runs, too"
        assert report.held_up is not None
        assert d.session.state is VmState.RUNNING
        await d.target.send("x\n")
        await d.wait_exit()


@pytest.mark.every_java
async def test_one_lock(jvm: Jvm) -> None:
    async with debug(jvm, "Locks") as d:
        await d.run_to("ready")

        async def state(expression: str) -> tuple[str | None, int, list[str], list[str]]:
            value = await d.session.values.evaluate(expression)
            assert value.id is not None
            found = await d.session.locks.state(value.id)
            return (
                found.owner.name if found.owner else None,
                found.entry_count,
                sorted(each.name for each in found.entering),
                [each.name for each in found.waiting],
            )

        assert await state("Locks.left") == ("adam", 1, ["behind", "eve"], [])
        assert await state("Locks.free") == ("main", 1, [], [])
        assert await state("Locks.bell") == (None, 0, [], ["ringer"])
        assert await state("Locks.first") == ("cain", 2, ["abel"], []), "locked twice"
        assert await state("Locks.called") == (None, 0, [], ["listener"]), "a condition of a lock"
        assert await state("Locks.ears") == (None, 0, [], [])
        assert await state("Locks.never") == (None, 0, ["worker"], [])
        with pytest.raises(StateError, match="null is not a lock"):
            await d.session.locks.state(0)
        with pytest.raises(StateError, match="no such object"):
            await d.session.locks.state(987654321)


@pytest.mark.usefixtures("nothing_ahead")
async def test_round_trips_do_not_grow(any_jvm: Jvm) -> None:
    costs = []
    for count in ("5", "150"):
        async with debug(any_jvm, "Crowd", count) as d:
            await d.run_to("ready", thread="main")
            before = d.session.statistics()
            found = await d.session.locks.of()
            costs.append(d.session.statistics().since(before).waves)
            assert len(found.threads) > int(count)
            blocked = by_name(found)["blocked"].awaits
            assert blocked is not None
            assert blocked.owner is not None
            assert blocked.owner.name == "main"
            assert (await d.session.locks.deadlocks()).deadlocks == ()
    assert max(costs) <= 16, "what runs side by side may meet in a wave, or just miss it"


def test_cycles() -> None:
    assert find_cycles({}) == []
    assert find_cycles({1: 2, 2: 3}) == []
    assert find_cycles({1: 1}) == [[1]]
    assert find_cycles({1: 2, 2: 3, 3: 1}) == [[1, 2, 3]]
    assert find_cycles({9: 2, 1: 2, 2: 3, 3: 2, 5: 6, 6: 5, 7: 9}) == [[2, 3], [5, 6]]


async def test_a_deadlock_of_virtual_threads(newest_jvm: Jvm) -> None:
    async with debug(newest_jvm, "Fibres") as d:
        await d.run_to("ready")
        assert names(await d.session.locks.deadlocks()) == [], "the agent has met none of them"
        [(cycle, behind)] = names(await d.session.locks.deadlocks(virtual=True))
        assert (sorted(cycle), behind) == (["warp", "weft"], [])


@pytest.mark.every_java
async def test_a_monitor_is_kept_free_for_a_suspended_thread(jvm: Jvm) -> None:
    """The program hangs as long as the thread that comes next is suspended: the state of the lock says so."""
    async with debug(jvm, "KeptFree") as d:
        await d.run_to("ready")
        bell = (await d.session.values.evaluate("KeptFree.BELL")).id
        assert bell is not None
        sleeper = await d.session.threads.find("sleeper")
        await d.session.execution.suspend([sleeper.id])
        await d.resume()
        state, lines = await d.session.locks.state(bell), 0
        while all(each.suspended for each in state.entering):  # one that comes late takes it, and is gone
            lines += 1
            await d.target.send("x")
            await d.target.wait_output(f"free {lines}")
            state = await d.session.locks.state(bell)
        for _ in range(3):
            assert state.owner is None and state.entering
            assert "suspended in its wait()" in state.note
            state = await d.session.locks.state(bell)
        await d.target.send("end")
        await d.session.execution.resume(sleeper.id)
        await d.target.wait_output("over")
        await d.wait_exit()

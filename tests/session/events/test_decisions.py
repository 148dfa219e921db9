"""Every hit is decided once, with a reason: the totals are compared with what the program itself has counted."""

from __future__ import annotations

import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio

import jdbpy
from jdbpy.errors import StateError, UsageError
from jdbpy.session.events.decisions import MOST, Decisions
from jdbpy.session.extension import Extension
from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.session.model.decisions import BreakpointHits, Decision, HitDecision, HitLog, HitOutcome
from jdbpy.session.model.options import StepDepth
from jdbpy.session.model.threads import ThreadRef
from tests.harness import LIMIT, Jvm, program, start_target, within

pytestmark = pytest.mark.one_java

CREW = program("Crew")
WORKERS = 8
PASSED = " + ".join(f"Crew.passed[{each}]" for each in range(WORKERS))


def totals(point: BreakpointHits) -> dict[Decision, int]:
    return {each.reason: each.count for each in point.totals}


async def of_point(session: jdbpy.Session, number: int, count: int = MOST) -> tuple[HitLog, BreakpointHits]:
    log = await session.decisions.latest(count, number)
    [point] = log.breakpoints
    assert point.number == number
    return log, point


async def to_stop(session: jdbpy.Session) -> jdbpy.Stopped:
    with within(LIMIT):
        stop = await session.execution.cont()
    assert isinstance(stop, jdbpy.Stopped)
    return stop


@asynccontextmanager
async def crew(jvm: Jvm, workers: int, options: jdbpy.Options | None = None) -> AsyncIterator[jdbpy.Session]:
    """A session with the program that counts its own passes, suspended at its start."""
    async with start_target(jvm, "Crew", str(workers)) as target:
        async with jdbpy.attach_session(target.address, options=options) as session:
            with within(LIMIT):
                await session.next_stop()
            yield session


@pytest.mark.parametrize("hold", [SuspendPolicy.ALL, SuspendPolicy.THREAD])
async def test_the_hits_of_eight_threads_are_all_decided(jvm: Jvm, hold: SuspendPolicy) -> None:
    async with crew(jvm, WORKERS) as session:
        await session.breakpoints.add("Crew.hit", condition="n % 5 == 0", policy=hold)
        for _ in range(12):
            assert (await to_stop(session)).breakpoint == 1
        await session.execution.suspend()
        log, point = await of_point(session, 1)
        counted = int((await session.values.evaluate(PASSED)).text)
        found = totals(point)
        decided = sum(found.values())
        # those that stand at the breakpoint are decided or on their way, and not counted by the program
        assert counted - WORKERS <= decided <= counted + WORKERS, (counted, found)
        assert found[Decision.SHOWN] >= 12
        assert found[Decision.CONDITION_FALSE] > found[Decision.SHOWN]
        assert {each.reason for each in log.hits} <= {*found, Decision.WAITING_TURN}
        assert {each.breakpoints for each in log.hits} == {(1,)}
        for each in log.hits:
            assert each.thread is not None and each.thread.name.startswith("worker-")
            assert each.location is not None and (each.location.class_name, each.location.method) == ("Crew", "hit")


async def test_each_way_out_has_its_reason(jvm: Jvm) -> None:
    """One thread, so that the numbers are known."""
    async with crew(jvm, 1) as session:
        points = session.breakpoints
        await points.add("Crew.hit", hits="3")  # 1
        await points.add("Crew.deep", ignore=5)  # 2
        await points.add("Crew.deeper", callers=("Nobody.calls",))  # 3
        await points.add("Crew.guarded", policy=SuspendPolicy.NONE)  # 4
        await points.add("Crew.slow")  # 5
        await points.add(CREW.at("kept"), condition="n / (n - n) > 0")  # 6
        assert "failed" in (await to_stop(session)).message
        assert (await to_stop(session)).breakpoint == 1
        await session.values.evaluate("Crew.slow(1)")
        found = {number: totals((await of_point(session, number))[1]) for number in range(1, 7)}
        assert found[1] == {Decision.HIT_COUNT: 2, Decision.SHOWN: 1}
        assert found[2] == {Decision.IGNORED: 2}
        assert found[3] == {Decision.CALLER: 4}
        assert sum(found[4].values()) == 2
        assert found[5] == {Decision.EVALUATION: 1}
        assert found[6] == {Decision.SHOWN: 1, Decision.CONDITION_FAILED: 1}


async def to_waiting(session: jdbpy.Session) -> HitDecision:
    """Run a method that lets all threads run, until a hit of another thread waits for its end."""
    while True:
        with within(LIMIT):
            await session.values.evaluate("Crew.slow(3)", others_run=True)
        log, point = await of_point(session, 1)
        waiting = [each for each in log.hits if each.outcome is HitOutcome.WAITING]
        assert len(waiting) == point.count(HitOutcome.WAITING)
        if waiting:
            return waiting[0]


def waiting_hits(log: HitLog) -> set[tuple[float, ThreadRef | None]]:
    return {(each.time, each.thread) for each in log.hits if each.outcome is HitOutcome.WAITING}


async def fate_of(session: jdbpy.Session, waiting: HitDecision) -> Decision:
    """What has come of the hit that waited, which is the same one by its time, thread and place."""
    log, _ = await of_point(session, 1)
    [found] = [each for each in log.hits if (each.time, each.thread) == (waiting.time, waiting.thread)]
    assert found.location == waiting.location
    return found.reason


@pytest.mark.parametrize("end", [Decision.SHOWN, Decision.BREAKPOINT_GONE, Decision.RESUMED])
async def test_a_waiting_stop_has_the_reason_of_what_came_of_it(jvm: Jvm, end: Decision) -> None:
    """It is shown by 'cont', its breakpoint is removed, or its thread is resumed by name."""
    async with crew(jvm, WORKERS) as session:
        await session.breakpoints.add(CREW.at("deep"))
        stop = await to_stop(session)
        waiting = await to_waiting(session)
        assert waiting.reason in (Decision.WAITING_METHOD, Decision.WAITING_TURN)
        assert waiting.thread is not None and waiting.thread != stop.thread
        log, before = await of_point(session, 1)
        assert before.count(HitOutcome.SHOWN) == 1
        others = waiting_hits(log) - {(waiting.time, waiting.thread)}
        match end:
            case Decision.SHOWN:
                assert (await to_stop(session)).thread == waiting.thread
            case Decision.BREAKPOINT_GONE:
                await session.breakpoints.remove([1])
            case _:
                await session.execution.resume(waiting.thread.id)
        assert await fate_of(session, waiting) is end
        log, after = await of_point(session, 1)  # hits that were on their way may wait now, too
        left = waiting_hits(log)
        assert after.count(HitOutcome.WAITING) == len(left)
        assert not left if end is Decision.BREAKPOINT_GONE else others <= left
        assert after.count(HitOutcome.SHOWN) == 1 + (end is Decision.SHOWN)


async def test_a_breakpoint_that_never_was(jvm: Jvm) -> None:
    async with crew(jvm, 1) as session:
        [start] = (await session.decisions.latest()).hits
        assert (start.breakpoints, start.reason) == ((), Decision.SHOWN)
        assert (await session.decisions.latest()).breakpoints == ()
        await session.breakpoints.add("Crew.hit")
        await to_stop(session)
        for number in (2, 7):
            with pytest.raises(UsageError, match=f"no breakpoint {number}"):
                await session.decisions.latest(10, number)
        await session.breakpoints.remove([1])
        log, point = await of_point(session, 1)
        assert [each.reason for each in log.hits] == [Decision.SHOWN] and point.count(HitOutcome.SHOWN) == 1


async def test_the_log_is_a_private_file(jvm: Jvm, tmp_path: Path) -> None:
    file = tmp_path / "decisions"
    async with crew(jvm, 1, jdbpy.Options(decisions=str(file))) as session:
        await session.breakpoints.add("Crew.hit", condition="n == 3")
        await to_stop(session)
        lines = [each for each in file.read_text().splitlines() if "Crew.hit" in each]
    assert [each.partition("breakpoint 1 ")[2] for each in lines] == [
        "passed: the condition was false",
        "passed: the condition was false",
        "shown",
    ]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_of_very_many_decisions_the_last_are_kept_and_the_totals_are_of_all() -> None:
    decisions = Decisions(clock=lambda: 1.0)
    for each in range(MOST + 10):
        decisions.record(1 + each % 2, each, None, Decision.CONDITION_FALSE)
    decisions.record((1, 2), 7, None, Decision.WAITING_STEP)
    decisions.settle(7, Decision.SHOWN)
    assert (len(decisions.entries), decisions.recorded) == (MOST, MOST + 11)
    assert decisions.entries[-1] == (1.0, 7, None, (1, 2), Decision.SHOWN)
    of_each = {Decision.CONDITION_FALSE: MOST // 2 + 5, Decision.WAITING_STEP: 0, Decision.SHOWN: 1}
    assert decisions.totals() == {1: of_each, 2: of_each}


def test_every_reason_has_words() -> None:
    assert all(each.text and each.outcome for each in Decision)


class Keeper(Extension):
    """Keeps reports of the target for itself until ``read`` is set; after the first stop it has none."""

    def __init__(self) -> None:
        self.reading, self.read = trio.Event(), trio.Event()

    async def before_stop(self) -> None:
        if not self.reading.is_set():
            self.reading.set()
            await self.read.wait()


@asynccontextmanager
async def being_decided(session: jdbpy.Session) -> AsyncIterator[tuple[jdbpy.Breakpoint, trio.Event]]:
    """A breakpoint of one worker, and an event that lets its first hit become a stop.

    Reports that the target has kept are read between the decision to stop and the stop: they come when it is set.
    """
    keeper = Keeper()
    point = await session.breakpoints.add(CREW.at("deep"))
    session._target.extensions.add(keeper)
    await session.execution.resume()
    with within(LIMIT):
        await keeper.reading.wait()
    yield point, keeper.read


async def first_hit(session: jdbpy.Session, number: int) -> HitDecision:
    with within(LIMIT):
        while True:
            log = await session.decisions.latest(MOST)
            if hits := [each for each in log.hits if number in each.breakpoints]:
                return hits[0]
            await trio.lowlevel.checkpoint()


async def test_a_breakpoint_that_changes_before_its_stop_is_read(jvm: Jvm) -> None:
    async with crew(jvm, 1) as session, being_decided(session) as (point, read):
        await session.points.set_condition(point.number, "n < 0")
        read.set()
        assert (await first_hit(session, point.number)).reason is Decision.BREAKPOINT_GONE


@pytest.mark.parametrize("change", ["removed", "disabled", "changed"])
async def test_a_breakpoint_that_changes_while_its_condition_is_computed(
    jvm: Jvm, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with crew(jvm, 1) as session:
        point = await session.breakpoints.add(CREW.at("deep"), condition="new Object() != null")
        computing, computed = trio.Event(), trio.Event()

        async def holds(*given: object) -> bool:
            computing.set()
            await computed.wait()
            return True

        monkeypatch.setattr(type(session.points._points[point.number].condition), "holds", holds)
        await session.execution.resume()
        with within(LIMIT):
            await computing.wait()
        match change:
            case "removed":
                await session.points.remove([point.number])
            case "disabled":
                await session.points.disable([point.number])
            case _:
                await session.points.set_condition(point.number, "n < 0")
        computed.set()
        assert (await first_hit(session, point.number)).reason is Decision.BREAKPOINT_GONE


async def test_everything_is_resumed_before_a_stop_is_read(jvm: Jvm) -> None:
    async with crew(jvm, 1) as session, being_decided(session) as (point, read):
        session.execution.release()
        read.set()
        assert (await first_hit(session, point.number)).reason is Decision.RESUMED


async def test_a_thread_is_selected_while_its_hit_is_decided(jvm: Jvm) -> None:
    """It runs, until it is known that it has stopped; and another thread's stop does not take its place."""
    async with crew(jvm, 2) as session, being_decided(session) as (point, read):
        [hit] = [each for each in await session.threads.list() if each.at_breakpoint]
        assert not (await session.stack.select_thread(hit.id)).suspended
        with pytest.raises(StateError, match="the thread is running"):
            await session.execution.start_step(StepDepth.OVER)
        await session.points.set_condition(point.number, "n < 0")
        await session.breakpoints.add(
            CREW.at("deeper"), condition=f"name.charAt(1) != '{hit.name[-1]}'", policy=SuspendPolicy.THREAD
        )
        read.set()
        with within(LIMIT):
            while not session._target.stops:
                await trio.lowlevel.checkpoint()
        [stopped] = session._target.stops
        selected = session._target.selection.thread
        assert selected is not None
        assert selected.id == hit.id != stopped

"""Conditions in hot loops: exactly the hits for which they hold stop, with their values, near and far."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import trio

import jdbpy
from benchmarks.bench import TARGETS
from benchmarks.relay import open_relay
from tests.harness import LIMIT, Debugging, Jvm, debug, inline, program, start_target, within

pytestmark = pytest.mark.one_java

RTT = 0.01
LOOP = program("Loop", where=TARGETS)
POLICIES = [jdbpy.SuspendPolicy.THREAD, jdbpy.SuspendPolicy.ALL]


async def numbers(session: jdbpy.Session, times: int) -> list[int]:
    """What ``number`` is at the next stops."""
    found: list[int] = []
    for _ in range(times):
        stop = await session.execution.cont()
        assert isinstance(stop, jdbpy.Stopped), stop
        assert (stop.reason, stop.message) == ("breakpoint", "")
        found.append(int((await session.values.evaluate("number")).text))
    return found


@pytest.mark.parametrize("policy", POLICIES)
async def test_every_hit_for_which_it_holds_stops(jvm: Jvm, policy: jdbpy.SuspendPolicy) -> None:
    async with start_target(jvm, LOOP, suspend=False) as target, jdbpy.attach_session(target.address) as session:
        point = await session.breakpoints.add(LOOP.at("hit"), condition="(number & 63) == 7", policy=policy)
        first, *others = await numbers(session, 12)
        assert [(each - first) & 0xFFFF for each in others] == [64 * n for n in range(1, 12)]
        assert session.breakpoints.get(point.number).hits == 12


@pytest.mark.parametrize("policy", POLICIES)
async def test_over_a_link_a_false_hit_takes_less_than_two_trips(jvm: Jvm, policy: jdbpy.SuspendPolicy) -> None:
    """The next one is read while the thread is on its way to it: mostly one trip is enough."""
    async with start_target(jvm, LOOP, suspend=False) as target, open_relay(target.address, rtt=RTT) as relay:
        async with jdbpy.attach_session(relay.address) as session:
            await session.breakpoints.add(LOOP.at("hit"), condition="number % 32 == 7", policy=policy)
            await numbers(session, 1)
            before = relay.traffic()
            first, *others = await numbers(session, 4)
            assert [(each - first) & 0xFFFF for each in others] == [32, 64, 96]
            hits = 4 * 32
            assert relay.traffic().since(before).waves < 1.8 * hits


@pytest.mark.parametrize("policy", POLICIES)
async def test_several_threads_stop_once_each(jvm: Jvm, policy: jdbpy.SuspendPolicy) -> None:
    async with debug(jvm, "Racers", "3", "150") as d:
        await d.session.breakpoints.add(d.at("lap"), condition="lap == 100 && half < 50", policy=policy)
        await d.session.breakpoints.add(d.at("done"), condition="lap != 150", policy=policy)
        stopped: Counter[str] = Counter()
        await d.resume()
        for _ in range(3):
            stop = await d.wait_stop("breakpoint", at="lap")
            assert stop.thread is not None
            stopped[stop.thread.name] += 1
            assert (await lap_of(d, stop)) == "100"
            await d.resume()
        assert stopped == {f"racer-{n}": 1 for n in range(3)}
        await d.wait_exit()


async def lap_of(d: Debugging, stop: jdbpy.Stopped) -> str:
    assert stop.thread is not None
    await d.session.select_thread(stop.thread.id)
    return (await d.session.values.evaluate("lap")).text


async def test_a_condition_that_throws_at_one_hit_says_so(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Racers", "1", "60") as d:
        await d.session.breakpoints.add(d.at("lap"), condition="lap / (lap - 40) == 1000")
        await d.resume()
        stop = await d.wait_stop("breakpoint", at="lap")
        assert "ArithmeticException" in stop.message
        assert await lap_of(d, stop) == "40"
        await d.resume()
        await d.wait_exit()


async def test_two_points_at_one_place_are_both_asked(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Racers", "1", "60") as d:
        await d.session.breakpoints.add(d.at("lap"), condition="lap == 20", ignore=0)
        other = await d.session.breakpoints.add(d.at("lap"), condition="lap % 10 == 0", ignore=3)
        await d.resume()
        stop = await d.wait_stop("breakpoint", at="lap", breakpoint=1)
        assert await lap_of(d, stop) == "20"
        await d.resume()
        found = []
        for _ in range(3):
            stop = await d.wait_stop("breakpoint", at="lap", breakpoint=other.number)
            found.append(await lap_of(d, stop))
            await d.resume()
        assert found == ["40", "50", "60"]
        await d.wait_exit()


async def test_a_condition_can_be_changed_while_it_is_met(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, LOOP, suspend=False) as target, jdbpy.attach_session(target.address) as session:
        policy = jdbpy.SuspendPolicy.THREAD
        point = await session.breakpoints.add(LOOP.at("hit"), condition="number < 0", policy=policy)
        for wanted in (7, 21):
            await session.breakpoints.set_condition(point.number, f"number % 50 == {wanted}")
            [number] = await numbers(session, 1)
            assert number % 50 == wanted
            await session.breakpoints.set_condition(point.number, "number < 0")
            await session.execution.resume()
        await session.breakpoints.remove([point.number])
        assert session.state is jdbpy.VmState.RUNNING


@pytest.mark.parametrize("rtt", [0.0, RTT])
async def test_pausing_and_leaving_amid_hits(jvm: Jvm, tmp_path: Path, rtt: float) -> None:
    """Whatever the moment, ``Suspension`` is right: what was stopped runs again, and the target is left running."""
    counter = tmp_path / "turns"
    counter.write_bytes(bytes(8))
    async with start_target(jvm, LOOP, str(counter), suspend=False) as target:
        async with open_relay(target.address, rtt=rtt) as relay, jdbpy.attach_session(relay.address) as session:
            policy = jdbpy.SuspendPolicy.THREAD
            await session.breakpoints.add(LOOP.at("hit"), condition="number < 0", policy=policy)
            for _ in range(3):
                before = session.statistics().events
                while session.statistics().events < before + 10:
                    await session.threads.list()
                await session.execution.suspend()
                assert session.suspended_everything
                await session.execution.resume()
        left = counter.read_bytes()
        with within(LIMIT):
            while counter.read_bytes() == left:
                await trio.lowlevel.checkpoint()


MEETING = inline("""
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;

class Meeting {
    public static void main(String[] args) throws Exception {
        Thread[] threads = {new Thread(Meeting::laps), new Thread(Meeting::laps)};
        for (Thread thread : threads) thread.start();
        for (Thread thread : threads) thread.join();
        System.out.println("asked " + ASKED);
    }

    static void laps() {
        for (int lap = 0; lap < 60; lap++) {
            Meeting meeting = new Meeting();
            last = lap; // @lap
        }
    }

    static final CyclicBarrier BOTH = new CyclicBarrier(2);
    static final AtomicInteger ASKED = new AtomicInteger();
    static volatile int last;

    boolean meet(int lap) throws Exception {
        last = ASKED.incrementAndGet(); // @inside
        if (lap >= 20) BOTH.await();
        if (lap == 50) throw new IllegalStateException("no");
        return lap == 40;
    }
}
""")


@pytest.mark.parametrize("policy", POLICIES)
async def test_methods_of_conditions_run_side_by_side(jvm: Jvm, policy: jdbpy.SuspendPolicy) -> None:
    """Each returns only while that of the other thread runs; each hit runs it once, also one that stops or fails."""
    with within(LIMIT):
        async with debug(jvm, MEETING) as d:
            condition = "meeting.meet(lap) && lap > 0"
            point = await d.session.breakpoints.add(d.at("lap"), condition=condition, policy=policy)
            await d.session.breakpoints.add(d.at("inside"), policy=jdbpy.SuspendPolicy.THREAD)
            await d.resume()
            seen = []
            for _ in range(3):
                stop = await d.wait_stop("breakpoint", at="lap")
                assert stop.breakpoint == point.number
                assert await lap_of(d, stop) == ("50" if stop.message else "40")
                seen.append("java.lang.IllegalStateException: no" in stop.message)
                await d.resume()
            assert seen == [False, False, True]
            await d.wait_exit()
            assert "asked 120" in await d.target.wait_output("asked")

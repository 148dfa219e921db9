"""A step in one thread, and the breakpoints that other threads meet meanwhile."""

from __future__ import annotations

import pytest

import jdbpy
from jdbpy.errors import StateError
from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.session.model.events import Notice, Stopped, StopReason
from jdbpy.session.model.options import StepDepth
from jdbpy.session.model.vm import VmState
from jdbpy.session.session import Session
from tests.harness import LIMIT, Jvm, debug, inline, start_target, within
from tests.session.running import counts_agree, target_of

pytestmark = pytest.mark.one_java


async def stop_of(session: Session, thread: str) -> Stopped:
    """The next stop, which is of that thread."""
    with within(LIMIT):
        stop = await session.next_stop()
    assert isinstance(stop, Stopped)
    assert stop.thread is not None
    assert stop.thread.name == thread
    return stop


async def test_a_step_makes_no_other_thread_pass_a_breakpoint(jvm: Jvm) -> None:
    """The taker has met the breakpoint, waits for the lock in front of it, and is let in by the other one's step."""
    options = jdbpy.Options(hold="thread")
    async with (
        start_target(jvm, "Turns", suspend=False) as target,
        jdbpy.attach_session(target.address, options=options) as session,
    ):
        await target.wait_output("open")
        take = await session.breakpoints.add(target.program.at("take"))
        taker = (await stop_of(session, "taker")).thread
        assert taker is not None
        two_more = await session.breakpoints.add(target.program.at("two-more"))
        while True:
            await session.execution.resume(taker.id)
            with within(LIMIT):
                stop = await session.next_stop()
            assert isinstance(stop, Stopped)
            assert stop.thread is not None
            if stop.thread.name == "passer":
                break
        passer = stop.thread
        with within(LIMIT):
            while {each.id: each.state for each in await session.threads.list()}[taker.id] != "waiting for a monitor":
                pass
        await session.select_thread(passer.id)
        await session.execution.start_step(StepDepth.OUT)
        await stop_of(session, "passer")
        taken = (await session.values.evaluate("taken")).text
        await session.points.remove([two_more.number])
        await session.execution.start_step(StepDepth.OVER)
        stop = await stop_of(session, "taker")
        assert (stop.breakpoint, stop.location and stop.location.line) == (take.number, target.program.line("take"))
        await session.select_thread(taker.id)
        assert (await session.values.evaluate("taken")).text == taken  # it has passed no breakpoint
        await counts_agree(session)
        await session.points.remove([take.number])
        await session.execution.resume(taker.id)
        stop = await stop_of(session, "passer")
        assert stop.reason is jdbpy.StopReason.STEP
        assert stop.location is not None
        assert stop.location.line == target.program.line("passed")
        assert session.suspended_threads == (passer.id,)


HELD = inline("""
class Held {
    public static void main(String[] args) throws Exception {
        Thread holder = new Thread(Held::hold, "holder");
        holder.start();
        while (!holds) Thread.onSpinWait();
        synchronized (LOCK) { // @take
            System.out.println("taken");
        }
    }
    static final Object LOCK = new Object();
    static volatile boolean holds, release;
    static void hold() {
        synchronized (LOCK) {
            holds = true;
            while (!release) Thread.onSpinWait();
        }
    }
}
""")


async def test_a_step_alone_that_does_not_end_is_paused(jvm: Jvm) -> None:
    """It waits for a lock that a suspended thread holds."""
    with within(LIMIT):
        async with debug(jvm, HELD) as d:
            await d.run_to("take")
            execution = d.session.execution
            thread, _ = d.session.selection
            await execution.start_step(StepDepth.OVER, alone=True)
            stop = await d.check_stop(await execution.pause(), StopReason.PAUSE, thread="main")
            assert stop.thread is not None and stop.thread.id == thread
            assert stop.policy is SuspendPolicy.ALL
            assert not target_of(d).requests.is_stepped(stop.thread.id)
            with pytest.raises(StateError, match="stopped already"):
                await execution.pause()
            await d.session.values.assign("Held.release", "true")
            await d.resume()
            await d.wait_exit()
            assert d.target.stdout.count("taken") == 1


async def test_a_step_alone_that_waits_for_a_lock_says_so(jvm: Jvm) -> None:
    with within(LIMIT):
        async with debug(jvm, HELD) as d:
            await d.run_to("take")
            thread, _ = d.session.selection
            with d.session.events() as events:
                await d.session.execution.start_step(StepDepth.OVER, alone=True)
                async for event in events:
                    if isinstance(event, Notice):
                        assert event.kind == "step-pending"
                        assert event.text == (
                            'the step of thread "main" has not ended: it waits for a monitor while other threads are '
                            "stopped; the step stays pending"
                        )
                        assert event.data == (("thread", thread),)
                        break
            await d.session.values.assign("Held.release", "true")
            await d.session.execution.unsuspend()
            await d.check_stop(await d.session.next_stop(), StopReason.STEP, thread="main")
            assert d.target.stdout.count("taken") == 0
            d.unseen()


async def test_a_step_that_waits_for_a_thread_suspended_by_name_says_so(jvm: Jvm) -> None:
    with within(LIMIT):
        async with debug(jvm, HELD) as d:
            await d.run_to("take")
            holder = await d.session.threads.find("holder")
            await d.session.execution.suspend([holder.id])
            await d.session.execution.start_step(StepDepth.OVER)
            notice = await d.wait_notice("step-pending")
            assert "it waits for a monitor while other threads are stopped" in notice.text
            await d.session.values.assign("Held.release", "true")
            await d.session.execution.resume(holder.id)
            await d.wait_stop(StopReason.STEP, thread="main")
            assert d.target.stdout.count("taken") == 0


async def test_stops_that_wait_are_told_once(jvm: Jvm) -> None:
    async with start_target(jvm, "Crew", "6") as target, jdbpy.attach_session(target.address) as session:
        with session.events() as events, within(LIMIT):
            await session.next_stop()
            await session.breakpoints.add("Crew.deep")
            assert isinstance(await session.execution.cont(), Stopped)
            for _ in range(12):
                await session.values.evaluate("Crew.slow(3)", others_run=True)
                await session.execution.step(StepDepth.OVER)
            told: list[tuple[object, ...]] = []
            count = 0
            while (event := events.take_nowait()) is not None:
                if isinstance(event, Stopped):
                    told.clear()
                elif isinstance(event, Notice) and event.kind == "stops-waiting":
                    assert event.data not in told, (event, told)
                    told.append(event.data)
                    count += 1
            assert count


MET = inline("""
class Met {
    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[7];
        for (int i = 0; i < 7; i++) {
            int number = i;
            threads[i] = new Thread(() -> meet(number), "other-" + i);
            threads[i].start();
        }
        allSuspended(threads); // @wait
        System.out.println("met");
    }
    static volatile boolean go;
    static int meet(int number) {
        while (!go) Thread.onSpinWait();
        return number; // @met
    }
    static void allSuspended(Thread[] threads) {
        var bean = java.lang.management.ManagementFactory.getThreadMXBean();
        go = true;
        for (Thread each : threads) {
            while (!bean.getThreadInfo(each.getId()).isSuspended()) Thread.yield();
        }
    }
}
""")


async def test_each_stop_that_has_waited_for_a_step_is_shown_once(jvm: Jvm) -> None:
    """Seven threads come to a breakpoint while one makes a step: one stop of each, in the variables of its thread."""
    async with debug(jvm, MET) as d:
        await d.run_to("wait")
        point = await d.session.breakpoints.add(d.target.program.at("met"), policy=SuspendPolicy.THREAD)
        with d.session.events() as events, within(LIMIT):
            await d.session.execution.start_step(StepDepth.OVER)
            names: list[str] = []
            while len(set(names)) < 7 or events.waiting:
                event = await anext(events)
                if isinstance(event, Stopped) and event.breakpoint == point.number:
                    assert event.thread is not None
                    names.append(event.thread.name)
            assert sorted(names) == [f"other-{number}" for number in range(7)]
            await d.session.select_thread((await d.session.threads.find("other-3")).id)
            assert (await d.session.values.evaluate("number")).text == "3"
            await d.session.points.remove([point.number])
            d.session.execution.release()
            await d.target.wait_output("met")
            d.unseen()


async def test_a_step_alone_to_a_breakpoint_stops_beside_another_stop(jvm: Jvm) -> None:
    """Everything is suspended for the stop of another thread, which was shown and stays one."""
    async with debug(jvm, MET) as d:
        await d.run_to("wait")
        point = await d.session.breakpoints.add(d.target.program.at("met"), policy=SuspendPolicy.ALL)
        await d.session.values.assign("Met.go", "true")
        for number in (3, 5):
            other = await d.session.threads.find(f"other-{number}")
            await d.session.select_thread(other.id)
            await d.session.execution.start_step(StepDepth.OVER, alone=True)
            stop = await d.wait_stop(StopReason.BREAKPOINT, at="met", thread=other.name)
            assert stop.breakpoint == point.number
            assert (await d.session.values.evaluate("number")).text == str(number)
            assert d.session.state is VmState.STOPPED
        await d.session.points.remove([point.number])

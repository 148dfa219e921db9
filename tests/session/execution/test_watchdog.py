"""The watchdog that resumes what stays suspended, and panic: as rules with a clock of their own, and on real JVMs."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from trio.testing import MockClock

import jdbpy
from jdbpy import Notice, Options, StateError, Stopped, StopReason, SuspendPolicy, UsageError, VmState
from jdbpy.cli.repl.prompt_state import Picture
from jdbpy.session.events.suspension import SuspendOp, Suspension
from jdbpy.session.watchdog import EVERYTHING, SuspendedSince, Watchdog
from tests.harness import LIMIT, Debugging, Jvm, debug, inline, within
from tests.session.running import target_of

pytestmark = pytest.mark.one_java

LOCKED = inline("""
class Locked {
    public static void main(String[] args) throws Exception {
        Thread holder = new Thread(Locked::hold, "holder");
        holder.setDaemon(true);
        holder.start();
        while (!held) {
            Thread.onSpinWait();
        }
        System.out.println("ready");
        while (rounds < 1_000_000_000) {
            work();
        }
    }

    static final Object LOCK = new Object();
    static volatile boolean held;
    static volatile int rounds;

    static void hold() {
        while (true) {
            synchronized (LOCK) {
                held = true;
                for (int i = 0; i < 1_000; i++) { // @holding
                    Thread.onSpinWait();
                }
            }
        }
    }

    static void work() {
        rounds++; // @work
    }

    static int wanting() {
        synchronized (LOCK) {
            return 1;
        }
    }
}
""")

# -- the rules -------------------------------------------------------------------------------------------------------


def test_a_suspension_lasts_from_the_look_that_found_it() -> None:
    suspension, since = Suspension(), SuspendedSince()
    assert since.look(suspension, 1.0) == {}
    suspension.event(7, everything=False)
    assert since.look(suspension, 2.0) == {7: 2.0}
    suspension.event(8, everything=False)
    assert since.look(suspension, 3.0) == {7: 2.0, 8: 3.0}
    suspension.apply(SuspendOp.THREAD_RESUME, 7, by_event=True)
    suspension.event(7, everything=False)  # between two looks: another suspension
    assert since.look(suspension, 4.0) == {7: 4.0, 8: 3.0}
    suspension.apply(SuspendOp.VM_SUSPEND)
    assert since.look(suspension, 5.0) == {EVERYTHING: 5.0}
    suspension.apply(SuspendOp.VM_RESUME)
    suspension.apply(SuspendOp.VM_SUSPEND)
    assert since.look(suspension, 6.0) == {EVERYTHING: 6.0}


def test_a_method_that_was_run_does_not_begin_a_suspension_anew() -> None:
    suspension, since = Suspension(), SuspendedSince()
    suspension.event(7, everything=False)
    since.look(suspension, 1.0)
    suspension.invoked(7)
    assert since.look(suspension, 9.0) == {7: 1.0}


class Watched:
    """A watchdog over suspend counts alone: what it resumed when, and what it said."""

    def __init__(self, limit: float | None) -> None:
        self.suspension = Suspension()
        self.resumed: list[tuple[float, object]] = []
        self.said: list[Notice] = []
        target: Any = SimpleNamespace(suspension=self.suspension, publish=self.said.append)
        self.dog = Watchdog(target, self._resume)
        self.dog.limit = limit

    def _resume(self, threads: object) -> None:
        self.resumed.append((trio.current_time(), threads))
        self.suspension.apply(SuspendOp.VM_RESUME)
        for thread in list(self.suspension.held_threads()):
            self.suspension.apply(SuspendOp.THREAD_RESUME, thread, by_event=True)


async def test_it_resumes_after_the_limit_and_says_so(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    watched = Watched(10)
    nursery.start_soon(watched.dog.run)
    await trio.sleep(100)
    assert watched.resumed == []
    began = trio.current_time()
    watched.suspension.apply(SuspendOp.VM_SUSPEND)
    await trio.sleep(9.9)
    assert watched.resumed == []
    await trio.sleep(100)
    [(when, threads)] = watched.resumed
    assert threads is None
    assert 10 <= when - began < 12
    [said] = watched.said
    assert said.kind == "resumed"
    assert said.text == "resumed all threads: suspended for 10 s without a key or command (max-suspend)"
    assert dict(said.data) == {"reason": "max-suspend", "seconds": 10, "threads": ()}


async def test_who_is_there_is_left_alone(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    watched = Watched(10)
    nursery.start_soon(watched.dog.run)
    watched.suspension.event(7, everything=False)
    for _ in range(20):
        await trio.sleep(8)
        watched.dog.touch()
    assert watched.resumed == []
    await trio.sleep(12)
    assert [threads for _, threads in watched.resumed] == [[7]]


async def test_the_limit_may_change_and_go(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    watched = Watched(None)
    nursery.start_soon(watched.dog.run)
    watched.suspension.apply(SuspendOp.VM_SUSPEND)
    await trio.sleep(10_000)
    watched.dog.limit = 5
    await trio.sleep(3)
    watched.dog.limit = None
    await trio.sleep(10_000)
    assert watched.resumed == []
    watched.dog.limit = 5
    await trio.sleep(6)
    assert len(watched.resumed) == 1
    with pytest.raises(UsageError):
        watched.dog.limit = 0


async def test_a_thread_that_runs_a_method_is_not_suspended(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    watched = Watched(5)
    nursery.start_soon(watched.dog.run)
    watched.suspension.event(7, everything=False)
    watched.suspension.evaluating.add(7)
    await trio.sleep(20)
    assert watched.resumed == []
    watched.suspension.evaluating.discard(7)
    await trio.sleep(2)
    assert len(watched.resumed) == 1


# -- on JVMs ---------------------------------------------------------------------------------------------------------


async def ticks(d: Debugging) -> None:
    """The target runs: it answers."""
    before = d.target.stdout.count("tick")
    await d.target.send()
    await d.target.wait_output(f"tick {before + 1}")


@pytest.mark.parametrize("policy", [SuspendPolicy.ALL, SuspendPolicy.THREAD])
async def test_a_stop_that_was_left_alone(jvm: Jvm, policy: SuspendPolicy) -> None:
    async with debug(jvm, "Ticker", options=Options(max_suspend=1e6), suspend=False) as d:
        await d.target.wait_output("ready")
        await d.session.breakpoints.add("Ticker.tick", policy=policy)
        await d.target.send()
        stop = await d.wait_stop(StopReason.BREAKPOINT, at="tick")
        d.session.max_suspend = 0.1
        notice = await d.wait_notice("resumed")
        assert stop.thread is not None
        threads = () if policy is SuspendPolicy.ALL else (stop.thread.id,)
        assert dict(notice.data) == {"reason": "max-suspend", "seconds": 0.1, "threads": threads}
        assert d.session.state is VmState.RUNNING
        assert d.session.selection == (None, 1)
        with pytest.raises(StateError):
            await d.session.stack.variables(stop.frame)
        await d.target.wait_output("tick 1")
        await d.session.points.remove([1])
        await ticks(d)


@pytest.mark.parametrize("whole", [True, False])
async def test_what_the_user_suspends_counts_from_then(jvm: Jvm, whole: bool) -> None:
    async with debug(jvm, "Ticker", suspend=False) as d:
        await d.target.wait_output("ready")
        main = (await d.session.threads.find("main")).id
        await d.session.execution.suspend(None if whole else [main])
        done = trio.current_time()
        await d.session.threads.list()
        later = trio.current_time()
        assert d.session.suspended_for() >= later - done > 0
        await d.session.execution.unsuspend(None if whole else [main])
        await ticks(d)


async def test_panic_takes_everything_out(jvm: Jvm) -> None:
    async with debug(jvm, "Ticker", suspend=False) as d:
        await d.target.wait_output("ready")
        session = d.session
        await session.breakpoints.add("Ticker.tick")
        await session.breakpoints.add("Later.run")
        await session.points.disable([2])
        await session.breakpoints.add("Later.other")
        await d.target.send()
        await d.wait_stop(StopReason.BREAKPOINT, at="tick")
        await session.execution.suspend()
        done = await session.panic()
        assert (done.disabled, done.resumed) == ((1, 3), "all")
        assert done.requests >= 2
        assert target_of(d).requests.all_active() == []
        assert [point.enabled for point in session.points.list()] == [False, False, False]
        assert session.state is VmState.RUNNING
        await d.target.wait_output("tick 1")
        await ticks(d)
        assert (await session.panic()).resumed == "none"
        await session.points.enable([1])
        await d.target.send()
        await d.wait_stop(StopReason.BREAKPOINT, at="tick")
        await session.panic()
        await ticks(d)


async def test_panic_while_an_expression_hangs(jvm: Jvm) -> None:
    async with debug(jvm, LOCKED, suspend=False) as d:
        await d.target.wait_output("ready")
        session = d.session
        await session.breakpoints.add(d.at("holding"), temporary=True)
        await d.wait_stop(StopReason.BREAKPOINT, at="holding")  # all threads: the holder has the lock
        await session.breakpoints.add(d.at("work"), policy=SuspendPolicy.THREAD)
        main = (await session.threads.find("main")).id
        await session.execution.resume(main)
        stop = await d.wait_stop(StopReason.BREAKPOINT, at="work", thread="main")
        answers: list[str] = []

        async def evaluate() -> None:
            answers.append((await session.values.evaluate("wanting()")).text)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(evaluate)
            with within(LIMIT):
                while not target_of(d).suspension.evaluating:
                    await trio.lowlevel.checkpoint()
            assert not answers
            assert (await session.panic()).disabled == (2,)
        assert answers == ["1"]
        assert stop.thread is not None
        assert session.state is VmState.RUNNING
        await goes_on(d)


async def test_panic_while_a_condition_hangs(jvm: Jvm) -> None:
    async with debug(jvm, LOCKED, suspend=False) as d:
        await d.target.wait_output("ready")
        session = d.session
        await session.breakpoints.add(d.at("holding"), temporary=True)
        await d.wait_stop(StopReason.BREAKPOINT, at="holding")
        await session.breakpoints.add(d.at("work"), condition="wanting() == 1", policy=SuspendPolicy.THREAD)
        main = (await session.threads.find("main")).id
        await session.execution.resume(main)
        with within(LIMIT):
            while not target_of(d).suspension.evaluating:
                await trio.lowlevel.checkpoint()
        await session.panic()
        await target_of(d).publisher.settled()
        assert session.state is VmState.RUNNING, "a condition that has become true meanwhile stops nothing"
        await goes_on(d)
        assert not any(isinstance(event, Stopped) for event in d.unseen())


async def goes_on(d: Debugging) -> None:
    """The main thread works."""
    before = await rounds(d)
    with within(LIMIT):
        while await rounds(d) == before:
            pass


async def rounds(d: Debugging) -> int:
    return int((await d.session.values.evaluate("Locked.rounds")).text)


async def test_a_client_that_joins_late_is_told_since_when_a_thread_stands(jvm: Jvm) -> None:
    async with debug(jvm, LOCKED, suspend=False) as d:
        await d.target.wait_output("ready")
        await d.session.breakpoints.add(d.at("work"), policy=SuspendPolicy.THREAD)
        await d.wait_stop("breakpoint", at="work")
        stopped = trio.current_time()
        async with jdbpy.join_session(d.session, "ann") as ann:
            lasted = trio.current_time() - stopped
            assert ann.suspended_for() >= lasted > 0
            shown = await Picture(ann).draw()
            assert shown.since is not None
            assert time.monotonic() - shown.since >= lasted
        await d.wait_notice("client-joined")
        await d.wait_notice("client-left")

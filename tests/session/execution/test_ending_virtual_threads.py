"""Virtual threads that end at any moment, while everything else is suspended: no command of ours aborts the JVM."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest
import trio

from jdbpy.errors import Disconnected, JdwpError, StateError
from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.session.model.events import Exited, Stopped
from jdbpy.wire.ids import ObjectID, ThreadID
from jdbpy.wire.messages import thread_reference
from tests.harness import LIMIT, Debugging, Jvm, debug, inline, within
from tests.session.running import target_of

ALIVE = inline("""
class Alive {
    public static void main(String[] args) throws Exception {
        Runnable[] tasks = {Alive::sleep, Alive::park, Alive::compute};
        java.lang.reflect.Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        for (int i = 0; i < all.length; i++) all[i] = (Thread) start.invoke(null, tasks[i]);
        while (begun.get() < all.length) Thread.onSpinWait();
        ready();
        Thread.sleep(600_000);
    }
    static final java.util.concurrent.atomic.AtomicInteger begun = new java.util.concurrent.atomic.AtomicInteger();
    static void sleep() {
        begun.incrementAndGet();
        try { Thread.sleep(600_000); } catch (InterruptedException ended) { }
    }
    static void park() {
        begun.incrementAndGet();
        while (true) java.util.concurrent.locks.LockSupport.park();
    }
    static void compute() {
        begun.incrementAndGet();
        while (true) work++;
    }
    static final Thread[] all = new Thread[3];
    static volatile int work;
    static void ready() { }
}
""")


async def _suspended_as_all(d: Debugging, thread: int) -> None:
    """Wait until a thread that runs alone has ended: the agent gives it the count of all others then."""
    while True:
        count = await target_of(d).conn.request(thread_reference.SuspendCount(ThreadID(ObjectID(thread))))
        if count.suspendCount:
            return


async def test_everything_is_resumed_after_a_thread_that_ran_alone_has_ended(newest_jvm: Jvm) -> None:
    with within(LIMIT):
        async with debug(newest_jvm, "Mayflies") as d:
            await d.session.breakpoints.add(d.at("live"), policy=SuspendPolicy.ALL)
            stop = await d.session.execution.cont()
            assert isinstance(stop, Stopped)
            assert stop.thread is not None
            await d.session.execution.suspend()
            await d.session.execution.unsuspend([stop.thread.id])
            await _suspended_as_all(d, stop.thread.id)
            with pytest.raises(StateError, match="the JVM would abort"):
                await d.session.execution.suspend([stop.thread.id])
            await d.session.execution.unsuspend()
            following = await d.session.execution.cont()
            assert isinstance(following, Stopped)
            assert following.thread is not None
            assert following.thread.id != stop.thread.id
            d.unseen()


async def _go_on(d: Debugging) -> Stopped | Exited:
    """Take back what suspends single threads, and let all run to the next stop."""
    suspension = target_of(d).suspension
    while suspension.user_holds:
        await d.session.execution.unsuspend(list(suspension.user_holds))
    if not suspension.anything_held:
        with suppress(StateError):  # it has come to a stop meanwhile
            await d.session.execution.pause()
    return await d.session.execution.cont()


@pytest.mark.parametrize("seed", range(3))
async def test_random_words(newest_jvm: Jvm, seed: int) -> None:
    """The program runs to its end, whatever is suspended and resumed while its threads end."""
    random = Random(seed)
    with within(LIMIT):
        async with debug(newest_jvm, "Mayflies") as d:
            execution = d.session.execution
            policy = random.choice((SuspendPolicy.ALL, SuspendPolicy.THREAD))
            await d.session.breakpoints.add(d.at("live"), policy=policy)
            stops = 0
            with suppress(Disconnected):  # the program has ended: its status tells how
                while isinstance(stop := await _go_on(d), Stopped):
                    assert stop.thread is not None
                    stops += 1
                    thread = [stop.thread.id]
                    with suppress(JdwpError, StateError):  # it runs, it has ended
                        for _ in range(random.randrange(4)):
                            match random.randrange(5):
                                case 0:
                                    await execution.suspend()
                                case 1 | 2:
                                    await execution.unsuspend(thread)
                                case 3 if target_of(d).suspension.frozen:  # else it may be ending, see docs/agent.md
                                    await execution.suspend(thread)
                                case 4:
                                    await execution.unsuspend()
            assert stops
            assert await d.target.wait_exit() == 0
            d.unseen()


@pytest.mark.parametrize("policy", [SuspendPolicy.ALL, SuspendPolicy.THREAD])
@pytest.mark.parametrize("pause", range(3))
async def test_a_thread_is_suspended_just_after_it_was_resumed(
    newest_jvm: Jvm, policy: SuspendPolicy, pause: int
) -> None:
    """It lives, and is suspended, or it is about to end, and that is refused: the JVM never aborts."""
    with within(LIMIT):
        async with debug(newest_jvm, "Mayflies") as d:
            execution = d.session.execution
            await d.session.breakpoints.add(d.at("live"), policy=policy)
            stop = await execution.cont()
            with suppress(Disconnected):  # the program has ended: its status tells how
                while isinstance(stop, Stopped):
                    assert stop.thread is not None
                    await execution.resume()
                    for _ in range(pause):
                        await trio.lowlevel.checkpoint()
                    with suppress(JdwpError, StateError):
                        await execution.suspend([stop.thread.id])
                        await execution.unsuspend([stop.thread.id])
                    stop = await d.session.next_stop()
            assert await d.target.wait_exit() == 0
            d.unseen()


async def test_virtual_threads_that_live_are_suspended_by_name(newest_jvm: Jvm) -> None:
    """One that sleeps, one that is parked, one that computes."""
    with within(LIMIT):
        async with debug(newest_jvm, ALIVE) as d:
            await d.session.breakpoints.add("Alive.ready", policy=SuspendPolicy.ALL)
            await d.check_stop(await d.session.execution.cont(), "breakpoint")
            virtual = [(await d.session.values.evaluate(f"Alive.all[{each}]", remember=False)).id for each in range(3)]
            await d.session.execution.resume()
            for each in virtual:
                assert each is not None
                await d.session.execution.suspend([each])
                assert (await d.session.stack.of(each)).total > 1
            await d.session.execution.unsuspend([each for each in virtual if each is not None])

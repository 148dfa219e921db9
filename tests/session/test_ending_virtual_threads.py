"""Virtual threads that end at any moment, while everything else is suspended: no command of ours aborts the JVM."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest

from jdbpy.errors import Disconnected, JdwpError, StateError
from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.session.model.events import Exited, Stopped
from jdbpy.wire.ids import ObjectID, ThreadID
from jdbpy.wire.messages import thread_reference
from tests.harness import LIMIT, Debugging, Jvm, debug, within
from tests.session.running import target_of


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

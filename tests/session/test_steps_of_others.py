"""A step in one thread, and the breakpoints that other threads meet meanwhile."""

from __future__ import annotations

import jdbpy
from jdbpy.session.model.events import Stopped
from jdbpy.session.model.options import StepDepth
from jdbpy.session.session import Session
from tests.harness import LIMIT, Jvm, start_target, within
from tests.session.running import counts_agree


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

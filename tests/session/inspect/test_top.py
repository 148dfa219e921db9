"""The load of a target: beside what the thread bean itself says, and where nothing runs."""

from __future__ import annotations

import pytest

from jdbpy.session.model.breakpoints import PointOptions, SuspendPolicy
from jdbpy.session.model.operating import TargetLoad, ThreadLoad
from tests.harness import Debugging, Jvm, debug, program

PROCESS_CLOCK = 0.05
"""Seconds: the system counts the time of a process in hundredths of a second, in the kernel and outside of it, and that
of each thread which runs at the moment up to its last tick."""


def of(load: TargetLoad, name: str) -> ThreadLoad:
    return next(each for each in load.threads if each.name == name)


async def said(d: Debugging, call: str) -> int:
    """What the program's own bean says."""
    bean = "((com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean())"
    return int((await d.session.values.evaluate(f"{bean}.{call}")).text)


@pytest.mark.every_java
async def test_figures_are_those_of_the_bean(jvm: Jvm) -> None:
    async with debug(jvm, "Operated", program("Operated").on(jvm).classes) as d:
        await d.session.breakpoints.add_with("Operated.ready", PointOptions(SuspendPolicy.THREAD))
        await d.check_stop(await d.session.execution.cont(), "breakpoint", at="ready")
        top = d.session.top
        assert not top.stands_still
        begun, first = await top.since(None, most=30)
        while await said(d, f"getThreadCpuTime({of(begun, 'spinner').id}L)") <= first.cpu[of(begun, "spinner").id]:
            pass  # a busy machine may not give it a processor for a while
        load, second = await top.since(first, most=30)
        assert [each.share for each in load.threads] == sorted((each.share for each in load.threads), reverse=True)
        assert load.thread_count == len(second.cpu)
        spinner, allocator, main = of(load, "spinner"), of(load, "allocator"), of(load, "main")
        assert {load.threads[0].name, load.threads[1].name} <= {"spinner", "allocator", "main"}
        assert spinner.state == "runnable"
        assert spinner.frames[0].startswith("Operated.")
        assert load.process is not None
        assert spinner.share > 0
        assert load.process * load.seconds > sum(each.cpu for each in load.threads) - PROCESS_CLOCK
        assert any(frame.startswith("Operated.main(Operated.java:") for frame in main.frames)
        assert {"heap", "non-heap"} <= {each.name for each in load.memory}
        assert load.collections

        before = await said(d, f"getThreadCpuTime({spinner.id}L)")
        while True:  # until it has allocated more than what asks for that
            grown = await said(d, f"getThreadAllocatedBytes({allocator.id}L)")
            asking = await said(d, f"getThreadAllocatedBytes({main.id}L)") - second.allocated[main.id]
            if grown - second.allocated[allocator.id] > 1_000_000 + 2 * asking:
                break
        third, _ = await top.since(second, most=30, by_allocation=True)
        assert first.cpu[spinner.id] <= second.cpu[spinner.id] <= before
        assert before <= of(third, "spinner").total * 1e9 + 1 <= await said(d, f"getThreadCpuTime({spinner.id}L)") + 1
        assert third.threads[0].name == "allocator"
        now = second.allocated[allocator.id] + (of(third, "allocator").allocated or 0)
        assert grown <= now <= await said(d, f"getThreadAllocatedBytes({allocator.id}L)")


async def test_where_everything_stands_still(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Operated", program("Operated").on(any_jvm).classes) as d:
        await d.run_to("ready")
        assert d.session.top.stands_still
        load, _ = await d.session.top.since(None, most=3)
        assert load.since_start
        assert len(load.threads) == 3
        assert load.threads[0].cpu == load.threads[0].total

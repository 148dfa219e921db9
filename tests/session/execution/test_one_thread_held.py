"""Hits that may not count suspend their own thread only, and a stop that suspends all looks as it always did."""

from __future__ import annotations

from typing import TypedDict

import pytest

from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.session.model.events import Stopped
from tests.harness import LIMIT, Jvm, debug, within
from tests.harness.hits import next_hit, runs_to_its_end
from tests.session.running import counts_agree

pytestmark = pytest.mark.one_java


@pytest.mark.parametrize("condition", ["round >= 0", "p.a() >= 0"])
@pytest.mark.every_java
async def test_each_stop_is_one_of_all_threads(jvm: Jvm, condition: str) -> None:
    """One at a time, however many threads come to the line at once: the others' hits wait until it is resumed."""
    with within(LIMIT):
        async with debug(jvm, "Pool", "6", "3") as d:
            await d.session.breakpoints.add(d.at("work"), condition=condition, policy=SuspendPolicy.ALL)
            seen = []
            for _ in range(18):
                stop = await d.session.execution.cont()
                assert isinstance(stop, Stopped)
                assert stop.thread is not None
                assert stop.policy is SuspendPolicy.ALL
                assert d.session.suspended_everything
                await d.session.threads.list()
                assert d.session.selection[0] == stop.thread.id
                assert d.session.last_stop is stop, "the next one came by itself"
                seen.append((await d.session.values.evaluate('p.a() + "." + round')).text)
                await counts_agree(d.session, waiting=True)
                assert d.session._target.suspension.counts()[0] == 1
            assert sorted(seen) == sorted(f'"{thread}.{round}"' for thread in range(6) for round in range(3))
            await runs_to_its_end(d, 18)


async def test_steps_from_such_a_stop(jvm: Jvm) -> None:
    with within(LIMIT):
        async with debug(jvm, "Pool", "4", "2") as d:
            await d.session.breakpoints.add(d.at("work"), condition="p.number == 2", policy=SuspendPolicy.ALL)
            for _ in range(2):
                await next_hit(d.session)
                step = await d.session.execution.step()
                await d.check_stop(step, "step", at="passed")
                assert isinstance(step, Stopped)
                assert step.policy is SuspendPolicy.ALL
                await counts_agree(d.session)
            await runs_to_its_end(d, 8)


class Filters(TypedDict, total=False):
    """What else keeps hits from counting."""

    ignore: int
    hits: str
    callers: str


@pytest.mark.parametrize("options", [Filters(ignore=5), Filters(hits="== 6"), Filters(callers="Pool")])
async def test_other_filters(jvm: Jvm, options: Filters) -> None:
    with within(LIMIT):
        async with debug(jvm, "Pool", "4", "2") as d:
            number = (await d.session.breakpoints.add(d.at("work"), policy=SuspendPolicy.ALL, **options)).number
            await next_hit(d.session)
            assert d.session.suspended_everything
            await counts_agree(d.session, waiting=True)
            await d.session.breakpoints.remove([number])
            await runs_to_its_end(d, 8)


async def test_a_condition_leaves_the_others_running(jvm: Jvm) -> None:
    """It is asked in the main thread, and is false when the other threads have finished their work."""
    with within(LIMIT):
        async with debug(jvm, "Pool", "3", "50") as d:
            condition = "new Pool(1).waitFor(150) == 0"
            await d.session.breakpoints.add(d.at("started"), condition=condition, policy=SuspendPolicy.ALL)
            await runs_to_its_end(d, 150)
            assert d.session.breakpoints.list()[0].failures == 0

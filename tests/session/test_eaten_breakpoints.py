"""A method that is run at a stop which a step has made leaves the breakpoints in it alive (a fault of HotSpot)."""

from __future__ import annotations

import pytest

from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.session.model.events import Stopped, StopReason
from jdbpy.session.model.options import StepDepth, StepSize
from tests.harness import LIMIT, Jvm, debug, within
from tests.session.running import values_at_stops

HITS = 5


@pytest.mark.parametrize("policy", [SuspendPolicy.ALL, SuspendPolicy.THREAD])
@pytest.mark.parametrize("expression", ["eaten.total()", "eaten.outer() + eaten.total()", "new Eaten().total()"])
async def test_after_a_step(jvm: Jvm, expression: str, policy: SuspendPolicy) -> None:
    with within(LIMIT):
        async with debug(jvm, "Eaten") as d:
            await d.session.breakpoints.add(d.at("total"), policy=policy)
            await d.run_to("here")
            stop = await d.session.execution.step(StepDepth.OVER)
            await d.check_stop(stop, StopReason.STEP, at="next")
            await d.session.values.evaluate(expression, remember=False)
            assert await values_at_stops(d, "cents") == ["5"] * HITS


@pytest.mark.parametrize("size", [StepSize.MIN, StepSize.LINE])
@pytest.mark.parametrize(("steps", "evals"), [(1, 1), (2, 1)])
async def test_after_each_of_several_steps(jvm: Jvm, steps: int, evals: int, size: StepSize) -> None:
    with within(LIMIT):
        async with debug(jvm, "Eaten") as d:
            await d.session.breakpoints.add(d.at("total"))
            await d.run_to("here")
            for _ in range(steps):
                stop = await d.session.execution.step(StepDepth.OVER, size)
                await d.check_stop(stop, StopReason.STEP)
                assert isinstance(stop, Stopped)
                for _ in range(evals):
                    assert (await d.session.values.evaluate("eaten.total()", remember=False)).text == "10"
            assert await values_at_stops(d, "cents") == ["5"] * HITS


async def test_a_step_after_the_method_ends_as_ever(jvm: Jvm) -> None:
    with within(LIMIT):
        async with debug(jvm, "Eaten") as d:
            await d.session.breakpoints.add(d.at("total"))
            await d.run_to("here")
            stop = await d.session.execution.step(StepDepth.OVER)
            await d.check_stop(stop, StopReason.STEP, at="next")
            await d.session.values.evaluate("eaten.total()", remember=False)
            stop = await d.session.execution.step(StepDepth.OVER)
            await d.check_stop(stop, StopReason.STEP)
            assert await values_at_stops(d, "cents") == ["5"] * HITS

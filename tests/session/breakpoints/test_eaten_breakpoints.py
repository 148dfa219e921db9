"""A method that is run at a stop which a step has made leaves the breakpoints in it alive (a fault of HotSpot)."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from jdbpy import PointOptions
from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.session.model.events import Stopped, StopReason
from jdbpy.session.model.options import StepDepth, StepSize
from tests.cli.process import jdbpy, launching, script
from tests.dap.client import dap_client
from tests.harness import LIMIT, Debugging, Jvm, debug, program, start_target, within
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
@pytest.mark.parametrize(("steps", "evals"), [(1, 1), (2, 1), (1, 2), (1, 3), (2, 4), (3, 2)])
@pytest.mark.one_java
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


@pytest.mark.parametrize("evals", [1, 2, 3])
@pytest.mark.one_java
async def test_after_a_pop(jvm: Jvm, evals: int) -> None:
    with within(LIMIT):
        async with debug(jvm, "Eaten") as d:
            await d.session.breakpoints.add(d.at("total"))
            await d.check_stop(await d.session.execution.cont(), StopReason.BREAKPOINT, at="total")
            await d.session.execution.pop()
            for _ in range(evals):
                assert (await d.session.values.evaluate("eaten.total()", remember=False)).text == "10"
            assert await values_at_stops(d, "cents") == ["5"] * HITS


async def _logpoint(d: Debugging) -> object:
    return await d.session.breakpoints.add(d.at("total"), log="it is {cents}")


async def _logpoint_with_a_method(d: Debugging) -> object:
    return await d.session.breakpoints.add(d.at("total"), log='it is {String.valueOf(cents).concat("!")}')


async def _trace(d: Debugging) -> object:
    go_on = PointOptions(policy=SuspendPolicy.NONE)
    return await d.session.traces.methods(method="Eaten.total", exits=False, options=go_on)


@pytest.mark.parametrize(
    ("add", "kind"), [(_logpoint, "logpoint"), (_logpoint_with_a_method, "logpoint"), (_trace, "trace")]
)
@pytest.mark.parametrize("evals", [1, 3])
@pytest.mark.one_java
async def test_reports(jvm: Jvm, add: Callable[[Debugging], Awaitable[object]], kind: str, evals: int) -> None:
    with within(LIMIT):
        async with debug(jvm, "Eaten") as d:
            await d.run_to("here")
            await add(d)
            stop = await d.session.execution.step(StepDepth.OVER)
            await d.check_stop(stop, StopReason.STEP, at="next")
            for _ in range(evals):
                await d.session.values.evaluate("eaten.total()", remember=False)
            await d.resume()
            for _ in range(HITS):
                await d.wait_notice(kind)
            await d.wait_exit()


@pytest.mark.one_java
async def test_displays(jvm: Jvm) -> None:
    lines = [f"tbreak {program('Eaten').at('here')}", "cont", f"break {program('Eaten').at('total')}"]
    lines += ["display eaten.total()", "display eaten.outer()", "next", *["cont"] * (HITS + 1)]
    done = await jdbpy(*launching(program("Eaten"), "--json", *script(*lines)), jvm=jvm)
    results: list[Any] = [each for each in map(json.loads, done.out.splitlines()) if each.get("type") == "result"]
    stops = [each["data"]["stop"]["reason"] for each in results if each["data"].get("stop")]
    assert stops == ["breakpoint", "step", *["breakpoint"] * HITS], done.out


@pytest.mark.one_java
async def test_watch_expressions_of_an_editor(jvm: Jvm) -> None:
    async with start_target(jvm, "Eaten") as target, dap_client() as dap:
        await dap.attach(target)
        await dap.breakpoints(target.program, "here", "total")
        await dap.request("configurationDone")
        stop = await dap.stopped("breakpoint")
        await dap.request("next", threadId=stop["threadId"])
        stop = await dap.stopped("step")
        [frame, *_] = await dap.frames(stop)
        for text in ("eaten.total()", "eaten.outer()", "eaten.total() + 1"):
            await dap.request("evaluate", expression=text, frameId=frame["id"], context="watch")
        for _ in range(HITS):
            await dap.request("continue", threadId=stop["threadId"])
            await dap.stopped("breakpoint")
        await dap.request("continue", threadId=stop["threadId"])
        await dap.event("terminated")

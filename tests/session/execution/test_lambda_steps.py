"""Steps at lambdas and method references on real JVMs: into their bodies, out of them, past what the VM made."""

from __future__ import annotations

import pytest

from jdbpy.session.model.events import StopReason
from jdbpy.session.model.options import StepDepth
from tests.harness import Debugging, Jvm, debug

INTO, OVER, OUT = StepDepth.INTO, StepDepth.OVER, StepDepth.OUT


async def walk(d: Debugging, *steps: tuple[StepDepth, str]) -> None:
    for depth, marker in steps:
        await d.check_stop(await d.session.execution.step(depth), StopReason.STEP, at=marker)


@pytest.mark.parametrize(
    ("start", "steps"),
    [
        ("body-end", [(OUT, "apply"), (OVER, "applied"), (OUT, "call")]),
        ("body-end", [(OVER, "apply")]),
        ("body-end", [(INTO, "apply")]),
        ("negate", [(OUT, "apply")]),
        ("negate", [(OVER, "apply")]),
        ("reference", [(INTO, "apply"), (INTO, "negate"), (INTO, "apply")]),
        ("one-line", [(INTO, "apply"), (INTO, "one-line"), (INTO, "apply"), (INTO, "applied"), (INTO, "one-line")]),
        ("two", [(INTO, "two")] * 4 + [(INTO, "each"), (INTO, "each-body")]),
        ("two", [(OVER, "each"), (OVER, "inner")]),
        ("nested-call", [(INTO, "nested"), (OUT, "nested-call"), (OVER, "constructor")]),
        ("bridged", [(INTO, "get"), (OUT, "bridged"), (OVER, "end")]),
    ],
)
async def test_no_step_ends_in_what_the_vm_spun(jvm: Jvm, start: str, steps: list[tuple[StepDepth, str]]) -> None:
    async with debug(jvm, "Lambdas") as d:
        await d.session.breakpoints.add(d.at(start), temporary=True)
        await d.check_stop(await d.session.execution.cont(), StopReason.BREAKPOINT, at=start)
        await walk(d, *steps)
        await d.resume()
        await d.wait_exit()


@pytest.mark.parametrize(("depth", "count", "end"), [(OUT, 2, "call"), (OVER, 2, "applied"), (INTO, 3, "call")])
async def test_a_count_leaves_out_what_the_vm_spun(jvm: Jvm, depth: StepDepth, count: int, end: str) -> None:
    async with debug(jvm, "Lambdas") as d:
        await d.run_to("body-end")
        await d.check_stop(await d.session.execution.step(depth, count=count), StopReason.STEP, at=end)
        await d.resume()
        await d.wait_exit()


async def test_out_of_a_lambda_comes_to_the_code_that_called_it_also_in_the_jdk(jvm: Jvm) -> None:
    async with debug(jvm, "Lambdas") as d:
        await d.run_to("each-body")
        stop = await d.check_stop(await d.session.execution.step(OUT), StopReason.STEP)
        assert stop.location is not None
        assert (stop.location.class_name, stop.location.method) == ("java.util.ArrayList", "forEach")
        await walk(d, (OUT, "inner"))  # nothing of line "each" is left to be done
        await d.resume()
        await d.wait_exit()


async def test_the_value_that_a_lambda_returned_is_told(jvm: Jvm) -> None:
    async with debug(jvm, "Lambdas") as d:
        await d.run_to("body-end")
        stop = await d.check_stop(await d.session.execution.step(OUT), StopReason.STEP, at="apply")
        assert stop.return_value is not None
        assert stop.return_value.text == "8"
        await d.resume()
        await d.wait_exit()

"""A breakpoint waits for its class also when an expression is what loads it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from jdbpy.session.eval.program import Program
from tests.eval.comparison import PLACES, program_to_stop_in
from tests.harness import Debugging, Jvm, debug

pytestmark = pytest.mark.one_java


async def evaluate_class(d: Debugging) -> None:
    await d.session.values.evaluate("Inner.class")


async def compile_creation(d: Debugging) -> None:
    evaluator = d.session.values.evaluator
    async with evaluator.evaluation(await d.session.stack.selected()) as evaluation:
        await Program("new Inner(5).own").compile(evaluation.target, evaluation._graph, evaluator.variables)


async def create(d: Debugging) -> None:
    await d.session.values.evaluate("new Inner(5).own")


@pytest.mark.parametrize("loads", [evaluate_class, compile_creation, create], ids=lambda each: each.__name__)
async def test_a_class_that_an_expression_loads_has_its_breakpoint(
    jvm: Jvm, loads: Callable[[Debugging], Awaitable[None]]
) -> None:
    async with debug(jvm, program_to_stop_in(), "jdbpy evaluates") as d:
        for place in PLACES:
            await d.session.breakpoints.add(d.at(place))
        await d.resume()
        await d.wait_stop("breakpoint", at="instance")
        await loads(d)
        for place in ("static", "lambda", "inner"):
            await d.resume()
            await d.wait_stop("breakpoint", at=place)

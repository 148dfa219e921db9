"""What a method returned, at the end of a step over its call or out of it."""

from __future__ import annotations

import pytest

from jdbpy.errors import EvalError
from jdbpy.session.model.events import Stopped, StopReason
from jdbpy.session.model.options import StepDepth
from tests.harness import Debugging, Jvm, debug, inline

pytestmark = pytest.mark.one_java

OVER, OUT = StepDepth.OVER, StepDepth.OUT

SOURCE = """
class Returning {
    public static void main(String[] args) {
        int sum = 0; // @begin
        sum += doubled(4); // @single
        sum += doubled(1) + doubled(2); // @two
        sum += factorial(4); // @recursive
        String text = name(3); // @text
        nothing(); // @void
        Shape shape = new Square(3); // @constructor
        sum += shape.area(); // @interface
        try {
            sum += failing(); // @failing
        } catch (IllegalStateException e) {
            sum++; // @caught
        }
        sum += deep(3000); // @deep
        System.out.println(sum + text); // @end
    }

    interface Shape { int area(); }

    static class Square implements Shape {
        final int side;
        Square(int side) { this.side = side; }
        public int area() { return side * side; }
    }

    static int doubled(int n) { return 2 * n; } // @doubled
    static int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
    static String name(int n) { return "number " + n; }
    static void nothing() { }
    static int failing() { throw new IllegalStateException("no"); }
    static int deep(int n) { return n == 0 ? 7 : deep(n - 1); }
}
"""


async def stepped(d: Debugging, depth: StepDepth, to: str) -> Stopped:
    stop = await d.session.execution.step(depth)
    return await d.check_stop(stop, StopReason.STEP, at=to)


def value(stop: Stopped) -> str | None:
    return stop.return_value.text if stop.return_value is not None else None


async def test_what_the_only_call_of_a_line_returned(jvm: Jvm) -> None:
    async with debug(jvm, inline(SOURCE)) as d:
        await d.run_to("begin")
        seen = {}
        places = ["single", "two", "recursive", "text", "void", "constructor", "interface", "failing", "caught", "deep"]
        for here, to in zip(["begin", *places], [*places, "end"], strict=True):
            seen[here] = value(await stepped(d, OVER, to))
        assert seen == {
            "begin": None,
            "single": "8",
            "two": None,  # which of the two would be meant?
            "recursive": "24",
            "text": '"number 3"',
            "void": None,
            "constructor": None,
            "interface": "9",
            "failing": None,
            "caught": None,
            "deep": None,  # more exits than are waited for
        }


async def test_over_a_slow_link_as_well(any_jvm: Jvm) -> None:
    """What a step shows does not depend on how long answers take."""
    async with debug(any_jvm, inline(SOURCE)) as d:
        d.session._target.latency.round_trip = 1.0
        await d.run_to("single")
        assert value(await stepped(d, OVER, "two")) == "8"


async def test_what_the_method_returned_that_was_stepped_out_of(jvm: Jvm) -> None:
    async with debug(jvm, inline(SOURCE)) as d:
        await d.run_to("doubled")
        stop = await stepped(d, OUT, "single")
        assert value(stop) == "8"
        assert stop.return_value is not None
        assert stop.return_value.type == "int"
        assert (await d.session.values.evaluate("$ret + 1")).text == "9"
        await stepped(d, OVER, "two")
        with pytest.raises(EvalError):
            await d.session.values.evaluate("$ret")


async def test_nothing_of_it_stays_in_the_target(jvm: Jvm) -> None:
    async with debug(jvm, inline(SOURCE)) as d:
        await d.run_to("begin")
        for to in ("single", "two", "recursive"):
            await stepped(d, OVER, to)
        assert d.session._target.requests.all_active() == [
            request for request in d.session._target.requests.all_active() if request.kind.name == "THREAD_DEATH"
        ]

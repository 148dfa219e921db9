"""Steps of a thread in a method whose code was replaced since it last made a step there: line by line all the same.

The agent keeps the line numbers of the method that a thread has made its last step in, also when they are those of
former code (``stepControl.c``).
"""

from __future__ import annotations

import pytest

from jdbpy import StepDepth
from tests.harness import Debugging, Jvm, debug, inline

SOURCE = """
    class T {
        public static void main(String[] args) {
            for (int i = 0; i < 3; i++) sum(i);
            System.out.println("total " + total);
        }
        static int total;
        static int sum(int n) {
            int s = n; // @first
            for (int i = 0; i < 2; i++) {
                s += one(i);
            }
            total += s;
            return s; // @last
        }
        static int one(int i) {
            return i; // @one
        }
    }"""
LONGER = SOURCE.replace("int s = n;", "int s = n + n - total + total - n;").replace("+= s;", "+= s - s + s - s + s;")


async def lines(d: Debugging, depth: StepDepth, count: int) -> list[int | None]:
    """Return the lines of the steps that the thread makes from here on."""
    found = []
    for _ in range(count):
        stop = await d.session.execution.step(depth)
        checked = await d.check_stop(stop, "step")
        assert checked.location is not None
        found.append(checked.location.line)
    return found


async def at_first(d: Debugging) -> None:
    """Let the program run to the next call."""
    stop = await d.session.execution.cont()
    await d.check_stop(stop, "breakpoint", at="first")


@pytest.mark.parametrize("how", ["recorded", "swapped"])
@pytest.mark.parametrize("depth", [StepDepth.OVER, StepDepth.INTO])
async def test_steps_keep_to_the_lines_of_new_code(jvm: Jvm, depth: StepDepth, how: str) -> None:
    async with debug(jvm, inline(SOURCE)) as d:
        await d.session.breakpoints.add(d.at("first"))
        await at_first(d)
        count = 7 if depth is StepDepth.OVER else 11
        wanted = await lines(d, depth, count)
        assert wanted[-1] == d.program.line("last"), wanted
        if how == "recorded":
            await d.session.recorder.record("T.sum")
        else:
            await d.session.hotswap.redefine_all(inline(LONGER).classes)
        for _ in range(2):
            await at_first(d)
            assert await lines(d, depth, count) == wanted
        await d.resume()
        await d.wait_exit()
        assert "total 6" in d.target.stdout

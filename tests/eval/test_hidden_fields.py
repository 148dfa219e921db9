"""Private fields of superclasses: shown where nothing else has the name, and never in place of what Java sees."""

from __future__ import annotations

import pytest

from tests.harness import Jvm, debug, inline

pytestmark = pytest.mark.one_java

SOURCE = """\
class Program {
    public static void main(String[] args) {
        Middle middle = new Lowest(), plain = new Middle();
        Shape[] shapes = new Shape[3];
        Thread[] threads = {new Named("own", "thread")};
        for (int i = 0; i < 40; i++) weigh(i % 10 == 5 ? new Marked(i) : new Top(), i);
        end();  // @here
    }
    static void end() { }
    static void weigh(Top crate, int i) {
        int sum = i;  // @weigh
    }
    static int size(Object[] array) { return array.length; }
}

interface Shape { }

class Top { private int kept = 1; private int only = 7; }

class Middle extends Top { }

class Marked extends Middle { int only; Marked(int only) { this.only = only; } }

class Named extends Thread {
    String name;
    Named(String name, String thread) { super(thread); this.name = name; }
}

class Lowest extends Middle { int kept = 2; }
"""


async def test_which_field_is_meant(jvm: Jvm) -> None:
    async with debug(jvm, inline(SOURCE)) as d:
        await d.run_to("here")
        for expression, expected in {
            "middle.kept": "2",
            "plain.kept": "1",
            "((Top) middle).kept": "1",
            "middle.only": "7",
            "plain.only": "7",
        }.items():
            assert (await d.session.values.evaluate(expression)).text == expected, expression


async def test_an_array_of_an_interface_is_an_array_of_objects(jvm: Jvm) -> None:
    async with debug(jvm, inline(SOURCE)) as d:
        await d.run_to("here")
        for expression in ("size(shapes)", "java.util.Arrays.asList(shapes).size()", "shapes.length"):
            assert (await d.session.values.evaluate(expression)).text == "3", expression


async def test_a_field_that_java_does_not_see_yields_to_the_object_s_own(jvm: Jvm) -> None:
    async with debug(jvm, inline(SOURCE)) as d:
        await d.run_to("here")
        evaluate = d.session.values.evaluate
        assert (await evaluate("threads[0].name")).text == '"own"'
        assert (await evaluate("((Thread) threads[0]).name")).text == '"thread"'
        await evaluate('threads[0].name = "other"')
        assert (await evaluate("threads[0].getName()")).text == '"thread"'
        assert (await evaluate("((Named) threads[0]).name")).text == '"other"'


@pytest.mark.parametrize("woven", [False, True])
async def test_conditions_take_the_object_s_own_field(jvm: Jvm, woven: bool) -> None:
    """``Top.only`` is 7 in all of them, and hidden in some by a field of the object's class."""
    async with debug(jvm, inline(SOURCE)) as d:
        await d.session.breakpoints.add(d.at("weigh"), condition="crate.only == 25", woven=woven)
        await d.resume()
        await d.wait_stop("breakpoint", at="weigh")
        assert (await d.session.values.evaluate("i")).text == "25"
        [point] = d.session.breakpoints.list()
        assert point.in_target is woven, point
        await d.session.points.set_condition(1, "((Top) crate).only == 7 && i == 35")
        await d.resume()
        await d.wait_stop("breakpoint", at="weigh")
        assert (await d.session.values.evaluate("crate.only")).text == "35"

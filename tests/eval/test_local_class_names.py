"""Local classes: the name means the class of the frame's method, whatever else is called so and whatever is loaded."""

from __future__ import annotations

import pytest

from jdbpy.errors import EvalError
from tests.harness import Jvm, debug, inline

pytestmark = pytest.mark.one_java

SOURCE = """
class Start {
    public static void main(String[] args) {
        System.out.println(Depot.weigh(3) + Depot.deeper(4) + Depot.far(5) + Depot.measure("x") + Depot.none());
        System.out.println(new Depot.Box().tag() + Depot.box());
        Depot.twice(true);
    }
}
class Depot {
    static String weigh(int k) {
        record Size(int w) { static String unit() { return "gram"; } }
        return new Size(k).w() + Size.unit();
    }
    static String deeper(int k) {
        record Size(int w) { static String unit() { return "third"; } }
        return new Size(k).w() + Size.unit();
    }
    static String far(int k) {
        record Size(int w) { static String unit() { return "fourth"; } }
        return new Size(k).w() + Size.unit();
    }
    static boolean measure(Object other) {
        record Size(int h) { static String unit() { return "inch"; } int twice() { return h * 2; } }
        Object o = new Size(5);
        boolean same = o instanceof Size;
        return same && !(other instanceof Size);  // @measure
    }
    static String none() {
        return Size.unit();  // @none
    }
    static class Box { String tag() { return "member"; } }
    static String box() {
        class Box { String tag() { return inside(); } String inside() {
            return "local";  // @inside
        } }
        Object o = new Box();
        Object made = new Object() { public String toString() {
            Box box = new Box();
            return box.tag();  // @anonymous
        } };
        return new Box().tag() + made + (o instanceof Box);  // @box
    }
    static void twice(boolean first) {
        if (first) { class Kind { } System.out.println(new Kind() != null); }
        else { class Kind { } System.out.println(new Kind() != null); }
        System.out.println("end of twice");  // @twice
    }
}
class Size { static String unit() { return "top level"; } }
"""

MEANT = (
    ("measure", {"o instanceof Size": "true", "((Size) o).twice()": "10", "Size.unit()": '"inch"'}),
    ("none", {"Size.unit()": '"top level"'}),
    ("box", {"new Depot.Box().tag()": '"member"', "o instanceof Box": "true", "((Box) o).tag()": '"local"'}),
)


async def test_a_name_means_the_class_of_the_method(jvm: Jvm) -> None:
    async with debug(jvm, inline(SOURCE)) as d:
        for place, meant in MEANT:
            await d.run_to(place, "Depot")
            found = {each: (await d.session.values.evaluate(each)).text for each in meant}
            assert found == meant, place
        await d.run_to("inside", "Depot")
        assert (await d.session.values.evaluate("this instanceof Box")).text == "true"


async def test_code_of_an_inner_class_of_the_method(jvm: Jvm) -> None:
    async with debug(jvm, inline(SOURCE)) as d:
        await d.run_to("anonymous", "Depot")
        assert (await d.session.values.evaluate("box instanceof Box")).text == "true"


async def test_two_classes_of_one_method_are_ambiguous(jvm: Jvm) -> None:
    async with debug(jvm, inline(SOURCE)) as d:
        await d.run_to("twice", "Depot")
        with pytest.raises(EvalError, match=r"reference to Kind is ambiguous: Depot\$1Kind, Depot\$2Kind"):
            await d.session.values.evaluate("new Object() instanceof Kind")
        assert (await d.session.values.evaluate("(Object) null instanceof Depot$1Kind")).text == "false"


async def test_a_condition_takes_it_too(jvm: Jvm) -> None:
    async with debug(jvm, inline(SOURCE)) as d:
        await d.session.breakpoints.add(d.at("measure", "Depot"), condition="o instanceof Size")
        await d.resume()
        await d.wait_stop("breakpoint", at="measure")

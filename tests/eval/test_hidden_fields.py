"""Private fields of superclasses: shown where nothing else has the name, and never in place of what Java sees."""

from __future__ import annotations

from tests.harness import Jvm, debug, inline

SOURCE = """\
class Program {
    public static void main(String[] args) {
        Middle middle = new Lowest(), plain = new Middle();
        Shape[] shapes = new Shape[3];
        end();  // @here
    }
    static void end() { }
    static int size(Object[] array) { return array.length; }
}

interface Shape { }

class Top { private int kept = 1; private int only = 7; }

class Middle extends Top { }

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

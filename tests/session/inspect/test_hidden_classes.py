"""Hidden classes, lambdas' among them, are named as the JVM spells them: acme.Order$$Lambda/0x0000000800c03000."""

from __future__ import annotations

import pytest

from jdbpy.cli.arguments.location import complete_place
from jdbpy.cli.names import Names
from jdbpy.session.eval.syntax import tree
from jdbpy.session.eval.syntax.parser import parse_expression
from tests.harness import Debugging, Jvm, debug, inline

SOURCE = """
    package shop;
    import java.lang.invoke.MethodHandles;
    import java.util.function.IntSupplier;
    public class Hiding {
        public static void main(String[] args) throws Exception {
            int five = args.length + 5;
            IntSupplier lambda = () -> five + 1;
            byte[] file = Hiding.class.getResourceAsStream("Hidden.class").readAllBytes();
            Class<?> type = MethodHandles.lookup().defineHiddenClass(file, true).lookupClass();
            Object hidden = type.getDeclaredConstructor().newInstance();
            System.out.println(lambda.getAsInt()); // @made
            System.out.println(hidden);
        }
    }
    class Hidden {
        static int count = 3;
        int own = 7;
        static int twice(int number) { return 2 * number; }
        @Override public String toString() {
            return "hidden " + own; // @text
        }
    }
"""


async def hidden_classes(d: Debugging) -> tuple[str, str]:
    """Run to where both exist; the names of the lambda's class and the other."""
    await d.run_to("made", "shop.Hiding")
    found = {each.name: each.value for each in await d.session.stack.variables() if each.value}
    names = found["lambda"].type, found["hidden"].type
    assert names[0].startswith("shop.Hiding$$Lambda")
    assert names[1].startswith("shop.Hidden/0x")
    return names


async def test_commands_name_a_hidden_class(jvm: Jvm) -> None:
    async with debug(jvm, inline(SOURCE)) as d:
        lambda_name, name = await hidden_classes(d)
        classes = d.session.classes
        assert (await classes.detail(name)).info.name == name
        assert {lambda_name, name} <= set(classes.known().classes)
        assert "twice" in [each.name for each in await classes.methods(name)]
        assert [each.name for each in await classes.fields(name)] == ["count", "own"]
        assert "getAsInt" in [each.name for each in await classes.methods(lambda_name)]
        short = name.removeprefix("shop.")
        for text, value in (
            (f"{name}.count", "3"),
            (f"{name}.twice(4) + 1", "9"),
            (f"{short}.count + {name}.count", "6"),
            (f"(({name}) hidden).own", "7"),
            (f"{name}.count = 9", "9"),
            (f"{name}.count/0x0000000000000003", "3"),
        ):
            assert (await d.session.values.evaluate(text)).text == value, text


async def test_breakpoints_in_hidden_classes(jvm: Jvm) -> None:
    async with debug(jvm, inline(SOURCE)) as d:
        lambda_name, name = await hidden_classes(d)
        line = d.program.line("text")
        for place in (f"{lambda_name}.getAsInt", f"{name}.toString", f"{name}:{line}"):
            breakpoint = await d.session.breakpoints.add(place)
            assert breakpoint.resolved, place
        await d.resume()
        stop = await d.wait_stop("breakpoint")
        assert stop.location is not None
        assert (stop.location.class_name, stop.location.method) == (lambda_name, "getAsInt")
        await d.resume()
        stop = await d.wait_stop("breakpoint")
        assert stop.location is not None
        assert (stop.location.class_name, stop.location.line) == (name, line)


@pytest.mark.parametrize("text", ["a/0x0000000000000001", "x$$y / 0x0000000000000001.5p1", '"T/0x0000000000000001.x"'])
def test_what_only_looks_like_one_is_java(text: str) -> None:
    assert isinstance(parse_expression(text), tree.Binary | tree.Literal)


def test_completion_offers_them() -> None:
    name = "shop.Hiding$$Lambda/0x0000000800c03000"
    names = Names(classes=(name,), methods={name: ("getAsInt",)})
    assert [each.text for each in complete_place("shop.Hiding$$", names)] == [name]
    assert not list(complete_place("shop.Hid", names))  # a program has hundreds of them
    assert [each.text for each in complete_place(f"{name}.get", names)] == ["getAsInt"]

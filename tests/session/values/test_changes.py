"""Marks on what has changed since an earlier stop: by frame, for variables, expressions and whole objects."""

from __future__ import annotations

import pytest

from jdbpy.session.model.values import Variable
from tests.harness import Jvm, debug, inline

pytestmark = pytest.mark.one_java

PROGRAM = """
import java.util.ArrayList;
import java.util.List;
public class Changing {
    public static void main(String[] args) {
        new Changing().work(3);
    }
    int total = 1;
    String name = "Ada";
    double none = Double.NaN;
    int helped() {
        return total;  // @inside
    }
    void work(int n) {
        List<Integer> list = new ArrayList<>();
        int[] array = {1, 2};
        int same = 7;  // @one
        total++;  // @two
        list.add(n);
        array[1] = 5;
        int fresh = helped();  // @three
        n = n + fresh;  // @four
        if (n > 0 && n < 100) {
            work(n + 1000);  // @deeper
        }
        System.out.println(n + same + name + array[1]);  // @end
    }
}
"""


def changed(variables: tuple[Variable, ...]) -> list[str]:
    """The names of what is marked; fields of ``this`` as this.name."""
    found = []
    for each in variables:
        if each.changed and each.kind != "this":
            found.append(each.name)
        if each.kind == "this" and each.value is not None:
            inside = [f"this.{child.name}" for child in each.value.children if child.changed]
            assert bool(inside) == each.changed
            found += inside
    return found


async def test_variables_that_changed(jvm: Jvm) -> None:
    async with debug(jvm, inline(PROGRAM)) as d:
        stack = d.session.stack
        await d.run_to("two")
        assert changed(await stack.variables()) == [], "nothing was told before"
        await d.run_to("three")
        assert changed(await stack.variables()) == ["this.total", "list", "array"]
        assert changed(await stack.variables()) == ["this.total", "list", "array"], "asked twice at one stop"
        await d.run_to("four")
        assert changed(await stack.variables()) == [], "fresh is new, not changed"
        await d.run_to("deeper")
        assert changed(await stack.variables()) == ["n"]


async def test_elements_that_changed(any_jvm: Jvm) -> None:
    async with debug(any_jvm, inline(PROGRAM)) as d:
        await d.run_to("two")
        await d.session.stack.variables()
        await d.run_to("three")
        [array] = [each for each in await d.session.stack.variables() if each.name == "array"]
        assert array.value is not None
        assert [child.changed for child in array.value.children] == [False, True]


async def test_what_was_set_is_changed_against_the_stop_before(jvm: Jvm) -> None:
    async with debug(jvm, inline(PROGRAM)) as d:
        await d.run_to("two")
        await d.session.stack.variables()
        await d.session.values.assign("same", "8")
        assert changed(await d.session.stack.variables()) == [], "the stop before is not known"
        await d.run_to("three")
        assert changed(await d.session.stack.variables()) == ["this.total", "list", "array"]
        await d.session.values.assign("same", "9")
        assert changed(await d.session.stack.variables()) == ["this.total", "list", "array", "same"]
        await d.session.values.evaluate("helped()")  # runs a method: the stop is the same
        assert changed(await d.session.stack.variables()) == ["this.total", "list", "array", "same"]


async def test_each_frame_is_compared_with_itself(jvm: Jvm) -> None:
    async with debug(jvm, inline(PROGRAM)) as d:
        await d.run_to("three")
        await d.session.stack.variables()
        await d.run_to("inside")
        assert changed(await d.session.stack.variables()) == []
        await d.session.select_frame(2)
        assert changed(await d.session.stack.variables()) == []
        await d.session.values.assign("same", "70")
        assert changed(await d.session.stack.variables()) == ["same"]
        await d.session.select_frame(1)
        assert changed(await d.session.stack.variables()) == []
        await d.run_to("deeper")
        assert changed(await d.session.stack.variables()) == ["n"], "same was told as 70 before"
        await d.run_to("one")
        assert changed(await d.session.stack.variables()) == [], "the method is the same, the frame another"


async def test_expressions_and_whole_objects(jvm: Jvm) -> None:
    async with debug(jvm, inline(PROGRAM)) as d:
        values = d.session.values
        await d.run_to("two")
        for text in ("total", "same", "none", "list", "name"):
            assert not (await values.evaluate(text)).changed
        await values.dump("this")
        await d.run_to("three")
        found = {text: (await values.evaluate(text)).changed for text in ("total", "same", "none", "list", "name")}
        assert found == {"total": True, "same": False, "none": False, "list": True, "name": False}
        dumped = await values.dump("this")
        assert dumped.changed
        assert [child.name for child in dumped.children if child.changed] == ["total"]
        assert not (await values.evaluate("total + 0")).changed, "never asked before"

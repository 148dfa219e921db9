"""Describing values: limits, circles, nesting, throwables, dumps, objects that are gone."""

from __future__ import annotations

import pytest

from jdbpy.errors import EvalError
from jdbpy.session.model.values import Limits, ValueInfo
from jdbpy.session.values.describe import describe, dump
from jdbpy.session.values.objects import contents
from jdbpy.session.values.shown import Entries, Items
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import ObjectID, TaggedValue as WireValue
from tests.harness import Debugging, Jvm, debug, inline

pytestmark = pytest.mark.one_java


async def at_stop(d: Debugging) -> dict[str, WireValue]:
    """The locals of Gallery.main at its stop."""
    await d.run_to("call")
    found = await d.session.stack.variables(limits=Limits(depth=0))
    return {
        variable.name: WireValue(ord(variable.value.tag), variable.value.id or 0)
        for variable in found
        if variable.value
    }


async def shown(d: Debugging, value: WireValue, **limits: int) -> ValueInfo:
    [described] = await describe(d.session._target, [value], Limits(**limits))
    return described


def children(value: ValueInfo) -> dict[str, str]:
    return {child.name: child.value.text for child in value.children if child.value}


async def test_objects_by_their_fields(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Gallery") as d:
        values = await at_stop(d)
        special = await shown(d, values["special"])
        assert (special.type, special.text, special.tag) == ("Gallery$Special", f"Special@{special.id}", "L")
        assert children(special) == {"weight": "2.5", "boxed": "7", "number": "0", "name": '"node 0"', "next": "null"}
        by_name = {child.name: child for child in special.children}
        assert (by_name["boxed"].type, by_name["boxed"].declared_in) == ("java.lang.Integer", "Gallery$Special")
        assert (by_name["next"].type, by_name["next"].declared_in) == ("Gallery$Node", "Gallery$Node")
        assert special.children[0].kind == "field"

        chain = await shown(d, values["chain"], depth=3)
        texts = []
        node = chain
        while node.children:
            texts.append(children(node)["name"])
            node = next(child.value for child in node.children if child.name == "next" and child.value)
        assert texts == ['"node 3"', '"node 2"', '"node 1"']

        circle = await shown(d, values["circle"], depth=20)
        inner = circle.children[-1].value
        assert inner is not None
        assert (inner.id, inner.text) == (circle.id, circle.text)
        assert len((await shown(d, values["wide"], fields=4)).children) == 4
        assert (await shown(d, values["circle"], depth=0)).children == ()


async def test_strings_are_cut_and_escaped(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Gallery") as d:
        values = await at_stop(d)
        cut = await shown(d, values["longText"], string=12)
        assert (cut.text, cut.length, cut.truncated) == ('"012345678901"...', 1000, True)
        whole = await shown(d, values["longText"], string=1000)
        assert (len(whole.text), whole.truncated) == (1002, False)
        odd = await shown(d, values["odd"])
        assert odd.text == ('"quote \\" backslash \\\\ tab \\t escape \\u001b bidi \\u202e pair 😀 lone \\ud800 end"')
        null = await shown(d, values["none"])
        assert (null.type, null.text, null.id) == ("null", "null", None)


async def test_collections_within_collections(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Gallery") as d:
        values = await at_stop(d)
        nested = await shown(d, values["nested"])
        assert nested.text == "ArrayList(3) [List12(2), Map1(1), ArrayList(3)]"
        assert (nested.length, nested.truncated) == (3, False)
        deep = await shown(d, values["nested"], depth=3)
        first, second, itself = (child.value for child in deep.children)
        assert first is not None
        assert second is not None
        assert itself is not None
        assert first.text == "List12(2) [1, List12(2)]"
        assert second.text == 'Map1(1) {"k"=List12(1)}'
        assert second.children[0].key is not None
        assert second.children[0].key.text == '"k"'
        assert itself.id == deep.id
        pair = await shown(d, values["pair"], depth=0)
        assert pair.text == f"Pair[left=Pair@{pair_left(await shown(d, values['pair']))}, right=List12(1)]"
        cut = await shown(d, values["thousandStrings"], elements=2)
        assert (cut.text, cut.length, cut.truncated) == ('Object[1000] {"s0", "s1", ...}', 1000, True)
        assert (await shown(d, values["matrix"])).text == "int[3][] {int[2], int[2], int[2]}"
        some = await shown(d, values["thousand"], elements=3)
        assert some.text == 'HashMap(1000) {0="value 0", 1="value 1", 2="value 2", ...}'
        assert (some.length, some.truncated, len(some.children)) == (1000, True, 3)


def pair_left(value: ValueInfo) -> int:
    left = value.children[0].value
    assert left is not None
    assert left.id is not None
    return left.id


async def test_throwables(jvm: Jvm) -> None:
    async with debug(jvm, "Gallery") as d:
        values = await at_stop(d)
        thrown = await shown(d, values["thrown"], depth=2)
        assert thrown.text == "Gallery$Failure: went wrong"
        assert list(children(thrown)) == ["message", "cause", "stackTrace", "suppressed", "code"]
        assert children(thrown)["cause"] == "java.lang.IllegalArgumentException: cause"
        assert children(thrown)["suppressed"] == "ArrayList(1) [java.lang.Error: suppressed]"
        stack = next(child.value for child in thrown.children if child.name == "stackTrace")
        assert stack is not None
        assert stack.text.startswith("StackTraceElement[1] {Gallery.main(Gallery.java:")
        fresh = await shown(d, values["fresh"])
        assert fresh.text == "Gallery$Failure"
        assert list(children(fresh)) == ["message", "code"]
        assert "getStackTrace()" in fresh.note


@pytest.mark.two_javas
async def test_lambdas_are_told_by_their_class(jvm: Jvm) -> None:
    async with debug(jvm, "Gallery") as d:
        values = await at_stop(d)
        value = await shown(d, values["lambda"])
        assert value.type.startswith("Gallery$$Lambda")
        assert value.text.startswith("Gallery$$Lambda")
        assert value.text.endswith(f"@{value.id}")
        assert [child.type for child in value.children] == ["java.lang.String"]


async def test_dump_shows_fields_whatever_the_class(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Gallery") as d:
        values = await at_stop(d)
        target = d.session._target
        nested = await dump(target, values["nested"], Limits(depth=2, elements=5))
        by_name = {child.name: child for child in nested.children}
        assert children(nested)["size"] == "3"
        assert by_name["elementData"].type == "java.lang.Object[]"
        assert by_name["modCount"].declared_in == "java.util.AbstractList"
        assert by_name["DEFAULT_CAPACITY"].kind == "static"
        assert children(nested)["DEFAULT_CAPACITY"] == "10"
        special = await dump(target, values["special"], Limits(depth=1))
        assert children(special)["boxed"] == "7"
        assert {child.name for child in special.children if child.kind == "static"} == {"made"}
        assert (await dump(target, values["longText"])).children == ()


async def test_depth_times_width_is_bounded(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Gallery") as d:
        values = await at_stop(d)
        many = await describe(d.session._target, [values["thousandStrings"]] * 12, Limits(depth=1, elements=1000))
        assert sum(len(value.children) for value in many) == 10_000
        assert [value.truncated for value in many] == [False] * 10 + [True] * 2


async def test_a_collected_object_is_told_as_such(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Gallery") as d:
        values = await at_stop(d)
        gone = WireValue(Tag.OBJECT, ObjectID(999_999))
        described, special = await describe(d.session._target, [gone, values["special"]])
        assert (described.text, described.note) == ("<collected>", "it was garbage-collected")
        assert special.text.startswith("Special@")
        text = await shown(d, WireValue(Tag.STRING, ObjectID(999_998)))
        assert text.text == "<collected>"


async def test_contents_for_programs(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Gallery") as d:
        values = await at_stop(d)
        target = d.session._target
        nested = await contents(target, values["nested"], 2)
        assert isinstance(nested, Items)
        assert (nested.size, len(nested.items)) == (3, 2)
        thousand = await contents(target, values["thousand"], 1000)
        assert isinstance(thousand, Entries)
        assert len(thousand.entries) == 1000
        strings = await contents(target, values["thousandStrings"], 3)
        assert isinstance(strings, Items)
        assert (strings.size, len(strings.items)) == (1000, 3)
        assert await contents(target, values["special"], 3) is None
        assert await contents(target, values["none"], 3) is None


async def test_the_same_question_twice_costs_less(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Gallery") as d:
        await at_stop(d)
        first = d.session.statistics()
        once = await d.session.stack.variables()
        second = d.session.statistics()
        assert await d.session.stack.variables() == once
        third = d.session.statistics()
        assert third.since(second).commands < second.since(first).commands
        assert third.since(second).waves <= second.since(first).waves


async def test_all_locals_in_few_waves(any_jvm: Jvm) -> None:
    """A frame of 16 locals with collections in it, nothing known: as many round trips as its deepest value takes."""
    async with debug(any_jvm, "Gallery") as d:
        await d.run_to("call")
        await d.session.stack.selected()
        before = d.session.statistics()
        variables = await d.session.stack.variables(limits=Limits(depth=0))
        assert len(variables) == 16
        assert d.session.statistics().since(before).waves <= 11
        before = d.session.statistics()
        assert await d.session.stack.variables(limits=Limits(depth=0)) == variables
        assert d.session.statistics().since(before).waves <= 4


SCOPED = """
class Scoped {
    public static void main(String[] args) {
        System.out.println(total(7));
    }
    static int total(int amount) {
        int rate = 3; // @first
        int sum = amount * rate;
        for (int i = 0; i < 2; i++) sum += i;
        return sum; // @last
    }
}
"""


async def test_an_unknown_name_says_what_may_be_meant(jvm: Jvm) -> None:
    async with debug(jvm, inline(SCOPED)) as d:
        await d.run_to("first")
        for text, message, hint in (
            ("sum + 1", "variable sum", "sum is not in scope yet at line"),
            ("sum.length", "variable sum", "sum is not in scope yet at line"),
            ("amuont", "variable amuont", "did you mean amount?"),
            ("amuont.of.it", "variable amuont", "did you mean amount?"),  # no word of a package that does not exist
            ("1 + sum.of.it", "variable sum", "sum is not in scope yet at line"),
            ("nothing.like.it", "variable nothing", "no class of a package 'nothing' is loaded either"),
        ):
            with pytest.raises(EvalError, match=message) as caught:
                await d.session.values.evaluate(text)
            assert hint in caught.value.hint
            assert caught.value.column == (4 if text.startswith("1 + ") else 0), text
        await d.run_to("last")
        with pytest.raises(EvalError) as caught:
            await d.session.values.evaluate("i")
        assert "i is not in scope at this place in line" in caught.value.hint

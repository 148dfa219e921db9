"""Logical views against the truth: what each collection itself gives when the program walks it."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

import jdbpy
from jdbpy.session.model.values import Limits, ValueInfo, Variable
from jdbpy.session.values.describe import describe
from jdbpy.session.values.obj import Obj
from jdbpy.session.values.objects import Objects
from jdbpy.session.values.shown import Part, Parts, Shown
from jdbpy.session.values.views.immutable import Draw, walk_order
from jdbpy.session.values.views.language import decimal_text
from jdbpy.session.values.views.time import civil_date
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue as WireValue
from tests.harness import Debugging, Jvm, debug, inline

NOT_FILLED = "the target has not filled in its stack yet: evaluate getStackTrace() on it"


async def stopped_with_values(d: Debugging) -> tuple[list[str], tuple[Variable, ...]]:
    """Runs Views up to its stop; gives the names of the values, and the values described three levels deep."""
    await d.run_to("stop")
    every, names = await d.session.stack.variables(limits=Limits(depth=3, elements=2000, string=2000))
    assert every.value is not None
    assert names.value is not None
    return [child.value.text[1:-1] for child in names.value.children if child.value], every.value.children


def shown(value: ValueInfo, kind: str) -> list[str]:
    """A described value in the words in which the program tells what it saw."""
    if kind == "text":
        return [kind, value.text]
    children = [
        f"{child.name}={child.value.text}" if kind == "entries" else child.value.text
        for child in value.children
        if child.value is not None
    ]
    return [kind, str(value.length), *children]


every_java = pytest.mark.every_java


@every_java
async def test_what_is_shown_is_what_the_program_sees(jvm: Jvm) -> None:
    async with debug(jvm, "Views") as d:
        names, values = await stopped_with_values(d)
        told = dict(line.split("|", 1) for line in d.target.stdout.splitlines() if "|" in line)
        assert names == list(told)
        seen = {}
        for name, variable in zip(names, values, strict=True):
            assert variable.value is not None
            seen[name] = "|".join(shown(variable.value, told[name].partition("|")[0]))
            assert variable.value.note in ("", NOT_FILLED), name
        assert seen == told


@every_java
async def test_a_limit_cuts_after_the_first_elements(jvm: Jvm) -> None:
    async with debug(jvm, "Views") as d:
        names, values = await stopped_with_values(d)
        told = dict(line.split("|", 1) for line in d.target.stdout.splitlines() if "|" in line)
        cut = await describe(
            d.session._target,
            [WireValue(ord(each.value.tag), each.value.id or 0) for each in values if each.value],
            Limits(depth=1, elements=3),
        )
        checked = 0
        for name, value in zip(names, cut, strict=True):
            kind, *rest = told[name].split("|")
            if kind == "text" or int(rest[0]) <= 3:
                continue
            checked += 1
            own_count = "ConcurrentLinked" not in name  # those two would have to be counted, and skip lists of Java 8
            own_count = own_count and (jvm.feature > 8 or "ConcurrentSkipList" not in name)
            assert (value.truncated, value.length) == (True, int(rest[0]) if own_count else None), name
            heads = [child.value.text for child in value.children if child.value]
            if kind == "entries":
                heads = [f"{child.name}={head}" for child, head in zip(value.children, heads, strict=True)]
            assert heads == rest[1:4], name
        assert checked > 30


@every_java
async def test_counts_that_are_spread_over_cells(jvm: Jvm) -> None:
    opened = [f"--add-opens=java.base/java.util.concurrent{part}=ALL-UNNAMED" for part in ("", ".atomic")]
    opened = opened if jvm.feature >= 9 else []
    async with debug(jvm, "Cells", jvm_options=opened) as d:
        await d.run_to("cells")
        shown_values = {each.name: each.value for each in await d.session.stack.variables() if each.value}
        assert shown_values["adder"].text == "42"
        assert shown_values["doubles"].text == "2.75"
        assert shown_values["map"].text.startswith("ConcurrentHashMap(5) ")


async def test_collections_of_kotlin_scala_and_ruby(jvm: Jvm) -> None:
    async with debug(jvm, "Foreign") as d:
        await d.run_to("foreign")
        found = {each.name: each.value for each in await d.session.stack.variables() if each.value}
        assert all(value.note == "" for value in found.values())
        assert {name: value.text for name, value in found.items() if name not in ("args", "small")} == {
            "pair": 'Pair[first="a", second=1]',
            "triple": 'Triple[first="a", second=1, third=null]',
            "deque": 'ArrayDeque(4) ["a", "b", "c", "d"]',
            "emptyList": "EmptyList(0) []",
            "emptyMap": "EmptyMap(0) {}",
            "list": 'List(2) ["x", "y"]',
            "nothing": "List(0) []",
            "some": 'Some["held"]',
            "none": "None",
            "tuple": 'Tuple2[_1="left", _2=2]',
            "buffer": "ArrayBuffer(2) [1, 2]",
            "smallMap": 'Map(2) {"a"=1, "b"=null}',
            "smallSet": "Set(3) [\"x\", 2, 'y']",
            "noMap": "Map(0) {}",
            "noSet": "Set(0) []",
            "vector": "Vector(12) [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]",
            "hashMap": 'HashMap(5) {"a"=1, "b"=2, "in"=3, "x"=8, "y"=9}',
            "hashSet": 'HashSet(3) ["a", "b", "in"]',
            "lazyList": f'LazyList@{found["lazyList"].id} ["a", "b", ...]',
            "treeMap": 'TreeMap(2) {"a"=1, "b"=2}',
            "table": 'HashMap(3) {"a"=1, "b"=2, "c"=3}',
            "sizes": "Value[3] {S, large, Value(2)}",
            "rubyString": '"héllo"',
            "rubySymbol": ":abc",
            "rubyArray": "RubyArray(4) [1, 2.5, nil, true]",
            "rubyOne": "RubyArray(1) [7]",
            "rubyHash": 'RubyHash(2) {:a=1, "b"=RubyArray(4)}',
            "rubyObject": 'Order[@id=7, @name="pens"]',
        }


@every_java
async def test_an_empty_collection_whose_nodes_class_is_not_loaded(jvm: Jvm) -> None:
    """A class loader of its own would do as well: no other code of the JDK's start makes a node of these."""
    source = """
        import java.util.concurrent.*;
        public class Empty {
            public static void main(String[] args) {
                Object map = new ConcurrentSkipListMap<String, String>();
                Object deque = new LinkedBlockingDeque<String>();
                Object weak = new java.util.WeakHashMap<String, String>();
                Object tree = new java.util.TreeMap<String, String>();
                Object linked = new java.util.LinkedList<String>();
                System.out.println();  // @empty
            }
        }
    """
    async with debug(jvm, inline(source)) as d:
        await d.run_to("empty")
        found = {each.name: each.value for each in await d.session.stack.variables() if each.value}
        shown = {name: (value.text, value.note) for name, value in found.items() if name != "args"}
        assert shown == {
            "map": ("ConcurrentSkipListMap(0) {}", ""),
            "deque": ("LinkedBlockingDeque(0) []", ""),
            "weak": ("WeakHashMap(0) {}", ""),
            "tree": ("TreeMap(0) {}", ""),
            "linked": ("LinkedList(0) []", ""),
        }
        loaded = await d.session.classes.list("java.util.concurrent.LinkedBlockingDeque$Node")
        assert not loaded


async def test_a_class_that_is_laid_out_otherwise_is_shown_with_a_word_why(jvm: Jvm) -> None:
    """A class of the name that a view is for, as another release of its library might have it."""
    source = """
        package scala;
        public class Some {
            public static void main(String[] args) {
                Some some = new Some();
                System.out.println(some);  // @other
            }
            int other = 1;
        }
    """
    async with debug(jvm, inline(source)) as d:
        await d.run_to("other")
        value = await d.session.values.evaluate("some")
        assert value.text == f"Some@{value.id}"
        assert value.note == "not a layout of scala.Some that is known: no field x"
        assert [(each.name, each.value.text) for each in value.children if each.value] == [("other", "1")]


INDEXED = """
    import java.util.*;
    public class Indexed {
        public static void main(String[] args) {
            Order order = new Order();
            Object[] array = {1, 2};
            Object list = order.items;
            List<List<Integer>> nested = Arrays.asList(Arrays.asList(1, 2), Arrays.asList(3));
            Set<Integer> set = new TreeSet<>(Arrays.asList(7, 8));
            System.out.println(order);  // @indexed
        }
        static class Order {
            List<String> items = new ArrayList<>(Arrays.asList("pen", "ink"));
            Map<String, Integer> stock = new TreeMap<>(Collections.singletonMap("pen", 3));
        }
    }
"""


@every_java
async def test_an_index_reads_an_element_of_a_list(jvm: Jvm) -> None:
    async with debug(jvm, inline(INDEXED)) as d:
        await d.run_to("indexed")
        found = {}
        for text in (
            "order.items[1]",
            "order.items[0].length() + nested[0][1]",
            "list[0]",
            "((Object) array)[1]",
            "set[1]",
            "order.items[2]",
            "order.items[-1]",
            'order.items["a"]',
            'order.stock["pen"]',
            "order[0]",
            '"text"[0]',
            'order.items[0] = "cap"',
        ):
            try:
                found[text] = (await d.session.values.evaluate(text)).text
            except jdbpy.EvalError as error:
                found[text] = error.message
        assert found == {
            "order.items[1]": '"ink"',
            "order.items[0].length() + nested[0][1]": "5",
            "list[0]": '"pen"',
            "((Object) array)[1]": "2",
            "set[1]": "8",
            "order.items[2]": "java.lang.IndexOutOfBoundsException: Index 2 out of bounds for length 2",
            "order.items[-1]": "java.lang.IndexOutOfBoundsException: Index -1 out of bounds for length 2",
            'order.items["a"]': "incompatible types: java.lang.String cannot be converted to int",
            'order.stock["pen"]': "array or list required, but java.util.TreeMap found",
            "order[0]": "array or list required, but Indexed$Order found",
            '"text"[0]': "array required, but String found",
            'order.items[0] = "cap"': "unexpected type: required variable, found value",
        }


@every_java
async def test_dump_shows_no_less_than_print(jvm: Jvm) -> None:
    async with debug(jvm, inline(INDEXED)) as d:
        await d.run_to("indexed")
        values = d.session.values
        printed = await values.evaluate("order.items", limits=Limits(depth=1))
        dumped = await values.dump("order.items", limits=Limits(depth=1))
        assert dumped.text == printed.text == 'ArrayList(2) ["pen", "ink"]'
        assert [each.name for each in dumped.children][:3] == ["elementData", "size", "modCount"]
        [items, stock] = (await values.dump("order", limits=Limits(depth=1))).children
        assert [each.value.text for each in (items, stock) if each.value] == ["ArrayList(2)", "TreeMap(1)"]
        [items, stock] = (await values.dump("order", limits=Limits(depth=2))).children
        assert items.value is not None
        assert stock.value is not None
        assert [each.value.text for each in items.value.children if each.value] == ['"pen"', '"ink"']
        assert [(each.name, each.value.text) for each in stock.value.children if each.value] == [('"pen"', "3")]


@every_java
async def test_no_code_runs_in_the_target(jvm: Jvm, tmp_path: Path) -> None:
    log = str(tmp_path / "wire.log")
    async with debug(jvm, "Views", options=jdbpy.Options(wire_log=log)) as d:
        names, _ = await stopped_with_values(d)
        assert len(names) > 200
    text = await trio.Path(log).read_text(encoding="utf-8")
    assert "ObjectReference.GetValues" in text
    assert "Invoke" not in text
    assert "NewInstance" not in text


async def test_views_take_their_time_by_depth_not_by_size(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Gallery") as d:
        values = await values_at_stop(d)
        target = d.session._target  # round trips are counted below the public API
        wide = Limits(depth=1, elements=1000)
        costs = {}
        for name in ("thousand", "thousandStrings"):
            wire = WireValue(ord(values[name].tag), values[name].id or 0)
            await describe(target, [wire], wide)  # classes are known from now on
            again = await fresh_objects(d)
            before = d.session.statistics()
            [value] = await describe(target, [again[name]], wide)
            costs[name] = d.session.statistics().since(before).waves
            assert len(value.children) == 1000
        assert costs["thousand"] <= 6
        assert costs["thousandStrings"] <= 3 + 2  # their lengths come before their texts


async def fresh_objects(d: Debugging) -> dict[str, WireValue]:
    """The values of the fixture's locals with nothing remembered about the objects."""
    from jdbpy.session.values.remembered import Remembered

    Objects.of(d.session._target).reader._remembered = Remembered()
    return {
        name: WireValue(ord(value.tag), value.id)
        for name, value in (await values_at_stop(d, run=False)).items()
        if value.id
    }


async def values_at_stop(d: Debugging, *, run: bool = True) -> dict[str, ValueInfo]:
    """The locals of Gallery.main at its stop, not described any deeper than their heads."""
    if run:
        await d.run_to("call")
    found = await d.session.stack.variables(limits=Limits(depth=0))
    return {variable.name: variable.value for variable in found if variable.value}


async def test_unknown_layout_and_failing_view_fall_back_on_fields(any_jvm: Jvm) -> None:
    async def wrong_field(obj: Obj) -> Shown:
        return Parts([Part("x", await obj.get("nowhere"))])

    async def broken(obj: Obj) -> Shown:
        raise ZeroDivisionError("oops")

    async with debug(any_jvm, "Gallery") as d:
        values = await values_at_stop(d)
        target = d.session._target
        special = WireValue(Tag.OBJECT, values["special"].id or 0)
        Objects.of(target).views.add("Gallery$Node", wrong_field)
        [value] = await describe(target, [special])
        assert value.note == "not a layout of Gallery$Node that is known: no field nowhere"
        assert [child.name for child in value.children] == ["weight", "boxed", "number", "name", "next"]
        Objects.of(target).views.add("Gallery$*", broken)
        [value] = await describe(target, [special])
        assert value.note == "its view failed: ZeroDivisionError: oops"
        assert len(value.children) == 5


async def test_a_view_of_the_users_own_comes_first(any_jvm: Jvm) -> None:
    async def node(obj: Obj) -> Shown:
        number, following = await obj.read("number", "next")
        return Parts([Part("number", number, "int"), Part("next", following)])

    async with debug(any_jvm, "Gallery") as d:
        values = await values_at_stop(d)
        views = Objects.of(d.session._target).views
        views.add("Gallery$No*", node)
        [value] = await describe(d.session._target, [WireValue(Tag.OBJECT, values["chain"].id or 0)])
        assert value.text == "Node[number=3, next=Node[number=2, next=" + f"Node@{deepest(value)}]]"
        views.remove("Gallery$No*")
        [value] = await describe(d.session._target, [WireValue(Tag.OBJECT, values["chain"].id or 0)])
        assert value.text == f"Node@{value.id}"


def deepest(value: ValueInfo) -> int:
    """The id in a text that ends in "@id]]"."""
    return int(value.text.rpartition("@")[2].rstrip("]"))


# Pure parts


@pytest.mark.parametrize(
    ("unscaled", "scale", "text"),
    [(0, 0, "0"), (0, 3, "0.000"), (-12345, 3, "-12.345"), (1, -3, "1E+3"), (12, 8, "1.2E-7"), (12, 7, "0.0000012")],
)
def test_decimal_text(unscaled: int, scale: int, text: str) -> None:
    assert decimal_text(unscaled, scale) == text


def test_civil_date_agrees_with_the_calendar() -> None:
    from datetime import date, timedelta

    first = date(1, 1, 1)
    start = (first - date(1970, 1, 1)).days
    for days in range(0, 3_652_059, 97):
        expected = first + timedelta(days=days)
        assert civil_date(start + days) == (expected.year, expected.month, expected.day)


@pytest.mark.parametrize("reverse", [True, False])
@pytest.mark.parametrize("step", [1, 2])
def test_every_slot_is_walked_once(reverse: bool, step: int) -> None:
    for scaled, salt in ((True, 123_456_789), (False, 123_456_789), (False, -123_456_789)):
        order = walk_order(12, Draw(salt, reverse, 0, scaled), step)
        assert sorted(order) == list(range(0, 12, step))
        assert walk_order(0, Draw(1, reverse, 0, scaled), step) == []

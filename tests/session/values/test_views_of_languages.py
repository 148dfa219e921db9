"""Views of other languages' collections, with their real libraries, against what their own iterators give."""

from __future__ import annotations

import pytest

from jdbpy.session.model.values import Limits, ValueInfo
from tests.harness import Debugging, Jvm, Program, debug, program
from tests.harness.needs import LIBRARIES, library_jars
from tests.harness.programs import FIXTURES

pytestmark = pytest.mark.one_java

ALL = Limits(depth=3, elements=2000, string=2000)


def objects_of(language: str, name: str) -> Program:
    jars = library_jars(language)
    assert jars, f"no library of {language}: apt-get install {LIBRARIES[language][0]}"
    return program(name, where=FIXTURES / "languages", libraries=jars)


async def variables(d: Debugging) -> dict[str, ValueInfo]:
    """The variables of the frame by name, none of which is shown with a word why its view failed."""
    found = {each.name: each.value for each in await d.session.stack.variables(limits=ALL) if each.value}
    assert {name: value.note for name, value in found.items() if value.note and "filled in" not in value.note} == {}
    return found


async def check_collections(d: Debugging) -> None:
    """Compares all collections of the program with what it printed of them."""
    told = dict(line.split("|", 1) for line in d.target.stdout.splitlines() if "|" in line)
    named = (await d.session.values.evaluate("names", limits=ALL)).children
    names = [each.value.text[1:-1] for each in named if each.value]
    objects = (await d.session.values.evaluate("objects", limits=ALL)).children
    assert names == list(told)
    seen = {}
    for name, variable in zip(names, objects, strict=True):
        value = variable.value
        assert value is not None
        assert value.note == "", name
        kind = told[name].partition("|")[0]
        children = [
            f"{child.name}={child.value.text}" if kind == "entries" else child.value.text
            for child in value.children
            if child.value
        ]
        seen[name] = "|".join([kind, str(value.length), *children])
    assert seen == told


async def test_scala(jvm: Jvm) -> None:
    async with debug(jvm, objects_of("scala", "ScalaObjects")) as d:
        await d.run_to("stop")
        await check_collections(d)
        found = await variables(d)
        expected = {
            "some": 'Some["held"]',
            "none": "None",
            "left": 'Left["no"]',
            "right": "Right[1]",
            "success": 'Success["yes"]',
            "failure": "Failure[java.lang.IllegalStateException: why]",
            "pair": 'Tuple2[_1="left", _2=2]',
            "ints": "Tuple2[_1=3, _2=4]",
            "order": 'Order[id=7, name="pens"]',
            "nested": 'Some[Tuple2[_1=Order[id=1, name="a"], _2=ArrayBuffer(2)]]',
            "symbol": "Symbol(sym)",
            "bigInt": "123456789012345678901234567890",
            "bigDecimal": "1.50",
            "unit": "()",
            "counter": "IntRef[5]",
            "builder": '"text"',
        }
        assert {name: found[name].text for name in expected} == expected
        days = [found[name].text for name in ("monday", "tuesday", "friday")]
        assert f"days: {' '.join(days)}" in d.target.stdout.splitlines()
        stream = found["stream"]
        assert (stream.length, stream.truncated) == (None, True)
        assert [child.value.text for child in stream.children if child.value] == ['"first"']


async def test_names_that_scala_has_expanded(jvm: Jvm) -> None:
    """Scala 2.13.18 makes fields public under longer names: they are found by those in the source."""
    async with debug(jvm, "Expanded") as d:
        await d.run_to("open", class_name="Till")
        evaluate = d.session.values.evaluate
        assert [(await evaluate(text)).text for text in ("drawer", "this.drawer + key")] == ["40", "42"]
        await evaluate("drawer = 50")
        await d.run_to("shown", class_name="Expanded")
        assert (await evaluate("till.drawer")).text == "50"
        assert (await evaluate("deque")).text == 'ArrayDeque(3) ["a", "b", "c"]'
        assert [(await evaluate(name)).text for name in ("red", "green")] == ["RED", "green"]


async def test_clojure(jvm: Jvm) -> None:
    async with debug(jvm, objects_of("clojure", "ClojureObjects")) as d:
        await d.run_to("stop")
        await check_collections(d)
        found = await variables(d)
        expected = {
            "keyword": ":a",
            "qualified": ":shop/order",
            "symbol": "ns/name",
            "var": "#'clojure.core/counter",
            "ratio": "1/3",
            "big": "12345678901234567890123N",
            "atom": "Atom[PersistentArrayMap(1)]",
            "ref": "Ref[PersistentVector(1)]",
            "delay": "Delay.unrealized",
            "entry": ":a=1",
            "nested": 'PersistentArrayMap(2) {:orders=PersistentVector(1), :owner="me"}',
            "record": 'Point[x=1, y="two"]',
        }
        assert {name: found[name].text for name in expected} == expected
        [orders, _] = found["nested"].children
        assert orders.value is not None
        assert orders.value.text == "PersistentVector(1) [PersistentArrayMap(2)]"


async def test_a_lazy_sequence_is_shown_as_far_as_it_was_realized(jvm: Jvm) -> None:
    async with debug(jvm, objects_of("clojure", "ClojureObjects")) as d:
        await d.run_to("stop")
        found = await variables(d)
        assert [found["lazy"].children, found["lazy"].truncated] == [(), True]
        half = found["half"]
        assert [child.value.text for child in half.children if child.value] == ["2", "3"]
        assert half.truncated


async def test_groovy(jvm: Jvm) -> None:
    async with debug(jvm, objects_of("groovy", "GroovyObjects")) as d:
        await d.run_to("stop")
        found = await variables(d)
        told = d.target.stdout.splitlines()
        assert found["text"].text == f'"{told[-1].removeprefix("text|")}"'
        assert found["nested"].text == '"<for ann: 3 c at 2.5 and null!|${GroovyObjects$Order}>"'
        ranges = [each.value for each in found["ranges"].children if each.value]
        held = [[child.value.text for child in value.children if child.value] for value in ranges]
        seen = ["|".join(["range", str(value.length), *each]) for value, each in zip(ranges, held, strict=True)]
        assert seen == told[:-1]
        assert found["letters"].text == "a..e"
        assert found["tuple"].text == 'Tuple2(2) ["a", 1]'
        assert found["shared"].text == 'Reference["captured"]'


async def test_jruby(any_jvm: Jvm) -> None:
    async with debug(any_jvm, objects_of("jruby", "RubyObjects")) as d:
        await d.run_to("stop")
        names = (await d.session.values.evaluate("names", limits=ALL)).children
        objects = (await d.session.values.evaluate("objects", limits=ALL)).children
        shown = {
            name.value.text[1:-1]: (value.value.text, value.value.note)
            for name, value in zip(names, objects, strict=True)
            if name.value and value.value
        }
        assert shown == {
            name: (text, "")
            for name, text in {
                "[1, 2.5, nil, true, false]": "RubyArray(5) [1, 2.5, nil, true, false]",
                "[]": "RubyArray(0) []",
                "[7]": "RubyArray(1) [7]",
                "['one', :two]": 'RubyArray(2) ["one", :two]',
                "(1..100).to_a": f"RubyArray(100) [{', '.join(map(str, range(1, 33)))}, ...]",
                "[1, 2, 3, 4].drop(2)": "RubyArray(2) [3, 4]",
                "{:a => 1, 'b' => [1, 2], nil => {}}": 'RubyHash(3) {:a=1, "b"=RubyArray(2), nil=RubyHash(0)}',
                "{}": "RubyHash(0) {}",
                "h = {1 => 2, 3 => 4, 5 => 6}; h.delete(3); h": "RubyHash(2) {1=2, 5=6}",
                "'héllo'": '"héllo"',
                "'x' * 20": f'"{"x" * 20}"',
                "''": '""',
                "'abcdef'[2, 3]": '"cde"',
                ":abc": ":abc",
                "2 ** 100": str(2**100),
                "-5": "-5",
                "1.5e300": "1.5E300",
                "3.to_r / 4": "(3/4)",
                "1..5": "1..5",
                "'a'...'c'": "a...c",
                "nil": "nil",
                "true": "true",
                "Order.new": 'Order[@name="pens", @id=7]',
                "Order": "Order",
                "Math": "Math",
                "[1,[2,[3]]]": "RubyArray(2) [1, RubyArray(2)]",
            }.items()
        }
        nested = [each.value for each in objects if each.value][6].children
        assert [each.value.text for each in nested if each.value] == ["1", "RubyArray(2) [1, 2]", "RubyHash(0) {}"]

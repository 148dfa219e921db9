"""The interpreter against a fake target: values, exceptions, trips and their order, and what is left to run time."""

from __future__ import annotations

import pytest

from jdbpy.errors import EvalError, StateError
from jdbpy.session.eval.errors import Thrown
from jdbpy.session.eval.java.types import source_name
from jdbpy.session.eval.operands import Elements, LocalBox, LocalString, Operand
from jdbpy.session.eval.syntax.imports import read_imports
from jdbpy.session.eval.target import Raw, Ref
from tests.eval.fake import FakeTarget

ORDER = "LOrder;"


def shop() -> FakeTarget:
    """Orders, a special one, and a frame of Main with a few variables."""
    fake = FakeTarget()
    calls: list[str] = []

    def total(this: Raw) -> Raw:
        calls.append("total")
        return fake.object(this).fields["total"]

    fake.define(
        "Order",
        fields="I total|LOrder; next|[LOrder; parts|Ljava/lang/String; id|static I count",
        methods={
            "total()I": total,
            "fails()I": lambda this: _throw("java.lang.IllegalStateException", "no"),
            "toString()Ljava/lang/String;": lambda this: fake.string(f"Order{fake.object(this).fields['total']}"),
            "<init>(I)V": lambda this, total: this.fields.update(total=total),
        },
    )
    fake.define("Special", above=("Order",), fields="I bonus", methods={"bonus()I": lambda this: 99})
    fake.define("Main", fields="LOrder; order|I size|static I limit")
    last = fake.new("Order", total=30, id=fake.string("last"))
    first = fake.new("Order", total=10, next=last, id=fake.string("first"))
    special = fake.new("Special", total=20, bonus=5, next=first)
    fake.object(first).fields["parts"] = fake.array("Order[]", last, special, None)
    fake.this = fake.new("Main", order=first, size=3)
    fake.statics["Main", "limit"] = 50
    fake.local("order", ORDER, first)
    fake.local("other", ORDER, special)
    fake.local("object", "Ljava/lang/Object;", special)
    fake.local("none", ORDER, None)
    fake.local("n", "I", 7)
    fake.local("ints", "[I", fake.array("int[]", 5, 3, 8))
    fake.local("orders", "[LOrder;", fake.array("Order[]", first, special, last))
    fake.local("list", "Ljava/util/List;", fake.list_of(first, special, last), "Ljava/util/List<LOrder;>;")
    fake.local("things", "Ljava/util/List;", fake.list_of(first, fake.small_box("Integer", 4), None))
    fake.local("text", "Ljava/lang/String;", fake.string("hello"))
    fake.local("boxed", "Ljava/lang/Integer;", fake.box("Integer", 1000))
    return fake


async def test_a_static_field_hides_a_member_class_of_its_name() -> None:
    fake = shop()
    fake.define("Outer$inner", fields="static I depth")
    fake.define("Outer", fields="static LOrder; inner")
    fake.statics["Outer", "inner"] = fake.new("Order", total=4)
    fake.statics["Outer$inner", "depth"] = 9
    assert (await fake.evaluate("Outer.inner.total")).value == 4
    with pytest.raises(EvalError, match="cannot find symbol: variable depth"):
        await fake.evaluate("Outer.inner.depth")


def _throw(kind: str, message: str) -> Raw:
    raise Thrown(kind, message)


def plain(fake: FakeTarget, operand: Operand) -> object:
    """The value of an operand as Python has it: the text of strings, the total of orders."""
    match operand.value:
        case LocalString(text=text):
            return text
        case LocalBox(value=value):
            return value
        case Elements(elements=elements):
            return [plain(fake, element) for element in elements]
        case Ref() as ref:
            found = fake.object(ref)
            return found.fields.get("total", found.text or found.fields.get("value") or found.class_name)
    return operand.value


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("n", "int", 7),
        ("order.total", "int", 10),
        ("order.next.total", "int", 30),
        ("order.next.next", "Order", None),
        ("order.parts[1].total", "int", 20),
        ("order.parts.length", "int", 3),
        ("size + limit", "int", 53),
        ("Main.limit", "int", 50),
        ("this.order.total", "int", 10),
        ("other.total", "int", 20),
        ("ints[1] + ints[2]", "int", 11),
        ("order.total()", "int", 10),
        ("text.length()", "int", 5),
        ("text + n + 'c'", "java.lang.String", "hello7c"),
        ('order + "!"', "java.lang.String", "Order10!"),
        ("boxed + 1", "int", 1001),
        ("boxed == 1000", "boolean", True),
        ("(Object) n", "java.lang.Object", 7),
        ("new Order(5).total", "int", 5),
        ("new int[] {1, n}[1]", "int", 7),
        ("object instanceof Special s && s.bonus > 1", "boolean", True),
        ("none == null ? n : none.total", "int", 7),
        ("int x = n * 2; x + 1", "int", 15),
        ("var x = order; x.total", "int", 10),
        ("$x = n; $x + 1", "int", 8),
        ("list.get(1).total", "int", 20),
        ("list[1..].map(o -> o.total)", "int[]", [20, 30]),
        ("list[? it.total > 10].size()", "int", 2),
        ("orders[? it != order].map(o -> o.total).sum()", "long", 50),
        ("orders.map(Order::total)", "int[]", [10, 20, 30]),
        ("ints.map(i -> i * n)", "int[]", [35, 21, 56]),
        ("ints[..2]", "int[]", [5, 3]),
        ("ints[5..]", "int[]", []),
        ('ints[? it > 3].map(i -> { if (i > 6) return "big"; return "small"; }).join(",")', None, "small,big"),
        ("list.stream().filter(o -> o.total > 10).map(o -> o.total).max()", None, 30),
        ("list.anyMatch(o -> o.total == 20)", "boolean", True),
        ("list.allMatch(o -> o == order)", "boolean", False),
        ("orders.map(o -> o.total).sorted().reversed().get(0)", None, 30),
        ("orders[..].count() + orders.length", "long", 6),
    ],
)
async def test_values(text: str, kind: str | None, value: object) -> None:
    fake = shop()
    operand = await fake.evaluate(text)
    assert plain(fake, operand) == value
    if kind is not None:
        assert source_name(operand.type) == kind


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("object.bonus", 5),
        ("object.bonus()", 99),
        ("object.bonus + n", 12),
        ("object.next.total", 10),
        ("other.bonus * 2", 10),
        ("object.bonus() > 50 && object.total > 1", True),
        ("things.get(1) + 1", 5),
        ("things[1..2].map(x -> x + 1)", [5]),
        ("things[? it instanceof Order o && o.total > 1].size()", 1),
        ("(things.get(1)) == 4", True),
        ("ints[things.get(1) - 3]", 3),
        ("$x = object; $x.bonus", 5),
        ("object.bonus = 8; object.bonus", 8),
        ("object.bonus += 2", 7),
        ("object.bonus++ + object.bonus", 11),
        ('things.get(1) > 3 ? "yes" : "no"', "yes"),
        ("-things.get(1)", -4),
        ("int x = things.get(1); x", 4),
        ("new Order(things.get(1)).total", 4),
        ('switch (things.get(1)) { case 4 -> "four"; default -> "else"; }', "four"),
    ],
)
async def test_the_run_time_class_helps_where_the_static_type_says_too_little(text: str, value: object) -> None:
    fake = shop()
    assert plain(fake, await fake.evaluate(text)) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("object.nothing", "cannot find symbol: variable nothing in class Special"),
        ("object.nothing()", "cannot find symbol: method nothing() in class Special"),
        ("object + 1", "bad operand types for binary operator '+': Special and int"),
        ("(object).total(1)", "method total in class Order cannot be applied to given types"),
        ("null.x", "<null> cannot be dereferenced"),
        ("null.x()", "<null> cannot be dereferenced"),
        ("int x = object; x", "incompatible types: Special cannot be converted to int"),
        ("things[? it.total > 1]", "cannot find symbol: variable total in class Integer"),
        ("none.nothing", "cannot find symbol: variable nothing in class Order"),
    ],
)
async def test_what_even_the_run_time_class_does_not_have(text: str, message: str) -> None:
    fake = shop()
    with pytest.raises(EvalError) as caught:
        await fake.evaluate(text)
    assert caught.value.message.startswith(message)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("none.total", "java.lang.NullPointerException", 'Cannot read field "total"'),
        ("none.total = 1", "java.lang.NullPointerException", 'Cannot assign field "total"'),
        ("none.total()", "java.lang.NullPointerException", 'Cannot invoke "Order.total()"'),
        ("none.parts[0]", "java.lang.NullPointerException", 'Cannot read field "parts"'),
        ("order.next.parts[0]", "java.lang.NullPointerException", "Cannot load from array"),
        ("order.next.parts.length", "java.lang.NullPointerException", "Cannot read the array length"),
        ("order.next.parts[0] = order", "java.lang.NullPointerException", "Cannot store to array"),
        ("ints[3]", "java.lang.ArrayIndexOutOfBoundsException", "Index 3 out of bounds for length 3"),
        ("ints[-1] = 5", "java.lang.ArrayIndexOutOfBoundsException", "Index -1 out of bounds for length 3"),
        ("(Special) order", "java.lang.ClassCastException", "class Order cannot be cast to class Special"),
        ("n / 0", "java.lang.ArithmeticException", "/ by zero"),
        ("new int[-n]", "java.lang.NegativeArraySizeException", "-7"),
        ("order.fails()", "java.lang.IllegalStateException", "no"),
        ("things[2..].map(x -> x.total)", "java.lang.NullPointerException", 'Cannot read field "total"'),
        ("things[2..].map(x -> x.total())", "java.lang.NullPointerException", 'Cannot invoke "total()"'),
        ("(int) (Integer) null", "java.lang.NullPointerException", 'Cannot invoke "java.lang.Integer.intValue()"'),
        # The left operand comes first, also where both are read side by side.
        ("none.total + ints[9]", "java.lang.NullPointerException", 'Cannot read field "total"'),
        ("ints[9] + none.total", "java.lang.ArrayIndexOutOfBoundsException", "Index 9 out of bounds for length 3"),
        # A null receiver is found after the arguments are evaluated, the value before the null array.
        ("none.equals(1 / 0)", "java.lang.ArithmeticException", "/ by zero"),
        ('order.next.parts[0] = null == order ? order : (Order) (Object) "x"', "java.lang.ClassCastException", None),
        ('switch (none.id) { case "a" -> 1; default -> 2; }', "java.lang.NullPointerException", None),
    ],
)
async def test_exceptions(text: str, kind: str, message: str | None) -> None:
    fake = shop()
    with pytest.raises(Thrown) as caught:
        await fake.evaluate(text)
    assert caught.value.exception_type == kind
    assert message is None or caught.value.exception_message == message


@pytest.mark.parametrize(
    ("text", "trips"),
    [
        ("n", ["read_frame"]),
        ("n + n * n", ["read_frame"]),
        ("n > 3 && text != null", ["read_frame"]),
        ("1 + 2", []),
        ('"a" + 1', []),
        ("this.size", ["read_frame", "read_fields"]),
        ("limit", ["read_statics"]),
        # A local is of the class that debugging information says; that is made sure once, before its fields are read.
        ("order.total", ["read_frame", "classes_of", "read_fields"]),
        ("order.next.total", ["read_frame", "classes_of", "read_fields", "read_fields"]),
        ("ints[1]", ["read_frame", "read_array"]),
        ('text.equals("hello")', ["read_frame", "read_strings"]),
        ("text == null", ["read_frame"]),
        ("boxed > 5", ["read_frame", "read_fields"]),
        ("none != null && none.total > 1", ["read_frame"]),
        ("n == 7 || order.total > 1", ["read_frame"]),
        ("order == other", ["read_frame"]),
        ("order.total()", ["read_frame", "invoke total"]),
        ("n = 5", ["read_frame", "write_local"]),
        ("this.size += 1", ["read_frame", "read_fields", "write_field"]),
    ],
)
async def test_what_an_expression_asks_of_the_target(text: str, trips: list[str]) -> None:
    """Apart from facts about classes, which are asked for once in a session."""
    fake = shop()
    await fake.evaluate(text)
    assert [trip for trip in fake.trips if trip not in ("find_classes", "class_facts")] == trips


async def test_a_filter_asks_for_all_elements_side_by_side() -> None:
    """The trips of a thousand elements are as deep as those of one: no element waits for another."""
    fake = shop()
    many = [fake.new("Order", total=number) for number in range(1000)]
    fake.local("many", "[LOrder;", fake.array("Order[]", *many))
    operand = await fake.evaluate("many[? it.total >= 990].map(o -> o.total)")
    assert plain(fake, operand) == list(range(990, 1000))
    assert fake.trips.count("read_fields") == 1010
    # 256 at a time: that many reads follow each other directly, for they were all asked for before one was answered.
    assert " ".join(["read_fields"] * 256) in " ".join(fake.trips)


async def test_what_is_left_to_run_time_goes_side_by_side_once_it_is_known() -> None:
    fake = shop()
    many = [fake.new("Order", total=number) for number in range(200)]
    fake.local("many", "Ljava/util/List;", fake.list_of(*many))
    operand = await fake.evaluate("many[? it.total >= 190].map(o -> o.total)")
    assert plain(fake, operand) == list(range(190, 200))
    reads = "".join("r" if trip == "read_fields" else "." for trip in fake.trips)
    assert "r" * 199 in reads
    calling = await fake.evaluate("many[? it.total() >= 190].size()")
    assert calling.value == 10


@pytest.mark.parametrize("text", ["order.total()", "new Order(1)", "text.trim()", "orders[0].fails()", "text + order"])
async def test_nothing_is_run_where_nothing_can_be_run(text: str) -> None:
    fake = shop()
    fake.can_invoke = False
    with pytest.raises(StateError):
        await fake.evaluate(text)
    assert not [trip for trip in fake.trips if trip.startswith("invoke")]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("text.length()", 5),
        ('text.equals("hello")', True),
        ("text.charAt(1)", ord("e")),
        ("text.substring(1, 3)", "el"),
        ("text + n", "hello7"),
        ("order.next.total", 30),
        ("list[? it.total > 10].size()", 2),
        ("boxed.intValue()", 1000),
        ("Integer.valueOf(n) == 7", True),
        ("n > 3 ? n : 3", 7),
    ],
)
async def test_what_can_be_evaluated_without_running_anything(text: str, value: object) -> None:
    fake = shop()
    fake.can_invoke = False
    assert plain(fake, await fake.evaluate(text)) == value


async def test_calls_convert_their_arguments() -> None:
    """Strings and boxes of the debugger are made in the target, once each, in the order of the arguments."""
    fake = shop()
    seen: list[object] = []

    def take(*args: Raw) -> Raw:
        seen.extend(fake.object(arg).text or fake.object(arg).fields.get("value") for arg in args)
        return None

    fake.define("Sink", methods={"static take(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;)V": take})
    operand = await fake.evaluate('Sink.take("a", 5, "b" + n)')
    assert seen == ["a", 5, "b7"]
    assert source_name(operand.type) == "void"


async def test_short_circuits_and_branches_leave_the_rest_alone() -> None:
    fake = shop()
    for text in ("n == 7 || order.fails() == 1", "n != 7 && order.fails() == 1", "n == 7 ? 1 : order.fails()"):
        await fake.evaluate(text)
    assert "invoke fails" not in fake.trips


async def test_a_class_that_is_not_loaded_is_loaded_when_it_is_named() -> None:
    fake = shop()
    fake.define("com.acme.Late", fields="static I x")
    fake.unloaded.add("com.acme.Late")
    fake.statics["com.acme.Late", "x"] = 8
    assert (await fake.evaluate("com.acme.Late.x + 1")).value == 9
    assert "load com.acme.Late" in fake.trips


@pytest.mark.parametrize(
    ("imports", "value"),
    [
        ("import com.acme.Thing;", 1),
        ("import com.other.*;", 2),
        ("import static com.acme.Thing.x;", 1),
        ("import static com.other.Thing.*;", 2),
    ],
)
async def test_imports_say_which_class_is_meant(imports: str, value: int) -> None:
    fake = shop()
    for number, package in enumerate(("com.acme", "com.other"), 1):
        fake.define(f"{package}.Thing", fields="static I x")
        fake.statics[f"{package}.Thing", "x"] = number
    fake.source_imports = read_imports(f"package main;\n{imports}\nclass Main {{}}")
    assert (await fake.evaluate("x" if "static" in imports else "Thing.x")).value == value


async def test_a_simple_name_of_several_classes_is_ambiguous() -> None:
    fake = shop()
    fake.define("com.acme.Thing", fields="static I x")
    fake.define("com.other.Thing", fields="static I x")
    with pytest.raises(EvalError) as caught:
        await fake.evaluate("Thing.x")
    assert caught.value.message == "reference to Thing is ambiguous: com.acme.Thing, com.other.Thing"


async def test_names_are_searched_from_the_inside_outwards() -> None:
    """Locals hide fields, fields what was captured, and that the fields of the class around."""
    fake = shop()
    fake.define("Main$In", fields="LMain; this$0|I val$captured|I val$size|I own")
    outer = fake.this
    assert outer is not None
    fake.home = "Main$In"
    fake.this = fake.new("Main$In", this_0=outer, own=1)
    fake.object(fake.this).fields.update({"this$0": outer, "val$captured": 2, "val$size": 4})
    answers = {text: (await fake.evaluate(text)).value for text in ("own", "captured", "size", "n", "limit")}
    assert answers == {"own": 1, "captured": 2, "size": 4, "n": 7, "limit": 50}
    assert (await fake.evaluate("Main.this.size")).value == 3


async def test_static_code_has_no_instance() -> None:
    fake = shop()
    fake.is_static = True
    for text, message in {
        "this": "non-static variable this cannot be referenced from a static context",
        "size": "non-static variable size cannot be referenced from a static context",
        "toString()": "non-static method toString() cannot be referenced from a static context",
    }.items():
        with pytest.raises(EvalError) as caught:
            await fake.evaluate(text)
        assert caught.value.message == message


async def test_strings_and_boxes_keep_their_identity() -> None:
    fake = shop()
    truths = ['"a" == "a"', '"a" + "b" == "ab"', "(Object) 5 == (Object) 5", '$s = "x" + n; $s == $s']
    lies = ['"a" + n == "a7"', "(Object) 1000 == (Object) 1000", 'text == "hello" + n']
    assert [(await fake.evaluate(text)).value for text in truths] == [True] * len(truths)
    assert [(await fake.evaluate(text)).value for text in lies] == [False] * len(lies)

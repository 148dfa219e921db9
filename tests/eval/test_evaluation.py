"""The interpreter against a fake target: values, exceptions, and what is left to run time."""

from __future__ import annotations

import pytest

from jdbpy.errors import EvalError, ProtocolError, Thrown
from jdbpy.session.eval.jvm.calls import result_of
from jdbpy.session.eval.target import Raw
from jdbpy.session.java.types import source_name
from jdbpy.session.jvm.refs import Method
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import MethodID, ReferenceTypeID, TaggedValue
from tests.eval.fake_shop import plain, shop


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
    "text", ["ints[1] + 1", "ints[1]++", "ints[1..]", "orders[0].total", "orders.map(o -> o.total)"]
)
async def test_elements_of_another_kind_than_declared_are_the_target_s_fault(text: str) -> None:
    fake = shop()
    fake.object(fake.value_of("ints")).elements[:] = [fake.value_of("order")] * 3
    fake.object(fake.value_of("orders")).elements[:] = [1, 2, 3]
    with pytest.raises(ProtocolError, match="elements that are not of the type"):
        await fake.evaluate(text)


@pytest.mark.parametrize(("signature", "tag"), [("()I", Tag.OBJECT), ("()LOrder;", Tag.INT), ("()J", Tag.INT)])
def test_a_result_of_another_kind_than_declared_is_the_target_s_fault(signature: str, tag: int) -> None:
    method = Method(MethodID(1), ReferenceTypeID(2), "size", signature, "", 0)
    with pytest.raises(ProtocolError, match="a result of size that is not of its declared type"):
        result_of(method, TaggedValue(tag, 7))


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


async def test_strings_and_boxes_keep_their_identity() -> None:
    fake = shop()
    truths = ['"a" == "a"', '"a" + "b" == "ab"', "(Object) 5 == (Object) 5", '$s = "x" + n; $s == $s']
    lies = ['"a" + n == "a7"', "(Object) 1000 == (Object) 1000", 'text == "hello" + n']
    assert [(await fake.evaluate(text)).value for text in truths] == [True] * len(truths)
    assert [(await fake.evaluate(text)).value for text in lies] == [False] * len(lies)

"""What an expression asks of a target, in which order, and what it does not ask or run; against a fake target."""

from __future__ import annotations

import pytest

from jdbpy.errors import StateError
from tests.eval.fake_shop import plain, shop


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
        ('text.equals("hello")', ["read_frame", "string_length", "string_length", "read_strings"]),
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


async def test_short_circuits_and_branches_leave_the_rest_alone() -> None:
    fake = shop()
    for text in ("n == 7 || order.fails() == 1", "n != 7 && order.fails() == 1", "n == 7 ? 1 : order.fails()"):
        await fake.evaluate(text)
    assert "invoke fails" not in fake.trips


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

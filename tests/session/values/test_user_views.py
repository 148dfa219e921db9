"""Views of the user's own: expressions over fields, Python functions; what they may not do, what goes wrong in them."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio

import jdbpy
from jdbpy import views
from jdbpy.errors import EvalError, UsageError
from tests.harness import Debugging, Jvm, debug, inline

pytestmark = pytest.mark.one_java

PROGRAM = """
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
public class Shown {
    public static void main(String[] args) {
        Money price = new Money("12.50", Currency.EUR);
        Money discount = new Discount("1.00", Currency.USD, 7);
        List<Money> prices = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            prices.add(new Money(i + ".25", Currency.EUR));
        }
        Money empty = new Money("0", null);
        Basket basket = new Basket(prices);
        Object nested = new Outer.Inner();
        Chain chain = new Chain(1, new Chain(2, new Chain(3, null)));
        for (int i = 4; i < 40; i++) {
            chain = new Chain(i, chain);
        }
        System.out.println(price + "" + discount + basket + chain);  // @here
    }
}
enum Currency { EUR, USD }
class Money {
    static int scale = 2;
    private final BigDecimal amount;
    private final Currency currency;
    private long cents = 1250;
    Money(String amount, Currency currency) {
        this.amount = new BigDecimal(amount);
        this.currency = currency;
    }
    String text() {
        return amount + " of " + currency;
    }
}
class Discount extends Money {
    int percent;
    Discount(String amount, Currency currency, int percent) {
        super(amount, currency);
        this.percent = percent;
    }
}
class Outer {
    static class Inner { int n = 5; }
}
class Basket {
    final List<Money> items;
    final Money[] array;
    final Map<String, Integer> counts = Map.of("a", 1);
    Basket(List<Money> items) {
        this.items = items;
        this.array = items.toArray(new Money[0]);
    }
}
record Chain(int value, Chain next) {}
"""


@asynccontextmanager
async def stopped(jvm: Jvm, options: jdbpy.Options | None = None) -> AsyncIterator[Debugging]:
    async with debug(jvm, inline(PROGRAM), options=options) as d:
        await d.run_to("here")
        yield d


async def told(d: Debugging, text: str) -> tuple[str, str]:
    value = await d.session.values.evaluate(text)
    return value.text, value.note


async def test_an_expression_over_the_fields(jvm: Jvm, tmp_path: Path) -> None:
    log = str(tmp_path / "wire.log")
    async with stopped(jvm, jdbpy.Options(wire_log=log)) as d:
        added = d.session.values.views
        added.add("Money", 'amount + " " + currency')
        assert await told(d, "price") == ("12.50 Currency.EUR", "")
        assert await told(d, "discount") == ("1.00 Currency.USD", ""), "a subclass"
        assert await told(d, "empty") == ("0 null", "")
        assert (await told(d, "prices"))[0].startswith("ArrayList(300) [0.25 Currency.EUR, 1.25 Currency.EUR, ")
        rows = {
            "cents": "1250",
            "cents / 100.0": "12.5",
            "this.cents > 100 ? currency.name() : null": "EUR",
            "scale + 1": "3",
            "(Object) (int) cents": "1250",
            "currency": "Currency.EUR",
            "amount": "12.50",
            "currency == Currency.EUR": "true",
            "null": "null",
            "'x'": "'x'",
            "Math.max(1, cents)": "1250",
            "currency.ordinal()": "0",
        }
        for text, shown in rows.items():
            added.add("Money", text)
            assert await told(d, "price") == (shown, ""), text
        assert [(each.pattern, each.expression) for each in added.list()] == [("Money", "currency.ordinal()")]
        added.remove("Money")
        assert (await told(d, "price"))[0].startswith("Money@")
        with pytest.raises(UsageError, match="no view for Money"):
            added.remove("Money")
    assert "Invoke" not in await trio.Path(log).read_text(encoding="utf-8")


async def test_a_view_that_gives_elements_is_shown_as_a_collection(jvm: Jvm) -> None:
    async with stopped(jvm) as d:
        added = d.session.values.views
        added.add("Money", "cents")
        for text in ("items", "array", "items[0..300]", "array[? it.cents > 0]"):
            added.add("Basket", text)
            value = await d.session.values.evaluate("basket", limits=jdbpy.Limits(elements=2))
            assert (value.text, value.length) == ("Basket(300) [1250, 1250, ...]", 300), text
            assert [child.name for child in value.children] == ["[0]", "[1]"]
        added.add("Basket", "counts")
        assert await told(d, "basket") == ('Basket(1) {"a"=1}', "")
        added.add("Basket", "array[0..2].map(it -> it.currency.name())")
        assert await told(d, "basket") == ('Basket(2) ["EUR", "EUR"]', "")
        added.add("Basket", 'array[0..2].map(it -> it.cents + "c")')
        assert await told(d, "basket") == ("[1250c, 1250c]", "")


async def test_what_goes_wrong_is_said_beside_the_object(jvm: Jvm, tmp_path: Path) -> None:
    log = str(tmp_path / "wire.log")
    async with stopped(jvm, jdbpy.Options(wire_log=log)) as d:
        added = d.session.values.views
        rows = {
            "amountt": "cannot find symbol: variable amountt",
            "text()": "views run no methods",
            "new Object()": "views run no methods",
            "new int[2]": "views make no arrays",
            "cents = 5": "views change nothing",
            "cents++": "views change nothing",
            "cents / 0": "java.lang.ArithmeticException: / by zero",
            "currency + 1 - 2": "bad operand types",
        }
        for text, note in rows.items():
            added.add("Money", text)
            value = await d.session.values.evaluate("price")
            assert value.text.startswith("Money@"), text
            assert value.note.startswith("its view failed: "), text
            assert note in value.note
            assert {child.name for child in value.children} == {"amount", "currency", "cents"}
        assert (await told(d, "price.cents"))[0] == "1250"
        added.add("Money", "currency.ordinal + scale")
        assert (await told(d, "price"))[0] == "2"
        assert "NullPointerException" in (await told(d, "empty"))[1]
        for text in ("1 +", "int x = 5;", ""):
            with pytest.raises(EvalError):
                added.add("Money", text)
        with pytest.raises(UsageError, match="is not a pattern"):
            added.add("a b", "1")
    assert "Invoke" not in await trio.Path(log).read_text(encoding="utf-8")


async def test_a_simple_name_means_no_class_of_the_jdk(any_jvm: Jvm) -> None:
    async with stopped(any_jvm) as d:
        d.session.values.views.add("ArrayList", "1")
        assert (await told(d, "prices"))[0].startswith("ArrayList(300)")
        d.session.values.views.add("java.util.ArrayList", "size + 1")
        assert await told(d, "prices") == ("301", "")


@pytest.mark.parametrize("pattern", ["Outer.Inner", "Outer$Inner", "*.Inner", "Outer$*", "*Inner", "Inner"])
async def test_a_nested_class_is_named_either_way(any_jvm: Jvm, pattern: str) -> None:
    async with stopped(any_jvm) as d:
        d.session.values.views.add(pattern, "n + 1")
        assert await told(d, "nested") == ("6", "")


async def test_views_are_good_wherever_a_value_is_shown(jvm: Jvm) -> None:
    async with stopped(jvm) as d:
        d.session.values.views.add("Money", 'cents + " cents"')
        found = {each.name: each.value.text for each in await d.session.stack.variables() if each.value}
        assert found["price"] == "1250 cents"
        assert found["prices"].startswith("ArrayList(300) [1250 cents, 1250 cents, ")
        stop = d.session.last_stop
        assert stop is not None and stop.thread is not None
        template = d.session.values.compile_template("{price} and {basket.array[0..2]}")
        assert (await template.render(stop.thread.id)).text == "1250 cents and Money[2] {1250 cents, 1250 cents}"
        dumped = await d.session.values.dump("price")
        assert [child.name for child in dumped.children] == ["amount", "currency", "cents", "scale"]


async def test_views_that_lead_to_themselves_come_to_an_end(any_jvm: Jvm) -> None:
    async with stopped(any_jvm) as d:
        d.session.values.views.add("Chain", 'value + " " + next')
        text, note = await told(d, "chain")
        assert text.startswith("39 38 37 36 35 Chain@")
        assert note == ""


@pytest.mark.usefixtures("nothing_ahead")
async def test_many_objects_take_no_longer_than_one(any_jvm: Jvm) -> None:
    """By depth, not by size: what each asks goes out with the others."""
    async with stopped(any_jvm) as d:
        d.session.values.views.add("Money", "cents")
        await d.session.values.evaluate("prices[0..1]")
        before = d.session.statistics()
        value = await d.session.values.evaluate("prices[1..]", limits=jdbpy.Limits(elements=300))
        assert [child.value.text for child in value.children if child.value] == ["1250"] * 299
        assert d.session.statistics().since(before).waves <= 8


async def test_a_python_function(jvm: Jvm) -> None:
    async def money(obj: views.Obj) -> views.Shown:
        cents, currency = await obj.read("cents", "currency")
        return views.Parts([views.Part("cents", cents, "long"), views.Part("in", currency)])

    async def basket(obj: views.Obj) -> views.Shown:
        return await obj.show(await obj.get("items"))

    def missing(cents: int, pounds: int) -> int:
        return cents + pounds

    async def broken(obj: views.Obj) -> views.Shown:
        return halve(await obj.get("cents"))

    def nothing(cents: int) -> None:
        """Show nothing."""

    async with stopped(jvm) as d:
        added = d.session.values.views
        added.add("*oney", money)
        added.add("Basket", basket)
        assert await told(d, "price") == ("Money[cents=1250, in=Currency.EUR]", "")
        assert await told(d, "discount") == ("Discount[cents=1250, in=Currency.USD]", "")
        assert (await told(d, "basket"))[0].startswith("Basket(300) [Money[cents=1250, ")
        assert [each.function.rpartition(".")[2] for each in added.list()] == ["money", "basket"]
        for function, line, why in (
            (missing, lines_of(missing)[0], "no field pounds"),
            (broken, lines_of(halve)[-1], "ZeroDivisionError: by zero"),
            (nothing, lines_of(nothing)[0], "the view returned nothing"),
        ):
            added.add("Money", function)
            text, note = await told(d, "price")
            assert text.startswith("Money@")
            assert note == f"its view failed: test_user_views.py, line {line}: {why}"
            text, note = await told(d, "prices")
            assert text.startswith("ArrayList(300) [Money@")
            assert note == f"the view of Money failed: test_user_views.py, line {line}: {why}"
            assert (await told(d, "new Object[] {null, price}"))[1] == note


def halve(cents: object) -> views.Shown:
    raise ZeroDivisionError("by zero")


def lines_of(function: Callable[..., object]) -> range:
    """The lines of a function in this file."""
    found, first = inspect.getsourcelines(function)
    return range(first, first + len(found))

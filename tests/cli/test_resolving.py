"""Names of classes and members as people type them: the same for all commands that take one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jdbpy.cli.arguments.location import BreakpointArgument, ListArgument, MemberArgument
from jdbpy.cli.names import Names
from jdbpy.cli.resolving import fits
from tests.cli.process import jdbpy, launching, script
from tests.harness import Jvm, inline

SHOP = inline(
    """
    package shop;

    class Counter {
        public static void main(String[] args) {
            new Counter().count(3); // @call
        }

        static int counted;
        final Order order = new Order();

        int count(int more) {
            counted += more; // @count
            return counted;
        }
    }

    class Order {
        int total;

        int total(int more) {
            return total += more; // @total
        }
    }
    """
)


async def test_each_command_takes_what_the_others_take(jvm: Jvm) -> None:
    """The full and the simple name, other capitals, a pattern; and the member behind it."""
    asked = ("class", "ptype", "methods", "fields", "lines", "instances", "constpool", "list")
    spellings = ("shop.Order", "Order", "order", "*Order", "shop.Ord*")
    lines = [f"{command} {name}" for command in asked for name in spellings]
    member = [
        "list Order.total",
        "list *Order.total",
        "lines order.total",
        "methods *Order.total",
        "fields Order.total",
    ]
    refused = ["methods Order.totl", "class Odrer", "path Order", "referrers *Order", "class shop.*"]
    refused.append("break Order")
    typed = [f"break {SHOP.at('count')}", "run", *lines, *member, *refused]
    done = await jdbpy(*launching(SHOP, "--json", "--keep-going", *script(*typed)), jvm=jvm)
    found = {each["command"]: each for each in done.results}
    for line in lines:
        assert found[line]["ok"], found[line]
        shown = json.dumps(found[line]["data"])
        marked = {"lines": f'"line": {SHOP.line("total")},', "list": "class Order {"}.get(line.split()[0], "shop.Order")
        assert marked in shown, found[line]
    total = SHOP.line("total")
    for line in member[:2]:
        numbers = [each["line"] for each in found[line]["data"]["source"]["lines"]]
        assert total in numbers, found[line]
    assert {each["line"] for each in found["lines order.total"]["data"]["lines"]} == {total}
    assert [each["name"] for each in found["methods *Order.total"]["data"]["methods"]] == ["total"]
    assert [each["type"] for each in found["fields Order.total"]["data"]["fields"]] == ["int"]
    said = {line: found[line]["error"] for line in refused}
    assert said["methods Order.totl"]["hint"] == "there is total"
    assert said["class Odrer"]["hint"] == "there is shop.Order"
    for line in ("path Order", "referrers *Order"):
        assert said[line]["message"] == "shop.Order is a class, and an object is wanted"
        assert "'instances shop.Order'" in said[line]["hint"]
    assert said["class shop.*"]["message"] == "'shop.*' may be 2 classes: shop.Counter, shop.Order"
    assert said["break Order"]["message"] == "shop.Order is a class, and a line or a method is wanted"


@pytest.mark.parametrize(
    ("text", "name", "wanted"),
    [
        ("order", "shop.Order", True),
        ("shop.order", "shop.Order", True),
        ("line", "shop.Order$Line", True),
        ("*Ord*", "shop.Order", True),
        ("shop.*", "shop.Order", True),
        ("*ord*", "shop.Order", False),
        ("ord", "shop.Order", False),
    ],
)
def test_what_fits_a_class(text: str, name: str, wanted: bool) -> None:
    assert fits(text, name) is wanted


@pytest.mark.parametrize("argument", [BreakpointArgument(), ListArgument(), MemberArgument("method")])
def test_members_are_offered_behind_a_simple_name(
    argument: BreakpointArgument | ListArgument | MemberArgument, tmp_path: Path
) -> None:
    names = Names(classes=("shop.Order",), methods={"shop.Order": ("total", "tell", "pay")})
    for text in ("Order.t", "shop.Order.t"):
        assert {each.text for each in argument.complete(text, names)} == {"total", "tell"}

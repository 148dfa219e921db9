"""What is offered at the end of a line, as tables over the real command table."""

from __future__ import annotations

import pytest

import jdbpy.cli.commands
from jdbpy.cli.names import Names
from jdbpy.cli.repl.completion import complete_line
from jdbpy.cli.table import TABLE

NAMES = Names(
    commands=tuple(TABLE.by_name),
    classes=("com.acme.Main", "com.acme.Order", "com.acme.Order$Item", "com.acme.OrderList", "java.lang.String"),
    methods={"com.acme.Order": ("<init>", "add", "total", "totalTax")},
    fields={"com.acme.Order": ("id", "items")},
    variables=(("order", "com.acme.Order"), ("count", "int"), ("customer", "com.acme.Customer")),
    members=("name", "next"),
    threads=((1, "main"), (22, "http worker 1"), (23, "http-nio")),
    breakpoints=((1, "com.acme.Order.total"), (2, "com.acme.Main:7"), (12, "com.acme.Main:9")),
    frames=3,
    sources=("Order.java", "Main.java"),
    saved=("first", "fast"),
)


def offered(line: str) -> list[str]:
    return [candidate.text for candidate in complete_line(TABLE, line, NAMES)]


@pytest.mark.parametrize(
    ("line", "among"),
    [
        ("sto", ["stop"]),
        ("STO", ["stop"]),
        ("step", ["step", "stepi", "step up"]),
        ("step u", ["step up"]),
        ("where a", ["where all"]),
        ("3 ne", ["next"]),
        ("  loc", ["locals"]),
        ("stop in com.acme.O", ["com.acme.Order", "com.acme.OrderList"]),
        ("stop in Ord", ["com.acme.Order", "com.acme.OrderList", "Order.java"]),
        ("stop in com.acme.Order.to", ["total", "totalTax"]),
        ("stop at Ma", ["com.acme.Main", "Main.java"]),
        ("break Ord", ["com.acme.Order"]),
        ("print c", ["count", "customer"]),
        ("print order.i", ["id", "items"]),
        ("print order.to", ["total", "totalTax"]),
        ("print this.n", ["name", "next"]),
        ("print 1 + cou", ["count"]),
        ("print/", ["x", "d", "t"]),
        ("print/x", ["x"]),
        ("print /", ["x", "d"]),
        ("print/x cou", ["count"]),
        ("print %x cou", ["count"]),
        ("print $f", ["$first", "$fast"]),
        ("print 1 + $fi", ["$first"]),
        ("display/t c", ["count"]),
        ("x/16 ord", ["order"]),
        ("save f", ["first", "fast"]),
        ("save first cou", ["count"]),
        ("forget fa", ["fast"]),
        ("forget fast fi", ["first"]),
        ("view com.acme.O", ["com.acme.Order"]),
        ("unview com.acme.O", ["com.acme.Order"]),
        ("set cou", ["count"]),
        ("set hi", ["hints"]),
        ("thread 2", ["22", "23"]),
        ("thread http", ['"http worker 1"', "http-nio"]),
        ("frame ", ["1", "2", "3"]),
        ("clear 1", ["1", "12"]),
        ("delete ", ["1", "2", "12"]),
        ("class com.acme.O", ["com.acme.Order"]),
        ("help ste", ["step", "step up", "stepi"]),
    ],
)
def test_offered(line: str, among: list[str]) -> None:
    assert set(among) <= set(offered(line))


@pytest.mark.parametrize(
    "line",
    ["# comment", "!!", "frobnicate ", "print order.nothing", "stop in nowhere.X", "detach now "],
)
def test_nothing_offered(line: str) -> None:
    assert offered(line) == []


def test_an_empty_line_offers_the_commands_without_their_aliases() -> None:
    got = offered("")
    assert {"where", "cont", "print"} <= set(got)
    assert not {"bt", "c", "p", "step up"} & set(got)
    assert got == sorted(got)


def test_commands_of_one_word_come_first_and_aliases_last() -> None:
    got = offered("st")
    assert got.index("step") < got.index("stack") < got.index("step up")


def test_what_is_replaced() -> None:
    def replaced(line: str, text: str) -> str:
        [candidate] = [one for one in complete_line(TABLE, line, NAMES) if one.text == text]
        return line[: len(line) - candidate.replaces] + candidate.text

    assert replaced("  step u", "step up") == "  step up"
    assert replaced("3 ne", "next") == "3 next"
    assert replaced("stop in com.acme.Order.to", "total") == "stop in com.acme.Order.total"
    assert replaced("print 2 * cou", "count") == "print 2 * count"
    assert replaced("where a", "where all") == "where all"
    assert replaced("thread http", '"http worker 1"') == 'thread "http worker 1"'
    assert replaced('thread "http w', '"http worker 1"') == 'thread "http worker 1"'


def test_aliases_say_what_they_stand_for() -> None:
    [candidate] = [one for one in complete_line(TABLE, "finis", NAMES) if one.text == "finish"]
    assert candidate.meta == "= step up"


STRANGE = ("", " ", " x", ' "', " '", " -", " --", " -- ", " a b c d ", " if ", " x if ", " = ", " [(", " \\", " é日")


@pytest.mark.parametrize("command", sorted(TABLE.by_name))
def test_no_line_is_too_strange(command: str) -> None:
    for rest in STRANGE:
        for candidate in complete_line(TABLE, command + rest, NAMES):
            assert 0 <= candidate.replaces <= len(command + rest)


def test_a_class_list_of_a_large_program_is_cut() -> None:
    many = NAMES.replace(classes=tuple(f"com.acme.C{number}" for number in range(30_000)))
    assert len(complete_line(TABLE, "stop in com.acme.C", many)) == 200
    assert len(complete_line(TABLE, "stop in com.acme.C", many, shown=7)) == 7


def test_every_command_was_loaded() -> None:
    assert jdbpy.cli.commands.__doc__
    assert len(list(TABLE)) > 50


def test_a_setting_with_a_hyphen_is_no_expression() -> None:
    """Behind the hyphen a variable could begin, were it no assignment."""
    names = NAMES.replace(classes=("com.acme.Bar",))
    assert [each.text for each in complete_line(TABLE, "set frame-b", names)] == ["frame-base"]
    assert "next" in offered("set items[a-n")

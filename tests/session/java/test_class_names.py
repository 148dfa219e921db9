"""Class names as users type them, against the names of loaded classes."""

from __future__ import annotations

import pytest

from jdbpy.errors import UsageError
from jdbpy.session.java.class_names import ClassName, enclosing, name_in_any_jvm, parse_class_name

LOADED = ["shop.Order", "shop.Order$Line", "other.Line", "java.util.List", "java.awt.List", "java.lang.Order", "Main"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("shop.Order", {"shop.Order"}),
        ("shop.Order$Line", {"shop.Order$Line"}),
        ("shop.Order.Line", {"shop.Order$Line"}),
        ("Order", {"shop.Order"}),  # the program's own goes before the JDK's
        ("Order.Line", {"shop.Order$Line"}),
        ("Main", {"Main"}),
        ("rder", set()),
        ("util.List", {"java.util.List"}),
        ("*.List", {"java.util.List", "java.awt.List"}),
        ("*Line", {"shop.Order$Line", "other.Line"}),
        ("*.Line", {"shop.Order$Line", "other.Line"}),
        ("shop.*", {"shop.Order", "shop.Order$Line"}),
        ("*", set(LOADED)),
    ],
)
def test_the_loaded_classes_that_are_meant(typed: str, meant: set[str]) -> None:
    name = parse_class_name(typed)
    assert name.choose(LOADED) == meant
    assert all(name.needle in each for each in meant)


@pytest.mark.parametrize(("typed", "choice"), [("Line", "other.Line, shop.Order$Line"), ("List", "java.awt.List")])
def test_several_are_an_error_that_names_them(typed: str, choice: str) -> None:
    with pytest.raises(UsageError, match=f"'{typed}' may be") as caught:
        parse_class_name(typed).choose(LOADED)
    assert choice in caught.value.message
    assert f"*.{typed}" in caught.value.hint


@pytest.mark.parametrize(
    ("typed", "name", "may"),
    [
        ("Order", "shop.Order", True),
        ("Order", "java.lang.Order", False),
        ("java.lang.Order", "java.lang.Order", True),
        ("shop.Order", "com.shop.Order", False),  # a full name is not the end of a longer one
        ("Order", "shop.ReOrder", False),
        ("Outer.Inner", "a.Outer$Inner", True),
    ],
)
def test_a_class_that_is_only_now_loaded(typed: str, name: str, may: bool) -> None:
    assert parse_class_name(typed).may_mean(name) is may


def test_a_bound_name_means_one_class() -> None:
    name = ClassName("Order", bound=True)
    assert name.may_mean("Order")
    assert not name.may_mean("shop.Order")
    assert name.prepare_patterns(nested=True) == ["Order", "Order$*"]


@pytest.mark.parametrize(
    ("typed", "patterns"),
    [
        ("shop.Order", ["shop.Order", "shop.Order$*"]),
        ("shop.Order.Line", ["shop.Order.Line", "shop.Order.Line$*", "shop.Order$Line", "shop.Order$Line$*"]),
        ("Order", ["Order", "Order$*", "*.Order", "*$Order"]),
        ("*.Order", ["*.Order"]),
    ],
)
def test_patterns_for_classes_to_come(typed: str, patterns: list[str]) -> None:
    assert parse_class_name(typed).prepare_patterns(nested=True) == patterns


@pytest.mark.parametrize(
    ("typed", "pattern"),
    [("Order", "Order.*"), ("Outer.Inner", "Outer.*"), ("*.Order", "Order.*"), ("acme.X$Y", "X.*")],
)
def test_the_file_a_class_is_likely_to_be_in(typed: str, pattern: str) -> None:
    assert parse_class_name(typed).source_pattern == pattern


def test_classes_around_a_class() -> None:
    assert enclosing("a.B$C$1") == ["a.B$C$1", "a.B$C", "a.B"]
    assert enclosing("a.$Proxy1") == ["a.$Proxy1"]
    assert enclosing("B") == ["B"]


@pytest.mark.parametrize(
    ("name", "everywhere"),
    [
        ("acme.Order$$Lambda$14/0x0000000800c03000", "acme.Order$$Lambda"),
        ("acme.Order$$Lambda/0x0000000042080210", "acme.Order$$Lambda"),
        ("acme.Order$$Lambda$14/1234567", "acme.Order$$Lambda"),
        ("java.lang.invoke.LambdaForm$DMH/0x00007fa0f1000a08", "java.lang.invoke.LambdaForm$DMH"),
        ("jdk.proxy2.$Proxy17", "$Proxy"),
        ("com.sun.proxy.$Proxy17", "$Proxy"),
        ("jdk.internal.reflect.GeneratedMethodAccessor31", "jdk.internal.reflect.GeneratedMethodAccessor"),
        ("acme.Order$1", "acme.Order$1"),
        ("acme.Order2", "acme.Order2"),
        ("acme.$Proxy3Factory", "acme.$Proxy3Factory"),
    ],
)
def test_names_made_at_run_time_without_their_numbers(name: str, everywhere: str) -> None:
    assert name_in_any_jvm(name) == everywhere

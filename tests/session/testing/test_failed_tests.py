"""Where tests fail, on real JVMs: the stops are the failures that the program itself counts.

The classes of the frameworks in ``fixtures/Tested`` stand in for the real ones, which ``tests/real`` runs.
"""

from __future__ import annotations

import pytest

from jdbpy import Stopped
from jdbpy.session.testing.frameworks import compared_in, find_test, is_inside
from tests.harness import Debugging, Jvm, debug

PASSING = ("expectsIt", "assertsIt", "catchesIt", "assumes")
FAILING = (
    ("compares", "compares", "7", "6"),
    ("texts", "texts", "coffee", "tea"),
    ("wrapped", "wrapped", "7", "6"),
    ("throwsIt", "too-many", None, None),
    ("expectsAnother", "too-many", None, None),
    ("assertsAnother", "asserts-another", "java.lang.IllegalStateException", "java.lang.IllegalArgumentException"),
    ("inFinally", "in-finally", None, None),
    ("inTheJdk", "in-the-jdk", None, None),
    ("noisy", "never", None, None),
)
"""Each with the line of its stop, and what was expected and found."""

METHODS = (*PASSING, *(name for name, *_ in FAILING))


async def check(d: Debugging, name: str, marker: str, *compared: str | None) -> Stopped:
    await d.resume()
    if name == "noisy":
        left_out = await d.wait_notice("exceptions-left-out")
        assert dict(left_out.data) == {"class": "shop.Price"}
    stop = await d.wait_stop("test-failure", thread="main")
    assert stop.test is not None
    assert stop.frame is not None
    assert stop.location is not None
    assert stop.location.line == d.program.line(marker)
    assert stop.test.name == f"shop.PriceTest.{name}"
    assert (stop.test.expected, stop.test.actual) == compared
    assert stop.test.depth >= stop.frame.index
    assert (await d.session.stack.selected()).index == stop.frame.index
    return stop


@pytest.mark.every_java
async def test_the_stops_are_the_failures_that_the_program_counts(jvm: Jvm) -> None:
    async with debug(jvm, "Tested", "4", "shop.PriceTest", *METHODS) as d:
        point = await d.session.tests.stop_at_failures()
        assert (point.spec, point.message) == ("test", "no test framework is loaded yet")
        for name, marker, *compared in FAILING:
            stop = await check(d, name, marker, *compared)
            assert stop.test is not None
            assert (stop.test.first_thrown is not None) == (name == "inFinally")
            if stop.test.first_thrown is not None:
                assert stop.test.first_thrown.line == d.program.line("too-many")
            if name == "compares":
                names = [each.name for each in await d.session.stack.variables()]
                assert names == ["this", "got"], "of the test, not of the assertion above it"
        assert d.session.tests.left_out == ("shop.Price",)
        await d.resume()
        await d.wait_exit(3)
        assert f"failed: {' '.join(name for name, *_ in FAILING)}\n" in d.target.stdout


async def test_a_failure_that_passes_a_recorded_method_stops_where_it_is_thrown(jvm: Jvm) -> None:
    """With the line and the variables of the throw, once; what is caught in the test is no failure."""
    async with debug(jvm, "Tested", "4", "shop.PriceTest", "catchesIt", "throwsIt", "wrapped") as d:
        await d.session.tests.stop_at_failures()
        await d.session.recorder.record("shop.Price.*")
        stop = await check(d, "throwsIt", "too-many", None, None)
        assert stop.test is not None and stop.test.first_thrown is None
        assert [each.name for each in await d.session.stack.variables()] == ["count", "each", "sum"]
        stop = await check(d, "wrapped", "wrapped", "7", "6")
        assert [each.exception is not None for each in d.session.recorder.calls].count(True) == 2
        await d.resume()
        await d.wait_exit(3)


async def test_tests_that_junit_5_runs(jvm: Jvm) -> None:
    async with debug(jvm, "Tested", "5", "shop.PriceTest", "assertsIt", "wrapped", "catchesIt", "throwsIt") as d:
        await d.session.tests.stop_at_failures()
        for name, marker, *compared in FAILING[2:4]:
            stop = await check(d, name, marker, *compared)
            assert stop.test is not None
            assert stop.test.framework == "JUnit 5"
        await d.resume()
        await d.wait_exit(3)


def test_the_test_in_a_stack() -> None:
    """The innermost first; what a test hands to its framework is none."""
    junit = ["java.lang.reflect.Method", "org.junit.platform.commons.util.ReflectionUtils", "shop.Main"]
    called = ["shop.PriceTest", "org.junit.jupiter.api.AssertThrows", "shop.PriceTest"]
    found = find_test(["org.junit.Assert", "shop.Price", *called, *junit])
    assert found is not None
    assert (found.framework, found.own, found.test) == ("JUnit 5", 1, 4)
    assert find_test(["shop.Price", "shop.Main"]) is None
    assert is_inside(["shop.Price", *called, *junit], 2), "assertThrows catches it"
    assert not is_inside(["shop.Price", *called, *junit], 5), "reflection catches it"
    assert not is_inside(["shop.PriceTest", "java.lang.reflect.Method"], 1), "the rest of the stack decides"
    scala = [
        "shop.Suite",
        "shop.Suite$$Lambda/0x7f",
        "scala.runtime.java8.JFunction0$mcV$sp",
        "org.scalatest.OutcomeOf",
    ]
    found = find_test(scala)
    assert found is not None
    assert (found.framework, found.test) == ("ScalaTest", 0)
    tried = ["shop.Suite", "scala.collection.immutable.List", "org.scalatest.InspectorsHelper$", *scala]
    assert is_inside(tried, 2), "forAtLeast catches what fails for one of several"
    kotest = [
        *("shop.PriceSpec$1$1", "kotlin.coroutines.jvm.internal.BaseContinuationImpl", "kotlinx.coroutines.EventLoop"),
        "io.kotest.core.spec.style.scopes.StringSpecRootScope",
    ]
    found = find_test(["io.kotest.assertions.FailureKt", *kotest])
    assert found is not None
    assert (found.framework, found.own) == ("Kotest", 1)
    assert is_inside(["shop.PriceSpec$1$1", "io.kotest.assertions.ShouldThrowKt", *kotest], 1), "shouldThrow catches it"


def test_what_a_message_says_was_compared() -> None:
    assert compared_in("expected:<6> but was:<5>") == ("6", "5")
    assert compared_in("price ==> expected: <6> but was: <5>") == ("6", "5")
    assert compared_in("expected [6] but found [5]") == ("6", "5")
    assert compared_in("\nExpected: is <6>\n     but: was <5>") == ("is <6>", "<5>")
    assert compared_in("no such price") == (None, None)

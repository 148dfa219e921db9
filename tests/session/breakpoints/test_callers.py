"""Caller filters: patterns of classes and methods, and hits that count only below a frame that fits."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, cast

import pytest

from jdbpy import PointOptions
from jdbpy.errors import UsageError
from jdbpy.session.breakpoints.callers import parse_caller
from jdbpy.session.jvm import latency
from jdbpy.session.model.breakpoints import SuspendPolicy
from tests.harness import Jvm, debug
from tests.session.running import ROUNDS, values_at_stops

pytestmark = pytest.mark.one_java


def method(name: str, *parameters: str) -> Any:
    return cast(Any, SimpleNamespace(name=name, parameters=parameters))


PAY = method("pay", "int", "java.lang.String[]")


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        ("com.acme.*", True),
        ("acme.*", False),
        ("com.acme.Order", True),
        ("acme.Order", True),
        ("Order", True),
        ("Orde", False),
        ("Order$Line", False),
        ("*Order", True),
        ("*Ord*.pay", True),
        ("Order.*", True),
        ("Order.p*", True),
        ("Order.pay", True),
        ("pay", True),
        ("com.acme.Order.pay", True),
        ("com.acme.Order.pays", False),
        ("Order.pay(int,String...)", True),
        ("Order.pay(int, java.lang.String[])", True),
        ("pay(int,String[])", True),
        ("Order.pay(int)", False),
        ("Order.pay()", False),
        ("Order(int,String...)", False),
        ("*", True),
    ],
)
def test_what_a_pattern_fits(pattern: str, fits: bool) -> None:
    assert parse_caller(pattern)("com.acme.Order", PAY) is fits


def test_nested_classes_lambdas_and_methods_that_are_gone() -> None:
    assert parse_caller("Order.Line")("com.acme.Order$Line", None)
    assert parse_caller("Order$Line.pay")("com.acme.Order$Line", PAY)
    assert parse_caller("Order.pay")("com.acme.Order", method("lambda$pay$3"))
    assert not parse_caller("Order.pay")("com.acme.Order", None)
    assert parse_caller("Order.pay()")("com.acme.Order", method("pay"))
    assert parse_caller("Order.<init>")("Order", method("<init>"))


@pytest.mark.parametrize("pattern", ["", "a b", "Order.pay(", "Order:42", "(int)", "a,b"])
def test_what_is_no_pattern(pattern: str) -> None:
    with pytest.raises(UsageError, match="not a pattern of callers"):
        parse_caller(pattern)


@pytest.mark.parametrize(
    ("callers", "values"),
    [
        (("Rounds.add(int)",), ["1", "2", "3", "4", "5", "6"]),
        (("add(String)",), ["1", "2", "3", "4", "5", "6"]),
        (("Rounds.add",), [each for number in range(1, 7) for each in (str(number),) * 2]),
        (("lambda*", "Nowhere.*"), ["-1"] * 6),
        (("Rounds.note",), []),
        (("Nowhere",), []),
    ],
)
async def test_only_what_is_called_from_there(any_jvm: Jvm, callers: tuple[str, ...], values: list[str]) -> None:
    async with debug(any_jvm, ROUNDS) as d:
        point = await d.session.breakpoints.add(d.at("note"), callers=callers)
        assert point.callers == callers
        assert await values_at_stops(d, "value") == values
        assert d.session.points.get(point.number).hits == len(values)


async def test_any_caller_counts_and_other_things_that_must_hold(jvm: Jvm) -> None:
    async with debug(jvm, ROUNDS) as d:
        await d.session.breakpoints.add(d.at("note"), callers="Rounds.main", condition="value > 0", hits="% 5")
        assert await values_at_stops(d, "value") == ["3", "5"]
        assert d.session.points.get(1).hits == 12


async def test_what_was_seen_before_costs_one_trip(jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latency, "HIGH", math.inf)  # a busy machine's handshake must not have stops read ahead
    async with debug(jvm, ROUNDS) as d:
        await d.session.breakpoints.add(d.at("note"), callers=("Nowhere",), policy=SuspendPolicy.THREAD)
        await d.session.breakpoints.add(d.at("text"), hits="% 2")
        assert await values_at_stops(d, "text.length()", most=1) == ["2"]
        before = d.session.statistics()
        stop = await d.session.execution.cont()
        await d.check_stop(stop, "breakpoint", at="text", breakpoint=2)
        after = d.session.statistics()
        hits = 6  # of the method that the line calls, by two rounds of three calls
        assert after.events - before.events == hits + 2
        suspending = 2  # commands without a trip: all threads for the stop, which its event has not done
        assert after.commands - before.commands < 3 * hits + suspending, "the frames, and the thread goes on"
        await d.session.points.remove([1, 2])
        await d.resume()
        await d.wait_exit()


async def test_of_what_only_reports_and_of_other_points(any_jvm: Jvm) -> None:
    async with debug(any_jvm, ROUNDS) as d:
        options = PointOptions(callers=("Rounds.add(String)",), policy=SuspendPolicy.NONE, hits="== 2")
        await d.session.watchpoints.add("Rounds.notes", options=options)
        await d.resume()
        notice = await d.wait_notice("field-changed")
        assert notice.text.startswith("Rounds.notes changed from 1 to 2")
        await d.wait_exit()


async def test_a_slip_in_a_name_is_told(any_jvm: Jvm) -> None:
    async with debug(any_jvm, ROUNDS) as d:
        await d.run_to("closing")
        for pattern in ("Nowhere.*", "nowhere", "Rounds.nothing", "Rounds", "com.acme.Unknown", "main(int)"):
            await d.session.breakpoints.add(d.at("close"), callers=pattern)
        for pattern in ("Ruonds", "rounds.add(int)"):
            await d.session.breakpoints.add(d.at("close"), callers=pattern)
            notice = await d.wait_notice("warning")
            assert notice.text == f"no class that is loaded fits {pattern}; there is Rounds"
        await d.session.breakpoints.clear_all()
        await d.resume()
        await d.wait_exit()

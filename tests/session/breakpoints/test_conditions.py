"""Conditions: what is refused when they are set, and that one which fails says why, once."""

from __future__ import annotations

import pytest

from jdbpy import PointOptions
from jdbpy.errors import EvalError, UsageError
from jdbpy.session.model.breakpoints import SuspendPolicy
from tests.harness import Jvm, debug
from tests.session.running import ROUNDS, values_at_stops

pytestmark = pytest.mark.one_java


async def test_a_failure_is_told_once_and_counted(jvm: Jvm) -> None:
    async with debug(jvm, ROUNDS) as d:
        point = await d.session.breakpoints.add(d.at("number"), condition="number == 5 || FEW[number] > 0")
        assert await values_at_stops(d, "number", most=3) == ["1", "2", "3"]
        stop = d.session.last_stop
        assert stop is not None
        assert stop.message.startswith(
            "the condition of breakpoint 1 failed: java.lang.ArrayIndexOutOfBoundsException: Index 3 out of bounds"
        )
        assert "'condition 1 EXPRESSION' changes it" in stop.message
        assert await values_at_stops(d, "number", most=1) == ["5"]
        assert await values_at_stops(d, "number") == []
        point = d.session.points.get(point.number)
        assert (point.hits, point.failures) == (3, 3)
        assert point.failure.startswith("java.lang.ArrayIndexOutOfBoundsException: Index 6")


async def test_another_failure_is_told_and_another_condition_begins_anew(any_jvm: Jvm) -> None:
    async with debug(any_jvm, ROUNDS) as d:
        await d.session.breakpoints.add(d.at("number"), condition="number > 2 ? FEW[9] > 0 : 1 / (2 - number) > 2")
        assert await values_at_stops(d, "number", most=2) == ["2", "3"]
        point = await d.session.points.set_condition(1, "FEW[9] > 0")
        assert (point.failures, point.failure) == (0, "")
        assert await values_at_stops(d, "number") == ["4"]
        assert d.session.points.get(1).failures == 3


async def test_a_failure_is_no_hit(any_jvm: Jvm) -> None:
    async with debug(any_jvm, ROUNDS) as d:
        wrong = "FEW[number + 1] > 0"
        point = await d.session.breakpoints.add(d.at("number"), condition=wrong, temporary=True, ignore=1)
        assert await values_at_stops(d, "number", most=1) == ["2"]
        assert d.session.last_stop is not None
        assert not d.session.last_stop.temporary
        assert d.session.points.get(point.number).hits == 1
        await d.session.points.set_condition(point.number, "true")
        assert await values_at_stops(d, "number", most=1) == ["3"]
        assert d.session.points.list() == []


async def test_points_that_only_report_tell_it_once_too(any_jvm: Jvm) -> None:
    async with debug(any_jvm, ROUNDS) as d:
        wrong = "FEW[number + 9] > 0"
        await d.session.breakpoints.add(d.at("number"), condition=wrong, log="{number}")
        await d.session.breakpoints.add(d.at("text"), condition="FEW[9] > 0", policy=SuspendPolicy.NONE)
        await d.resume()
        notice = await d.wait_notice("logpoint")
        assert notice.text.startswith("the condition of breakpoint 1 failed: java.lang.ArrayIndexOutOfBoundsException")
        notice = await d.wait_notice("breakpoint-hit")
        assert "(the condition of breakpoint 2 failed: java.lang.ArrayIndexOutOfBoundsException" in notice.text
        await d.wait_exit()
        assert [point.failures for point in d.session.points.list()] == [6, 6]


@pytest.mark.parametrize(
    ("condition", "message", "column"),
    [
        ("number + 1", "incompatible types: int cannot be converted to boolean", 7),
        ("nubmer > 1", "cannot find symbol: variable nubmer in class Rounds", 0),
        ("number > 1 && text == null", "cannot find symbol: variable text in class Rounds", 14),
        ("number >", "illegal start of expression", None),
    ],
)
async def test_what_is_no_condition_there_is_refused(
    any_jvm: Jvm, condition: str, message: str, column: int | None
) -> None:
    async with debug(any_jvm, ROUNDS) as d:
        await d.run_to("round")
        with pytest.raises(EvalError) as caught:
            await d.session.breakpoints.add(d.at("number"), condition=condition)
        if column is not None:
            assert (caught.value.message, caught.value.column) == (message, column)
        assert caught.value.expression == condition
        assert d.session.points.list() == []
        point = await d.session.breakpoints.add(d.at("number"), condition="number == 4")
        with pytest.raises(EvalError):
            await d.session.points.set_condition(point.number, condition)
        assert d.session.points.get(point.number).condition == "number == 4"
        assert await values_at_stops(d, "number") == ["4"]


async def test_what_may_be_one_when_more_is_loaded_is_taken(jvm: Jvm) -> None:
    async with debug(jvm, ROUNDS) as d:
        await d.run_to("round")
        await d.session.breakpoints.add(d.at("late", "Rounds$Late"), condition="total + 1")
        unloaded = "number == 2 && new java.util.zip.Adler32().getValue() == 1"
        await d.session.breakpoints.add(d.at("number"), condition=unloaded)
        assert await values_at_stops(d, "number", most=1) == ["2"]
        await d.session.points.remove([3])
        assert await values_at_stops(d, "total") == ["0"]
        stop = d.session.last_stop
        assert stop is not None
        assert "incompatible types: int cannot be converted to boolean" in stop.message


async def test_one_of_several_places_is_enough(any_jvm: Jvm) -> None:
    async with debug(any_jvm, ROUNDS) as d:
        await d.run_to("round")
        point = await d.session.breakpoints.add("Rounds.add", condition="number == 3")
        assert [place.error for place in point.places] == ["", "cannot find symbol: variable number in class Rounds"]
        assert len(point.resolved) == 1  # where there is no number, it does not stand
        assert await values_at_stops(d, "notes", most=1) == ["4"]
        assert d.session.points.get(point.number).failures == 0
        with pytest.raises(EvalError, match="cannot find symbol: variable numbers"):
            await d.session.points.set_condition(point.number, "numbers == 3")
        await d.session.points.remove([point.number])
        await d.resume()
        await d.wait_exit()


async def test_a_condition_needs_a_frame(any_jvm: Jvm) -> None:
    async with debug(any_jvm, ROUNDS) as d:
        point = await d.session.catchpoints.exit(options=PointOptions(policy=SuspendPolicy.NONE))
        with pytest.raises(UsageError, match="the end of the VM cannot be given a condition"):
            await d.session.points.set_condition(point.number, "true")
        with pytest.raises(UsageError, match="cannot be limited to callers"):
            await d.session.catchpoints.exit(options=PointOptions(callers=("main",)))
        with pytest.raises(UsageError, match="no breakpoint 9"):
            await d.session.points.set_condition(9, "true")

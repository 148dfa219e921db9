"""Hit counts: which hits have a number, which numbers count, and when there is nothing left to wait for."""

from __future__ import annotations

import pytest

from benchmarks.bench import TARGETS
from jdbpy import PointOptions
from jdbpy.errors import UsageError
from jdbpy.session.model.breakpoints import SuspendPolicy
from tests.harness import Jvm, debug, program
from tests.session.running import ROUNDS, breakpoints_in_target, values_at_stops

pytestmark = pytest.mark.one_java


@pytest.mark.parametrize(
    ("hits", "numbers"),
    [
        ("3", ["3"]),
        ("== 2", ["2"]),
        ("!= 2", ["1", "3", "4", "5", "6"]),
        (">= 5", ["5", "6"]),
        ("<= 2", ["1", "2"]),
        ("% 3", ["3", "6"]),
        ("> 6", []),
    ],
)
async def test_which_hits_count(any_jvm: Jvm, hits: str, numbers: list[str]) -> None:
    async with debug(any_jvm, ROUNDS) as d:
        await d.session.breakpoints.add(d.at("number"), hits=hits)
        assert await values_at_stops(d, "number") == numbers


async def test_only_hits_whose_condition_holds_are_counted(jvm: Jvm) -> None:
    async with debug(jvm, ROUNDS) as d:
        point = await d.session.breakpoints.add(d.at("number"), condition="number % 2 == 0", hits=">= 2")
        assert await values_at_stops(d, "number", most=1) == ["4"]
        assert d.session.points.get(point.number).hits == 2
        assert await values_at_stops(d, "number") == ["6"]


async def test_the_ignore_count_is_for_those_that_count(any_jvm: Jvm) -> None:
    async with debug(any_jvm, ROUNDS) as d:
        await d.session.breakpoints.add(d.at("number"), hits=">= 2", ignore=2)
        assert await values_at_stops(d, "number") == ["4", "5", "6"]


async def test_when_it_is_over_it_leaves_the_target(jvm: Jvm) -> None:
    async with debug(jvm, ROUNDS) as d:
        point = await d.session.breakpoints.add(d.at("number"), hits="== 2")
        assert not point.over
        assert await values_at_stops(d, "number", most=1) == ["2"]
        assert breakpoints_in_target(d) == 0
        point = d.session.points.get(point.number)
        assert (point.over, point.enabled, point.hits, point.hit_count) == (True, True, 2, "== 2")
        await d.session.points.enable([point.number])
        assert breakpoints_in_target(d) == 1
        assert not d.session.points.get(point.number).over
        assert await values_at_stops(d, "number") == ["4"]


async def test_it_is_over_where_nothing_stops(any_jvm: Jvm) -> None:
    async with debug(any_jvm, ROUNDS) as d:
        point = await d.session.breakpoints.add(d.at("number"), hits="< 3", ignore=5)
        assert await values_at_stops(d, "number") == []
        assert d.session.points.get(point.number).over


async def test_it_is_changed_and_taken_away(any_jvm: Jvm) -> None:
    async with debug(any_jvm, ROUNDS) as d:
        number = (await d.session.breakpoints.add(d.at("number"), hits="1")).number
        assert await values_at_stops(d, "number", most=1) == ["1"]
        point = await d.session.points.set_hit_count(number, "% 2")
        assert (point.hit_count, point.hits, point.over) == ("% 2", 0, False)
        assert await values_at_stops(d, "number", most=1) == ["3"]
        assert (await d.session.points.set_hit_count(number, "")).hit_count == ""
        assert await values_at_stops(d, "number") == ["4", "5", "6"]


async def test_the_agent_counts_where_each_event_is_a_hit(jvm: Jvm) -> None:
    async with debug(jvm, ROUNDS) as d:
        await d.run_to("round")
        before = d.session.statistics().events
        options = PointOptions(classes=(f"*{ROUNDS[1:]}",), hits="== 7")  # a named class has breakpoints
        point = await d.session.traces.methods(exits=False, options=options)
        stop = await d.session.execution.cont()
        await d.check_stop(stop, "method-entry", frames=["Rounds.add", "Rounds.main"], breakpoint=point.number)
        assert d.session.statistics().events - before == 1
        point = d.session.points.get(point.number)
        assert (point.hits, point.over) == (7, True)
        await d.session.points.enable([point.number])
        stop = await d.session.execution.cont()
        await d.check_stop(stop, "method-entry", frames=["Rounds.note", "Rounds.add"])
        await d.resume()
        await d.wait_exit()


async def test_many_hits_of_one_place_are_counted_by_the_agent(jvm: Jvm) -> None:
    async with debug(jvm, program("Loop", where=TARGETS)) as d:
        point = await d.session.breakpoints.add(d.at("hit"), hits="== 5000", policy=SuspendPolicy.THREAD)
        assert await values_at_stops(d, "number", most=1) == ["4999"]
        found = d.session.points.get(point.number)
        assert (found.hits, found.over) == (5000, True)
        await d.session.breakpoints.add(d.at("hit"), temporary=True, ignore=1999)
        [_, counting] = d.session.points.list()
        assert counting.message == "the target counts, and reports only the hit that is meant"
        assert await values_at_stops(d, "number", most=1) == ["6999"]
        await d.session.breakpoints.add(d.at("hit"), temporary=True, hits="% 3000")
        await d.session.breakpoints.add(d.at("hit"), hits="== 2000", condition="number >= 0")
        before = d.session.statistics().events
        await d.session.points.disable([4])
        assert await values_at_stops(d, "number", most=1) == ["9999"]
        assert d.session.statistics().events - before == 1
        assert [each.message for each in d.session.points.list()] == ["", ""]


async def test_at_a_second_place_they_are_counted_here(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Shop") as d:
        point = await d.session.breakpoints.add(d.at("plugin"), hits="== 1000")
        await d.resume()
        notice = await d.wait_notice("breakpoint-recount")
        assert notice.text == "breakpoint 1 counts its hits anew: its place is there a second time now"
        await d.wait_exit()
        assert d.session.points.get(point.number).hits == 1


async def test_a_watchpoint_and_one_that_goes(any_jvm: Jvm) -> None:
    async with debug(any_jvm, ROUNDS) as d:
        await d.run_to("round")
        watch = await d.session.watchpoints.add("Rounds.notes", options=PointOptions(hits="% 7", temporary=True))
        stop = await d.session.execution.cont()
        await d.check_stop(stop, "modification", at="note", breakpoint=watch.number)
        assert d.session.points.list() == []
        await d.resume()
        await d.wait_exit()


@pytest.mark.parametrize("hits", ["many", "== 0", ">> 3", "% 0"])
async def test_what_is_none(any_jvm: Jvm, hits: str) -> None:
    async with debug(any_jvm, ROUNDS) as d:
        with pytest.raises(UsageError):
            await d.session.breakpoints.add(d.at("number"), hits=hits)
        point = await d.session.breakpoints.add(d.at("number"), hits="3")
        with pytest.raises(UsageError):
            await d.session.points.set_hit_count(point.number, hits)
        assert [each.hit_count for each in d.session.points.list()] == ["== 3"]

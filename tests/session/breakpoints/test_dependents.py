"""Points that wait for another: not in the target before it is hit, set before its thread runs on."""

from __future__ import annotations

import pytest

from jdbpy import PointOptions
from jdbpy.errors import UsageError
from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy as WirePolicy
from tests.harness import Debugging, Jvm, debug
from tests.session.running import ROUNDS, breakpoints_in_target, target_of, values_at_stops

pytestmark = pytest.mark.one_java

RESUME = SuspendPolicy.NONE


def state(d: Debugging, number: int) -> tuple[int | None, bool, bool, int]:
    """What a point waits for, whether it does now, whether it stands in the target, and its hits."""
    point = d.session.points.get(number)
    return point.after, point.waiting, bool(point.resolved), point.hits


async def test_it_costs_nothing_before_and_stays_after(jvm: Jvm) -> None:
    async with debug(jvm, ROUNDS) as d:
        await d.run_to("round")
        first = await d.session.breakpoints.add(d.at("text"), condition="text.length() == 3")
        point = await d.session.breakpoints.add(d.at("note"), after=first.number)
        assert (point.after, point.waiting, len(point.resolved)) == (first.number, True, 1)
        assert state(d, point.number) == (first.number, True, False, 0)
        assert breakpoints_in_target(d) == 1
        await values_at_stops(d, "text", most=1)
        assert state(d, point.number) == (first.number, False, True, 0)
        await d.session.points.disable([first.number])
        assert await values_at_stops(d, "value", most=4) == ["3", "-1", "4", "4"]
        assert state(d, point.number) == (first.number, False, True, 4)
        await d.session.points.remove([point.number])
        await d.resume()
        await d.wait_exit()


async def test_it_may_wait_each_time(jvm: Jvm) -> None:
    async with debug(jvm, ROUNDS) as d:
        await d.session.breakpoints.add(d.at("text"), policy=RESUME)
        await d.session.breakpoints.add(d.at("note"), after=1, after_each=True)
        d.ignored.add("breakpoint-hit")
        assert await values_at_stops(d, "value", most=2) == ["1", "2"]
        assert state(d, 2) == (1, True, False, 2)
        assert await values_at_stops(d, "value") == ["3", "4", "5", "6"]


@pytest.mark.parametrize("log", ["", "{number}"])
async def test_what_only_reports_holds_its_thread_for_it(jvm: Jvm, log: str) -> None:
    async with debug(jvm, ROUNDS) as d:
        await d.session.breakpoints.add(d.at("number"), policy=RESUME, log=log, hits="== 4")
        await d.session.breakpoints.add(d.at("note"), after=1)
        await d.session.breakpoints.add(d.at("text"), after=2)
        d.ignored.update(("breakpoint-hit", "logpoint"))
        assert await values_at_stops(d, "value", most=1) == ["4"]
        assert await values_at_stops(d, "text", most=1) == ['"xxxx"']
        await d.session.points.disable([2, 3])
        await d.resume()
        await d.wait_exit()


async def test_its_thread_is_held_only_as_long_as_something_waits(any_jvm: Jvm) -> None:
    async with debug(any_jvm, ROUNDS) as d:
        await d.run_to("round")

        def policies() -> list[WirePolicy]:
            requests = target_of(d).requests.all_active()
            return [each.policy for each in requests if each.kind == EventKind.BREAKPOINT]

        first = await d.session.breakpoints.add(d.at("number"), policy=RESUME)
        assert policies() == [WirePolicy.NONE]
        await d.session.breakpoints.add(d.at("text"), after=first.number)
        assert policies() == [WirePolicy.EVENT_THREAD]
        d.ignored.add("breakpoint-hit")
        assert await values_at_stops(d, "text", most=1) == ['"x"']
        assert sorted(policies()) == [WirePolicy.NONE, WirePolicy.ALL]
        await d.session.points.remove([2, 3])
        await d.resume()
        await d.wait_exit()


async def test_classes_that_are_redefined_meanwhile(any_jvm: Jvm) -> None:
    async with debug(any_jvm, ROUNDS) as d:
        await d.run_to("round")
        await d.session.breakpoints.add(d.at("text"))
        await d.session.breakpoints.add(d.at("note"), after=2)
        over = await d.session.breakpoints.add(d.at("number"), hits="1")
        assert await values_at_stops(d, "number", most=1) == ["1"]
        [rounds] = await d.session.classes.find(ROUNDS)
        await d.session.breakpoints.reinstall([rounds.id])
        assert breakpoints_in_target(d) == 1
        assert d.session.points.get(over.number).over
        assert await values_at_stops(d, "text", most=1) == ['"x"']
        assert await values_at_stops(d, "value", most=1) == ["1"]
        await d.session.points.remove([2, 3, 4])
        await d.resume()
        await d.wait_exit()


async def test_points_of_every_kind(any_jvm: Jvm) -> None:
    async with debug(any_jvm, ROUNDS) as d:
        entry = PointOptions(classes=(ROUNDS,), hits="== 3", policy=RESUME)
        await d.session.traces.methods(exits=False, options=entry)
        await d.session.watchpoints.add("Rounds.notes", options=PointOptions(after=1, temporary=True))
        await d.session.breakpoints.add(d.at("number"), after=2)
        d.ignored.add("trace")
        stop = await d.session.execution.cont()
        await d.check_stop(stop, "modification", at="note", breakpoint=2)
        assert d.session.points.get(3).after is None, "the watchpoint is gone, and was hit"
        late = await d.session.breakpoints.add(d.at("close"), after=1)
        assert d.session.points.get(late.number).message == "number 1 is over"
        assert await values_at_stops(d, "number") == ["2", "3", "4", "5", "6"]


async def test_when_what_it_waits_for_is_removed(jvm: Jvm) -> None:
    async with debug(jvm, ROUNDS) as d:
        await d.session.breakpoints.add(d.at("close"))
        await d.session.breakpoints.add(d.at("number"), after=1, hits=">= 5")
        await d.session.breakpoints.add(d.at("text"), after=1)
        await d.session.points.disable([1])
        await d.session.points.remove([1, 3])
        notice = await d.wait_notice("breakpoint-free")
        assert notice.text == "breakpoint 2 no longer waits: number 1, which it waited for, was removed"
        assert notice.data == (("breakpoint", 2), ("after", 1))
        assert await values_at_stops(d, "number") == ["5", "6"]


async def test_switched_off_while_it_waits(any_jvm: Jvm) -> None:
    async with debug(any_jvm, ROUNDS) as d:
        await d.session.breakpoints.add(d.at("text"), hits="== 2", policy=RESUME)
        await d.session.breakpoints.add(d.at("note"), after=1)
        await d.session.breakpoints.add(d.at("number"), after=1)
        await d.session.points.disable([2])
        await d.session.points.enable([3])
        await d.session.points.disable([1])
        assert d.session.points.get(3).message == "number 1 is switched off"
        await d.session.points.enable([1])
        d.ignored.add("breakpoint-hit")
        assert await values_at_stops(d, "number", most=1) == ["3"]
        assert state(d, 2) == (1, False, False, 0)
        await d.session.points.enable([2])
        assert await values_at_stops(d, "value", most=1) == ["3"]
        await d.session.points.remove([1, 2, 3])
        await d.resume()
        await d.wait_exit()


async def test_a_class_that_is_loaded_later(any_jvm: Jvm) -> None:
    async with debug(any_jvm, ROUNDS) as d:
        await d.session.breakpoints.add(d.at("close"), temporary=True)
        point = await d.session.breakpoints.add(d.at("late", "Rounds$Late"), after=1)
        assert point.message == "pending: class Rounds$Late is not loaded yet"
        await d.resume()
        await d.wait_stop("breakpoint", at="close", breakpoint=1)
        await d.resume()
        await d.wait_stop("breakpoint", at="late", breakpoint=2)


async def test_what_cannot_be_is_refused_at_once(any_jvm: Jvm) -> None:
    async with debug(any_jvm, ROUNDS) as d:
        await d.run_to("round")
        with pytest.raises(UsageError, match="no breakpoint 7"):
            await d.session.breakpoints.add(d.at("note"), after=7)
        await d.session.breakpoints.add(d.at("text"))
        with pytest.raises(UsageError, match="no method nothing in Rounds"):
            await d.session.breakpoints.add("Rounds.nothing", after=2)
        assert [point.number for point in d.session.points.list()] == [2]
        assert breakpoints_in_target(d) == 1

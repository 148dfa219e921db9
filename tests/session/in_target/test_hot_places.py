"""Hot places: breakpoints that are hit often without a stop, or suspend threads in code that others wait for."""

from __future__ import annotations

import pytest

import jdbpy
from benchmarks.bench import TARGETS
from jdbpy import Notice, PointOptions, Reporting, SuspendPolicy
from jdbpy.session.events.hit_rates import HitLoad, Load, sensitive
from tests.harness import LIMIT, Jvm, debug, program, start_target, within

pytestmark = pytest.mark.one_java

LOOP = program("Loop", where=TARGETS)


async def first(events: jdbpy.EventStream, kind: str) -> Notice:
    with within(LIMIT):
        async for event in events:
            if isinstance(event, Notice) and event.kind == kind:
                return event
    raise AssertionError("the target has ended")


@pytest.mark.parametrize("policy", [SuspendPolicy.ALL, SuspendPolicy.THREAD])
async def test_a_condition_that_is_false_all_the_time_is_reported_once(jvm: Jvm, policy: SuspendPolicy) -> None:
    async with start_target(jvm, LOOP, suspend=False) as target, jdbpy.attach_session(target.address) as session:
        with session.events() as events:
            session.points.warn_at(rate=1, cost=0)
            point = await session.breakpoints.add(LOOP.at("hit"), condition="number < 0", policy=policy)
            told = await first(events, "hot-place")
            data = dict(told.data)
            assert (data["breakpoint"], data["why"]) == (point.number, "rate")
            assert isinstance(data["suspended"], float)
            assert 0 < data["suspended"] <= 1
            assert told.text.startswith("breakpoint 1 was hit ")
            assert "without a stop, which suspended the threads that hit it for" in told.text
            await session.points.disable([point.number])


async def test_what_a_budget_allows_is_not_exceeded(jvm: Jvm) -> None:
    async with start_target(jvm, LOOP, suspend=False) as target, jdbpy.attach_session(target.address) as session:
        with session.events() as events:
            budget = Reporting(cost=1)
            point = await session.breakpoints.add(LOOP.at("hit"), condition="number < 0", reporting=budget)
            told = await first(events, "switched-off")
            assert "more than 1%" in told.text
            assert not session.points.get(point.number).enabled
        assert session.state is jdbpy.VmState.RUNNING


async def test_hits_that_suspend_nothing_are_counted_as_well(jvm: Jvm) -> None:
    async with start_target(jvm, LOOP, suspend=False) as target, jdbpy.attach_session(target.address) as session:
        with session.events() as events:
            session.points.warn_at(rate=1, cost=0)
            quiet = Reporting(limit=0)
            point = await session.breakpoints.add(LOOP.at("hit"), policy=SuspendPolicy.NONE, reporting=quiet)
            data = dict((await first(events, "hot-place")).data)
            assert (data["breakpoint"], data["why"], data["suspended"]) == (point.number, "rate", 0.0)
            await session.points.disable([point.number])


async def test_code_that_other_threads_wait_for(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Happenings") as d:
        await d.session.breakpoints.add("java.lang.ClassLoader.loadClass(String)", condition='name == "none"')
        told = await d.wait_notice("hot-place")
        assert told.text.startswith("breakpoint 1 is in class-loading code (java.lang.ClassLoader): ")
        assert dict(told.data) == {"breakpoint": 1, "why": "class-loading", "class": "java.lang.ClassLoader"}
        await d.session.points.remove([1])
        options = PointOptions(policy=SuspendPolicy.NONE, classes=("java.lang.ClassLoader",))
        await d.session.traces.methods(exits=False, options=options.replace(reporting=Reporting(limit=0, hold=False)))
        await d.resume()
        await d.wait_exit()


def test_which_classes_these_are() -> None:
    assert sensitive(["shop.Order", "org.slf4j.Logger"]) == ("org.slf4j.Logger", "logging")
    assert sensitive(["java.util.concurrent.locks.ReentrantLock$Sync"])[1] == "locking"
    assert sensitive(["java.lang.ClassLoader$ParallelLoaders"])[1] == "class-loading"
    assert sensitive(["java.lang.ClassValue", "org.slf4jx.A", "java.lang.Classy"]) == ("", "")


def load_of(hits: list[tuple[int, float, float]], *, everything: bool = False) -> list[Load]:
    """The loads of hits: thread, arrival, resumption."""
    load, found = HitLoad(), []
    moments = sorted([(at, thread, False) for thread, at, _ in hits] + [(at, thread, True) for thread, _, at in hits])
    for now, thread, resumed in moments:
        if not resumed:
            load.arrived(thread, now)
        elif (each := load.resumed(thread, now, everything=everything)) is not None:
            found.append(each)
    return found


def test_the_share_of_the_time() -> None:
    [load] = load_of([(1, n / 10, n / 10 + 0.02) for n in range(11)])
    assert load.hits == 11
    assert load.share == pytest.approx(0.22 / 1.02)
    both = [hit for n in range(11) for hit in ((1, n / 10, n / 10 + 0.02), (2, n / 10 + 0.01, n / 10 + 0.03))]
    assert load_of(both)[0].share == pytest.approx(0.42 / 2 / 1.02)
    assert load_of(both, everything=True)[0].share == pytest.approx((10 * 0.03 + 0.02) / 1.02)


def test_a_stop_begins_anew() -> None:
    load = HitLoad()
    for n in range(10):
        load.arrived(1, n / 10)
        assert load.resumed(1, n / 10 + 0.05, everything=False) is None
    load.arrived(1, 1.0)
    load.stopped(1)
    load.arrived(1, 1.5)
    assert load.resumed(1, 1.6, everything=False) is None


@pytest.mark.parametrize(
    ("in_target", "condition", "why", "helps"),
    [
        ("off", "number < 0", "the setting 'in-target' leaves it there", True),
        ("auto", "number < $limit", "the condition uses $limit, a variable of the debugger", False),
        ("auto", "number < 0", "main is in a loop of the same class", True),
    ],
)
async def test_a_hot_condition_says_why_the_target_does_not_compute_it(
    jvm: Jvm, in_target: str, condition: str, why: str, helps: bool
) -> None:
    options = jdbpy.Options(in_target=in_target)
    async with (
        start_target(jvm, LOOP, suspend=False) as target,
        jdbpy.attach_session(target.address, options=options) as session,
    ):
        with session.events() as events:
            session.points.warn_at(rate=1, cost=0)
            await session.values.evaluate("$limit = -1")
            await session.breakpoints.add(LOOP.at("hit"), condition=condition, policy=SuspendPolicy.THREAD)
            told = await first(events, "hot-place")
            assert told.text.endswith(f"; its condition is computed by the debugger: {why}")
            assert dict(told.data).get("weave", False) is helps

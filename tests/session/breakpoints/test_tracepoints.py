"""Tracepoints: hits that are reported with their stack, the thread let go in the trip that asks for it."""

from __future__ import annotations

import pytest

import jdbpy
from benchmarks.bench import TARGETS
from jdbpy import Notice, PointOptions, Reporting, SuspendPolicy, UsageError
from tests.harness import Jvm, debug, program, start_target

pytestmark = pytest.mark.one_java

LOOP = program("Loop", where=TARGETS)
FRAMES = [("Loop", "work"), ("Loop", "main")]


async def test_the_stack_of_every_hit_in_one_trip(jvm: Jvm) -> None:
    async with start_target(jvm, LOOP, suspend=False) as target, jdbpy.attach_session(target.address) as session:
        with session.events() as events:
            await session.breakpoints.add(LOOP.at("hit"), reporting=Reporting(stack=5))
            before, seen = session.statistics(), 0
            async for event in events:
                if isinstance(event, Notice) and event.kind == "tracepoint":
                    assert event.report is not None
                    assert [(place.class_name, place.method) for place in event.report.stack] == FRAMES
                    assert event.report.stack[0].line == LOOP.line("hit")
                    seen += 1
                    if seen == 200:
                        lines = event.lines
                        break
            after = session.statistics()
            assert after.waves - before.waves <= after.events - before.events + 10, "one trip a hit"
            assert lines[0].endswith(f'[main] #200 thread "main", Loop.work, line {LOOP.line("hit")}')
            assert lines[1] == f"    at Loop.work (Loop.java:{LOOP.line('hit')})"
        assert session.state is jdbpy.VmState.RUNNING


async def test_a_text_and_a_part_of_the_stack(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "methods") as d:
        place = d.at("twice", "happenings.Calculator")
        point = await d.session.breakpoints.add(place, log="{number} and {this}", reporting=Reporting(stack=1, most=1))
        assert point.options == (("log", "{number} and {this}"), ("stack", "1"), ("-max", "1"))
        await d.resume()
        told = await d.wait_notice("tracepoint")
        assert told.report is not None
        assert told.text.startswith("3 and Calculator@")
        assert [each.method for each in told.report.stack] == ["twice"]
        over = await d.wait_notice("switched-off")
        assert over.text == "tracepoint 1 is switched off: it has had its hit; 'enable 1' sets it again"
        await d.wait_exit()


async def test_a_stack_that_is_left_again_at_once(any_jvm: Jvm) -> None:
    """Beside a point that stops, the thread is not let go."""
    async with debug(any_jvm, "Happenings", "methods") as d:
        place = d.at("twice", "happenings.Calculator")
        await d.session.breakpoints.add(place, reporting=Reporting(stack=2))
        await d.session.breakpoints.add(place, temporary=True)
        await d.resume()
        told = await d.wait_notice("tracepoint")
        assert told.report is not None
        assert [each.method for each in told.report.stack] == ["twice", "methods"]
        await d.wait_stop("breakpoint", at="twice")
        await d.resume()
        await d.wait_notice("tracepoint")
        await d.wait_exit()


async def test_what_is_not_held_cannot_be_read(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Happenings") as d:
        with pytest.raises(UsageError, match="a stack, a text or a condition needs the thread to be suspended"):
            await d.session.breakpoints.add("happenings.Happenings.main", log="x", reporting=Reporting(hold=False))
        options = PointOptions(policy=SuspendPolicy.NONE, reporting=Reporting(limit=0, hold=False))
        trace = await d.session.traces.methods(options=options.replace(classes=("happenings.*",)))
        with pytest.raises(UsageError, match="needs the thread to be suspended"):
            await d.session.points.set_condition(trace.number, "1 < 2")
        await d.resume()
        await d.wait_exit()

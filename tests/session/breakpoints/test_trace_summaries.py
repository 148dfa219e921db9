"""Summaries of what reports and does not stop: by method how many hits, how often, and which values they brought."""

from __future__ import annotations

import pytest

import jdbpy
from benchmarks.bench import TARGETS
from jdbpy import Notice, PointOptions, Reporting, SuspendPolicy, UsageError, tracing
from tests.harness import Debugging, Jvm, debug, program, start_target

pytestmark = pytest.mark.one_java

LOOP = program("Loop", where=TARGETS)
CALCULATOR = "happenings.Calculator"
RESUME = SuspendPolicy.NONE
COUNTED = PointOptions(policy=RESUME, reporting=Reporting(limit=0, hold=False))
Row = tuple[str, str, int, dict[str, int]]


async def rows(d: Debugging, number: int) -> list[Row]:
    """Method, what happened, how often, and the values."""
    found = await d.session.points.summary(number)
    assert sum(each.count for each in found.methods) == found.hits
    return [
        (each.method, each.happened, each.count, {value.text: value.count for value in each.values})
        for each in sorted(found.methods, key=lambda each: (each.method, each.happened))
    ]


@pytest.mark.parametrize("limit", [0, None])
async def test_methods_with_what_they_return(jvm: Jvm, limit: int | None) -> None:
    """The same whether hits are only counted, or every one is reported."""
    async with debug(jvm, "Happenings", "methods") as d:
        d.ignored.add("trace")
        reporting = Reporting(limit=limit)
        point = await d.session.traces.methods(
            options=PointOptions(policy=RESUME, classes=(CALCULATOR,), reporting=reporting), values=limit == 0
        )
        await d.run_to("done", "happenings.Happenings")
        assert await rows(d, point.number) == [
            ("<init>", "entered", 2, {}),
            ("<init>", "exited", 2, {}),
            ("plus", "entered", 2, {}),
            ("plus", "exited", 2, {"6": 1, "4": 1}),
            ("text", "entered", 1, {}),
            ("text", "exited", 1, {'"n6"': 1}),
            ("twice", "entered", 2, {}),
            ("twice", "exited", 2, {"6": 1, "4": 1}),
        ]
        found = await d.session.points.summary(point.number, methods=1, values=1)
        assert (found.hits, found.others, len(found.methods)) == (14, 12, 1)
        await d.resume()
        await d.wait_exit()


async def test_fields_with_what_they_become(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "fields") as d:
        point = await d.session.watchpoints.add("happenings.Counter.value", options=COUNTED)
        told = COUNTED.replace(reporting=Reporting(hold=False))
        await d.session.watchpoints.add("happenings.Counter.label", access=True, options=told)
        d.ignored |= {"breakpoint-resolved"}
        await d.session.breakpoints.add(d.at("done", "happenings.Happenings"), temporary=True)
        await d.resume()
        changed = await d.wait_notice("field-changed")
        read = await d.wait_notice("field-read")
        assert changed.text.startswith('happenings.Counter.label changed to "'), "the old value is not read beside it"
        assert read.text.startswith("happenings.Counter.label read: ")
        await d.wait_stop("breakpoint", at="done")
        assert await rows(d, point.number) == [("add", "changed", 4, {"1": 1, "10": 1, "3": 1, "30": 1})]
        await d.resume()
        await d.wait_exit()


async def test_what_a_field_held_is_known_from_its_last_change(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Happenings", "fields") as d:
        told = COUNTED.replace(reporting=Reporting(hold=False))
        await d.session.watchpoints.add("happenings.Counter.value", options=told)
        await d.resume()
        texts = [(await d.wait_notice("field-changed")).text.partition(":")[0] for _ in range(4)]
        name = "happenings.Counter.value changed"
        assert texts == [f"{name} to 1", f"{name} to 10", f"{name} from 1 to 3", f"{name} from 10 to 30"]
        await d.wait_exit()


async def test_exceptions_with_their_classes(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "exceptions") as d:
        point = await d.session.catchpoints.exception("*", options=COUNTED.replace(classes=("happenings.*",)))
        await d.run_to("done", "happenings.Happenings")
        thrown = {text: count for _, _, _, values in await rows(d, point.number) for text, count in values.items()}
        assert thrown["java.lang.IllegalStateException"] == 1
        assert thrown["happenings.store.OutOfStock"] == 2
        await d.resume()
        await d.wait_exit()


async def test_a_flood_is_counted_and_some_of_it_told(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, LOOP, suspend=False) as target:
        await target.wait_output("ready")
        async with jdbpy.attach_session(target.address) as session:
            with session.events() as events:
                options = PointOptions(policy=RESUME, classes=("Loop",), reporting=Reporting(limit=10))
                point = await session.traces.methods(exits=False, options=options)
                told, left = [], 0
                async for event in events:
                    assert isinstance(event, Notice)
                    if event.kind == "hot-place":
                        continue
                    if event.kind == "left-out":
                        left = dict(event.data)["count"]  # type: ignore[assignment]
                        break
                    assert event.report is not None, event
                    told.append(event.report.hit)
                assert told[:10] == list(range(1, 11))
                await session.points.disable([point.number])
                found = await session.points.summary(point.number)
                assert found.hits >= 10 + left
                work = found.methods[0]
                assert (work.class_name, work.method, work.signature) == ("Loop", "work", "(I)V")
                assert work.count > found.hits - 3
                assert 0 < found.cost < 1
                assert found.rate == pytest.approx(found.hits / found.seconds)
                assert session.statistics().holds == 0, "the target need not wait for us"


async def test_it_lets_go_when_the_target_is_slowed(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, LOOP, suspend=False) as target:
        await target.wait_output("ready")
        async with jdbpy.attach_session(target.address) as session:
            with session.events() as events:
                reporting = Reporting(limit=0, cost=1)
                options = PointOptions(policy=RESUME, classes=("Loop",), reporting=reporting)
                point = await session.traces.methods(exits=False, options=options)
                over = await anext(events)
                while isinstance(over, Notice) and over.kind == "hot-place":  # it runs seldom on a busy machine
                    over = await anext(events)
                assert isinstance(over, Notice)
                assert over.kind == "switched-off"
                assert "hits a second take" in over.text
                assert "of the target's time" in over.text
                assert not session.points.get(point.number).enabled
                hits = session.points.get(point.number).hits
                await session.points.enable([point.number])
                await anext(events)
                assert session.points.get(point.number).hits > hits


async def test_what_stops_has_no_summary(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Happenings") as d:
        point = await d.session.breakpoints.add(d.at("done", "happenings.Happenings"))
        with pytest.raises(UsageError, match="breakpoint 1 stops: no summary"):
            await d.session.points.summary(point.number)
        await d.session.points.remove([point.number])
        silent = await d.session.breakpoints.add("happenings.Happenings.methods", policy=RESUME)
        empty = await d.session.points.summary(silent.number)
        assert empty == tracing.TraceSummary(
            2, "breakpoint", "happenings.Happenings.methods", True, 0, 0.0, 0.0, 0.0, ()
        )
        await d.resume()
        await d.wait_exit()


async def test_what_was_left_out_is_said_before_the_end(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Happenings", "methods") as d:
        d.session.points.reporter.clock = lambda: 5.0  # all within the same second
        options = PointOptions(policy=RESUME, classes=(CALCULATOR,), reporting=Reporting(limit=2))
        await d.session.traces.methods(entries=False, options=options)
        await d.resume()
        told = [await d.wait_notice("trace") for _ in range(2)]
        assert [notice.report.hit for notice in told if notice.report is not None] == [1, 2]
        left = await d.wait_notice("left-out")
        assert dict(left.data) == {"breakpoint": 1, "count": 5, "seconds": 0.0}
        await d.wait_exit()

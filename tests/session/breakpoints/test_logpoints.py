"""Logpoints: what they write, in the order of the hits, and that the thread goes on in the trip that reads it."""

from __future__ import annotations

import re
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest

import jdbpy
from benchmarks.bench import TARGETS
from jdbpy import Options, Reporting, UsageError
from jdbpy.errors import EvalError
from jdbpy.session.events.streams import EventStream
from jdbpy.session.model.events import Notice
from tests.harness import Jvm, program, start_target

LOOP = program("Loop", where=TARGETS)
PLACE = LOOP.at("hit")


async def texts(events: EventStream, count: int) -> list[str]:
    """What the next logpoint hits write."""
    found: list[str] = []
    while len(found) < count:
        event = await anext(events)
        if isinstance(event, Notice) and event.kind == "logpoint":
            found.append(event.text)
    return found


async def test_every_hit_is_written_in_its_order(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, LOOP, suspend=False) as target, jdbpy.attach_session(target.address) as session:
        with session.events() as events:
            point = await session.breakpoints.add(PLACE, log="number is {number}")
            assert point.options == (("log", "number is {number}"),)
            before = session.statistics()
            numbers = [int(text.removeprefix("number is ")) for text in await texts(events, 300)]
            assert all((second - first) & 0xFFFF == 1 for first, second in pairwise(numbers))
            after = session.statistics()
            assert after.waves - before.waves <= after.events - before.events + 10, "one trip a hit"
        assert session.state is jdbpy.VmState.RUNNING


async def test_what_has_to_be_read_further_holds_the_thread(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, LOOP, suspend=False) as target, jdbpy.attach_session(target.address) as session:
        with session.events() as events:
            await session.breakpoints.add(PLACE, log="{number} {total} {{}}", condition="number > 5")
            for text in await texts(events, 20):
                number, total, braces = text.split(" ")
                assert total.lstrip("-").isdigit()
                assert int(number) > 5
                assert braces == "{}"


async def test_a_text_that_cannot_be_compiled_is_refused(any_jvm: Jvm) -> None:
    """When it is set, as far as its class is loaded: else the first hit says so."""
    async with start_target(any_jvm, LOOP, suspend=False) as target, jdbpy.attach_session(target.address) as session:
        for wrong in ("{number +}", "{number} {nowhere}", "{number.length()}"):
            with pytest.raises(EvalError) as refused:
                await session.breakpoints.add(PLACE, log=wrong)
            assert refused.value.expression == wrong
        assert session.points.list() == []
        for right in ("no values {{}}", "{number} {new NotLoaded().size()}"):
            await session.breakpoints.add(PLACE, log=right)


async def test_what_fails_at_a_hit_is_written_in_its_place(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, LOOP, suspend=False) as target, jdbpy.attach_session(target.address) as session:
        with session.events() as events:
            await session.breakpoints.add(PLACE, log="{1 / (number - number)}")
            [text] = await texts(events, 1)
            assert text.startswith("the text of logpoint 1 failed: ")
            assert "by zero" in text


async def reports(events: EventStream, count: int, kind: str = "logpoint") -> list[Notice]:
    found: list[Notice] = []
    while len(found) < count:
        event = await anext(events)
        if isinstance(event, Notice) and event.kind == kind:
            found.append(event)
    return found


async def test_a_report_has_time_thread_and_number(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, LOOP, suspend=False) as target, jdbpy.attach_session(target.address) as session:
        with session.events() as events:
            before = datetime.now().astimezone()
            await session.breakpoints.add(PLACE, log="number {number}")
            notices = await reports(events, 5)
        found = [notice.report for notice in notices if notice.report is not None]
        assert [report.hit for report in found] == [1, 2, 3, 4, 5]
        assert {report.thread.name for report in found if report.thread is not None} == {"main"}
        times = [datetime.fromisoformat(report.time) for report in found]
        assert times == sorted(times)
        assert before.replace(microsecond=0) <= times[0] <= datetime.now().astimezone()
        shape = r"\d\d:\d\d:\d\d\.\d{3} \[main\] #1 number \d+"
        assert re.fullmatch(shape, notices[0].lines[0]), notices[0].lines


async def test_most_are_left_out_and_all_are_counted(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, LOOP, suspend=False) as target, jdbpy.attach_session(target.address) as session:
        with session.events() as events:
            point = await session.breakpoints.add(PLACE, log="{number}", reporting=Reporting(limit=3))
            assert ("limit", "3/s") in point.options
            seen: list[Notice] = []
            while not seen or seen[-1].kind != "left-out":
                event = await anext(events)
                assert isinstance(event, Notice)
                seen += [event] if event.kind != "breakpoint-resolved" else []
            left = dict(seen[-1].data)
            numbers = [notice.report.hit for notice in seen if notice.report is not None]
            assert numbers[:3] == [1, 2, 3]
            assert re.fullmatch(r"\.\.\. [\d,]+ more hits of logpoint 1 in 1\.0 s left out", seen[-1].text)
            await session.points.disable([1])
            hits = session.points.get(1).hits
            assert hits >= left["count"] + 3  # type: ignore[operator]


async def test_after_so_many_hits_it_is_switched_off(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, LOOP, suspend=False) as target, jdbpy.attach_session(target.address) as session:
        with session.events() as events:
            await session.breakpoints.add(PLACE, log="{number}", reporting=Reporting(limit=2, most=10))
            await reports(events, 2)
            await reports(events, 1, "left-out")
            [over] = await reports(events, 1, "switched-off")
            assert over.text == "logpoint 1 is switched off: it has had its 10 hits; 'enable 1' sets it again"
            point = session.points.get(1)
            assert (point.enabled, point.hits) == (False, 10)
            await session.points.enable([1])
            await reports(events, 1, "switched-off")
            assert session.points.get(1).hits == 20


async def test_reports_go_to_a_file(any_jvm: Jvm, tmp_path: Path) -> None:
    log = tmp_path / "numbers.log"
    log.write_text("what was there\n")
    options = Options(read_only=True, allow_suspend=True)
    async with (
        start_target(any_jvm, LOOP, suspend=False) as target,
        jdbpy.attach_session(target.address, options=options) as session,
    ):
        with session.events() as events:
            reporting = Reporting(file=str(log), most=3)
            point = await session.breakpoints.add(PLACE, log='{number} {"\\t\\u001b"}', reporting=reporting)
            assert ("to", str(log)) in point.options
            await reports(events, 1, "switched-off")
            lines = log.read_text().splitlines()
            assert lines[0] == "what was there"
            assert [line.split("#")[1].split(" ")[0] for line in lines[1:]] == ["1", "2", "3"]
            escaped = r" \t\u001b"
            assert all(line.endswith(escaped) for line in lines[1:]), "nothing of the target's reaches a terminal raw"


async def test_a_file_that_cannot_be_written(any_jvm: Jvm, tmp_path: Path) -> None:
    async with start_target(any_jvm, LOOP, suspend=False) as target, jdbpy.attach_session(target.address) as session:
        with pytest.raises(UsageError, match="cannot be written: No such file or directory"):
            await session.breakpoints.add(PLACE, log="x", reporting=Reporting(file=str(tmp_path / "no" / "log")))
        log = tmp_path / "log"
        with session.events() as events:
            await session.breakpoints.add(PLACE, log="x", reporting=Reporting(file=str(log), most=2), ignore=1)
            await reports(events, 1, "switched-off")
            log.unlink()
            log.mkdir()
            await session.points.enable([1])
            [warning, told] = [await anext(events), await anext(events)]
            assert isinstance(warning, Notice)
            assert isinstance(told, Notice)
            assert warning.text == f"logpoint 1 cannot write to {log}: Is a directory; it reports here from now on"
            assert (told.kind, told.text) == ("logpoint", "x")
            assert session.points.get(1).options == (("log", "x"), ("-max", "2"))

"""Logpoints whose values the target keeps: the same reports as ordinary ones, no thread suspended, hits exact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import jdbpy
from jdbpy import BreakpointInfo, Notice, PointOptions, Report, Reporting, SuspendPolicy, Variable
from jdbpy.session.breakpoints.methods import MethodTrace
from jdbpy.session.events.requests import Verdict
from jdbpy.session.events.streams import EventStream
from jdbpy.session.in_target import ring_poller
from jdbpy.session.in_target.component import Instrumentation
from jdbpy.session.in_target.logpoint_sites import LogSite
from jdbpy.session.in_target.ring_poller import Ring
from jdbpy.session.in_target.weave.log_helper import log_class
from jdbpy.wire.ids import ReferenceTypeID
from jdbpy.wire.messages.reference_type import GetValues
from tests.cli.process import driving
from tests.harness import LIMIT, Debugging, Jvm, debug, inline, program, start_target

pytestmark = pytest.mark.one_java

PROGRAM = program("Heated")
SOURCE = Path(PROGRAM.sources, "Heated.java").read_text(encoding="utf-8")


async def reports(events: EventStream, until: str | Callable[[Report], bool]) -> list[Notice]:
    """The reports of breakpoints up to the one with this text, or for which that is true."""
    found: list[Notice] = []
    while not found or not (found[-1].text == until if isinstance(until, str) else until(report_of(found[-1]))):
        event = await anext(events)
        if isinstance(event, Notice) and event.report is not None:
            found.append(event)
    return found


@pytest.mark.every_java
async def test_a_logpoint_that_is_hit_often_goes_into_the_target(jvm: Jvm) -> None:
    """Every hit is reported once, in order, with number, thread, time and values; then hits are only counted."""
    async with debug(jvm, PROGRAM) as d:
        d.ignored |= {"logpoint", "left-out", "breakpoint-hit"}
        await d.resume()
        await d.target.send("loop 10")
        await d.target.wait_output("done loop 10 55")
        d.session.instrumentation.mode = "eager"
        log = "{i} {text} {table.length} {j / 2.0} {(char) (i % 26 + 'a')}"
        point = await d.session.breakpoints.add(d.at("passed", "Kettle"), log=log, condition="i % 3 != 1")
        with d.session.events() as events:
            await d.target.send("loop 3000")
            found = await reports(events, "2999 null 3 1500.0 j")
        assert [each.text.split()[0] for each in found] == [str(i) for i in range(3000) if i % 3 != 1]
        assert {each.kind for each in found} == {"logpoint"}
        told = [each.report for each in found if each.report is not None]
        assert [each.hit for each in told] == list(range(1, 2001))
        assert [each.time_ns for each in told] == sorted(each.time_ns for each in told)
        assert {each.thread.name for each in told if each.thread is not None} == {"main"}
        assert {each.location.line for each in told if each.location is not None} == {d.program.line("passed")}
        last = [(each.name, each.type, each.value.text) for each in told[-1].values if each.value is not None]
        assert last == [
            ("i", "int", "2999"),
            ("text", "java.lang.String", "null"),
            ("table.length", "int", "3"),
            ("j / 2.0", "double", "1500.0"),
            ("(char) (i % 26 + 'a')", "char", "'j'"),
        ]
        shown = d.session.breakpoints.get(point.number)
        assert (shown.in_target, shown.ordinary, shown.hits) == (True, "", 2000)
        await d.session.detach()
        d.unseen()


async def test_counts_limits_and_failures_are_those_of_ordinary_ones(jvm: Jvm) -> None:
    """In the target from the first pass on, as the class is loaded later; what is left out is counted, and said."""
    async with debug(jvm, PROGRAM) as d:
        d.ignored |= {"logpoint", "left-out", "breakpoint-hit", "switched-off", "breakpoint-resolved"}
        d.session.instrumentation.mode = "eager"
        add = d.session.breakpoints.add
        passed, behind, returned = (d.at(place, "Kettle") for place in ("passed", "behind", "returned"))
        limited = await add(passed, log="at {i}", reporting=Reporting(limit=5))
        counted = await add(behind, policy=SuspendPolicy.NONE, reporting=Reporting(limit=0), condition="i % 2 == 0")
        chosen = await add(returned, log="{100 / (i - 70_007)}", hits="% 10000", ignore=2)
        with d.session.events() as events:
            await d.resume()
            await d.target.send("loop 100000")
            found = await reports(events, lambda report: report.hit == 100_000)
        await d.target.wait_output("done loop 100000 5000050000")
        points = {each.number: each for each in d.session.breakpoints.list()}
        assert [each.in_target for each in points.values()] == [True] * 3, [each.ordinary for each in points.values()]
        await d.session.points.disable([1, 2, 3])  # what the target has kept is read before
        points = {each.number: each for each in d.session.breakpoints.list()}
        assert [points[each.number].hits for each in (limited, counted, chosen)] == [100_000, 50_000, 100_000]
        first = [each.text for each in of(found, limited)]
        assert [report_of(each).hit for each in of(found, limited)][:5] == [1, 2, 3, 4, 5]
        assert first[:5] == [f"at {i}" for i in range(5)]
        assert of(found, counted) == []
        hits = [report_of(each).hit for each in of(found, chosen)]
        assert hits == list(range(30_000, 100_001, 10_000))
        await d.session.points.remove([1, 2, 3])
        most = await add(passed, log="{1 / (i - 300)} {i}", reporting=Reporting(most=400), thread=None)
        with d.session.events() as events:
            await d.target.send("loop 500")
            failed = "the text of logpoint 4 failed: java.lang.ArithmeticException: / by zero"
            texts = [each.text for each in await reports(events, "0 399")]
            assert [each for each in texts if "failed" in each] == [failed]
            assert len(texts) == 400
        assert not d.session.breakpoints.get(most.number).enabled
        await d.session.detach()
        d.unseen()
        await d.target.send("loop 5")
        await d.target.wait_output("done loop 5 15")


CROWD = """
class Crowd {
    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[8];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread(() -> { for (int i = 0; i < 1000; i++) Passed.at(i, "odd".substring(i % 2)); });
        }
        new Passed();
        System.out.println("ready"); // @ready
        for (Thread each : threads) each.start();
        for (Thread each : threads) each.join();
        System.out.println("done"); // @done
    }
}

class Passed {
    static int at(int i, String text) {
        return i + text.length(); // @at
    }
}
"""


async def test_hits_that_wait_while_the_class_is_changed_are_looked_at_in_their_own_code(jvm: Jvm) -> None:
    """Of eight threads some stand at the breakpoint when it goes into the target: no hit is lost, and none fails."""
    async with debug(jvm, inline(CROWD)) as d:
        await d.run_to("ready")
        d.ignored |= {"logpoint", "left-out", "hot-place"}
        d.session.instrumentation.mode = "eager"
        with d.session.events() as events:
            point = await d.session.breakpoints.add(d.at("at", "Passed"), log="{i}", condition='text.equals("dd")')
            await d.session.breakpoints.add(d.at("done"))
            await d.resume()
            await d.wait_stop("breakpoint", at="done")
            await d.session.points.disable([point.number])
            found = await reports(events, lambda report: report.hit == 4_000)
        shown = d.session.breakpoints.get(point.number)
        assert (shown.hits, shown.failures, shown.failure) == (4_000, 0, "")
        assert sorted(int(each.text) for each in found) == sorted(8 * list(range(1, 1000, 2)))
        assert [each for each in found if report_of(each).failure] == []
        await d.resume()
        await d.wait_exit()


async def trace_of_kettle(d: Debugging) -> BreakpointInfo:
    """Trace the methods of a class that is in use."""
    d.ignored |= {"trace", "left-out"}
    await d.resume()
    await d.target.send("loop 10")
    await d.target.wait_output("done loop 10 55")
    d.session.instrumentation.mode = "eager"
    return await d.session.traces.methods(options=PointOptions(classes=("Kettle",), policy=SuspendPolicy.NONE))


async def loop_until_in_target(d: Debugging, trace: BreakpointInfo) -> None:
    for turns in range(101, 150):
        if d.session.points.get(trace.number).in_target:
            return
        await d.target.send(f"loop {turns}")
        await d.target.wait_output(f"done loop {turns} ")
    raise AssertionError("the trace does not go into the target")


@pytest.mark.every_java
async def test_a_trace_of_methods_keeps_entries_and_exits_in_the_target(jvm: Jvm) -> None:
    """Arguments, what is returned, thread and time, in order; private, static and overloaded methods of a class."""
    async with debug(jvm, PROGRAM) as d:
        trace = await trace_of_kettle(d)
        await loop_until_in_target(d, trace)
        with d.session.events() as events:
            await d.target.send("loop 3")
            await d.target.send("priced 1")
            await d.target.wait_output("done priced 1 0")
            await d.session.points.disable([trace.number])
            found = [report_of(each) for each in await reports(events, lambda report: returned(report) == ["0"])]
        kept = found[-8:]
        shown = [
            (each.event, each.location.method if each.location else "", *texts_of(each.arguments), *returned(each))
            for each in kept
        ]
        assert [each[:3] for each in shown] == [
            ("method-entry", "passed", "i = 0"),
            ("method-exit", "passed", "1"),
            ("method-entry", "passed", "i = 1"),
            ("method-exit", "passed", "2"),
            ("method-entry", "passed", "i = 2"),
            ("method-exit", "passed", "3"),
            ("method-entry", "priced", "i = 0"),
            ("method-exit", "priced", "0"),
        ]
        assert shown[0][3:] == ("table = int[3]", 'text = "text"')
        assert [each.time_ns for each in kept] == sorted(each.time_ns for each in kept)
        hits = d.session.points.get(trace.number).hits
        assert [each.hit for each in kept] == list(range(hits - 7, hits + 1))
        await d.session.points.enable([trace.number])
        await loop_until_in_target(d, trace)
        assert await d.session.instrumentation.remove() == ["Kettle"]
        with d.session.events() as events:
            await d.target.send("loop 30")
            await d.target.send("priced 1")
            await reports(events, lambda report: returned(report) == ["0"])
        shown_now = d.session.points.get(trace.number)
        assert (shown_now.in_target, shown_now.ordinary) == (False, "it was taken out of the target")
        await d.session.detach()
        d.unseen()
        await d.target.send("loop 5")
        await d.target.wait_output("done loop 5 15")


async def test_a_trace_whose_thread_came_while_all_was_suspended_is_asked_for_again(
    any_jvm: Jvm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its event was on its way when something else suspended everything: methods cannot be run in it then."""
    came = Instrumentation._thread_came_to_trace
    turns = []

    async def suspended_at_first(self: Instrumentation, point: MethodTrace, *args: Any) -> Verdict:
        turns.append(point.number)
        if len(turns) > 1:
            return await came(self, point, *args)
        with self._target.frozen():
            return await came(self, point, *args)

    monkeypatch.setattr(Instrumentation, "_thread_came_to_trace", suspended_at_first)
    async with debug(any_jvm, PROGRAM) as d:
        trace = await trace_of_kettle(d)
        await loop_until_in_target(d, trace)
        assert len(turns) > 1


async def test_another_breakpoint_or_a_hot_swap_that_changes_the_class_loses_nothing(jvm: Jvm) -> None:
    """Reports whose hits were being counted, or kept, when their class got new code go into the target all the same;
    breakpoints that a call has still before it are not passed by, and what the target has kept is read before."""
    changed = inline(SOURCE.replace("j = i + 1;", "j = i + 2;"))
    async with debug(jvm, PROGRAM) as d:
        d.ignored |= {"logpoint", "trace", "left-out", "breakpoint-hit"}
        await d.resume()
        await d.target.send("priced 10")
        await d.target.send("loop 10")
        await d.target.wait_output("done loop 10 55")
        d.session.instrumentation.mode = "eager"
        passed, priced = (d.at(each, "Kettle") for each in ("passed", "priced"))
        first = await d.session.breakpoints.add(passed, log="{i}")
        second = await d.session.breakpoints.add(priced, policy=SuspendPolicy.NONE, reporting=Reporting(limit=0))
        await d.session.values.save("one", "1")
        at, silent = d.at("returned", "Kettle"), SuspendPolicy.NONE
        behind = await d.session.breakpoints.add(at, policy=silent, reporting=Reporting(limit=0), condition="$one == 1")
        options = PointOptions(policy=SuspendPolicy.NONE)
        trace = await d.session.traces.methods(method="Kettle.priced", options=options)
        rounds = 0

        def are_in_target(*points: BreakpointInfo) -> list[bool]:
            return [d.session.points.get(each.number).in_target for each in points]

        async def go(what: str, *points: BreakpointInfo) -> None:
            """A few rounds: hits that come before a report of them is looked at may be of the code of before."""
            nonlocal rounds
            for _ in range(10):
                rounds += 1
                await d.target.send(f"{what} {100 + rounds}")
                await d.target.wait_output(f"done {what} {100 + rounds} ")
                if all(are_in_target(*points)):
                    return
            raise AssertionError([d.session.points.get(each.number) for each in points])

        await d.target.send("priced 10")  # too few hits
        await d.target.wait_lines("done priced 10 ", 2)
        await go("loop", first)
        assert are_in_target(first, second, trace) == [True, False, False]
        await go("priced", second, trace)
        assert [each.name for each in (await d.session.hotswap.redefine_all(changed.classes)).classes] == ["Kettle"]
        assert are_in_target(first, second, trace) == [False] * 3
        await go("loop", first)
        await go("priced", second, trace)
        await d.session.points.disable([second.number, behind.number])
        hits = [d.session.points.get(each.number).hits for each in (second, behind)]
        assert (rounds, hits) == (4, [10 + 102 + 104, 101 + 103])
        await d.session.detach()
        d.unseen()


BANDS = """
class Bands {
    public static void main(String[] args) throws Exception {
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            Thread[] threads = new Thread[Integer.parseInt(line)];
            for (int t = 0; t < threads.length; t++) {
                threads[t] = new Thread(() -> { for (int i = 0; i < 5000; i++) Played.at(i); });
                threads[t].start();
            }
            for (int i = 0; i < 5000; i++) Played.at(i);
            for (Thread each : threads) each.join();
            System.out.println("done " + line);
        }
    }
}

class Played {
    static int at(int i) {
        return i + 1;
    }
}
"""


@pytest.mark.every_java
async def test_passes_of_many_threads_are_counted_exactly_whatever_is_reported(jvm: Jvm) -> None:
    """By a trace of all threads, and by one of the main thread alone."""
    async with debug(jvm, inline(BANDS)) as d:
        d.ignored |= {"trace", "left-out"}
        await d.resume()
        await d.target.send("1")
        await d.target.wait_output("done 1")
        d.session.instrumentation.mode = "eager"
        [main] = [each.id for each in await d.session.threads.list() if each.name == "main"]
        rounds = 1
        for turn, (thread, count) in enumerate(((None, 9), (main, 1)), 1):
            reporting = Reporting(limit=5)
            options = PointOptions(classes=("Played",), policy=SuspendPolicy.NONE, reporting=reporting, thread=thread)
            number = (await d.session.traces.methods(options=options)).number
            while not d.session.points.get(number).in_target:
                rounds += 1
                await d.target.send("1")
                await d.target.wait_lines("done 1", rounds)
            await d.session.instrumentation.rings.poll()
            before = d.session.points.get(number).hits
            await d.target.send("8")
            await d.target.wait_lines("done 8", turn)
            await d.session.points.disable([number])
            assert d.session.points.get(number).hits - before == 2 * count * 5000
        await d.session.detach()
        d.unseen()


async def test_what_the_target_has_kept_is_reported_when_it_is_left(jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    """No poll comes between: the ring is read by leaving alone."""
    async with debug(jvm, PROGRAM) as d:
        d.ignored |= {"logpoint", "breakpoint-resolved"}
        monkeypatch.setattr(ring_poller, "_SOON", LIMIT)
        d.session.instrumentation.mode = "eager"
        await d.session.breakpoints.add(d.at("passed", "Kettle"), log="{i}", condition="i >= 0")
        await d.resume()
        await d.target.send("loop 3000")
        await d.target.wait_output("done loop 3000 4501500")
        with d.session.events() as events:
            await d.session.detach()
            found = await reports(events, "2999")
        d.unseen()
        assert [each.text for each in found] == [str(i) for i in range(3000)]
        await d.target.send("loop 5")
        await d.target.wait_output("done loop 5 15")


async def test_the_ring_of_a_killed_debugger_takes_what_fits_and_is_taken_out(jvm: Jvm) -> None:
    """The program computes what it did, and keeps none of the objects that the ring had."""
    async with start_target(jvm, PROGRAM, suspend=False) as target:
        await target.send("loop 10")
        await target.wait_output("done loop 10 55")
        async with driving("attach", target.address) as driver:
            await driver.ask("set in-target eager")
            await driver.ask(f'logpoint {PROGRAM.at("passed", "Kettle")} "{{i}} {{text}}"')
            rounds = 100
            while not (await driver.ask("breakpoints"))["breakpoints"][0].get("in_target"):
                rounds += 1
                await target.send(f"loop {rounds}")
                await target.wait_output(f"done loop {rounds} ")
            await target.send("loop 20000")
            await driver.event("notice")
            driver.process.kill()
            await driver.process.wait()
        await target.wait_output("done loop 20000 200010000")
        await target.send("loop 30000")
        await target.wait_output("done loop 30000 450015000")
        await target.wait_listening_again()
        async with jdbpy.attach_session(target.address) as session:
            with session.events() as events:
                notice = await anext(events)
            assert isinstance(notice, Notice)
            assert notice.text == "took out what an earlier debugger has left in the code of Kettle"
            types = session._target.types
            helpers = [each.typeID for each in await types.all_classes() if "Jdbpy__" in each.signature]
            kept: dict[str, int] = {}
            for type_id, fields in (await types.fields(helpers)).items():
                asked = [each for each in fields if each.is_static]
                values = (await session._target.conn.request(GetValues(type_id, [each.id for each in asked]))).values
                kept |= {each.name: int(value.value or 0) for each, value in zip(asked, values, strict=True)}
            assert {"times", "threads", "v0", "v1", "STAMPS", "HEAD", "read"} <= kept.keys()
            assert [kept[name] for name in ("times", "threads", "v0", "v1", "STAMPS")] == [0] * 5
            head = await session.values.evaluate(f"@{kept['HEAD']}.value")
            assert int(head.text) < 30_000
        await target.send("loop 40")
        await target.wait_output("done loop 40 820")


def test_a_ring_that_rests_takes_a_few_entries() -> None:
    """Code that keeps an entry stays compiled: the JVM would leave out what has never run."""

    class Resting(LogSite):
        def __init__(self) -> None: ...

        def rests_until(self) -> float:
            return 1.0

    ring = Ring(log_class("Jdbpy__1", "A", None, size=4096), ReferenceTypeID(1), Resting())
    assert ring.reader is not None
    for now, entries in ((0.0, 100), (0.5, 130)):
        ring.reader.next = entries
        assert read_of(*ring.rest(now)) == entries - 4096 + 64  # full when so many have come
    assert read_of(*ring.rest(1.0)) == 130


def read_of(command: Any) -> int:
    return int(command.values[0].value.value)


def texts_of(arguments: Sequence[Variable]) -> list[str]:
    return [f"{each.name} = {each.value.text}" for each in arguments if each.value is not None]


def returned(report: Report) -> list[str]:
    return [report.return_value.text] if report.return_value is not None else []


def of(found: list[Notice], point: BreakpointInfo) -> list[Notice]:
    return [each for each in found if dict(each.data)["breakpoint"] == point.number]


def report_of(notice: Notice) -> Report:
    assert notice.report is not None
    return notice.report

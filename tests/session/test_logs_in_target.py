"""Logpoints whose values the target keeps: the same reports as ordinary ones, no thread suspended, hits exact."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jdbpy import Breakpoint, Notice, PointOptions, Report, Reporting, SuspendPolicy, Variable
from jdbpy.session.target.streams import EventStream
from tests.harness import Jvm, debug, inline, program

PROGRAM = program("Heated")


async def reports(events: EventStream, until: str | Callable[[Report], bool]) -> list[Notice]:
    """The reports of breakpoints up to the one with this text, or for which that is true."""
    found: list[Notice] = []
    while not found or not (found[-1].text == until if isinstance(until, str) else until(report_of(found[-1]))):
        event = await anext(events)
        if isinstance(event, Notice) and event.report is not None:
            found.append(event)
    return found


async def test_a_logpoint_that_is_hit_often_goes_into_the_target(jvm: Jvm) -> None:
    """Every hit is reported once, in order, with number, thread, time and values; then hits are only counted."""
    async with debug(jvm, PROGRAM) as d:
        d.ignored |= {"logpoint", "left-out", "breakpoint-hit"}
        await d.resume()
        await d.target.send("loop 10")
        await d.target.wait_output("done loop 10 55")
        d.session.instrumentation.mode = "auto"
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
        d.session.instrumentation.mode = "auto"
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
        d.session.instrumentation.mode = "auto"
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


async def test_a_trace_of_methods_keeps_entries_and_exits_in_the_target(jvm: Jvm) -> None:
    """Arguments, what is returned, thread and time, in order; private, static and overloaded methods of a class."""
    async with debug(jvm, PROGRAM) as d:
        d.ignored |= {"trace", "left-out"}
        await d.resume()
        await d.target.send("loop 10")
        await d.target.wait_output("done loop 10 55")
        d.session.instrumentation.mode = "auto"
        options = PointOptions(classes=("Kettle",), policy=SuspendPolicy.NONE)
        trace = await d.session.traces.methods(options=options)
        rounds = 0
        while not d.session.points.get(trace.number).in_target:
            rounds += 1
            await d.target.send(f"loop {100 + rounds}")
            await d.target.wait_output(f"done loop {100 + rounds} ")
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
        while not d.session.points.get(trace.number).in_target:
            rounds += 1
            await d.target.send(f"loop {100 + rounds}")
            await d.target.wait_output(f"done loop {100 + rounds} ")
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


def texts_of(arguments: Sequence[Variable]) -> list[str]:
    return [f"{each.name} = {each.value.text}" for each in arguments if each.value is not None]


def returned(report: Report) -> list[str]:
    return [report.return_value.text] if report.return_value is not None else []


def of(found: list[Notice], point: Breakpoint) -> list[Notice]:
    return [each for each in found if dict(each.data)["breakpoint"] == point.number]


def report_of(notice: Notice) -> Report:
    assert notice.report is not None
    return notice.report

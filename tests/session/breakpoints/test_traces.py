"""Traces on real JVMs: methods entered and left with what they return, monitors contended for and waited on."""

from __future__ import annotations

import re

import pytest

from jdbpy import Location, Notice, PointOptions, Stopped, SuspendPolicy, UsageError
from tests.harness import Debugging, Jvm, debug

pytestmark = pytest.mark.one_java

CALCULATOR = "happenings.Calculator"
MINE = PointOptions(classes=(CALCULATOR,))
RESUME = SuspendPolicy.NONE


async def notices(d: Debugging, kind: str, send: str = "") -> list[Notice]:
    """Runs the target to its last line; the notices of that kind on the way."""
    d.ignored.discard(kind)
    await d.session.breakpoints.add(d.at("done", "happenings.Happenings"), temporary=True)
    await d.resume()
    found = []
    while isinstance(event := await d.next_event(), Notice):
        assert event.kind == kind
        found.append(event)
        if send and send in event.text:
            await d.target.send("")
    assert isinstance(event, Stopped)
    return found


async def test_entries_and_exits_with_what_is_returned(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "methods") as d:
        point = await d.session.traces.methods(options=MINE.replace(excludes=("*Other",)))
        assert (point.number, point.kind, point.spec) == (1, "methods", "methods")
        happened = []
        for _ in range(8):
            await d.resume()
            stop = await d.next_event()
            assert isinstance(stop, Stopped)
            assert stop.location is not None
            value = stop.return_value.text if stop.return_value is not None else ""
            happened.append((str(stop.reason), stop.location.method, value))
        assert happened == [
            ("method-entry", "<init>", ""),
            ("method-exit", "<init>", "void"),
            ("method-entry", "twice", ""),
            ("method-entry", "plus", ""),
            ("method-exit", "plus", "6"),
            ("method-exit", "twice", "6"),
            ("method-entry", "text", ""),
            ("method-exit", "text", '"n6"'),
        ]
        assert (await d.session.values.evaluate("$ret")).text == '"n6"'
        await d.session.points.remove(d.session.traces.find())
        await d.resume()
        await d.wait_exit()


async def test_reported_without_a_stop(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "methods") as d:
        await d.session.traces.methods(entries=False, options=MINE.replace(policy=RESUME))
        found = await notices(d, "trace")
        assert len(found) == 7
        line = d.program.line("twice")
        assert found[2].text == f'method exited: thread "main", {CALCULATOR}.twice, line {line}, returns 6'
        assert dict(found[2].data)["class"] == CALCULATOR


async def test_the_exits_of_one_method_of_one_object(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "methods") as d:
        stop = await d.run_to("twice", CALCULATOR)
        here: Location | None = stop.location
        this = await d.session.values.evaluate("this")
        point = await d.session.traces.methods(entries=False, method=here)
        one = await d.session.traces.methods(entries=False, method=here, options=PointOptions(instance=this.id))
        assert (point.spec, one.options) == (f"exit of {CALCULATOR}.twice", (("on", f"object {this.id}"),))
        for value, numbers in (("6", (2, 3)), ("4", (2,))):
            await d.resume()
            stop = await d.wait_stop("method-exit", frames=["Calculator.twice"])
            assert stop.return_value is not None
            assert (stop.return_value.text, stop.breakpoints) == (value, numbers)
        await d.resume()
        await d.wait_exit()


async def test_the_third_entry_by_the_count_of_the_target(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "methods") as d:
        before = d.session.statistics().events
        options = MINE.replace(classes=("*.Calculator",), ignore=2, temporary=True)
        await d.session.traces.methods(exits=False, options=options)
        await d.resume()
        await d.wait_stop("method-entry", frames=["Calculator.plus"])
        assert d.session.statistics().events - before == 1
        await d.resume()
        await d.wait_exit()


async def test_an_ignore_count_that_is_changed_afterwards(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Happenings", "methods") as d:
        point = await d.session.traces.methods(exits=False, options=MINE.replace(ignore=2, temporary=True))
        await d.session.points.set_ignore(point.number, 1)
        await d.resume()
        await d.wait_stop("method-entry", frames=["Calculator.twice"])
        await d.resume()
        await d.wait_exit()


async def test_a_condition_that_is_given_afterwards(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Happenings", "methods") as d:
        point = await d.session.traces.methods(
            exits=False, options=MINE.replace(policy=RESUME, classes=(CALCULATOR, "*Calculator"))
        )
        await d.session.points.set_condition(point.number, "this != null && number == 2")
        d.ignored.add("trace")
        await d.resume()
        await d.wait_exit()
        found = d.session.points.get(point.number)
        assert (found.hits, found.failures) == (1, 4)  # where there is no such name it fails, which is told


async def test_subclasses_and_threads(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Happenings", "methods") as d:
        stop = await d.run_to("call", "happenings.Happenings")
        assert stop.thread is not None
        only = PointOptions(policy=RESUME, classes=("Calculator+",), thread=stop.thread.id)
        point = await d.session.traces.methods(exits=False, options=only)
        assert len(await notices(d, "trace")) == 6
        assert d.session.points.get(point.number).hits == 6


# -- monitors ------------------------------------------------------------------------------------------------------


async def test_what_happens_with_monitors(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "monitors") as d:
        await d.session.traces.monitors(options=PointOptions(policy=RESUME))
        found = await notices(d, "monitor", "happenings.Happenings.contend")
        told = "\n".join(notice.text for notice in found)
        for expected in (
            r'wants the monitor of Object@\d+, which thread "main" holds: thread "rival", happenings',
            r'got the monitor of Object@\d+: thread "rival"',
            r'waits on Object@\d+: thread "main"',
            r'waits on Object@\d+ for 60000 ms: thread "holder"',
            r'is back from waiting on Object@\d+: thread "holder"',
        ):
            assert re.search(expected, told), told
        words = {"wants": "enter", "got": "entered", "waits": "wait", "is": "waited"}
        for notice in found:
            report = notice.report
            assert report is not None
            assert report.object is not None
            assert (report.event, report.monitor) == ("monitor", words[notice.text.split()[0]])
            assert report.object.text in notice.text


async def test_one_sort_of_monitor_event_stops(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "monitors") as d:
        await d.session.breakpoints.add("happenings.Happenings.hold", temporary=True)
        await d.resume()
        stop = await d.wait_stop("breakpoint", thread="holder")
        assert stop.thread is not None
        only = PointOptions(classes=("java.lang.Object",), condition="1 < 2", thread=stop.thread.id)
        point = await d.session.traces.monitors(["wait"], options=only)
        assert point.spec == "monitors wait"
        await d.resume()
        stop = await d.wait_stop("monitor", thread="holder", breakpoint=point.number)
        assert stop.object is not None
        assert (stop.monitor, stop.object.type) == ("wait", "java.lang.Object")
        assert stop.message == f"waits on {stop.object.text} for 60000 ms"
        assert d.session.traces.find(methods=False) == [point.number]
        assert d.session.traces.find(monitors=False) == []
        await d.session.points.remove([point.number])
        await d.session.traces.monitors(["enter"], options=PointOptions(temporary=True))
        await d.resume()
        stop = await d.wait_stop("monitor", thread="rival", frames=["Happenings.contend"])
        assert stop.message == f'wants the monitor of {stop.object.text}, which thread "main" holds'  # type: ignore[union-attr]
        await d.target.send("")
        await d.resume()
        await d.wait_exit()


async def test_what_does_not_happen_to_monitors(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Happenings") as d:
        with pytest.raises(UsageError, match="unknown monitor event 'leave'"):
            await d.session.traces.monitors(["wait", "leave"])
        with pytest.raises(UsageError, match="entries and exits are both off"):
            await d.session.traces.methods(entries=False, exits=False)
        await d.resume()
        await d.wait_exit()

"""Points that read values rest when their reports are used up: nothing is suspended then, and no hit is lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from jdbpy.session.breakpoints import throttle
from jdbpy.session.events import hit_rates
from jdbpy.session.events.requests import RequestTable
from jdbpy.session.model.breakpoints import PointOptions, Reporting, SuspendPolicy
from jdbpy.wire.constants import JdwpSuspendPolicy
from jdbpy.wire.messages import event_request, thread_reference
from tests.harness import Debugging, Jvm, debug, inline

pytestmark = pytest.mark.one_java

WORKERS, PASSES = 4, 3000
ALL = WORKERS * PASSES

CROWD = f"""
class Crowd {{
    public static void main(String[] args) throws Exception {{
        System.out.println("start"); // @start
        Thread[] workers = new Thread[{WORKERS}];
        for (int w = 0; w < workers.length; w++) {{
            workers[w] = new Thread(Crowd::work);
            workers[w].start();
        }}
        for (Thread worker : workers) {{
            worker.join();
        }}
        System.out.println("end"); // @end
    }}
    static void work() {{
        for (int i = 0; i < {PASSES}; i++) {{
            passed(i);
        }}
    }}
    static int passed(int i) {{
        return i + 1; // @pass
    }}
}}
"""

LIMITED = Reporting(limit=1)


async def logpoint(d: Debugging) -> int:
    return (await d.session.breakpoints.add(d.at("pass"), log="{i}", reporting=LIMITED)).number


async def trace(d: Debugging, *, exits: bool = True) -> int:
    options = PointOptions(policy=SuspendPolicy.NONE, reporting=LIMITED)
    return (await d.session.traces.methods(method="Crowd.passed", exits=exits, options=options)).number


async def entries(d: Debugging) -> int:
    return await trace(d, exits=False)


def frozen(d: Debugging) -> None:
    """No window ends, however long the program takes."""
    now = d.session.points.reporter.clock()
    d.session.points.reporter.clock = lambda: now


def spied(d: Debugging) -> list[Any]:
    """Return the commands that are sent from now on."""
    sent: list[Any] = []
    conn = d.session._target.conn
    submit = conn.submit

    def spy(command: Any, **options: Any) -> Any:
        sent.append(command)
        return submit(command, **options)

    conn.submit = spy  # type: ignore[method-assign]
    return sent


@pytest.mark.parametrize(("add", "hits"), [(logpoint, ALL), (entries, ALL), (trace, 2 * ALL)])
async def test_what_is_only_counted_suspends_nothing(jvm: Jvm, add: Callable[[Debugging], Any], hits: int) -> None:
    async with debug(jvm, inline(CROWD)) as d:
        d.ignored |= {"logpoint", "trace", "left-out", "breakpoint-resolved"}
        await d.run_to("start")
        frozen(d)
        number = await add(d)
        sent = spied(d)
        await d.run_to("end")
        assert d.session.points.get(number).hits == hits
        policies = [each.suspendPolicy for each in sent if isinstance(each, event_request.Set)]
        assert JdwpSuspendPolicy.NONE in policies
        assert sum(isinstance(each, thread_reference.Resume) for each in sent) < ALL / 4


async def test_several_at_one_place_that_rest_by_turns_count_each_hit_once(
    jvm: Jvm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hit_rates, "WINDOW", 0.05)
    monkeypatch.setattr(throttle, "CROWD", 5)
    async with debug(jvm, inline(CROWD)) as d:
        d.ignored |= {"logpoint", "trace", "left-out", "breakpoint-resolved", "hot-place"}
        await d.run_to("start")
        numbers = [await logpoint(d), await trace(d), await entries(d)]
        reporter, awakened = d.session.points.reporter, 0
        over = reporter.on_window_over

        def awake(point: Any) -> None:
            nonlocal awakened
            awakened += 1
            over(point)

        reporter.on_window_over = awake
        await d.run_to("end")
        assert [d.session.points.get(each).hits for each in numbers] == [ALL, 2 * ALL, ALL]
        assert awakened


async def test_a_point_that_rests_is_removed(jvm: Jvm) -> None:
    async with debug(jvm, inline(CROWD)) as d:
        d.ignored |= {"logpoint", "left-out", "breakpoint-resolved"}
        await d.run_to("start")
        frozen(d)
        number = await logpoint(d)
        requests: RequestTable = d.session._target.requests
        end = await d.session.breakpoints.add(d.at("end"))
        await d.resume()
        while not any(each.counter is not None for each in requests.all_active()):
            await d.session.threads.list()
        await d.session.points.remove([number])
        stop = await d.wait_stop("breakpoint")
        assert stop.breakpoints == (end.number,)
        assert all(each.counter is None for each in requests.all_active())


async def test_nothing_rests_while_an_answer_is_overdue(jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "LATE", -1.0)  # each is at once
    monkeypatch.setattr(throttle, "ASKING", 1)
    async with debug(jvm, inline(CROWD)) as d:
        d.ignored |= {"logpoint", "left-out", "breakpoint-resolved"}
        await d.run_to("start")
        frozen(d)
        number = await logpoint(d)
        sent = spied(d)
        await d.run_to("end")
        assert d.session.points.get(number).hits == ALL
        of = [each.suspendPolicy for each in sent if isinstance(each, event_request.Set)]
        assert of.count(JdwpSuspendPolicy.EVENT_THREAD) > 1  # the breakpoint at the end, and those that were set back

"""What points that suspend nothing cost the target, measured by how often it comes to a place with them and without."""

from __future__ import annotations

import pytest

import jdbpy
from jdbpy import Notice, PointOptions, Reporting, SuspendPolicy
from jdbpy.session.breakpoints.slowdown import Slowdown
from tests.harness import LIMIT, Jvm, inline, start_target, within

pytestmark = pytest.mark.one_java

WORKS = inline("""
class Works {
    public static void main(String[] args) {
        System.out.println("ready");
        while (true) {
            each();
        }
    }

    static long total;

    static void each() {
        for (int n = 0; n < 20_000; n++) { Other.add(n); }
        total ^= 7; // @each
    }
}

class Other {
    static void add(int number) { Works.total += number; }
}
""")
NONE = PointOptions(policy=SuspendPolicy.NONE)


@pytest.mark.parametrize("values", [False, True], ids=["pattern", "named"])
async def test_method_events_slow_what_they_do_not_report(jvm: Jvm, values: bool) -> None:
    """Few hits a second, which cost the debugger nothing, while all threads are interpreted for them: that is noticed,
    and the trace is switched off. The hits of the measurement are counted."""
    classes = "Works" if values else "Work*"
    options = NONE.replace(classes=(classes,), reporting=Reporting(limit=100, cost=50, hold=False))
    async with start_target(jvm, WORKS, suspend=False) as target:
        await target.wait_output("ready")
        async with jdbpy.attach_session(target.address) as session:
            with within(LIMIT), session.events() as events:
                trace = await session.traces.methods(exits=False, values=values, options=options)
                while not (isinstance(event := await anext(events), Notice) and event.kind == "switched-off"):
                    pass
                data = dict(event.data)
                assert data["breakpoint"] == trace.number
                assert int(str(data["rate_without"])) > 2 * int(str(data["rate"])) > 0
                assert "of the target's time there, more than 50%; 'enable 1' sets it again" in event.text
                assert "with it the target comes " in event.text
            summary = await session.points.summary(trace.number)
            assert summary.slowdown == pytest.approx(data["load"], abs=0.001)
            assert not summary.enabled
            assert summary.hits > sum(each.count for each in summary.methods) > 0


async def test_the_point_is_set_again(any_jvm: Jvm) -> None:
    """It reports again after it was measured, as a breakpoint does that may cost all of the time."""
    reporting = Reporting(limit=1, cost=1000)
    async with start_target(any_jvm, WORKS, suspend=False) as target:
        await target.wait_output("ready")
        async with jdbpy.attach_session(target.address) as session:
            with within(LIMIT), session.events() as events:
                point = await session.breakpoints.add("Other.add", policy=SuspendPolicy.NONE, reporting=reporting)
                while (await session.points.summary(point.number)).slowdown is None:
                    await anext(events)
                hits = session.points.get(point.number).hits
                while session.points.get(point.number).hits == hits:
                    await anext(events)
                await session.points.remove([point.number])


def test_the_share() -> None:
    assert Slowdown(45, 9000).share == pytest.approx(0.995)
    assert Slowdown(1000, 900).share == 0
    assert Slowdown(10, 0).share == 0

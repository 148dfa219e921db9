"""Breakpoints by the thousand: those of a class share what watches for it, and each costs a trip or none."""

from __future__ import annotations

import pytest

import jdbpy
from jdbpy.errors import UsageError
from jdbpy.wire.constants import Error, EventKind
from jdbpy.wire.messages import event_request
from tests.fakes.jvm import FakeJvm
from tests.harness import Jvm, debug, inline
from tests.session.running import target_of

pytestmark = pytest.mark.one_java

METHODS = 20
LINES = 50
ALL = METHODS * LINES


def _source() -> str:
    lines = ["public class Big {"]
    lines += ["    public static void main(String[] args) { Lengthy.total(); Lengthy.done(); }", "}"]
    lines += ["class Lengthy {", "    static void done() { }  // @done"]
    lines += ["    static int total() {", "        int n = 0;  // @first"]
    lines += [f"        n += part{method}();" for method in range(METHODS)]
    lines += ["        return n;", "    }"]
    for method in range(METHODS):
        lines += [f"    static int part{method}() {{", "        int n = 0;"]
        lines += ["        n++;"] * LINES
        lines += ["        return n;", "    }"]
    return "\n".join([*lines, "}", ""])


SOURCE = _source()
COUNTED = [number for number, line in enumerate(SOURCE.splitlines(), 1) if line.endswith(" n++;")]


@pytest.mark.usefixtures("nothing_ahead")
async def test_in_a_class_that_is_not_loaded_yet(jvm: Jvm) -> None:
    program = inline(SOURCE)
    async with debug(jvm, program) as d:
        points, requests = d.session.breakpoints, target_of(d).requests
        before = len(requests.all_active())
        waves = d.session.statistics().waves
        for line in COUNTED:
            assert (await points.add(f"Lengthy:{line}")).message == "pending: class Lengthy is not loaded yet"
        watching = [each for each in requests.all_active() if each.kind == EventKind.CLASS_PREPARE]
        assert len(watching) < before + 10
        assert d.session.statistics().waves - waves < 10
        await points.add(d.at("done", "Lengthy"))
        waves = d.session.statistics().waves
        await d.resume()
        await d.wait_stop("breakpoint", breakpoint=1)
        assert d.session.statistics().waves - waves < 50
        assert all(point.resolved for point in points.list())
        await points.clear_all()
        assert len(requests.all_active()) == before


@pytest.mark.usefixtures("nothing_ahead")
async def test_in_a_class_that_is_loaded(jvm: Jvm) -> None:
    program = inline(SOURCE)
    async with debug(jvm, program) as d:
        await d.run_to("first", "Lengthy")
        points = d.session.breakpoints
        await points.add(f"Lengthy:{COUNTED[0]}")
        waves = d.session.statistics().waves
        for line in COUNTED[1:]:
            assert (await points.add(f"Lengthy:{line}")).resolved
        assert d.session.statistics().waves - waves == ALL - 1
        await d.resume()
        await d.wait_stop("breakpoint", breakpoint=points.list()[0].number)
        await points.clear_all()
        await d.resume()
        await d.wait_exit()


async def test_many_that_are_added_at_once_are_hit(jvm: Jvm) -> None:
    program = inline(SOURCE)
    async with debug(jvm, program) as d:
        await d.run_to("first", "Lengthy")
        points = d.session.breakpoints
        await points.add(f"Lengthy:{COUNTED[0]}")
        async with points.adding_many():
            for line in COUNTED[1:]:
                assert (await points.add(f"Lengthy:{line}")).resolved
        for point in points.list()[:3]:
            await d.resume()
            await d.wait_stop("breakpoint", breakpoint=point.number)
        await points.clear_all()
        await d.session.execution.resume()
        await d.wait_exit()


async def test_many_are_added_without_waiting_for_each() -> None:
    jvm = FakeJvm()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        await session.breakpoints.add("Played.main")
        jvm.hold(event_request.Set)
        async with session.breakpoints.adding_many():
            for _ in range(50):
                await session.breakpoints.add("Played.main")
            await jvm.release()
        assert all(point.resolved for point in session.breakpoints.list())


async def test_one_of_many_that_is_refused_is_told() -> None:
    jvm = FakeJvm()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        with session.events() as events:
            await session.breakpoints.add("Played.main")
            async with session.breakpoints.adding_many():
                jvm.on(event_request.Set, Error.OUT_OF_MEMORY)
                await session.breakpoints.add("Played.main")
            failed = await anext(events)
        assert isinstance(failed, jdbpy.Notice)
        assert (failed.kind, dict(failed.data)["breakpoint"]) == ("breakpoint-failed", 2)
        assert [bool(point.resolved) for point in session.breakpoints.list()] == [True, False]


async def test_a_class_of_that_name_that_comes_later_is_found(any_jvm: Jvm) -> None:
    """What was listed of a name is void once another class of that name is prepared."""
    program = inline(
        """\
public class Two {
    static class Same { static void go() { } }
    static class Other { static class Same { static void go() { } } }
    public static void main(String[] args) {
        Same.go();
        Other.Same.go();  // @second
        end();
    }
    static void end() { }  // @end
}
"""
    )
    async with debug(any_jvm, program) as d:
        await d.run_to("second")
        points = d.session.breakpoints
        first = await points.add("Same.go")
        assert [place.class_name for place in first.resolved] == ["Two$Same"]
        await d.run_to("end")
        with pytest.raises(UsageError, match=r"'Same' may be"):
            await points.add("Same.go")
        await points.clear_all()

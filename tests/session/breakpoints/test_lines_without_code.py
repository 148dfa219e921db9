"""Lines without code in classes with member classes that load later, or never: the breakpoint moves at once."""

from __future__ import annotations

import pytest

from tests.harness import Debugging, Jvm, debug, inline

pytestmark = pytest.mark.one_java

SOURCE = """
class Start {
    public static void main(String[] args) {
        int first = Parts.First.one();
        int all = Parts.sum(first);
        System.out.println(Parts.sum(all));  // @call
        System.out.println(Parts.more(all));
        System.out.println(Parts.late());
    }
}

class Parts {
    static class First { static int one() {
        int made = 1;
        return made;  // @first
    } }
    static class Never { static int two() { return 2; } }

    static int sum(int a) {
        int all = a;
        // a comment  @comment
        all += First.one();

        for (int i = 0; i < 2; i++) {
            all += i;
        // @brace
        }
        return all;  // @sum
    }
    // between  @between
    static int more(int a) {
        return a + 1;  // @more
    }

    // before a class that loads later  @before
    static class Later {
        int made;
        Later() {  // @constructor
            made = 2;  // @later
        }  // @ctor

        // in it  @inside
        int twice() {
            return 2 * made;  // @twice
        }
    }
    // behind it  @behind
    static int late() { return new Later().twice(); }  // @called

    static int never() { return Never.two(); }
}
"""


def at(marker: str) -> int:
    return next(n for n, line in enumerate(SOURCE.split("\n"), 1) if f"@{marker}" in line)


async def test_a_line_within_a_method_moves_at_once(jvm: Jvm) -> None:
    program = inline(SOURCE)
    async with debug(jvm, program) as d:
        await d.run_to("call")
        point = await d.session.breakpoints.add(f"Parts:{at('comment')}")
        assert point.resolved, point
        assert point.message.startswith(f"moved to line {at('comment') + 1}: no code on line {at('comment')}")
        await d.resume()
        stop = await d.wait_stop("breakpoint")
        assert stop.frame is not None
        assert stop.frame.location.line == at("comment") + 1


async def test_also_where_a_member_class_is_prepared_first_and_another_never(jvm: Jvm) -> None:
    async with debug(jvm, inline(SOURCE)) as d:
        point = await d.session.breakpoints.add(f"Start.java:{at('comment')}")
        await d.resume()
        await d.wait_notice("breakpoint-resolved")
        stop = await d.wait_stop("breakpoint")
        assert stop.frame is not None
        assert stop.frame.location.line == at("comment") + 1
        [shown] = [each for each in d.session.breakpoints.list() if each.number == point.number]
        assert shown.message.startswith(f"moved to line {at('comment') + 1}")


BETWEEN = {"between": "more", "before": "constructor", "inside": "twice", "behind": "called", "later": "later"}


async def lines_of_stops(d: Debugging, count: int) -> list[int]:
    """The lines of the next stops, after which the program ends."""
    lines = []
    for _ in range(count):
        await d.resume()
        stop = await d.wait_stop("breakpoint")
        assert stop.frame is not None
        lines.append(stop.frame.location.line or 0)
    await d.resume()
    await d.wait_exit()
    return lines


async def test_a_line_between_methods_goes_where_the_class_files_say(jvm: Jvm) -> None:
    """Before any class is loaded, and where one never is: the next line with code in all of them is meant."""
    for marker, meant in BETWEEN.items():
        async with debug(jvm, inline(SOURCE)) as d:
            await d.session.breakpoints.add(f"Parts:{at(marker)}")
            assert await lines_of_stops(d, 1) == [at(meant)], marker


async def test_also_once_the_outer_class_is_there(jvm: Jvm) -> None:
    async with debug(jvm, inline(SOURCE)) as d:
        await d.run_to("call")
        breakpoints = d.session.breakpoints
        points = {marker: await breakpoints.add(f"Parts:{at(marker)}") for marker in BETWEEN}
        resolved = {marker: bool(point.resolved) for marker, point in points.items()}
        assert resolved == {"between": True, "before": False, "inside": False, "behind": True, "later": False}
        assert points["later"].message == "pending: class Parts$Later is not loaded yet"
        where = f"the next one with code, {at('constructor')}, is in Parts$Later, which is not loaded yet"
        assert points["before"].message == f"no code on line {at('before')}; {where}"
        meant = ("more", "called", "constructor", "later", "twice")
        assert await lines_of_stops(d, 5) == [at(each) for each in meant]

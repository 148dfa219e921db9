"""The places of one breakpoint on real JVMs: a line and its lambdas, chosen by spelling, number or condition."""

from __future__ import annotations

import pytest

from jdbpy.errors import EvalError, UsageError
from jdbpy.session.model.breakpoints import BreakpointInfo
from tests.harness import Debugging, Jvm, debug, inline
from tests.session.running import places

pytestmark = pytest.mark.one_java


def kinds(point: BreakpointInfo) -> list[tuple[int, str, str]]:
    return [(place.number, place.kind, place.locations[0].method) for place in point.places]


async def stops(d: Debugging) -> list[str]:
    """The methods of all stops that are still to come."""
    methods = []
    while hasattr(stop := await d.session.execution.cont(), "location"):
        await d.check_stop(stop, "breakpoint")
        assert stop.location is not None
        methods.append(stop.location.method)
    await d.wait_exit()
    return methods


async def at_first_line(d: Debugging) -> None:
    await d.run_to("one-line")


async def test_a_line_and_its_lambdas_are_places(jvm: Jvm) -> None:
    async with debug(jvm, "Lambdas") as d:
        await at_first_line(d)
        point = await d.session.breakpoints.add(d.at("two"))
        assert kinds(point) == [(1, "line", "main"), (2, "lambda", "lambda$main$2"), (3, "lambda", "lambda$main$3")]
        assert await stops(d) == ["main", *["lambda$main$2", "lambda$main$3"] * 2]


@pytest.mark.parametrize(
    ("part", "found", "stopped"),
    [
        ("line", ["main"], ["main"]),
        ("lambda", ["lambda$main$2", "lambda$main$3"], ["lambda$main$2", "lambda$main$3"] * 2),
        ("lambda2", ["lambda$main$3"], ["lambda$main$3"] * 2),
    ],
)
@pytest.mark.parametrize("loaded", [True, False])
async def test_one_part_of_the_line(jvm: Jvm, part: str, found: list[str], stopped: list[str], loaded: bool) -> None:
    async with debug(jvm, "Lambdas") as d:
        if loaded:
            await at_first_line(d)
        spec = f"{d.at('two')}:{part}"
        point = await d.session.breakpoints.add(spec)
        assert point.spec == spec
        assert [each.locations[0].method for each in point.places] == (found if loaded else [])
        assert await stops(d) == stopped
        assert [each[2] for each in kinds(d.session.breakpoints.get(point.number))] == found


async def test_the_first_line_of_a_block_is_a_line_of_it(jvm: Jvm) -> None:
    async with debug(jvm, "Lambdas") as d:
        await at_first_line(d)
        for marker, expected in (
            ("body", [(1, "line", "lambda$main$1")]),
            ("call", [(1, "line", "main")]),
            ("each-body", [(1, "line", "lambda$main$4")]),
        ):
            assert kinds(await d.session.breakpoints.add(f"{d.at(marker)}:line")) == expected
        inner = await d.session.breakpoints.add(d.at("inner"))
        assert [each[1] for each in kinds(inner)] == ["line"]
        await d.session.breakpoints.clear_all()
        await d.resume()
        await d.wait_exit()


async def test_a_part_of_a_line_of_the_selected_frame(jvm: Jvm) -> None:
    async with debug(jvm, "Lambdas") as d:
        await at_first_line(d)
        ahead = d.program.line("two") - d.program.line("one-line")
        for spec in (f":{d.program.line('two')}:lambda2", f"{d.program.line('two')}:lambda2", f"+{ahead}:lambda2"):
            assert kinds(await d.session.breakpoints.add(spec)) == [(1, "lambda", "lambda$main$3")]
        await d.session.breakpoints.clear_all()
        await d.resume()
        await d.wait_exit()


async def test_a_part_that_is_not_there_is_refused(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Lambdas") as d:
        await at_first_line(d)
        with pytest.raises(UsageError, match=r"no lambda on line \d+ of Lambdas.java"):
            await d.session.breakpoints.add(f"{d.at('list')}:lambda")
        with pytest.raises(UsageError, match=r"there are 2 lambdas on line \d+ of Lambdas.java"):
            await d.session.breakpoints.add(f"{d.at('two')}:lambda3")
        with pytest.raises(UsageError, match="'lambda0' is not a part of a line"):
            await d.session.breakpoints.add(f"{d.at('two')}:lambda0")
        assert d.session.breakpoints.list() == []
        await d.resume()
        await d.wait_exit()


async def test_one_place_is_disabled_and_enabled_again(jvm: Jvm) -> None:
    async with debug(jvm, "Lambdas") as d:
        await at_first_line(d)
        points = d.session.breakpoints
        point = await points.add(d.at("two"))
        point = await points.disable_place(point.number, 2)
        assert [place.enabled for place in point.places] == [True, False, True]
        assert len(point.resolved) == 2
        await points.disable_place(point.number, 1)
        await points.disable([point.number])
        assert points.get(point.number).resolved == ()
        await points.enable([point.number])  # what was disabled by itself stays so
        assert [each.method for each in points.get(point.number).resolved] == ["lambda$main$3"]
        await points.enable_place(point.number, 1)
        with pytest.raises(UsageError, match="breakpoint 2 has no place 4"):
            await points.disable_place(point.number, 4)
        catch = await d.session.catchpoints.exception("java.lang.Error")
        with pytest.raises(UsageError, match="is not a breakpoint"):
            await points.disable_place(catch.number, 1)
        assert await stops(d) == ["main", *["lambda$main$3"] * 2]


async def test_places_keep_their_numbers_when_more_are_loaded(jvm: Jvm) -> None:
    async with debug(jvm, "Lambdas") as d:
        await at_first_line(d)
        points = d.session.breakpoints
        point = await points.add(d.at("inner"))
        await points.disable_place(point.number, 1)
        assert await stops(d) == ["<init>", "compare"]
        point = points.get(point.number)
        assert kinds(point) == [(1, "line", "main"), (2, "lambda", "compare"), (3, "constructor", "<init>")]
        assert [place.enabled for place in point.places] == [False, True, True]


# -- conditions ----------------------------------------------------------------------------------------------------


async def test_a_condition_decides_at_which_places_it_stands(jvm: Jvm) -> None:
    async with debug(jvm, "Lambdas") as d:
        await at_first_line(d)
        points = d.session.breakpoints
        point = await points.add(d.at("one-line"), condition="n == 3")
        assert places(point) == {"Lambdas.lambda$main$0": 1}
        assert [place.error for place in point.places] == ["cannot find symbol: variable n in class Lambdas", ""]
        point = await points.set_condition(point.number, "args != null")
        assert places(point) == {"Lambdas.main": 1}
        with pytest.raises(EvalError, match="variable nothing"):
            await points.set_condition(point.number, "nothing == 3")
        assert places(points.get(point.number)) == {"Lambdas.main": 1}
        point = await points.set_condition(point.number, "")
        assert len(point.resolved) == 2
        point = await points.set_condition(point.number, "n == 3")
        assert await stops(d) == ["lambda$main$0"]
        assert points.get(point.number).failures == 0


async def test_a_condition_may_be_for_a_class_that_is_still_to_come(jvm: Jvm) -> None:
    async with debug(jvm, "Lambdas") as d:
        await at_first_line(d)
        point = await d.session.breakpoints.add(d.at("inner"), condition="a.intValue() + b.intValue() == 3")
        assert point.message.startswith("pending: class Lambdas$1 is not loaded yet: cannot find symbol: variable a")
        assert point.resolved == ()
        with pytest.raises(EvalError, match="variable a in class Lambdas"):
            await d.session.breakpoints.add(d.at("list"), condition="a == 2")
        assert await stops(d) == ["compare"]
        point = d.session.breakpoints.get(point.number)
        assert (point.message, point.failures) == ("", 0)


# -- classes without lines -----------------------------------------------------------------------------------------

BESIDE = inline("""
    public class Beside {
        public static void main(String[] args) throws Exception {
            Class.forName("Marker");
            Class.forName("Empty").getName();
            new Empty.Full().run(); // @run
        }
    }

    interface Marker {
    }

    interface Empty {
        class Full implements Marker {
            void run() {
                System.out.println("run"); // @full
            }
        }
    }
""")


@pytest.mark.parametrize("spec", ["Empty:{line}", "Beside.java:{line}"])
@pytest.mark.parametrize("late", [False, True])
async def test_a_class_without_code_is_not_one_without_line_numbers(jvm: Jvm, spec: str, late: bool) -> None:
    async with debug(jvm, BESIDE) as d:
        if late:
            await d.run_to("run")
        point = await d.session.breakpoints.add(spec.format(line=BESIDE.line("full")))
        assert "line numbers" not in point.message
        await d.resume()
        await d.wait_stop("breakpoint", at="full", breakpoint=point.number)
        await d.resume()
        await d.wait_exit()


FORWARDS = inline("""
    public class Forwards {
        public static void main(String[] args) {
            System.out.println(new Forwards().apply(2)); // @call
        }

        int apply(int n) { return apply$mcII$sp(n); } int apply$mcII$sp(int n) { return n; } // @both
    }
""")


async def test_what_scala_compiles_a_second_time_for_primitives_stops_once(jvm: Jvm) -> None:
    async with debug(jvm, FORWARDS) as d:
        await d.session.breakpoints.add(d.at("both"))
        assert await stops(d) == ["apply$mcII$sp"]

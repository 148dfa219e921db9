"""Source maps on real JVMs: stops, breakpoints and steps in the lines of another language than Java."""

from __future__ import annotations

from pathlib import Path

import pytest

import jdbpy
from jdbpy.errors import JdbpyError
from jdbpy.session.model.options import StepDepth
from tests.harness import Debugging, Jvm, debug, inline, program
from tests.harness.class_files import with_source_map
from tests.harness.programs import Program

pytestmark = pytest.mark.one_java

PLAIN = program("Inlined")


def source_map() -> str:
    """What a compiler would write: Main.kt from its line 10 on, with lines of Util.kt inlined into it.

    The line ``plumbing`` is nobody's, ``again`` and the one after it are one line of Main.kt.
    """
    line = PLAIN.line
    return "\n".join(
        [
            "SMAP", "Main.kt", "Kotlin",
            "*S Kotlin",
            "*F", "+ 1 Main.kt", "app/Inlined", "+ 2 Util.kt", "lib/UtilKt",
            "*L",
            f"10#1:{line('main')}",
            f"2#2,2:{line('inlined')}",
            f"3#1:{line('same-number')}",
            f"11#1:{line('again')},2",
            f"12#1,2:{line('end')}",
            f"2#2:{line('inlined-too')}",
            "*S KotlinDebug",
            "*F", "+ 1 Main.kt", "app/Inlined",
            "*L", f"10#1:{line('inlined')},2",
            "*E", "",
        ]
    )  # fmt: skip


@pytest.fixture
def mapped(tmp_path: Path) -> Program:
    for name, package in (("Main.kt", "app"), ("Util.kt", "lib")):
        (tmp_path / package).mkdir()
        text = "".join(f"// {name}, line {number}\n" for number in range(2, 20))
        (tmp_path / package / name).write_text(f"package {package}\n{text}")
    return with_source_map(PLAIN, tmp_path, source_map())


def place(stop: jdbpy.Stopped | jdbpy.Exited | jdbpy.FrameInfo) -> str:
    assert not isinstance(stop, jdbpy.Exited)
    assert stop.location is not None
    return f"{stop.location.source}:{stop.location.line}"


async def step(d: Debugging, depth: StepDepth = StepDepth.OVER) -> str:
    stop = await d.check_stop(await d.session.execution.step(depth), "step")
    return place(stop)


async def test_a_breakpoint_in_an_inline_function_stops_in_its_file(jvm: Jvm, mapped: Program) -> None:
    async with debug(jvm, mapped) as d:
        point = await d.session.breakpoints.add("Util.kt:2")
        assert "no class of Util.kt is loaded" in point.message
        await d.resume()
        stop = await d.wait_stop("breakpoint", breakpoint=point.number)
        assert stop.location is not None
        assert (place(stop), stop.location.stratum, stop.location.source_path) == ("Util.kt:2", "Kotlin", "lib/Util.kt")
        assert stop.source is not None
        assert (stop.source.path.endswith("lib/Util.kt"), stop.source.current) == (True, 2)
        assert dict(stop.source.lines)[2] == "// Util.kt, line 2"
        [point] = d.session.breakpoints.list()
        assert len(point.resolved) == 2  # where it is inlined, twice
        await d.resume()
        await d.wait_stop("breakpoint", frames=["Inlined.once", "Inlined.main"])
        [inner, outer] = (await d.session.stack.of()).frames
        assert [place(inner), place(outer)] == ["Util.kt:2", "Main.kt:13"]
        await d.resume()
        await d.wait_exit()


async def test_steps_go_by_the_lines_of_the_source(jvm: Jvm, mapped: Program) -> None:
    async with debug(jvm, mapped) as d:
        await d.session.breakpoints.add("Inlined:10")
        await d.resume()
        assert place(await d.wait_stop("breakpoint")) == "Main.kt:10"
        assert [await step(d, StepDepth.INTO) for _ in range(6)] == [
            "Util.kt:2",
            "Util.kt:3",
            "Main.kt:3",  # the same number in another file is another line
            "Main.kt:11",  # and what no line is of the source is passed
            "Main.kt:12",  # two lines of the class file were one
            "Main.kt:13",
        ]
        assert await step(d, StepDepth.INTO) == "Util.kt:2"
        await d.resume()
        await d.wait_exit()


async def test_next_stays_on_the_own_lines_of_the_frame(jvm: Jvm, mapped: Program) -> None:
    async with debug(jvm, mapped) as d:
        await d.session.breakpoints.add("Main.kt:10")
        await d.resume()
        await d.wait_stop("breakpoint")
        assert [await step(d) for _ in range(4)] == ["Main.kt:3", "Main.kt:11", "Main.kt:12", "Main.kt:13"]
        await d.resume()
        await d.wait_exit()


async def test_in_inlined_code_next_goes_on_in_it_and_step_up_leaves_it(jvm: Jvm, mapped: Program) -> None:
    for depth, stops in ((StepDepth.OVER, ["Util.kt:3", "Main.kt:3"]), (StepDepth.OUT, ["Main.kt:3"])):
        async with debug(jvm, mapped) as d:
            await d.session.breakpoints.add("Util.kt:2", temporary=True)
            await d.resume()
            await d.wait_stop("breakpoint")
            assert [await step(d, depth) for _ in stops] == stops
            await d.resume()
            await d.wait_exit()


async def test_a_count_of_steps_is_of_lines_of_the_source(jvm: Jvm, mapped: Program) -> None:
    async with debug(jvm, mapped) as d:
        await d.session.breakpoints.add("Main.kt:10")
        await d.resume()
        await d.wait_stop("breakpoint")
        stop = await d.check_stop(await d.session.execution.step(StepDepth.OVER, count=3), "step")
        assert place(stop) == "Main.kt:12"
        await d.resume()
        await d.wait_exit()


LOOP = inline("""
    class Loop {
        public static void main(String[] args) {
            int sum = rounds(1); // @start
            System.out.println(sum); // @end
        }

        static int rounds(int depth) {
            int sum = depth; // @rounds
            for (int i = 0; i < 20_000; i++) // @loop
                sum += i; // @in-loop
            sum += depth < 3 ? rounds(depth + 1) : 0; // @deeper
            return sum; // @return
        }
    }
""")


@pytest.mark.usefixtures("nothing_ahead")
async def test_next_passes_an_inlined_loop_at_full_speed(jvm: Jvm, tmp_path: Path) -> None:
    line = LOOP.line
    first, last = line("start"), line("return")
    smap = f"""SMAP
Loop.kt
Kotlin
*S Kotlin
*F
1 Loop.kt
*L
{first}#1,{line("loop") - first}:{first}
90#1,2:{line("loop")}
{line("deeper")}#1,2:{line("deeper")}
*S KotlinDebug
*F
1 Loop.kt
*L
{line("rounds")}#1,2:{line("loop")}
*E
"""  # the loop is of a function of the same file, past the lines that it has of its own
    async with debug(jvm, with_source_map(LOOP, tmp_path, smap)) as d:
        await d.session.breakpoints.add(f"Loop.kt:{line('rounds')}", temporary=True)
        await d.resume()
        await d.wait_stop("breakpoint")
        before = d.session.statistics().waves
        assert await step(d) == f"Loop.kt:{line('deeper')}"
        assert d.session.statistics().waves - before < 20
        assert await step(d) == f"Loop.kt:{last}"  # not in a deeper call of itself
        assert (await d.session.stack.of()).total == 2
        assert await step(d) == f"Loop.kt:{first}"
        await d.resume()
        await d.wait_exit()


async def test_until_does_not_take_inlined_lines_for_later_ones(jvm: Jvm, mapped: Program) -> None:
    async with debug(jvm, mapped) as d:
        await d.session.breakpoints.add("Main.kt:10")
        await d.resume()
        await d.wait_stop("breakpoint")
        assert place(await d.check_stop(await d.session.execution.until(), "until")) == "Main.kt:11"
        assert place(await d.check_stop(await d.session.execution.until(13), "until")) == "Main.kt:13"
        await d.resume()
        await d.wait_exit()


@pytest.mark.two_javas
async def test_places_in_a_loaded_class(jvm: Jvm, mapped: Program) -> None:
    async with debug(jvm, mapped) as d:
        await d.session.breakpoints.add("Inlined:10")
        await d.resume()
        await d.wait_stop("breakpoint")
        points = d.session.breakpoints
        for spec, found in (
            ("Util.kt:3", ["Util.kt:3"]),
            ("lib/Util.kt:3", ["Util.kt:3"]),
            ("Main.kt:11", ["Main.kt:11"]),
            (":12", ["Main.kt:12"]),
            ("+3", ["Main.kt:13"]),
            ("Inlined:3", ["Main.kt:3"]),
        ):
            resolved = (await points.add(spec)).resolved
            assert [f"{each.source}:{each.line}" for each in resolved] == found, spec
        assert [place.line for place in (await points.add("Inlined:2")).resolved] == [2, 2]  # of Util.kt only
        d.session.breakpoints.refuse_lines_without_code()
        with pytest.raises(JdbpyError, match="no code on line 4 of Inlined; the nearest are 3 and 10"):
            await points.add("Inlined:4")
        lines = await d.session.classes.lines("Inlined", "main")
        assert {(each.source, each.line) for each in lines} == {
            ("Util.kt", 2), ("Util.kt", 3), ("", 10), ("", 3), ("", 11), ("", 12), ("", 13),
        }  # fmt: skip
        assert "Util.kt" in d.session.classes.known().sources


PAGE = inline("""
    package shop;

    class Page {
        public static void main(String[] args) {
            int a = 1; // @first
            int b = a; // @included
            int c = call(b); // @call
            int d = c; // @between
            System.out.println(d); // @last
        }

        static int call(int x) {
            return x; // @in-call
        }
    }
""")


def map_of_page() -> str:
    """One of a language whose files have an unknown ending. ``between`` and ``in-call`` are no lines of it."""
    lines = {"210#1": "first", "5#2": "included", "211#1": "call", "213#1": "last"}
    files = ["+ 1 Page.xyz", "shop/Page.xyz", "+ 2 Part.abc", "shop/Part.abc"]
    runs = [f"{source}:{PAGE.line(marker)}" for source, marker in lines.items()]
    return "\n".join(["SMAP", "Page.java", "XYZ", "*S XYZ", "*F", *files, "*L", *runs, "*E", ""])


async def test_places_in_files_of_any_name(jvm: Jvm, tmp_path: Path) -> None:
    async with debug(jvm, with_source_map(PAGE, tmp_path, map_of_page())) as d:
        points = d.session.breakpoints
        generated = f"Page.java:{PAGE.line('between')}"
        for spec in ("Page.xyz:210", "Part.abc:5", "shop.Page:5", generated):
            assert (await points.add(spec)).resolved == ()
        await d.resume()
        assert place(await d.wait_stop("breakpoint", breakpoint=1)) == "Page.xyz:210"
        found = [[f"{each.source}:{each.line}" for each in point.resolved] for point in points.list()]
        assert found == [["Page.xyz:210"], ["Part.abc:5"], ["Part.abc:5"], ["Page.xyz:211"]]
        assert [
            (await points.add(spec)).resolved for spec in ("Page.xyz:210", "Part.abc:5", "shop.Page:5", generated)
        ] == [each.resolved for each in points.list()[:4]]
        await points.remove([2, 3, 6, 7])
        await points.add("shop.Page.call")
        await d.resume()
        assert place(await d.wait_stop("breakpoint")) == f"Page.java:{PAGE.line('in-call')}"
        assert await step(d, StepDepth.OUT) == "Page.xyz:211"
        await d.resume()
        stop = await d.wait_stop("breakpoint", breakpoint=4)
        d.session.strata.choose("Java")
        assert place(await d.session.stack.selected()) == generated
        d.session.strata.choose("")
        assert place(stop) == place(await d.session.stack.selected()) == "Page.xyz:211"  # the one before it, as in JDI
        assert await step(d) == "Page.xyz:213"
        await d.resume()
        await d.wait_exit()


async def test_the_first_next_after_step_up_passes_no_line(jvm: Jvm, tmp_path: Path) -> None:
    async with debug(jvm, with_source_map(PAGE, tmp_path, map_of_page())) as d:
        await d.session.breakpoints.add("shop.Page.call")
        await d.resume()
        await d.wait_stop("breakpoint")
        assert await step(d, StepDepth.OUT) == "Page.xyz:211"
        assert await step(d) == "Page.xyz:213"
        await d.resume()
        await d.wait_exit()


@pytest.mark.parametrize("chosen", ["", "XYZ"])
async def test_steps_stop_in_the_lines_of_an_included_file(jvm: Jvm, tmp_path: Path, chosen: str) -> None:
    """Where nothing says that they were inlined for a call, they are lines of the method like the others."""
    async with debug(jvm, with_source_map(PAGE, tmp_path, map_of_page())) as d:
        d.session.strata.choose(chosen)
        await d.session.breakpoints.add("Page.xyz:210")
        await d.resume()
        assert place(await d.wait_stop("breakpoint")) == "Page.xyz:210"
        ways = [await step(d) for _ in range(3)]
        assert ways == ["Part.abc:5", "Page.xyz:211", "Page.xyz:213"]
        await d.resume()
        await d.wait_exit()


async def test_the_stratum_can_be_chosen(jvm: Jvm, mapped: Program) -> None:
    async with debug(jvm, mapped) as d:
        strata = d.session.strata
        await d.session.breakpoints.add("Util.kt:3")
        await d.resume()
        await d.wait_stop("breakpoint")
        assert strata.choice.known == ("Kotlin", "KotlinDebug")
        assert strata.choose("Java").chosen == "Java"
        assert place(await d.session.stack.selected()) == f"Inlined.java:{PLAIN.line('inlined-next')}"
        strata.choose("KotlinDebug")
        assert place(await d.session.stack.selected()) == "Main.kt:10"
        strata.choose("JSP")  # which it does not have: so its default
        assert place(await d.session.stack.selected()) == "Util.kt:3"
        strata.choose("Java")
        assert await step(d) == f"Inlined.java:{PLAIN.line('same-number')}"
        assert await step(d) == f"Inlined.java:{PLAIN.line('plumbing')}"
        strata.choose("")
        found = await strata.of_class("Inlined")
        assert found.text == source_map()
        assert [(each.name, each.default, each.chosen) for each in found.strata] == [
            ("Kotlin", True, True),
            ("KotlinDebug", False, False),
        ]
        assert [file.path for file in found.strata[0].files] == ["app/Main.kt", "lib/Util.kt"]
        with pytest.raises(JdbpyError, match="has no SourceDebugExtension"):
            await strata.of_class("java.lang.String")
        await d.session.breakpoints.clear_all()
        await d.resume()
        await d.wait_exit()

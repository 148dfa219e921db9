"""Conditions that the target itself computes: hits are exact, and nothing else notices that its code is another."""

from __future__ import annotations

from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

import jdbpy
from jdbpy import StepDepth
from jdbpy.session.in_target.thread_runner import InThread
from tests.harness import Debugging, Jvm, Target, debug, inline, program, start_target
from tests.session.running import watching

PROGRAM = program("Heated")
SOURCE = Path(PROGRAM.sources, "Heated.java").read_text(encoding="utf-8")


async def value(d: Debugging, text: str) -> str:
    return (await d.session.values.evaluate(text)).text


async def to_the_prompt(d: Debugging) -> None:
    """Let the target run to where it reads commands, with all of its classes loaded."""
    await d.resume()
    await d.target.send("loop 10")
    await d.target.send("priced 0")
    await d.target.wait_output("done priced 0")


async def loop(d: Debugging, what: str) -> None:
    await d.target.send(what)


async def methods(d: Debugging) -> list[tuple[str, int | None, bool]]:
    trace = await d.session.stack.of()
    return [
        (f"{each.location.class_name}.{each.location.method}", each.location.line, each.obsolete)
        for each in trace.frames
    ]


async def runs_its_own_code(target: Target, attached: int) -> None:
    """Another debugger, after so many, finds that all classes run what their files say."""
    await target.wait_listening(attached + 1)
    async with jdbpy.attach_session(target.address) as session:
        found = await session.hotswap.redefine_all(target.program.classes)
        assert {"Heated", "Kettle"} <= set(found.unchanged), found
        assert not [each.name for each in await session.classes.list() if "Jdbpy__" in each.name]


@pytest.mark.every_java
async def test_a_loop_of_main_is_checked_in_the_target(jvm: Jvm) -> None:
    """The class is not loaded when the breakpoint is set: even the loop of ``main`` runs compiled code."""
    async with debug(jvm, PROGRAM) as d:
        d.session.instrumentation.mode = "eager"
        point = await d.session.breakpoints.add(d.at("own"), condition="i == 7 || i % 1_000_000 == 999_999")
        for expected in ("7", "999999", "1999999", "2999999"):
            await d.resume()
            stop = await d.wait_stop("breakpoint", at="own", thread="main", frames=["Heated.main"], breakpoint=1)
            assert await value(d, "i") == expected
            assert stop.frame is not None
            assert not stop.frame.obsolete
        shown = d.session.breakpoints.get(point.number)
        assert (shown.in_target, shown.ordinary, shown.hits) == (True, "", 4)
        assert d.session.instrumentation.woven() == [jdbpy.instrumentation.WovenClass("Heated", (1,), ("main",))]
        assert await d.session.execution.step(StepDepth.OVER) is not None
        d.ignored.add("stop")
        await d.session.breakpoints.remove([point.number])
        await d.resume()
        await d.target.wait_output("started 4499998500000")
        await d.session.detach()
        d.unseen()
        await d.target.send("loop 5")
        await d.target.wait_output("done loop 5 15")
        await runs_its_own_code(d.target, 1)


@pytest.mark.every_java
async def test_a_breakpoint_that_is_passed_often_goes_into_the_target(jvm: Jvm) -> None:
    """Two in one class; private members; steps over lines with checks; stacks; leaving gives the class its code."""
    async with debug(jvm, PROGRAM) as d:
        await to_the_prompt(d)
        d.session.instrumentation.mode = "eager"
        await d.session.breakpoints.add(d.at("passed", "Kettle"), condition="i == 1_500_000")
        behind = "i == 1_500_000 && text.length() == 4 && table[2] == 3"
        await d.session.breakpoints.add(d.at("returned", "Kettle"), condition=behind)
        await d.session.breakpoints.add(d.at("priced", "Kettle"))  # an ordinary one
        await loop(d, "loop 2000000")
        frames = ["Kettle.passed", "Heated.loop", "Heated.main"]
        await d.wait_stop("breakpoint", at="passed", thread="main", frames=frames, breakpoint=1)
        assert [each.in_target for each in d.session.breakpoints.list()] == [True, True, False]
        assert (await value(d, "i"), await value(d, "j")) == ("1500000", "1500001")
        await d.check_stop(await d.session.execution.step(StepDepth.OVER), "step", at="behind")
        await d.check_stop(await d.session.execution.step(StepDepth.OVER), "breakpoint", at="returned", breakpoint=2)
        assert not any(obsolete for *_, obsolete in await methods(d))
        own, woven = [await d.session.code.disassemble("Kettle.passed", woven=each) for each in (False, True)]
        assert any("Jdbpy__" in each.meaning for each in woven[0].instructions)
        assert not any("Jdbpy__" in each.meaning for each in own[0].instructions)
        assert (own[0].size, len(own[0].instructions)) == (29, 19)
        [current] = [each for each in own[0].instructions if each.current]
        assert (current.name, current.line) == ("iload_3", d.program.line("returned"))
        await d.session.breakpoints.remove([1, 2])
        await d.resume()
        await d.target.wait_output("done loop 2000000 2000001000000")
        await loop(d, "priced 1")
        await d.wait_stop("breakpoint", at="priced", breakpoint=3)
        await d.session.breakpoints.clear_all()
        await d.resume()
        dear = 'price == 100_000 && name.equals("one") && isDear(5)'
        point = await d.session.breakpoints.add(d.at("priced", "Kettle"), condition=dear)
        await loop(d, "priced 300000")
        await d.wait_stop("breakpoint", at="priced", frames=["Kettle.priced", "Heated.priced"])
        assert d.session.breakpoints.get(point.number).in_target
        await d.session.detach()
        d.unseen()
        await d.target.wait_output("done priced 300000 44999850000")
        await d.target.send("loop 5")
        await d.target.wait_output("done loop 5 15")
        await runs_its_own_code(d.target, 1)


@pytest.mark.one_java
async def test_a_breakpoint_asks_for_it_by_an_option(jvm: Jvm) -> None:
    """The setting is off: one says so when it is set, in a class that is loaded later; another is asked for later."""
    async with debug(jvm, PROGRAM) as d:
        await d.session.breakpoints.add(d.at("own"), condition="i == 7 || i == 2_000_000", woven=True)
        for expected in ("7", "2000000"):
            await d.resume()
            await d.wait_stop("breakpoint", at="own", breakpoint=1)
            assert await value(d, "i") == expected
        own = d.session.breakpoints.get(1)
        assert (own.in_target, own.ordinary, own.hits, own.given.woven, own.options) == (
            True, "", 2, True, (("in-target", ""),),
        )  # fmt: skip
        await to_the_prompt(d)
        log = await d.session.breakpoints.add(d.at("priced", "Kettle"), log="x", woven=True)
        passed = await d.session.breakpoints.add(d.at("passed", "Kettle"), condition="i == 1_500_000")
        assert (passed.given.woven, passed.options) == (False, ())
        d.session.instrumentation.ask(passed.number)
        await loop(d, "loop 2000000")
        await d.wait_stop("breakpoint", at="passed", breakpoint=passed.number)
        shown = {each.number: each for each in d.session.breakpoints.list()}
        assert (shown[passed.number].in_target, shown[passed.number].options) == (True, (("in-target", ""),))
        assert not shown[log.number].in_target, "no thread has come there"
        await d.session.instrumentation.remove([passed.number])
        assert not d.session.breakpoints.get(passed.number).given.woven
        with pytest.raises(jdbpy.UsageError, match="cannot be given 'in-target': that is for breakpoints"):
            await d.session.catchpoints.exception("*", options=jdbpy.PointOptions(woven=True))
        await d.session.breakpoints.remove([1, passed.number])
        await d.resume()
        await d.target.wait_output("done loop 2000000 2000001000000")
        await d.target.send("priced 3")
        await d.target.wait_output("done priced 3")
        await d.session.breakpoints.remove([log.number])
        d.unseen()


@pytest.mark.every_java
async def test_a_condition_that_throws_stops_and_says_why(jvm: Jvm) -> None:
    async with debug(jvm, PROGRAM) as d:
        await to_the_prompt(d)
        d.session.instrumentation.mode = "eager"
        await d.session.breakpoints.add(d.at("passed", "Kettle"), condition="100 / (i - 5000) == 100 || i == 9_000")
        await d.session.catchpoints.exception("java.lang.ArithmeticException")  # a check throws none of the program's
        await loop(d, "loop 10000")
        stop = await d.wait_stop("breakpoint", at="passed", frames=["Kettle.passed", "Heated.loop"])
        assert "the condition of breakpoint 1 failed" in stop.message
        assert "/ by zero" in stop.message
        await d.resume()
        await d.wait_stop("breakpoint", at="passed")
        assert await value(d, "i") == "5001"
        assert d.session.breakpoints.get(1).in_target
        await d.session.breakpoints.set_hit_count(1, "== 1")
        await d.resume()
        await d.wait_stop("breakpoint", at="passed")
        assert await value(d, "i") == "9000"


@pytest.mark.every_java
async def test_what_a_killed_debugger_leaves_is_found_and_taken_out(jvm: Jvm) -> None:
    async with start_target(jvm, PROGRAM, suspend=False) as target:
        await target.send("loop 10")
        await target.wait_output("done loop 10")
        with suppress(jdbpy.LeaveError):
            async with jdbpy.attach_session(target.address) as session:
                session.instrumentation.mode = "eager"
                await session.breakpoints.add(PROGRAM.at("passed", "Kettle"), condition="i == 1_000")
                await target.send("loop 2000")
                stop = await session.next_stop()
                assert isinstance(stop, jdbpy.Stopped)
                assert session.breakpoints.get(1).in_target
                await session._target.conn.drop()
        await target.wait_output("done loop 2000")
        await target.send("loop 5000")
        await target.wait_output("done loop 5000")
        await target.wait_listening(2)
        async with jdbpy.attach_session(target.address) as session:
            with session.events() as events:
                notice = await anext(events)
            assert isinstance(notice, jdbpy.Notice)
            assert notice.kind == "left-over"
            assert notice.text == "took out what an earlier debugger has left in the code of Kettle"
        await runs_its_own_code(target, 2)


@pytest.mark.every_java
async def test_hot_swap_of_a_woven_class(jvm: Jvm) -> None:
    """What the user gives is the class's own code from then on, and is checked again."""
    changed = inline(SOURCE.replace("int j = i + 1;", "int j = i + 2;")).on(jvm)
    async with debug(jvm, PROGRAM) as d:
        await to_the_prompt(d)
        d.session.instrumentation.mode = "eager"
        await d.session.breakpoints.add(d.at("passed", "Kettle"), condition="i == 1_000")
        await loop(d, "loop 2000")
        await d.wait_stop("breakpoint", at="passed")
        assert (await d.session.hotswap.redefine_all(d.program.classes)).classes == ()
        await d.resume()
        await d.target.wait_output("done loop 2000 2001000")
        done = await d.session.hotswap.redefine_all(changed.classes)
        assert [each.name for each in done.classes] == ["Kettle"]
        assert not d.session.breakpoints.get(1).in_target
        await loop(d, "loop 5000")
        await d.wait_stop("breakpoint", at="passed")
        assert await value(d, "j") == "1002"
        await d.resume()
        await d.target.wait_output("done loop 5000 12507500")
        assert d.session.breakpoints.get(1).in_target
        assert await d.session.instrumentation.remove() == ["Kettle"]
        assert d.session.breakpoints.get(1).ordinary == "it was taken out of the target"
        await loop(d, "loop 1500")
        await d.wait_stop("breakpoint", at="passed")


@pytest.mark.every_java
async def test_threads_that_come_to_a_check_at_once_stop_once_each(jvm: Jvm) -> None:
    """Each is stepped out of the check, while the hits of the others are on their way."""
    async with debug(jvm, "Racers", "4", "150") as d:
        d.session.instrumentation.mode = "eager"
        await d.session.breakpoints.add(d.at("lap"), condition="lap == 100 && half < 50")
        await d.resume()
        stopped = []
        for _ in range(4):
            stop = await d.wait_stop("breakpoint", at="lap", breakpoint=1)
            assert stop.thread is not None
            stopped.append((stop.thread.name, await value(d, "lap")))
            await d.resume()
        assert sorted(stopped) == [(f"racer-{number}", "100") for number in range(4)]
        await d.wait_exit()
        assert d.session.breakpoints.get(1).in_target


async def test_what_a_check_runs_stops_nowhere_and_reports_come_before_stops(any_jvm: Jvm) -> None:
    """A breakpoint in a method that a condition calls is passed there, as where the debugger runs it."""
    source = """
        class T {
            public static void main(String[] args) {
                Stand stand = new Stand();
                for (int i = 0; i < 400; i++) stand.sell(i);
                stand.isDear(5);
            }
        }
        class Stand {
            int sold;
            void sell(int i) {
                sold += i; // @sell
                sold -= 1; // @log
            }
            boolean dear(int i) { return isDear(i); }
            boolean isDear(int i) {
                return i == 351; // @inside
            }
        }"""
    async with debug(any_jvm, inline(source)) as d:
        d.session.instrumentation.mode = "eager"
        d.ignored.add("logpoint")
        await d.session.breakpoints.add(d.at("sell", "Stand"), condition="dear(i) && i > 10")
        await d.session.breakpoints.add(d.at("log", "Stand"), log="{i}", reporting=jdbpy.Reporting(limit=None))
        await d.session.breakpoints.add(d.at("inside", "Stand"))
        with d.session.events() as events:
            for marker, number, reported in (("sell", 1, range(351)), ("inside", 3, range(351, 400))):
                await d.resume()
                await d.wait_stop("breakpoint", at=marker, breakpoint=number)
                found = []
                while (event := events.take_nowait()) is not None:
                    if isinstance(event, jdbpy.Notice) and event.kind == "logpoint":
                        found.append(int(event.text))
                assert found == list(reported)
        assert [each.in_target for each in d.session.breakpoints.list()] == [True, True, False]
        await d.session.breakpoints.clear_all()
        await d.resume()
        await d.wait_exit()


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        ("$mine == 3", "the condition uses $mine, a variable of the debugger"),
        ("i == -1", "loop is in a loop of the same class"),
    ],
)
async def test_why_a_breakpoint_stays_ordinary(any_jvm: Jvm, condition: str, why: str) -> None:
    source = (
        "class T { public static void main(String[] a) { loop(); System.out.println(n); }\n"
        "static void loop() { for (int i = 0; i < 1000; i++) at(i); }\n"
        "static int n; static void at(int i) {\n n += i; // @at\n }\n}"
    )
    async with debug(any_jvm, inline(source)) as d:
        await d.run_to("at")
        d.session.instrumentation.mode = "eager"
        await d.session.values.save("mine", "4")
        point = await d.session.breakpoints.add(d.at("at"), condition=condition)
        await d.resume()
        await d.wait_exit()
        shown = d.session.breakpoints.get(point.number)
        assert (shown.in_target, shown.ordinary) == (False, why)


@pytest.mark.parametrize(
    ("inside", "behind", "why"), [("", "at(i);", ""), ("at(i);", "", "serve is in a loop of the same class")]
)
@pytest.mark.one_java
async def test_a_frame_behind_a_try_block_is_in_no_loop(jvm: Jvm, inside: str, behind: str, why: str) -> None:
    """Where an exception is caught is known from the class file. Here the handler leads to the block again."""
    source = f"""
        public class T {{
            public static void main(String[] args) {{
                for (int i = 0; i < 1000; i++) Server.serve(i);
                System.out.println(Server.n);
            }}
        }}
        class Server {{
            static int n;
            static void serve(int i) {{
                while (true) {{
                    try {{
                        {inside}
                        n += Integer.parseInt(i % 2 == 0 ? "2" : "none");
                    }} catch (NumberFormatException e) {{
                        i++;
                        continue;
                    }}
                    {behind}
                    return;
                }}
            }}
            static void at(int i) {{
                n++; // @at
            }}
        }}"""
    async with debug(jvm, inline(source)) as d:
        await d.run_to("at", "Server")
        d.session.instrumentation.mode = "eager"
        point = await d.session.breakpoints.add(d.at("at", "Server"), condition="i == 998")
        await d.resume()
        await d.wait_stop("breakpoint", at="at")
        shown = d.session.breakpoints.get(point.number)
        assert (shown.in_target, shown.ordinary) == (not why, why)
        await d.session.breakpoints.clear_all()
        await d.resume()
        await d.wait_exit()
        assert d.target.stdout == ("3500\n" if inside else "3000\n")


@pytest.mark.parametrize("what", ["breakpoint", "calls"])
@pytest.mark.one_java
async def test_a_debugger_that_dies_in_the_midst_changes_nothing(
    jvm: Jvm, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """Cut off after each step of an installation and of a removal: the program counts as it did, and the next debugger
    finds its own code, or puts it back."""
    steps = ("define_helper", "_keep", "redefine", "_stand_again", "take_out_stale")
    async with start_target(jvm, PROGRAM, suspend=False) as target:
        await target.send("loop 10")
        await target.wait_output("done loop 10 55")
        attached = 0
        for turn, step in enumerate(steps, 1):
            attached += 1
            await target.wait_listening(attached)
            with monkeypatch.context() as patched, suppress(jdbpy.LeaveError, jdbpy.Disconnected):
                async with jdbpy.attach_session(target.address) as session, AsyncExitStack() as observing:
                    instrumentation = session.instrumentation
                    instrumentation.mode = "eager"
                    if what == "breakpoint":
                        await session.breakpoints.add(PROGRAM.at("passed", "Kettle"), condition="i == 999_999")
                    else:
                        calls = session.observer.calls("Kettle.passed", when="$args[0] == 999_999 && $ret > 3")
                        await observing.enter_async_context(calls)
                    owners: dict[str, Any] = {"define_helper": InThread, "_keep": instrumentation.installer}
                    owner = owners.get(step, instrumentation.changes)
                    name = "redefine" if step == "take_out_stale" else step
                    done = getattr(owner, name)
                    cuts: list[bool] = []

                    async def cut(
                        *args: Any, done: Any = done, target: Any = session._target, cuts: list[bool] = cuts
                    ) -> Any:
                        await done(*args)
                        cuts.append(True)
                        await target.conn.drop()
                        raise jdbpy.Disconnected("cut off")

                    if step != "take_out_stale":
                        patched.setattr(owner, name, cut)
                        await target.send(f"loop {2000 + turn}")
                        await session.wait_ended()
                    else:
                        while not instrumentation.woven():
                            await target.send("loop 1000")
                            await target.wait_output("done loop 1000")
                        await target.send(f"loop {2000 + turn}")
                        await target.wait_output(f"done loop {2000 + turn}")
                        patched.setattr(owner, name, cut)
                        if what == "breakpoint":
                            await session.breakpoints.remove([1])
                        else:
                            await observing.aclose()
            assert cuts == [True], step
            total = (2000 + turn) * (2001 + turn) // 2
            await target.wait_output(f"done loop {2000 + turn} {total}")
            await runs_its_own_code(target, attached)
            attached += 1


async def test_hot_swap_while_calls_are_observed(jvm: Jvm) -> None:
    """The new code is observed in the target again, each call of it exactly; taken out, that code is what runs."""
    changed = inline(SOURCE.replace("int j = i + 1;", "int j = i + 2;"))
    found: list[jdbpy.Report] = []
    async with debug(jvm, PROGRAM) as d:
        await to_the_prompt(d)
        d.session.instrumentation.mode = "eager"
        watch = d.session.observer
        async with (
            watch.statistics("Kettle.passed") as times,
            watch.calls("Kettle.passed", when="$args[0] == 1_500", on_call=found.append) as calls,
        ):
            for expected in ("1501", "1502"):
                while not (times.in_target and calls.in_target):
                    await run_loop(d, 300)
                await times.refresh()
                await calls.refresh()
                times.take()
                found.clear()
                await run_loop(d, 2000)
                await times.refresh()
                await calls.refresh()
                assert [each.count for each in times.take().methods] == [2000]
                assert [each.return_value.text for each in found if each.return_value] == [expected]
                if expected == "1501":
                    done = await d.session.hotswap.redefine_all(changed.classes)
                    assert [each.name for each in done.classes] == ["Kettle"]
                    assert times.why_ordinary == calls.why_ordinary == "its class was replaced"
        assert d.session.instrumentation.woven() == []
        assert await run_loop(d, 10) == 65
        await d.session.detach()
        d.unseen()


async def run_loop(d: Debugging, to: int) -> int:
    """Let the program call ``Kettle.passed`` so often; return the sum that it prints."""
    done = len(await d.target.wait_lines("done ", 0))
    await d.target.send(f"loop {to}")
    return int((await d.target.wait_lines("done ", done + 1))[-1].split()[-1])


async def test_code_that_is_not_that_of_the_class_file_is_left_alone(any_jvm: Jvm) -> None:
    """Another agent has changed the class when it was loaded, or an earlier debugger by a hot swap."""
    changed = inline(SOURCE.replace("int j = i + 1;", "int j = i + 2;"))
    async with start_target(any_jvm, PROGRAM, suspend=False) as target:
        await target.send("loop 10")
        await target.wait_output("done loop 10 55")
        async with jdbpy.attach_session(target.address) as session:
            await session.hotswap.redefine_all(changed.classes)
        await target.wait_listening(2)
        async with jdbpy.attach_session(target.address, options=jdbpy.Options(in_target="eager")) as session:
            await session.breakpoints.add(PROGRAM.at("passed", "Kettle"), condition="i == 999_999")
            await target.send("loop 1000")
            await target.wait_output("done loop 1000 501500")
            shown = session.breakpoints.get(1)
            assert (shown.in_target, shown.ordinary) == (False, "the code that runs differs from the class file")
            assert session.instrumentation.woven() == []


@pytest.mark.parametrize(
    ("when", "why", "offset"),
    [
        ("load", "the code that runs differs from the class file", (2, 2)),
        ("redefinition", "an agent of the program changes its code when it is redefined", (1, 2)),
    ],
)
async def test_the_program_s_own_agents_are_left_alone(
    jvm: Jvm, tmp_path: Path, when: str, why: str, offset: tuple[int, int]
) -> None:
    """An agent that transforms the class keeps its change; breakpoints and calls stay ordinary, stop, and say why."""
    agent = tmp_path / "patching.jar"
    with ZipFile(agent, "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nPremain-Class: Patching\n")
        jar.write(Path(program("Patching").classes, "Patching.class"), "Patching.class")
    async with start_target(jvm, PROGRAM, suspend=False, jvm_options=[f"-javaagent:{agent}={when}"]) as target:

        async def added(to: int) -> int:
            """What the program adds at each pass."""
            await target.send(f"loop {to}")
            total = (await target.wait_output(f"done loop {to} ")).split()[-1]
            return int(total) // to - (to - 1) // 2

        assert await added(11) == offset[0]
        async with jdbpy.attach_session(target.address, options=jdbpy.Options(in_target="eager")) as session:
            point = await session.breakpoints.add(PROGRAM.at("passed", "Kettle"), condition="i == 999_999")
            other = await session.breakpoints.add(PROGRAM.at("returned", "Kettle"), condition="i == 990")
            async with session.observer.calls("Kettle.passed", limit=0) as calls:
                await target.send("loop 991")
                stop = await session.next_stop()
                assert isinstance(stop, jdbpy.Stopped) and stop.frame is not None and not stop.frame.obsolete
                assert (await session.values.evaluate("i + j")).text == str(2 * 990 + offset[1])
                await session.breakpoints.remove([other.number])
                await session.execution.resume()
                assert await added(2001) == offset[1]
                assert calls.why_ordinary == why and not calls.in_target
            shown = session.breakpoints.get(point.number)
            assert (shown.in_target, shown.ordinary) == (False, why)
            assert session.instrumentation.woven() == []
        assert await added(21) == offset[1]


async def test_what_is_remote_is_changed_only_when_asked_and_nothing_in_a_read_only_session(any_jvm: Jvm) -> None:
    """The setting is ``auto`` in both; a list of classes names none of the debugger's own."""
    async with start_target(any_jvm, PROGRAM, suspend=False) as target:

        async def loop_once(to: int) -> None:
            await target.send(f"loop {to}")
            await target.wait_output(f"done loop {to} ")

        await loop_once(10)
        async with jdbpy.attach_session(target.address, options=jdbpy.Options(in_target="eager")) as session:
            session._target.tunnel = "ssh"
            await session.breakpoints.add(PROGRAM.at("passed", "Kettle"), condition="i == 999_999")
            async with session.observer.statistics("Kettle.passed") as times:
                await loop_once(400)
                assert not times.in_target
            assert not session.breakpoints.get(1).in_target and not session.instrumentation.woven()
            session.instrumentation.ask(1)
            await loop_once(401)
            assert session.breakpoints.get(1).in_target
            names = [each.name for each in await session.classes.list()]
            assert "Kettle" in names and not [each for each in names if "Jdbpy__" in each]
        await target.wait_listening(2)
        options = jdbpy.Options(in_target="eager", read_only=True)
        async with jdbpy.attach_session(target.address, options=options) as session:
            async with session.observer.statistics("Kettle.passed") as times:
                await loop_once(402)
                assert not times.in_target and not session.instrumentation.woven()
            with pytest.raises(jdbpy.ReadOnlyError):
                await session.observer.statistics("Kettle.passed", in_target=True).__aenter__()
        await runs_its_own_code(target, 2)


OVERLOADED = """
public class Overloaded {
    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        while (System.in.read() >= 0) System.out.println("sum " + new Sum().add(1, 2, 3)); // @call
    }
}

class Sum {
    long sum;

    int add(int a) {
        sum += a; // @one
        return a;
    }

    int add(int a, int b) {
        return add(a) + b;
    }

    int add(int a, int b, int c) {
        return add(a, b) + c;
    }
}"""


@pytest.mark.parametrize("by_line", [False, True])
@pytest.mark.one_java
async def test_the_places_of_a_breakpoint_keep_their_names_while_their_code_is_changed(jvm: Jvm, by_line: bool) -> None:
    """At no moment is a place without its method and line, and each is the one that it was."""

    def places() -> tuple[object, ...]:
        resolved = d.session.breakpoints.get(point.number).resolved
        return tuple((each.class_name, each.method, each.signature, each.source, each.line) for each in resolved)

    async with debug(jvm, inline(OVERLOADED)) as d:
        await d.resume()
        await d.target.send("")
        await d.target.wait_output("sum 6")
        spec = d.at("one", "Sum") if by_line else "Sum.add"
        point = await d.session.breakpoints.add(spec, condition="sum < 0", woven=True)
        named, seen = places(), set[object]()
        assert len(named) == (1 if by_line else 3)
        with watching(lambda _: seen.update(places())):
            while not d.session.breakpoints.get(point.number).in_target:
                await d.target.send("")
                await d.session.threads.list()
            assert places() == named
            await d.session.instrumentation.remove()
            assert places() == named
        assert seen == set(named)

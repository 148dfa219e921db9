"""Conditions that the target itself computes: hits are exact, and nothing else notices that its code is another."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import jdbpy
from jdbpy import StepDepth
from tests.harness import Debugging, Jvm, Target, debug, inline, program, start_target

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
        found = await session.hotswap.redefine_all(PROGRAM.classes)
        assert {"Heated", "Kettle"} <= set(found.unchanged), found
        assert not [each.name for each in await session.classes.list() if "Jdbpy__" in each.name]


async def test_a_loop_of_main_is_checked_in_the_target(jvm: Jvm) -> None:
    """The class is not loaded when the breakpoint is set: even the loop of ``main`` runs compiled code."""
    async with debug(jvm, PROGRAM) as d:
        d.session.instrumentation.mode = "auto"
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


async def test_a_breakpoint_that_is_passed_often_goes_into_the_target(jvm: Jvm) -> None:
    """Two in one class; private members; steps over lines with checks; stacks; leaving gives the class its code."""
    async with debug(jvm, PROGRAM) as d:
        await to_the_prompt(d)
        d.session.instrumentation.mode = "auto"
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


async def test_a_condition_that_throws_stops_and_says_why(jvm: Jvm) -> None:
    async with debug(jvm, PROGRAM) as d:
        await to_the_prompt(d)
        d.session.instrumentation.mode = "auto"
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


async def test_what_a_killed_debugger_leaves_is_found_and_taken_out(jvm: Jvm) -> None:
    async with start_target(jvm, PROGRAM, suspend=False) as target:
        await target.send("loop 10")
        await target.wait_output("done loop 10")
        with suppress(jdbpy.LeaveError):
            async with jdbpy.attach_session(target.address) as session:
                session.instrumentation.mode = "auto"
                await session.breakpoints.add(PROGRAM.at("passed", "Kettle"), condition="i == 1_000")
                await target.send("loop 2000")
                stop = await session.next_stop()
                assert isinstance(stop, jdbpy.Stop)
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


async def test_hot_swap_of_a_woven_class(jvm: Jvm) -> None:
    """What the user gives is the class's own code from then on, and is checked again."""
    changed = inline(SOURCE.replace("int j = i + 1;", "int j = i + 2;"))
    async with debug(jvm, PROGRAM) as d:
        await to_the_prompt(d)
        d.session.instrumentation.mode = "auto"
        await d.session.breakpoints.add(d.at("passed", "Kettle"), condition="i == 1_000")
        await loop(d, "loop 2000")
        await d.wait_stop("breakpoint", at="passed")
        assert (await d.session.hotswap.redefine_all(PROGRAM.classes)).classes == ()
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
        d.session.instrumentation.mode = "auto"
        await d.session.values.save("mine", "4")
        point = await d.session.breakpoints.add(d.at("at"), condition=condition)
        await d.resume()
        await d.wait_exit()
        shown = d.session.breakpoints.get(point.number)
        assert (shown.in_target, shown.ordinary) == (False, why)


async def test_a_debugger_that_dies_in_the_midst_changes_nothing(jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut off after each step of an installation and of a removal: the program counts as it did, and the next debugger
    finds its own code, or puts it back."""
    steps = ("_define", "_keep", "redefine", "_stand_again")
    async with start_target(jvm, PROGRAM, suspend=False) as target:
        await target.send("loop 10")
        await target.wait_output("done loop 10 55")
        attached = 0
        for turn, step in enumerate((*steps, "settle"), 1):
            attached += 1
            await target.wait_listening(attached)
            with monkeypatch.context() as patched, suppress(jdbpy.LeaveError, jdbpy.Disconnected):
                async with jdbpy.attach_session(target.address) as session:
                    instrumentation = session.instrumentation
                    instrumentation.mode = "auto"
                    await session.breakpoints.add(PROGRAM.at("passed", "Kettle"), condition="i == 999_999")
                    owner: Any = instrumentation.installer if turn < 3 else instrumentation.changes
                    name = "redefine" if step == "settle" else step
                    done = getattr(owner, name)

                    async def cut(*args: Any, done: Any = done, target: Any = session._target) -> Any:
                        await done(*args)
                        await target.conn.drop()
                        raise jdbpy.Disconnected("cut off")

                    if step != "settle":
                        patched.setattr(owner, name, cut)
                    await target.send(f"loop {2000 + turn}")
                    if step != "settle":
                        await session.wait_ended()
                    else:
                        await target.wait_output(f"done loop {2000 + turn}")
                        patched.setattr(owner, name, cut)
                        await session.breakpoints.remove([1])
            total = (2000 + turn) * (2001 + turn) // 2
            await target.wait_output(f"done loop {2000 + turn} {total}")
            await runs_its_own_code(target, attached)
            attached += 1


async def test_code_that_is_not_that_of_the_class_file_is_left_alone(any_jvm: Jvm) -> None:
    """Another agent has changed the class when it was loaded, or an earlier debugger by a hot swap."""
    changed = inline(SOURCE.replace("int j = i + 1;", "int j = i + 2;"))
    async with start_target(any_jvm, PROGRAM, suspend=False) as target:
        await target.send("loop 10")
        await target.wait_output("done loop 10 55")
        async with jdbpy.attach_session(target.address) as session:
            await session.hotswap.redefine_all(changed.classes)
        await target.wait_listening(2)
        async with jdbpy.attach_session(target.address, options=jdbpy.Options(in_target="auto")) as session:
            await session.breakpoints.add(PROGRAM.at("passed", "Kettle"), condition="i == 999_999")
            await target.send("loop 1000")
            await target.wait_output("done loop 1000 501500")
            shown = session.breakpoints.get(1)
            assert (shown.in_target, shown.ordinary) == (False, "the code that runs differs from the class file")
            assert session.instrumentation.woven() == []

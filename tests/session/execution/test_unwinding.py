"""Forced returns and popped frames on real JVMs: every type, what the program does then, and what is refused."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from jdbpy.errors import EvalError, JdbpyError, StateError, UsageError
from jdbpy.session.model.events import Exited, StopReason
from jdbpy.session.model.options import StepDepth
from tests.harness import Debugging, Jvm, debug

pytestmark = pytest.mark.one_java

FORCED = {
    "flag": ("boolean", "true", "flag true"),
    "small": ("byte", "(byte) 200", "small -56"),
    "letter": ("char", "'é'", "letter é"),
    "brief": ("short", "(short) 12345", "brief 12345"),
    "number": ("int", "40 + 2", "number 42"),
    "big": ("long", "1L << 40", "big 1099511627776"),
    "single": ("float", "0.5f", "single 0.5"),
    "twice": ("double", "1.5", "twice 1.5"),
    "text": ("java.lang.String", '"new \\u00e9"', "text new é"),
    "array": ("int[]", "new int[3]", "array 3"),
    "thing": ("java.lang.Object", "Integer.valueOf(7)", "thing 7"),
}
"""Method -> its return type, an expression, and the line that the program then prints."""


@asynccontextmanager
async def stopped_at(jvm: Jvm, marker: str) -> AsyncIterator[Debugging]:
    """Returns, stopped once at a marker, with no breakpoint left."""
    async with debug(jvm, "Returns", jvm_options=["-Dstdout.encoding=UTF-8", "-Dfile.encoding=UTF-8"]) as d:
        await d.session.breakpoints.add(d.at(marker), temporary=True)
        await d.check_stop(await d.session.execution.cont(), StopReason.BREAKPOINT, at=marker)
        yield d


async def to_the_end(d: Debugging) -> str:
    """Lets the target run to its end; gives what it printed."""
    assert isinstance(await d.session.execution.cont(), Exited)
    await d.wait_exit()
    return d.target.stdout


@pytest.mark.every_java
async def test_a_value_of_every_type(jvm: Jvm) -> None:
    async with debug(jvm, "Returns", jvm_options=["-Dstdout.encoding=UTF-8", "-Dfile.encoding=UTF-8"]) as d:
        for marker, (java_type, expression, _) in FORCED.items():
            await d.session.breakpoints.add(d.at(marker), temporary=True)
            await d.check_stop(await d.session.execution.cont(), StopReason.BREAKPOINT, at=marker)
            assert await d.session.execution.force_return(expression) == java_type
        out = await to_the_end(d)
        assert out.splitlines()[: len(FORCED)] == [line for _, _, line in FORCED.values()]


async def test_nothing_is_returned_from_void(jvm: Jvm) -> None:
    async with stopped_at(jvm, "nothing") as d:
        with pytest.raises(UsageError, match="returns nothing"):
            await d.session.execution.force_return("1")
        assert await d.session.execution.force_return() == "void"
        assert "calls 0\n" in await to_the_end(d)


async def test_the_return_takes_effect_when_the_thread_goes_on(jvm: Jvm) -> None:
    async with stopped_at(jvm, "inner") as d:
        await d.session.execution.force_return("1")
        with pytest.raises(StateError, match="already"):
            await d.session.execution.force_return("2")
        await d.check_stop(await d.session.execution.step(StepDepth.OVER), StopReason.STEP, at="guarded")
        assert "guarded 5 calls 102" in await to_the_end(d)


async def test_finally_does_not_run(jvm: Jvm) -> None:
    async with stopped_at(jvm, "guarded") as d:
        await d.session.execution.force_return("9")
        assert "guarded 9 calls 1\n" in await to_the_end(d)


@pytest.mark.parametrize(
    ("marker", "expression", "error"),
    [
        ("number", None, UsageError),
        ("number", '"text"', EvalError),
        ("number", "1L", EvalError),
        ("text", "5", EvalError),
        ("array", "new long[1]", EvalError),
    ],
)
async def test_a_value_that_does_not_fit(
    any_jvm: Jvm, marker: str, expression: str | None, error: type[JdbpyError]
) -> None:
    async with stopped_at(any_jvm, marker) as d:
        with pytest.raises(error):
            await d.session.execution.force_return(expression)
        assert FORCED[marker][2] not in await to_the_end(d)


async def test_only_the_innermost_frame_returns(any_jvm: Jvm) -> None:
    async with stopped_at(any_jvm, "inner") as d:
        await d.session.up()
        with pytest.raises(StateError, match="innermost") as caught:
            await d.session.execution.force_return("1")
        assert "frame 1" in caught.value.hint


@pytest.mark.two_javas
async def test_a_native_frame_neither_returns_nor_is_popped(jvm: Jvm) -> None:
    async with debug(jvm, "Ticker") as d:
        await d.resume()
        await d.target.wait_output("ready")
        main = await d.session.threads.find("main")
        await d.session.execution.pause()
        await d.session.select_thread(main.id)
        for refused in (d.session.execution.force_return("0"), d.session.execution.pop()):
            with pytest.raises(StateError) as caught:
                await refused
            assert caught.value.code == "OPAQUE_FRAME"
        d.ignored.add("stop")
        assert d.unseen()  # the pause


@pytest.mark.every_java
async def test_pop_stands_before_the_call_again(jvm: Jvm) -> None:
    async with stopped_at(jvm, "inner") as d:
        await d.session.values.assign("n", "5")
        await d.session.execution.pop()
        trace = await d.session.stack.of()
        assert [frame.location.method for frame in trace.frames] == ["guarded", "main"]
        assert "guarded 54 calls 103" in await to_the_end(d)  # inner ran twice, with the argument as it was last


async def test_two_frames_at_once(jvm: Jvm) -> None:
    async with stopped_at(jvm, "inner") as d:
        await d.session.execution.pop(2)
        assert (await d.session.stack.selected()).location.line == d.program.line("call-guarded")
        with pytest.raises(StateError, match="outermost"):
            await d.session.execution.pop()
        await to_the_end(d)


@pytest.mark.every_java
async def test_reenter_starts_the_method_anew(jvm: Jvm) -> None:
    async with stopped_at(jvm, "inner") as d:
        stop = await d.check_stop(await d.session.execution.reenter(), StopReason.STEP)
        assert stop.location and stop.location.method == "inner"
        assert stop.location.line == d.program.line("inner") - 1
        await to_the_end(d)


async def test_frames_are_void_after_a_pop(any_jvm: Jvm) -> None:
    async with stopped_at(any_jvm, "inner") as d:
        frame = await d.session.stack.selected()
        await d.session.execution.pop()
        with pytest.raises(StateError, match="earlier stop"):
            await d.session.stack.variables(frame)
        await to_the_end(d)


async def test_nothing_is_unwound_in_a_read_only_session(any_jvm: Jvm) -> None:
    from jdbpy import Options

    async with debug(any_jvm, "Returns", options=Options(read_only=True, allow_suspend=True)) as d:
        await d.session.breakpoints.add(d.at("number"))
        await d.check_stop(await d.session.execution.cont(), StopReason.BREAKPOINT, at="number")
        for refused in (d.session.execution.force_return("1"), d.session.execution.pop()):
            with pytest.raises(StateError, match="read-only"):
                await refused


async def test_no_method_takes_the_value_of_a_forced_return(jvm: Jvm) -> None:
    """The JVM would return it from whatever runs in the thread next: the debugger's own runs it."""
    async with stopped_at(jvm, "number") as d:
        session, execution = d.session, d.session.execution
        await execution.force_return("42")
        assert (await session.values.evaluate("Integer.parseInt(String.valueOf(7))")).text == "7"
        assert (await session.values.evaluate("Thread.currentThread().getName()")).text == '"jdbpy"'
        session.instrumentation.mode = "off"
        with pytest.raises(StateError, match="no method can be run while a forced return waits") as refused:
            await session.values.evaluate("Integer.parseInt(String.valueOf(7))")
        assert refused.value.code == "NOT_AT_EVENT"
        assert (await session.values.evaluate("1 + 1")).text == "2"
        await d.check_stop(await execution.step(StepDepth.OVER), StopReason.STEP)
        assert (await session.values.evaluate("Integer.parseInt(String.valueOf(7))")).text == "7"
        assert "number 42" in await to_the_end(d)


async def test_nothing_is_popped_while_a_forced_return_waits(jvm: Jvm) -> None:
    """The JVM would leave the caller with that value."""
    async with stopped_at(jvm, "number") as d:
        session, execution = d.session, d.session.execution
        await execution.force_return("42")
        for word in (execution.pop, execution.reenter):
            with pytest.raises(StateError, match="while a forced return waits"):
                await word()
        assert (await session.stack.selected()).location.method == "number"
        assert "number 42" in await to_the_end(d)

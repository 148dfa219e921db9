"""Steps on real JVMs: over, into, out, by instruction, counted, filtered, through exceptions, natives and threads."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest

from jdbpy.errors import StateError, UsageError
from jdbpy.session.model.events import Exited, Stopped, StopReason
from jdbpy.session.model.options import StepDepth, StepSize
from tests.harness import Debugging, Jvm, debug, inline

pytestmark = pytest.mark.one_java

INTO, OVER, OUT = StepDepth.INTO, StepDepth.OVER, StepDepth.OUT


@asynccontextmanager
async def stopped_at(jvm: Jvm, marker: str) -> AsyncIterator[Debugging]:
    """Stepping, stopped once at a marker, with no breakpoint left."""
    async with debug(jvm, "Stepping") as d:
        await d.session.breakpoints.add(d.at(marker), temporary=True)
        await d.check_stop(await d.session.execution.cont(), StopReason.BREAKPOINT, at=marker)
        yield d


async def step(d: Debugging, depth: StepDepth, to: str, **how: object) -> None:
    stop = await d.session.execution.step(depth, **how)  # type: ignore[arg-type]
    await d.check_stop(stop, StopReason.STEP, at=to)


@pytest.mark.every_java
async def test_over_a_call_into_it_and_out_of_it(jvm: Jvm) -> None:
    async with stopped_at(jvm, "start") as d:
        await step(d, OVER, "call")
        await step(d, INTO, "in-twice")
        await step(d, OVER, "return-twice")
        await step(d, OUT, "call")
        await step(d, OVER, "after-call")


async def test_over_the_end_of_a_method_comes_to_the_caller(jvm: Jvm) -> None:
    async with stopped_at(jvm, "return-twice") as d:
        await step(d, OVER, "call")


async def test_a_count_makes_one_stop(jvm: Jvm) -> None:
    async with stopped_at(jvm, "start") as d:
        await step(d, OVER, "rescue-call", count=3)
        with pytest.raises(UsageError):
            await d.session.execution.start_step(OVER, count=0)


async def test_by_instruction_stays_on_the_line_for_a_while(jvm: Jvm) -> None:
    async with stopped_at(jvm, "call") as d:
        before = d.session.last_stop
        await step(d, OVER, "call", size=StepSize.MIN)
        after = d.session.last_stop
        assert before and before.location and after and after.location
        assert after.location.code_index > before.location.code_index


@pytest.mark.every_java
async def test_an_exception_takes_a_step_to_its_handler(jvm: Jvm) -> None:
    async with stopped_at(jvm, "throw") as d:
        stop = await d.session.execution.step(OVER)
        stop = await d.check_stop(stop, StopReason.STEP)
        assert stop.location and stop.location.method == "rescue"


@pytest.mark.every_java
async def test_filters_keep_a_step_out_of_library_code_but_not_out_of_its_callbacks(jvm: Jvm) -> None:
    async with stopped_at(jvm, "library-call") as d:
        await step(d, INTO, "callback-call")
        await step(d, INTO, "compare")  # not in the bridge method that the compiler made
        await step(d, OVER, "native-call")


async def test_own_filters(jvm: Jvm) -> None:
    async with stopped_at(jvm, "callback-call") as d:
        d.session.execution.set_excludes([*d.session.execution.excludes, "Stepping$*"])
        await step(d, INTO, "native-call")
        # Who stands inside a filtered class can still step there.
        d.session.execution.set_excludes(["Stepping"])
        await step(d, INTO, "invoke")


@pytest.mark.parametrize("pattern", ["a*b", "**", "*a*"])
async def test_a_filter_the_target_would_not_understand_is_refused(any_jvm: Jvm, pattern: str) -> None:
    async with debug(any_jvm, "Stepping") as d:
        with pytest.raises(UsageError, match="one"):
            d.session.execution.set_excludes([pattern])


@pytest.mark.two_javas
async def test_over_native_frames_and_reflection(jvm: Jvm) -> None:
    async with stopped_at(jvm, "invoke") as d:
        await step(d, INTO, "in-twice")
        for _ in range(20):  # the frames between differ from version to version
            stop = await d.check_stop(await d.session.execution.step(OUT), StopReason.STEP, thread="main")
            if stop.location and stop.location.class_name == "Stepping":
                break
        await d.check_stop(stop, StopReason.STEP, at="invoke")


async def test_a_breakpoint_met_during_a_step_wins(jvm: Jvm) -> None:
    async with stopped_at(jvm, "call") as d:
        breakpoint = await d.session.breakpoints.add(d.at("in-twice"))
        stop = await d.session.execution.step(OVER)
        await d.check_stop(stop, StopReason.BREAKPOINT, at="in-twice", breakpoint=breakpoint.number)
        # The former step is over: nothing stops at the line after the call.
        await d.session.breakpoints.remove([breakpoint.number])
        await d.session.breakpoints.add(d.at("end"))
        await d.check_stop(await d.session.execution.cont(), StopReason.BREAKPOINT, at="end")


async def test_over_a_recursive_call_stays_in_the_frame(jvm: Jvm) -> None:
    async with stopped_at(jvm, "recurse") as d:
        await step(d, OVER, "multiply")
        assert (await d.session.stack.of()).total == 2


async def test_until_leaves_a_loop(jvm: Jvm) -> None:
    async with stopped_at(jvm, "loop-end") as d:
        stop = await d.session.execution.until()
        await d.check_stop(stop, StopReason.UNTIL, at="after-loop")


async def test_until_a_line(jvm: Jvm) -> None:
    async with stopped_at(jvm, "before-loop") as d:
        stop = await d.session.execution.until(d.program.line("loop-end"))
        await d.check_stop(stop, StopReason.UNTIL, at="loop-end")
        with pytest.raises(UsageError, match="no code on line"):
            await d.session.execution.start_until(d.program.line("in-twice"))


@pytest.mark.every_java
async def test_until_a_line_counts_only_this_frame_of_a_recursion(jvm: Jvm) -> None:
    async with stopped_at(jvm, "recurse") as d:
        stop = await d.session.execution.until(d.program.line("multiply"))
        await d.check_stop(stop, StopReason.UNTIL, at="multiply")
        assert (await d.session.stack.of()).total == 2


async def test_until_a_line_that_is_not_reached_stops_in_the_caller(jvm: Jvm) -> None:
    async with stopped_at(jvm, "after-loop") as d:
        stop = await d.session.execution.until(d.program.line("before-loop"))
        await d.check_stop(stop, StopReason.UNTIL, at="loop-call")


@pytest.mark.two_javas
async def test_a_step_off_the_end_of_a_thread_lets_the_target_run(jvm: Jvm) -> None:
    async with stopped_at(jvm, "work-end") as d:
        end = await d.session.execution.step(OUT)
        while not isinstance(end, Exited):
            await d.check_stop(end, StopReason.STEP, thread="worker")
            end = await d.session.execution.step(OUT)
        await d.wait_notice("thread-ended")
        await d.wait_exit()


async def test_suspend_and_then_step_works(jvm: Jvm) -> None:
    async with stopped_at(jvm, "call") as d:
        await d.session.execution.suspend()
        await step(d, OVER, "after-call")


async def test_nothing_to_step_while_running(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Stepping") as d:
        await d.session.breakpoints.add(d.at("work"))
        stop = await d.check_stop(await d.session.execution.cont(), StopReason.BREAKPOINT, at="work")
        assert stop.thread
        await d.resume()
        with pytest.raises(StateError):
            await d.session.execution.start_step(OVER, thread_id=stop.thread.id)
        await d.wait_exit()


LAST = """
class Ends {
    public static void main(String[] args) throws Exception {
        int one = 1;  // @first
        System.out.println(one);  // @last
    }
}
"""


@pytest.mark.parametrize("way", ["out", "over", "until"])
@pytest.mark.two_javas
async def test_a_step_off_the_end_of_main_does_not_stop_in_what_ends_the_thread(jvm: Jvm, way: str) -> None:
    async with debug(jvm, inline(LAST)) as d:
        await d.run_to("last")
        d.session.execution.set_excludes(())
        execution, depth = d.session.execution, OUT if way == "out" else OVER
        move = execution.until if way == "until" else partial(execution.step, depth)
        end = await move()
        while isinstance(end, Stopped) and end.location is not None and end.location.class_name == "Ends":
            await d.check_stop(end, StopReason.UNTIL if way == "until" else StopReason.STEP)
            end = await move()
        assert isinstance(end, Exited), end
        await d.wait_notice("thread-ended")
        await d.wait_exit()

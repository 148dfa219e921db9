"""A step in one thread leaves the breakpoints of a thread alive that it has let go (a fault of HotSpot).

The thread that is let go runs compiled code but for the method with the breakpoint, and comes there again while the
other one is stepped: the first place that it notes is that of its last breakpoint (docs/agent.md).
"""

from __future__ import annotations

import pytest

from jdbpy import Exited, StepDepth, Stopped, StopReason, SuspendPolicy, attach_session
from jdbpy.session.execution import waiting
from tests.harness import LIMIT, Jvm, inline, start_target, within

SOURCE = """
public class T {
    public static void main(String[] args) throws Exception {
        Thread other = new Thread(T::circle, "other");
        other.start();
        other.join(200); // it stands at its breakpoint by then
        walk();
    }

    static volatile boolean left, open, over;
    static volatile int passed;
    static long sum;

    static void spot() {
        passed++; // @spot
    }

    static void circle() {
        while (!over) {
            spot();
            left = true;
            while (!open) Thread.onSpinWait();
        }
    }

    static void gate() {
        while (!left) Thread.onSpinWait();
    }

    static void walk() {
        System.out.println("walking"); // @walk
        gate(); open = true; for (int i = 0; i < 2_000; i++) sum += i; // @line
        over = true; // @end
    }
}
"""

COMPILED = [
    "-Xcomp",
    "-XX:CompileCommand=quiet",
    "-XX:CompileCommand=compileonly,T::circle",
    "-XX:CompileCommand=dontinline,T::spot",
]


async def test_a_thread_that_is_let_go_during_a_step_stops_at_its_next_pass(
    jvm: Jvm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "STEP_LIMIT", LIMIT)  # a busy machine may take long for the step
    program = inline(SOURCE)
    async with start_target(jvm, program, jvm_options=COMPILED) as target, attach_session(target.address) as session:
        with within(2 * LIMIT):
            assert await session.next_stop() is not None  # at its start
            for place in ("spot", "line"):
                await session.breakpoints.add(program.at(place), policy=SuspendPolicy.THREAD)
            stops = [await session.execution.cont(), await session.next_stop()]
            threads = {stop.thread.name: stop.thread.id for stop in stops if isinstance(stop, Stopped) and stop.thread}
            assert threads.keys() == {"main", "other"}
            await session.stack.select_thread(threads["main"])
            await session.execution.start_step(StepDepth.OVER)
            await session.execution.resume(threads["other"])  # it passes, and comes again while the step goes on
            assert place_of(await session.next_stop()) == (StopReason.STEP, program.line("end"))
            assert (await session.values.evaluate("T.passed")).text == "1"
            assert place_of(await session.next_stop()) == (StopReason.BREAKPOINT, program.line("spot"))


def place_of(stop: Stopped | Exited) -> tuple[StopReason, int | None]:
    """Return why and in which line a thread has stopped."""
    assert isinstance(stop, Stopped)
    assert stop.location is not None
    return stop.reason, stop.location.line

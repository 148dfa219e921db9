"""Conditions that go into the target by themselves, because their breakpoint is hot: stops are as true as before."""

from __future__ import annotations

from contextlib import AsyncExitStack

import pytest

import jdbpy
from jdbpy import StepDepth, SuspendPolicy
from jdbpy.session.breakpoints.until_hot import PROMOTED_AFTER
from jdbpy.session.clients import join_session
from tests.harness import Debugging, Jvm, debug, inline, start_target

pytestmark = pytest.mark.one_java

# "FROM TO" does that many calls, below a method of the class of the breakpoint
CALLS = """
import java.io.*;
import java.util.concurrent.*;

public class Calls {
    public static void main(String[] args) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        Host.handle(-5);
        System.out.println("ready");
        for (String line; (line = lines.readLine()) != null; ) {
            String[] words = line.split(" ");
            if (words[0].equals("virtual")) {
                Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, (Runnable) () -> {});
                System.out.println("started");
                continue;
            }
            if (words[0].equals("open")) {
                Deep.gate.add(words[0]);
                continue;
            }
            int from = Integer.parseInt(words[0]), to = Integer.parseInt(words[1]);
            Thread thread = new Thread(() -> Host.outer(from, to), "worker");
            thread.setDaemon(true);
            thread.start();
        }
    }

    static void run(int from, int to) {
        for (int i = from; i < to; i++) Host.handle(i); // @run
    }
}

class Host {
    static volatile long sum;

    static void outer(int from, int to) {
        long before = sum;
        Calls.run(from, to);
        sum += before; // @after
        System.out.println("done " + from + " " + to);
    }

    static void handle(int i) {
        int twice = 2 * i; // @handle
        Deep.inner(i); // @call
        sum += twice; // @behind
    }
}

class Deep {
    static final BlockingQueue<String> gate = new LinkedBlockingQueue<>();
    static volatile int last;

    static void inner(int i) {
        last = i; // @inner
        if (i == 9_000) {
            System.out.println("waiting");
            try {
                gate.take();
            } catch (InterruptedException wanted) {
                throw new IllegalStateException(wanted);
            }
        }
    }
}"""


Shown = tuple[str, int | None, dict[str, str | None]]
"""A frame: method, line, variables."""


async def frames(d: Debugging) -> list[Shown]:
    """The frames of the selected thread, each with its line and its variables."""
    found = []
    for frame in (await d.session.stack.of()).frames:
        if frame.location.class_name in ("Deep", "Host", "Calls"):
            await d.session.stack.select_frame(frame.index)
            variables = await d.session.stack.variables()
            values = {each.name: None if each.value is None else each.value.text for each in variables}
            found.append((frame.location.method, frame.location.line, values))
    await d.session.stack.select_frame(1)
    return found[:3]


def expected(d: Debugging, i: int, to: int) -> list[Shown]:
    return [
        ("inner", d.program.line("inner"), {"i": str(i)}),
        ("handle", d.program.line("call"), {"i": str(i), "twice": str(2 * i)}),
        ("run", d.program.line("run"), {"from": "0", "to": str(to), "i": str(i)}),
    ]


async def loaded(d: Debugging) -> None:
    """Let the program run to where it reads commands."""
    await d.resume()
    await d.target.wait_output("ready")


async def test_a_hot_condition_goes_in_and_frames_above_a_stop_stay_as_they_are(jvm: Jvm) -> None:
    """Stops further down, around the moment at which the class is changed, show lines and variables of all frames."""
    async with debug(jvm, inline(CALLS)) as d:
        await loaded(d)
        point = await d.session.breakpoints.add(d.at("handle", "Host"), condition="i == -1 || i == 1_500")
        near = f"i >= {PROMOTED_AFTER - 2} && i < {PROMOTED_AFTER + 8} || i == 1_000"
        deep = await d.session.breakpoints.add(d.at("inner", "Deep"), condition=near)
        await d.target.send("0 2000")
        for i in (*range(PROMOTED_AFTER - 2, PROMOTED_AFTER + 8), 1_000):
            await d.wait_stop("breakpoint", at="inner", breakpoint=deep.number)
            assert await frames(d) == expected(d, i, 2_000)
            await d.resume()
        shown = d.session.breakpoints.get(point.number)
        assert (shown.in_target, shown.ordinary) == (True, "")
        await d.wait_stop("breakpoint", at="handle", breakpoint=point.number)
        assert (await d.session.values.evaluate("i")).text == "1500"
        await d.check_stop(await d.session.execution.step(StepDepth.OVER), "step", at="call")
        assert (await d.session.values.evaluate("twice")).text == "3000"
        await d.resume()
        await d.target.wait_output("done 0 2000")


async def test_code_is_given_back_when_no_call_of_it_is_under_way(jvm: Jvm) -> None:
    """A breakpoint is removed while a call runs the changed code: a stop further down shows its frame as ever."""
    async with debug(jvm, inline(CALLS)) as d:
        await loaded(d)
        point = await d.session.breakpoints.add(
            d.at("handle", "Host"), condition="i == -1", policy=SuspendPolicy.THREAD
        )
        await d.target.send("0 400")
        await d.target.wait_output("done 0 400")
        assert d.session.breakpoints.get(point.number).in_target
        await d.target.send("9000 9001")
        await d.target.wait_output("waiting")
        await d.session.breakpoints.remove([point.number])
        await d.session.instrumentation.take_out_stale()
        assert [each.class_name for each in d.session.instrumentation.woven()] == ["Host"]
        await d.session.breakpoints.add(d.at("behind", "Host"))
        await d.target.send("open")
        await d.wait_stop("breakpoint", at="behind")
        assert (await frames(d))[0] == ("handle", d.program.line("behind"), {"i": "9000", "twice": "18000"})
        await d.session.breakpoints.clear_all()
        await d.resume()
        await d.target.wait_output("done 9000 9001")
        await d.session.instrumentation.take_out_stale()
        assert d.session.instrumentation.woven() == []


async def test_a_class_is_not_changed_while_a_thread_is_suspended(jvm: Jvm) -> None:
    """The methods that this takes could wait for a lock of that thread."""
    async with debug(jvm, inline(CALLS)) as d:
        await loaded(d)
        place = d.at("handle", "Host")
        point = await d.session.breakpoints.add(place, condition="i == -1", policy=SuspendPolicy.THREAD)
        place = d.at("after", "Host")
        await d.session.breakpoints.add(place, condition="to == 1", policy=SuspendPolicy.THREAD)
        await d.target.send("0 1")
        await d.wait_stop("breakpoint", at="after")
        await d.target.send("0 400")
        await d.target.wait_output("done 0 400")
        assert "may own a lock" in d.session.breakpoints.get(point.number).ordinary
        await d.resume()
        await d.target.wait_output("done 0 1\n")
        await d.session.breakpoints.remove([2])
        await d.target.send("0 1500")
        await d.target.wait_output("done 0 1500")
        assert d.session.breakpoints.get(point.number).in_target


async def test_what_goes_into_the_target_by_itself(jvm: Jvm) -> None:
    """Conditions of breakpoints that stop: not reports, not what a class has when it is prepared."""
    async with debug(jvm, inline(CALLS)) as d:
        points = [
            await d.session.breakpoints.add(f"Host:{d.program.line('handle')}", condition="i == -1"),
            await d.session.breakpoints.add(f"Host:{d.program.line('behind')}", log="{i}", condition="i == -1"),
        ]
        await loaded(d)
        assert not d.session.is_used("instrumentation")
        await d.target.send(f"0 {PROMOTED_AFTER - 1}")  # with the one before it was ready
        await d.target.wait_output(f"done 0 {PROMOTED_AFTER - 1}")
        assert not d.session.is_used("instrumentation")
        await d.target.send("0 10")
        await d.target.wait_output("done 0 10")
        assert d.session.is_used("instrumentation")
        assert d.session.instrumentation.mode == "auto"
        assert [d.session.breakpoints.get(each.number).in_target for each in points] == [True, False]
        await d.session.breakpoints.clear_all()


@pytest.mark.parametrize("where", ["shared", "remote", "read-only", "off"])
async def test_where_a_hot_condition_stays_ordinary(any_jvm: Jvm, where: str) -> None:
    """What would change a class for others, unasked, or may not, is not even loaded."""
    program = inline(CALLS)
    options = jdbpy.Options(
        in_target="off" if where == "off" else "auto", read_only=where == "read-only", allow_suspend=True
    )
    async with (
        start_target(any_jvm, program, suspend=False) as target,
        jdbpy.attach_session(target.address, options=options) as session,
        AsyncExitStack() as stack,
    ):
        await target.wait_output("ready")
        if where == "remote":
            session._target.tunnel = "ssh"
        chosen = await stack.enter_async_context(join_session(session, "other")) if where == "shared" else session
        point = await chosen.breakpoints.add(
            program.at("handle", "Host"), condition="i == 1_000", policy=SuspendPolicy.THREAD
        )
        await target.send("0 1001")
        stop = await chosen.next_stop()
        assert isinstance(stop, jdbpy.Stopped)
        assert stop.breakpoint == point.number
        assert not session.breakpoints.get(point.number).in_target
        assert not session.is_used("instrumentation")
        await chosen.execution.resume()
        await target.wait_output("done 0 1001")


async def test_a_program_with_virtual_threads_is_changed_only_when_asked(newest_jvm: Jvm) -> None:
    """The agent does not tell which of them are in a method."""
    async with debug(newest_jvm, inline(CALLS)) as d:
        await loaded(d)
        await d.target.send("virtual")
        await d.target.wait_output("started")
        place = d.at("handle", "Host")
        point = await d.session.breakpoints.add(place, condition="i == -1", policy=SuspendPolicy.THREAD)
        await d.target.send("0 400")
        await d.target.wait_output("done 0 400")
        shown = d.session.breakpoints.get(point.number)
        assert shown.ordinary == "the program has virtual threads, whose calls are not seen"
        d.session.instrumentation.ask(point.number)
        await d.target.send("0 10")
        await d.target.wait_output("done 0 10")
        assert d.session.breakpoints.get(point.number).in_target

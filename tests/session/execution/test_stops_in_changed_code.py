"""No stop is in code that has just been replaced: such a frame has no lines and no variables any more.

The target computes conditions by other code in the class, which is put in and taken out while the program runs.
"""

from __future__ import annotations

import pytest
import trio
import trio.testing

import jdbpy
from jdbpy import StepDepth, Stopped, SuspendPolicy
from tests.harness import LIMIT, Jvm, Program, debug, inline, start_target, within

# each line, "NAME COUNT", has the thread of that name do so many tasks
TASKS = """
import java.io.*;
import java.util.*;
import java.util.concurrent.*;

public class Tasks {
    public static void main(String[] args) throws Exception {
        Map<String, ExecutorService> threads = new HashMap<>();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line; (line = lines.readLine()) != null; ) {
            String[] words = line.split(" ");
            if (words[0].equals("open")) {
                gate.add("open");
                continue;
            }
            int number = words[0].charAt(0) - 'a', count = Integer.parseInt(words[1]);
            threads.computeIfAbsent(words[0], name -> Executors.newSingleThreadExecutor(each -> {
                Thread thread = new Thread(each, name);
                thread.setDaemon(true);
                return thread;
            })).submit(() -> {
                for (int i = 0; i < count; i++) Task.work(number, i);
                System.out.println("done " + String.join(" ", words));
            });
        }
    }

    static final BlockingQueue<String> gate = new LinkedBlockingQueue<>();
}

class Task {
    static volatile long sum;

    static int work(int number, int i) {
        int twice = 2 * i; // @work
        if (number == 2) pass(); // @gate
        sum += twice; // @behind
        return twice;
    }

    static void pass() {
        try {
            Tasks.gate.take();
        } catch (InterruptedException wanted) {
            throw new IllegalStateException(wanted);
        }
    }
}"""

# eight threads, which leave the processors to others
CROWD = """
import java.util.concurrent.locks.LockSupport;

public class Crowd {
    public static void main(String[] args) {
        for (int t = 0; t < 8; t++)
            new Thread(() -> {
                for (int i = 0; ; i++) {
                    Stall.sell(i);
                    LockSupport.parkNanos(1_000_000);
                }
            }, "crowd-" + t).start();
        System.out.println("ready");
    }
}

class Stall {
    static volatile long sold;

    static int sell(int i) {
        int twice = 2 * i;
        sold += twice; // @sell
        return twice;
    }
}"""


# "a COUNT": so many passes in one thread; "b": another enters and waits before the line until "open"
PASSED = """
import java.io.*;
import java.util.concurrent.*;

public class Passed {
    public static void main(String[] args) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line; (line = lines.readLine()) != null; ) {
            String[] words = line.split(" ");
            if (words[0].equals("open")) {
                Short.gate.add("open");
            } else if (words[0].equals("b")) {
                new Thread(() -> Short.pass(1), "b").start();
                Short.inside.take();
                System.out.println("done b");
            } else {
                for (int i = Integer.parseInt(words[1]); i > 0; i--) Short.pass(0);
                System.out.println("done " + line);
            }
        }
    }
}

class Short {
    static final BlockingQueue<String> gate = new LinkedBlockingQueue<>(), inside = new LinkedBlockingQueue<>();
    static volatile int sum;

    static void pass(int who) {
        if (who == 1) take();
        sum += who; // @line
    }

    static void take() {
        inside.add("in");
        try {
            gate.take();
        } catch (InterruptedException wanted) {
            throw new IllegalStateException(wanted);
        }
    }
}"""


@pytest.mark.one_java
async def test_a_condition_goes_in_soon_after_a_call_that_was_in_the_way(jvm: Jvm) -> None:
    """It is tried again at one of the next hits, and not thousands of them later."""
    async with debug(jvm, inline(PASSED)) as d:
        d.session.instrumentation.mode = "eager"
        await d.resume()
        await d.target.send("a 1")
        await d.target.wait_output("done a 1\n")
        await d.session.breakpoints.add(d.at("line", "Short"), policy=SuspendPolicy.THREAD, condition="who == 9")
        await d.target.send("b")
        await d.target.wait_output("done b")
        await d.target.send("a 400")
        await d.target.wait_output("done a 400\n")
        assert d.session.breakpoints.get(1).ordinary == "pass can come to the line again"
        await d.target.send("open")
        await d.target.send("a 401")
        await d.target.wait_output("done a 401\n")
        assert d.session.breakpoints.get(1).in_target
        await d.target.send("a 100")
        await d.target.wait_output("done a 100\n")


async def test_code_stays_while_somebody_looks_at_a_stop_in_it(jvm: Jvm) -> None:
    async with debug(jvm, inline(TASKS)) as d:
        d.session.instrumentation.mode = "eager"
        await d.resume()
        await d.target.send("b 1")  # else it would be put in when the class is loaded
        await d.target.wait_output("done b 1\n")
        point = await d.session.breakpoints.add(
            d.at("work", "Task"), policy=SuspendPolicy.THREAD, condition="number == 0 && i == 7"
        )
        await d.target.send("a 8")
        stop = await d.wait_stop("breakpoint", at="work", breakpoint=point.number)
        await d.target.send("b 400")  # its hits are false, and many more than it takes
        await d.target.wait_output("done b 400")
        assert d.session.breakpoints.get(1).ordinary == "a thread that has stopped, or steps, is in it"
        assert (await d.session.values.evaluate("i")).text == "7"
        [top, *_] = (await d.session.stack.of()).frames
        assert (top.location.method, top.location.line, top.obsolete) == ("work", d.program.line("work"), False)
        assert stop.thread is not None
        await d.session.execution.step(StepDepth.OVER)
        await d.wait_stop("step", at="gate")
        await d.resume()
        await d.target.wait_output("done a 8")
        await d.target.send("b 1000")
        await d.target.wait_output("done b 1000")
        await d.target.send("a 8")  # now in the target
        await d.wait_stop("breakpoint", at="work", breakpoint=point.number)
        assert d.session.breakpoints.get(1).in_target
        assert (await d.session.values.evaluate("i")).text == "7"


@pytest.mark.one_java
async def test_code_stays_while_a_thread_steps_in_it(jvm: Jvm) -> None:
    async with debug(jvm, inline(TASKS)) as d:
        await d.resume()
        await d.target.wait_output("ready")
        for marker in ("gate", "work"):
            await d.session.breakpoints.add(
                d.at(marker, "Task"),
                policy=SuspendPolicy.THREAD,
                condition="number == 2" if marker == "gate" else "number == 9",
                woven=marker == "work",
            )
        await d.target.send("b 10")
        await d.target.wait_output("done b 10")
        assert [each.in_target for each in d.session.breakpoints.list()] == [False, True]
        await d.target.send("c 1")
        await d.wait_stop("breakpoint", at="gate", breakpoint=1)
        await d.session.breakpoints.clear_all()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(d.session.execution.step, StepDepth.OVER)
            await trio.testing.wait_all_tasks_blocked()
            await d.session.instrumentation.take_out_stale()
            assert [each.class_name for each in d.session.instrumentation.woven()] == ["Task"]
            await d.target.send("open")
        await d.wait_stop("step", at="behind")
        assert (await d.session.values.evaluate("twice + number")).text == "2"
        await d.resume()
        await d.target.wait_output("done c 1")
        await d.session.instrumentation.take_out_stale()
        assert d.session.instrumentation.woven() == []


async def test_stops_of_a_crowd_while_code_is_put_in_and_taken_out(jvm: Jvm) -> None:
    """Hits of other threads are under way each time."""
    async with start_target(jvm, inline(CROWD), suspend=False) as target:
        await target.wait_output("ready")
        with within(LIMIT):
            async with jdbpy.attach_session(target.address) as session:
                for every in (7, 40, 7, 150, 7, 40, 7, 150):
                    await stops_of(session, target.program, every)


async def stops_of(session: jdbpy.Session, prog: Program, every: int) -> None:
    condition = f"i % {every} == 3"
    point = await session.breakpoints.add(
        prog.at("sell", "Stall"), policy=SuspendPolicy.THREAD, condition=condition, woven=True
    )
    for _ in range(12):
        stop = await session.next_stop()
        assert isinstance(stop, Stopped)
        assert stop.location is not None
        assert (stop.location.method, stop.location.line, stop.error) == ("sell", prog.line("sell"), "")
        assert stop.thread is not None
        await session.stack.select_thread(stop.thread.id)
        found = {each.name: each.value for each in await session.stack.variables()}
        assert found.keys() == {"i", "twice"}
        if stop.breakpoint == point.number:
            assert found["i"] is not None
            assert int(found["i"].text) % every == 3
        await session.execution.resume(stop.thread.id)
    await session.breakpoints.remove([point.number])

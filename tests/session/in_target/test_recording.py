"""Calls that the target records line by line: compared with what a program says that it does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

import pytest

import jdbpy
from jdbpy.session.recorded.call import RecordedCall
from jdbpy.session.recorded.kept_values import KeptValue
from tests.harness import LIMIT, Debugging, Jvm, debug, inline, start_target, within

pytestmark = pytest.mark.one_java

SILENT = ("that", "none")
"""Variables of which the program does not tell."""


async def run(d: Debugging, threads: int, calls: int, turns: int) -> dict[int, tuple[str, list[str]]]:
    """Let the program make calls; return what it logs of each: its thread, its lines and stores, its end."""
    done = len(await d.target.wait_lines("done ", 0))
    before = len(await d.target.wait_lines("log ", 0))
    await d.target.send(f"{threads} {calls} {turns}")
    await d.target.wait_lines("done ", done + 1)
    logs = await d.target.wait_lines("log ", before + threads * calls)
    found = {}
    for log in logs[before:]:
        number, thread, events = log.removeprefix("log ").split("|", 2)
        found[int(number)] = thread, events.split(";")
    return found


def as_logged(value: KeptValue) -> str:
    if value.type in ("int[]",):
        return str(value.size)
    return value.text.strip("'\"")


def events_of(call: RecordedCall, lines: Mapping[int, str]) -> Iterator[str]:
    """Return the lines and stores of a call as the program logs them."""
    for step in call.steps:
        if step.end:
            break
        if step.line in lines:  # not the end of the `try`, where its code jumps over the `catch`
            yield lines[step.line]
        for each in call.events_of(step):
            if each.point.kind in ("store", "field") and each.value is not None and each.point.name not in SILENT:
                yield f"{each.point.name}={as_logged(each.value)}"
    if call.exception is not None:
        yield f"threw {call.exception.message}"
    elif call.result is not None:
        yield f"returned {call.result.text}"


def compare(d: Debugging, calls: Sequence[RecordedCall], logs: Mapping[int, tuple[str, list[str]]]) -> None:
    """Check each event of recorded calls."""
    lines = {d.target.program.line(f"l{n}"): f"L{n}" for n in range(1, 19)}
    for call in calls:
        arguments = dict(call.arguments)
        thread, logged = logs[int(arguments["id"].text)]
        assert call.thread == thread
        for at, (recorded, said) in enumerate(zip_longest(events_of(call, lines), logged)):
            assert recorded == said, (call.number, at, recorded, said, logged[max(0, at - 3) : at + 3])


@pytest.mark.every_java
async def test_lines_and_stores_are_those_of_the_program(jvm: Jvm) -> None:
    """Eight threads at once: every line, every store, every end; what is not kept is counted."""
    async with debug(jvm, "Logged", jvm_options=["-Xverify:all"]) as d:
        await d.resume()
        recorder = d.session.recorder
        recording = await recorder.record("LoggedWork.work", level="stores")
        await run(d, 1, 2, 1)
        assert recording.state == "recording", recording.state
        await recorder.refresh()
        assert recorder.forget() == 2 == recording.calls
        logs = await run(d, 8, 60, 7)
        await recorder.refresh()
        calls = recorder.calls
        assert recording.calls == 2 + 8 * 60 and recording.kept + recording.missed == recording.calls
        assert len(calls) == recording.kept - 2
        compare(d, calls, logs)
        assert len(calls) > 100
        await recorder.end(recording)
        assert not d.session.instrumentation.woven()


async def test_calls_are_objects_for_a_script(jvm: Jvm) -> None:
    """``vm.record``: an aliased total is found from what was recorded, without a second run."""
    async with start_target(jvm, "Logged") as target, jdbpy.attach(target.address) as vm:
        await vm.resume()
        async with vm.record("LoggedWork.work", until="IllegalStateException") as recording:
            await target.send("1 8 3")
            calls = await recording.wait(LIMIT)
            assert recording.state.startswith("ended: call") and recording.missed == 0
        call = calls[-1]
        assert call.failed and call.exception is not None and call.exception.message == "id 4"
        assert [step.turn for step in call.at(target.program.line("l7"))] == [1, 2, 3]
        [last, *_] = call.last("sum")
        assert (last.new.raw, last.old.raw if last.old else None) == (12, 4)
        assert call.values(call.steps[-1])["s"].text == "5"
        assert not [each for each in calls[:-1] if each.failed]
        ran = await call.again()
        assert (ran.same, ran.exception) == (True, "java.lang.IllegalStateException: id 4")


async def test_the_first_and_the_last_turns_of_a_long_loop_are_kept(jvm: Jvm) -> None:
    """What is between is counted, and variables are right behind it."""
    async with debug(jvm, "Logged") as d:
        await d.resume()
        recorder = d.session.recorder
        recording = await recorder.record("LoggedWork.work", level="stores", most=2)
        await run(d, 1, 3, 2_000)
        with within(LIMIT):
            await recording.over.wait()
        [call, _] = recorder.calls
        assert call.left_out == call.count - 4_096 > 7_000
        [gap] = [step for step in call.steps if step.left_out]
        reached = call.at(d.target.program.line("l7"))
        assert [step.turn for step in reached[:3]] == [1, 2, 3] and reached[-1].turn == 2_000
        values = call.values(gap)
        turn = next(step.turn for step in reached if step.number > gap.number)
        assert int(values["i"].text) in (turn - 2, turn - 1) and values["id"].text == "0"
        assert recording.ended_by == "2 calls of LoggedWork.work recorded"
        await d.wait_notice("recording-ended")


HEAVY = """
    import java.util.*;

    public class Heavy {
        public static void main(String[] args) throws Exception {
            while (System.in.read() >= 0) {
                Thread[] all = new Thread[8];
                for (int t = 0; t < all.length; t++) {
                    all[t] = new Thread(() -> {
                        for (int i = 0; i < 6; i++) {
                            work(300);
                        }
                    });
                    all[t].start();
                }
                for (Thread each : all) {
                    each.join();
                }
                System.out.println("done");
            }
        }

        static List<Object> nested(int depth) {
            List<Object> all = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                all.add(depth == 0 ? "element " + i : nested(depth - 1));
            }
            return all;
        }

        static final List<Object> DEEP = nested(3);

        static int work(int turns) {
            int sum = 0;
            for (int i = 0; i < turns; i++) {
                List<Object> deep = DEEP;
                sum += deep.size();
            }
            return sum;
        }
    }
"""


async def test_what_is_kept_of_many_large_objects_is_bounded(jvm: Jvm) -> None:
    """Each call would keep 200 MB of the contents of objects, in a JVM that has 64."""
    async with debug(jvm, inline(HEAVY), jvm_options=["-Xmx64m", "-XX:+ExitOnOutOfMemoryError"]) as d:
        await d.resume()
        recorder = d.session.recorder
        recording = await recorder.record("Heavy.work", depth=4, level="stores")
        for turn in (1, 2):
            await d.target.send("")
            await d.target.wait_lines("done", turn)
        await recorder.refresh()
        assert recording.kept + recording.missed == recording.calls and recorder.calls
        call = recorder.calls[-1]
        assert call.count == 7 + 300 * 6 and len(call.data.text) < 750_000
        kept = [write.new for write in call.last("deep")]
        assert [each.size for each in (kept[-1], kept[0])] == [16, -1] and kept[0].identity == kept[-1].identity
        assert len(kept[-1].parts) == 16


AGAIN = inline(
    """
    class Again {
        public static void main(String[] args) {
            for (int i = 0; i < 4; i++) {
                new Again().work(i, "n" + i);
                made++; // @between
            }
            System.out.println("made " + made + " entered " + entered);
        }
        static int made, entered;
        synchronized int work(int number, String name) {
            int twice = 2 * number; // @entry
            entered++; // @inside
            return twice;
        }
    }
    """,
    release=8,
)


@pytest.mark.parametrize(("at", "stays"), [("inside", False), ("inside", True), ("entry", False), ("entry", True)])
async def test_recording_begins_with_the_next_call_of_a_method_in_which_a_thread_has_stopped(
    jvm: Jvm, at: str, stays: bool
) -> None:
    """As this one returns; ``stays``: the breakpoint stops in each call."""
    async with debug(jvm, AGAIN) as d:
        await d.session.breakpoints.add(d.at(at, "Again"), temporary=not stays)
        await d.resume()
        await d.wait_stop("breakpoint", at=at)
        recording = await d.session.recorder.record("Again.work")
        assert recording.state.startswith("not yet: a thread has stopped in it"), recording.state
        for _ in range(3 * stays):
            await d.resume()
            await d.wait_stop("breakpoint", at=at)
        await d.resume()
        await d.wait_exit()
        assert d.target.stdout == "made 4 entered 4\n"
        texts = [[value.text for name, value in call.arguments if name != "this"] for call in d.session.recorder.calls]
        assert texts == [["1", '"n1"'], ["2", '"n2"'], ["3", '"n3"']]
        assert recording.calls == 3

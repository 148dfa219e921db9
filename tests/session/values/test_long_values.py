"""Long chains and deep stacks shown whole: all of it and in order, in a bounded number of waves and commands."""

from __future__ import annotations

import gc
from collections.abc import Awaitable
from textwrap import dedent
from typing import Any

import pytest
import trio

import jdbpy
from jdbpy.garbage import no_collection, rare_collection
from jdbpy.session.events.frames import frame_command
from jdbpy.session.model.values import ValueInfo
from jdbpy.session.values.chains import ChainWalk
from jdbpy.wire.messages.stack_frame import SlotInfo
from tests.harness import Debugging, Jvm, Program, debug, inline

pytestmark = pytest.mark.one_java

LONG = 12_001
"""More elements than one description has values by default."""

CHAINS = """
    import java.util.*;
    import java.util.concurrent.*;

    class Chains {
        public static void main(String[] args) {
            for (int i = 0; i < %d; i++) {
                list.add(i);
            }
            for (int i = 0; i < 501; i++) {
                deque.add(i);
                queue.add(i);
                map.put(i, -i);
                mixed.add(new Object[] {"s" + i, (long) i, (char) ('a' + i %% 26), null, i}[i %% 5]);
            }
            queue.remove(250);
            System.out.println("made"); // @made
        }

        static LinkedList<Integer> list = new LinkedList<>();
        static LinkedBlockingDeque<Integer> deque = new LinkedBlockingDeque<>();
        static ConcurrentLinkedQueue<Integer> queue = new ConcurrentLinkedQueue<>();
        static List<Object> mixed = new ArrayList<>();
        static LinkedHashMap<Integer, Integer> map = new LinkedHashMap<>();
    }
"""

DEEP = """
    class Deep {
        public static void main(String[] args) {
            System.out.println(dive(1_000, "same"));
        }

        String own = "of this";

        static int dive(int depth, String name) {
            int twice = 2 * depth;
            return depth == 0 ? new Deep().bottom(7) : dive(depth - 1, name) + twice;
        }

        int bottom(int argument) {
            String local = own;
            return local.length(); // @bottom
        }
    }
"""


def chains() -> Program:
    return inline(dedent(CHAINS % LONG))


def test_the_garbage_collector_rests_until_all_long_lists_are_read() -> None:
    first, second = rare_collection(), rare_collection()
    with no_collection():
        gc.enable()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert not gc.isenabled()
        second.__exit__(None, None, None)
        assert gc.isenabled()
        gc.disable()
        with rare_collection():
            pass
        assert not gc.isenabled(), "as it was found"


def elements(value: ValueInfo) -> list[str]:
    return [child.value.text for child in value.children if child.value is not None]


async def cost(session: jdbpy.Session, work: Awaitable[Any]) -> tuple[Any, int, int]:
    """What the work gave, with the waves and the commands that it took."""
    connection = session._target.conn
    before = connection.statistics()
    result = await work
    after = connection.statistics()
    return result, after.waves - before.waves, after.commands - before.commands


async def show(d: Debugging, text: str, elements: int) -> ValueInfo:
    return await d.session.values.evaluate(text, limits=jdbpy.Limits(elements=elements))


async def test_a_long_linked_list_is_shown_whole(jvm: Jvm) -> None:
    """From the heap: few waves, a command for each node and two for each element."""
    async with debug(jvm, chains()) as d:
        await d.run_to("made")
        value, waves, commands = await cost(d.session, show(d, "list", 100_000))
        assert value.note == ""
        assert elements(value) == [str(i) for i in range(LONG)]
        assert (value.length, value.truncated) == (LONG, False)
        assert waves <= LONG // 2_000 + 40  # of 2,000 nodes each, and what describing takes
        assert commands <= 3 * LONG + 100


async def test_a_long_linked_list_beside_threads_that_run(any_jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    """They do not stand still for a walk of the heap: the list is followed, from both ends."""
    monkeypatch.delattr(ChainWalk, "_read_instances")
    async with debug(any_jvm, chains()) as d:
        await d.session.breakpoints.add(d.at("made"), policy=jdbpy.SuspendPolicy.THREAD)
        await d.resume()
        await d.wait_stop("breakpoint", at="made")
        value, _, commands = await cost(d.session, show(d, "list", 100_000))
        assert elements(value) == [str(i) for i in range(LONG)]
        assert commands <= 3 * LONG + 100


async def test_a_long_linked_list_is_cut(any_jvm: Jvm) -> None:
    async with debug(any_jvm, chains()) as d:
        await d.run_to("made")
        value, waves, commands = await cost(d.session, show(d, "list", 5_000))
        assert elements(value) == [str(i) for i in range(5_000)]
        assert (value.length, value.truncated) == (LONG, True)
        assert waves <= 5_000 + 30
        assert commands <= 3 * 5_000 + 100


async def test_other_long_chains(jvm: Jvm) -> None:
    async with debug(jvm, chains()) as d:
        await d.run_to("made")
        assert elements(await show(d, "deque", 1_000)) == [str(i) for i in range(501)]
        assert elements(await show(d, "queue", 1_000)) == [str(i) for i in range(501) if i != 250]
        assert elements(await show(d, "queue", 5_000)) == [str(i) for i in range(501) if i != 250]  # from the heap
        mixed = [[f'"s{i}"', str(i), f"'{chr(97 + i % 26)}'", "null", str(i)][i % 5] for i in range(501)]
        assert elements(await show(d, "mixed", 1_000)) == mixed
        assert elements(await show(d, "queue", 300)) == [str(i) for i in range(301) if i != 250]
        assert elements(await show(d, "map", 1_000)) == [str(-i) for i in range(501)]


async def test_a_list_that_is_not_waited_for_any_more_is_read_no_further(any_jvm: Jvm) -> None:
    async with debug(any_jvm, chains()) as d:
        await d.run_to("made")
        connection = d.session._target.conn
        begun = connection.statistics().commands
        with trio.CancelScope() as scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(show, d, "list", 100_000)
                while connection.statistics().commands < begun + 500:
                    await trio.lowlevel.checkpoint()
                scope.cancel()
        left = connection.statistics()
        assert left.commands < begun + LONG
        assert (await d.session.values.evaluate("1 + 1")).text == "2"
        await d.session.threads.list()
        assert connection.statistics().commands < left.commands + 100


async def test_a_deep_stack_with_all_variables(jvm: Jvm) -> None:
    """One command a frame; the string that all frames share is read once; no wave for each frame."""
    async with debug(jvm, inline(dedent(DEEP))) as d:
        await d.run_to("bottom")
        trace = await d.session.stack.of()
        assert len(trace.frames) == 1_003
        found, waves, commands = await cost(d.session, d.session.stack.variables_of_all(trace.frames))
        assert waves <= 20
        assert commands <= len(trace.frames) + 100
        shown = [[(each.name, each.value and each.value.text) for each in variables] for variables in found]
        assert shown[0][0][0] == "this"
        assert shown[0][1:] == [("argument", "7"), ("local", '"of this"')]
        assert shown[1:-1] == [
            [("depth", str(depth)), ("name", '"same"'), ("twice", str(2 * depth))] for depth in range(1_001)
        ]
        assert shown[-1] == [("args", "String[0] {}")]
        again, waves, _ = await cost(d.session, d.session.stack.variables_of_all(trace.frames[:3]))
        assert [[each.name for each in variables] for variables in again] == [
            [name for name, _ in variables] for variables in shown[:3]
        ]


async def test_one_frame_that_cannot_be_read_whole_spoils_no_other(
    any_jvm: Jvm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is asked variable by variable then."""
    asked = frame_command

    def spoiled(*of_frame: Any) -> Any:
        command = asked(*of_frame)
        if command is not None and len(command.slots) == 3 and command.frame % 2:  # type: ignore[attr-defined]
            return command.replace(slots=[*command.slots, SlotInfo(60_000, ord("I"))])  # type: ignore[attr-defined]
        return command

    async with debug(any_jvm, inline(dedent(DEEP))) as d:
        await d.run_to("bottom")
        frames = (await d.session.stack.of()).frames[:40]
        monkeypatch.setattr("jdbpy.session.values.variables.frame_command", spoiled)
        spoilt, _, commands = await cost(d.session, d.session.stack.variables_of_all(frames))
        assert commands > 40 + 30, "some were asked again"
        assert [each.name for each in spoilt[0]] == ["this", "argument", "local"]
        depths = [variables[0].value and variables[0].value.text for variables in spoilt[1:]]
        assert depths == [str(depth) for depth in range(39)]
        assert all(each.value is not None for variables in spoilt for each in variables)


async def test_many_frames_without_debugging_information(any_jvm: Jvm) -> None:
    """What a slot holds is a guess then, so that each has a command of its own."""
    async with debug(any_jvm, inline(dedent(DEEP), debug="lines")) as d:
        await d.run_to("bottom")
        frames = (await d.session.stack.of()).frames[:40]
        found, waves, _ = await cost(d.session, d.session.stack.variables_of_all(frames))
        assert waves <= 20
        arguments = [
            [each.value and each.value.text for each in variables if each.name == "arg0"] for variables in found
        ]
        assert arguments == [["7"], *([str(depth)] for depth in range(39))]

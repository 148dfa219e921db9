"""Variables of frames: scopes, kinds and types; without debugging information; captured ones; what cannot be read."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import jdbpy
from benchmarks.relay import open_relay
from jdbpy.errors import StateError
from jdbpy.session.events.frames import from_code, from_table
from jdbpy.session.jvm.refs import Method, Slot, VariableTable
from jdbpy.session.model.values import Variable
from jdbpy.wire.ids import MethodID, ReferenceTypeID
from tests.harness import Debugging, Jvm, debug, inline, program, start_target

pytestmark = pytest.mark.one_java

ARGUMENTS = [
    ("z", "boolean", "true"),
    ("b", "byte", "-2"),
    ("c", "char", "'x'"),
    ("s", "short", "300"),
    ("i", "int", "70000"),
    ("j", "long", "1099511627776"),
    ("f", "float", "1.5"),
    ("d", "double", "0.1"),
    ("text", "java.lang.String", '"text\\n"'),
    ("array", "int[]", "int[2] {1, 2}"),
    ("list", "java.util.List<java.lang.String>", 'ArrayList(2) ["one", "three"]'),
]


async def stop_at(d: Debugging, marker: str, class_name: str = "Scopes$Derived") -> None:
    await d.run_to(marker, class_name)


def told(variables: Sequence[Variable], kind: str) -> list[tuple[str, str, str]]:
    return [(each.name, each.type, each.value.text) for each in variables if each.kind == kind and each.value]


async def test_arguments_and_locals_in_scope(jvm: Jvm) -> None:
    async with debug(jvm, "Scopes") as d:
        await stop_at(d, "arguments")
        variables = await d.session.stack.variables()
        assert told(variables, "argument") == ARGUMENTS
        assert told(variables, "local") == [("sum", "int", "70018")], "neither gone, nor each, nor later"
        [this] = [each for each in variables if each.kind == "this"]
        assert this.value is not None
        assert (this.name, this.value.type) == ("this", "Scopes$Derived")
        fields = {(child.name, child.declared_in): child.value.text for child in this.value.children if child.value}
        assert fields["hidden", "Scopes$Derived"] == '"of Derived"'
        assert fields["hidden", "Scopes$Base"] == '"of Base"'
        assert fields["inherited", "Scopes$Base"] == "11"


async def test_a_loop_variable_comes_and_goes(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Scopes") as d:
        await stop_at(d, "loop")
        assert ("each", "java.lang.String", '"one"') in told(await d.session.stack.variables(), "local")
        await stop_at(d, "end")
        assert [name for name, _, _ in told(await d.session.stack.variables(), "local")] == ["sum", "later"]


async def test_frames_further_out(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Scopes") as d:
        await stop_at(d, "bottom", "Scopes")
        assert await d.session.stack.variables() == ()
        frame = await d.session.select_frame(1002)
        assert told(await d.session.stack.variables(frame), "argument") == [("depth", "int", "1000")]
        await d.session.select_frame(2003)
        assert [each.name for each in await d.session.stack.variables()] == ["args", "derived", "result"]


async def test_without_debugging_information(jvm: Jvm) -> None:
    """Lines only: arguments by the signature, other slots by the instructions that store into them."""
    async with debug(jvm, program("Scopes", debug="lines")) as d:
        await stop_at(d, "end")
        variables = await d.session.stack.variables()
        erased = [text.partition("<")[0] for _, text, _ in ARGUMENTS]
        values = [value for _, _, value in ARGUMENTS]
        assert told(variables, "argument") == [
            (f"arg{number}", kind, value) for number, (kind, value) in enumerate(zip(erased, values, strict=True))
        ]
        slots = {name: (kind, value) for name, kind, value in told(variables, "slot")}
        assert ("int", "70018") in slots.values(), "sum"
        assert ("long", "70018") in slots.values(), "later"
        assert variables[0].kind == "this"


async def test_captured_variables(jvm: Jvm) -> None:
    async with debug(jvm, "Scopes") as d:
        await stop_at(d, "anonymous", "Scopes$1")
        variables = await d.session.stack.variables()
        captured = {name: value for name, _, value in told(variables, "captured")}
        assert captured.pop("this$0").startswith("Scopes@")
        assert captured == {"argument": "7", "local": '"seen"'}
        await d.run_to("lambda", "Scopes")
        await d.run_to("lambda", "Scopes")
        assert told(await d.session.stack.variables(), "argument") == [
            ("argument", "int", "7"),
            ("local", "java.lang.String", '"seen"'),
        ]


async def test_native_frames_have_no_variables(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Crowd", "0") as d:
        await d.run_to("ready")
        diver = await d.session.threads.find("diver")
        trace = await d.session.stack.of(diver.id)
        assert trace.frames[0].native
        assert await d.session.stack.variables(trace.frames[0]) == ()
        dive = next(frame for frame in trace.frames if frame.location.method == "dive")
        assert told(await d.session.stack.variables(dive), "argument") == [("depth", "int", "0")]


async def test_a_frame_of_an_earlier_stop_is_refused_before_the_wire(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Scopes") as d:
        await stop_at(d, "loop")
        frame = await d.session.stack.selected()
        await stop_at(d, "loop")
        before = d.session.statistics()
        with pytest.raises(StateError, match="earlier stop"):
            await d.session.stack.variables(frame)
        assert d.session.statistics().since(before).commands == 0


async def test_locals_are_reached_in_two_round_trips(any_jvm: Jvm) -> None:
    """In a static frame of primitives there is nothing to describe beyond the values."""
    async with debug(any_jvm, "Scopes") as d:
        await stop_at(d, "bottom", "Scopes")
        frame = await d.session.select_frame(2)
        before = d.session.statistics()
        await d.session.stack.variables(frame)
        assert d.session.statistics().since(before).waves <= 2
        before = d.session.statistics()
        await d.session.stack.variables(await d.session.select_frame(3))
        assert d.session.statistics().since(before).waves <= 2  # the frame, and its values


# Pure parts

NO_TYPE = ReferenceTypeID(1)


def method(signature: str, bits: int = 0) -> Method:
    return Method(MethodID(1), NO_TYPE, "m", signature, "", bits)


def test_slots_of_arguments() -> None:
    found = from_code(method("(JD[ILjava/lang/String;Z)V", bits=8), b"", 0)
    assert [(each.slot, each.signature) for each in found] == [
        (0, "J"),
        (2, "D"),
        (4, "[I"),
        (5, "Ljava/lang/String;"),
        (6, "Z"),
    ]
    assert from_code(method("(I)V"), b"", 0)[0].slot == 1, "this is before it"


def test_slots_told_by_stores() -> None:
    # iconst_0 istore_1, lconst_0 lstore 5, aconst_null astore_2, fconst_0 fstore_2, aconst_null wide astore 256, return
    code = bytes.fromhex("03 3c  09 37 05  01 4d  0b 45  01 c4 3a 01 00  b1")
    found = {each.slot: (each.name, each.signature, each.kind) for each in from_code(method("()V"), code, len(code))}
    assert found == {
        1: ("slot1", "I", "slot"),
        2: ("slot2", "F", "slot"),
        5: ("slot5", "J", "slot"),
        256: ("slot256", "Ljava/lang/Object;", "slot"),
    }
    assert [each.slot for each in from_code(method("()V"), code, 3)] == [1], "what is stored later is not there yet"
    assert from_code(method("()V"), bytes.fromhex("03 3c fe"), 3)[0].slot == 1, "up to what is not an instruction"


def test_scopes_of_a_variable_table() -> None:
    table = VariableTable(
        2,
        (
            Slot(0, "this", "LT;", "", 20, 0),
            Slot(0, "argument", "I", "", 20, 1),
            Slot(4, "early", "J", "", 6, 2),
            Slot(12, "late", "D", "", 8, 2),
        ),
    )
    names = {index: [each.name for each in from_table(table, index)] for index in (0, 3, 4, 9, 10, 12, 19)}
    assert names == {
        0: ["argument"],
        3: ["argument"],
        4: ["argument", "early"],
        9: ["argument", "early"],
        10: ["argument"],
        12: ["argument", "late"],
        19: ["argument", "late"],
    }
    assert [each.kind for each in from_table(table, 12)] == ["argument", "local"]


GUESSED = """
import java.util.*;
public class Guessed {
    public static void main(String[] args) throws Exception {
        List<String> usual = new ArrayList<>(List.of("a", "b"));
        List<String> linked = new LinkedList<>(usual);
        List<String> own = new Own();
        Map<String, Integer> tree = new TreeMap<>(Map.of("k", 1));
        Map<String, Integer> nothing = null;
        Object any = new StringBuilder("any");
        StringBuilder text = new StringBuilder("text");
        RuntimeException trouble = new IllegalStateException("bad");
        System.in.read(); // @look
    }
    static class Own extends ArrayList<String> { int extra = 7; }
}
"""


async def test_variables_are_the_same_over_a_slow_link(jvm: Jvm) -> None:
    """There, what they are likely to hold is looked up beside them; some of these guesses are wrong."""
    made = inline(GUESSED)
    shown: list[list[tuple[str, str, str]]] = []
    for rtt in (0.0, 0.02):
        async with start_target(jvm, made) as target, open_relay(target.address, rtt=rtt) as relay:
            async with jdbpy.attach_session(relay.address) as session:
                await session.breakpoints.add(f"Guessed:{made.line('look')}")
                stop = await session.execution.cont()
                assert isinstance(stop, jdbpy.Stopped)
                found = await session.stack.variables()
                assert all(each.value is not None for each in found)
                shown.append([(each.name, each.type, each.value.text) for each in found if each.value])
                await session.exit()
    near, high_latency = shown
    assert near == high_latency
    assert ("linked", "java.util.List<java.lang.String>", 'LinkedList(2) ["a", "b"]') in near


STACKED = """
public class Stacked {
    public static void main(String[] args) {
        System.out.println(down(2));
    }

    static int twice(int n) { return 2 * n; }

    static int down(int n) {
        String text = "at " + n;
        if (n > 0) {
            return down(n - 1) + text.length();
        }
        return 0; // @bottom
    }
}
"""


async def test_what_a_frame_holds_outlives_methods_that_are_run(jvm: Jvm) -> None:
    """Until a variable is set, frames of the same place are popped, or the thread goes on."""
    made = inline(STACKED)
    for rtt in (0.0, 0.02):
        async with start_target(jvm, made) as target, open_relay(target.address, rtt=rtt) as relay:
            async with jdbpy.attach_session(relay.address) as session:
                await session.breakpoints.add(f"Stacked:{made.line('bottom')}")
                await session.execution.cont()
                assert await values_of(session, "n", "twice(21)", "n + text") == ["0", "42", '"0at 0"']
                await session.values.assign("n", "twice(4)")
                assert await values_of(session, "n", "twice(n)", "n") == ["8", "16", "8"]
                before = session.statistics().commands
                assert await values_of(session, "n") == ["8"]
                assert session.statistics().commands == before
                await session.select_frame(2)
                assert await values_of(session, "n", "twice(n)", "text") == ["1", "2", '"at 1"']
                await session.select_frame(1)
                await session.execution.pop()
                assert await values_of(session, "n", "text") == ["1", '"at 1"']
                await session.execution.pop()
                assert await values_of(session, "n + text") == ['"2at 2"']
                await session.execution.cont()
                assert await values_of(session, "n", "text") == ["0", '"at 0"']
                await session.exit()


async def values_of(session: jdbpy.Session, *texts: str) -> list[str]:
    return [(await session.values.evaluate(text)).text for text in texts]


async def test_frames_that_the_agent_cannot_tell_apart_are_refused(jvm: Jvm) -> None:
    """Its frame ids hold 16 bits of the number: frame 65,537 is frame 1 to it."""
    deep = inline(
        """
        class Deep {
            public static void main(String[] args) throws Exception {
                Thread thread = new Thread(null, () -> down(65_600), "deep", 1L << 30);
                thread.start();
                thread.join();
            }
            static int down(int n) {
                if (n == 0)
                    return 0; // @bottom
                return down(n - 1) + 1;
            }
        }
        """
    )
    async with debug(jvm, deep) as d:
        await d.run_to("bottom")
        trace = await d.session.stack.of()
        last, first = trace.frames[65_535], trace.frames[65_536]
        found = {each.name: each.value and each.value.text for each in await d.session.stack.variables(last)}
        assert found == {"n": "65535"}
        with pytest.raises(StateError, match=r"frame 65537 .* those of frame 1\n  hint: "):
            await d.session.stack.variables(first)

"""Class files with calls at their lines, and the helpers that are called; ``tests/soak`` weaves whole programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from jdbpy.errors import StateError
from jdbpy.session.in_target.class_changes import NotInstalled
from jdbpy.session.in_target.install import attempt
from jdbpy.session.in_target.weave.condition_helper import helper_class, host_of
from jdbpy.session.in_target.weave.log_helper import log_class
from jdbpy.session.in_target.weave.method_wrap import protected
from jdbpy.session.in_target.weave.records import CheckCall, CheckCount, Emitted, Filters, WovenPlace
from jdbpy.session.in_target.weave.ring import RingReader, number
from jdbpy.session.in_target.weave.weaver import weave
from jdbpy.session.java.bytecode import decode
from jdbpy.session.java.class_file import FileMethod, parse
from jdbpy.session.java.edit.assembler import Assembler, CodeTooLong
from jdbpy.session.java.edit.class_parts import PoolFull
from jdbpy.session.java.edit.code_shift import CodeParts
from jdbpy.session.java.edit.code_variable import CheckParameter
from jdbpy.session.java.edit.slots import values_in_slots
from jdbpy.session.model.breakpoints import SuspendPolicy
from tests.harness import Jvm, Program, debug, inline, program
from tests.weaving.programs import places_of

INT = CheckParameter(0, "I", "n")


def method_of(program: Program, class_name: str, name: str) -> tuple[bytes, FileMethod]:
    data = (Path(program.classes) / f"{class_name}.class").read_bytes()
    return data, next(each for each in parse(data).methods if each.name == name)


def test_the_maps_of_indices_are_inverse() -> None:
    data, method = method_of(program("Woven"), "Woven", "caught")
    places = [each for each in places_of(data) if each.method == "caught"]
    woven = weave(data, places)
    found = woven.method(method.name, method.signature)
    assert found is not None and found.length == len(method.code)
    after = next(each for each in parse(woven.data).methods if each.name == "caught")
    assert len(after.code) == len(method.code) + sum(each.length for each in found.insertions)
    before = {each.index: each.opcode for each in decode(method.code)}
    now = {each.index: each.opcode for each in decode(after.code)}
    assert all(now[found.index_after(index)] == opcode for index, opcode in before.items())
    assert all(found.index_before(found.index_after(index)) == index for index in before)
    inserted = [index for index in now if found.is_inserted(index)]
    assert len(now) - len(inserted) == len(before)
    assert {found.index_before(index) for index in inserted} == {each.at for each in places}
    assert after.lines == tuple((found.start_after(index), line) for index, line in method.lines)
    assert all(after.code[found.start_after(each.at)] != 0 for each in places)


def refusals(data: bytes, *places: WovenPlace) -> list[tuple[str, str]]:
    return [(each.reason, each.text) for each in weave(data, places).refused]


def test_places_that_cannot_be_woven_are_refused_with_a_reason() -> None:
    original = program("Woven")
    data, method = method_of(original, "Woven$Derived", "<init>")
    lines = {line: at for at, line in method.lines}
    this = CheckCall("Helper", "check", (CheckParameter(0, "LWoven$Derived;", "this"),))
    first = WovenPlace("<init>", method.signature, lines[original.line("super")], this)
    behind = WovenPlace("<init>", method.signature, lines[original.line("behind")], this)
    assert refusals(data, first, behind) == [
        ("before super", "'this' cannot be read before the constructor has called super()")
    ]
    assert refusals(data, behind.replace(at=behind.at + 3)) == [
        ("no such place", "the class file has no such method or no instruction there")
    ]
    assert refusals(data, behind.replace(method="none"))[0][0] == "no such place"
    data, method = method_of(original, "Woven", "wide")
    early = WovenPlace("wide", method.signature, 0, CheckCall("Helper", "check", (CheckParameter(6, "J", "e"),)))
    assert refusals(data, early) == [("not alive", "the variable e has no value there")]
    bare, _ = method_of(program("Woven", debug="none"), "Woven", "wide")
    assert refusals(bare, early) == [("no variables", "the class was compiled without local variables (javac -g)")]
    argument = early.replace(
        call=CheckCall("Helper", "check", (CheckParameter(1, "J", "b"), CheckParameter(3, "D", "c")))
    )
    assert not refusals(bare, argument), "arguments that keep their values need no table"
    stored = early.replace(call=CheckCall("Helper", "check", (CheckParameter(5, "B", "d"),)))
    assert refusals(bare, stored)[0][0] == "no variables", "d++ changes it"


def test_code_that_cannot_be_reached_is_in_no_handler() -> None:
    """Groovy's compiler leaves ``nop; athrow`` behind returns, where no variable has a value."""
    code = CodeParts(stack=1, locals=1, code=bytes((0x2A, 0xB0, 0x00, 0xBF)), handlers=(), attributes=())
    assert protected(code, values_in_slots(code, {0: "L"}, frozenset())) == [(0, 2)]


def test_a_handler_outside_the_code_is_not_woven() -> None:
    data, method = method_of(program("Woven"), "Woven", "caught")
    at = data.index(method.code) + len(method.code)
    for row in (b"\0\0\xff\xff\0\0", b"\0\0\0\1\xff\xff", b"\0\1\0\1\0\0"):  # end, handler, nothing between
        spoilt = data[: at + 2] + row + data[at + 8 :]
        assert refusals(spoilt, WovenPlace("caught", method.signature, 0, CheckCall("Helper", "check", ()))) == [
            ("not read", "the method has something in it that jdbpy cannot read")
        ]


def test_long_methods_stay_what_the_jvm_compiles() -> None:
    """A method does not grow beyond 8,000 bytes, beyond 65,535, or beyond the reach of its jumps."""
    line = "a += n;\n"

    def places(lines: int) -> tuple[bytes, list[WovenPlace]]:
        source = "class T { public static void main(String[] a) { } static int far(int n) { int a = 0;"
        data, method = method_of(inline(f"{source} while (n-- > 0) {{\n{line * lines}}} return a; }} }}"), "T", "far")
        call = CheckCall("Helper", "check", (INT,))
        return data, [WovenPlace("far", method.signature, at, call) for at, _ in method.lines]

    data, wanted = places(1_900)
    done = weave(data, wanted)
    assert {each.reason for each in done.refused} == {"not compiled"}
    (method,) = [each for each in parse(done.data).methods if each.name == "far"]
    assert 7_900 < len(method.code) <= 8_000
    data, wanted = places(8_000)
    long = [each.replace(call=CheckCall("Helper", "check", (INT,) * 61)) for each in wanted[:20]]
    done = weave(data, long)
    assert {each.reason for each in done.refused} == {"jump too far"}
    assert len(done.methods[0].insertions) == 20 - len(done.refused) > 8


COUNTED = """
public class Counted {
    public static void main(String[] args) throws Exception {
        Counted one = new Counted(), other = new Counted();
        System.out.print(""); // @made
        for (int i = 0; i < 12; i++) {
            (i % 2 == 0 ? one : other).pass(i);
            (i % 2 == 0 ? one : other).count(i);
        }
        Thread thread = new Thread(() -> one.count(100));
        thread.start();
        thread.join();
        System.out.println("done"); // @done
    }

    boolean pass(int n) {
        return n > 0;
    }

    int count(int n) {
        return n;
    }

    boolean fits(int n) {
        return pass(n) && 12 / (n - 5) > 0 | n % 2 != 0;
    }
}
"""
THIS, N = CheckParameter(0, "LCounted;", "this"), CheckParameter(1, "I", "n")


def fits(code: Assembler) -> None:
    code.load_argument(0, "Ljava/lang/Object;")
    code.check_cast("LCounted;")
    code.load_argument(1, "I")
    code.call("Counted", "fits", "(I)Z")


def positive(code: Assembler) -> None:
    code.load_argument(1, "I")
    code.push_int(31)
    code.op("ishr")
    code.push_int(1)
    code.op("iadd")


async def test_a_helper_filters_counts_and_catches(jvm: Jvm, tmp_path: Path) -> None:
    """Helpers in a program that was woven beforehand: how many passes come to the trap, and how a condition fails.

    The first condition comes through its own line again, in the method that it calls, and passes by.
    """
    original = inline(COUNTED)
    data, method = method_of(original, "Counted", "pass")
    calling = Emitted(signature="Z", parameters=(THIS, N), handles=(), calls=True, write=fits)
    simple = Emitted(signature="Z", parameters=(N,), handles=(), calls=False, write=positive)
    helpers = [
        helper_class("Jdbpy__0", "Counted", calling),
        helper_class("Jdbpy__1", "Counted", simple, count=CheckCount("%", 3, ignore=1)),
        helper_class("Jdbpy__2", "Counted", None, count=CheckCount(">", 10)),
        helper_class("Jdbpy__3", "Counted", None, Filters(thread=True)),
        helper_class("Jdbpy__4", "Counted", None, Filters(instance=True), CheckCount("!=", 2)),
    ]
    for each in helpers:
        (tmp_path / f"{each.name}.class").write_bytes(each.data)
        assert host_of(parse(each.data).pool) == "Counted"
    first, *others = (each.call for each in helpers)
    places = [WovenPlace("count", "(I)I", 0, call) for call in others]
    woven = weave(data, [WovenPlace("pass", method.signature, 0, first), *places])
    assert not woven.refused
    (tmp_path / "Counted.class").write_bytes(woven.data)
    async with debug(jvm, original.replace(classes=str(tmp_path)), jvm_options=["-Xverify:all"]) as d:
        await d.run_to("made")
        d.ignored.add("breakpoint-hit")
        numbers = []
        for each in helpers:
            await d.session.values.evaluate(f'Class.forName("{each.name}")')
            point = await d.session.breakpoints.add(f"{each.name}.trap", policy=SuspendPolicy.NONE)
            numbers.append(point.number)
        await d.session.values.evaluate("Jdbpy__3.thread = Thread.currentThread()")
        await d.session.values.evaluate("Jdbpy__4.instance = one")
        await d.session.breakpoints.add("Jdbpy__0.failed")
        await d.session.breakpoints.add(d.at("done"))
        await d.resume()
        await d.wait_stop("breakpoint", frames=["Jdbpy__0.failed", "Jdbpy__0.check", "Counted.pass"])
        assert (await d.session.values.evaluate("thrown.getMessage()")).text == '"/ by zero"'
        await d.resume()
        await d.wait_stop("breakpoint", at="done")
        hits = [d.session.breakpoints.get(number).hits for number in numbers]
        assert hits == [8, 3, 3, 12, 6]
        await d.resume()
        await d.wait_exit()


LOGGED = """
public class Logged {
    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 40; i++) {
            line(i, i / 4f, i % 2 == 0 ? new StringBuilder("long text " + i) : null);
        }
        System.out.print(""); // @first
        for (int i = 40; i < 50; i++) {
            line(i, -i, "text");
        }
        System.out.println("done"); // @done
    }

    static void line(int n, double half, Object o) {
    }
}
"""


def value(slot: int, signature: str) -> Emitted:
    """A variable as the value of a logpoint."""
    signature_on_stack = "Ljava/lang/Object;" if signature[0] == "L" else signature
    parameter = CheckParameter(slot, signature)
    return Emitted(signature_on_stack, (parameter,), (), False, lambda code: code.load_argument(slot, signature))


def divided(code: Assembler) -> None:
    """``10 / n``, which fails for the first hit."""
    code.push_int(10)
    code.load_argument(0, "I")
    code.op("idiv")


async def test_the_ring_of_a_logpoint_keeps_what_fits(jvm: Jvm, tmp_path: Path) -> None:
    """Entries in order with thread, time, numbers and texts; what finds the ring full is counted, and so are failures;
    once the debugger has read, there is room again. A counter counts all hits."""
    original = inline(LOGGED)
    data, method = method_of(original, "Logged", "line")
    failing = Emitted(signature="I", parameters=(CheckParameter(0, "I"),), handles=(), calls=False, write=divided)
    values = [value(0, "I"), value(1, "D"), value(3, "Ljava/lang/Object;"), failing]
    ring = log_class("Jdbpy__0", "Logged", None, values, size=16, text=9)
    counter = log_class("Jdbpy__1", "Logged", None, size=0)
    for each in (ring, counter):
        (tmp_path / f"{each.name}.class").write_bytes(each.data)
    woven = weave(data, [WovenPlace("line", method.signature, 0, each.call) for each in (ring, counter)])
    assert not woven.refused
    (tmp_path / "Logged.class").write_bytes(woven.data)
    reader = RingReader(16)
    async with debug(jvm, original.replace(classes=str(tmp_path)), jvm_options=["-Xverify:all"]) as d:

        async def number_of(text: str) -> int:
            raw = (await d.session.values.evaluate(f"Jdbpy__0.{text}")).raw
            assert isinstance(raw, int)
            return raw

        async def array(name: str) -> list[str]:
            text = (await d.session.values.to_string(f"java.util.Arrays.toString(Jdbpy__0.{name})")).text
            return text.strip('"[]').split(", ")

        async def read() -> list[tuple[object, ...]]:
            ranges = [range(first, first + count) for first, count in reader.ranges(16)]
            names = ["STAMPS.array", *(each.field for each in ring.columns if each.field != "threads")]
            arrays = [await array(name) for name in names]
            stamps, *columns = [[found[n] for each in ranges for n in each] for found in arrays]
            return list(reader.take([int(stamp) for stamp in stamps], *columns))

        await d.run_to("first")
        assert [await number_of(f"{name}.get()") for name in ("HEAD", "DROPPED", "FAILURES")] == [16, 23, 1]
        assert (await d.session.values.evaluate("Jdbpy__0.thrown")).type == "java.lang.ArithmeticException"
        entries = await read()
        assert [(n, number("D", int(str(half)))) for _, n, half, *_ in entries] == [
            (str(n), n / 4) for n in range(1, 17)
        ]
        assert [entry[3] for entry in entries[:2]] == ["null", "long text"]
        assert entries[0][4] == "10" and int(str(entries[0][0])) > 1_600_000_000_000
        assert (await d.session.values.evaluate("Jdbpy__0.threads[1] == Thread.currentThread()")).raw
        assert await read() == []
        await d.session.values.evaluate(f"Jdbpy__0.read = {reader.next}L")
        await d.run_to("done")
        entries = await read()
        assert [(n, number("D", int(str(half))), text) for _, n, half, text, _ in entries] == [
            (str(n), -n, "text") for n in range(40, 50)
        ]
        assert await number_of("DROPPED.get()") == 23
        assert (await d.session.values.evaluate("Jdbpy__1.HITS.get()")).raw == 50
        await d.resume()
        await d.wait_exit()


@pytest.mark.parametrize("error", [CodeTooLong(), PoolFull(), StateError("no thread"), NotInstalled("it is busy")])
async def test_what_cannot_be_installed_is_a_reason_and_no_error(error: Exception) -> None:
    async def installing() -> None:
        raise error

    assert isinstance(await attempt(installing()), NotInstalled)

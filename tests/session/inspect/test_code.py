"""Bytecode and constant pools of real JVMs, beside what javap prints of the same class file."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import trio

from jdbpy import code
from jdbpy.errors import StateError, UsageError
from jdbpy.session.java.class_file import parse
from jdbpy.session.java.constant_pool import ConstantPool, MalformedPool, class_names, read_pool
from tests.harness import Jvm, debug, program
from tests.harness.jvms import javac

pytestmark = pytest.mark.one_java

CODES = program("Codes")


def javap() -> dict[str, list[tuple[int, str, str]]]:
    """Of each method (name and descriptor): index, instruction with operands, and comment, as javap has them."""
    command = [str(Path(javac()).with_name("javap")), "-c", "-p", "-s", "-cp", CODES.classes, "Codes"]
    text = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    found: dict[str, list[tuple[int, str, str]]] = {}
    name = ""
    for line in text.splitlines():
        if head := re.match(r"  .*?([\w$<>]+)\(.*\)|  (static) \{\}", line):
            name = "<clinit>" if head[2] else head[1]
        elif descriptor := re.match(r"    descriptor: (\S+)", line):
            name = f"{'<init>' if name == 'Codes' else name}{descriptor[1]}"
            found[name] = []
        elif row := re.match(r"\s+(\d+): ([a-z]\w*)\s*([^/{]*?)\s*(?:\{.*)?(?:// (.*))?$", line):
            found[name].append((int(row[1]), f"{row[2]} {' '.join(row[3].split())}".strip(), row[4] or ""))
    return found


def ours(method: code.Disassembly) -> list[tuple[int, str, str]]:
    """The same of our own; names of variables and numbers of cases, which javap does not give, are left out."""
    rows = []
    for each in method.instructions:
        of_pool = each.operands.startswith("#")
        meaning = each.meaning if of_pool else ""
        rows.append((each.index, f"{each.name} {each.operands}".strip(), meaning))
    return rows


async def test_methods_are_disassembled_as_javap_does(jvm: Jvm) -> None:
    async with debug(jvm, CODES) as d:
        await d.run_to("last")
        shown = {f"{each.method}{each.signature}": each for each in await d.session.code.disassemble("Codes")}
        expected = javap()
        assert {name: ours(method) for name, method in shown.items() if method.instructions} == {
            name: rows for name, rows in expected.items() if rows
        }
        assert "native" in shown["nothing()V"].note
        every = shown["all(IJ)J"]
        switches = {each.name: each.cases for each in every.instructions if each.cases}
        assert [case.label for case in switches["lookupswitch"]][-1] == "default"
        assert {"-7", "0", "1", "2"} <= {case.label for each in every.instructions for case in each.cases}
        indices = {each.index for each in every.instructions}
        assert all(case.target in indices for cases in switches.values() for case in cases)
        assert {each.meaning for each in every.instructions if each.name in ("iinc", "lstore")} >= {"i", "sum"}
        await d.resume()
        await d.wait_exit()


@pytest.mark.usefixtures("nothing_ahead")
async def test_the_selected_frame_is_marked(jvm: Jvm) -> None:
    async with debug(jvm, CODES) as d:
        await d.run_to("loop")
        before = d.session.statistics().waves
        [method] = await d.session.code.disassemble()
        assert d.session.statistics().waves - before <= 3
        assert (method.class_name, method.method, method.parameters, method.returns) == (
            "Codes", "all", ("int", "long"), "long",
        )  # fmt: skip
        [current] = [each for each in method.instructions if each.current]
        assert current.line == d.program.line("loop")
        lines = [each.line for each in method.instructions if each.line is not None]
        assert lines[0] == d.program.line("first")
        assert {d.program.line("loop"), d.program.line("last")} <= set(lines)
        await d.session.up()
        [caller] = await d.session.code.disassemble()
        assert caller.method == "main"
        for text in ("Codes.all", "Codes.all(int,long)", "all(int,long)"):
            assert [each.method for each in await d.session.code.disassemble(text)] == ["all"]
        for text, message in (
            ("Codes.nothere", "no method nothere in Codes"),
            ("Codes.all(int)", "no method all"),
            ("Codes:12", "is not a method"),
            ("Nowhere.run", "no class Nowhere is loaded"),
        ):
            with pytest.raises(UsageError, match=message):
                await d.session.code.disassemble(text)
        with pytest.raises(StateError, match="does not give the constant pool"):
            await d.session.code.constant_pool("int[]")
        await d.resume()
        await d.wait_exit()


async def test_the_constant_pool_is_that_of_the_class_file(jvm: Jvm) -> None:
    async with debug(jvm, CODES) as d:
        await d.run_to("call")
        listed = await d.session.code.constant_pool("Codes")
        pool = parse(await trio.Path(CODES.classes, "Codes.class").read_bytes()).pool
        assert [(each.index, each.references, each.text) for each in listed.entries] == [
            (index, pool.references(index), pool.text(index)) for index in pool
        ]
        texts = {(each.kind, each.text) for each in listed.entries}
        assert {
            ("Long", "5000000000l"),
            ("Long", "40000l"),
            ("Methodref", 'java/lang/Object."<init>":()V'),
            ("Class", '"[[I"'),
            ("String", "thousand"),
        } <= texts
        assert any(kind == "InvokeDynamic" and text.endswith("run:()Ljava/lang/Runnable;") for kind, text in texts)
        await d.resume()
        await d.wait_exit()


@pytest.mark.parametrize(
    ("count", "data"),
    [(2, b""), (2, b"\x63"), (2, b"\x01\x00\x05ab"), (3, b"\x05\x00\x00"), (2, b"\x07\x00")],
)
def test_a_damaged_pool_is_told(count: int, data: bytes) -> None:
    with pytest.raises(MalformedPool):
        ConstantPool(count, data)
    assert read_pool(count, data) is None
    assert class_names(count, data) is None


def test_entries_that_refer_to_nothing() -> None:
    """Obfuscators write such; no listing may fail on them."""
    pool = ConstantPool(5, b"\x07\x00\x09" + b"\x0a\x00\x01\x00\x08" + b"\x0f\x09\x00\x03" + b"\x12\x00\x01\x00\x02")
    assert [pool.text(index) for index in pool] == ["", ".?", "REF_invokeInterface ?", "#1:?"]
    assert pool.text(77) == "?"

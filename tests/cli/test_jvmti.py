"""The table of the JVM Tool Interface: complete, and honest about what it calls reachable."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from jdbpy.cli import jvmti
from jdbpy.cli.commands import TABLE
from jdbpy.session.model.events import StopReason
from tests.cli.process import jdbpy, launching, script
from tests.harness import Jvm, debug, program

ROOT = Path(__file__).resolve().parents[2]
SHIPS = program("Hoard")


def test_every_name_of_the_specification_has_one_row() -> None:
    assert Counter(row.kind for row in jvmti.rows()) == {"function": 151, "event": 34, "capability": 45}
    assert len({(row.kind, row.name) for row in jvmti.rows()}) == len(jvmti.rows())


def test_what_is_out_of_reach_says_why() -> None:
    assert not [row.name for row in jvmti.rows() if not row.reachable and (not row.note or row.command or row.test)]


def test_what_is_reachable_names_a_command_and_a_test() -> None:
    wrong = [row.name for row in jvmti.rows() if row.reachable and not (TABLE.find(row.command) and row.via)]
    assert not wrong
    missing = {row.test for row in jvmti.rows() if row.reachable} - _tests()
    assert not missing


def _tests() -> set[str]:
    """Every test of the suite, "tests/session/inspect/test_heap.py::test_a_heap_dump"."""
    return {
        f"{file.relative_to(ROOT)}::{node.name}"
        for file in (ROOT / "tests").rglob("test_*.py")
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    }


@pytest.mark.parametrize("reach", jvmti.REACH)
def test_every_row_is_told_in_words(reach: str) -> None:
    told = [jvmti.in_words(row) for row in jvmti.rows() if row.reach == reach]
    assert told
    assert all(jvmti.REACH[reach] in text for text in told)


async def test_at_the_prompt(any_jvm: Jvm) -> None:
    lines = ["help jvmti", "help jvmti popframe", "help jvmti IterateThroughHeap", "help jvmti PopFrames"]
    done = await jdbpy(*launching(SHIPS, "--json", "--keep-going", *script(*lines)), jvm=any_jvm)
    counted, pop, heap, unknown = done.results
    assert "reached by the debug protocol" in counted["data"]["text"]
    assert "command: pop" in pop["data"]["text"]
    assert "command: histogram --bytes" in heap["data"]["text"]
    assert "PopFrame" in unknown["error"]["hint"]


async def test_what_needs_no_command_of_its_own(jvm: Jvm) -> None:
    """Rows whose command is an expression: it is evaluated as it stands in the table."""
    rows = [row for row in jvmti.rows() if row.command.startswith("print ")]
    assert rows
    async with debug(jvm, "Hoard") as d:
        await d.session.breakpoints.add("java.io.PrintStream.println")
        await d.check_stop(await d.session.execution.cont(), StopReason.BREAKPOINT)
        for row in rows:
            value = await d.session.values.evaluate(row.command.removeprefix("print "))
            assert value.type in ("int", "void", "byte[]", "java.io.PrintStream"), row.command


async def test_classes_that_a_loader_sees(jvm: Jvm) -> None:
    async with debug(jvm, "Hoard") as d:
        await d.session.breakpoints.add(d.at("look"))
        await d.check_stop(await d.session.execution.cont(), StopReason.BREAKPOINT)
        everything = {each.name for each in await d.session.classes.list()}
        ours = {each.name for each in await d.session.classes.list(visible_to="Hoard")}
        boot = {each.name for each in await d.session.classes.list(visible_to="java.lang.Object")}
        assert {"Hoard", "Hoard$Node", "java.lang.String"} <= ours < everything
        assert "java.lang.String" in boot
        assert "Hoard" not in boot

"""The scripts of examples/, each run as a user runs it, on real JVMs."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import trio

import jdbpy.sync as jdbpy
from tests.harness import LIMIT, Jvm, program, start_target, within
from tests.harness.jvms import javac
from tests.harness.reading import received

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
LAB = program("Lab")
LONGEST = 30


async def run(
    jvm: Jvm, name: str, *arguments: str, line: str = "", before: str = "", jvms: int = 1, status: int = 0
) -> str:
    """Run an example on Lab and return what it printed; it must end with that status.

    ``before`` is a line of input that Lab has carried out when the example begins; ``line`` is given to it again and
    again while the example runs: when it is ready is its own business.
    """
    async with AsyncExitStack() as stack:
        targets = [await stack.enter_async_context(start_target(jvm, LAB, suspend=False)) for _ in range(jvms)]
        for target in targets:
            await target.wait_output("ready")
        lab = targets[0]

        done = 0

        async def carry_out(text: str) -> None:
            nonlocal done
            done += 1
            await lab.send(f"{text};done")
            await lab.wait_lines("done", done)

        if before:
            await carry_out(before)
        command = [sys.executable, "-W", "error", str(EXAMPLES / name)]
        command += [*(target.address for target in targets), *arguments]
        process = await trio.lowlevel.open_process(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=ROOT
        )
        assert process.stdout is not None
        text = b""

        async def nudge() -> None:
            while line:
                await carry_out(line)

        try:
            with within(2 * LIMIT):
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(nudge)
                    while (piece := await process.stdout.receive_some()) != b"":
                        text += piece
                    nursery.cancel_scope.cancel()
                assert await process.wait() == status, text.decode()
        finally:
            process.kill()
        return text.decode()


async def test_who_passes_null(jvm: Jvm) -> None:
    text = await run(jvm, "who_passes_null.py", "lab.Lab.submit", "customer", "2", line="pool 2 10")
    assert re.search(r"\d+ times  lab\.Lab\.lambda\$pool\$\d\(Lab\.java:\d+\)", text), text


async def test_log_queries(jvm: Jvm) -> None:
    text = await run(jvm, "log_queries.py", "lab.Lab.query", "sql", "2", line="report 7")
    assert "[main] select * from orders where customer = 7\n         from lab.Lab.report(Lab.java:" in text
    assert "[main] select name from customers where id = 7\n" in text


async def test_who_holds_lock(jvm: Jvm) -> None:
    text = await run(jvm, "who_holds_lock.py", "lab.Lab.LOCK", "1", before="hold")
    held = r"holder has held lab\.Lab\.LOCK for at least \d+\.\d s, entered in .*lambda\$hold"
    assert re.search(held, text), text
    assert "waiting for it: ['waiter']" in text
    assert "lab.Lab.LOCK is free" in await run(jvm, "who_holds_lock.py", "lab.Lab.LOCK", "0.1", status=1)


async def test_fail_on_null(jvm: Jvm) -> None:
    text = await run(jvm, "fail_on_null.py", "lab.Lab.find", line="find a;find", status=1)
    assert "lab.Lab.find has returned null:\n    at lab.Lab.find(Lab.java:" in text
    assert "    at lab.Lab.does(" in text


async def test_compare_histograms(jvm: Jvm) -> None:
    text = await run(jvm, "compare_histograms.py", "0.5", before="hoard")
    rows = re.findall(r"^(\S+) +(-?[\d,]+)$", text, re.MULTILINE)
    assert int(dict(rows)["lab.Lab$Kept"].replace(",", "")) > 0, text


async def test_force_retry(jvm: Jvm) -> None:
    forced = 'new java.io.IOException("forced")'
    text = await run(jvm, "force_retry.py", "lab.Lab.fetch", forced, "2", line="retry 5")
    assert text.count(f"main: lab.Lab.fetch(Lab.java:{LAB.line('fetch')}) throws {forced}") == 2


async def test_linked_structure(jvm: Jvm) -> None:
    text = await run(jvm, "linked_structure.py", "lab.Lab.HEAD", "next")
    assert text.splitlines() == [f'{{"name": "node {number}"}}' for number in range(1000)]


async def test_time_by_method(jvm: Jvm) -> None:
    text = await run(jvm, "time_by_method.py", "lab.calc.*", "0.5", before="calc")
    assert text.splitlines()[0].split() == ["method", "seconds", "own", "share"]
    called, caller = (line.split() for line in text.splitlines()[1:3])
    assert (called[0], caller[0]) == ("lab.calc.Primes.count", "lab.calc.Sums.sum")
    assert (called[1], caller[2]) == (called[2], "0.000")


async def test_swap_fix(jvm: Jvm, tmp_path: Path) -> None:
    source = (ROOT / "fixtures/Lab/lab/Lab.java").read_text()
    fixed = tmp_path / "Lab.java"
    fixed.write_text(source.replace("return key.isEmpty() ? null : key.trim();", 'return key.isEmpty() ? "?" : key;'))
    command = [javac(), "-g", "--release", "17", "-cp", LAB.classes, "-d", str(tmp_path / "classes"), str(fixed)]
    await trio.run_process(command)
    text = await run(jvm, "swap_fix.py", str(tmp_path / "classes"), before="find")
    assert "replaced lab.Lab: " in text
    assert "find" in text.splitlines()[0]
    assert "1 replaced" in text


async def test_swap_loop(jvm: Jvm, tmp_path: Path) -> None:
    """It swaps what is there when it begins, and what is compiled while it runs; it ends with the JVM."""
    source = (ROOT / "fixtures/Lab/lab/Lab.java").read_text()
    fixed, classes = tmp_path / "Lab.java", str(tmp_path / "classes")

    async def build(mark: str) -> None:
        fixed.write_text(source.replace("return key.isEmpty() ? null : key.trim();", f'return key + "{mark}";'))
        await trio.run_process([javac(), "-g", "--release", "17", "-cp", LAB.classes, "-d", classes, str(fixed)])

    async with start_target(jvm, LAB, suspend=False) as lab:
        await lab.send("find a")
        await lab.wait_output("found a\n")
        command = [sys.executable, "-W", "error", str(EXAMPLES / "swap_loop.py"), lab.address, classes]
        await build("!")
        process = await trio.lowlevel.open_process(command, stdout=subprocess.PIPE, cwd=ROOT)
        assert process.stdout is not None
        try:
            with within(2 * LIMIT):
                await received(process.stdout, b"replaced lab.Lab: ")
                await lab.send("find b")
                await lab.wait_output("found b!\n")
                await build("?")
                await received(process.stdout, b"replaced lab.Lab: ")
                await lab.send("find c;quit")
                await lab.wait_output("found c?\n")
                assert await process.wait() == 0
        finally:
            process.kill()


async def test_who_changes_field(jvm: Jvm) -> None:
    text = await run(jvm, "who_changes_field.py", "lab.Lab.served", "2", line="nothing")
    change = r"\[main\] (\d+) -> (\d+) at lab\.Lab\.nothing\(Lab\.java:\d+\)\n    called from lab\.Lab\.does\("
    found = re.findall(change, text)
    assert found, text
    assert all(int(new) == int(old) + 1 for old, new in found)


async def test_snapshot_on_oom(jvm: Jvm, tmp_path: Path) -> None:
    file = tmp_path / "oom.jdbpy"
    text = await run(jvm, "snapshot_on_oom.py", str(file), line="fill")
    assert "main: java.lang.OutOfMemoryError: no room for 0\n    at lab.Lab.fill(Lab.java:" in text
    with jdbpy.open_snapshot(file) as vm:
        [main] = [stack for stack in vm.stacks() if stack.thread.name == "main"]
        assert [frame.method for frame in main][:2] == ["fill", "does"]
        assert main[1]["words"].python() == ["fill"]
        with pytest.raises(jdbpy.StateError):
            main[1].eval("words.clone()")


async def test_compare_jvms(jvm: Jvm) -> None:
    text = await run(jvm, "compare_jvms.py", "lab.*", before="load lab.calc.Sums;find", jvms=2)
    assert "only in the first:  lab.calc.Sums" in text
    assert "only in the second: nothing" in text
    assert "the same instances of each class" in text


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.py")), ids=lambda each: each.name)
def test_examples_are_short(example: Path) -> None:
    assert len(example.read_text().splitlines()) < LONGEST


def test_every_example_has_its_test() -> None:
    here = Path(__file__).read_text()
    assert [each.name for each in EXAMPLES.glob("*.py") if f'"{each.name}"' not in here] == []


def test_every_example_is_in_the_table() -> None:
    table = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert [each.name for each in EXAMPLES.glob("*.py") if f"({each.name})" not in table] == []

"""Recorded calls written as tests for JUnit: they compile, and they pass."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import trio

from jdbpy.errors import StateError, UsageError
from jdbpy.session.recorded.java_source import java_string
from tests.harness import LIMIT, Jvm, debug, program
from tests.harness.jvms import javac

pytestmark = pytest.mark.one_java

STUB = program("JUnitStub")
WRITTEN = program("Written")
TESTS = ["everything", "third", "halves", "moved", "line", "shade", "none", "order", "refuse", "add", "hidden"]
LEFT = {"order": "it returned Order@", "add": "book was Book@", "half": "thread was Thread@"}
REFUSED = {
    "secret": "secret is private",
    "opaque": "thread was Thread@",
    "cut": "only the beginning of 300 characters was kept",
}


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def compiled_and_run(jvm: Jvm, directory: Path, names: list[str]) -> str:
    """Return what the tests of a directory say when they run."""
    paths = os.pathsep.join([WRITTEN.classes, STUB.classes])
    sources = sorted(map(str, directory.glob("*.java")))
    run(javac(), "-encoding", "ascii", "--release", "17", "-cp", paths, "-d", str(directory), *sources)
    return run(jvm.java, "-cp", os.pathsep.join([paths, str(directory)]), STUB.main, *names)


async def test_what_is_written_compiles_and_passes(jvm: Jvm, tmp_path: Path) -> None:
    """Values of every kind, for both versions; what cannot be written is said."""
    async with debug(jvm, WRITTEN) as d:
        recorder = d.session.recorder
        await recorder.record("shop.Book.*", depth=3)
        await d.run_to("sold")
        await recorder.refresh()
        calls = {each.method.method: each for each in recorder.calls}
        names: list[str] = []
        left: dict[str, str] = {}
        for version in (4, 5):
            for name in [*TESTS, "half"]:
                made = f"{name.capitalize()}{version}Test"
                test = await recorder.junit(calls[name], version=version, path=str(tmp_path / f"{made}.java"))
                assert test.class_name == made
                left.update((name, each) for each in test.todo)
                if name != "half":
                    names.append(f"shop.{made}")
        assert {name: each.partition("@")[0] + "@" for name, each in left.items()} == LEFT
        for name, why in REFUSED.items():
            with pytest.raises(StateError, match=f"no test can make recorded call .*{why}"):
                await recorder.junit(calls[name])
        with pytest.raises(UsageError, match="it is there already"):
            await recorder.junit(calls["add"], path=str(tmp_path / "Add4Test.java"))
    told = await trio.to_thread.run_sync(compiled_and_run, jvm, tmp_path, names)
    passed = [line.split()[1] for line in told.splitlines() if line.startswith("passed")]
    assert [each for each in names if each not in passed] == [f"shop.Add{version}Test" for version in (4, 5)], told


def test_no_text_ends_its_literal() -> None:
    assert java_string('\\u000a"\n\x1b1\u2028\ud800') == '"\\\\u000a\\"\\n\\0331\\u2028\\ud800"'

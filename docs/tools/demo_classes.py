"""Compiles the demo's Java source into the classes that the package ships."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from jdbpy.demo.program import CLASSES, JAVA_SOURCE, RELEASE
from tests.harness.jvms import javac


def compile_demo(into: Path = CLASSES) -> None:
    """Compile all of the demo's source into a directory, which is emptied first."""
    shutil.rmtree(into, ignore_errors=True)
    flags = ["-g", "--release", str(RELEASE), "-encoding", "UTF-8", "-Xlint:-options"]
    subprocess.run([javac(), *flags, "-d", str(into), *map(str, sorted(JAVA_SOURCE.rglob("*.java")))], check=True)

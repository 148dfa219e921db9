"""javac for tests: one JVM a process compiles one program after the other, which takes a tenth of a JVM for each.

What it is given and what it answers is in ``Compiler.java``.
"""

from __future__ import annotations

import atexit
import functools
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.harness.jvms import BRIEF

_SERVER = Path(__file__).with_name("Compiler.java")
_EXPORTS = ("--add-exports", "jdk.compiler/com.sun.tools.javac=ALL-UNNAMED")


def compile_java(javac: str, arguments: Sequence[str]) -> None:
    """Run this javac with these arguments. Raises RuntimeError with its words if it finds fault."""
    compiler = _started(javac)
    assert compiler.stdin is not None and compiler.stdout is not None
    request = "".join(f"{line}\n" for line in (str(len(arguments)), *arguments))
    compiler.stdin.write(request.encode())
    compiler.stdin.flush()
    status, _, length = compiler.stdout.readline().partition(b" ")
    if not length:
        raise RuntimeError(f"javac of {javac} has ended with {compiler.wait()}")
    said = compiler.stdout.read(int(length)).decode()
    if status != b"0":
        raise RuntimeError(f"javac: {said}")


@functools.cache
def _started(javac: str) -> subprocess.Popen[bytes]:
    """The process of this javac; it ends with its input, when this process ends."""
    java = str(Path(javac).with_name("java"))
    command = [java, *BRIEF, "-Xshare:auto", "-Xmx256m", *_EXPORTS, str(_SERVER)]
    started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    atexit.register(_end, started)
    return started


def _end(compiler: subprocess.Popen[bytes]) -> None:
    with compiler:
        assert compiler.stdin is not None
        compiler.stdin.close()
        compiler.kill()

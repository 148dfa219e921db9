"""The core of a debugger works without what hangs on to it: nothing imports an extension that the user does not use."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import trio

import jdbpy
from docs.tools.trees import tree_of
from tests.harness import Jvm, inline, start_target

PROGRAM = inline("""
class Core {
    public static void main(String[] args) {
        for (int i = 0; i < 3; i++) {
            int twice = 2 * i; // @loop
            total += twice;
        }
    }
    static int total;
}
""")

WITHOUT = """
import importlib, importlib.abc, sys

class Deleted(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in {deleted}:
            raise ModuleNotFoundError(f"deleted: {{name}}", name=name)

sys.meta_path.insert(0, Deleted())
import trio
import jdbpy

async def main():
    async with jdbpy.attach_session({address!r}, options=jdbpy.Options(in_target="off")) as session:
        await session.next_stop()
        point = await session.breakpoints.add({place!r}, condition="i > 0")
        await session.traces.methods(method="Core.main", options=jdbpy.PointOptions(policy=jdbpy.SuspendPolicy.NONE))
        stop = await session.execution.cont()
        values = [f"{{each.name}}={{each.value.text}}" for each in await session.stack.variables()]
        print(stop.frame.location.method, values)
        stop = await session.execution.step(jdbpy.StepDepth.OVER)
        print((await session.values.evaluate("twice + total")).text, session.breakpoints.get(point.number).hits)
        await session.points.remove([point.number])
        await session.watchpoints.add("Core.total")
        print((await session.execution.cont()).reason)
        await session.execution.suspend()

trio.run(main)
print(sorted(name for name in sys.modules if name in {deleted}))
"""

EXTENSIONS = ("in_target", "calls", "snapshots")


async def test_a_session_works_where_the_extensions_are_deleted(jvm: Jvm) -> None:
    async with start_target(jvm, PROGRAM) as target:
        deleted = {f"jdbpy.session.{each}" for each in EXTENSIONS}
        script = WITHOUT.format(deleted=deleted, address=target.address, place=PROGRAM.at("loop"))
        command = [sys.executable, "-c", script]
        done = await trio.run_process(command, capture_stdout=True, capture_stderr=True, check=False)
    assert done.stderr.decode() == ""
    assert done.stdout.decode().splitlines() == [
        "main ['args=String[0] {}', 'i=1']",
        "2 1",
        "modification",
        "[]",
    ]


NEEDED = {
    "jdbpy/serve/observations.py": "calls",  # observed calls, as scripts of the server get them
    "jdbpy/session/class_dump.py": "in_target",  # has the class files of what runs
    "jdbpy/session/connect/build_failures.py": "snapshots",  # writes them
    "jdbpy/session/connect/offline.py": "snapshots",  # opens them
    "jdbpy/session/packets/reading.py": "snapshots",  # reads recordings
}
"""What is deleted with an extension, beside its folder and its property of the session."""


def test_nothing_else_loads_an_extension_when_it_is_loaded_itself() -> None:
    package = Path(jdbpy.__file__).parent
    found = {}
    for file in package.rglob("*.py"):
        within = file.relative_to(package).parts
        if within[0] == "session" and within[1] in EXTENSIONS:
            continue
        for node in tree_of(file).body:  # neither in functions nor under TYPE_CHECKING
            parts = (node.module or "").split(".") if isinstance(node, ast.ImportFrom) else []
            if parts[:2] == ["jdbpy", "session"] and {*parts[2:3]} & {*EXTENSIONS}:
                found[str(file.relative_to(package.parent))] = parts[2]
    assert found == NEEDED

"""Workspaces as Maven and Gradle lay them out: several modules, a source root each, one file name in two packages."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.dap.client import dap_client
from tests.harness import Jvm, Program, program, start_target

MODULES = {"com/acme/app": "app", "com/acme/lib": "lib"}
"""The module of each package."""


def lay_out(modules: Program, workspace: Path) -> None:
    """Copy the sources to where a build of several modules has them, beside roots of tests and of generated files."""
    for package, module in MODULES.items():
        shutil.copytree(Path(modules.sources, package), workspace / module / "src/main/java" / package)
        for root in ("src/test/java", "build/generated/sources/java"):
            (workspace / module / root / package).mkdir(parents=True)


def file_of(modules: Program, marker: str, workspace: Path) -> Path:
    """The file of a marker in the workspace."""
    path = Path(modules.markers[marker][0])
    return workspace / MODULES[str(path.parent)] / "src/main/java" / path


ROOTS = {
    "maven": ["app/src/main/java", "app/src/test/java", "lib/src/main/java", "lib/src/test/java"],
    "gradle": ["*/src/*/java", "*/build/generated/sources/java"],
}


@pytest.mark.parametrize("layout", ROOTS)
async def test_files_of_modules_are_those_of_the_classes(jvm: Jvm, layout: str, tmp_path: Path) -> None:
    modules = program("Modules")
    lay_out(modules, tmp_path)
    theirs, own = (file_of(modules, marker, tmp_path) for marker in ("their-item", "own-item"))
    async with start_target(jvm, modules) as target, dap_client() as dap:
        await dap.attach(target, sourcePaths=[str(tmp_path / root) for root in ROOTS[layout]])
        [point] = await dap.set_breakpoints(str(theirs), [{"line": modules.line("their-item")}])
        assert not point["verified"]  # its class is not loaded yet
        [other] = await dap.set_breakpoints(str(own), [{"line": modules.line("own-item")}])
        await dap.request("configurationDone")
        stop = await dap.stopped("breakpoint", hitBreakpointIds=[other["id"]])
        [top, caller] = await dap.frames(stop)
        assert [top["source"]["path"], top["line"]] == [str(own), modules.line("own-item")]
        assert caller["source"]["path"] == str(file_of(modules, "start", tmp_path))
        await dap.request("continue", threadId=stop["threadId"])
        stop = await dap.stopped("breakpoint", hitBreakpointIds=[point["id"]])
        changed = [each["body"]["breakpoint"] for each in dap.events if each["event"] == "breakpoint"]
        assert any(each["id"] == point["id"] and each["verified"] for each in changed)
        files = [(frame["source"]["path"], frame["line"]) for frame in await dap.frames(stop)]
        markers = ("their-item", "total", "price")
        assert files == [(str(file_of(modules, each, tmp_path)), modules.line(each)) for each in markers]
        await dap.request("disconnect", terminateDebuggee=True)
        await dap.event("terminated")


async def test_modules_of_a_client_on_windows(any_jvm: Jvm, tmp_path: Path) -> None:
    modules = program("Modules")
    lay_out(modules, tmp_path)
    root, package = "C:\\Users\\ann\\shop", "src\\main\\java\\com\\acme"
    path = f"{root}\\lib\\{package}\\lib\\Item.java"
    async with start_target(any_jvm, modules) as target, dap_client() as dap:
        await dap.attach(
            target,
            sourcePaths=[str(tmp_path / root) for root in ROOTS["maven"]],
            pathMappings=[{"localRoot": root, "remoteRoot": str(tmp_path)}],
        )
        await dap.set_breakpoints(path, [{"line": modules.line("their-item")}])
        await dap.request("configurationDone")
        stop = await dap.stopped("breakpoint")
        files = [frame["source"]["path"] for frame in await dap.frames(stop)]
        others = [f"{root}\\lib\\{package}\\lib\\Price.java", f"{root}\\app\\{package}\\app\\Modules.java"]
        assert files == [path, *others]
        await dap.request("disconnect", terminateDebuggee=True)
        await dap.event("terminated")

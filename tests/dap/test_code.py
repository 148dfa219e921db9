"""Sources out of archives, disassembled classes on their lines, instructions, modules, lists of sources."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

from tests.dap.client import dap_client, source_of
from tests.harness import Jvm, program, start_target
from tests.harness.remote import write_program


def read(path: str) -> str:
    """The text of a file."""
    return Path(path).read_text(encoding="utf-8")


async def test_a_source_in_a_jar_has_a_number_and_breakpoints(jvm: Jvm, tmp_path: Path) -> None:
    jar = tmp_path / "sources.jar"
    shop = program("Stepping")
    text = read(source_of(shop, "start"))
    with zipfile.ZipFile(jar, "w") as archive:
        archive.write(source_of(shop, "start"), "Stepping.java")
    async with start_target(jvm, shop) as target, dap_client() as dap:
        await dap.attach(target, sourcePaths=[str(jar)])
        await dap.breakpoints(shop, "start")
        await dap.request("configurationDone")
        stop = await dap.stopped("breakpoint")
        [top] = await dap.frames(stop)
        source = top["source"]
        assert source["name"] == "Stepping.java" and "path" not in source and str(jar) in source["origin"]
        shown = await dap.request("source", source=source, sourceReference=source["sourceReference"])
        assert shown["content"] == text and shown["mimeType"] == "text/x-java"
        found = await dap.request("setBreakpoints", source=source, breakpoints=[{"line": shop.line("in-twice")}])
        assert found["breakpoints"][0]["verified"]
        assert "no source" in await dap.refused("source", sourceReference=77)
        await dap.request("continue", threadId=stop["threadId"])
        stop = await dap.stopped("breakpoint")
        assert (await dap.frames(stop))[0]["line"] == shop.line("in-twice")
        await dap.request("disconnect", terminateDebuggee=True)
        await dap.event("terminated")


async def test_a_class_without_source_is_shown_as_instructions_on_its_lines(jvm: Jvm, tmp_path: Path) -> None:
    stepping = program("Stepping")
    async with start_target(jvm, stepping) as target, dap_client() as dap:
        await dap.attach(target, sourcePaths=[str(tmp_path)])
        await dap.breakpoints(stepping, "in-twice")
        await dap.request("configurationDone")
        stop = await dap.stopped("breakpoint")
        [top, _] = await dap.frames(stop)
        assert top["source"]["origin"] == "disassembly"
        lines = (await dap.request("source", sourceReference=top["source"]["sourceReference"]))["content"].split("\n")
        assert lines[top["line"] - 1].startswith("twice(int): 0 iload_0")
        assert "imul" in lines[stepping.line("in-twice") - 1] and "ireturn" in lines[stepping.line("return-twice") - 1]
        around = await dap.request(
            "disassemble",
            memoryReference=top["instructionPointerReference"],
            instructionOffset=-2,
            instructionCount=10,
        )
        texts = [each["instruction"].partition(" /*")[0] for each in around["instructions"]]
        assert texts == ["", "", "0 iload_0", "1 iconst_2", "2 imul", "3 istore_1", "4 iload_1", "5 ireturn", "", ""]
        assert around["instructions"][2]["address"] == top["instructionPointerReference"]
        assert around["instructions"][2]["line"] == top["line"]
        assert "no code at that address" in await dap.refused("disassemble", memoryReference="0x0", instructionCount=1)
        assert "is not an address" in await dap.refused("disassemble", memoryReference="x", instructionCount=1)
        await dap.request("stepIn", threadId=stop["threadId"], granularity="instruction")
        stop = await dap.stopped("step")
        [moved, _] = await dap.frames(stop)
        assert int(moved["instructionPointerReference"], 16) == int(top["instructionPointerReference"], 16) + 1
        await dap.request("disconnect", terminateDebuggee=True)
        await dap.event("terminated")


DECOMPILER = (
    f"#!{sys.executable}"
    + r"""
import sys
assert open(sys.argv[2], "rb").read(4) == bytes.fromhex("cafebabe")
print("package nowhere;\n\n// by a program\nclass Stepping {\n" + sys.argv[1])
print("    static int twice(int n) {\n        // doubled \x1b\n        return n * 2;\n    }\n}")
"""
)


async def test_a_class_without_source_is_decompiled_onto_its_lines(jvm: Jvm, tmp_path: Path) -> None:
    """The method's first line is where the frame stands; `set decompiler` counts as the configuration does."""
    stepping = program("Stepping")
    command = tmp_path / "decompiler"
    write_program(command, DECOMPILER)
    async with start_target(jvm, stepping) as target, dap_client() as dap:
        await dap.attach(target, sourcePaths=[str(tmp_path)], decompiler="not-here --x")
        await dap.breakpoints(stepping, "in-twice")
        await dap.request("configurationDone")
        [top, _] = await dap.frames(await dap.stopped("breakpoint"))
        source = top["source"]
        assert source["origin"] == "decompiled"
        shown = await dap.request("source", source=source, sourceReference=source["sourceReference"])
        assert "imul" in shown["content"]
        said = await dap.event("output", category="important")
        assert said["output"] == "Stepping is shown as bytecode: no program 'not-here' on the PATH\n"
        set_ = f"set decompiler {command} //first"
        await dap.request("evaluate", context="repl", expression=set_, frameId=top["id"])
        shown = await dap.request("source", source=source, sourceReference=source["sourceReference"])
        lines = shown["content"].split("\n")
        assert shown["mimeType"] == "text/x-java"
        assert lines[:5] == ["package nowhere;", "", "// by a program", "class Stepping {", "//first"]
        assert lines[top["line"] - 2] == "    static int twice(int n) {"
        assert lines[top["line"] - 1] == "        // doubled \\u001b"
        found = await dap.request("setBreakpoints", source=source, breakpoints=[{"line": top["line"]}])
        assert found["breakpoints"][0]["verified"]
        await dap.request("disconnect", terminateDebuggee=True)
        await dap.event("terminated")


async def test_lists_of_sources_and_modules(jvm: Jvm) -> None:
    hello = program("Hello")
    async with start_target(jvm, hello, "a") as target, dap_client() as dap:
        await dap.attach(target)
        await dap.breakpoints(hello, "greeting")
        await dap.request("configurationDone")
        await dap.stopped("breakpoint")
        sources = (await dap.request("loadedSources"))["sources"]
        assert {"name": "Hello.java", "path": source_of(hello, "greeting")} in sources
        found = await dap.request("modules", startModule=0, moduleCount=3)
        assert len(found["modules"]) == 3 and found["totalModules"] > 3
        everything = (await dap.request("modules"))["modules"]
        assert "java.base" in {each["name"] for each in everything} and len(everything) == found["totalModules"]
        await dap.request("disconnect", terminateDebuggee=True)
        await dap.event("terminated")

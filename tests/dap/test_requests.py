"""Requests beside the usual ones: single calls and instructions, memory, places of classes, terminals, hot swap."""

from __future__ import annotations

import shutil
import signal
from base64 import b64decode, b64encode
from pathlib import Path

import pytest

from jdbpy.dap.paths import PathMapping, Paths
from tests.dap.client import ROOT, dap_client, source_of
from tests.harness import Jvm, inline, program, start_target
from tests.harness.processes import piped


async def test_calls_instructions_memory_and_paths_of_another_machine(jvm: Jvm) -> None:
    large = program("Large")
    theirs = "C:\\work\\src\\Large.java"
    mappings = [{"localRoot": "C:\\work\\src\\", "remoteRoot": large.sources}]
    async with start_target(jvm, large) as target, dap_client() as dap:
        await dap.attach(target, pathMappings=mappings)
        await dap.set_breakpoints("c:\\work\\src\\Large.java", [{"line": large.line("call")}])
        await dap.request("configurationDone")
        stop = await dap.stopped("breakpoint")
        [top] = await dap.frames(stop)
        assert top["source"]["path"] == theirs
        found = await dap.locals(top)
        # the calls of the line, and into one of them
        targets = (await dap.request("stepInTargets", frameId=top["id"]))["targets"]
        assert [each["label"] for each in targets] == ["Large.twice", "PrintStream.println"]
        assert "no step target" in await dap.refused("stepIn", threadId=stop["threadId"], targetId=77)
        # an array as bytes, the high one first
        array = found["array"]["memoryReference"]
        read = await dap.request("readMemory", memoryReference=array, offset=3, count=6)
        assert (read["address"], b64decode(read["data"])) == ("0x3", b"\0\0\0\0\1\0") and "unreadableBytes" not in read
        read = await dap.request("readMemory", memoryReference=array, offset=2499 * 4, count=100)
        assert b64decode(read["data"]) == (2499 * 2499).to_bytes(4, "big") and read["unreadableBytes"] == 96
        assert "array of primitives" in await dap.refused("readMemory", memoryReference="0x1", count=1)
        # written: parts of two elements; what the array does not have is refused, or left out
        wrote = {"memoryReference": array, "data": b64encode(b"\1\2\3").decode()}
        assert (await dap.request("writeMemory", **wrote, offset=7))["bytesWritten"] == 3
        assert await dap.event("memory") == {"memoryReference": array, "offset": 0, "count": 10_000}
        read = await dap.request("readMemory", memoryReference=array, offset=4, count=8)
        assert b64decode(read["data"]) == b"\0\0\0\1\2\3\0\4"
        assert (await dap.evaluate("array[1] + array[2]", top))["result"] == str(1 + 0x0203_0004)
        assert "has 10,000 bytes" in await dap.refused("writeMemory", **wrote, offset=9_998)
        assert (await dap.request("writeMemory", **wrote, offset=9_998, allowPartial=True))["bytesWritten"] == 2
        assert "base64" in await dap.refused("writeMemory", memoryReference=array, data="?")
        # where the class of a value is written
        place = await dap.request("locations", locationReference=found["large"]["valueLocationReference"])
        assert place["source"]["path"] == theirs and 0 < place["line"] < large.line("twice")
        assert "valueLocationReference" not in found["text"] and "no location" in await dap.refused(
            "locations", locationReference=99
        )
        await dap.request("stepIn", threadId=stop["threadId"], targetId=targets[0]["id"])
        stop = await dap.stopped("step")
        [inside, caller] = await dap.frames(stop)
        assert inside["name"] == "Large.twice"
        assert (await dap.request("stepInTargets", frameId=caller["id"]))["targets"] == []
        # an instruction, by its address
        at = {"instructionReference": top["instructionPointerReference"]}
        wanted = [{**at, "offset": 10}, {**at, "offset": 1}]
        shown, refused = (await dap.request("setInstructionBreakpoints", breakpoints=wanted))["breakpoints"]
        assert shown["verified"] and shown["offset"] == 10
        assert not refused["verified"] and "no instruction begins" in refused["message"]
        await dap.request("continue", threadId=stop["threadId"])
        stop = await dap.stopped("instruction breakpoint", hitBreakpointIds=[shown["id"]])
        [top] = await dap.frames(stop)
        assert int(top["instructionPointerReference"], 16) == int(at["instructionReference"], 16) + 10
        await dap.request("setInstructionBreakpoints", breakpoints=[])
        # a thread that is ended
        await dap.request("terminateThreads", threadIds=[stop["threadId"]])
        await dap.request("continue", threadId=stop["threadId"])
        await dap.event("terminated")
        assert await target.wait_exit() == 1


async def test_a_program_in_the_editor_s_terminal(jvm: Jvm) -> None:
    hello = program("Hello")
    given = {"mainClass": "Hello", "classPaths": [hello.classes], "javaExec": jvm.java, "args": ["a", "b"]}
    async with dap_client() as dap:
        await dap.initialize()
        launch = await dap.start("launch", console="externalTerminal", **given)
        asked = await dap.asked("runInTerminal")
        assert asked["arguments"]["kind"] == "external"
        await dap.answer(asked, error="no terminal")
        assert "the editor did not start the program: no terminal" in (await dap.response(launch))["message"]
        launch = await dap.start("launch", console="integratedTerminal", env={"GREETED": "2", "GONE": None}, **given)
        asked = (await dap.asked("runInTerminal"))["arguments"]
        assert asked["kind"] == "integrated" and asked["env"] == {"GREETED": "2", "GONE": None}
        async with piped(asked["args"], cwd=Path(asked["cwd"])) as process:
            await dap.event("initialized")
            assert (await dap.response(launch))["success"]
            await dap.breakpoints(hello, "greeting")
            await dap.request("configurationDone")
            await dap.stopped("breakpoint")
            await dap.request("disconnect")  # ends what was launched
            await dap.event("exited", exitCode=0)
            await dap.event("terminated")
            await process.wait()


ENDS = """
public class Ends {
    public static void main(String[] args) {
        System.exit(Integer.parseInt(args[0]));
    }
}
"""


async def test_the_exit_of_a_program_in_a_terminal_is_told(jvm: Jvm) -> None:
    """What is started in the terminal passes it on, and ends with the same status."""
    ends = inline(ENDS)
    given = {"mainClass": "Ends", "classPaths": [ends.classes], "javaExec": jvm.java, "console": "integratedTerminal"}
    for arguments, status in ((["7"], 7), (["no number"], 1)):
        async with dap_client() as dap:
            await dap.initialize()
            launch = await dap.start("launch", args=arguments, **given)
            asked = (await dap.asked("runInTerminal"))["arguments"]
            async with piped(asked["args"], cwd=Path(asked["cwd"])) as process:
                await dap.event("initialized")
                assert (await dap.response(launch))["success"]
                await dap.request("configurationDone")
                await dap.event("exited", exitCode=status)
                await dap.event("terminated")
                assert await process.wait() == status


async def test_a_program_in_a_terminal_that_ends_before_its_agent_comes_is_not_waited_for(jvm: Jvm) -> None:
    async with dap_client() as dap:
        await dap.initialize()
        launch = await dap.start(
            "launch", mainClass="Ends", vmArgs=["-XX:NoSuchOption"], javaExec=jvm.java, console="integratedTerminal"
        )
        asked = (await dap.asked("runInTerminal"))["arguments"]
        async with piped(asked["args"], cwd=Path(asked["cwd"])) as process:
            assert await process.wait() == 1
        answer = await dap.response(launch)
        assert not answer["success"] and "has ended with status 1" in answer["message"]


async def test_a_signal_for_what_runs_in_a_terminal_reaches_the_program(jvm: Jvm) -> None:
    hello = program("Hello")
    async with dap_client() as dap:
        await dap.initialize()
        launch = await dap.start(
            "launch", mainClass="Hello", classPaths=[hello.classes], javaExec=jvm.java, console="integratedTerminal"
        )
        asked = (await dap.asked("runInTerminal"))["arguments"]
        async with piped(asked["args"], cwd=Path(asked["cwd"])) as process:
            await dap.event("initialized")
            assert (await dap.response(launch))["success"]
            await dap.breakpoints(hello, "waiting")
            await dap.request("configurationDone")
            stop = await dap.stopped("breakpoint")
            await dap.request("continue", threadId=stop["threadId"])
            process.send_signal(signal.SIGTERM)
            await dap.event("exited", exitCode=128 + signal.SIGTERM)
            await dap.event("terminated")
            assert await process.wait() == 128 + signal.SIGTERM


async def test_what_takes_long_is_shown_and_canceled_and_further_jvms_get_sessions(jvm: Jvm) -> None:
    async with start_target(jvm, "Hello", "a", "b") as target, dap_client() as dap:
        await dap.initialize()
        listening = await dap.start("attach", listen="127.0.0.1:0")
        started = await dap.event("progressStart")
        assert started["requestId"] == listening and started["cancellable"] is True
        progress = started["progressId"]
        assert (await dap.event("progressUpdate", progressId=progress))["message"] == "2 s"
        await dap.request("cancel", progressId=progress)
        assert (await dap.response(listening))["message"] == "cancelled"
        await dap.event("progressEnd", progressId=progress)
        await dap.attach(target, address=[target.address, "127.0.0.1:9"], hold="thread")
        asked = await dap.asked("startDebugging")
        configuration = asked["arguments"]["configuration"]
        assert asked["arguments"]["request"] == "attach" and configuration["address"] == "127.0.0.1:9"
        assert configuration["hold"] == "thread" and configuration["sourcePaths"] == [target.program.sources]
        await dap.answer(asked, error="enough")
        await dap.wait("the refusal", lambda: "127.0.0.1:9 is not debugged: enough" in dap.output)
        await dap.request("disconnect", terminateDebuggee=True)
        await dap.event("terminated")


def swapped_with(change: str) -> str:
    """The directory of the classes of Swapped with another end of its method."""
    source = Path(program("Swapped").sources, "Swapped.java").read_text(encoding="utf-8")
    return inline(source.replace("return result;", f"return {change};")).classes


async def test_classes_are_replaced_on_request_and_when_their_files_change(jvm: Jvm, tmp_path: Path) -> None:
    swapped = program("Swapped")
    classes = shutil.copytree(swapped.classes, tmp_path / "classes")
    async with start_target(jvm, swapped) as target, dap_client() as dap:
        await dap.initialize()
        assert "needs" in await dap.refused("attach", port=target.port, hotCodeReplace="auto")
        await dap.attach(target, hotCodeReplace="auto", classPaths=[str(classes)])
        await dap.breakpoints(swapped, "loop")
        await dap.request("configurationDone")
        stop = await dap.stopped("breakpoint")
        assert (await dap.request("redefineClasses"))["changedClasses"] == []
        assert (await dap.request("jdbpy/redefine", paths=[swapped_with("result + 10")]))["changedClasses"] == [
            "Swapped"
        ]
        changed = await dap.event("loadedSource", reason="changed")
        assert changed["source"]["path"] == source_of(swapped, "loop")
        assert (await dap.event("invalidated"))["areas"] == ["all"]
        assert "replaced Swapped: next(int)" in dap.output
        await dap.request("continue", threadId=stop["threadId"])
        stop = await dap.stopped("breakpoint")
        [top] = await dap.frames(stop)
        assert (await dap.evaluate("round", top))["result"] == "11"
        shutil.copytree(swapped_with("result + 20"), classes, dirs_exist_ok=True)
        assert (await dap.event("invalidated"))["areas"] == ["all"]  # by itself
        await dap.request("continue", threadId=stop["threadId"])
        stop = await dap.stopped("breakpoint")
        [top] = await dap.frames(stop)
        assert (await dap.evaluate("round", top))["result"] == "32"
        assert "nowhere cannot be read" in await dap.refused("redefineClasses", paths=[str(tmp_path / "nowhere")])
        await dap.request("disconnect", terminateDebuggee=True)
        await dap.event("terminated")


def test_paths_of_a_client() -> None:
    mapped = Paths(mappings=[PathMapping("D:\\p\\src", "/srv/src/")])
    assert mapped.of_client("d:\\P\\src\\a\\B.java") == "/srv/src/a/B.java"
    assert mapped.to_client("/srv/src/a/B.java") == "D:\\p\\src\\a\\B.java"
    assert mapped.of_client("D:\\p\\srcs\\B.java") == "D:/p/srcs/B.java"
    assert mapped.to_client("/srv/srcs/B.java") == "/srv/srcs/B.java"
    uris = Paths(uris=True, mappings=[PathMapping("C:\\x", "/y")])
    assert uris.of_client("file:///c%3A/x/A%20b.java") == "/y/A b.java"
    assert uris.to_client("/y/A b.java") == "file:///C:/x/A%20b.java"
    assert Paths(uris=True).to_client("/a/B.java") == "file:///a/B.java"


def test_relative_paths_of_this_machine_are_absolute_for_a_client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    here = str(Path.cwd())
    assert Paths().to_client("src/a/B.java") == f"{here}/src/a/B.java"
    assert Paths(mappings=[PathMapping("C:\\w", here)]).to_client("./src/B.java") == "C:\\w\\src\\B.java"
    assert Paths(mappings=[PathMapping("/w", "src")]).to_client("src/B.java") == "/w/B.java"
    assert Paths(uris=True).to_client("src/B.java") == f"file://{here}/src/B.java"


async def test_relative_source_paths_count_from_the_adapters_working_directory(any_jvm: Jvm) -> None:
    """Paths sent to the editor are absolute: its working directory is often another one."""
    async with start_target(any_jvm, "Stepping") as target, dap_client() as dap:
        await dap.attach(target, sourcePaths=[str(Path(target.program.sources).relative_to(ROOT))])
        await dap.breakpoints(target.program, "in-twice")
        await dap.request("configurationDone")
        [top, _] = await dap.frames(await dap.stopped("breakpoint"))
        assert top["source"]["path"] == source_of(target.program, "in-twice")
        shown = (await dap.request("loadedSources"))["sources"]
        assert source_of(target.program, "in-twice") in [each.get("path") for each in shown]
        await dap.request("disconnect", terminateDebuggee=True)
        await dap.event("terminated")


CALLS = """
public class Calls {
    public static void main(String[] args) {
        System.out.println(twice(twice(1)) + once(5)); // @calls
    }
    static int twice(int number) {
        return 2 * number;
    }
    static int once(int number) {
        return number;
    }
}
"""


async def test_calls_of_one_name_on_a_line_are_told_apart(jvm: Jvm) -> None:
    calls = inline(CALLS)
    async with start_target(jvm, calls) as target, dap_client() as dap:
        await dap.attach(target)
        await dap.breakpoints(calls, "calls")
        await dap.request("configurationDone")
        stop = await dap.stopped("breakpoint")
        [top] = await dap.frames(stop)
        targets = (await dap.request("stepInTargets", frameId=top["id"]))["targets"]
        labels = [each["label"] for each in targets]
        assert labels == ["Calls.twice (1 of 2)", "Calls.twice (2 of 2)", "Calls.once", "PrintStream.println"]
        await dap.request("stepIn", threadId=stop["threadId"], targetId=targets[1]["id"])
        [inside, *_] = await dap.frames(await dap.stopped("step"))
        assert (await dap.locals(inside))["number"]["value"] == "2"
        await dap.request("disconnect")
        await dap.event("terminated")

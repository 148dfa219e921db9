"""How it ends: terminate, restart, cancel, signals, a port, a killed adapter; what is announced is there."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest
import trio

import jdbpy
from docs.tools import vsix
from jdbpy.dap import console, opening
from jdbpy.dap.protocol import CAPABILITIES, REQUESTS
from jdbpy.jdb.connectors import CONNECTORS
from jdbpy.process.openings import OPTIONS
from tests.dap.client import ROOT, dap_client, dap_client_here, dap_client_of
from tests.dap.schema import all_names
from tests.harness import LIMIT, Jvm, inline, program, start_target
from tests.harness.processes import piped
from tests.harness.wire_coverage import DAP_CANNOT

ENDS = {"terminateDebuggee": True}

HOOKED = """
public class Hooked {
    public static void main(String[] args) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(args[0])));
        System.out.println("begun");
        Thread.onSpinWait(); // @begun
        Thread.sleep(1_000_000);
    }
    static void end(String how) {
        System.out.println("hook " + how);
        while (how.equals("endless"))
            Thread.onSpinWait();
        System.err.println("hook done");
    }
}
"""


async def test_terminate_ends_a_launched_program(jvm: Jvm) -> None:
    hello = program("Hello")
    async with dap_client() as dap:
        await dap.initialize()
        await dap.request("launch", mainClass="Hello", classPaths=[hello.classes], javaExec=jvm.java, args=["a"])
        told = await dap.event("capabilities")
        assert told["capabilities"] == {"supportsTerminateRequest": True, "supportTerminateDebuggee": True}
        await dap.event("initialized")
        await dap.breakpoints(hello, "waiting")
        await dap.request("configurationDone")
        await dap.stopped("breakpoint")
        await dap.request("terminate")
        await dap.event("terminated")
        assert "was left" in await dap.refused("threads")


@pytest.mark.parametrize("ending", ["terminate", "disconnect", "quit"])
async def test_a_launched_program_ends_with_its_shutdown_hooks_and_their_output(
    jvm: Jvm, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (opening, console):
        monkeypatch.setattr(module, "GRACE", LIMIT)  # a busy machine may let the program end late
    hooked = inline(HOOKED)
    async with dap_client_here() as dap:
        await dap.initialize()
        await dap.request("launch", mainClass="Hooked", classPaths=[hooked.classes], javaExec=jvm.java, args=["a"])
        await dap.event("initialized")
        await dap.breakpoints(hooked, "begun")
        await dap.request("configurationDone")
        await dap.stopped("breakpoint")
        if ending == "quit":
            await dap.evaluate("quit", context="repl")
        else:
            await dap.request(ending)
        await dap.event("exited", exitCode=143)
        await dap.event("terminated")
        assert "begun" in dap.output and "hook a" in dap.output and "hook done" in dap.output


async def test_a_program_that_does_not_end_is_killed_when_it_is_stopped_again(jvm: Jvm) -> None:
    hooked = inline(HOOKED)
    async with dap_client() as dap:
        await dap.initialize()
        await dap.request(
            "launch", mainClass="Hooked", classPaths=[hooked.classes], javaExec=jvm.java, args=["endless"]
        )
        await dap.event("initialized")
        await dap.request("configurationDone")
        await dap.wait("the program's output", lambda: "begun" in dap.output)
        await dap.request("terminate")
        assert "stop it once more to kill it" in dap.output
        await dap.wait("the hook", lambda: "hook endless" in dap.output)
        assert not [each for each in dap.events if each["event"] == "terminated"]
        await dap.request("disconnect", terminateDebuggee=True)
        await dap.event("exited", exitCode=-9)
        await dap.event("terminated")


@pytest.mark.parametrize(("ending", "arguments"), [("terminate", {}), ("disconnect", ENDS)])
async def test_stopping_lets_a_program_run_on_that_was_attached_to(
    jvm: Jvm, ending: str, arguments: dict[str, bool]
) -> None:
    async with start_target(jvm, "Hello", "a") as target, dap_client() as dap:
        await dap.attach(target)
        assert not any("Terminate" in name for name in dap.capabilities if name != "supportsTerminateThreadsRequest")
        await dap.breakpoints(target.program, "greeting")
        await dap.request("configurationDone")
        await dap.stopped("breakpoint")
        await dap.request(ending, **arguments)
        await dap.event("terminated")
        assert "detached: the program was running before and runs on" in dap.console
        assert not [each for each in dap.events if each["event"] in ("capabilities", "exited")]
        await target.wait_output("waiting")
        await target.send()
        assert await target.wait_exit() == 0


async def test_stopping_in_a_served_session_leaves_it_to_the_others(jvm: Jvm) -> None:
    async with (
        start_target(jvm, "Hello", "a", suspend=False) as target,
        jdbpy.attach_session(target.address) as session,
        dap_client_here(lambda name, read_only: jdbpy.join_session(session, name)) as dap,
    ):
        await dap.attach(target)
        await dap.request("configurationDone")
        await dap.request("terminate")
        await dap.event("terminated")
        assert session.ending is None
        assert await session.threads.list()


async def test_restart_starts_the_program_again_with_its_breakpoints(jvm: Jvm) -> None:
    hello = program("Hello")
    async with dap_client() as dap:
        await dap.initialize()
        await dap.request("launch", mainClass="Hello", classPaths=[hello.classes], javaExec=jvm.java, args=["a"])
        await dap.event("initialized")
        [shown] = await dap.breakpoints(hello, "greeting")
        await dap.request("configurationDone")
        await dap.stopped("breakpoint", hitBreakpointIds=[shown["id"]])
        assert "set" in (await dap.evaluate("break Hello.main from java.* -c 9", context="repl"))["result"]
        await dap.request("restart")
        await dap.stopped("breakpoint", hitBreakpointIds=[shown["id"]])
        listed = (await dap.evaluate("breakpoints", context="repl"))["result"]
        assert "after 8 hits" in listed and "called from java.*" in listed  # one of the console, with all its options
        assert (await dap.evaluate("restart", context="repl"))["result"] == ""
        stop = await dap.stopped("breakpoint", hitBreakpointIds=[shown["id"]])
        assert (await dap.frames(stop))[0]["name"] == "Hello.greeting"
        await dap.set_breakpoints(str(program("Hello").sources) + "/Hello.java", [])
        await dap.request("continue", threadId=stop["threadId"])
        await dap.event("exited", exitCode=0)
        await dap.event("terminated")
        assert "waiting" in dap.output


async def test_restart_takes_the_configuration_as_it_is_by_now(jvm: Jvm) -> None:
    """As nvim-dap and VS Code send it: the whole configuration, or none."""
    hello = program("Hello")
    given = {"mainClass": "Hello", "classPaths": [hello.classes], "javaExec": jvm.java}
    async with dap_client() as dap:
        await dap.initialize()
        await dap.request("launch", **given, args=["a"])
        await dap.event("initialized")
        [shown] = await dap.breakpoints(hello, "greeting")
        await dap.request("configurationDone")
        await dap.stopped("breakpoint", hitBreakpointIds=[shown["id"]])
        assert "args" in await dap.refused("restart", arguments={**given, "args": 5})
        changed = {**given, "type": "jdbpy", "request": "launch", "name": "n", "args": ["other"]}
        for configuration in ({"arguments": changed}, {}):
            await dap.request("restart", **configuration)
            stop = await dap.stopped("breakpoint", hitBreakpointIds=[shown["id"]])
            [top, *_] = await dap.frames(stop, levels=1)
            assert (await dap.locals(top))["word"]["value"] == '"other"'
        assert not [each for each in dap.events if each["event"] in ("exited", "terminated")]
        await dap.request("disconnect")
        await dap.event("terminated")


async def test_restart_attaches_as_the_configuration_says_by_now(jvm: Jvm) -> None:
    async with start_target(jvm, "Hello", "a") as first, start_target(jvm, "Hello", "b") as second, dap_client() as dap:
        await dap.attach(first)
        await dap.breakpoints(first.program, "greeting")
        await dap.request("configurationDone")
        await dap.stopped("breakpoint")
        await dap.request("restart", arguments={"port": second.port, "sourcePaths": [second.program.sources]})
        [top, *_] = await dap.frames(await dap.stopped("breakpoint"), levels=1)
        assert (await dap.locals(top))["word"]["value"] == '"b"'
        await first.wait_output("waiting")
        await dap.request("disconnect")
        await dap.event("terminated")


async def test_what_is_under_way_is_answered_when_the_client_disconnects(jvm: Jvm) -> None:
    async with dap_client() as dap:
        await dap.initialize()
        listening = await dap.start("attach", listen="127.0.0.1:0")
        threads = await dap.start("threads")
        await dap.wait("the adapter to listen", lambda: "waiting for a JVM" in dap.output)
        disconnect = await dap.start("disconnect")
        assert (await dap.response(disconnect))["success"]
        attached, asked = dap.responses[listening], dap.responses[threads]  # before the last response
        assert not attached["success"] and not asked["success"]
        assert attached["message"] == "the client has ended the session meanwhile"


async def test_after_an_attach_that_failed_nothing_has_been_debugged(jvm: Jvm) -> None:
    async with start_target(jvm, "Hello", suspend=False) as target, dap_client() as dap:
        await dap.initialize()
        await dap.refused("attach", port=1)
        assert "nothing is debugged yet" in await dap.refused("threads")
        await dap.attach(target)
        await dap.request("terminate")
        await dap.event("terminated")
        assert "was left" in await dap.refused("threads")


async def test_the_adapter_ends_well_when_a_signal_comes_after_the_session(jvm: Jvm) -> None:
    """nvim-dap ends each adapter with SIGINT, and warns of a status that is not 0."""
    async with start_target(jvm, "Hello", suspend=False) as target:
        async with dap_client() as dap:
            await dap.attach(target)
            await dap.request("terminate")
            await dap.event("terminated")
            dap.process.send_signal(signal.SIGINT)
            await dap.wait_over()
        assert dap.process.returncode == 0
        await target.wait_listening(2)
        async with dap_client() as dap:
            await dap.attach(target)
            await dap.request("disconnect")
            while dap.process.poll() is None:  # also while it ends
                dap.process.send_signal(signal.SIGINT)
                dap.process.send_signal(signal.SIGTERM)
                with trio.move_on_after(0.005):  # not thousands a second, for which Python's own handlers are not made
                    await dap.process.wait()
        assert dap.process.returncode == 0
        await target.wait_listening(3)
        async with dap_client() as dap:
            await dap.attach(target)
            dap.process.send_signal(signal.SIGINT)
            await dap.wait_over()
        assert dap.process.returncode == 128 + signal.SIGINT


async def test_an_expression_that_never_ends_is_canceled_and_others_go_on(jvm: Jvm) -> None:
    async with start_target(jvm, "Pool", "1", "1") as target, dap_client() as dap:
        await dap.attach(target)
        await dap.breakpoints(target.program, "work")
        await dap.request("configurationDone")
        stop = await dap.stopped("breakpoint")
        [top, *_] = await dap.frames(stop, levels=1)
        endless = await dap.start("evaluate", expression="p.waitFor(1000000)", frameId=top["id"])
        assert (await dap.request("threads"))["threads"]
        await dap.request("cancel", requestId=endless)
        response = await dap.response(endless)
        assert response["success"] is False and response["message"] == "cancelled"
        await dap.request("disconnect")
        await dap.event("terminated")


async def test_nothing_is_debugged_before_initialize(jvm: Jvm) -> None:
    async with start_target(jvm, "Hello", "a", suspend=False) as target, dap_client() as dap:
        host, _, port = target.address.rpartition(":")
        assert "initialize comes first" in await dap.refused("attach", host=host, port=int(port))
        await dap.attach(target)
        await dap.request("disconnect")
        await dap.event("terminated")


async def test_a_signal_ends_the_adapter_and_leaves_the_target_running(jvm: Jvm) -> None:
    async with start_target(jvm, "Hello", "a") as target:
        async with dap_client() as dap:
            await dap.attach(target)
            await dap.breakpoints(target.program, "greeting")
            await dap.request("configurationDone")
            await dap.stopped("breakpoint")
            dap.process.send_signal(signal.SIGTERM)
            await dap.wait_over()
        await target.wait_output("waiting")
        await target.wait_listening(2)
        async with jdbpy.attach_session(target.address) as session:
            assert not any(each.suspended for each in await session.threads.list())


async def test_a_read_only_client_looks_and_cannot_change(jvm: Jvm) -> None:
    async with start_target(jvm, "Hello", "a", suspend=False) as target, dap_client() as dap:
        await target.wait_output("waiting")
        await dap.attach(target, readOnly=True)
        await dap.request("configurationDone")
        assert any(each["name"] == "main" for each in (await dap.request("threads"))["threads"])
        [refused] = await dap.breakpoints(target.program, "done")
        assert not refused["verified"] and "read-only" in refused["message"]
        assert "read-only" in await dap.refused("pause", threadId=1)
        await dap.request("disconnect")
        await dap.event("terminated")


async def test_clients_of_a_port_debug_on_their_own(jvm: Jvm) -> None:
    command = [sys.executable, "-m", "jdbpy", "dap", "--port", "0"]
    async with start_target(jvm, "Hello", "a") as target, piped(command, cwd=ROOT, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        said = b""
        while said.count(b"\n") < 2:
            said += await process.stderr.receive_some()
        first, second = said.decode().splitlines()
        host, _, port = first.removeprefix("jdbpy: listening on ").rpartition(":")
        assert host == "127.0.0.1"
        async with dap_client_of(host, int(port)) as other, dap_client_of(host, int(port)) as dap:
            await other.initialize()
            await dap.attach(target, token=second.removeprefix("jdbpy: token "))
            await dap.event("process", name=target.address, startMethod="attachForSuspendedLaunch", isLocalProcess=True)
            await dap.breakpoints(target.program, "greeting")
            await dap.request("configurationDone")
            await dap.stopped("breakpoint")
            assert "is not left suspended" in await dap.refused("disconnect", suspendDebuggee=True)
            assert "nothing is debugged yet" in await other.refused("threads")
            await dap.request("disconnect", terminateDebuggee=True)
            await dap.event("terminated")
        async with await trio.open_tcp_stream(host, int(port)) as stream:  # a web page must get nowhere
            await stream.send_all(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
            answer = b"".join([each async for each in stream])
            assert b"this is not a message of the debug adapter protocol" in answer


ANNOUNCED = """
    completionTriggerCharacters exceptionBreakpointFilters
    supportsBreakpointLocationsRequest supportsCancelRequest supportsClipboardContext supportsCompletionsRequest
    supportsConditionalBreakpoints supportsConfigurationDoneRequest supportsDataBreakpoints
    supportsDelayedStackTraceLoading supportsDisassembleRequest supportsEvaluateForHovers
    supportsExceptionFilterOptions supportsExceptionInfoRequest supportsFunctionBreakpoints
    supportsHitConditionalBreakpoints supportsInstructionBreakpoints supportsLoadedSourcesRequest supportsLogPoints
    supportsModulesRequest supportsReadMemoryRequest supportsRestartFrame supportsRestartRequest
    supportsSetExpression supportsSetVariable supportsSingleThreadExecutionRequests supportsStepInTargetsRequest
    supportsSteppingGranularity supportsTerminateThreadsRequest supportsValueFormattingOptions
    supportsWriteMemoryRequest
"""


def test_every_message_of_the_schema_is_served_or_cannot_be_and_what_is_announced_is_known() -> None:
    """The whole suite has to see each message that is served on each JVM: ``tests/harness/wire_coverage.py``."""
    adapter = "".join(each.read_text() for each in Path(jdbpy.__file__).with_name("dap").glob("*.py"))
    events = set(re.findall(r"""\bevent\(\s*"(\w+)\"""", adapter))
    asked = set(re.findall(r"""\bask\(\s*"(\w+)\"""", adapter))
    assert len(REQUESTS) > 35 and asked == {"runInTerminal", "startDebugging"}
    served = {*REQUESTS, *asked, "cancel", *(f"event {each}" for each in events)}
    assert served == all_names() - set(DAP_CANNOT)
    assert sorted(CAPABILITIES) == sorted(ANNOUNCED.split())


def test_the_extension_for_vs_code_knows_all_arguments() -> None:
    package = json.loads((ROOT / "editors/vscode/package.json").read_text(encoding="utf-8"))
    [debugger] = package["contributes"]["debuggers"]
    assert (debugger["type"], debugger["args"]) == ("jdbpy", ["dap"])
    # VS Code takes a program from the extension's directory, and looks for a runtime as a shell does.
    assert debugger["runtime"] == "jdbpy" and "program" not in debugger
    for request in ("attach", "launch"):
        offered = debugger["configurationAttributes"][request]["properties"]
        assert offered == vsix.attributes(request), "./dev generate vscode"
        arguments = REQUESTS[request].arguments
        assert set(offered) == set(arguments.__fields__) - {"hostName", "unknown"}
        for name, hint in get_type_hints(arguments).items():
            if name in offered:
                assert offered[name]["type"] == json_type(hint), name


def json_type(hint: Any) -> str | list[str]:
    """The type in JSON of what a request takes, as the editor checks it."""
    of = [each for each in get_args(hint) if each is not NoneType] if get_origin(hint) is UnionType else [hint]
    names = {str: "string", bool: "boolean", float: "number", int: "number", tuple: "array", dict: "object"}
    found = [names.get(get_origin(each) or each, "object") for each in of]
    return found[0] if len(found) == 1 else sorted(found, key=["number", "string", "array"].index)


def test_a_connector_of_jdi_has_the_options_of_the_other_front_ends() -> None:
    """Beside them it has what only JDI knows: how words are quoted, a home of Java, a whole command."""
    known = {each.jdi for each in OPTIONS}
    own = {"quote", "home", "command", "address", "suspend", "includevirtualthreads"}
    assert {argument.name for each in CONNECTORS for argument in each.arguments} - own == known - {""}


def test_the_extension_for_vs_code_is_a_package(tmp_path: Path) -> None:
    """VS Code 1.100 has installed one like this, and its own code starts the adapter from it (docs/editors.md)."""
    path = vsix.build(tmp_path)
    package = json.loads((ROOT / "editors/vscode/package.json").read_text(encoding="utf-8"))
    with ZipFile(path) as archive:
        assert json.loads(archive.read("extension/package.json")) == package
        manifest = ElementTree.fromstring(archive.read("extension.vsixmanifest"))
        types = ElementTree.fromstring(archive.read("[Content_Types].xml"))
        names = set(archive.namelist())
    [identity] = manifest.findall(".//{*}Identity")
    assert identity.attrib["Id"] == package["name"] and identity.attrib["Publisher"] == package["publisher"]
    assert {each.attrib["Path"] for each in manifest.findall(".//{*}Asset")} <= names
    assert {Path(name).suffix for name in names if not name.startswith("[")} <= {
        each.attrib["Extension"] for each in types
    }
    assert vsix.build(tmp_path).read_bytes() == path.read_bytes()

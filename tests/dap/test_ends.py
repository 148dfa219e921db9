"""How it ends: terminate, restart, cancel, signals, a port, a killed adapter; what is announced is there."""

from __future__ import annotations

import signal

import jdbpy
from jdbpy.dap.protocol import CAPABILITIES, REQUESTS
from jdbpy.dap.server import import_all
from tests.dap.client import dap_client
from tests.harness import Jvm, program, start_target


async def test_terminate_ends_a_launched_program(jvm: Jvm) -> None:
    hello = program("Hello")
    async with dap_client() as dap:
        await dap.initialize()
        await dap.request("launch", mainClass="Hello", classPaths=[hello.classes], javaExec=jvm.java, args=["a"])
        await dap.event("initialized")
        await dap.breakpoints(hello, "waiting")
        await dap.request("configurationDone")
        await dap.stopped("breakpoint")
        await dap.request("terminate")
        await dap.event("terminated")
        assert "was left" in await dap.refused("threads")


async def test_restart_starts_the_program_again_with_its_breakpoints(jvm: Jvm) -> None:
    hello = program("Hello")
    async with dap_client() as dap:
        await dap.initialize()
        await dap.request("launch", mainClass="Hello", classPaths=[hello.classes], javaExec=jvm.java, args=["a"])
        await dap.event("initialized")
        [shown] = await dap.breakpoints(hello, "greeting")
        await dap.request("configurationDone")
        await dap.stopped("breakpoint", hitBreakpointIds=[shown["id"]])
        await dap.request("restart")
        stop = await dap.stopped("breakpoint", hitBreakpointIds=[shown["id"]])
        assert (await dap.frames(stop))[0]["name"] == "Hello.greeting"
        await dap.set_breakpoints(str(program("Hello").sources) + "/Hello.java", [])
        await dap.request("continue", threadId=stop["threadId"])
        await dap.event("exited", exitCode=0)
        await dap.event("terminated")
        assert dap.output.count("waiting") == 1


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
        await dap.request("disconnect", terminateDebuggee=True)
        await dap.event("terminated")
        await target.wait_exit()


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


REQUESTS_SERVED = """
    initialize attach launch configurationDone disconnect terminate restart
    setBreakpoints setFunctionBreakpoints setExceptionBreakpoints breakpointLocations
    dataBreakpointInfo setDataBreakpoints threads continue next stepIn stepOut pause restartFrame
    stackTrace scopes variables setVariable setExpression evaluate completions exceptionInfo
    source loadedSources modules disassemble
"""
ANNOUNCED = """
    completionTriggerCharacters exceptionBreakpointFilters supportTerminateDebuggee
    supportsBreakpointLocationsRequest supportsCancelRequest supportsClipboardContext supportsCompletionsRequest
    supportsConditionalBreakpoints supportsConfigurationDoneRequest supportsDataBreakpoints
    supportsDelayedStackTraceLoading supportsDisassembleRequest supportsEvaluateForHovers
    supportsExceptionFilterOptions supportsExceptionInfoRequest supportsFunctionBreakpoints
    supportsHitConditionalBreakpoints supportsLoadedSourcesRequest supportsLogPoints supportsModulesRequest
    supportsRestartFrame supportsRestartRequest supportsSetExpression supportsSetVariable
    supportsSingleThreadExecutionRequests supportsSteppingGranularity supportsTerminateRequest
"""


def test_what_is_served_and_announced_is_what_these_tests_try() -> None:
    """Nothing is added without a look at the tests of this directory: each of these is tried by one."""
    import_all()
    assert sorted(REQUESTS) == sorted(REQUESTS_SERVED.split())
    assert sorted(CAPABILITIES) == sorted(ANNOUNCED.split())

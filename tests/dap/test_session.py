"""Whole sessions: attach, breakpoints, stacks, variables, expressions, steps, leaving."""

from __future__ import annotations

import shlex

import pytest

import jdbpy
from tests.dap.client import dap_client, source_of
from tests.harness import Jvm, program, start_target


@pytest.mark.every_java
async def test_a_session_from_attach_to_the_end(jvm: Jvm) -> None:
    async with start_target(jvm, "Scopes") as target, dap_client() as dap:
        await dap.attach(target)
        [shown] = await dap.breakpoints(target.program, "end")
        assert not shown["verified"] and "Scopes" in shown["message"]
        await dap.request("configurationDone")
        changed = await dap.event("breakpoint", reason="changed")
        while not changed["breakpoint"]["verified"]:  # what it waits for may be another class by now
            changed = await dap.event("breakpoint", reason="changed")
        assert changed["breakpoint"]["id"] == shown["id"]
        loaded = await dap.event("loadedSource", reason="new")
        assert loaded["source"]["path"] == source_of(target.program, "end")
        stop = await dap.stopped("breakpoint", allThreadsStopped=True, hitBreakpointIds=[shown["id"]])
        threads = (await dap.request("threads"))["threads"]
        assert {"id": stop["threadId"], "name": "main"} in threads
        frames = await dap.frames(stop)
        assert [each["name"] for each in frames] == ["Scopes$Derived.everything", "Scopes.main"]
        assert frames[0]["line"] == target.program.line("end")
        assert frames[0]["source"] == {"name": "Scopes.java", "path": source_of(target.program, "end")}
        scopes = await dap.scopes(frames[0])
        assert list(scopes) == ["Locals", "Arguments", "This", "Static"]
        found = await dap.variables(scopes["Locals"])
        assert found["later"]["value"] == found["sum"]["value"] == "70018"
        found = await dap.variables(scopes["Arguments"])
        assert {name: each["value"] for name, each in found.items() if not each["variablesReference"]} == {
            "z": "true",
            "b": "-2",
            "c": "'x'",
            "s": "300",
            "i": "70000",
            "j": "1099511627776",
            "f": "1.5",
            "d": "0.1",
            "text": '"text\\n"',
        }
        assert found["i"]["type"] == "int" and found["i"]["evaluateName"] == "i"
        listed = await dap.variables(found["list"])
        assert [each["value"] for name, each in listed.items() if name != "(fields)"] == ['"one"', '"three"']
        assert found["list"]["indexedVariables"] == 2
        this = await dap.variables(scopes["This"])
        assert this["hidden"]["value"] == '"of Derived"' and this["hidden (Scopes$Base)"]["value"] == '"of Base"'
        statics = await dap.variables(scopes["Static"])
        assert statics["shared"]["value"] == "99"
        assert (await dap.evaluate("i + list.size()", frames[0]))["result"] == "70002"
        assert (await dap.evaluate("args.length", frames[1]))["result"] == "0"
        assert "cannot find symbol" in await dap.refused("evaluate", expression="nowhere", frameId=frames[0]["id"])
        await dap.request("next", threadId=stop["threadId"])
        after = await dap.stopped("step")
        [top, *_] = await dap.frames(after, levels=1)
        assert top["line"] == target.program.line("end") + 1
        assert "its thread has run since" in await dap.refused("scopes", frameId=frames[0]["id"])
        await dap.request("continue", threadId=stop["threadId"])
        await dap.event("terminated")
        assert await target.wait_exit() == 0


async def test_a_client_that_disconnects_leaves_the_target_running(jvm: Jvm) -> None:
    async with start_target(jvm, "Hello", "a", "b") as target:
        async with dap_client() as dap:
            await dap.attach(target)
            await dap.breakpoints(target.program, "greeting")
            await dap.request("configurationDone")
            await dap.stopped("breakpoint")
            await dap.request("disconnect")
            await dap.event("terminated")
            await dap.wait_over()
        await target.wait_output("waiting")


@pytest.mark.every_java
async def test_a_client_that_vanishes_leaves_the_target_running(jvm: Jvm) -> None:
    async with start_target(jvm, "Hello", "a", "b") as target:
        async with dap_client() as dap:
            await dap.attach(target)
            await dap.breakpoints(target.program, "greeting")
            await dap.request("configurationDone")
            await dap.stopped("breakpoint")
        await target.wait_output("waiting")
        await target.wait_listening(2)
        async with jdbpy.attach_session(target.address) as session:
            assert session.state is jdbpy.VmState.RUNNING
            assert not any(each.suspended for each in await session.threads.list())
        await target.send()
        assert await target.wait_exit() == 0


async def test_a_launched_program_ends_with_its_session(jvm: Jvm) -> None:
    hello = program("Hello")
    async with dap_client() as dap:
        await dap.initialize()
        await dap.request(
            "launch",
            mainClass="Hello",
            classPaths=[hello.classes],
            args="a 'b c'",
            vmArgs=["-Dx=1"],
            javaExec=jvm.java,
            env={"GREETED": "1"},
            stopOnEntry=True,
            sourcePaths=[hello.sources],
        )
        await dap.event("initialized")
        await dap.event("process", name="Hello", startMethod="launch", isLocalProcess=True)
        await dap.request("setExceptionBreakpoints", filters=["uncaught"])
        await dap.request("configurationDone")
        stop = await dap.stopped("entry")
        [top] = await dap.frames(stop)
        assert top["name"] == "Hello.main"
        assert (await dap.evaluate('System.getenv("GREETED") + args[1]', top))["result"] == '"1b c"'
        await dap.request("continue", threadId=stop["threadId"])
        await dap.event("output", category="stdout")
        await dap.event("exited", exitCode=0)
        await dap.event("terminated")
        assert "2 hello b c" in dap.output


async def test_a_command_that_runs_tests(jvm: Jvm) -> None:
    """Its first JVM with tests waits until breakpoints are set, and stops where a test fails."""
    made = program("Tested").on(jvm)
    tests = [jvm.java, "-cp", made.classes, "Tested", "4", "shop.PriceTest", "assertsIt", "compares", "throwsIt"]
    async with dap_client() as dap:
        await dap.initialize()
        await dap.request("launch", test=tests, sourcePaths=[made.sources])
        await dap.event("initialized")
        await dap.request("configurationDone")
        stop = await dap.stopped("exception")
        assert stop["description"] == "shop.PriceTest.compares failed"
        await dap.request("continue", threadId=stop["threadId"])
        stop = await dap.stopped("exception")
        assert stop["description"] == "shop.PriceTest.throwsIt failed"
        await dap.request("continue", threadId=stop["threadId"])
        await dap.event("terminated")
        assert "failed: compares throwsIt" in dap.output
        assert f"{jvm.java} has ended with status 3" in dap.console


async def test_jvms_with_tests_side_by_side(jvm: Jvm) -> None:
    """Each has a session of the editor: the first in this one, others in sessions that the editor is asked for."""
    made = program("Tested").on(jvm)
    java = [jvm.java, "-cp", made.classes, "Tested", "4", "shop.PriceTest"]
    both = " & ".join(shlex.join([*java, name]) for name in ("compares", "texts")) + " & wait; exit 5"
    async with dap_client() as dap, dap_client() as beside:
        await dap.initialize(supportsStartDebuggingRequest=True)
        await dap.request("launch", test=["sh", "-c", both], sourcePaths=[made.sources])
        await dap.event("initialized")
        asked = await dap.asked("startDebugging")
        configuration = asked["arguments"]["configuration"]
        assert configuration["failingTests"] and configuration["sourcePaths"] == [made.sources]
        await dap.answer(asked)
        await beside.initialize()
        await beside.request("attach", **configuration)
        await beside.event("initialized")
        await beside.request("configurationDone")
        await dap.request("configurationDone")
        stops = [await each.stopped("exception") for each in (dap, beside)]
        assert {stop["description"] for stop in stops} == {
            f"shop.PriceTest.{name} failed" for name in ("compares", "texts")
        }
        assert any(stop["text"].endswith("expected: coffee, actual: tea") for stop in stops)
        for each, stop in ((beside, stops[1]), (dap, stops[0])):
            await each.request("continue", threadId=stop["threadId"])
            await each.event("terminated")
        assert "sh has ended with status 5" in dap.console

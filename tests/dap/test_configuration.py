"""Configurations of editors: java-debug's attributes are taken where they make sense, and what is unknown is named."""

from __future__ import annotations

from pathlib import Path

import pytest

import jdbpy
from tests.dap.client import dap_client, dap_client_here
from tests.harness import Jvm, inline, program, start_target

STEPS = """
public class Steps {
    public static void main(String[] args) {
        int first = Skipped.number(); // @skipped
        System.out.println(System.getenv("FIRST") + System.getenv("SECOND") + System.getProperty("file.encoding"));
    }
}
class Skipped {
    static int number() {
        return Called.number();
    }
}
class Called {
    static int number() {
        return 1; // @called
    }
}
"""


async def test_attributes_that_mean_nothing_are_named_once(jvm: Jvm) -> None:
    given = {
        "type": "jdbpy",
        "request": "attach",
        "name": "n",
        "__sessionId": "1",
        "sourcePath": ["src"],
        "projectName": "p",
        "stepFilters": {"skipConstructors": True, "skipSynthetics": True},
    }
    async with start_target(jvm, "Hello", suspend=False) as target, dap_client() as dap:
        await dap.attach(target, **given)
        said = "mean nothing to jdbpy: sourcePath (sourcePaths?), projectName, stepFilters.skipConstructors"
        await dap.wait("what is not known", lambda: said in dap.output)
        await dap.request("restart", arguments={**given, "port": target.port, "hold": "all", "trace": True})
        await dap.request("disconnect")
        await dap.event("terminated")
        assert dap.output.count("mean nothing") == 1


@pytest.mark.parametrize(
    ("skipped", "inside"),
    [
        (None, "Skipped.number"),
        (["$JDK", "Skipped"], "Called.number"),
        (["$JDK", "Skipped", "Called"], "Steps.main"),
    ],
)
async def test_steps_pass_through_the_classes_of_the_configuration(
    jvm: Jvm, skipped: list[str] | None, inside: str
) -> None:
    filters = {} if skipped is None else {"stepFilters": {"skipClasses": skipped}}
    steps = inline(STEPS)
    async with start_target(jvm, steps) as target, dap_client() as dap:
        await dap.attach(target, **filters)
        await dap.breakpoints(steps, "skipped")
        await dap.request("configurationDone")
        stop = await dap.stopped("breakpoint")
        await dap.request("stepIn", threadId=stop["threadId"])
        [top, *_] = await dap.frames(await dap.stopped("step"), levels=1)
        assert top["name"].endswith(inside)
        await dap.request("disconnect")
        await dap.event("terminated")


async def test_variables_come_from_a_file_and_text_in_an_encoding(jvm: Jvm, tmp_path: Path) -> None:
    steps = inline(STEPS)
    file = tmp_path / "variables"
    file.write_text("# ours\nexport FIRST='of the file'\n\nSECOND=hidden\n")
    given = {"mainClass": "Steps", "classPaths": [steps.classes], "javaExec": jvm.java, "env": {"SECOND": ", given, "}}
    async with dap_client() as dap:
        await dap.initialize()
        assert "cannot read the envFile" in await dap.refused("launch", **given, envFile=str(tmp_path / "none"))
        assert "needs a language server" in await dap.refused("launch", **given, stepFilters={"skipClasses": ["$Libs"]})
        await dap.request("launch", **given, envFile=str(file), encoding="ISO-8859-1")
        await dap.event("initialized")
        await dap.request("configurationDone")
        await dap.event("terminated")
        assert "of the file, given, ISO-8859-1" in dap.output


async def test_a_process_is_attached_to_by_its_number(jvm: Jvm) -> None:
    async with start_target(jvm, "Hello", suspend=False) as target, dap_client() as dap:
        await target.wait_output("waiting")
        await dap.initialize()
        assert "must be the number of a process" in await dap.refused("attach", processId="${command:PickJavaProcess}")
        await dap.request("attach", processId=target.pid)
        await dap.event("initialized")
        await dap.request("configurationDone")
        assert any(each["name"] == "main" for each in (await dap.request("threads"))["threads"])
        await dap.request("disconnect")
        await dap.event("terminated")


async def test_everything_that_another_client_has_resumed_is_told_so(jvm: Jvm) -> None:
    async with (
        start_target(jvm, "Hello", "a", "b") as target,
        jdbpy.attach_session(target.address) as session,
        dap_client_here(lambda name, read_only: jdbpy.join_session(session, name)) as dap,
    ):
        await dap.attach(target)
        await dap.breakpoints(target.program, "greeting")
        await dap.request("configurationDone")
        start = await dap.stopped("entry")
        await session.next_stop()
        await dap.request("continue", threadId=start["threadId"])
        stop = await dap.stopped("breakpoint", allThreadsStopped=True)
        await session.next_stop()
        await session.execution.resume()
        await dap.event("continued", threadId=stop["threadId"], allThreadsContinued=True)
        stop = await dap.stopped("breakpoint")
        await dap.request("disconnect")
        await dap.event("terminated")


async def test_data_breakpoints_with_a_condition_are_verified(jvm: Jvm) -> None:
    counter = program("Counting")
    async with start_target(jvm, counter) as target, dap_client() as dap:
        await dap.attach(target)
        await dap.breakpoints(counter, "loop")
        await dap.request("configurationDone")
        stop = await dap.stopped("breakpoint")
        watched = [
            {"dataId": "Counting.total", "accessType": "write", "condition": "total == 3"},
            {"dataId": "Counting.total", "accessType": "write", "condition": "total =="},
            {"dataId": "Missing.total", "accessType": "write", "condition": "total == 3"},
        ]
        shown = (await dap.request("setDataBreakpoints", breakpoints=watched))["breakpoints"]
        assert [each["verified"] for each in shown] == [True, False, False]
        assert shown[1]["message"] and shown[2]["reason"] == "pending"
        await dap.set_breakpoints(str(counter.sources) + "/Counting.java", [])
        await dap.request("continue", threadId=stop["threadId"])
        stop = await dap.stopped("data breakpoint", hitBreakpointIds=[shown[0]["id"]])
        await dap.request("disconnect")
        await dap.event("terminated")


async def test_an_exception_filter_that_is_wrong_leaves_the_others(jvm: Jvm) -> None:
    async with start_target(jvm, "Counting") as target, dap_client() as dap:
        await dap.attach(target)
        filters = [
            {"filterId": "caught", "condition": "a/b"},
            {"filterId": "caught", "condition": "java.lang.RuntimeException"},
            {"filterId": "thrown"},
        ]
        shown = (await dap.request("setExceptionBreakpoints", filters=[], filterOptions=filters))["breakpoints"]
        assert [each["verified"] for each in shown] == [False, True, False], shown
        assert "'a/b' is not a condition" in shown[0]["message"] and "no exception filter" in shown[2]["message"]
        await dap.request("configurationDone")
        await dap.stopped("exception")
        await dap.request("disconnect")
        await dap.event("terminated")

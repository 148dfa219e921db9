"""A recorded call as a thread that is stepped forward and back, beside the threads of the target."""

from __future__ import annotations

from pathlib import Path

import trio

from tests.dap.client import Body, DapClient, dap_client, source_of
from tests.harness import Jvm, Target, start_target

BACK = {"supportsStepBack": True}


async def console(dap: DapClient, line: str) -> str:
    return str((await dap.evaluate(line, context="repl"))["result"])


async def at(dap: DapClient, target: Target, marker: str, reason: str = "step") -> tuple[Body, Body]:
    """The stop in the recorded call, and its frame, which is at that line."""
    stop = await dap.stopped(reason, allThreadsStopped=False, preserveFocusHint=False)
    [frame] = await dap.frames(stop)
    assert frame["line"] == target.program.line(marker) and frame["source"]["path"] == source_of(target.program, marker)
    return stop, frame


async def values(dap: DapClient, frame: Body, scope: str = "Locals") -> dict[str, str]:
    found = await dap.variables((await dap.scopes(frame))[scope])
    return {name: each["value"] for name, each in found.items()}


async def test_a_recorded_call_is_stepped_forward_and_back(jvm: Jvm) -> None:
    async with start_target(jvm, "Priced") as target, dap_client() as dap:
        await dap.attach(target)
        await console(dap, "record Till.price deep 1")
        await dap.breakpoints(target.program, "closed", "less")
        await dap.request("configurationDone")
        for _ in range(2):  # tea, of a member
            live = await dap.stopped("breakpoint")
            await dap.request("continue", threadId=live["threadId"])
        live = await dap.stopped("breakpoint")
        [top] = await dap.frames(live)
        dap.events.clear()
        assert "a JVM cannot run backwards" in await dap.refused("stepBack", threadId=live["threadId"])

        # it is opened by the console, and shown as a thread with its line and what was known there
        six, seven = [(await console(dap, f"recorded if count == {count}")).split()[0] for count in (6, 7)]
        assert f"recorded call {six}" in await console(dap, f"recorded {six}")
        assert (await dap.event("capabilities"))["capabilities"] == BACK
        stop, frame = await at(dap, target, "unit", "entry")
        assert stop["description"] == (f"recorded call {six}: 1/22")
        shown = await values(dap, frame)
        assert shown.pop("this").startswith("Till@") and shown == {"code": '"tea"', "count": "6", "member": "true"}
        thread = stop["threadId"]
        names = {each["id"]: each["name"] for each in (await dap.request("threads"))["threads"]}
        assert names[thread] == f"recorded call {six} (main)" and names[live["threadId"]] == "main"

        # steps, and what the line before has done
        await dap.request("next", threadId=thread)
        _, frame = await at(dap, target, "null")
        assert await values(dap, frame, f"Line {target.program.line('unit')} has done") == {
            "Map.get": "270", "unit": "270"
        }  # fmt: skip
        await dap.request("stepIn", threadId=thread)
        await at(dap, target, "member")
        await dap.request("stepBack", threadId=thread)
        _, frame = await at(dap, target, "null")
        # to the breakpoint inside it, to its end, back to the breakpoint, back to its beginning, no further
        await dap.request("continue", threadId=thread)
        _, frame = await at(dap, target, "less", "breakpoint")
        assert (await dap.evaluate("unit * count - 1", frame))["result"] == "1619"
        assert (await dap.evaluate("unit", frame, context="hover"))["result"] == "270"
        await dap.request("continue", threadId=thread)
        stop, frame = await at(dap, target, "return")
        assert stop["description"] == f"recorded call {six}: returned 1458"
        assert (await values(dap, frame, "Outcome"))["$ret"] == "1458"
        await dap.request("reverseContinue", threadId=thread)
        await at(dap, target, "less", "breakpoint")
        await dap.request("reverseContinue", threadId=thread)
        await at(dap, target, "unit")
        await dap.request("stepBack", threadId=thread)
        await at(dap, target, "unit")
        assert "this is the beginning of the recorded call" in dap.console

        # a condition is one over what was kept
        lines: list[Body] = [{"line": target.program.line(marker)} for marker in ("closed", "less", "add")]
        lines[2]["condition"] = "each == 2"
        await dap.set_breakpoints(source_of(target.program, "add"), lines)
        await dap.request("continue", threadId=thread)
        await at(dap, target, "less", "breakpoint")
        await dap.request("continue", threadId=thread)
        _, frame = await at(dap, target, "add", "breakpoint")
        assert (await dap.evaluate("each", frame, context="watch"))["result"] == "2"
        await dap.set_breakpoints(source_of(target.program, "add"), lines[:1])
        await dap.request("reverseContinue", threadId=thread)
        await at(dap, target, "unit")

        # the words of the prompt move in the same call; what is kept cannot be set; the target is as it was
        await console(dap, "cont if sum > 0")
        _, frame = await at(dap, target, "each")
        assert "sum" in await console(dap, "last sum") and await console(dap, "unit") == "243"
        this = (await dap.variables((await dap.scopes(frame))["Locals"]))["this"]
        assert {"units", "taken"} == set(await dap.variables(this))
        refused = await dap.refused("setVariable", variablesReference=this["variablesReference"], name="a", value="1")
        assert "it is over, and can only be read" in refused
        assert "only be read" in await dap.refused("restartFrame", frameId=frame["id"])
        assert (await dap.evaluate("codes.length", top))["result"] == "8"
        found = await dap.request("completions", frameId=frame["id"], text="su", column=3)
        assert {"label": "sum", "type": "variable", "start": 1, "length": 2} in found["targets"]
        await console(dap, "back")
        await at(dap, target, "add")

        # from its end one goes on to the live program, which still stands where it stood
        await dap.request("stepOut", threadId=thread)
        await at(dap, target, "return")
        await dap.request("next", threadId=thread)
        await at(dap, target, "return")
        assert "this is the end of the recorded call; continue goes back to the program" in dap.console
        assert (await dap.request("continue", threadId=thread))["allThreadsContinued"] is False
        assert (await dap.event("capabilities"))["capabilities"] == {"supportsStepBack": False}
        await dap.event("thread", reason="exited", threadId=thread)
        live = await dap.stopped("breakpoint", threadId=live["threadId"], preserveFocusHint=False)
        assert [each["line"] for each in await dap.frames(live)] == [target.program.line("closed")]

        # the one that has failed, at its end; closed by the console
        await console(dap, f"recorded {seven}")
        stop, _ = await at(dap, target, "unit", "entry")
        await dap.request("continue", threadId=stop["threadId"])
        stop, frame = await at(dap, target, "listed")
        assert (await values(dap, frame, "Outcome"))["$exc"].startswith('"java.lang.IllegalArgumentException')
        told = await dap.request("exceptionInfo", threadId=stop["threadId"])
        assert told["details"]["message"] == "no price of bread"
        await console(dap, "close")
        await dap.stopped("breakpoint", threadId=live["threadId"])

        # the program may run meanwhile: the client marks all threads as running, and hears that this one stands
        await console(dap, f"recorded {seven}")
        stop, _ = await at(dap, target, "unit", "entry")
        await dap.request("continue", threadId=live["threadId"])
        await dap.stopped("step", threadId=stop["threadId"])
        await dap.event("terminated")


async def test_a_call_of_a_file_brings_its_source(any_jvm: Jvm, tmp_path: Path) -> None:
    """In a session with another program: its breakpoints wait for a class that is not there, and stop in the call.
    The calls were recorded as the configuration says."""
    kept = str(tmp_path / "calls")
    async with start_target(any_jvm, "Priced") as target, dap_client() as dap:
        await dap.attach(target, initCommands=["recrd Till.price", "`record Till.price"])
        await dap.breakpoints(target.program, "closed")
        await dap.request("configurationDone")
        wrong = await dap.event("output", category="important")
        assert wrong["output"].startswith("initCommands: recrd Till.price: ") and "record" in wrong["output"]
        live = await dap.stopped("breakpoint")
        await console(dap, f"recorded to {kept}")
        await dap.request("continue", threadId=live["threadId"])
        await dap.event("terminated")
        text = await trio.Path(source_of(target.program, "closed")).read_text(encoding="utf-8")
        lines = [target.program.line(marker) for marker in ("unit", "less")]
    async with start_target(any_jvm, "Rounds") as other, dap_client() as dap:
        await dap.attach(other, sourcePaths=[str(tmp_path)])
        await console(dap, f"recorded from {kept}")
        number = (await console(dap, "recorded if count == 6")).split()[0]
        await console(dap, f"recorded {number}")
        stop = await dap.stopped("entry")
        [frame] = await dap.frames(stop)
        assert frame["line"] == lines[0] and "path" not in frame["source"]
        found = await dap.request("source", sourceReference=frame["source"]["sourceReference"])
        assert found["content"] == text
        [made] = (await dap.request("setBreakpoints", source=frame["source"], breakpoints=[{"line": lines[1]}]))[
            "breakpoints"
        ]
        assert not made["verified"]
        await dap.request("continue", threadId=stop["threadId"])
        stop = await dap.stopped("breakpoint")
        [frame] = await dap.frames(stop)
        assert frame["line"] == lines[1]
        await console(dap, "close")

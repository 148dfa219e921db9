"""The debug console: commands of the prompt beside expressions, what the client hears of them, completion."""

from __future__ import annotations

from tests.dap.client import Body, DapClient, dap_client, source_of
from tests.harness import Jvm, start_target


async def console(dap: DapClient, line: str, frame: Body) -> str:
    """What the console answers to a line."""
    return str((await dap.evaluate(line, frame, context="repl"))["result"])


async def test_the_console_takes_the_commands_of_the_prompt(jvm: Jvm) -> None:
    async with start_target(jvm, "Large") as target, dap_client() as dap:
        await dap.attach(target)
        [own] = await dap.breakpoints(target.program, "twice")
        await dap.request("configurationDone")
        stop = await dap.stopped("breakpoint")
        inner, outer = await dap.frames(stop)

        async def failed(line: str, context: str = "repl") -> str:
            return await dap.refused("evaluate", expression=line, frameId=inner["id"], context=context)

        # the text of the prompt, in the frame that the client shows; what a command selects stays selected
        assert "Large.twice" in await console(dap, "where", inner)
        assert await console(dap, "print n * 2", inner) == "n * 2 = 42"
        await console(dap, "up", inner)
        assert await console(dap, "print array.length", inner) == "array.length = 2500"
        assert await console(dap, "print list.size()", outer) == "list.size() = 3"
        assert await console(dap, "print n", inner) == "n = 21"
        # a variable goes before a command that is called alike, but for a backtick
        assert await console(dap, "n", inner) == "21" and await console(dap, "n + 1", inner) == "22"
        listed = await dap.evaluate("list", outer, context="repl")
        assert listed["indexedVariables"] == 3
        assert "=>" in await console(dap, "`list", outer) and "=>" in await console(dap, "list", inner)
        # errors are the prompt's, with its hints; elsewhere than in the console a command is none
        assert "'breakpoints' lists them" in await failed("clear 77")
        assert "cannot find symbol" in await failed("frobnicate")
        assert "cannot find symbol" in await failed("where", "watch")
        # breakpoints that come and go are the client's as well
        place = f"Large:{target.program.line('after')}"
        assert "Breakpoint 2 set: Large.main" in await console(dap, f"stop at {place}", inner)
        made = (await dap.event("breakpoint", reason="new"))["breakpoint"]
        assert made["verified"] and made["line"] == target.program.line("after")
        assert made["source"]["path"] == source_of(target.program, "after")
        assert (await dap.event("invalidated"))["areas"] == ["variables"]
        [kept, again] = await dap.breakpoints(target.program, "twice", "after")
        assert (kept["id"], again["id"]) == (own["id"], made["id"])
        await console(dap, "clear 1", inner)
        removed = await dap.event("breakpoint", reason="removed")
        assert removed["breakpoint"]["id"] == own["id"]
        # what is shown at stops, steps and going on
        assert await console(dap, "display Large.shared", inner) == "1: Large.shared = 1"
        dap.events.clear()
        await console(dap, "set n = 4", inner)
        assert (await dap.event("invalidated"))["areas"] == ["variables"]
        assert await console(dap, "next", inner) == "null"  # a field of this
        await console(dap, "`next", inner)
        await dap.stopped("step")
        await dap.wait("what is displayed", lambda: "1: Large.shared = 1" in dap.output)
        [top] = await dap.frames(stop)
        await console(dap, "on 2 print array[3]", top)
        await console(dap, "cont", top)
        await dap.event("continued", threadId=stop["threadId"], allThreadsContinued=True)
        await dap.stopped("breakpoint", hitBreakpointIds=[made["id"]])
        [top] = await dap.frames(stop)
        await dap.wait("what was ordered for the hit", lambda: "array[3] = 9" in dap.output)
        # what completes a line
        found = await dap.request("completions", frameId=top["id"], text="thr", column=4)
        assert {"threads", "thread"} <= {each["label"] for each in found["targets"]}
        found = await dap.request("completions", frameId=top["id"], text="print arr", column=10)
        assert found["targets"][0] == {"label": "array", "type": "variable", "start": 7, "length": 3}
        found = await dap.request("completions", frameId=top["id"], text="1 + thr", column=8)
        assert not found["targets"]
        await console(dap, "quit", top)
        await dap.event("terminated")
        assert await target.wait_exit() == 0


async def test_variables_and_fields_go_before_commands(jvm: Jvm) -> None:
    async with start_target(jvm, "Commands") as target, dap_client() as dap:
        await dap.attach(target)
        await dap.breakpoints(target.program, "sum", "captured", "static")
        await dap.request("configurationDone")

        async def shown(**values: str) -> None:
            stop = await dap.stopped("breakpoint")
            [top, *_] = await dap.frames(stop)
            for name, value in values.items():
                assert await console(dap, name, top) == value, name
            assert "=>" in await console(dap, "`list", top)
            await dap.request("continue", threadId=stop["threadId"])

        await shown(size="3", path='"/x"', lines="8", n="4", c="6", q="true")
        await shown(s="5", n="6", r="11")
        await shown(lines="8")
        await dap.event("terminated")
        assert await target.wait_exit() == 0


async def test_a_letter_acts_without_a_selected_stop_only_behind_a_backtick(jvm: Jvm) -> None:
    async with start_target(jvm, "Commands") as target, dap_client() as dap:
        await dap.attach(target)
        await dap.breakpoints(target.program, "sum")
        await dap.request("configurationDone")
        stop = await dap.stopped("breakpoint")
        for letter in "cnsq":
            assert f"`{letter} is the command" in await dap.refused("evaluate", expression=letter, context="repl")
        assert (await dap.frames(stop))[0]["line"] == target.program.line("sum")
        await dap.evaluate("`c", context="repl")
        await dap.event("terminated")
        assert await target.wait_exit() == 0


async def test_the_console_shows_whole_paths(jvm: Jvm) -> None:
    """Also where all directories of a file may be those of a package."""
    async with start_target(jvm, "Large") as target, dap_client() as dap:
        await dap.attach(target)
        line = target.program.line("twice")
        [shown] = await dap.set_breakpoints("/elsewhere/Large.java", [{"line": line}])
        missing = await dap.set_breakpoints("/elsewhere/acme/Missing.java", [{"line": 3}])
        await dap.request("configurationDone")
        stop = await dap.stopped("breakpoint", hitBreakpointIds=[shown["id"]])
        [top, *_] = await dap.frames(stop)
        listed = await console(dap, "breakpoints", top)
        assert f" /elsewhere/Large.java:{line} " in listed and " /elsewhere/acme/Missing.java:3 " in listed
        assert not missing[0]["verified"]
        # one that is set there is the client's as well: it may take it out again
        await console(dap, f"break /elsewhere/Large.java:{target.program.line('call')}", top)
        [again] = await dap.set_breakpoints("/elsewhere/Large.java", [{"line": line}])
        assert again["id"] == shown["id"]
        await dap.request("disconnect", terminateDebuggee=True)
        await dap.event("terminated")

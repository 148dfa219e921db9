"""A prompt that opens its session with ``serve``, and an editor that joins it: each shows where the other is."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import trio

from jdbpy.task_groups import open_nursery
from tests.cli.prompt import attached
from tests.dap.client import DapClient, source_of
from tests.harness import Jvm
from tests.serve.serving import socket_of


async def test_an_editor_shows_where_the_prompt_is(jvm: Jvm, tmp_path: Path) -> None:
    environ = {"XDG_RUNTIME_DIR": os.environ["XDG_RUNTIME_DIR"]}
    async with attached(jvm, tmp_path, environ=environ) as (prompt, target), open_nursery() as nursery:
        await prompt.prompt(">")
        await prompt.run("serve ticks", "jdbpy join ticks", then=">")
        stream = await trio.open_unix_socket(socket_of("ticks"))
        editor = DapClient(stream.send_all)
        nursery.start_soon(editor.collect, partial(stream.receive_some, 65536))
        await editor.attach(target)
        await editor.request("configurationDone")
        file, line = source_of(target.program, "tick"), target.program.line("tick")
        # the prompt stops and steps, and the editor's view goes along
        await prompt.run("stop in Ticker.tick", "reakpoint 1", then=">")
        await target.send()
        await prompt.expect("Breakpoint 1 hit")
        await prompt.prompt("main[1]")
        top = (await editor.frames(await editor.stopped("breakpoint")))[0]
        assert (top["source"]["path"], top["line"], top["name"]) == (file, line, "Ticker.tick")
        await prompt.run("next", "Step completed", then="main[1]")
        [moved, *_] = await editor.frames(await editor.stopped("step"))
        assert moved["source"]["path"] == file
        assert moved["line"] > line
        assert (await editor.evaluate("Ticker.ticks", moved))["result"] == "1"
        await prompt.run("clear Ticker.tick", "1", then="main[1]")
        # a breakpoint of the editor stops both, and the editor resumes both
        [shown] = await editor.breakpoints(target.program, "tick")
        assert shown["verified"]
        await prompt.run("cont", then=">")
        await editor.event("continued")
        await target.send()
        stop = await editor.stopped("breakpoint")
        assert (await editor.frames(stop, levels=1))[0]["line"] == line
        await prompt.expect("Breakpoint 2 hit")
        await prompt.prompt("main[1]")
        await editor.request("continue", threadId=stop["threadId"])
        await target.wait_output("tick 2")
        await prompt.prompt(">")
        # the prompt is quit while both stand: neither side hangs, and the program goes on
        await target.send()
        await editor.stopped("breakpoint")
        await prompt.prompt("main[1]")
        prompt.type("quit\r")
        assert await prompt.wait_exit() == 0
        await editor.event("terminated")
        await editor.wait_over()
        await target.wait_output("tick 3")
        await stream.aclose()
        nursery.cancel_scope.cancel()

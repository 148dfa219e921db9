"""The debug adapter as an editor uses it: its start, and a stop with what is shown of it, near and over a link."""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import trio

from benchmarks.bench import Bench, Link, Stopwatch
from benchmarks.figures import Result, Sample
from benchmarks.rivals import jdi
from benchmarks.rivals.conversation import PATIENCE
from benchmarks.rivals.stopped import Place

_LOOK = Place("Data", "look")
_RTT = 0.1
_TIMES = 5

Body = dict[str, Any]


class Editor:
    """A client of ``jdbpy dap`` on pipes that waits for one thing after the other."""

    def __init__(self, process: trio.Process) -> None:
        self._process = process
        self._data = b""
        self._seq = 0
        self._messages: list[Body] = []

    async def ask(self, command: str, **arguments: Any) -> Body:
        """Send a request and wait for the body of its response."""
        self._seq += 1
        message = {"seq": self._seq, "type": "request", "command": command, "arguments": arguments}
        data = json.dumps(message).encode()
        assert self._process.stdin is not None
        await self._process.stdin.send_all(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
        found = await self._next("request_seq", self._seq)
        if not found["success"]:
            raise RuntimeError(f"{command}: {found['message']}")
        body: Body = found.get("body", {})
        return body

    async def event(self, name: str) -> Body:
        """Wait for an event; its body."""
        body: Body = (await self._next("event", name)).get("body", {})
        return body

    async def _next(self, key: str, value: object) -> Body:
        with trio.fail_after(PATIENCE):
            while True:
                for index, message in enumerate(self._messages):
                    if message.get(key) == value:
                        return self._messages.pop(index)
                await self._read()

    async def _read(self) -> None:
        assert self._process.stdout is not None
        self._data += await self._process.stdout.receive_some()
        while b"\r\n\r\n" in self._data:
            head, _, rest = self._data.partition(b"\r\n\r\n")
            length = int(head.partition(b":")[2])
            if len(rest) < length:
                return
            self._messages.append(json.loads(rest[:length]))
            self._data = rest[length:]


@asynccontextmanager
async def _editor() -> AsyncIterator[Editor]:
    command = [sys.executable, "-m", "jdbpy", "dap"]
    process = await trio.lowlevel.open_process(command, stdin=-1, stdout=-1)
    try:
        yield Editor(process)
        assert process.stdin is not None
        await process.stdin.aclose()
        await process.wait()
    finally:
        process.kill()


async def run(bench: Bench) -> list[Result]:
    return [
        await _start(bench),
        *[await _view(bench, rtt) for rtt in (_RTT, 0.0)],
    ]


async def _start(bench: Bench) -> Result:
    """From the start of the process to its answer to ``initialize``, and the processor time until it has ended."""

    async def answered() -> Sample:
        began = time.perf_counter()
        async with _editor() as editor:
            await editor.ask("initialize", adapterID="jdbpy")
            return Sample(time.perf_counter() - began)

    async def processor_time() -> Sample:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        await answered()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return Sample(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)

    await answered()
    return await bench.compare(
        "`jdbpy dap` until it has answered `initialize`",
        "none",
        {"jdbpy": answered, "jdbpy, processor time, its end included": processor_time},
    )


async def _view(bench: Bench, rtt: float) -> Result:
    """From ``continue`` until an editor has what it shows at the stop: stack, scopes, 23 variables."""

    async def by_adapter() -> Sample:
        async with (
            bench.far_target("Data", rtt=rtt) if rtt else bench.near_target("Data") as link,
            _editor() as editor,
        ):
            await editor.ask("initialize", adapterID="jdbpy")
            await editor.ask("attach", address=link.address, hold="all")
            await editor.event("initialized")
            source = {"path": f"{_LOOK.program}.java"}
            await editor.ask("setBreakpoints", source=source, breakpoints=[{"line": _LOOK.line}])
            await editor.ask("configurationDone")
            thread = (await editor.event("stopped"))["threadId"]
            await _look(editor, thread)
            await _again(editor, thread)
            watch = Stopwatch(link)
            for _ in range(_TIMES):
                await _again(editor, thread)
            return watch.sample(_TIMES)

    async def by_jdi() -> Sample:
        link: Link
        async with bench.far_target("Data", rtt=rtt) if rtt else bench.near_target("Data") as link:
            return await jdi.work(bench.jvm, link, "locals", _LOOK.program, str(_LOOK.line), at_least=20)

    work = "an editor's view of a stop, from `continue`: stack, scopes, 23 variables"
    contenders = {"jdbpy": by_adapter, "JDI": by_jdi}
    return await bench.compare(work, f"{rtt * 1000:.0f} ms" if rtt else "loopback", contenders)


async def _again(editor: Editor, thread: int) -> None:
    await editor.ask("continue", threadId=thread)
    await editor.event("stopped")
    await _look(editor, thread)


async def _look(editor: Editor, thread: int) -> None:
    frames = (await editor.ask("stackTrace", threadId=thread, startFrame=0, levels=20))["stackFrames"]
    for scope in (await editor.ask("scopes", frameId=frames[0]["id"]))["scopes"]:
        if not scope["expensive"]:
            await editor.ask("variables", variablesReference=scope["variablesReference"])

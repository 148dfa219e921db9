"""The target, the debugger or the network dies in the middle of a command: the other side is left sound.

Each command below is cut off at many places of its conversation by a relay between the debugger and the target. The
debugger must then end with status 5 and a sentence (3 while it still greets), and the target must run on to its end.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio

from jdbpy.task_groups import open_nursery
from tests.cli.process import script
from tests.harness import LIMIT, Jvm, Target, program, start_target, within
from tests.harness.commands import jdbpy

pytestmark = pytest.mark.one_java

SCRIPT = ["stop in Hello.greeting", "cont", "where all", "threads", "locals", "step", "class Hello", "classes"]
LONG = f'print new java.lang.StringBuilder("{"x" * 20_000}").length()'
"""Sends more bytes than one run of the script may send more than another: what is read ahead is not always the same."""


class Relay:
    """Passes bytes between a debugger and a target until ``limit`` of the debugger's have gone by, then acts dead.

    ``how`` is "close", "reset" or "silence"; ``sent`` counts the debugger's bytes.
    """

    def __init__(self, limit: float, how: str) -> None:
        self.limit = limit
        self.how = how
        self.sent = 0
        self.port = 0
        self.dead = trio.Event()

    async def run(self, target: Target, task_status: trio.TaskStatus[None]) -> None:
        listener = (await trio.open_tcp_listeners(0, host="127.0.0.1"))[0]
        self.port = listener.socket.getsockname()[1]
        task_status.started()
        async with listener, await listener.accept() as near:
            async with await trio.open_tcp_stream("127.0.0.1", target.port) as far, open_nursery() as nursery:
                nursery.start_soon(self._pass, near, far, True)
                nursery.start_soon(self._pass, far, near, False)
                await self.dead.wait()
                if self.how == "silence":
                    await trio.sleep_forever()
                if self.how == "reset":
                    for stream in (near, far):
                        stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                nursery.cancel_scope.cancel()

    async def _pass(self, source: trio.SocketStream, sink: trio.SocketStream, counted: bool) -> None:
        try:
            async for data in source:
                if self.dead.is_set():
                    return
                if counted:
                    data = data[: max(0, int(min(len(data), self.limit - self.sent)))]
                    self.sent += len(data)
                await sink.send_all(data)
                if self.sent >= self.limit:
                    self.dead.set()
        except trio.BrokenResourceError:
            pass
        self.dead.set()


@asynccontextmanager
async def relayed(target: Target, limit: float = float("inf"), how: str = "close") -> AsyncIterator[Relay]:
    relay = Relay(limit, how)
    async with open_nursery() as nursery:
        await nursery.start(relay.run, target)
        yield relay
        nursery.cancel_scope.cancel()


async def run_jdbpy(port: int, task_status: trio.TaskStatus[trio.Process]) -> None:
    """Run a debugger that reads its commands from a pipe."""
    command = [sys.executable, "-m", "jdbpy", "attach", str(port)]
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    await trio.run_process(
        command, stdin=pipe, stdout=pipe, stderr=nothing, capture_stdout=False, check=False, task_status=task_status
    )


def without_remark(errors: str) -> str:
    """Standard error without the line that the JVM is behind another process: the relay of the test."""
    return re.sub(r"^jdbpy: \S+ is reached through .*\n", "", errors)


async def runs_on(target: Target) -> None:
    """The target is held by no thread: it reads its line and ends."""
    await target.send()
    assert await target.wait_exit() == 0


_SPOKEN: dict[str, int] = {}


async def spoken(jvm: Jvm) -> int:
    """How many bytes the debugger sends for the commands of the script; measured once.

    Leaving looks at the target as often as it must, so that its bytes are not the same each time: here the debugger is
    killed when its commands are done, and leaves nothing.
    """
    if jvm.version not in _SPOKEN:
        async with start_target(jvm, "Hello", "Ada") as target, relayed(target) as relay:
            status, _, errors = await jdbpy(relay.port, *script("set shell on", *SCRIPT, "shell kill -9 $PPID"))
            assert (status, without_remark(errors)) == (-signal.SIGKILL, "")
            await runs_on(target)
            _SPOKEN[jvm.version] = relay.sent
    return _SPOKEN[jvm.version]


@pytest.mark.parametrize("part", range(1, 12))
async def test_the_network_goes(any_jvm: Jvm, part: int) -> None:
    how = "reset" if part % 2 else "close"
    limit = await spoken(any_jvm) * part // 12
    async with start_target(any_jvm, "Hello", "Ada") as target, relayed(target, limit, how) as relay:
        status, output, errors = await jdbpy(relay.port, *script(*SCRIPT, LONG))
        assert status in (3, 5), f"{status}\n{errors}\n{output}"
        assert without_remark(errors).startswith("error: ")
        assert "Traceback" not in errors
        await runs_on(target)


async def test_the_network_falls_silent(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, "Hello", "Ada") as target, relayed(target, 900, "silence") as relay:
        status, _, errors = await jdbpy(relay.port, "--timeout", "3", *script(*SCRIPT))
        assert status == 4
        assert "within 3 seconds" in errors


@pytest.mark.parametrize("line", ["cont", "step", "next", "step up"])
async def test_the_target_is_killed_while_it_runs(jvm: Jvm, line: str) -> None:
    async with start_target(jvm, "Hello") as target, open_nursery() as nursery:

        async def kill_when_it_waits() -> None:
            await target.wait_output("waiting")
            target.kill()

        nursery.start_soon(kill_when_it_waits)
        place = program("Hello").at("done")
        status, output, errors = await jdbpy(target.port, *script(f"stop at {place}", "cont", line))
        assert status == 5, output
        assert "connection to the target is closed" in errors


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_the_debugger_is_killed_while_it_holds_the_target(jvm: Jvm, number: signal.Signals) -> None:
    async with start_target(jvm, "Hello", "Ada") as target:
        async with open_nursery() as nursery:
            debugger: trio.Process = await nursery.start(run_jdbpy, target.port)
            assert debugger.stdin
            assert debugger.stdout
            await debugger.stdin.send_all(b"stop in Hello.greeting\ncont\n")
            seen = b""
            with within(LIMIT):
                while b"Breakpoint 1 hit" not in seen:
                    seen += await debugger.stdout.receive_some()
                assert "hello" not in target.stdout
                os.kill(debugger.pid, number)
                status = await debugger.wait()
        assert status == (-9 if number is signal.SIGKILL else 128 + number)
        await runs_on(target)
        assert "1 hello Ada" in target.stdout

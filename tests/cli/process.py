"""jdbpy as a process of its own: run to its end, or driven line by line through its pipes."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio

from jdbpy.record import Record
from tests.cli.json_check import check_line
from tests.harness import LIMIT, Jvm, Program, Target, within
from tests.harness.processes import piped, send_line
from tests.harness.programs import ROOT


class Done(Record):
    """How a run ended."""

    status: int
    out: str
    err: str

    @property
    def objects(self) -> list[dict[str, Any]]:
        """The JSON lines of standard output, each checked against its shape."""
        return [check_line(line) for line in self.out.splitlines()]

    @property
    def results(self) -> list[dict[str, Any]]:
        return [found for found in self.objects if found["type"] == "result"]

    def events(self, name: str) -> list[dict[str, Any]]:
        """The data of all events of that name."""
        return [found["data"] for found in self.objects if found["type"] == "event" and found["event"] == name]


def command(*words: str) -> list[str]:
    return [sys.executable, "-W", "error", "-m", "jdbpy", *words]


def environment(jvm: Jvm | None) -> dict[str, str]:
    """Ours, with the JVM to launch."""
    inherited = {name: value for name, value in os.environ.items() if name not in ("JAVA_TOOL_OPTIONS", "COLUMNS")}
    return {
        **inherited,
        "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path[:0], os.environ.get("PYTHONPATH", "")]),
        **({"JAVA_HOME": jvm.home} if jvm else {}),
    }


async def jdbpy(*words: str, stdin: str | None = "", jvm: Jvm | None = None, where: Path | None = None) -> Done:
    """Runs jdbpy to its end with ``stdin`` to read, in a directory; None is an input in which nothing ever comes."""
    silence, open_end = os.pipe()
    try:
        with within(2 * LIMIT):
            done = await trio.run_process(
                command(*words),
                stdin=silence if stdin is None else stdin.encode(),
                capture_stdout=True,
                capture_stderr=True,
                check=False,
                env=environment(jvm),
                cwd=where,
            )
    finally:
        os.close(silence)
        os.close(open_end)
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def launching(program: Program, *options: str, arguments: Sequence[str] = ()) -> list[str]:
    """The words that launch a program with its ``arguments``, and with ``options`` of jdbpy."""
    java = ["-cp", program.classes, program.main, *arguments]
    return ["launch", "--sourcepath", program.sources, *options, "--", *java]


def script(*lines: str) -> list[str]:
    """Lines as ``-c`` options."""
    return [word for line in lines for word in ("-c", line)]


class Driver:
    """A running ``jdbpy --json`` whose lines are written and read one by one. ``seen`` is all that it printed."""

    def __init__(self, process: trio.Process) -> None:
        self.process = process
        self.seen: list[dict[str, Any]] = []
        self._buffer = b""

    async def send(self, line: str) -> None:
        await send_line(self.process, line)

    async def close_input(self) -> None:
        assert self.process.stdin is not None
        await self.process.stdin.aclose()

    async def next(self) -> dict[str, Any]:
        """The next object."""
        assert self.process.stdout is not None
        with within(LIMIT):
            while b"\n" not in self._buffer:
                data = await self.process.stdout.receive_some()
                assert data, f"the output ended after {self.seen}"
                self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        self.seen.append(check_line(line.decode()))
        return self.seen[-1]

    async def result(self) -> dict[str, Any]:
        """The next result; events before it are passed over."""
        while (found := await self.next())["type"] != "result":
            pass
        return found

    async def event(self, name: str) -> dict[str, Any]:
        """The data of the next event of that name."""
        while (found := await self.next()).get("event") != name:
            pass
        data: dict[str, Any] = found["data"]
        return data

    async def ask(self, line: str) -> dict[str, Any]:
        """Runs a command that succeeds, and returns its data."""
        await self.send(line)
        found = await self.result()
        assert found["ok"], found
        data: dict[str, Any] = found["data"]
        return data

    async def wait(self) -> int:
        with within(LIMIT):
            return await self.process.wait()

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)


@asynccontextmanager
async def driving(*words: str, jvm: Jvm | None = None) -> AsyncIterator[Driver]:
    """Starts ``jdbpy WORDS --json`` with pipes; it is killed if it still runs at the end of the block."""
    async with piped(command(words[0], "--json", *words[1:]), env=environment(jvm)) as process:
        yield Driver(process)


async def assert_runs_on(target: Target) -> None:
    """The target was resumed: it comes to its end."""
    await target.wait_output("entry 7")
    await target.send()
    assert await target.wait_exit() == 0
    assert "the end" in target.stdout

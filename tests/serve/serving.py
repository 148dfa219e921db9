"""A session that is served by a process of its own, for tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from tests.harness import LIMIT, within

ROOT = Path(__file__).resolve().parents[2]


class ServedSession:
    """The process, and how it is reached."""

    def __init__(self, process: trio.Process, name: str, address: str, token: str) -> None:
        self.process = process
        self.name = name
        self.address = address
        self.token = token


async def run(*words: str, status: int = 0, stdin: bytes = b"") -> tuple[str, str]:
    """Run jdbpy with these words; what it has written."""
    command = [sys.executable, "-m", "jdbpy", *words]
    with within(LIMIT):
        done = await trio.run_process(
            command, capture_stdout=True, capture_stderr=True, check=False, stdin=stdin, cwd=ROOT
        )
    assert done.returncode == status, f"{words}: {done.returncode}\n{done.stdout!r}\n{done.stderr!r}"
    return done.stdout.decode(), done.stderr.decode()


@asynccontextmanager
async def serving(*words: str) -> AsyncIterator[ServedSession]:
    """``jdbpy serve`` with these words, until the block is left."""
    command = [sys.executable, "-m", "jdbpy", "serve", *words]
    async with trio.open_nursery() as nursery:
        process = await trio.lowlevel.open_process(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=ROOT)
        try:
            assert process.stderr is not None
            said = ""
            with within(LIMIT):
                while not said.endswith("\n") or ("--port" in words and "token" not in said):
                    data = await process.stderr.receive_some(4096)
                    assert data, said
                    said += data.decode()
            name = re.search(r"as '([^']+)'", said)
            assert name is not None, said
            port = re.search(r"and at (\S+) with the token (\S+)", said)
            yield ServedSession(process, name[1], port[1] if port else "", port[2] if port else "")
        finally:
            process.terminate()
            with trio.CancelScope(shield=True), within(LIMIT):
                await process.wait()
            nursery.cancel_scope.cancel()


def socket_of(name: str) -> str:
    """The path of a session's socket."""
    return os.path.join(os.environ["XDG_RUNTIME_DIR"], "jdbpy", f"{name}.sock")

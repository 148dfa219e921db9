"""A server for agents that takes them by HTTP, for one test."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.harness import LIMIT, within
from tests.harness.processes import piped
from tests.mcp.client import ROOT


@asynccontextmanager
async def served(*words: str) -> AsyncIterator[tuple[str, str]]:
    """The address and the token of a server that has made its token itself."""
    command = [sys.executable, "-m", "jdbpy", "mcp", "--http", "0", *words]
    async with piped(command, cwd=ROOT, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        said = b""
        while said.count(b"\n") < 2:
            said += await process.stderr.receive_some()
        first, second = said.decode().splitlines()
        yield second.removeprefix("jdbpy: listening on "), first.removeprefix("jdbpy: token ")
        process.terminate()
        with within(LIMIT):
            await process.wait()

"""The command line of jdbpy as a process of its own."""

from __future__ import annotations

import subprocess
import sys

import trio

from tests.harness import LIMIT, within


async def jdbpy(port: int, *arguments: str) -> tuple[int, str, str]:
    """Run the debugger to its end: its exit status, output and errors."""
    command = [sys.executable, "-m", "jdbpy", "attach", str(port), "--batch", *arguments]
    with within(LIMIT):
        done = await trio.run_process(
            command, stdin=subprocess.DEVNULL, capture_stdout=True, capture_stderr=True, check=False
        )
    return done.returncode, done.stdout.decode(), done.stderr.decode()

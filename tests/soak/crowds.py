"""Thousands of breakpoints in one session: set from a file, as a saved session has them, and taken out again."""

from __future__ import annotations

import resource
import sys
import time

import trio

from tests.cli.process import environment
from tests.harness import LIMIT, Program, inline, start_target, within
from tests.soak.trial import Run

BREAKPOINTS = 5000
METHOD = 100
"""Lines of one method."""


def many_lines(count: int) -> Program:
    """A program with so many lines that a breakpoint can stand on, from the second line of the file on."""
    lines = ["public class Crowded { public static void main(String[] a) throws Exception { System.in.read(); }"]
    for number in range(count):
        opening = f"static void m{number // METHOD}() {{ " if number % METHOD == 0 else ""
        closing = " }" if number % METHOD == METHOD - 1 or number == count - 1 else ""
        lines.append(f"{opening}sum += {number};{closing}")
    lines.append("static int sum; }")
    return inline("\n".join(lines))


async def run(run: Run) -> None:
    """Set them, list them, leave: a process of its own each time."""
    count = BREAKPOINTS
    prog = many_lines(count)
    file = run.directory / "breakpoints"
    file.write_text("".join(f"stop at Crowded:{line}\n" for line in range(2, count + 2)), encoding="utf-8")
    times: list[tuple[float, float]] = []
    for seed in run.seeds():
        async with start_target(run.jvm, prog, suspend=False) as target:
            with run.attempt(seed):
                words = ["attach", target.address, "-c", f"read -q {file}", "-c", "breakpoints"]
                begun, cpu = time.monotonic(), _children()
                with within(10 * LIMIT):
                    done = await trio.run_process(
                        [sys.executable, "-m", "jdbpy", *words],
                        capture_stdout=True,
                        capture_stderr=True,
                        check=False,
                        env=environment(None),
                    )
                times.append((time.monotonic() - begun, _children() - cpu))
                assert done.returncode == 0, done.stderr[-500:]
                assert f"\n{count:>4}".strip() in done.stdout.decode().splitlines()[-1], done.stdout[-300:]
    wall, cpu = min(times)
    run.figure(f"{count:,} breakpoints", f"{wall:.1f} s, {cpu:.1f} s of them processor")


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime

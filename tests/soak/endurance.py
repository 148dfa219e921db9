"""Stops, steps and evaluations by the ten thousand in one session: neither they nor the memory of either side grow.

``tries`` are rounds: a breakpoint hit, a step, an evaluation, and now and then the variables, or a called method.
"""

from __future__ import annotations

import gc
import os
import random
import time
from dataclasses import dataclass

import jdbpy
from jdbpy import StepDepth, Stopped
from tests.harness import LIMIT, within
from tests.soak.busy import busy
from tests.soak.trial import Run

WINDOW = 1000
"""Rounds that are compared: the first and the last so many."""

GROWTH = 15
"""Megabytes that this process may grow by between the first window and the end."""

EXPRESSIONS = (
    "thread + (int) count",
    "count * 2 > 7 && thread >= 0",
    '"a" + count',
    "Busy.yes()",
    "counts.get(thread) - count",
    "new int[] {thread, 2}.length",
    "Busy.last",
)


@dataclass
class Window:
    """What a number of rounds came to."""

    rounds: int = 0
    trips: int = 0
    cpu: float = 0.0

    def __str__(self) -> str:
        return f"{self.trips / self.rounds:.2f} trips, {self.cpu / self.rounds * 1000:.2f} ms of processor"


async def run(run: Run) -> None:
    """Go round in one session for as long as there is time."""
    async with busy(run.jvm, threads=1) as target:
        async with jdbpy.attach_session(await target.address()) as session:
            await session.breakpoints.add("Busy.work", policy=jdbpy.SuspendPolicy.ALL)
            with within(LIMIT):
                await session.next_stop()
            await _rounds(run, session, target.target.pid)
        await target.verify()


async def _rounds(run: Run, session: jdbpy.Session, pid: int) -> None:
    window = WINDOW if not run.tries else max(1, min(WINDOW, run.tries // 3))
    windows: list[Window] = [Window()]
    ours = theirs = 0
    for seed in run.seeds():
        trips, cpu = session.statistics().waves, time.process_time()
        with run.attempt(seed), within(LIMIT):
            await _round(session, run.random(seed), seed)
        if run.outcome.failures:
            break
        if windows[-1].rounds == window:
            windows.append(Window())
            if len(windows) == 2:
                ours, theirs = memory(os.getpid()), memory(pid)
        last = windows[-1]
        last.rounds += 1
        last.trips += session.statistics().waves - trips
        last.cpu += time.process_time() - cpu
    whole = [each for each in windows if each.rounds == window]
    run.figure(f"first {window:,} rounds", f"{whole[0]} each" if whole else "not reached")
    if len(whole) < 2:
        return
    first, last = whole[0], whole[-1]
    run.figure(f"last {window:,}", f"{last} each")
    ours, theirs = memory(os.getpid()) - ours, memory(pid) - theirs
    run.figure("memory", f"{ours:+} MB of jdbpy's, {theirs:+} MB of the target's since the first window")
    if last.trips > first.trips * 1.05:
        run.failed(run.seed, f"a round took {first.trips / window:.2f} trips, then {last.trips / window:.2f}")
    if last.cpu > first.cpu * 2:
        run.failed(run.seed, f"a round took {first}, then {last}")
    if ours > GROWTH:
        run.failed(run.seed, f"the process of jdbpy grew by {ours} MB in {run.outcome.tries:,} rounds")


async def _round(session: jdbpy.Session, rng: random.Random, seed: int) -> None:
    stop = await session.execution.cont()
    assert isinstance(stop, Stopped), stop
    depth = list(StepDepth)[seed % 3]
    stop = await session.execution.step(depth)
    assert isinstance(stop, Stopped), stop
    if depth is StepDepth.OUT:
        stop = await session.execution.cont()
    value = await session.values.evaluate(EXPRESSIONS[seed % len(EXPRESSIONS)])
    assert value.text
    if seed % 10 == 0:
        assert {"thread", "count"} <= {variable.name for variable in await session.stack.variables()}


def memory(pid: int) -> int:
    """The resident memory of a process in megabytes; of this one what is in use, garbage taken out first."""
    if pid == os.getpid():
        gc.collect()
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 2**20

"""Leaving a target with busy threads: by each way there is, in each state; a second debugger looks afterwards.

Processes of their own leave by the end of a batch, ``quit``, a time limit, signals, a lost terminal and SIGKILL;
sessions of this process by the end of their block, ``detach``, an exception and a cancellation.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress

import trio

import jdbpy
from jdbpy import SuspendPolicy
from jdbpy.session.model.breakpoints import PointOptions
from jdbpy.task_groups import open_nursery
from tests.cli.pseudo_terminal import open_terminal
from tests.harness import LIMIT, within
from tests.harness.processes import piped
from tests.soak.busy import Blocker, busy
from tests.soak.trial import Run

LANES = 2
"""Targets that are left at the same time: one starts Python while the other waits."""

RENEWED = 150
"""Leavings after which a target is replaced by a new one."""

STATES: dict[str, tuple[str, ...]] = {
    "breakpoint": ("stop in Busy.work",),
    "breakpoint of a thread": ("break thread Busy.work",),
    "condition": ("stop in Busy.work if count % 50 == 0",),
    "condition with a call": ("stop in Busy.work if !Busy.yes()",),
    "logpoint": ('logpoint Busy.work "{thread} {count}" limit 100/s',),
    "trace": ("trace --no-suspend methods in Busy limit 100/s",),
    "watchpoint": ("watch Busy.last if count % 50 == 0",),
    "step": ("stop in Busy.work", "cont", "clear Busy.work", "step up", "step up"),
    "method": ("stop in Busy.work", "cont", "print Busy.nap(150)"),
}
"""The commands after which jdbpy leaves, by what the target is doing then."""

UNFINISHED = {"step": 1, "method": 1}
"""States whose last command does not end by itself before jdbpy leaves: so many results never come."""

SIGNALS = {"SIGINT": 130, "SIGTERM": 143, "SIGHUP": 129, "SIGKILL": -9}
WAYS = ("end of a batch", "quit", "time limit", *SIGNALS, "lost terminal", "block", "detach", "exception", "cancelled")
IN_PROCESS = ("block", "detach", "exception", "cancelled")

ENDS = {0, 1, 4, 5, 129, 130, 143}
"""Statuses that jdbpy may end with when it leaves by itself."""


SILENT = "the JVM may be stopped"
"""Said where an agent has not answered the greeting for ten seconds: a JVM of low priority on a busy machine."""

UNREACHED = "the JVM had no processor for the greeting, so there was nothing to leave"

DEAF = "after SIGKILL the agent never listened again, a fault of its own (docs/agent.md)"


class Wanted(Exception):
    """Raised in a session's block on purpose."""


async def run(run: Run) -> None:
    """Leave targets for as long as there is time."""
    seeds, slowest = run.seeds(), [0.0]
    async with open_nursery() as nursery:
        for lane in range(LANES if run.tries != 1 else 1):
            nursery.start_soon(_lane, run, seeds, 10 * lane, slowest)
    for way in WAYS:
        if count := sum(n for kind, n in run.outcome.kinds.items() if kind.startswith(f"{way}, ")):
            run.figure(way, count)
    for kind in (UNREACHED, DEAF):
        if count := run.outcome.kinds[kind]:
            run.figure(kind, count)
    run.figure("the agent listened again", f"after {max(slowest):.1f} s at most")


async def _lane(run: Run, seeds: Iterator[int], nice: int, slowest: list[float]) -> None:
    """Leave one target after the other; with another priority than its neighbor's, races go other ways."""
    seed: int | None = next(seeds, None)
    while seed is not None:
        async with busy(run.jvm, nice=nice) as target:
            for _ in range(RENEWED):
                failed = len(run.outcome.failures)
                way = await _leave(run, target, seed)
                seed = next(seeds, None)
                if seed is None or len(run.outcome.failures) > failed or way == "SIGKILL":
                    break  # what failed may have spoilt the target; a kill does (docs/agent.md: events pile up)
            slowest.append(target.slowest)


async def _leave(run: Run, target: Blocker, seed: int) -> str:
    """Return the way in which the target was left."""
    rng = run.random(seed)
    way = rng.choice(IN_PROCESS) if rng.random() < 0.6 else rng.choice(WAYS[: -len(IN_PROCESS)])
    state = rng.choice(list(STATES))
    with run.attempt(seed, f"{way}, {state}"):
        address = await target.address()
        if way in IN_PROCESS:
            await _session_leaves(address, way, state, rng)
        elif way == "lost terminal":
            await _terminal_goes(run, address, state, rng)
        else:
            await _process_leaves(run, address, way, state, rng)
        if way == "SIGKILL":
            if run.jvm.feature > 17 and await target.is_deaf():
                run.outcome.kinds[DEAF] += 1
                return way
            async with jdbpy.attach_session(await target.address()):
                pass  # the next session of jdbpy mends what the killed one has left
        await target.verify()
    return way


# -- processes -------------------------------------------------------------------------------------------------------


async def _process_leaves(run: Run, address: str, way: str, state: str, rng: random.Random) -> None:
    words = [sys.executable, "-W", "error", "-m", "jdbpy", "attach", address, "--batch", "--json"]
    commands = STATES[state]
    if way == "time limit":
        words += ["--timeout", f"{rng.uniform(0.2, 0.6):.2f}", *_as_options((*commands, "cont", "cont", "cont"))]
    elif way == "end of a batch":
        words += _as_options(commands)
    if way in ("end of a batch", "quit") and state in UNFINISHED:
        words += ["--timeout", "0.3", "--keep-going"]
    async with collected_process(words) as (process, collected):
        assert process.stdin is not None
        if way == "quit" or way in SIGNALS:
            results = len(commands) - UNFINISHED.get(state, 0)
            await process.stdin.send_all("".join(f"{line}\n" for line in commands).encode())
            if way == "quit":
                await process.stdin.send_all(b"quit\n")
            else:
                await collected.wait_for('"type":"result"', results)
                await trio.sleep(rng.uniform(0, 0.03))
                process.send_signal(getattr(signal, way))
        else:
            await process.stdin.aclose()
        with within(LIMIT):
            status = await process.wait()
            await collected.finished.wait()
    if status == 3 and SILENT in collected.out + collected.err:
        run.outcome.kinds[UNREACHED] += 1
        return
    expected = {SIGNALS[way]} if way in SIGNALS else ENDS | ({3} if way == "time limit" else set())
    assert status in expected, f"status {status}, not one of {expected}: {collected.err}{collected.out[-300:]}"
    assert "Traceback" not in collected.err, collected.err


def _as_options(commands: tuple[str, ...]) -> list[str]:
    return [word for line in commands for word in ("-c", line)]


class Collected:
    """What a process has written so far."""

    def __init__(self) -> None:
        self.out = ""
        self.err = ""
        self.finished = trio.Event()
        self._changed = trio.Condition()

    async def take(self, process: trio.Process) -> None:
        """Read both streams to their ends."""
        assert process.stdout is not None
        assert process.stderr is not None
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._read, process.stdout, "out")
            nursery.start_soon(self._read, process.stderr, "err")
        self.finished.set()
        async with self._changed:
            self._changed.notify_all()

    async def wait_for(self, text: str, times: int) -> None:
        """Wait until ``text`` has been written so often, or the process has ended."""
        with within(LIMIT):
            async with self._changed:
                while self.out.count(text) < times and not self.finished.is_set():
                    await self._changed.wait()

    async def _read(self, stream: trio.abc.ReceiveStream, name: str) -> None:
        async for data in stream:
            async with self._changed:
                setattr(self, name, getattr(self, name) + data.decode(errors="replace"))
                self._changed.notify_all()


@asynccontextmanager
async def collected_process(words: list[str]) -> AsyncIterator[tuple[trio.Process, Collected]]:
    """Start a process with pipes; what it writes is read all the time."""
    collected = Collected()
    async with piped(words, stderr=subprocess.PIPE) as process, open_nursery() as nursery:
        nursery.start_soon(collected.take, process)
        yield process, collected
        nursery.cancel_scope.cancel()


async def _terminal_goes(run: Run, address: str, state: str, rng: random.Random) -> None:
    async with open_terminal(["attach", address], run.directory, columns=200) as terminal:
        await terminal.wait_until(lambda: terminal.screen.cursor_line.startswith(">"), "the prompt")
        for line in STATES[state]:
            terminal.type(f"{line}\r")
        await terminal.expect(STATES[state][0])
        await trio.sleep(rng.uniform(0, 0.1))
        terminal.hang_up()
        status = await terminal.wait_exit()
    assert status in ENDS, f"status {status} after the terminal was closed"


# -- sessions of this process ----------------------------------------------------------------------------------------


async def _session_leaves(address: str, way: str, state: str, rng: random.Random) -> None:
    with within(LIMIT), suppress(Wanted):
        async with jdbpy.attach_session(address) as session, open_nursery() as nursery:
            nursery.start_soon(_pass_by, session)
            await _REACH[state](session, nursery, rng)
            if rng.random() < 0.7:
                await trio.sleep(rng.uniform(0, 0.01))
            if way == "detach":
                await session.detach()
            elif way == "exception":
                raise Wanted
            elif way == "cancelled":
                nursery.cancel_scope.cancel()
                await trio.sleep_forever()
            nursery.cancel_scope.cancel()


async def _pass_by(session: jdbpy.Session) -> None:
    """Read the events, as every front end does."""
    with session.events() as events:
        async for _ in events:
            pass


async def _breakpoint(session: jdbpy.Session, nursery: trio.Nursery, rng: random.Random) -> None:
    await session.breakpoints.add("Busy.work", policy=rng.choice([SuspendPolicy.ALL, SuspendPolicy.THREAD]))


async def _stopped(session: jdbpy.Session, nursery: trio.Nursery, rng: random.Random) -> None:
    await _breakpoint(session, nursery, rng)
    await session.next_stop()
    if rng.random() < 0.5:
        await session.execution.resume()


async def _condition(session: jdbpy.Session, nursery: trio.Nursery, rng: random.Random) -> None:
    await session.breakpoints.add("Busy.work", condition=f"count % {rng.randint(2, 100)} == 0")


async def _call(session: jdbpy.Session, nursery: trio.Nursery, rng: random.Random) -> None:
    await session.breakpoints.add("Busy.work", condition=rng.choice(["!Busy.yes()", "Busy.yes() && count % 20 == 0"]))


async def _logpoint(session: jdbpy.Session, nursery: trio.Nursery, rng: random.Random) -> None:
    await session.breakpoints.add("Busy.work", log="{thread} {count}")


async def _trace(session: jdbpy.Session, nursery: trio.Nursery, rng: random.Random) -> None:
    options = PointOptions(policy=rng.choice([SuspendPolicy.NONE, SuspendPolicy.THREAD]), classes=("Busy",))
    await session.traces.methods(options=options)


async def _watchpoint(session: jdbpy.Session, nursery: trio.Nursery, rng: random.Random) -> None:
    policy = rng.choice([SuspendPolicy.ALL, SuspendPolicy.THREAD])
    options = PointOptions(condition=f"count % {rng.randint(2, 100)} == 0", policy=policy)
    await session.watchpoints.add("Busy.last", options=options)


async def _step(session: jdbpy.Session, nursery: trio.Nursery, rng: random.Random) -> None:
    point = await session.breakpoints.add("Busy.work", policy=SuspendPolicy.ALL)
    await session.next_stop()
    if rng.random() < 0.5:
        await session.breakpoints.remove([point.number])
    await session.execution.start_step(rng.choice(list(jdbpy.StepDepth)))


async def _method(session: jdbpy.Session, nursery: trio.Nursery, rng: random.Random) -> None:
    await session.breakpoints.add("Busy.work", policy=rng.choice([SuspendPolicy.ALL, SuspendPolicy.THREAD]))
    await session.next_stop()

    async def invoke() -> None:
        with suppress(jdbpy.JdbpyError):
            await session.values.evaluate(rng.choice(["Busy.nap(50)", "Busy.yes()"]))

    nursery.start_soon(invoke)
    await trio.lowlevel.checkpoint()


_REACH: dict[str, Callable[[jdbpy.Session, trio.Nursery, random.Random], Awaitable[None]]] = {
    "breakpoint": _breakpoint,
    "breakpoint of a thread": _stopped,
    "condition": _condition,
    "condition with a call": _call,
    "logpoint": _logpoint,
    "trace": _trace,
    "watchpoint": _watchpoint,
    "step": _step,
    "method": _method,
}
"""How a session of this process comes to each state."""

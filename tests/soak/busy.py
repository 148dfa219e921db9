"""The target of most trials: fixtures/Busy.java with six busy threads, and the proof that it runs on."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from tests.harness import LIMIT, Jvm, Target, start_target
from tests.soak.second_debugger import second_debugger

THREADS = 6

PATIENCE = 6
"""Limits of time for which the agent may take to listen again: it competes with busy threads, its own target's too."""

STILL = 10.0
"""Seconds in which an agent's thread that only lacks a processor gets one, or is seen to be ready for one."""


class Blocker:
    """A target that many debuggers attach to, one after the other."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.slowest = 0.0
        self._listened = 1
        self._counted = 0

    async def address(self) -> str:
        """Where the agent listens, as soon as it does again: behind each debugger that has left it listens anew.

        ``slowest`` are the most seconds that this has taken. On a busy machine the agent's threads may starve for long.
        """
        begun = trio.current_time()
        await self.target.wait_listening(self._listened, PATIENCE, or_refused=True)
        self.slowest = max(self.slowest, trio.current_time() - begun)
        self._listened += 1
        return self.target.address

    async def is_deaf(self) -> bool:
        """True if the agent will never listen again: its thread for that sleeps, and nothing wakes it.

        A debugger that is killed amid hits can leave that behind in Java 25 (docs/agent.md, "Events pile up while a
        debugger is being forgotten").
        """
        while True:
            before = _rest(self.target.pid)
            with trio.move_on_after(STILL):
                await self.target.wait_listening(self._listened, PATIENCE, or_refused=True)
                return False
            if before is not None and _rest(self.target.pid) == before:
                return True

    async def verify(self) -> None:
        """Look at the target with another debugger: no thread is suspended, no event comes in, every thread moves."""
        address = await self.address()
        port = int(address.rpartition(":")[2])
        with second_debugger(port) as debugger:  # blocks, and nothing else goes on here meanwhile
            suspended = debugger.suspended()
            if not suspended:
                await self._moves()
            again = debugger.suspended()
            assert not suspended and not again, f"left suspended: {suspended or again}"
            assert not debugger.events, f"events of requests that were left (kind, request): {debugger.events[:5]}"

    async def counts(self) -> list[int]:
        """How often each thread has called Busy.work."""
        self._counted += 1
        await self.target.send("count")
        lines = await self.target.wait_lines("count", self._counted)
        return [int(word) for word in lines[-1].split()[1:]]

    async def _moves(self) -> None:
        """Each thread calls Busy.work further times: one that still runs a method for us may take a while."""
        first = await self.counts()
        with trio.move_on_after(LIMIT):
            while True:
                now = await self.counts()
                if all(later > before for before, later in zip(first, now, strict=True)):
                    return
        raise AssertionError(f"not all threads move: {first}, then {now}")


def _rest(pid: int) -> int | None:
    """Return how often the agent's thread that listens was given a processor so far; None while it wants one."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        if (task / "comm").read_text().startswith("JDWP Transport"):
            status = dict(line.split(":", 1) for line in (task / "status").read_text().splitlines())
            if not status["State"].strip().startswith("S"):
                return None
            return int(status["voluntary_ctxt_switches"]) + int(status["nonvoluntary_ctxt_switches"])
    return None


@asynccontextmanager
async def busy(jvm: Jvm, threads: int = 0, *, nice: int = 0) -> AsyncIterator[Blocker]:
    """Start the target with so many threads (0: ``THREADS``); it is killed at the end of the block.

    ``nice`` is how far its threads step back for others.
    """
    async with start_target(jvm, "Busy", str(threads or THREADS), suspend=False) as target:
        await target.wait_output("ready")
        if nice:
            for thread in os.listdir(f"/proc/{target.pid}/task"):
                os.setpriority(os.PRIO_PROCESS, int(thread), nice)
        yield Blocker(target)

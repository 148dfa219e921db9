"""What every case has at hand: a JVM with a program on it, a link to it, and how much measuring is enough."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import trio

from benchmarks.figures import Effort, Sample
from benchmarks.relay import Relay, open_relay
from tests.harness.jvms import Jvm, all_jvms
from tests.harness.programs import program
from tests.harness.targets import Target, start_target

T = TypeVar("T")

TARGETS = Path(__file__).parent / "targets"


class Bench:
    """Handed to each case."""

    def __init__(self, jvm: Jvm, effort: Effort) -> None:
        self.jvm = jvm
        self.effort = effort

    @asynccontextmanager
    async def target(self, name: str, *args: str) -> AsyncIterator[Target]:
        """Runs ``targets/<name>.java``; the block is entered when it has printed "ready"."""
        async with start_target(self.jvm, program(name, where=TARGETS), *args, suspend=False) as target:
            await target.wait_output("ready")
            yield target

    @asynccontextmanager
    async def far_target(self, name: str, *args: str, rtt: float) -> AsyncIterator[Relay]:
        """The same behind a link with this round trip (seconds)."""
        async with self.target(name, *args) as target, open_relay(target.address, rtt=rtt) as relay:
            yield relay


def choose_jvm(version: int | None) -> Jvm:
    """The JVM to measure on: that version, or the oldest; one with a jdb if there is a choice."""
    candidates = [jvm for jvm in all_jvms() if version in (None, jvm.feature)]
    if not candidates:
        raise SystemExit(f"no Java {version} here")
    return next((jvm for jvm in candidates if jvm.javac), candidates[0])


async def in_thread(function: Callable[[], T]) -> T:
    """Runs blocking code beside the loop, which has the relay to run."""
    return await trio.to_thread.run_sync(function)


class Stopwatch:
    """Time and waves of a stretch of work, from its making to ``sample``."""

    def __init__(self, relay: Relay) -> None:
        self._relay = relay
        self._before = relay.traffic()
        self._start = time.perf_counter()

    def sample(self) -> Sample:
        """What has passed since this was made."""
        seconds = time.perf_counter() - self._start
        return Sample(seconds, self._relay.traffic().since(self._before).waves)

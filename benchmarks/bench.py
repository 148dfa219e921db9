"""What every case has at hand: a JVM with a program on it, a link to it, and how much measuring is enough."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol, TypeVar

import trio

from benchmarks.figures import Effort, Figure, Result, Sample, Unit, measure
from benchmarks.relay import open_relay
from benchmarks.traffic import Traffic
from tests.harness.jvms import Jvm, all_jvms, found_jvms
from tests.harness.programs import Program, program
from tests.harness.targets import Target, start_target

T = TypeVar("T")

TARGETS = Path(__file__).parent / "targets"

AS_IN_PRODUCTION = ("-XX:TieredStopAtLevel=4", "-XX:-UseSerialGC", "-XX:+UseG1GC")
"""Options of the JVM, against those with which tests start one: code is compiled as it is where it runs for long."""


class Link(Protocol):
    """The way to a target: a ``Relay``, or a ``Direct`` one, which counts nothing."""

    host: str
    port: int
    address: str

    def traffic(self) -> Traffic | None: ...


class Direct:
    """A target on loopback with nothing in between."""

    def __init__(self, target: Target) -> None:
        self.host = "127.0.0.1"
        self.port = target.port
        self.address = target.address

    def traffic(self) -> None:
        """Nobody counts it."""


class Bench:
    """Handed to each case. Without ``with_rivals`` JDI and jdb are not measured."""

    def __init__(self, jvm: Jvm, effort: Effort, *, with_rivals: bool = True) -> None:
        self.jvm = jvm
        self.effort = effort
        self._with_rivals = with_rivals and has_jdb(jvm)

    @asynccontextmanager
    async def target(self, name: str, *args: str, options: Sequence[str] = ()) -> AsyncIterator[Target]:
        """Runs ``targets/<name>.java``; the block is entered when it has printed "ready"."""
        async with start_target(self.jvm, program_of(name), *args, suspend=False, jvm_options=options) as target:
            await target.wait_output("ready")
            yield target

    @asynccontextmanager
    async def far_target(self, name: str, *args: str, rtt: float) -> AsyncIterator[Link]:
        """The same behind a link with this round trip (seconds); the link of a round trip of 0 is counted, too."""
        async with self.target(name, *args) as target, open_relay(target.address, rtt=rtt) as relay:
            yield relay

    @asynccontextmanager
    async def near_target(self, name: str, *args: str) -> AsyncIterator[Link]:
        """The same with nothing in between: where the relay's own work would show."""
        async with self.target(name, *args) as target:
            yield Direct(target)

    async def compare(
        self,
        work: str,
        link: str,
        contenders: Mapping[str, Callable[[], Awaitable[Sample]]],
        unit: Unit = Unit.SECONDS,
        *,
        rivals_at_once: bool = False,
    ) -> Result:
        """Measures one contender after the other; JDI and jdb are left out where the JVM has none, or as asked.

        ``rivals_at_once`` is for work that takes JDI and jdb a minute each, all of it spent waiting for a slow link:
        these two are then measured side by side.
        """
        rivals = [name for name in ("JDI", "jdb") if name in contenders]
        figures = {name: await self._measure(name, run) for name, run in contenders.items() if name not in rivals}
        if self._with_rivals:
            limit = trio.CapacityLimiter(2 if rivals_at_once else 1)

            async def measure_rival(name: str) -> None:
                async with limit:
                    figures[name] = await self._measure(name, contenders[name])

            async with trio.open_nursery() as nursery:
                for name in rivals:
                    nursery.start_soon(measure_rival, name)
        return Result(work, link, tuple(figures[name] for name in contenders if name in figures), unit)

    async def _measure(self, name: str, run: Callable[[], Awaitable[Sample]]) -> Figure:
        return await measure(name, self.effort, run)


def program_of(name: str) -> Program:
    """The program ``targets/<name>.java``, compiled."""
    return program(name, where=TARGETS)


def choose_jvm(version: int | None) -> Jvm:
    """The JVM to measure on: that version, or the oldest; one with a jdb if there is a choice."""
    candidates = [jvm for jvm in (found_jvms() if version else all_jvms()) if version in (None, jvm.feature)]
    if not candidates:
        raise SystemExit(f"no Java {version} here")
    return next((jvm for jvm in candidates if has_jdb(jvm)), candidates[0])


def has_jdb(jvm: Jvm) -> bool:
    """Whether the runtime has jdb, and so the module jdk.jdi that it stands on."""
    return Path(jvm.home, "bin", "jdb").exists()


async def in_thread(function: Callable[[], T]) -> T:
    """Runs blocking code beside the loop, which has the relay to run."""
    return await trio.to_thread.run_sync(function)


class Stopwatch:
    """Time and waves of a stretch of work, from its making to ``sample``."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._before = link.traffic()
        self._start = time.perf_counter()

    def sample(self, per: int = 1) -> Sample:
        """What has passed since this was made; with ``per``, for each of so many pieces of work."""
        seconds = time.perf_counter() - self._start
        traffic = self._link.traffic()
        if traffic is None or self._before is None:
            return Sample(seconds / per)
        return Sample(seconds / per, traffic.since(self._before).waves / per)

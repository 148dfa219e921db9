"""Floods of events that suspend nothing: how many are taken a second, at what memory; commands meanwhile."""

from __future__ import annotations

import os
import statistics
from collections.abc import Awaitable, Callable

import trio

import jdbpy
from jdbpy import EventsDropped, Notice, Reporting, SuspendPolicy
from jdbpy.session.events.streams import EventStream
from jdbpy.session.model.breakpoints import PointOptions
from jdbpy.task_groups import open_nursery
from tests.harness import LIMIT, within
from tests.soak.busy import busy
from tests.soak.endurance import memory
from tests.soak.trial import Run

SECONDS = 2.0
"""The length of one flood."""

GROWTH = 150
"""Megabytes that a flood may add to this process."""

NONE = SuspendPolicy.NONE


async def _entries(session: jdbpy.Session) -> None:
    await session.traces.methods(exits=False, options=PointOptions(policy=NONE, classes=("Busy",)))


async def _counted(session: jdbpy.Session) -> None:
    options = PointOptions(policy=NONE, classes=("Busy",), reporting=Reporting(limit=0, hold=False))
    await session.traces.methods(options=options)


async def _hits(session: jdbpy.Session) -> None:
    await session.breakpoints.add("Busy.work", policy=NONE)


FLOODS: dict[str, Callable[[jdbpy.Session], Awaitable[None]]] = {
    "method entries": _entries,
    "entries and exits, counted only": _counted,
    "breakpoint hits": _hits,
}


async def run(run: Run) -> None:
    """Open the flood gates, one after the other."""
    rates: dict[str, list[float]] = {}
    latencies: list[float] = []
    dropped = grown = 0
    async with busy(run.jvm) as target:
        for seed in run.seeds():
            kind = list(FLOODS)[seed % len(FLOODS)]
            with run.attempt(seed, kind):
                before = memory(os.getpid())
                async with jdbpy.attach_session(await target.address()) as session:
                    rate, slow, said = await _flood(session, kind)
                await target.verify()
                more = memory(os.getpid()) - before
                grown = max(grown, more)
                assert more < GROWTH, f"{kind}: {more} MB more"
                rates.setdefault(kind, []).append(rate)
                latencies += slow
                dropped += said
    for kind, measured in rates.items():
        run.figure(kind, f"{max(measured):,.0f} a second")
    if latencies:
        middle, worst = statistics.median(latencies) * 1000, max(latencies) * 1000
        run.figure("a command meanwhile", f"{middle:.0f} ms, at worst {worst:.0f} ms")
    run.figure("memory", f"{grown:+} MB at most")
    run.figure("left out of the reports, and said", f"{dropped:,}")


async def _flood(session: jdbpy.Session, kind: str) -> tuple[float, list[float], int]:
    """Return the events of a second, the times that commands took, and how many events were said to be left out."""
    latencies: list[float] = []
    said = 0

    async def read(stream: EventStream) -> None:
        nonlocal said
        async for event in stream:
            if isinstance(event, EventsDropped):
                said += event.count
            elif isinstance(event, Notice) and event.kind == "left-out":
                said += sum(value for _, value in event.data if isinstance(value, int))

    with session.events() as stream:
        async with open_nursery() as nursery:
            nursery.start_soon(read, stream)
            await FLOODS[kind](session)
            counted, begun = _events(session), trio.current_time()
            while trio.current_time() < begun + SECONDS:
                asked = trio.current_time()
                with within(LIMIT):
                    await session.threads.list()
                latencies.append(trio.current_time() - asked)
                await trio.sleep(0.05)
            rate = (_events(session) - counted) / (trio.current_time() - begun)
            with within(LIMIT):
                await session.points.remove([point.number for point in session.points.list()])
            nursery.cancel_scope.cancel()
    return rate, latencies, said


def _events(session: jdbpy.Session) -> int:
    count: int = session.statistics().events
    return count

"""``profile`` of Tomcat under eight clients: what a request costs meanwhile, and what passes over the wire.

A profile is measured from before it is begun until its result is there, in turns with as long a time without a
debugger. On a machine with other work the processor time of a request tells more than the time between two.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import trio

import jdbpy
from benchmarks.bench import Bench
from benchmarks.cases.tomcat import CLIENTS, BusyTomcat, serving
from benchmarks.figures import Figure, Result, Sample, Unit
from benchmarks.processes import processor_time
from benchmarks.relay import open_relay
from jdbpy.record import Record
from jdbpy.task_groups import open_nursery

_SECONDS = 30.0

_PAIRS = 3

_WARM, _BATCH = 100_000, 2_000
"""Requests before anything is measured, and of a batch, after which is looked whether the time is over."""

_LINKS = {"loopback": 0.0, "20 ms": 0.02}


class _Served(Record):
    """Seconds for one request: of Tomcat's processors, and of the clock."""

    processor: float
    clock: float


async def _during(tomcat: BusyTomcat, work: Callable[[], Awaitable[None]]) -> _Served:
    """Return the cost of requests while some work is done."""
    ended = trio.Event()
    requests = 0

    async def whole() -> None:
        await work()
        ended.set()

    begun, before = trio.current_time(), processor_time(tomcat.target.pid)
    async with open_nursery() as nursery:
        nursery.start_soon(whole)
        while not ended.is_set():
            await tomcat.ask(_BATCH)
            requests += _BATCH
    taken = processor_time(tomcat.target.pid) - before
    return _Served(taken / requests, (trio.current_time() - begun) / requests)


async def _idle() -> None:
    await trio.sleep(_SECONDS)


async def run(bench: Bench) -> list[Result]:
    """Pairs over the loopback, one over a link, and the bytes that a profile takes."""
    results = []
    async with serving(bench) as tomcat:
        await tomcat.ask(_WARM)
        for link, rtt in _LINKS.items():
            figures: dict[str, list[_Served]] = {"without": [], "jdbpy": []}
            sizes: list[int] = []

            async def profile(rtt: float = rtt, sizes: list[int] = sizes) -> None:
                async with open_relay(tomcat.target.address, rtt=rtt) as relay:
                    async with jdbpy.attach_session(relay.address) as session:
                        found = await session.profiler.profile(_SECONDS)
                        assert any("apache" in each.name for each in found.hot), found.hot
                    traffic = relay.traffic()
                sizes.append(traffic.bytes_in + traffic.bytes_out)

            for _ in range(_PAIRS if not rtt else 1):
                figures["without"].append(await _during(tomcat, _idle))
                figures["jdbpy"].append(await _during(tomcat, profile))
                await tomcat.target.wait_listening_again()
            what = f"Tomcat under {CLIENTS} clients, `profile {_SECONDS:g}s`"
            for words, field in (("processor time of a request", "processor"), ("from one to the next", "clock")):
                found = tuple(
                    Figure(name, tuple(Sample(getattr(each, field)) for each in served))
                    for name, served in figures.items()
                )
                results.append(Result(f"{what}: {words}", link, found))
            taken = Figure("jdbpy", tuple(Sample(float(each)) for each in sizes))
            results.append(Result(f"{what}: over the wire", link, (taken,), Unit.BYTES))
    return results

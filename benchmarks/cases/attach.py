"""From the start of the debugger to its first prompt."""

from __future__ import annotations

import time

from benchmarks.bench import Bench, Stopwatch, in_thread
from benchmarks.figures import Result, Sample, measure
from benchmarks.relay import Relay
from benchmarks.rivals import jdi
from benchmarks.rivals.conversation import jdb_of, open_jdb
from benchmarks.rivals.floor import Floor
from benchmarks.rivals.jdi import has_jdi
from benchmarks.rivals.terminal import open_prompt

# IDSizes, Version and CapabilitiesNew: what a debugger wants to know before it can say where it is attached
HELLO = [(1, 7, b""), (1, 1, b""), (1, 17, b"")]


async def run(bench: Bench) -> list[Result]:
    return [await _over(bench, 0.1, "100 ms"), await _over(bench, 0.0, "loopback")]


async def _over(bench: Bench, rtt: float, link: str) -> Result:
    async def jdbpy() -> Sample:
        async with bench.far_target("Crowd", "1", "1", rtt=rtt) as relay:
            watch = Stopwatch(relay)
            async with open_prompt(relay.address):
                return watch.sample()

    async def jdb() -> Sample:
        async with bench.far_target("Crowd", "1", "1", rtt=rtt) as relay:
            watch = Stopwatch(relay)
            async with open_jdb(str(jdb_of(bench.jvm)), relay.address):
                return watch.sample()

    async def by_jdi() -> Sample:
        async with bench.far_target("Crowd", "1", "1", rtt=rtt) as relay:
            return await jdi.attach(bench.jvm, relay)

    async def floor() -> Sample:
        async with bench.far_target("Crowd", "1", "1", rtt=rtt) as relay:
            return await in_thread(lambda: _bare(relay))

    figures = [await measure("floor", bench.effort, floor), await measure("jdbpy", bench.effort, jdbpy)]
    if has_jdi(bench.jvm):
        figures += [await measure("JDI", bench.effort, by_jdi), await measure("jdb", bench.effort, jdb)]
    return Result("attach, to the first prompt", link, tuple(figures))


def _bare(relay: Relay) -> Sample:
    before = relay.traffic()
    start = time.perf_counter()
    with Floor(relay.host, relay.port, HELLO):
        return Sample(time.perf_counter() - start, relay.traffic().since(before).waves)

"""From the start of the debugger to its first prompt."""

from __future__ import annotations

from benchmarks.bench import Bench, Link, Stopwatch, in_thread
from benchmarks.figures import Result, Sample
from benchmarks.rivals import jdi
from benchmarks.rivals.conversation import open_jdb
from benchmarks.rivals.floor import Floor
from benchmarks.rivals.terminal import open_prompt

# IDSizes, Version and CapabilitiesNew: what a debugger wants to know before it can say where it is attached
HELLO = [(1, 7, b""), (1, 1, b""), (1, 17, b"")]


async def run(bench: Bench) -> list[Result]:
    return [await _over(bench, 0.1, "100 ms"), await _over(bench, 0.0, "loopback")]


async def _over(bench: Bench, rtt: float, link: str) -> Result:
    async def jdbpy() -> Sample:
        async with bench.far_target("Crowd", "1", "1", rtt=rtt) as way:
            watch = Stopwatch(way)
            async with open_prompt(way.address):
                return watch.sample()

    async def jdb() -> Sample:
        async with bench.far_target("Crowd", "1", "1", rtt=rtt) as way:
            watch = Stopwatch(way)
            async with open_jdb(bench.jvm, way.address):
                return watch.sample()

    async def by_jdi() -> Sample:
        async with bench.far_target("Crowd", "1", "1", rtt=rtt) as way:
            return await jdi.attach(bench.jvm, way)

    async def floor() -> Sample:
        async with bench.far_target("Crowd", "1", "1", rtt=rtt) as way:
            return await in_thread(lambda: _bare(way))

    contenders = {"floor": floor, "jdbpy": jdbpy, "JDI": by_jdi, "jdb": jdb}
    return await bench.compare("attach, to the first prompt", link, contenders)


def _bare(way: Link) -> Sample:
    watch = Stopwatch(way)
    with Floor(way.host, way.port, HELLO):
        return watch.sample()

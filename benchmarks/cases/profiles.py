"""Profiles: reading a recording, how often a thread is sampled, and what a profile costs the program."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import trio

import jdbpy
import jdbpy.jfr
from benchmarks.bench import AS_IN_PRODUCTION, Bench
from benchmarks.cases.hits import turning
from benchmarks.figures import Result, Sample
from jdbpy.profiles.recorded import read_profile
from tests.jfr.recorded import recording

_PROFILED = 4.0
"""Seconds of a profile whose samples are counted."""


async def run(bench: Bench) -> list[Result]:
    """``jdbpy.jfr`` on a recording of every type of event, and ``profile`` on a loop that never waits."""
    path = await trio.to_thread.run_sync(recording, bench.jvm)
    size = path.stat().st_size / 1e6

    async def timed(read: Callable[[], object]) -> Sample:
        def processor_time() -> float:
            begun = time.thread_time()
            read()
            return time.thread_time() - begun

        return Sample(await trio.to_thread.run_sync(processor_time) / size)

    async def events() -> Sample:
        return await timed(lambda: sum(1 for _ in jdbpy.jfr.read(path).events()))

    async def profile_of_file() -> Sample:
        return await timed(lambda: read_profile(jdbpy.jfr.read(path), "cpu"))

    anvil = partial(turning, bench, 0.0, "Anvil", AS_IN_PRODUCTION)

    async def sampled(sampling: bool) -> Sample:
        async with anvil() as turns, jdbpy.attach_session(turns.link.address) as session:
            found = await session.profiler.profile(_PROFILED, sampling=sampling)
            return Sample(found.seconds / found.samples)

    async def without() -> Sample:
        async with anvil() as turns, jdbpy.attach_session(turns.link.address):
            return await turns.processor_sample()

    async def profiled(sampling: bool) -> Sample:
        async with anvil() as turns, jdbpy.attach_session(turns.link.address) as session:
            async with session.profiler.running(sampling=sampling):
                return await turns.processor_sample()

    return [
        await bench.compare("1 MB of a flight recording, all events: processor time", "none", {"jdbpy": events}),
        await bench.compare(
            "1 MB of a flight recording, its `cpu` profile: processor time", "none", {"jdbpy": profile_of_file}
        ),
        await bench.compare(
            "`profile`, from one sample of a busy thread to the next", "loopback", {"jdbpy": partial(sampled, False)}
        ),
        await bench.compare(
            "`profile sampling`, from one sample to the next", "loopback", {"jdbpy": partial(sampled, True)}
        ),
        await bench.compare(
            "a turn of a loop while `profile` runs: processor time",
            "loopback",
            {"without": without, "jdbpy": partial(profiled, False), "ordinary": partial(profiled, True)},
        ),
    ]

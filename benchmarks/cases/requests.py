"""One cheap request, asked one by one and many at once: what the wire layer itself costs."""

from __future__ import annotations

import time

import trio

from benchmarks.bench import Bench, in_thread
from benchmarks.figures import Result, Sample
from benchmarks.rivals.floor import Floor, ids
from jdbpy.wire.messages import thread_reference, virtual_machine
from jdbpy.wire.opening import open_connection

_ONE_BY_ONE = 2_000
_AT_ONCE = 20_000


async def run(bench: Bench) -> list[Result]:
    """ThreadReference.Name; the figures are seconds for one request."""
    return [
        await _compare(bench, "a request, one by one", _ONE_BY_ONE, at_once=False),
        await _compare(bench, "a request, in a batch", _AT_ONCE, at_once=True),
    ]


async def _compare(bench: Bench, work: str, number: int, *, at_once: bool) -> Result:
    async def jdbpy() -> Sample:
        async with (
            bench.target("Crowd", "1", "1") as target,
            open_connection(await trio.open_tcp_stream("127.0.0.1", target.port)) as connection,
        ):
            thread = (await connection.request(virtual_machine.AllThreads())).threads[0]
            commands = [thread_reference.Name(thread)] * number
            start = time.perf_counter()
            if at_once:
                await connection.batch(commands)
            else:
                for command in commands:
                    await connection.request(command)
            return Sample((time.perf_counter() - start) / number)

    async def floor() -> Sample:
        async with bench.target("Crowd", "1", "1") as target:
            return await in_thread(lambda: _bare(target.port, number, at_once=at_once))

    return await bench.compare(work, "loopback", {"floor": floor, "jdbpy": jdbpy})


def _bare(port: int, number: int, *, at_once: bool) -> Sample:
    with Floor("127.0.0.1", port) as floor:
        [threads] = floor.wave([(1, 4, b"")])
        command = (11, 1, ids(threads, 4, 1)[0])
        start = time.perf_counter()
        names = floor.wave([command] * number) if at_once else [floor.wave([command])[0] for _ in range(number)]
        for name in names:
            name[4:].decode()
        return Sample((time.perf_counter() - start) / number)

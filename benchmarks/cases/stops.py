"""From ``cont`` to the prompt at the next hit of a breakpoint, and single steps, everything known from earlier ones."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager

import jdbpy
from benchmarks.bench import Bench, Link, Stopwatch, in_thread
from benchmarks.figures import Result, Sample
from benchmarks.report import CONTENDERS
from benchmarks.rivals import jdi
from benchmarks.rivals.bare import BareStop
from benchmarks.rivals.floor import Floor
from benchmarks.rivals.stopped import Place, ask_jdb, jdb_at, jdbpy_at

_HIT = Place("Loop", "hit")
_WARM_UP = 3
_OpenLink = AbstractAsyncContextManager[Link]
_DEPTHS = {"step": 0, "next": 1}


async def hit(bench: Bench) -> list[Result]:
    return [await _compare(bench, "cont", rtt=0.1, times=5), await _compare(bench, "cont", rtt=0.0, times=50)]


async def steps(bench: Bench) -> list[Result]:
    return [
        await _compare(bench, "step", rtt=0.1, times=5),
        await _compare(bench, "step", rtt=0.0, times=50),
        await _compare(bench, "next", rtt=0.0, times=50),
    ]


async def _compare(bench: Bench, command: str, *, rtt: float, times: int) -> Result:
    """Figures are for one stop of ``times``. On loopback there is no relay in between: its own work would show."""

    def target() -> _OpenLink:
        return bench.far_target("Loop", rtt=rtt) if rtt else bench.near_target("Loop")

    async def again(link: Link, once: Callable[[], Awaitable[object]]) -> Sample:
        for _ in range(_WARM_UP):
            await once()
        watch = Stopwatch(link)
        for _ in range(times):
            await once()
        return watch.sample(times)

    async def by_command_line() -> Sample:
        async with target() as link, jdbpy_at(link, _HIT) as conversation:
            if command != "cont":
                await conversation.ask(f"clear {_HIT.text}")
            return await again(link, lambda: conversation.ask(command))

    async def by_script() -> Sample:
        async with target() as link, jdbpy.attach_session(link.address) as session:
            breakpoint_ = await session.breakpoints.add(_HIT.text)
            await session.next_stop()
            if command == "cont":
                return await again(link, session.execution.cont)
            await session.points.remove([breakpoint_.number])
            depth = jdbpy.StepDepth.INTO if command == "step" else jdbpy.StepDepth.OVER
            return await again(link, lambda: session.execution.step(depth))

    async def by_jdb() -> Sample:
        async with target() as link, jdb_at(bench, link, _HIT) as conversation:
            if command != "cont":
                await ask_jdb(conversation, f"clear {_HIT.text}")
            return await again(link, lambda: ask_jdb(conversation, command))

    async def by_jdi() -> Sample:
        work = "hit" if command == "cont" else command
        async with target() as link:
            what = (work, _HIT.program, str(_HIT.line), str(times))
            return await jdi.work(bench.jvm, link, *what, at_least=times, per=times)

    async def by_floor() -> Sample:
        async with target() as link:

            def work() -> Sample:
                with Floor(link.host, link.port) as floor:
                    stop = BareStop(floor, _HIT.program, _HIT.line)
                    once = stop.hit if command == "cont" else lambda: stop.step(_DEPTHS[command])
                    for _ in range(_WARM_UP):
                        once()
                    watch = Stopwatch(link)
                    for _ in range(times):
                        once()
                    return watch.sample(times)

            return await in_thread(work)

    contenders = dict(zip(CONTENDERS, (by_floor, by_command_line, by_script, by_jdi, by_jdb), strict=True))
    work = "a breakpoint's hit, from `cont` to the prompt" if command == "cont" else f"a `{command}`"
    return await bench.compare(work, f"{rtt * 1000:.0f} ms" if rtt else "loopback", contenders)

"""Many JVMs in one session, each behind a link of its own: what asking all takes beside asking one."""

from __future__ import annotations

import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from benchmarks.bench import Bench, Link
from benchmarks.figures import Figure, Result, Sample, Unit
from benchmarks.processes import resident
from benchmarks.relay import open_relay
from benchmarks.rivals.conversation import Conversation, converse

_JVMS = 50
_RTT = 0.02
_SMALL = ("-Xmx16m",)


async def run(bench: Bench) -> list[Result]:
    """``each threads`` of all, again and again, beside ``threads`` of one of them; and the memory of both sessions."""
    async with AsyncExitStack() as stack:
        links: list[Link] = []
        for _ in range(_JVMS + 1):
            target = await stack.enter_async_context(bench.target("Crowd", "1", "1", options=_SMALL))
            links.append(await stack.enter_async_context(open_relay(target.address, rtt=_RTT)))
        async with _attached(links[:1]) as conversation:
            await _timed(conversation, "threads")
            alone = Sample(resident(conversation.pid))
        async with _attached(links[1:]) as conversation:
            await _timed(conversation, "each threads")
            await _timed(conversation, "threads")
            one, every = [], []
            for _ in range(bench.effort.runs):
                one.append(await _timed(conversation, "threads"))
                every.append(await _timed(conversation, "each threads"))
            together = Sample(resident(conversation.pid))
    link = f"{_RTT * 1000:g} ms"
    return [
        Result(
            f"`each threads` of {_JVMS} JVMs (floor: `threads` of one of them)",
            link,
            (Figure("floor", tuple(one)), Figure("jdbpy", tuple(every))),
        ),
        Result(
            f"memory of the debugger of {_JVMS} JVMs (floor: of one)",
            link,
            (Figure("floor", (alone,)), Figure("jdbpy", (together,))),
            Unit.BYTES,
        ),
    ]


@asynccontextmanager
async def _attached(links: list[Link]) -> AsyncIterator[Conversation]:
    addresses = [f"jvm{number}={link.address}" for number, link in enumerate(links)]
    async with converse([sys.executable, "-m", "jdbpy", "attach", *addresses, "--keep-going"]) as conversation:
        await conversation.ask("version")
        yield conversation


async def _timed(conversation: Conversation, command: str) -> Sample:
    start = time.perf_counter()
    text = await conversation.ask(command)
    seconds = time.perf_counter() - start
    if "crowd-" not in text or "could not" in text:  # equal answers are shown once
        raise RuntimeError(f"{command} has not shown the threads of all: {text[:2000]}")
    return Sample(seconds)

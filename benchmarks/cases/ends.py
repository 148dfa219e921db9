"""From ``System.exit`` to the end of the process: without an agent (the floor), and with a debugger."""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager

from benchmarks.bench import Bench, program_of
from benchmarks.figures import Result, Sample
from benchmarks.rivals.conversation import open_jdb
from benchmarks.rivals.terminal import open_prompt
from tests.harness.targets import Target, start_target

_TOLD = re.compile(r"ends at (\d+)")


async def run(bench: Bench) -> list[Result]:
    async def bare() -> Sample:
        async with start_target(bench.jvm, program_of("Ends"), with_agent=False) as target:
            await target.wait_output("ready")
            return await _end(target)

    def measured(debugger: Callable[[str], AbstractAsyncContextManager[object]]) -> Callable[[], Awaitable[Sample]]:
        async def once() -> Sample:
            async with bench.target("Ends") as target, debugger(target.address):
                return await _end(target)

        return once

    contenders = {
        "floor": bare,
        "jdbpy": measured(open_prompt),
        "jdb": measured(lambda address: open_jdb(bench.jvm, address)),
    }
    return [await bench.compare("from `System.exit` to the end of the process", "loopback", contenders)]


async def _end(target: Target) -> Sample:
    await target.send()
    await target.process.wait()
    ended = time.time()
    told = _TOLD.search(await target.wait_output("ends at "))
    assert told is not None
    return Sample(ended - int(told[1]) / 1000)

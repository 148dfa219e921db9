"""What starting costs in processor time: ``--help``, a batch that attaches, the prompt; floors are bare imports."""

from __future__ import annotations

import resource
import sys
from collections.abc import Awaitable, Callable

import trio

from benchmarks.bench import Bench, Link
from benchmarks.figures import Result, Sample
from benchmarks.rivals.terminal import open_prompt

_JDBPY = ("-m", "jdbpy")


async def run(bench: Bench) -> list[Result]:
    async def batch(link: Link) -> None:
        await _python(*_JDBPY, "attach", link.address, "--batch", "-c", "version")

    async def prompt(link: Link) -> None:
        async with open_prompt(link.address):
            pass

    return [
        await _compare(bench, "`--help` (floor: `pass`)", "pass", lambda _: _python(*_JDBPY, "--help")),
        await _compare(bench, "a batch that attaches (floor: `import trio`)", "import trio", batch),
        await _compare(
            bench, "the prompt (floor: `import trio, prompt_toolkit`)", "import trio, prompt_toolkit", prompt
        ),
    ]


async def _compare(bench: Bench, work: str, floor: str, run: Callable[[Link], Awaitable[None]]) -> Result:
    async with bench.near_target("Crowd", "1", "1") as link:
        await run(link)  # what is compiled to bytecode is compiled

        async def jdbpy() -> Sample:
            return await _processor_time(lambda: run(link))

        async def bare() -> Sample:
            return await _processor_time(lambda: _python("-c", floor))

        return await bench.compare(f"processor time of {work}", "none", {"floor": bare, "jdbpy": jdbpy})


async def _processor_time(work: Callable[[], Awaitable[None]]) -> Sample:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    await work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Sample(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


async def _python(*arguments: str) -> None:
    await trio.run_process([sys.executable, *arguments], capture_stdout=True, stdin=None)

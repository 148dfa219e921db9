"""What starting costs in processor time: ``--help``, a batch that attaches, the prompt; floors are bare imports."""

from __future__ import annotations

import resource
import sys
from collections.abc import Awaitable, Callable
from functools import partial

import trio

from benchmarks.bench import Bench, Link
from benchmarks.figures import Result, Sample
from benchmarks.rivals.stopped import Place
from benchmarks.rivals.terminal import open_prompt

_JDBPY = ("-m", "jdbpy")
_LOOK = Place("Data", "look")


async def run(bench: Bench) -> list[Result]:
    async def help_() -> Sample:
        return await _python(*_JDBPY, "--help")

    async def batch() -> Sample:
        async with bench.near_target("Crowd", "1", "1") as link:
            return await _python(*_JDBPY, "attach", link.address, "--batch", "-c", "version")

    async def prompt() -> Sample:
        async with bench.near_target("Crowd", "1", "1") as link:
            return await _processor_time(lambda: _open_prompt(link))

    async def first_stop() -> Sample:
        async with bench.near_target("Data") as link:
            return await _processor_time(lambda: _stop_once(link))

    return [
        await _compare(bench, "`--help` (floor: `pass`)", "pass", help_),
        await _compare(bench, "a batch that attaches (floor: `import trio`)", "import trio", batch),
        await _compare(
            bench, "the prompt (floor: `import trio, prompt_toolkit`)", "import trio, prompt_toolkit", prompt
        ),
        await _compare(
            bench,
            "the prompt and its first stop (floor: `import trio, prompt_toolkit`)",
            "import trio, prompt_toolkit",
            first_stop,
        ),
    ]


async def _compare(bench: Bench, work: str, floor: str, run: Callable[[], Awaitable[Sample]]) -> Result:
    await run()  # what is compiled to bytecode is compiled

    async def bare() -> Sample:
        return await _python("-c", floor)

    return await bench.compare(f"processor time of {work}", "none", {"floor": bare, "jdbpy": run})


async def _open_prompt(link: Link) -> None:
    async with open_prompt(link.address):
        pass


async def _stop_once(link: Link) -> None:
    async with open_prompt(link.address) as terminal:
        await terminal.run(f"stop at {_LOOK.text}")
        await terminal.run("cont")


async def _python(*arguments: str) -> Sample:
    command = [sys.executable, *arguments]
    return await _processor_time(partial(trio.run_process, command, capture_stdout=True))


async def _processor_time(work: Callable[[], Awaitable[object]]) -> Sample:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    await work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Sample(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)

"""jdb mode beside the JDK's jdb: from the start of the process to the first prompt, and to the first breakpoint hit."""

from __future__ import annotations

import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

from benchmarks.bench import Bench, program_of
from benchmarks.figures import Result, Sample
from benchmarks.rivals.conversation import converse


async def run(bench: Bench) -> list[Result]:
    crowd = program_of("Crowd")
    arguments = ["-classpath", crowd.classes, "Crowd", "1", "1"]
    commands = {
        "jdb": [str(Path(bench.jvm.home, "bin", "jdb")), *arguments],
        "jdbpy": [sys.executable, "-m", "jdbpy", "jdb", *arguments],
    }

    async def prompt(command: Sequence[str]) -> Sample:
        start = time.perf_counter()
        async with converse(command, java_home=bench.jvm.home) as conversation:
            await conversation.until("> ")
            sample = Sample(time.perf_counter() - start)
            await conversation.leave()
            return sample

    async def hit(command: Sequence[str]) -> Sample:
        start = time.perf_counter()
        async with converse(command, java_home=bench.jvm.home) as conversation:
            await conversation.until("> ")
            await conversation.say("stop in Crowd.main")
            await conversation.until("> ")
            await conversation.say("run")
            await conversation.until("main[1] ")
            sample = Sample(time.perf_counter() - start)
            await conversation.leave()
            return sample

    async def compared(what: str, work: Callable[[Sequence[str]], Awaitable[Sample]]) -> Result:
        title = f"`jdb CLASS`, from the start of the process to {what}"
        return await bench.compare(title, "none", {name: partial(work, command) for name, command in commands.items()})

    return [await compared("the first prompt", prompt), await compared("the first breakpoint hit", hit)]

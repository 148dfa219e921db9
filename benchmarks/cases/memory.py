"""The whole memory of a debugger that has shown the stacks of 1,000 threads."""

from __future__ import annotations

from benchmarks.bench import Bench
from benchmarks.cases.stacks import WAITING_FRAMES
from benchmarks.figures import Result, Sample, Unit
from benchmarks.processes import resident
from benchmarks.rivals import jdi
from benchmarks.rivals.conversation import Conversation, open_jdb, open_jdbpy

_THREADS = 1_000
_FRAMES = 20
_ARGUMENTS = (str(_THREADS), str(_FRAMES - WAITING_FRAMES))


async def run(bench: Bench) -> list[Result]:
    async def asked(conversation: Conversation) -> Sample:
        await conversation.ask("suspend")
        text = await conversation.ask("where all")
        if text.count("crowd-") < _THREADS:
            raise RuntimeError(f"where all has not shown {_THREADS} threads: {text[:2000]}")
        return Sample(resident(conversation.pid))

    async def by_command_line() -> Sample:
        async with bench.near_target("Crowd", *_ARGUMENTS) as link, open_jdbpy(link.address) as conversation:
            return await asked(conversation)

    async def by_jdb() -> Sample:
        async with bench.near_target("Crowd", *_ARGUMENTS) as link, open_jdb(bench.jvm, link.address) as conversation:
            return await asked(conversation)

    async def by_jdi() -> Sample:
        async with (
            bench.near_target("Crowd", *_ARGUMENTS) as link,
            jdi.begun(bench.jvm, link, "where-all") as conversation,
        ):
            await conversation.until("end ")
            return Sample(resident(conversation.pid))

    contenders = {"jdbpy": by_command_line, "JDI": by_jdi, "jdb": by_jdb}
    work = f"memory of the debugger after `where all`, {_THREADS:,} threads of {_FRAMES} frames"
    return [await bench.compare(work, "loopback", contenders, Unit.BYTES)]

"""A program on JDI (com.sun.jdi, what the usual IDEs stand on) that does the same work: ``Jdi/``."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from benchmarks.bench import Link, Stopwatch
from benchmarks.figures import Sample
from benchmarks.rivals.conversation import Conversation, converse
from tests.harness.jvms import Jvm
from tests.harness.programs import program


async def attach(jvm: Jvm, link: Link) -> Sample:
    """From the start of the program until it is attached."""
    watch = Stopwatch(link)
    async with converse(_command(jvm, link, ["attach"])) as jdi:
        await jdi.until("attached")
        return watch.sample()


async def work(jvm: Jvm, link: Link, *what: str, at_least: int, per: int = 1) -> Sample:
    """The work alone, or one of ``per`` pieces of it; ``what`` names it as ``Jdi/Jdi.java`` does.

    ``at_least`` so many things it must have looked at.
    """
    async with begun(jvm, link, *what) as jdi:
        watch = Stopwatch(link)
        await jdi.until("end ")
        sample = watch.sample(per)
        looked_at = int(await jdi.until("\n"))
        if looked_at < at_least:
            raise RuntimeError(f"JDI has looked at {looked_at} only")
        return sample


@asynccontextmanager
async def begun(jvm: Jvm, link: Link, *what: str) -> AsyncIterator[Conversation]:
    """The program, about to begin the work."""
    async with converse(_command(jvm, link, what)) as jdi:
        await jdi.until("begin")
        yield jdi


def _command(jvm: Jvm, link: Link, what: tuple[str, ...] | list[str]) -> list[str]:
    classes = program("Jdi", where=Path(__file__).parent).classes
    return [jvm.java, "-cp", classes, "Jdi", link.host, str(link.port), *what]

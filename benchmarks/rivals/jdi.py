"""A program on JDI (com.sun.jdi, what the usual IDEs stand on) that does the same work: ``Jdi.java``."""

from __future__ import annotations

from pathlib import Path

from benchmarks.bench import Stopwatch
from benchmarks.figures import Sample
from benchmarks.relay import Relay
from benchmarks.rivals.conversation import converse, jdb_of
from tests.harness.jvms import Jvm
from tests.harness.programs import program


def has_jdi(jvm: Jvm) -> bool:
    """Whether the runtime has the module jdk.jdi, which jdb stands on too."""
    return jdb_of(jvm) is not None


async def attach(jvm: Jvm, relay: Relay) -> Sample:
    """From the start of the program until it is attached."""
    watch = Stopwatch(relay)
    async with converse(_command(jvm, relay, "attach")) as jdi:
        await jdi.until("attached")
        return watch.sample()


async def work(jvm: Jvm, relay: Relay, name: str, at_least: int) -> Sample:
    """The work alone: "where-all" (all threads suspended) or "threads"; ``at_least`` so many frames or threads."""
    async with converse(_command(jvm, relay, name)) as jdi:
        await jdi.until("begin")
        watch = Stopwatch(relay)
        await jdi.until("end ")
        sample = watch.sample()
        looked_at = int(await jdi.until("\n"))
        if looked_at < at_least:
            raise RuntimeError(f"JDI has looked at {looked_at} only")
        return sample


def _command(jvm: Jvm, relay: Relay, work: str) -> list[str]:
    classes = program("Jdi", where=Path(__file__).parent).classes
    return [jvm.java, "-cp", classes, "Jdi", relay.host, str(relay.port), work]

"""The list of 20,000 classes, for the first time; and what it adds to the memory of the debugger."""

from __future__ import annotations

import jdbpy
from benchmarks.bench import Bench, Stopwatch, in_thread
from benchmarks.figures import Result, Sample, Unit
from benchmarks.processes import resident
from benchmarks.report import CONTENDERS
from benchmarks.rivals import jdi
from benchmarks.rivals.conversation import open_jdb, open_jdbpy
from benchmarks.rivals.floor import Floor

_CLASSES = 20_000
_ALL_CLASSES_WITH_GENERIC = (1, 20, b"")


async def classes(bench: Bench) -> list[Result]:
    """The floor receives the bytes and reads nothing."""

    async def by_command_line() -> Sample:
        async with bench.near_target("Library", str(_CLASSES)) as link, open_jdbpy(link.address) as conversation:
            watch = Stopwatch(link)
            _check(await conversation.ask("classes"))
            return watch.sample()

    async def by_script() -> Sample:
        async with bench.near_target("Library", str(_CLASSES)) as link, jdbpy.attach_session(link.address) as session:
            watch = Stopwatch(link)
            found = await session.classes.list()
            sample = watch.sample()
            if len(found) < _CLASSES:
                raise RuntimeError(f"only {len(found)} classes")
            return sample

    async def by_jdb() -> Sample:
        async with (
            bench.near_target("Library", str(_CLASSES)) as link,
            open_jdb(bench.jvm, link.address) as conversation,
        ):
            watch = Stopwatch(link)
            _check(await conversation.ask("classes"))
            return watch.sample()

    async def by_jdi() -> Sample:
        async with bench.near_target("Library", str(_CLASSES)) as link:
            return await jdi.work(bench.jvm, link, "classes", at_least=_CLASSES)

    async def by_floor() -> Sample:
        async with bench.near_target("Library", str(_CLASSES)) as link:

            def work() -> Sample:
                with Floor(link.host, link.port) as floor:
                    watch = Stopwatch(link)
                    floor.wave([_ALL_CLASSES_WITH_GENERIC])
                    return watch.sample()

            return await in_thread(work)

    contenders = dict(zip(CONTENDERS, (by_floor, by_command_line, by_script, by_jdi, by_jdb), strict=True))
    return [
        await bench.compare(f"`classes`, {_CLASSES:,} classes (floor: receiving)", "loopback", contenders),
        await _memory(bench),
    ]


async def _memory(bench: Bench) -> Result:
    async def by_command_line() -> Sample:
        async with bench.near_target("Library", str(_CLASSES)) as link, open_jdbpy(link.address) as conversation:
            before = resident(conversation.pid)
            _check(await conversation.ask("classes"))
            return Sample(resident(conversation.pid) - before)

    async def by_jdb() -> Sample:
        async with (
            bench.near_target("Library", str(_CLASSES)) as link,
            open_jdb(bench.jvm, link.address) as conversation,
        ):
            before = resident(conversation.pid)
            _check(await conversation.ask("classes"))
            return Sample(resident(conversation.pid) - before)

    contenders = {"jdbpy": by_command_line, "jdb": by_jdb}
    return await bench.compare(f"memory that `classes` adds, {_CLASSES:,} classes", "loopback", contenders, Unit.BYTES)


def _check(text: str) -> None:
    shown = text.count("com.acme.shop.part")
    if shown < _CLASSES:
        raise RuntimeError(f"classes has shown {shown} only")

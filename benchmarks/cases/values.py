"""Looking at data in a stopped program, for the first time: local variables, an object's fields, an array's strings."""

from __future__ import annotations

import jdbpy
from benchmarks.bench import Bench, Stopwatch, in_thread
from benchmarks.figures import Result, Sample
from benchmarks.report import CONTENDERS
from benchmarks.rivals import jdi
from benchmarks.rivals.bare import BareStop
from benchmarks.rivals.floor import Floor
from benchmarks.rivals.stopped import Place, ask_jdb, jdb_at, jdbpy_at
from jdbpy.record import Record

_LOOK = Place("Data", "look")
_ALL = jdbpy.Limits(elements=10_000, fields=1_000)


class _Work(Record):
    """What is looked at: in words, as a command, and as Jdi.java calls it; what a full answer has ``times`` of."""

    words: str
    command: str
    jdi: str
    times: int
    shows: str


_LOCALS = _Work("`locals`, 23 variables", "locals", "locals", 23, "a street")
_OBJECT = _Work("`dump` of an object of 42 fields", "dump data", "dump-object", 42, "seven")
_ARRAY = _Work("`dump` of a String[2000]", "dump words", "dump-array", 2000, "word number 19")


async def locals_(bench: Bench) -> list[Result]:
    return [await _compare(bench, _LOCALS, rtt=0.1)]


async def dump(bench: Bench) -> list[Result]:
    return [await _compare(bench, _OBJECT, rtt=0.1), await _compare(bench, _ARRAY, rtt=0.02)]


async def _compare(bench: Bench, work: _Work, *, rtt: float) -> Result:
    def check(text: str) -> None:
        if work.shows not in text:
            raise RuntimeError(f"{work.command} has not shown all: {text[:2000]}")

    async def by_command_line() -> Sample:
        async with bench.far_target("Data", rtt=rtt) as link, jdbpy_at(link, _LOOK) as conversation:
            watch = Stopwatch(link)
            check(await conversation.ask(work.command))
            return watch.sample()

    async def by_script() -> Sample:
        async with bench.far_target("Data", rtt=rtt) as link, jdbpy.attach_session(link.address) as session:
            await session.breakpoints.add(_LOOK.text)
            await session.next_stop()
            watch = Stopwatch(link)
            if work is _LOCALS:
                count = len(await session.stack.variables())
            else:
                value = await session.values.dump(work.command.removeprefix("dump "), _ALL)
                count = len(value.children)
            if count < work.times:
                raise RuntimeError(f"only {count} of {work.times}")
            return watch.sample()

    async def by_jdb() -> Sample:
        async with bench.far_target("Data", rtt=rtt) as link, jdb_at(bench, link, _LOOK) as conversation:
            watch = Stopwatch(link)
            check(await ask_jdb(conversation, work.command))
            return watch.sample()

    async def by_jdi() -> Sample:
        async with bench.far_target("Data", rtt=rtt) as link:
            what = (work.jdi, _LOOK.program, str(_LOOK.line))
            return await jdi.work(bench.jvm, link, *what, at_least=work.times)

    async def by_floor() -> Sample:
        async with bench.far_target("Data", rtt=rtt) as link:

            def bare() -> Sample:
                with Floor(link.host, link.port) as floor:
                    stop = BareStop(floor, _LOOK.program, _LOOK.line)
                    watch = Stopwatch(link)
                    if work is _LOCALS:
                        count = stop.locals()
                    else:
                        count = stop.dump_object("data") if work is _OBJECT else stop.dump_array("words")
                    if count < work.times:
                        raise RuntimeError(f"only {count} of {work.times}")
                    return watch.sample()

            return await in_thread(bare)

    contenders = dict(zip(CONTENDERS, (by_floor, by_command_line, by_script, by_jdi, by_jdb), strict=True))
    return await bench.compare(work.words, f"{rtt * 1000:.0f} ms", contenders, rivals_at_once=True)

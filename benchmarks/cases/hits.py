"""Breakpoints that do not stop: a condition that is false, a logpoint, and events with the policy NONE.

The target counts its turns in a file that is read beside it; figures are the time of one turn. All but jdb suspend only
the thread that hits.
"""

from __future__ import annotations

import mmap
import struct
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial

import trio

import jdbpy
from benchmarks.bench import AS_IN_PRODUCTION, Bench, Direct, Link, in_thread
from benchmarks.figures import Result, Sample
from benchmarks.processes import processor_time
from benchmarks.relay import open_relay
from benchmarks.rivals import jdi
from benchmarks.rivals.bare import THREAD, BareStop, count_entries, request_entries
from benchmarks.rivals.conversation import open_jdb
from benchmarks.rivals.floor import Floor
from benchmarks.rivals.stopped import Place, ask_jdb, jdb_at

_HIT = Place("Loop", "hit")
_SETTLING = 1.0
_COMPILED = 5.0  # seconds in which the JVM's compilers have done with a loop and what was changed in it
_MEASURED = 2.0
_ENTRIES = 50_000
_JDB_ENTRIES = 5_000


class Turns:
    """A running Loop, the way to it, and the number of its turns."""

    def __init__(self, link: Link, counter: mmap.mmap, pid: int) -> None:
        self.link = link
        self._counter = counter
        self._pid = pid

    def __call__(self) -> int:
        (turns,) = struct.unpack_from(">q", self._counter)
        return int(turns)

    async def sample(self) -> Sample:
        """The time of one turn, when what has been set works at all of them."""
        await trio.sleep(_SETTLING)
        before, start = self(), time.perf_counter()
        await trio.sleep(_MEASURED)
        return Sample((time.perf_counter() - start) / (self() - before))

    async def processor_sample(self) -> Sample:
        """The processor time of one turn, when all is compiled.

        Of a loop that never waits this tells more, where others work as well.
        """
        await trio.sleep(_COMPILED)
        before, start = self(), processor_time(self._pid)
        await trio.sleep(_MEASURED)
        return Sample((processor_time(self._pid) - start) / (self() - before))


@asynccontextmanager
async def turning(bench: Bench, rtt: float, program: str = "Loop", options: Sequence[str] = ()) -> AsyncIterator[Turns]:
    """Run one of the programs that go round in a loop and count their turns."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(bytes(8))
        file.flush()
        with mmap.mmap(file.fileno(), 8) as counter:
            async with bench.target(program, file.name, options=options) as target:
                if rtt:
                    async with open_relay(target.address, rtt=rtt) as link:
                        yield Turns(link, counter, target.pid)
                else:
                    yield Turns(Direct(target), counter, target.pid)


async def condition(bench: Bench) -> list[Result]:
    """``number < 0`` where it never is."""
    return [await _condition(bench, 0.02), await _condition(bench, 0.0)]


async def _condition(bench: Bench, rtt: float) -> Result:
    async def by_script() -> Sample:
        async with turning(bench, rtt) as turns, jdbpy.attach_session(turns.link.address) as session:
            await session.breakpoints.add(_HIT.text, condition="number < 0", policy=jdbpy.SuspendPolicy.THREAD)
            return await turns.sample()

    async def by_jdi() -> Sample:
        async with turning(bench, rtt) as turns, jdi.begun(bench.jvm, turns.link, *_jdi("condition")):
            return await turns.sample()

    async def by_jdb() -> Sample:
        """jdb has no conditions: it prints the variable and goes on."""
        async with turning(bench, rtt) as turns, jdb_at(bench, turns.link, _HIT) as conversation:

            async def go_on() -> None:
                while True:
                    await ask_jdb(conversation, "print number")
                    await ask_jdb(conversation, "cont")

            async with trio.open_nursery() as nursery:
                nursery.start_soon(go_on)
                sample = await turns.sample()
                nursery.cancel_scope.cancel()
            return sample

    async def by_floor() -> Sample:
        async with turning(bench, rtt) as turns:
            return await _beside(turns, lambda stop: stop.condition("number"))

    contenders = {"floor": by_floor, "jdbpy": by_script, "JDI": by_jdi, "jdb": by_jdb}
    link = f"{rtt * 1000:.0f} ms" if rtt else "loopback"
    return await bench.compare("a hit with a false condition on an int", link, contenders)


async def handlers(bench: Bench) -> list[Result]:
    """A false condition in what eight threads run, which stops all threads where it is true; figures are the time from
    one hit to the next, of all threads together."""
    only_reads = await _handlers(bench, "that reads a variable", "number < 0")
    return [only_reads, await _handlers(bench, "that calls a method", "never(number)")]


async def _handlers(bench: Bench, what: str, condition: str) -> Result:
    async def by_script() -> Sample:
        async with turning(bench, 0.0, "Handlers") as turns, jdbpy.attach_session(turns.link.address) as session:
            place = Place("Handlers", "hit").text
            await session.breakpoints.add(place, condition=condition, policy=jdbpy.SuspendPolicy.ALL)
            return await turns.sample()

    return await bench.compare(f"a hit of one of 8 threads, false condition {what}", "loopback", {"jdbpy": by_script})


async def logpoint(bench: Bench) -> list[Result]:
    """A text with one local variable."""

    async def by_script() -> Sample:
        async with turning(bench, 0.1) as turns, jdbpy.attach_session(turns.link.address) as session:
            await session.breakpoints.add(_HIT.text, log="number is {number}")
            return await turns.sample()

    async def by_jdi() -> Sample:
        async with turning(bench, 0.1) as turns, jdi.begun(bench.jvm, turns.link, *_jdi("condition")):
            return await turns.sample()

    async def by_floor() -> Sample:
        async with turning(bench, 0.1) as turns:
            return await _beside(turns, lambda stop: stop.logpoint("number"))

    contenders = {"floor": by_floor, "jdbpy": by_script, "JDI": by_jdi}
    return [await bench.compare("a hit of a logpoint with one local", "100 ms", contenders)]


async def _beside(turns: Turns, work: Callable[[BareStop], None]) -> Sample:
    """Runs the floor in a thread while the turns are measured; closing its connection ends it."""
    floor = await in_thread(lambda: Floor(turns.link.host, turns.link.port))

    def run() -> None:
        try:
            work(BareStop(floor, _HIT.program, _HIT.line, THREAD))
        except ConnectionError:
            if not over:
                raise

    over = False
    async with trio.open_nursery() as nursery:
        nursery.start_soon(in_thread, run)
        sample = await turns.sample()
        over = True
        floor.shut_down()
    floor.close()
    return sample


async def entries(bench: Bench) -> list[Result]:
    """Events of entered methods, counted by method, and every one told; figures are the time of one."""
    return [await _counted(bench), await _told(bench)]


async def _counted(bench: Bench) -> Result:
    """At most a hundred a second are told, as at the prompt; JDI's program and the floor only count."""

    async def by_script() -> Sample:
        async with bench.near_target("Loop") as link, jdbpy.attach_session(link.address) as session:
            options = _entries(jdbpy.Reporting(limit=100))
            number = (await session.traces.methods(exits=False, options=options)).number
            await trio.sleep(_SETTLING)
            before, start = session.points.get(number).hits, time.perf_counter()
            await trio.sleep(_MEASURED)
            return Sample((time.perf_counter() - start) / (session.points.get(number).hits - before))

    async def by_jdi() -> Sample:
        async with bench.near_target("Loop") as link:
            what = (*_jdi("entries"), str(_ENTRIES))
            return await jdi.work(bench.jvm, link, *what, at_least=_ENTRIES, per=_ENTRIES)

    async def by_floor() -> Sample:
        async with bench.near_target("Loop") as link:

            def work() -> Sample:
                with Floor(link.host, link.port) as floor:
                    request_entries(floor, _HIT.program)
                    count_entries(floor, 1)
                    start = time.perf_counter()
                    count_entries(floor, _ENTRIES)
                    return Sample((time.perf_counter() - start) / _ENTRIES)

            return await in_thread(work)

    contenders = {"floor": by_floor, "jdbpy": by_script, "JDI": by_jdi}
    return await bench.compare("an event of an entered method, policy NONE, counted", "loopback", contenders)


async def _told(bench: Bench) -> Result:
    """Every one with the names of thread, class and method."""

    async def by_script() -> Sample:
        async with bench.near_target("Loop") as link, jdbpy.attach_session(link.address) as session:
            with session.events(capacity=100_000) as events:
                await session.traces.methods(exits=False, options=_entries(jdbpy.Reporting()))
                await anext(events)
                start = time.perf_counter()
                for _ in range(_ENTRIES):
                    await anext(events)
                return Sample((time.perf_counter() - start) / _ENTRIES)

    async def by_jdb() -> Sample:
        async with bench.near_target("Loop") as link, open_jdb(bench.jvm, link.address) as conversation:
            await conversation.say("trace go methods")
            await conversation.until("Method entered: ")
            start = time.perf_counter()
            seen = 0
            for _ in range(_JDB_ENTRIES):
                await conversation.until("Method ")
                seen += 1
            return Sample((time.perf_counter() - start) / seen)

    contenders = {"jdbpy": by_script, "jdb": by_jdb}
    return await bench.compare("an event of an entered method, policy NONE, told", "loopback", contenders)


def _entries(reporting: jdbpy.Reporting) -> jdbpy.PointOptions:
    return jdbpy.PointOptions(policy=jdbpy.SuspendPolicy.NONE, classes=(_HIT.program,), reporting=reporting)


def _jdi(work: str) -> tuple[str, str, str]:
    return (work, _HIT.program, str(_HIT.line))


_IRON = Place("Anvil", "iron")
_CONDITIONS = {
    "i == -1": ("number == -1", "condition"),
    "two private fields, equals": ('total != -1 && name.equals("steel")', "condition-fields"),
    "a getter": ("getTotal() == -1", "condition-getter"),
}
"""By what they are called: the text, and what the program on JDI does."""


async def in_target(bench: Bench) -> list[Result]:
    """Conditions that the target itself computes, beside a loop without a breakpoint: the processor time of a turn; and
    beside ordinary ways, in which the loop waits for the debugger: the time from turn to turn."""
    return [await _in_target(bench, words, rtt) for words in _CONDITIONS for rtt in (0.0, 0.02)]


async def _in_target(bench: Bench, words: str, rtt: float) -> Result:
    text, work = _CONDITIONS[words]
    anvil = partial(turning, bench, rtt, "Anvil", AS_IN_PRODUCTION)

    async def without() -> Sample:
        async with anvil() as turns, jdbpy.attach_session(turns.link.address):
            return await turns.processor_sample()

    async def computed(mode: str) -> Sample:
        options = jdbpy.Options(in_target=mode)
        async with anvil() as turns, jdbpy.attach_session(turns.link.address, options=options) as session:
            await session.breakpoints.add(f"Iron:{_IRON.line}", condition=text, policy=jdbpy.SuspendPolicy.THREAD)
            if mode != "off":
                session.instrumentation.ask(1)
                while not session.breakpoints.get(1).in_target:  # noqa: ASYNC110 # nothing tells
                    await trio.sleep(0.1)
                return await turns.processor_sample()
            return await turns.sample()

    async def by_jdi() -> Sample:
        place = (work, "Iron", str(_IRON.line))
        async with anvil() as turns, jdi.begun(bench.jvm, turns.link, *place):
            return await turns.sample()

    contenders: dict[str, Callable[[], Awaitable[Sample]]] = {
        "without": without,
        "jdbpy": partial(computed, "auto"),
        "ordinary": partial(computed, "off"),
        "JDI": by_jdi,
    }
    link = f"{rtt * 1000:.0f} ms" if rtt else "loopback"
    return await bench.compare(f"a condition in the target: {words}", link, contenders)


_LEVELS = {"lines alone": "lines", "all of it": "all"}
"""What is recorded of each turn of a loop of three lines and three stores."""


async def recorded(bench: Bench) -> list[Result]:
    """A hot loop that is recorded, beside one without a debugger: the processor time of a line that is reached."""
    return [await _recorded(bench, words, level) for words, level in _LEVELS.items()]


async def _recorded(bench: Bench, words: str, level: str) -> Result:
    lines = partial(turning, bench, 0.0, "Lines", AS_IN_PRODUCTION)

    async def without() -> Sample:
        async with lines() as reached, jdbpy.attach_session(reached.link.address):
            return await reached.processor_sample()

    async def recording() -> Sample:
        async with lines() as reached, jdbpy.attach_session(reached.link.address) as session:
            begun = await session.recorder.record("Lines.work", level=level)
            while not begun.in_target:  # noqa: ASYNC110 # nothing tells
                await trio.sleep(0.1)
            return await reached.processor_sample()

    work = f"`record` of a hot loop, {words}: a line"
    return await bench.compare(work, "loopback", {"without": without, "jdbpy": recording})

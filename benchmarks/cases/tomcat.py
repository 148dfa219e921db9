"""Tomcat under eight clients: what a request costs while a breakpoint, a logpoint or a trace is on its way, or
calls of it are observed or recorded.

Figures are the processor time that Tomcat's own process takes for a request, and the time from one request to the next.
On a machine with other work the first tells more. Each way is measured in turns with the same JVM without a debugger,
each time after as many requests as are measured: code that was changed has to be compiled anew. A window takes about
a second: those of 20,000 requests lay between 11 and 20 microseconds a request on a quiet machine.

The times of ``calls tree`` stand beside those that a servlet takes itself, of the same requests.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio

import jdbpy
from benchmarks.bench import AS_IN_PRODUCTION, TARGETS, Bench, program_of
from benchmarks.figures import Figure, Result, Sample
from benchmarks.processes import processor_time
from jdbpy.record import Record
from jdbpy.session.calls.call_trees import ObservedTree
from tests.harness.targets import Target, start_target
from tests.harness.tomcat import add_servlet, tomcat_at, wait_started

CLIENTS = 8

_SERVLET = "org.apache.catalina.servlets.DefaultServlet"
_ON_THE_WAY = f"{_SERVLET}.serveResource"

_PATH = "/priced"

_WARM, _REQUESTS, _FEW = 200_000, 80_000, 400
"""Requests before anything is measured, of a window, and of one in which each stops a thread."""

_PAIRS = 9
"""Windows of each way, and as many without a debugger between them, however few runs are wanted of others: a request
takes 10 microseconds in one window and 19 in the next."""


class _Window(Record):
    """Seconds for one request: of Tomcat's processors, and of the clock."""

    processor: float
    clock: float


class BusyTomcat:
    """A Tomcat and its clients."""

    def __init__(self, target: Target, clients: Target, port: int) -> None:
        self.target = target
        self.port = port
        self._clients = clients
        self._asked = 0

    async def begin(self) -> None:
        """Requests without an end."""
        await self._clients.send(str(1 << 30))

    async def ask(self, requests: int) -> float:
        """So many requests, by all clients together; the seconds that they take."""
        self._asked += 1
        await self._clients.send(str(requests))
        lines = await self._clients.wait_lines("done ", self._asked)
        return int(lines[-1].split()[1]) / 1e9

    async def window(self, requests: int) -> _Window:
        """So many requests, measured after as many others."""
        await self.ask(requests)
        before = processor_time(self.target.pid)
        seconds = await self.ask(requests)
        return _Window((processor_time(self.target.pid) - before) / requests, seconds / requests)


Ask = Callable[[int], Awaitable[float]]
SetUp = Callable[[jdbpy.Session, Ask], Awaitable[None]]


async def _condition(session: jdbpy.Session, ask: Ask) -> None:
    policy = jdbpy.SuspendPolicy.THREAD
    await session.breakpoints.add(_ON_THE_WAY, condition='request.getMethod().equals("PUT")', policy=policy)
    await _until_in_target(session, ask)


async def _logpoint(session: jdbpy.Session, ask: Ask) -> None:
    text = "{request.getMethod()} {request.getRequestURI()}"
    await session.breakpoints.add(_ON_THE_WAY, log=text, reporting=jdbpy.Reporting(limit=20))
    await _until_in_target(session, ask)


async def _trace(session: jdbpy.Session, ask: Ask) -> None:
    reporting = jdbpy.Reporting(limit=20)
    options = jdbpy.PointOptions(classes=(_SERVLET,), policy=jdbpy.SuspendPolicy.NONE, reporting=reporting)
    await session.traces.methods(options=options)
    await _until_in_target(session, ask)


def _observing(observe: Callable[[jdbpy.Session], Any]) -> SetUp:
    """Calls are observed until the session leaves."""

    async def set_up(session: jdbpy.Session, ask: Ask) -> None:
        observation = observe(session)
        await observation.__aenter__()
        while session.instrumentation.mode == "auto" and not observation.in_target:
            await ask(_FEW)

    return set_up


async def _recording(session: jdbpy.Session, ask: Ask) -> None:
    """A method of the servlet is recorded: lines, stores, calls."""
    recording = await session.recorder.record(_ON_THE_WAY)
    while not recording.in_target:
        await ask(_FEW)


async def _idle(session: jdbpy.Session, ask: Ask) -> None:
    """The session has read the threads and classes, and sets nothing."""
    await session.threads.list()
    await session.classes.list()
    await ask(_FEW)


async def _until_in_target(session: jdbpy.Session, ask: Ask) -> None:
    """Requests until a breakpoint is in the target, if it is to go there."""
    while session.instrumentation.mode == "auto" and not session.points.get(1).in_target:
        await ask(_FEW)


_WAYS: dict[str, SetUp] = {
    "nothing is set": _idle,
    'break if request.getMethod().equals("PUT")': _condition,
    "a logpoint of two texts, 20 reports a second": _logpoint,
    "a trace of the servlet's class, 18 events a request, 20 reports a second": _trace,
    "calls stats of the servlet's doGet": _observing(lambda each: each.observer.statistics(f"{_SERVLET}.doGet")),
    "calls tree of the servlet's serveResource": _observing(lambda each: each.observer.tree(_ON_THE_WAY)),
    "calls of the servlet's doGet, 20 reports a second": _observing(
        lambda each: each.observer.calls(f"{_SERVLET}.doGet", limit=20)
    ),
    "record of the servlet's serveResource": _recording,
}


async def run(bench: Bench) -> list[Result]:
    """All ways in the target, and those in which each hit stops its thread or sends an event."""
    results = []
    async with serving(bench) as tomcat:
        await tomcat.ask(_WARM)
        for what, set_up in _WAYS.items():
            figures: dict[str, list[_Window]] = {"without": [], "jdbpy": [], "ordinary": []}
            for _ in range(_PAIRS):
                figures["without"].append(await tomcat.window(_REQUESTS))
                figures["jdbpy"].append(await _with(tomcat, set_up, "auto", _REQUESTS))
            if set_up not in (_idle, _recording):  # nothing is recorded but in the target
                figures["ordinary"].append(await _with(tomcat, set_up, "off", _FEW))
            results += _results(what, figures)
    return results


async def clocks(bench: Bench) -> list[Result]:
    """``calls tree`` of a servlet under load, in the target, beside the servlet's own clock: seconds of a request."""
    parts = ("serve, the whole", "price", "render")
    own: list[tuple[float, ...]] = []
    told: list[tuple[float, ...]] = []
    async with serving(bench, _PATH) as tomcat:
        await tomcat.ask(_REQUESTS)
        options = jdbpy.Options(in_target="auto")
        async with (
            jdbpy.attach_session(tomcat.target.address, options=options) as session,
            session.observer.tree("web.Priced.serve") as tree,
        ):
            while not tree.in_target:
                await tomcat.ask(_FEW)
            start = trio.current_time()
            while not own or (len(own) < bench.effort.runs and trio.current_time() - start < bench.effort.seconds):
                before = await _sums(tomcat), await _totals(tree)
                await tomcat.ask(_REQUESTS)
                after = await _sums(tomcat), await _totals(tree)
                for found, first, last in zip((own, told), before, after, strict=True):
                    *seconds, count = (late - early for early, late in zip(first, last, strict=True))
                    assert count == _REQUESTS, (count, "requests were counted")
                    found.append(tuple(each / count for each in seconds))
    return [
        Result(
            f"Tomcat, `calls tree` of a servlet under {CLIENTS} clients: {part}",
            "loopback",
            (
                Figure("own clock", tuple(Sample(each[at]) for each in own)),
                Figure("calls tree", tuple(Sample(each[at]) for each in told)),
            ),
        )
        for at, part in enumerate(parts)
    ]


async def _sums(tomcat: BusyTomcat) -> tuple[float, ...]:
    """The seconds that the servlet itself has taken for all requests, for two pieces of them, and their number."""
    async with await trio.open_tcp_stream("127.0.0.1", tomcat.port) as stream:
        await stream.send_all(f"GET {_PATH}?sums HTTP/1.0\r\nHost: localhost\r\n\r\n".encode())
        answer = "".join([chunk.decode() async for chunk in stream])
    *times, count = map(int, answer.partition("\r\n\r\n")[2].split())
    return (*(each / 1e9 for each in times), count)


async def _totals(tree: ObservedTree) -> tuple[float, ...]:
    """The same by the observation."""
    await tree.refresh()
    [found] = tree.trees()
    totals = {each.method: each.total for each in found.children}
    return found.total, totals["price"], totals["render"], found.calls


async def _with(tomcat: BusyTomcat, set_up: SetUp, mode: str, requests: int) -> _Window:
    """A window with a debugger, which leaves then."""
    options = jdbpy.Options(in_target=mode)
    async with jdbpy.attach_session(tomcat.target.address, options=options) as session:
        await set_up(session, tomcat.ask)
        window = await tomcat.window(requests)
    await tomcat.target.wait_listening_again()
    return window


def _results(what: str, figures: dict[str, list[_Window]]) -> list[Result]:
    of: dict[str, Callable[[_Window], float]] = {
        "processor time of a request": lambda window: window.processor,
        "from one request to the next": lambda window: window.clock,
    }
    return [
        Result(
            f"Tomcat, {what}: {words}",
            "loopback",
            tuple(
                Figure(name, tuple(Sample(amount(window)) for window in windows))
                for name, windows in figures.items()
                if windows
            ),
        )
        for words, amount in of.items()
    ]


@asynccontextmanager
async def serving(bench: Bench, path: str = "/hello.txt") -> AsyncIterator[BusyTomcat]:
    """Tomcat, and clients that wait to be told. At ``_PATH`` there is a servlet of ours."""
    with tempfile.TemporaryDirectory() as base:
        program, options = tomcat_at(Path(base))
        if path == _PATH:
            add_servlet(Path(base), program, "web.Priced", path, [TARGETS / "web" / "Priced.java"])
        jvm_options = [*options, *AS_IN_PRODUCTION]
        async with start_target(bench.jvm, program, "start", suspend=False, jvm_options=jvm_options) as target:
            port = await wait_started(target)
            words = [str(port), path, str(CLIENTS)]
            async with start_target(bench.jvm, program_of("Clients"), *words, with_agent=False) as clients:
                await clients.wait_output("ready")
                yield BusyTomcat(target, clients, port)

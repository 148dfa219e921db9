"""What the session itself spends on an event set that stops nothing: decoding, finding the owner, letting go."""

from __future__ import annotations

import time

import trio

import jdbpy
from benchmarks.bench import Bench, in_thread
from benchmarks.figures import Result, Sample
from benchmarks.rivals.bare import THREAD, BareStop
from benchmarks.rivals.floor import Floor
from benchmarks.rivals.stopped import Place
from jdbpy.session.requests import GO, Hit, Verdict
from jdbpy.wire.constants import EventKind, SuspendPolicy
from jdbpy.wire.messages import event_request

_HIT = Place("Loop", "hit")
_HITS = 5_000


async def run(bench: Bench) -> list[Result]:
    """Method entries that suspend the thread and are let go at once: processor time of the debugger for one of them."""

    async def by_session() -> Sample:
        async with bench.near_target("Loop") as link, jdbpy.attach(link.address) as session:
            done = trio.Event()
            seen, start, end = 0, 0.0, 0.0

            def pass_on(_: Hit) -> Verdict:  # no coroutine, as points have it whose hit is only counted
                nonlocal seen, start, end
                seen += 1
                if seen == 1:
                    start = time.process_time()
                elif seen == 1 + _HITS:
                    end = time.process_time()
                    done.set()
                return GO

            modifiers = [event_request.ClassMatch(_HIT.program)]
            requests = session._target.requests  # the kernel alone, without what a component would add
            await requests.add(EventKind.METHOD_ENTRY, SuspendPolicy.EVENT_THREAD, modifiers, pass_on)
            await done.wait()
            return Sample((end - start) / _HITS)

    async def by_floor() -> Sample:
        async with bench.near_target("Loop") as link:

            def work() -> Sample:
                with Floor(link.host, link.port) as floor:
                    stop = BareStop(floor, _HIT.program, _HIT.line, THREAD)
                    start = time.process_time()
                    for _ in range(_HITS):
                        floor.post([(11, 3, stop.thread)])
                        stop.await_stop()
                    return Sample((time.process_time() - start) / _HITS)

            return await in_thread(work)

    work = "processor time of an event that is let go"
    return [await bench.compare(work, "loopback", {"floor": by_floor, "jdbpy": by_session})]

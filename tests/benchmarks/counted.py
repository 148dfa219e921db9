"""Sessions behind a link whose round trips are counted.

By the relay, not timed. The delay only keeps the waves apart, as a real link would.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import trio
import trio.testing

import jdbpy
from benchmarks.bench import TARGETS
from benchmarks.relay import Relay, open_relay
from benchmarks.rivals.stopped import Place
from jdbpy.session.execution.stops import PAUSE
from tests.harness import Jvm, Target, program, start_target

RTT = 0.03
"""Long enough for all that belongs to a wave to be sent before its first answer is here, busy as the machine may be."""
SLOW = 0.06
"""A round trip within which threads mostly come to their next stop."""
THREADS = 50
LOOK = Place("Data", "look")
HIT = Place("Loop", "hit")


async def waves_of(relay: Relay, work: Awaitable[Any]) -> int:
    """Return the round trips of the work.

    Counting begins when every earlier command is answered, background ones included, and all tasks have been blocked
    for longer than ``PAUSE``. A prefetch is submitted ``PAUSE`` after a stop and sent one turn of the loop later;
    without the wait it could be counted as part of the work.
    """
    while True:
        await trio.testing.wait_all_tasks_blocked(2 * PAUSE)
        before = relay.traffic()
        if before.commands == before.replies:
            break
    await work
    return relay.traffic().since(before).waves


class Counted:
    """A session behind a link."""

    def __init__(self, session: jdbpy.Session, relay: Relay) -> None:
        self.session = session
        self.relay = relay

    async def stop_at(self, place: Place) -> None:
        """Waits for the first stop at a place."""
        await self.session.breakpoints.add(place.text)
        await self.session.next_stop()

    async def waves(self, work: Awaitable[Any]) -> int:
        """The round trips of the work; see ``waves_of``."""
        return await waves_of(self.relay, work)

    async def fewest(self, work: Callable[[], Awaitable[Any]], enough: int, times: int = 50) -> int:
        """The round trips where all went well: what is asked ahead of a stop may come too early when the machine is
        busy, and then costs one more. The first that are ``enough`` end the tries."""
        found = await self.waves(work())
        for _ in range(times - 1):
            if found <= enough:
                break
            found = min(found, await self.waves(work()))
        return found


@asynccontextmanager
async def attached(target: Target, rtt: float = RTT, *, calls_in_turn: bool = False) -> AsyncIterator[Counted]:
    """A session on the target, behind a link; with ``calls_in_turn`` no call comes too early, whatever the load."""
    link = open_relay(target.address, rtt=rtt, calls_in_turn=calls_in_turn, settled=True)
    async with link as relay, jdbpy.attach_session(relay.address) as session:
        yield Counted(session, relay)


@asynccontextmanager
async def crowd(jvm: Jvm) -> AsyncIterator[Counted]:
    async with start_target(jvm, program("Crowd", where=TARGETS), str(THREADS), "15", suspend=False) as target:
        await target.wait_output("ready")
        async with attached(target) as counted:
            yield counted


@asynccontextmanager
async def at(place: Place, jvm: Jvm, rtt: float = RTT, *, calls_in_turn: bool = False) -> AsyncIterator[Counted]:
    """Stopped at a place for the first time, with nothing known but that."""
    async with start_target(jvm, program(place.program, where=TARGETS), suspend=False) as target:
        await target.wait_output("ready")
        async with attached(target, rtt, calls_in_turn=calls_in_turn) as counted:
            await counted.stop_at(place)
            yield counted


at_look = partial(at, LOOK)
at_hit = partial(at, HIT)

"""Round-trip budgets: how many times a command may wait for an answer before it can ask on, whatever the target's size.

Counted by the relay, not timed. The delay only keeps the waves apart, as a real link would.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any

import jdbpy
from benchmarks.bench import TARGETS
from benchmarks.relay import Relay, open_relay
from tests.harness import Jvm, program, start_target

RTT = 0.01
THREADS = 50


class Counted:
    """A session on Crowd behind a link."""

    def __init__(self, session: jdbpy.Session, relay: Relay) -> None:
        self.session = session
        self.relay = relay

    async def waves(self, work: Awaitable[Any]) -> int:
        """The round trips of the work."""
        before = self.relay.traffic()
        await work
        return self.relay.traffic().since(before).waves


@asynccontextmanager
async def crowd(jvm: Jvm) -> AsyncIterator[Counted]:
    async with start_target(jvm, program("Crowd", where=TARGETS), str(THREADS), "15", suspend=False) as target:
        await target.wait_output("ready")
        async with open_relay(target.address, rtt=RTT) as relay, jdbpy.attach(relay.address) as session:
            yield Counted(session, relay)


async def test_attach(jvm: Jvm) -> None:
    async with crowd(jvm) as counted:
        assert counted.relay.traffic().waves <= 4


async def test_threads(jvm: Jvm) -> None:
    async with crowd(jvm) as counted:
        assert await counted.waves(counted.session.threads.list()) <= 3


async def test_where_all(jvm: Jvm) -> None:
    async with crowd(jvm) as counted:
        await counted.session.execution.suspend()
        assert await counted.waves(counted.session.stack.all()) <= 4
        assert await counted.waves(counted.session.stack.all()) <= 2


async def test_classes(jvm: Jvm) -> None:
    async with crowd(jvm) as counted:
        assert await counted.waves(counted.session.classes.list()) <= 1


async def test_class(jvm: Jvm) -> None:
    async with crowd(jvm) as counted:
        assert await counted.waves(counted.session.classes.detail("java.util.concurrent.CountDownLatch")) <= 4

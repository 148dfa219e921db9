"""A bare connection to the agent of a target, for tests of what lies below a session."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import trio

from jdbpy.wire.command import Command
from jdbpy.wire.connection import Connection
from jdbpy.wire.handshake import HungUp
from jdbpy.wire.opening import running, shake_hands
from tests.harness.limits import LIMIT
from tests.harness.targets import Target

AGENT_PATIENCE = 2.0
"""Seconds that the agent waits for the handshake of who calls it; then it hangs up and listens on."""


@asynccontextmanager
async def connected(target: Target, hello: Sequence[Command[Any]] = ()) -> AsyncIterator[Connection]:
    """A connection to the agent, closed at the end of the block; ``hello`` as for ``open_connection``.

    A machine that stands still may hold the handshake up for longer than the agent waits. Then it is called again.
    """
    while True:
        called = trio.current_time()
        stream = await trio.open_tcp_stream("127.0.0.1", target.port)
        try:
            connection = await shake_hands(stream, hello=hello, timeout=LIMIT)
            break
        except HungUp:
            if trio.current_time() - called < AGENT_PATIENCE:
                raise
    async with running(connection):
        yield connection

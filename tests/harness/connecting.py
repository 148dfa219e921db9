"""A bare connection to the agent of a target, for tests of what lies below a session."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import trio

from jdbpy.session.connect.attach import LISTENER_PATIENCE
from jdbpy.wire.command import Command
from jdbpy.wire.connection import Connection
from jdbpy.wire.handshake import HungUp
from jdbpy.wire.opening import running, shake_hands
from tests.harness.limits import LIMIT
from tests.harness.targets import Target


@asynccontextmanager
async def connected(target: Target, hello: Sequence[Command[Any]] = ()) -> AsyncIterator[Connection]:
    """A connection to the agent, closed at the end of the block; ``hello`` as for ``open_connection``.

    Calls again if the agent hung up because the handshake came too late, as it may on a machine that stalls.
    """
    while True:
        called = trio.current_time()
        stream = await trio.open_tcp_stream("127.0.0.1", target.port)
        try:
            connection = await shake_hands(stream, hello=hello, timeout=LIMIT)
            break
        except HungUp:
            if trio.current_time() - called < LISTENER_PATIENCE:
                raise
    async with running(connection):
        yield connection

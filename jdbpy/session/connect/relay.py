"""A JVM that has connected to us, handed on to another debugger, which connects to a port of its own.

Nothing was said to the JVM before, and nothing is changed in between: the other debugger greets it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress

import trio

from jdbpy.session.connect.greeting import LOOPBACK
from jdbpy.task_groups import open_nursery

_SIZE = 65536

COMES_LIMIT = 30.0
"""Seconds in which the other debugger connects."""


async def hand_on(stream: trio.abc.Stream, ask: Callable[[str], Awaitable[bool]]) -> bool:
    """Hand a JVM on until either end goes. ``ask`` is called with the address, and says whether somebody comes.

    False if nobody has come: nothing was said to the JVM then.
    """
    [listener] = await trio.open_tcp_listeners(0, host=LOOPBACK)
    async with listener:
        if not await ask(f"{LOOPBACK}:{listener.socket.getsockname()[1]}"):
            return False
        other = None
        with trio.move_on_after(COMES_LIMIT):
            other = await listener.accept()
    if other is None:
        return False
    async with stream, other, open_nursery() as nursery:

        async def carry(source: trio.abc.Stream, target: trio.abc.Stream) -> None:
            with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                while data := await source.receive_some(_SIZE):
                    await target.send_all(data)
            nursery.cancel_scope.cancel()

        nursery.start_soon(carry, stream, other)
        nursery.start_soon(carry, other, stream)
    return True

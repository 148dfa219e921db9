"""A port of this machine at which any number of JVMs connect, each of which gets a session of its own.

``listen_session`` takes one JVM and closes its port; this one stays open, for the JVMs that a command starts, one after
the other or side by side. A JVM connects before its first instruction and waits: it runs on when its session lets it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import trio

from jdbpy.errors import ConnectError, JdbpyError
from jdbpy.session.connect.attach import open_session
from jdbpy.session.connect.greeting import LOOPBACK
from jdbpy.session.local.tunnel import PeerProcess
from jdbpy.session.model.options import Options
from jdbpy.session.session import Session
from jdbpy.task_groups import open_nursery

Work = Callable[[Session, PeerProcess], Awaitable[None]]
"""What is done in the session of a JVM, with the process that it is; the JVM is left when it returns."""

Claim = Callable[[trio.SocketStream, PeerProcess], Awaitable[bool]]
"""Takes a JVM that has connected before anything was said to it; False: a session is to be opened for it."""


@asynccontextmanager
async def open_listener(
    work: Work, options: Callable[[int], Options], failed: Callable[[JdbpyError], None], claim: Claim
) -> AsyncIterator[str]:
    """Listen on a free port of the loopback while the block runs; yields ``HOST:PORT``.

    ``work`` runs for each JVM, in a task of its own, with the ``options`` of its number, from 1. ``failed`` is called
    with what ends such a session before its JVM has ended; what is no JVM is sent away. ``claim`` may take a JVM before
    that. Leaving the block leaves all.
    """
    [listener] = await trio.open_tcp_listeners(0, host=LOOPBACK)
    async with listener, open_nursery() as nursery:
        port = listener.socket.getsockname()[1]
        nursery.start_soon(_accept, listener, nursery, work, options, failed, claim)
        yield f"{LOOPBACK}:{port}"
        nursery.cancel_scope.cancel()


async def _accept(
    listener: trio.SocketListener,
    nursery: trio.Nursery,
    work: Work,
    options: Callable[[int], Options],
    failed: Callable[[JdbpyError], None],
    claim: Claim,
) -> None:
    number = 0
    while True:
        stream = await listener.accept()
        number += 1
        nursery.start_soon(_serve, stream, work, options(number), failed, claim)


async def _serve(
    stream: trio.SocketStream, work: Work, options: Options, failed: Callable[[JdbpyError], None], claim: Claim
) -> None:
    try:
        (_, own), (_, theirs) = stream.socket.getsockname(), stream.socket.getpeername()
    except OSError:  # gone already
        await trio.aclose_forcefully(stream)
        return
    greeted = False
    peer = PeerProcess(own, theirs)
    try:
        if await claim(stream, peer):
            return
        async with open_session(stream, f"{LOOPBACK}:{theirs}", options, suspended=True) as session:
            greeted = True
            await trio.to_thread.run_sync(peer.find)
            await work(session, peer)
    except JdbpyError as error:
        if greeted or not isinstance(error, ConnectError):
            failed(error)

"""Opening a connection: the handshake, the first commands behind it, and the block in which it runs.

Owns the way from a stream to a connection. Until ``running`` nothing receives or sends in the background, so a peer
that may be no debugger agent is asked by ``exchange``, which bounds whatever it does.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import trio

from jdbpy.errors import ProtocolError
from jdbpy.task_groups import open_nursery
from jdbpy.wire.command import Command
from jdbpy.wire.connection import Connection
from jdbpy.wire.handshake import greeting_failure
from jdbpy.wire.pending import Pending

if TYPE_CHECKING:
    from jdbpy.wire.effects import ReadOnlyGuard
    from jdbpy.wire.wirelog import Recorder, WireLog


@asynccontextmanager
async def open_connection(
    stream: trio.abc.Stream,
    *,
    hello: Sequence[Command[Any]] = (),
    log: WireLog | None = None,
    guard: ReadOnlyGuard | None = None,
    handshake_timeout: float = 5.0,
    peer: str = "",
) -> AsyncIterator[Connection]:
    """Shake hands over ``stream`` and run the connection until the block is left, which closes it.

    The commands of ``hello`` ride in the segment of the handshake, which then costs no round trip of its own; their
    handles are ``connection.hello``. ``guard`` refuses commands of a read-only session. ``peer`` names the other side
    in error messages. ``handshake_timeout`` is in seconds. Raises ConnectError when the peer is no debug port.
    """
    connection = await shake_hands(stream, hello=hello, log=log, timeout=handshake_timeout, peer=peer)
    connection.guard = guard
    async with running(connection):
        yield connection


async def shake_hands(
    stream: trio.abc.Stream,
    *,
    hello: Sequence[Command[Any]] = (),
    log: WireLog | None = None,
    recorder: Recorder | None = None,
    timeout: float,
    peer: str = "",
) -> Connection:
    """Return a connection over ``stream`` after the handshake; arguments and errors as for ``open_connection``.

    Nothing receives or sends on it until ``running``, but for ``exchange``. The stream is closed on errors.
    """
    try:
        connection = Connection(stream, log, peer)
        connection.recorder = recorder
        connection.hello = [connection.submit(command) for command in hello]
        await connection.shake_hands(timeout, peer)
    except BaseException:
        await trio.aclose_forcefully(stream)
        raise
    if log is not None:
        log.note(f"shook hands with {peer or 'the target'}")
    return connection


async def exchange(connection: Connection, pendings: Sequence[Pending[Any]], timeout: float) -> list[Any]:
    """Return the outcomes of the first commands, as ``batch`` does, from a peer that may be no debugger agent.

    Only before ``running``. Whatever the peer does, this ends after ``timeout`` seconds. Raises ConnectError, and
    closes the stream, when the peer falls silent, goes away or sends what is not JDWP.
    """
    try:
        with trio.fail_after(max(0.0, timeout)):  # earlier waits may have used up all there was
            await connection.receive_until(lambda: all(pending.done for pending in pendings))
        outcomes = [pending.outcome for pending in pendings]
        for outcome in outcomes:
            if isinstance(outcome, ProtocolError):
                raise outcome
    except BaseException as error:
        at = next((pending.command.NAME for pending in pendings if not pending.done), "")
        await connection.drop()
        failed = greeting_failure(connection.peer, at, error)
        if failed is None:
            raise
        raise failed from error
    return outcomes


@asynccontextmanager
async def running(connection: Connection) -> AsyncIterator[None]:
    """Run the connection until the block is left, which closes it.

    Inside the block the connection outlives a cancellation, so that a shielded clean-up can still speak to the target.
    """
    body_error: BaseException | None = None
    async with open_nursery() as nursery:
        nursery.start_soon(connection.run)
        try:
            yield
        except BaseException as error:  # kept from the nursery, which would wrap it in a group
            body_error = error
        finally:
            await connection.end()
    if body_error is not None:
        raise body_error

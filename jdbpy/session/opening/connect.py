"""The ways to a session with a target that runs: attach, listen; and the first words with any target.

Owns sockets until the connection has them, and the order in which a session comes up and is taken down: whatever
happens inside, the target is left running (attach, listen) or ended (launch), and the file of the wire log is closed.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

import trio

from jdbpy.errors import ConnectError, Disconnected, JdwpError
from jdbpy.session.concurrency import open_nursery
from jdbpy.session.model import VmInfo
from jdbpy.session.opening.address import LOOPBACK, Address, is_loopback, parse_address
from jdbpy.session.options import Options
from jdbpy.session.session import Session
from jdbpy.session.target import Target
from jdbpy.wire.command import Command
from jdbpy.wire.connection import Connection, open_connection
from jdbpy.wire.constants import ClassStatus
from jdbpy.wire.effects import ReadOnlyGuard
from jdbpy.wire.messages import thread_reference, virtual_machine

if TYPE_CHECKING:
    from jdbpy.session.opening.launch import Launched

CONNECT_LIMIT = 10.0
"""Seconds until an address that does not answer at all is given up."""

AGENT_LINE = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:5005"
"""What a JVM must be started with; shown wherever a connection fails."""


START_LIMIT = 2.0
"""Seconds to wait for the first stop of a target whose threads are held."""

_ASKED = 8
"""Threads that are asked whether they are held: at the start either all are or none."""

_LAUNCHER = "Lsun/launcher/LauncherHelper;"
"""The class with which ``java`` finds the main class: initialised as soon as a VM is past its VMStart, not before."""


@asynccontextmanager
async def attach(
    address: str, *, options: Options | None = None, timeout: float = CONNECT_LIMIT
) -> AsyncIterator[Session]:
    """Attaches to a JVM that listens for a debugger at ``[HOST:]PORT``; every address of a name is tried.

    ``timeout``: seconds until an address that does not answer at all is given up. Leaving the block detaches: the
    target runs on. Raises UsageError for the address, ConnectError when nobody, or no JVM, answers there.
    wire: 2 trips with connecting; the handshake and the first commands share one. One more for a target that stands at
    its start, and for a VM that no ``java`` launcher has started.
    """
    where = parse_address(address)
    stream = await _dial(where, timeout)
    async with open_session(stream, str(where), options or Options()) as session:
        yield session


@asynccontextmanager
async def listen(
    address: str,
    *,
    options: Options | None = None,
    on_listening: Callable[[str], None] | None = None,
    timeout: float = math.inf,
) -> AsyncIterator[Session]:
    """Waits for a JVM that was started with ``server=n`` to connect to ``[HOST:]PORT``; loopback unless HOST is given.

    ``on_listening`` is told the bound address (port 0 takes a free one) before the wait. A peer that is no JVM is
    sent away and the wait goes on, for ``timeout`` seconds. Leaving the block detaches. Raises UsageError, ConnectError
    (port taken, nobody came).
    """
    where = parse_address(address, default_host=LOOPBACK, any_port=True)
    try:
        listeners = await trio.open_tcp_listeners(where.port, host=where.host)
    except OSError as error:
        raise ConnectError(
            f"cannot listen on {where}: {error.strerror or error}", hint="choose another port"
        ) from error
    async with AsyncExitStack() as stack:
        for listener in listeners:
            await stack.enter_async_context(listener)
        port = listeners[0].socket.getsockname()[1]
        if on_listening is not None:
            on_listening(str(Address(where.host, port)))
        deadline = trio.current_time() + timeout
        while True:
            stream = await _first_caller(listeners, deadline)
            if stream is None:
                raise ConnectError(f"no JVM connected within {timeout:g} seconds", hint="start one with server=n")
            try:
                peer = _peer(stream)
                session = await stack.enter_async_context(open_session(stream, str(peer), options or Options()))
            except ConnectError:
                continue
            break
        for listener in listeners:
            await listener.aclose()
        yield session


async def _dial(where: Address, limit: float) -> trio.SocketStream:
    """A TCP connection to the first address of the host that takes one. Raises ConnectError."""
    try:
        with trio.fail_after(limit):
            # as bytes, if it can be: Python makes ASCII of a name with tables that take a while to load
            host = where.host.encode() if where.host.isascii() else where.host
            stream = await trio.open_tcp_stream(host, where.port)
    except trio.TooSlowError:
        raise ConnectError(
            f"no answer from {where} within {limit:g} seconds",
            hint="a firewall or a wrong address; through ssh: ssh -L 5005:127.0.0.1:5005 HOST, then attach 5005",
        ) from None
    except OSError as error:
        raise ConnectError(_why_not(where, error), hint=_what_next(error)) from error
    stream.setsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_NODELAY, 1)
    return stream


def _why_not(where: Address, error: OSError) -> str:
    reason = error
    if isinstance(error.__cause__, BaseExceptionGroup):  # what trio found at each address
        reasons = [one for one in error.__cause__.exceptions if isinstance(one, OSError)]
        reason = reasons[0] if reasons else error
    elif isinstance(error.__cause__, OSError):
        reason = error.__cause__
    if isinstance(reason, ConnectionRefusedError):
        return f"nobody takes a debugger at {where}: connection refused"
    return f"cannot connect to {where}: {reason.strerror or reason}"


def _what_next(error: OSError) -> str:
    if isinstance(error, trio.socket.gaierror):
        return "check the name of the host"
    return (
        f"start the JVM with {AGENT_LINE}; a JVM takes one debugger at a time, so another one may be attached "
        "(on its machine: ss -tnp shows who)"
    )


async def _first_caller(listeners: Sequence[trio.SocketListener], deadline: float) -> trio.SocketStream | None:
    """The first connection that any of the listeners gets; None when there is none by then."""
    found: list[trio.SocketStream] = []
    async with open_nursery() as nursery:

        async def accept(listener: trio.SocketListener) -> None:
            found.append(await listener.accept())
            nursery.cancel_scope.cancel()

        nursery.cancel_scope.deadline = deadline
        for listener in listeners:
            nursery.start_soon(accept, listener)
    return found[0] if found else None


def _peer(stream: trio.SocketStream) -> Address:
    try:
        host, port, *_ = stream.socket.getpeername()
    except OSError:  # gone already; the handshake will say so
        return Address(LOOPBACK, 0)
    return Address(str(host), int(port))


@asynccontextmanager
async def open_session(
    stream: trio.SocketStream, name: str, options: Options, launched: Launched | None = None, *, held: bool = False
) -> AsyncIterator[Session]:
    """A session with what is at the other end of the stream; ``held``: that is known to stand at its start.

    Raises ConnectError. wire: 1 trip with the handshake, and one more for a target that may stand at its start.
    """
    remote = not is_loopback(_peer(stream).host)
    hello: list[Command[Any]] = [
        virtual_machine.IDSizes(),
        virtual_machine.Version(),
        virtual_machine.CapabilitiesNew(),
        virtual_machine.ClassesBySignature(_LAUNCHER),
        virtual_machine.AllThreads(),
    ]
    async with AsyncExitStack() as stack:
        log = None
        if options.wire_log:
            from jdbpy.wire.wirelog import open_wire_log

            log = stack.enter_context(open_wire_log(options.wire_log))
        guard = ReadOnlyGuard(allow_suspend=options.allow_suspend) if options.read_only else None
        conn = await stack.enter_async_context(open_connection(stream, hello=hello, log=log, guard=guard, peer=name))
        # A launched one is on this machine, and takes its time to answer because it is still starting.
        round_trip = conn.round_trip if launched is None else 0.0
        info, capabilities = await _greet(conn, name)
        target = Target(
            conn,
            info,
            capabilities,
            remote=remote,
            round_trip=round_trip,
            launched=launched is not None,
        )
        async with open_nursery() as nursery:
            session = Session(target, options, launched)
            nursery.start_soon(session.run)
            try:
                await _await_start(target, held=held)
                yield session
            finally:
                await session.leave()
                nursery.cancel_scope.cancel()


async def _await_start(target: Target, *, held: bool) -> None:
    """Waits for the stop at the start of a VM that was started with suspend=y, so that its thread is selected.

    VMStart comes when the agent gets round to it, which may be after it has answered the first commands. A VM that has
    run its launcher is past it, and no debugger leaves a target held behind it: the agent resumes all when one goes.
    Without a launcher (a VM inside another program) held threads tell that a stop is coming; ``held``: it is known to.
    wire: 0 trips where the launcher has run, else 1; the greeting has asked for the threads.
    """
    if held or (not await _has_run(target.conn) and await _is_held(target.conn)):
        with trio.move_on_after(START_LIMIT):
            await target.publisher.wait_for_stop()


async def _has_run(conn: Connection) -> bool:
    """Whether the VM has gone from its start to a main class."""
    [launcher] = await conn.gather([conn.hello[3]])
    return not isinstance(launcher, JdwpError) and any(
        found.status & ClassStatus.INITIALIZED for found in launcher.classes
    )


async def _is_held(conn: Connection) -> bool:
    """Whether threads are suspended, though this debugger has not done it. wire: 1 trip."""
    threads = (await conn.hello[4].wait()).threads
    counts = await conn.batch([thread_reference.SuspendCount(thread) for thread in threads[:_ASKED]])
    return any(not isinstance(count, JdwpError) and count.suspendCount for count in counts)


async def _greet(conn: Connection, name: str) -> tuple[VmInfo, virtual_machine.CapabilitiesNewReply]:
    """Takes in the answers to the first commands. Raises ConnectError when the target goes away meanwhile."""
    sizes, version, capabilities, *_ = conn.hello
    try:
        conn.id_sizes = (await sizes.wait()).sizes()
        about: virtual_machine.VersionReply = await version.wait()
        can: virtual_machine.CapabilitiesNewReply = await capabilities.wait()
    except (Disconnected, JdwpError) as error:
        raise ConnectError(f"the target at {name} went away while being greeted: {error}") from error
    info = VmInfo(
        description=about.description,
        name=about.vmName,
        version=about.vmVersion,
        jdwp_major=about.jdwpMajor,
        jdwp_minor=about.jdwpMinor,
        address=name,
        capabilities=tuple(can.__iter_fields__()),
    )
    return info, can

"""The ways to a session with a target that runs: attach and listen.

Owns sockets until the connection has them, and the order in which a session comes up and is taken down: whatever
happens inside, the target is left running (attach, listen) or ended (launch), and the file of the wire log is closed.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

import trio

from jdbpy.errors import ConnectError, LeaveError, UsageError
from jdbpy.session.connect.greeting import (
    CONNECT_LIMIT,
    LOCALHOST,
    LOOPBACK,
    Address,
    Greeted,
    greet,
    is_loopback,
    loopbacks,
    parse_address,
)
from jdbpy.session.connect.logs import recorder_of, wire_log
from jdbpy.session.connect.tcp import agents_here, dial, note_left, note_process, where_agents_went
from jdbpy.session.events.target import Target
from jdbpy.session.local.tunnel import PeerProcess
from jdbpy.session.model.events import Notice
from jdbpy.session.model.options import Options
from jdbpy.session.session import Session
from jdbpy.task_groups import open_nursery, require_trio
from jdbpy.wire.audit import open_audit_log
from jdbpy.wire.effects import ReadOnlyGuard
from jdbpy.wire.handshake import HungUp
from jdbpy.wire.messages import thread_reference, virtual_machine
from jdbpy.wire.opening import running

if TYPE_CHECKING:
    from jdbpy.session.connect.launched import Launched
    from jdbpy.session.connect.transports import CarriedTransport
    from jdbpy.session.snapshots.recording import SessionRecorder
    from jdbpy.wire.wirelog import WireLog

START_LIMIT = 2.0
"""Seconds to wait for the first stop of a target whose threads are suspended, if its program has begun."""

OWN_START_LIMIT = 60.0
"""The same for a JVM of our own, and for one whose program has not begun: no earlier debugger has left it suspended."""

LATE_START_LIMIT = 1.0
"""Seconds to wait for the first stop of a target that may have been left running by an earlier debugger."""

BEGINNING_PAUSE = 0.005
"""Seconds between two looks at a VM that is about to begin."""

BEGINNING_LOOKS = 400
"""So many looks at most: the main thread of a VM that a native program has made may never run Java code."""

REPORTS_AGAIN = 17
"""The first release, of those tried, whose agent reports events after a debugger was killed at a stop of everything."""

LISTENER_PATIENCE = 2.0
"""Seconds that an agent waits for the handshake of who calls it; then it hangs up and listens on. This process may
have been held up for as long, and calls again. See docs/agent.md, "The debugger speaks first"."""

GREETED_AT_ONCE = 16
"""Callers of ``listen`` that are greeted side by side; more have to wait until one of them has answered or failed."""


@asynccontextmanager
async def attach_session(
    address: str, *, options: Options | None = None, timeout: float = CONNECT_LIMIT
) -> AsyncIterator[Session]:
    """Attach to a JVM that listens for a debugger at ``[HOST:]PORT``; every address of a name is tried.

    Without a host these are 127.0.0.1 and ::1, in that order. An address may name its transport, by a program of the
    user's that ends with the block: ``ssh://[USER@]HOST[:SSHPORT]/PORT``, ``docker://CONTAINER:PORT``,
    ``k8s://[CONTEXT/]NAMESPACE/WORKLOAD:PORT``. ``pid://N`` is a process of this machine, and ``pid:N`` in place of a
    port one elsewhere; a JVM that was started without the agent is asked at its attach socket (``Session.agent_line``).

    ``timeout``: seconds from the first packet to a usable session; a peer that takes longer is given up. A program that
    opens the transport has more for that. Leaving the block detaches: the target runs on. Raises UsageError for the
    address, ConnectError if no JVM answers there.
    wire: 2 trips with connecting; the handshake and the first commands share one. One more for a target that stands at
    its start, and for a VM that no ``java`` launcher has started.
    """
    require_trio()
    if "://" in address:
        from jdbpy.session.connect.transports import CarriedTransport, parse_transport

        transport = parse_transport(address)
        assert transport is not None
        address = ""
        if transport.process:
            from jdbpy.session.connect.without_agent import session_over, way_to_process

            async with way_to_process(transport, timeout) as way:
                if way.channel is not None:
                    async with session_over(way.channel, way.name, options or Options(), way.carrier) as session:
                        yield session
                    return
            address, transport = way.address, way.transport
        if not address:
            assert isinstance(transport, CarriedTransport)
            async with _session_by_transport(transport, options or Options(), timeout) as session:
                yield session
            return
    try:
        where = parse_address(address, default_host=LOCALHOST)
    except UsageError as error:
        if error.code == "NO_PORT" and (there := await trio.to_thread.run_sync(agents_here)):
            raise UsageError(error.message, hint=f"{error.hint}; {there}", code=error.code) from None
        raise
    called = trio.current_time()
    deadline = called + timeout
    addresses = loopbacks(where) if where.host == LOCALHOST else [where]
    stream, reached = await dial(await where_agents_went(addresses), timeout)

    async def call_again() -> trio.SocketStream | None:
        nonlocal called
        now = trio.current_time()
        if now - called < LISTENER_PATIENCE or now >= deadline:
            return None
        called = now
        with suppress(ConnectError):
            return (await dial([reached], deadline - now))[0]
        return None

    left = max(0.0, deadline - trio.current_time())
    listens_again = False
    try:
        opening = open_session(stream, str(reached), options or Options(), timeout=left, call_again=call_again)
        async with opening as session:
            try:
                yield session
            finally:
                listens_again = session.state.lives
    finally:
        if listens_again:
            note_left(reached)


@asynccontextmanager
async def listen_session(
    address: str,
    *,
    options: Options | None = None,
    on_listening: Callable[[str], None] | None = None,
    timeout: float = math.inf,
) -> AsyncIterator[Session]:
    """Wait for a JVM that was started with ``server=n`` to connect to ``[HOST:]PORT``; loopback unless HOST is given.

    ``on_listening`` gets the bound address (port 0 takes a free one) before the wait. Callers are greeted side by side,
    and the first that is a JVM is debugged; the others are sent away, and the wait goes on, for ``timeout`` seconds.
    Leaving the block detaches. Raises UsageError, ConnectError (port taken, no JVM connected).
    """
    require_trio()
    where = parse_address(address, default_host=LOOPBACK, any_port=True)
    try:
        listeners = await trio.open_tcp_listeners(where.port, host=where.host)
    except OSError as error:
        raise ConnectError(
            f"cannot listen on {where}: {error.strerror or error}", hint="choose another port"
        ) from error
    options = options or Options()
    async with AsyncExitStack() as stack:
        log = stack.enter_context(wire_log(options))
        recorder = stack.enter_context(recorder_of(options, str(where)))
        for listener in listeners:
            stack.push_async_callback(_close, listener)
        port = listeners[0].socket.getsockname()[1]
        if on_listening is not None:
            on_listening(str(Address(where.host, port)))
        greeted = await _first_jvm(listeners, log, recorder, trio.current_time() + timeout)
        if greeted is None:
            raise ConnectError(f"no JVM connected within {timeout:g} seconds", hint="start one with server=n")
        for listener in listeners:
            await listener.aclose()
        remote = not is_loopback(parse_address(greeted.info.address, any_port=True).host)
        caller = parse_address(greeted.info.address, any_port=True)
        peer = _process_behind((port, caller.port)) if not remote else None
        async with session_with(greeted, options, remote=remote, peer=peer) as session:
            yield session


@asynccontextmanager
async def _session_by_transport(address: CarriedTransport, options: Options, timeout: float) -> AsyncIterator[Session]:
    """A session over the first transport that leads to an agent. Raises ConnectError for the last one."""
    from jdbpy.session.connect.transports import opening_limit

    async with AsyncExitStack() as stack:
        log = stack.enter_context(wire_log(options))
        recorder = stack.enter_context(recorder_of(options, str(address)))
        failed: list[ConnectError] = []
        async with aclosing(address.transports()) as transports:
            async for opening in transports:
                try:
                    async with AsyncExitStack() as trying:
                        transport = await trying.enter_async_context(opening)
                        own = recorder.another() if recorder is not None else None
                        limit = timeout + opening_limit()
                        greeted = await greet(transport.stream, str(address), log=log, recorder=own, timeout=limit)
                        stack.push_async_exit(trying.pop_all())
                        break
                except ConnectError as error:
                    failed.append(error)
            else:
                raise _all_failed(failed)
        if greeted.connection.recorder is not None:
            greeted.connection.recorder.begin()
        greeted.connection.carrier_ending = transport.ending
        async with session_with(greeted, options, remote=True, peer=None, via=transport.via) as session:
            yield session


def _all_failed(failed: Sequence[ConnectError]) -> ConnectError:
    """Return the error of several transports: the last one, with what was tried before."""
    *others, last = failed
    tried = "".join(f" (tried before: {error.message})" for error in others[:2])
    return ConnectError(last.message + tried, hint=last.hint)


async def _first_jvm(
    listeners: Sequence[trio.SocketListener], log: WireLog | None, recorder: SessionRecorder | None, deadline: float
) -> Greeted | None:
    """Return the first caller that is a JVM; None when there is none by then. The others are sent away."""
    found: list[Greeted] = []
    slots = trio.Semaphore(GREETED_AT_ONCE + len(listeners))  # each listener keeps one while it waits

    async def accept(listener: trio.SocketListener) -> None:
        while True:
            await slots.acquire()
            nursery.start_soon(caller, await listener.accept())

    async def caller(stream: trio.SocketStream) -> None:
        try:
            own = recorder.another() if recorder is not None else None
            greeted = await greet(stream, str(_peer(stream)), log=log, recorder=own)
        except ConnectError:
            return
        finally:
            slots.release()
        found.append(greeted)
        nursery.cancel_scope.cancel()

    try:
        async with open_nursery() as nursery:
            nursery.cancel_scope.deadline = deadline
            for listener in listeners:
                nursery.start_soon(accept, listener)
    except BaseException:
        for greeted in found:
            await greeted.connection.drop()
        raise
    for greeted in found[1:]:  # it came at the same moment
        await greeted.connection.drop()
    for greeted in found[:1]:
        own = greeted.connection.recorder
        if recorder is not None and own is not None:
            own.begin()
    return found[0] if found else None


def _peer(stream: trio.SocketStream) -> Address:
    try:
        host, port, *_ = stream.socket.getpeername()
    except OSError:  # gone already; the handshake will say so
        return Address(LOOPBACK, 0)
    return Address(str(host), int(port))


def _leads_here(stream: trio.SocketStream) -> bool:
    """True if the peer's address is one of this machine's: its loopback, or that of our own end."""
    host = _peer(stream).host
    try:
        own = str(stream.socket.getsockname()[0])
    except OSError:
        own = ""
    return is_loopback(host) or host == own


@asynccontextmanager
async def open_session(
    stream: trio.SocketStream,
    name: str,
    options: Options,
    launched: Launched | None = None,
    *,
    suspended: bool = False,
    timeout: float = CONNECT_LIMIT,
    call_again: Callable[[], Awaitable[trio.SocketStream | None]] | None = None,
) -> AsyncIterator[Session]:
    """A session with the peer at the other end of the stream, usable within ``timeout`` seconds.

    ``suspended``: it is known to be suspended at its start. ``call_again`` connects once more to a peer that has hung
    up without a handshake; it gives None if ours was not late, or no time is left. Raises ConnectError.
    """
    deadline = trio.current_time() + timeout
    async with AsyncExitStack() as stack:
        stack.push_async_callback(_close, stream)
        remote = not _leads_here(stream)
        with wire_log(options) as log, recorder_of(options, name) as recorder:
            while True:
                peer = _process_behind(_ports(stream)) if launched is None and not remote else None
                left = max(0.0, deadline - trio.current_time())
                try:
                    async with open_nursery() as nursery:
                        if peer is not None:  # while the greeting waits for its answers
                            nursery.start_soon(partial(trio.to_thread.run_sync, peer.find, abandon_on_cancel=True))
                        greeted = await greet(
                            stream, name, log=log, recorder=recorder, timeout=left, suspended=suspended
                        )
                    break
                except HungUp:
                    again = await call_again() if call_again is not None else None
                    if again is None:
                        raise
                    stream = again
                    stack.push_async_callback(_close, stream)
            async with session_with(greeted, options, launched, remote=remote, peer=peer) as session:
                yield session


@asynccontextmanager
async def session_with(
    greeted: Greeted,
    options: Options,
    launched: Launched | None = None,
    *,
    remote: bool,
    peer: PeerProcess | None,
    via: str = "",
    played: tuple[str, ...] | None = None,
) -> AsyncIterator[Session]:
    """A session with a peer that has been greeted; ``peer``: what may be found of its process, on this machine.

    ``via``: what it is reached by. ``played``: the peer is a recording, with these lines of its user.
    """
    conn = greeted.connection
    if options.read_only:  # the greeting only reads
        conn.guard = ReadOnlyGuard(allow_suspend=options.allow_suspend)
    async with AsyncExitStack() as stack:
        if options.audit:
            conn.audit = stack.enter_context(open_audit_log(options.audit, greeted.info.address))
        await stack.enter_async_context(running(conn))
        target = Target(
            conn,
            greeted.info,
            greeted.capabilities,
            remote=remote,
            peer=peer,
            directory=greeted.directory,
            class_path=greeted.class_path,
            via=via,
            hold=options.hold,
            # A launched one is on this machine, and takes its time to answer because it is still starting.
            round_trip=conn.round_trip if launched is None else 0.0,
            launched=launched is not None,
        )
        async with open_nursery() as nursery:
            session = Session(target, options, launched)
            if options.decisions:
                from jdbpy.session.breakpoints.hit_log import open_decision_log

                session.decisions.log_to(stack.enter_context(open_decision_log(options.decisions)))
            if played is not None:
                target.played, session.recorded_lines = True, played
                target.latency.is_none = True
            nursery.start_soon(session.run)
            try:
                try:
                    if greeted.suspended:
                        await _await_start(target)
                    elif launched is None:
                        if not greeted.begun and played is None:
                            await _await_beginning(target)
                        if peer is not None:
                            await _await_late_start(target, peer)
                        if target.last_stop is None and played is None and not target.at_least(REPORTS_AGAIN):
                            from jdbpy.session.events.leaving import wake_reporting

                            wake_reporting(target)
                    if greeted.changed and launched is None and played is None:
                        await session.put_back_left_over()
                    if greeted.has_recorded and launched is None and played is None:
                        await session.end_left_recordings()
                    if conn.recorder is not None:
                        conn.recorder.session_began(remote=target.remote, hold=target.hold)
                    yield session
                except (Exception, KeyboardInterrupt) as error:
                    await _leave_after(session, error)
                    raise
                finally:
                    await session.leave()
            finally:
                nursery.cancel_scope.cancel()


def _ports(stream: trio.SocketStream) -> tuple[int, int] | None:
    """Our own port and the peer's; None for a connection that is gone."""
    try:
        return stream.socket.getsockname()[1], stream.socket.getpeername()[1]
    except OSError:
        return None


def _process_behind(ports: tuple[int, int] | None) -> PeerProcess | None:
    """The process at the other end of a connection between these ports, on this machine; None without any."""
    if ports is None:
        return None
    return PeerProcess(*ports)


async def _close(resource: trio.abc.AsyncResource) -> None:
    """Close, also in a cancelled scope, where ``aclose`` would put Cancelled in the place of a LeaveError."""
    with trio.CancelScope(shield=True):
        await resource.aclose()


async def _leave_after(session: Session, error: BaseException) -> None:
    """Leave after an error of the block, which is not hidden by one of leaving: that becomes a note of it."""
    try:
        await session.leave()
    except LeaveError as failure:
        error.add_note(failure.message)


async def _await_start(target: Target) -> None:
    """Wait for the stop at the start of a VM whose threads are suspended, so that its thread is selected.

    The event may come after the agent has answered the first commands. If it does not come, an earlier debugger was
    killed while the agent reported an event, for which threads were suspended. They are resumed, and that is reported.
    """
    from jdbpy.session.events.leaving import has_not_begun, resume_left_over

    with trio.move_on_after(OWN_START_LIMIT if target.launched else START_LIMIT):
        await target.publisher.wait_for_stop()
    if target.last_stop is None and target.publisher.ending is None and await has_not_begun(target):
        with trio.move_on_after(OWN_START_LIMIT):
            await target.publisher.wait_for_stop()
    if target.last_stop is None and target.publisher.ending is None:
        await target.conn.request(virtual_machine.IDSizes())  # this process may have been slow: what was sent by now
        await target.publisher.settled()  # is taken in
    if target.last_stop is None and target.publisher.ending is None:
        threads = await resume_left_over(target)
        if threads:
            what = "1 thread was" if threads == 1 else f"{threads} threads were"
            target.publish(Notice("warning", f"{what} left suspended by an earlier debugger; resumed"))


async def _await_beginning(target: Target) -> None:
    """Wait for the stop at the start of a VM that is not suspended yet, or until its program has begun without one.

    The agent answers as soon as it has a debugger; a helper thread of it suspends the VM and sends the event
    (docs/agent.md, "The first event may come late").
    """
    for _ in range(BEGINNING_LOOKS):
        if target.last_stop is not None or not await _is_beginning(target):
            return
        with trio.move_on_after(BEGINNING_PAUSE):
            await target.publisher.wait_for_stop()


async def _is_beginning(target: Target) -> bool:
    """True if the main thread has no frame. It is suspended for the look; False where that is not allowed. wire: 3
    trips, 4 before release 21."""
    from jdbpy.session.events.ending import frame_count

    if not target.conn.allows(thread_reference.Suspend):
        return False
    threads = (await target.conn.request(virtual_machine.AllThreads())).threads
    names = await target.conn.batch([thread_reference.Name(each) for each in threads])
    for thread, name in zip(threads, names, strict=True):
        if isinstance(name, thread_reference.NameReply) and name.threadName == "main":
            return await frame_count(target, thread) == 0
    return False


async def _await_late_start(target: Target, peer: PeerProcess) -> None:
    """Wait for the first stop of a target whose agent has only begun to work, and is about to suspend all threads.

    That is so with ``launch=``, ``onthrow=`` and ``onuncaught=``: the agent takes a debugger first, and a helper thread
    of it then suspends the target and sends the event. Nothing on the wire shows that, but the options of the agent do,
    where the JVM's command line can be read. No such event comes to a debugger that attaches later: the wait is short.
    """
    given = await trio.to_thread.run_sync(peer.agent_options)
    if given:
        target.found_jvm()
        if given.get("address", "").rpartition(":")[2] in ("", "0") and peer.start:
            note_process(target.info.address, peer.start)
    if "launch" in given and given.get("suspend", "y") == "y" and target.last_stop is None:
        with trio.move_on_after(LATE_START_LIMIT):
            await target.publisher.wait_for_stop()

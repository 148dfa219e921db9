"""TCP connections to debugger agents: which address, how long one that refuses is asked again, why there is none."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import trio

from jdbpy.errors import ConnectError
from jdbpy.escape import escape
from jdbpy.session.connect.greeting import AGENT_LINE, Address, is_loopback, parse_address

if TYPE_CHECKING:
    from jdbpy.session.local.tunnel import ProcessStart

PATIENCE = 0.3
"""Seconds for which an agent that refuses is asked again: it may be about to listen, started or left a moment ago."""

PATIENCE_AFTER_LEAVING = 3.0
"""The same where this process has just left, or where a JVM of this machine is meant to listen and has no debugger: it
is starting, or between two debuggers, where the agent does not listen for some milliseconds."""

_AGAIN = 0.01
"""Seconds between two tries."""

_left: dict[Address, float] = {}
"""The times at which this process has left its latest targets, by ``time.monotonic``."""

_processes: dict[str, ProcessStart] = {}
"""The JVMs of this machine that were reached at an address, where their agents choose a new port each time."""

_MOST_LEFT = 64

MAYBE_TAKEN = "a JVM takes one debugger at a time, so another one may be attached (on its machine: ss -tnp shows who)"

_NAMED = 5
"""JVMs of this machine that are named when none is where the user has looked."""


async def dial(addresses: Sequence[Address], limit: float) -> tuple[trio.SocketStream, Address]:
    """Return a TCP connection to the first of the addresses that takes one, and that address. Raises ConnectError.

    An agent that refuses is asked again for some time, as gdb does.
    """
    refused: list[tuple[Address, OSError]] = []
    with trio.move_on_after(limit):
        patience = _patience(addresses)
        until = trio.current_time() + patience
        while True:
            refused.clear()
            for where in addresses:
                try:
                    return await _connect(where), where
                except OSError as error:
                    refused.append((where, error))
            if not isinstance(_reason(refused[0][1]), ConnectionRefusedError):
                break
            if trio.current_time() >= until:
                if patience == PATIENCE_AFTER_LEAVING or not await _is_awaited(addresses):
                    break
                until += PATIENCE_AFTER_LEAVING - patience
                patience = PATIENCE_AFTER_LEAVING
            await trio.sleep(_AGAIN)
        hint = _what_next(refused[0][1])
        if all(is_loopback(where.host) for where, _ in refused):
            if (taken := await trio.to_thread.run_sync(_taken, [where.port for where, _ in refused])) is not None:
                raise taken from refused[0][1]
            if there := await trio.to_thread.run_sync(agents_here):
                hint = f"{there}; or {hint}"
        raise ConnectError(_why_not(refused), hint=hint) from refused[0][1]
    raise ConnectError(
        f"no answer from {addresses[0]} within {limit:g} seconds",
        hint=f"a firewall or a wrong address; by ssh: ssh://{addresses[0].host}/{addresses[0].port}",
    )


def _patience(addresses: Sequence[Address]) -> float:
    """Return for how many seconds an agent that refuses is asked again."""
    now = time.monotonic()
    just_left = any(now - _left.get(where, -math.inf) < PATIENCE_AFTER_LEAVING for where in addresses)
    return PATIENCE_AFTER_LEAVING if just_left else PATIENCE


async def _is_awaited(addresses: Sequence[Address]) -> bool:
    """True if the agent of a JVM of this machine is about to listen at one of the addresses."""
    from jdbpy.session.connect.local_jvms import is_awaited

    ports = [where.port for where in addresses if is_loopback(where.host)]
    return bool(ports) and await trio.to_thread.run_sync(is_awaited, ports)


def note_left(where: Address) -> None:
    """Remember that this process has left a target just now: whatever dials it next has more patience."""
    _left.pop(where, None)
    _left[where] = time.monotonic()
    if len(_left) > _MOST_LEFT:
        del _left[next(iter(_left))]


def note_process(address: str, process: ProcessStart) -> None:
    """Remember which process was reached at an address, where its agent will be at another one the next time."""
    _processes.pop(address, None)
    _processes[address] = process
    if len(_processes) > _MOST_LEFT:
        del _processes[next(iter(_processes))]


async def where_agents_went(addresses: Sequence[Address]) -> Sequence[Address]:
    """Return the addresses, or that at which the agent of a JVM listens now that was reached at one of them.

    Only that of the same process: somebody else may be at the old port by now. Raises ConnectError, AgentTaken where
    it has a debugger at one of the addresses.
    """
    process = next((found for where in addresses if (found := _processes.get(str(where))) is not None), None)
    if process is None:
        return addresses
    from jdbpy.session.local.tunnel import start_of

    if start_of(process.pid) != process:
        return addresses
    try:
        return [parse_address(await place_of_process(process.pid, PATIENCE_AFTER_LEAVING))]
    except ConnectError as error:
        if (taken := await trio.to_thread.run_sync(_taken, [where.port for where in addresses])) is not None:
            raise taken from error
        raise ConnectError(
            f"the agent of {addresses[0]} takes a new port each time; {error.message}", hint=error.hint
        ) from error


async def place_of_process(pid: int, limit: float) -> str:
    """Return where the agent of a process of this machine listens. Raises ConnectError.

    One that is about to listen is waited for; after a debugger has left it takes some milliseconds.
    """
    from jdbpy.session.connect.local_jvms import AgentComes, AgentTaken, address_of_process

    began = trio.current_time()
    while True:
        try:
            return await trio.to_thread.run_sync(address_of_process, pid, abandon_on_cancel=True)
        except (AgentComes, AgentTaken) as error:
            patience = PATIENCE_AFTER_LEAVING if isinstance(error, AgentComes) else PATIENCE
            if trio.current_time() >= began + min(patience, limit):
                raise
        await trio.sleep(_AGAIN)


async def _connect(where: Address) -> trio.SocketStream:
    """Return a stream to an address. Raises OSError."""
    # as bytes, if it can be: Python makes ASCII of a name with tables that take a while to load
    host = where.host.encode() if where.host.isascii() else where.host
    stream = await trio.open_tcp_stream(host, where.port)
    stream.setsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_NODELAY, 1)
    return stream


def _taken(ports: Sequence[int]) -> ConnectError | None:
    """Return the error for ports of this machine whose agent has a debugger; None without one."""
    from jdbpy.session.connect.local_jvms import taken_agent

    return taken_agent(ports)


def agents_here() -> str:
    """Return a sentence about the JVMs of this machine that have an agent, "" if there are none."""
    from jdbpy.session.connect.local_jvms import local_jvms

    found = [each for each in local_jvms() if each.address]
    shown = [
        f"{each.main or f'process {each.pid}'} at {each.address}" + " (has a debugger)" * each.debugger
        for each in found[:_NAMED]
    ]
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    return f"JVMs of this machine with an agent: {escape(', '.join(shown))}{more}" if shown else ""


def _why_not(refused: Sequence[tuple[Address, OSError]]) -> str:
    """Return what the addresses have answered; one of a machine without IPv6 is left out."""
    [(where, first), *others] = [(where, _reason(error)) for where, error in refused]
    if not isinstance(first, ConnectionRefusedError):
        return f"cannot connect to {where}: {first.strerror or first}"
    tried = [where, *(other for other, error in others if isinstance(error, ConnectionRefusedError))]
    return f"no debugger agent is listening at {' or '.join(map(str, tried))} (connection refused)"


def _reason(error: OSError) -> OSError:
    """Return what trio found at the first of a name's addresses."""
    if isinstance(error.__cause__, BaseExceptionGroup):
        return next((one for one in error.__cause__.exceptions if isinstance(one, OSError)), error)
    return error.__cause__ if isinstance(error.__cause__, OSError) else error


def _what_next(error: OSError) -> str:
    if isinstance(error, trio.socket.gaierror):
        return "check the name of the host"
    return f"start the JVM with {AGENT_LINE}; {MAYBE_TAKEN}"

"""The first words with a target, until it is known that a debugger agent is there, and what it can do; addresses.

Owns the greeting: handshake and first commands share one round trip, nothing in it can take longer than the limit, and
whatever a peer answers that no agent would answer is a ConnectError. A peer that has passed is a ``Greeted``; nothing
runs in the background until a session is made of it, so that callers can be greeted side by side.

Addresses of debug ports are as users type them: ``5005``, ``host:5005``, ``192.0.2.1:5005``, ``[::1]:5005``.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from typing import Any

import trio

from jdbpy.errors import ConnectError, JdwpError, ProtocolError, UsageError
from jdbpy.record import Record
from jdbpy.session.jvm.changed_code import SIGN
from jdbpy.session.model.vm import VmInfo
from jdbpy.wire.command import Command
from jdbpy.wire.connection import Connection
from jdbpy.wire.constants import ClassStatus
from jdbpy.wire.handshake import not_an_agent
from jdbpy.wire.ids import ObjectID, ThreadID
from jdbpy.wire.layout import check_sizes
from jdbpy.wire.messages import thread_reference, virtual_machine
from jdbpy.wire.opening import exchange, shake_hands
from jdbpy.wire.wirelog import Recorder, WireLog

LOOPBACK = "127.0.0.1"
LOCALHOST = "localhost"

AGENT_LINE = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:5005"
"""The option with which a JVM must be started; shown wherever a connection fails."""


_HOST = re.compile(r"[A-Za-z][\w.-]*|[0-9]+(\.[0-9]+){3}", re.ASCII)
"""A name or a literal address; a number alone is a port."""


class Address(Record):
    """A host (name or literal, IPv6 without its brackets) and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_address(text: str, *, default_host: str = LOOPBACK, any_port: bool = False) -> Address:
    """Reads ``[HOST:]PORT``. ``*`` as the host means every interface. ``any_port`` allows port 0.

    Raises UsageError with the form that is wanted.
    """
    host, colon, port = text.strip().rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise UsageError(f"'{text}' is not clear: an IPv6 address goes in brackets", hint="for example [::1]:5005")
    elif colon and not host:
        host = default_host
    if not re.fullmatch("[0-9]{1,5}", port) or not (0 if any_port else 1) <= int(port) <= 65535:
        raise _no_address(text.strip(), host, port)
    return Address({"": default_host, "*": "0.0.0.0"}.get(host, host), int(port))


def _no_address(text: str, host: str, port: str) -> UsageError:
    """Return the error for a text that is not ``[HOST:]PORT``. Its code is NO_PORT if it may be a host."""
    if not port or (not host and _HOST.fullmatch(text)):
        example = f"{text.rstrip(':') or LOCALHOST}:5005"
        why = f"'{text}' needs the port of the JVM's debugger agent behind it"
        return UsageError(why, hint=f"for example {example}", code="NO_PORT")
    hint = "[HOST:]PORT, for example 5005"
    if text.isascii() and text.isdigit():
        hint = f"{hint}; pid://{text} is the process {text}"
    return UsageError(f"'{text}' is not an address: a port is a number up to 65535", hint=hint)


def loopbacks(where: Address) -> list[Address]:
    """Return the addresses of this machine itself with that port: an agent listens at one of them only."""
    return [Address(LOOPBACK, where.port), Address("::1", where.port)]


def is_loopback(host: str) -> bool:
    """True if a literal address (as a socket has it) belongs to this machine's loopback."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return address.is_loopback or (mapped is not None and mapped.is_loopback)


CONNECT_LIMIT = 10.0
"""Seconds until a peer is given up that does not take the connection, or does not get to a usable session."""

VERSION_LENGTH = 64 * 1024
"""Characters of a version text. HotSpot's have about 200; what is longer is meant to harm and would be shown."""

_SAMPLED = 8
"""Threads whose suspend counts are read: at the start either all are suspended or none."""

_GUESSED = 24
"""Ids whose suspend counts are asked before it is known which are threads: an agent gives ids from 1 on."""

_LAUNCHER = "Lsun/launcher/LauncherHelper;"
"""The class with which ``java`` finds the main class: initialized as soon as a VM is past its VMStart, not before."""

_RECORDER = "Ljdk/jfr/internal/PlatformRecorder;"
"""The class of the flight recorder, which is there once that was used."""


class Greeted(Record):
    """A peer that is a debugger agent.

    ``suspended``: threads of its VM are, as that is before its first instruction, or an earlier debugger left them so.
    """

    connection: Connection
    info: VmInfo
    capabilities: virtual_machine.CapabilitiesNewReply
    suspended: bool
    changed: bool
    """True if a debugger has put something into its code at some time."""
    has_recorded: bool
    """True if its flight recorder has been used."""
    directory: str = ""
    class_path: tuple[str, ...] = ()
    """Its working directory and class path, by its own report; empty without one."""
    begun: bool = True
    """False if no ``java`` launcher has come to the main class yet, or another program has started the VM."""


async def greet(
    stream: trio.abc.Stream,
    name: str,
    *,
    log: WireLog | None = None,
    recorder: Recorder | None = None,
    timeout: float = CONNECT_LIMIT,
    suspended: bool = False,
) -> Greeted:
    """Shake hands with the peer ``name`` and read what it is, in ``timeout`` seconds at most.

    ``suspended``: the VM is known to be suspended at its start. Raises ConnectError, the stream is closed then.
    wire: 1 trip with the handshake, and one more for a VM that no ``java`` launcher has started yet.
    """
    deadline = trio.current_time() + timeout
    first: list[Command[Any]] = [
        virtual_machine.IDSizes(),
        virtual_machine.Version(),
        virtual_machine.CapabilitiesNew(),
        virtual_machine.AllThreads(),
        virtual_machine.ClassesBySignature(_LAUNCHER),
        virtual_machine.ClassesBySignature(SIGN),
        virtual_machine.ClassesBySignature(_RECORDER),
    ]
    paths = virtual_machine.ClassPaths()  # what tells where it runs: neither its process nor its host can be asked for
    guessed = [thread_reference.SuspendCount(ThreadID(ObjectID(number))) for number in range(1, _GUESSED + 1)]
    conn = await shake_hands(
        stream, hello=[*first, *guessed, paths], log=log, recorder=recorder, timeout=timeout, peer=name
    )
    # The sizes of ids are needed before anything else can be decoded.
    [sizes] = await _answers(conn, first[:1], conn.hello[:1], deadline)
    try:
        check_sizes(sizes.sizes())
    except ProtocolError as error:
        await conn.drop()
        raise not_an_agent(name, error.message) from error
    conn.id_sizes = sizes.sizes()
    asked = len(first)
    about, capabilities, threads, launcher, sign, recorder_class = await _answers(
        conn, first[1:], conn.hello[1:asked], deadline
    )
    *counts, told = await exchange(conn, conn.hello[asked:], deadline - trio.current_time())
    for text in (about.description, about.vmVersion, about.vmName):
        if len(text) > VERSION_LENGTH:
            await conn.drop()
            raise not_an_agent(name, f"VirtualMachine.Version reply: a text of {len(text)} characters")
    info = VmInfo(
        description=about.description,
        name=about.vmName,
        version=about.vmVersion,
        jdwp_major=about.jdwpMajor,
        jdwp_minor=about.jdwpMinor,
        address=name,
        capabilities=tuple(capabilities.__iter_fields__()),
    )
    if not suspended:
        alive = set(threads.threads)
        suspended = _any_suspended(
            count for command, count in zip(guessed, counts, strict=True) if command.thread in alive
        )
    begun = any(found.status & ClassStatus.INITIALIZED for found in launcher.classes)
    if not suspended and not begun:
        suspended = await _is_suspended(conn, threads.threads[:_SAMPLED], deadline)
    directory, class_path = ("", ()) if isinstance(told, JdwpError) else (told.baseDir, tuple(told.classpaths))
    changed, has_recorded = bool(sign.classes), bool(recorder_class.classes)
    return Greeted(conn, info, capabilities, suspended, changed, has_recorded, directory, class_path, begun)


async def _answers(conn: Connection, commands: list[Command[Any]], pendings: list[Any], deadline: float) -> list[Any]:
    """Return the replies to commands that every agent answers. Raises ConnectError."""
    outcomes = await exchange(conn, pendings, deadline - trio.current_time())
    for command, outcome in zip(commands, outcomes, strict=True):
        if isinstance(outcome, JdwpError):
            await conn.drop()
            if outcome.code == "VM_DEAD":
                raise ConnectError(
                    f"the VM at {conn.peer} is ending: it answered VM_DEAD to {command.NAME}",
                    hint="start it with suspend=y to debug it from its first line",
                )
            raise not_an_agent(conn.peer, outcome.message)
    return outcomes


async def _is_suspended(conn: Connection, threads: list[Any], deadline: float) -> bool:
    """True if threads are suspended, though this debugger has not done it. wire: 1 trip."""
    pendings = [conn.submit(thread_reference.SuspendCount(thread)) for thread in threads]
    counts = await exchange(conn, pendings, deadline - trio.current_time())
    return _any_suspended(counts)


def _any_suspended(counts: Iterable[Any]) -> bool:
    return any(not isinstance(count, JdwpError) and count.suspendCount > 0 for count in counts)

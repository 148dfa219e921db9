"""Programs behind a port that are no debugger agent, or stop being one before there is a session.

Each is an async function of the stream. It may end, which closes the stream, or go on until the debugger has gone.
"""

from __future__ import annotations

import random
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import trio

from jdbpy.wire.command import Command
from jdbpy.wire.constants import Error
from jdbpy.wire.handshake import HANDSHAKE
from jdbpy.wire.messages import thread_reference, virtual_machine
from tests.fakes.jvm import SILENCE, FakeJvm

Peer = Callable[[trio.SocketStream], Awaitable[object]]

GREETING: list[type[Command[Any]]] = [
    virtual_machine.IDSizes,
    virtual_machine.Version,
    virtual_machine.CapabilitiesNew,
    virtual_machine.ClassesBySignature,
    virtual_machine.AllThreads,
]
"""The commands of every greeting."""


@asynccontextmanager
async def playing(peer: Peer) -> AsyncIterator[str]:
    """Take connections at a free port and play the peer on each; yield the address."""

    async def play(stream: trio.SocketStream) -> None:
        try:
            async with stream:
                await peer(stream)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # the debugger has gone

    async with trio.open_nursery() as nursery:
        [listener] = await nursery.start(partial(trio.serve_tcp, play, 0, host="127.0.0.1"))
        yield f"127.0.0.1:{listener.socket.getsockname()[1]}"
        nursery.cancel_scope.cancel()


def says(data: bytes) -> Peer:
    """Send this at once, then nothing."""

    async def play(stream: trio.SocketStream) -> None:
        await stream.send_all(data)
        await _until_gone(stream)

    return play


def says_and_closes(data: bytes) -> Peer:
    """Send this at once, and close."""

    async def play(stream: trio.SocketStream) -> None:
        await stream.send_all(data)
        await stream.send_eof()
        await _until_gone(stream)

    return play


def goes_on(first: bytes, more: Callable[[], bytes]) -> Peer:
    """Send this, then more without an end."""

    async def play(stream: trio.SocketStream) -> None:
        await stream.send_all(first)
        while True:
            await stream.send_all(more())

    return play


def drips(data: bytes) -> Peer:
    """Send a byte every 50 ms, for ever."""

    async def play(stream: trio.SocketStream) -> None:
        sent = 0
        while True:
            await stream.send_all(data[sent : sent + 1] or b"\0")
            sent += 1
            await trio.sleep(0.05)

    return play


def agent(command: type[Command[Any]], answer: Any) -> Peer:
    """A good agent but for its answer to one command of the greeting."""

    async def play(stream: trio.SocketStream) -> None:
        jvm = FakeJvm()
        jvm.on(command, answer)
        await jvm.serve(stream)

    return play


def hangs_up(command: type[Command[Any]], after: int) -> Peer:
    """A good agent that closes within its answer to one command."""

    async def play(stream: trio.SocketStream) -> None:
        jvm = FakeJvm()
        jvm.hang_up(command, after=after)
        await jvm.serve(stream)

    return play


async def closes(stream: trio.SocketStream) -> None:
    """Close without a word."""


async def resets(stream: trio.SocketStream) -> None:
    """Reset the connection after the handshake."""
    await stream.receive_some()
    await stream.send_all(HANDSHAKE)
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def echoes(stream: trio.SocketStream) -> None:
    """Send back all that comes: the handshake is right then."""
    async for data in stream:
        await stream.send_all(data)


async def mirrors_as_replies(stream: trio.SocketStream) -> None:
    """Answer each command with an empty body."""
    data = await stream.receive_some()
    await stream.send_all(HANDSHAKE)
    rest = data[len(HANDSHAKE) :]
    while len(rest) >= 11:
        length, packet_id = struct.unpack(">II", rest[:8])
        await stream.send_all(struct.pack(">IIBH", 11, packet_id, 0x80, 0))
        rest = rest[length:]
    await _until_gone(stream)


async def never_reads(stream: trio.SocketStream) -> None:
    """Neither read nor write."""
    await trio.sleep_forever()


async def _until_gone(stream: trio.SocketStream) -> None:
    async for _ in stream:
        pass


def _sizes(*sizes: int) -> virtual_machine.IDSizesReply:
    return virtual_machine.IDSizesReply(*sizes)


def _strays() -> bytes:
    """Replies to commands that were never sent."""
    return struct.pack(">IIBH", 11, 0x7FFFFFFF, 0x80, 0) * 1000


def _events() -> bytes:
    """Event sets without an event, and others with a VMDeath."""
    return struct.pack(">IIBBBBI", 16, 1, 0, 64, 100, 2, 0) * 1000


_noise = random.Random(12).randbytes
_HELLO = HANDSHAKE


def _text(text: bytes) -> bytes:
    return struct.pack(">I", len(text)) + text


def _version(description: bytes) -> bytes:
    return _text(description) + struct.pack(">II", 17, 0) + _text(b"17") + _text(b"VM")


NO_AGENT: dict[str, Peer] = {
    "silent": says(b""),
    "never reads": never_reads,
    "closes": closes,
    "http": says_and_closes(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
    "http with a page": says_and_closes(b"HTTP/1.0 200 OK\r\n\r\n" + b"<html>" * 100_000),
    "html alone": says_and_closes(b"<!DOCTYPE html><html></html>"),
    "tls alert": says_and_closes(bytes.fromhex("15030100020246")),
    "tls hello": says(bytes.fromhex("160303007a0200007603")),
    "ssh": says(b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"),
    "smtp": says(b"220 mail.example.org ESMTP Postfix\r\n"),
    "redis": says(b"-ERR unknown command 'JDWP-Handshake'\r\n"),
    "postgres": says(b"E\0\0\0\x8cSFATAL\0"),
    "mysql": says(b"\x4a\0\0\0\x0a8.0.36\0"),
    "rmi": says(b"\x4e\0\x09127.0.0.1\0\0\x9c\x40"),
    "telnet": says(b"\xff\xfd\x18\xff\xfd\x20\xff\xfd\x23\xff\xfd\x27"),
    "zeros": goes_on(b"", lambda: bytes(65536)),
    "noise": goes_on(b"", lambda: _noise(65536)),
    "half a handshake": says(HANDSHAKE[:7]),
    "half a handshake, then closed": says_and_closes(HANDSHAKE[:7]),
    "a handshake in lower case": says(HANDSHAKE.lower()),
    "a handshake that drips": drips(HANDSHAKE),
    "terminal escapes": says(b"\x1b]0;owned\x07\x1b[2J"),
}
"""Fail before, or in, the handshake."""

STOPS_BEING_ONE: dict[str, Peer] = {
    "handshake, then silence": says(_HELLO),
    "handshake, then closed": says_and_closes(_HELLO),
    "handshake, then reset": resets,
    "handshake twice": says(_HELLO * 2),
    "echo": echoes,
    "empty replies": mirrors_as_replies,
    "handshake, then http": says_and_closes(_HELLO + b"HTTP/1.1 200 OK\r\n\r\n"),
    "handshake, then zeros": goes_on(_HELLO, lambda: bytes(65536)),
    "handshake, then noise": goes_on(_HELLO, lambda: _noise(65536)),
    "handshake, then a drip": drips(_HELLO),
    "replies to nothing without end": goes_on(_HELLO, _strays),
    "events without end": goes_on(_HELLO, _events),
    **{
        f"a packet of {length} bytes": says(_HELLO + struct.pack(">IIBH", length % 2**32, 1, 0x80, 0))
        for length in (0, 10, 2**24 + 1, 2**29, 2**31, -1)
    },
    "a packet of 16 MB that never ends": goes_on(
        _HELLO + struct.pack(">IIBH", 2**24, 0x7FFFFFFF, 0x80, 0), lambda: bytes(2**20)
    ),
    "flags": says(_HELLO + struct.pack(">IIBH", 11, 1, 0x40, 0)),
    **{
        f"id sizes {sizes}": agent(virtual_machine.IDSizes, _sizes(*sizes))
        for sizes in [(0,) * 5, (3,) * 5, (200,) * 5, (-1,) * 5, (16,) * 5, (8, 8, 8, 8, 2**31 - 1)]
    },
    "id sizes that are not true": agent(virtual_machine.IDSizes, _sizes(1, 1, 1, 1, 1)),
    "a version of 3 MB": agent(virtual_machine.Version, _version(b"x" * 3_000_000)),
    "a version that is not UTF-8": agent(virtual_machine.Version, _version(b"\xff\xfe\xfd")),
    "a version with a length of 2^31-1": agent(virtual_machine.Version, struct.pack(">I", 2**31 - 1) + bytes(20)),
    "a version with a negative length": agent(virtual_machine.Version, struct.pack(">i", -1) + bytes(20)),
    "2^31-1 threads": agent(virtual_machine.AllThreads, struct.pack(">I", 2**31 - 1) + bytes(16)),
    "-1 threads": agent(virtual_machine.AllThreads, struct.pack(">i", -1)),
    "2^31-1 classes": agent(virtual_machine.ClassesBySignature, struct.pack(">I", 2**31 - 1) + bytes(13)),
    "stalls at the suspend counts": agent(thread_reference.SuspendCount, SILENCE),
    "rubbish for a suspend count": agent(thread_reference.SuspendCount, bytes(7)),
    **{f"{command.NAME} unanswered": agent(command, SILENCE) for command in GREETING},
    **{f"{command.NAME} refused": agent(command, Error.INTERNAL) for command in GREETING},
    **{f"{command.NAME} with an unknown error": agent(command, 54321) for command in GREETING},
    **{f"{command.NAME} answered with nothing": agent(command, b"") for command in GREETING},
    **{f"{command.NAME} answered with noise": agent(command, _noise(333)) for command in GREETING},
    **{f"{command.NAME} answered with 2 MB": agent(command, bytes(2_000_003)) for command in GREETING},
    **{f"{command.NAME} cut": hangs_up(command, 13) for command in GREETING},
    "the VM is ending": agent(virtual_machine.Version, Error.VM_DEAD),
}
"""Shake hands, and fail before there is a session."""

PEERS = {**NO_AGENT, **STOPS_BEING_ONE}

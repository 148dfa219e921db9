"""The target's end of a connection, played by the test: for races and faults that no real JVM produces on demand."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import trio
from trio.testing import memory_stream_pair

from jdbpy.record import Record
from jdbpy.wire.codec import default_codec
from jdbpy.wire.command import Command
from jdbpy.wire.connection import Connection
from jdbpy.wire.framing import REPLY, Framer, Packet, encode_command, encode_packet
from jdbpy.wire.handshake import HANDSHAKE
from jdbpy.wire.ids import IDSizes
from jdbpy.wire.messages.event import Composite
from jdbpy.wire.opening import open_connection


class Peer:
    """Reads commands and sends what it is told to."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self.codec = default_codec()
        self.sizes = IDSizes()
        self._framer = Framer()
        self._events = 0

    async def shake_hands(self) -> None:
        data = b""
        while len(data) < len(HANDSHAKE):
            data += await self.stream.receive_some()
        assert data.startswith(HANDSHAKE)
        await self.stream.send_all(HANDSHAKE)
        self._framer.feed(data[len(HANDSHAKE) :])

    def feed(self, data: bytes | bytearray) -> None:
        """Takes bytes that the test has received itself."""
        self._framer.feed(data)

    async def packets(self, count: int) -> list[Packet]:
        """The next ``count`` packets of the debugger."""
        taken: list[Packet] = []
        while True:
            for packet in self._framer:
                taken.append(packet)
                if len(taken) == count:
                    return taken
            data = await self.stream.receive_some()
            assert data, f"the debugger closed the connection after {taken}"
            self._framer.feed(data)

    async def expect(self, command: Command[Any]) -> int:
        """The next packet must be this command; gives its packet id."""
        [packet] = await self.packets(1)
        assert (packet.command_set, packet.command) == (command.COMMAND_SET, command.COMMAND)
        assert self.codec.decode(type(command), packet.data, self.sizes) == command
        return packet.id

    async def reply(self, packet_id: int, reply: Record | bytes = b"", *, error: int = 0) -> None:
        """Answers a command; a body given as bytes is sent as it is."""
        data = reply if isinstance(reply, bytes) else self.codec.encode(reply, self.sizes)
        await self.stream.send_all(encode_packet(Packet(packet_id, REPLY, 0, 0, error, data)))

    async def answer(self, command: Command[Any], reply: Record | bytes = b"", *, error: int = 0) -> None:
        """Expects the command and answers it."""
        await self.reply(await self.expect(command), reply, error=error)

    async def event(self, composite: Composite | bytes) -> None:
        """Sends an event set."""
        await self.events(composite)

    async def events(self, *composites: Composite | bytes) -> None:
        """Sends event sets in one segment."""
        packets = []
        for composite in composites:
            data = composite if isinstance(composite, bytes) else self.codec.encode(composite, self.sizes)
            packets.append(encode_command(self._events, Composite.COMMAND_SET, Composite.COMMAND, data))
            self._events += 1
        await self.stream.send_all(b"".join(packets))

    async def nothing_more(self) -> None:
        """The debugger has nothing more to say until it closes."""
        assert not list(self._framer)
        assert await self.stream.receive_some() == b""


@asynccontextmanager
async def connected(**options: Any) -> AsyncIterator[tuple[Connection, Peer]]:
    """A connection (made with ``options``) and its peer."""
    ours, theirs = memory_stream_pair()
    peer = Peer(theirs)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(peer.shake_hands)
        async with open_connection(ours, **options) as connection:
            yield connection, peer

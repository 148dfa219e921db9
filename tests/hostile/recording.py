"""What a real JVM has said in one session, to be said again without it: thousands of sessions in minutes.

Owns the recording (a man in the middle that keeps all packets) and the player, an agent that answers each command as
the JVM has answered the same bytes, or else any command of that name. What came between two resumes comes again then.
"""

from __future__ import annotations

import struct
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

import trio

from jdbpy.task_groups import open_nursery
from jdbpy.wire.constants import Error
from jdbpy.wire.framing import REPLY, Framer, Packet, encode_packet
from jdbpy.wire.handshake import HANDSHAKE
from jdbpy.wire.messages import event_request, thread_reference, virtual_machine

Key = tuple[int, int, bytes]
Change = Callable[[bytes], Iterable[bytes]]
"""Gets each packet of the target and gives those to be sent in its place."""

_SET = event_request.Set.COMMAND_SET, event_request.Set.COMMAND
_RESUMES = {(command.COMMAND_SET, command.COMMAND) for command in (virtual_machine.Resume, thread_reference.Resume)}


@dataclass
class Recording:
    """Replies by command, and the event sets that came behind the start and behind each resume."""

    replies: dict[Key, list[Packet]] = field(default_factory=dict)
    alike: dict[tuple[int, int], Packet] = field(default_factory=dict)
    events: list[list[Packet]] = field(default_factory=lambda: [[]])

    def reply(self, packet: Packet, used: dict[Key, int]) -> Packet:
        """The reply to a command, as often as it is asked: the last one again when there are no more."""
        key = packet.command_set, packet.command, packet.data
        if known := self.replies.get(key):
            at = used[key] = min(used.get(key, -1) + 1, len(known) - 1)
            return known[at]
        found = self.alike.get(key[:2])
        return found or Packet(0, REPLY, 0, 0, Error.NOT_FOUND, b"")


@asynccontextmanager
async def recording(port: int, into: Recording) -> AsyncIterator[str]:
    """Stand between a debugger, which is to come to the address given, and the JVM at a port; keep what is said."""

    async def serve(debugger: trio.SocketStream) -> None:
        sent: dict[int, Key] = {}
        async with debugger, await trio.open_tcp_stream("127.0.0.1", port) as jvm, trio.open_nursery() as nursery:

            async def commands() -> None:
                async for packet, data in _Packets(debugger):
                    if packet is not None:
                        key = sent[packet.id] = packet.command_set, packet.command, packet.data
                        if key[:2] in _RESUMES:
                            into.events.append([])
                    await jvm.send_all(data)
                await jvm.send_eof()

            async def answers() -> None:
                async for packet, data in _Packets(jvm):
                    if packet is not None and packet.is_reply:
                        key = sent[packet.id]
                        into.replies.setdefault(key, []).append(packet)
                        if not packet.error or key[:2] not in into.alike:
                            into.alike[key[:2]] = packet
                    elif packet is not None:
                        into.events[-1].append(packet)
                    await debugger.send_all(data)
                nursery.cancel_scope.cancel()

            nursery.start_soon(commands)
            nursery.start_soon(answers)

    async with _serving(serve) as address:
        yield address


@asynccontextmanager
async def playing(recorded: Recording, change: Change) -> AsyncIterator[str]:
    """An agent that says again what was recorded, each packet changed on its way."""

    async def serve(debugger: trio.SocketStream) -> None:
        used: dict[Key, int] = {}
        resumes = 0
        requests = {bytes(4)}  # that stand: a hit is not sent before its request
        due = list(recorded.events[0])
        async with debugger:
            async for packet, data in _Packets(debugger):
                if packet is None:
                    await debugger.send_all(data)  # the handshake
                    answers = []
                else:
                    reply = recorded.reply(packet, used).replace(id=packet.id)
                    answers = [encode_packet(reply)]
                    if (packet.command_set, packet.command) in _RESUMES:
                        resumes += 1
                        due += recorded.events[resumes] if resumes < len(recorded.events) else []
                    elif (packet.command_set, packet.command) == _SET:
                        requests.add(reply.data[:4])
                while due and due[0].data[6:10] in requests:
                    answers.append(encode_packet(due.pop(0)))
                for answer in answers:
                    for changed in change(answer):
                        await debugger.send_all(changed)

    async with _serving(serve) as address:
        yield address


@asynccontextmanager
async def between(port: int, change: Change) -> AsyncIterator[str]:
    """Stand between a debugger and the JVM at a port; the JVM's packets are changed on their way."""

    jvm = await trio.open_tcp_stream("127.0.0.1", port)  # now, while it listens

    async def serve(debugger: trio.SocketStream) -> None:
        async with debugger, jvm, trio.open_nursery() as nursery:

            async def commands() -> None:
                async for data in debugger:
                    await jvm.send_all(data)
                nursery.cancel_scope.cancel()

            async def answers() -> None:
                async for packet, data in _Packets(jvm):
                    for changed in [data] if packet is None else change(data):
                        await debugger.send_all(changed)
                nursery.cancel_scope.cancel()

            nursery.start_soon(commands)
            nursery.start_soon(answers)

    async with jvm, _serving(serve) as address:
        yield address


class Hangup(Exception):
    """Raised by a change: the connection ends here."""


class _Packets:
    """The handshake, as (None, its bytes), then each packet with its bytes."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._framer = Framer()
        self._shaken = False

    def __aiter__(self) -> _Packets:
        return self

    async def __anext__(self) -> tuple[Packet | None, bytes]:
        if not self._shaken:
            self._shaken = True
            return None, await self._handshake()
        while True:
            for packet in self._framer:
                return packet, encode_packet(packet)
            self._framer.feed(await self._more())

    async def _handshake(self) -> bytes:
        data = b""
        while len(data) < len(HANDSHAKE):
            data += await self._more()
        self._framer.feed(data[len(HANDSHAKE) :])
        return data[: len(HANDSHAKE)]

    async def _more(self) -> bytes:
        data = await self._stream.receive_some()
        if not data:
            raise StopAsyncIteration
        return bytes(data)


@asynccontextmanager
async def _serving(serve: Callable[[trio.SocketStream], object]) -> AsyncIterator[str]:
    async def one(stream: trio.SocketStream) -> None:
        try:
            await serve(stream)  # type: ignore[misc]
        except* (trio.BrokenResourceError, trio.ClosedResourceError, Hangup):
            pass  # one of the ends has gone

    async with open_nursery() as nursery:
        [listener] = await nursery.start(partial(trio.serve_tcp, one, 0, host="127.0.0.1"))
        yield f"127.0.0.1:{listener.socket.getsockname()[1]}"
        nursery.cancel_scope.cancel()


def header(packet: bytes) -> tuple[int, int, int, int]:
    """Length, id, flags and error (or command) of a packet."""
    return struct.unpack_from(">IIBH", packet)

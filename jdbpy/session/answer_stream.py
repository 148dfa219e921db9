"""The stream of a connection whose peer is in this process, and the bytes that answers are made of: ids, frames, texts.

An answer is two bytes of error code, then the body of the reply.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import trio

from jdbpy.errors import JdbpyError, ProtocolError
from jdbpy.wire.command import Command
from jdbpy.wire.framing import REPLY, Framer, Packet, encode_packet
from jdbpy.wire.handshake import HANDSHAKE

ID = struct.Struct(">Q")
INT = struct.Struct(">i")
ERROR = struct.Struct(">H")
FRAME = struct.Struct(">8sB8s8sq")
"""Frame id, and its location: type tag, class, method, code index."""

OK = b"\0\0"
NULL = bytes(8)


def kind_of(command: type[Command[Any]]) -> int:
    """Return the kind of the entries that hold answers to a command."""
    return command.COMMAND_SET << 8 | command.COMMAND


def count_at(data: bytes, at: int) -> int:
    """Return the count that stands at a place; 0 or more. Raises ProtocolError."""
    if len(data) < at + 4:
        raise ProtocolError("a count is cut off")
    (count,) = INT.unpack_from(data, at)
    if count < 0:
        raise ProtocolError(f"a count of {count}")
    return int(count)


def text_body(text: str) -> bytes:
    """Return a text as it is sent."""
    data = text.encode("utf-8", "surrogatepass")
    return INT.pack(len(data)) + data


class AnswerStream(trio.abc.Stream):
    """The stream of a connection whose peer is in this process: ``answer`` makes a reply of each command."""

    def __init__(self, answer: Callable[[int, int, bytes], tuple[int, bytes]]) -> None:
        self.failed: JdbpyError | None = None
        """The reason why the stream has ended by itself."""
        self.ended = False
        """Nothing follows what is queued."""
        self._answer = answer
        self._framer = Framer()
        self._greeting = b""
        self._out: list[bytes] = []
        self._ready = trio.Event()
        self._closed = False

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await trio.lowlevel.checkpoint()
        if self._closed:
            raise trio.ClosedResourceError
        if self.failed is not None:
            return
        rest = bytes(data)
        if len(self._greeting) < len(HANDSHAKE):
            missing = len(HANDSHAKE) - len(self._greeting)
            self._greeting, rest = self._greeting + rest[:missing], rest[missing:]
            if len(self._greeting) == len(HANDSHAKE):
                self.send_back(HANDSHAKE)
        self._framer.feed(rest)
        for packet in self._framer:
            try:
                self.take(packet)
            except JdbpyError as failure:
                self.failed = failure
                break
        self._ready.set()

    def take(self, packet: Packet) -> None:
        """Answer a command."""
        error, body = self._answer(packet.command_set, packet.command, packet.data)
        self.send_back(encode_packet(Packet(packet.id, REPLY, 0, 0, error, body)))

    def send_back(self, data: bytes) -> None:
        """Queue bytes for the debugger."""
        self._out.append(data)
        self._ready.set()

    async def wait_send_all_might_not_block(self) -> None:
        await trio.lowlevel.checkpoint()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        await trio.lowlevel.checkpoint()
        while not self._out and not self._closed and self.failed is None and not self.ended:
            self._ready = trio.Event()
            await self._ready.wait()
        if self._closed:
            raise trio.ClosedResourceError
        data = b"".join(self._out)
        self._out.clear()
        return data

    async def aclose(self) -> None:
        self._closed = True
        self._ready.set()
        await trio.lowlevel.checkpoint()

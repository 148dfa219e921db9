"""The floor: a bare socket that knows nothing, sends what can be sent together, and reads as many replies.

No debugger can be faster than this without asking less. It is written by hand on purpose, with nothing of jdbpy in it.
"""

from __future__ import annotations

import select
import socket
import struct
from collections.abc import Sequence
from types import TracebackType

HANDSHAKE = b"JDWP-Handshake"

Command = tuple[int, int, bytes]
"""Command set, command, body."""

IDS = struct.Struct(">Q")


class Floor:
    """A blocking connection to a JVM; the block's end closes it. ``hello`` rides in the segment of the handshake."""

    def __init__(self, host: str, port: int, hello: Sequence[Command] = ()) -> None:
        self._socket = socket.create_connection((host, port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.setblocking(False)
        self._buffer = b""
        self._next_id = 1
        self.hello = self._exchange(HANDSHAKE, hello)

    def wave(self, commands: Sequence[Command]) -> list[bytes]:
        """Sends all commands at once; gives the bodies of the replies in the same order, empty for errors."""
        return self._exchange(b"", commands)

    def _exchange(self, first: bytes, commands: Sequence[Command]) -> list[bytes]:
        base = self._next_id
        self._next_id += len(commands)
        unsent = memoryview(
            first
            + b"".join(
                struct.pack(">IIBBB", 11 + len(body), base + index, 0, command_set, command) + body
                for index, (command_set, command, body) in enumerate(commands)
            )
        )
        skip, bodies, missing = len(first), [b""] * len(commands), len(commands)
        chunks = [self._buffer]
        while missing or skip or unsent:
            readable, writable, _ = select.select([self._socket], [self._socket] if unsent else [], [])
            if writable:
                unsent = unsent[self._socket.send(unsent) :]
            if not readable:
                continue
            data = self._socket.recv(1 << 20)
            if not data:
                raise ConnectionError("the JVM has closed the connection")
            buffer, position = b"".join([*chunks, data]), 0
            if skip:
                if len(buffer) < skip:
                    chunks = [buffer]
                    continue
                position, skip = skip, 0
            while len(buffer) - position >= 11:
                length, packet_id, flags, error = struct.unpack_from(">IIBH", buffer, position)
                if len(buffer) - position < length:
                    break
                if flags == 0x80:
                    missing -= 1
                    if not error:
                        bodies[packet_id - base] = buffer[position + 11 : position + length]
                position += length
            chunks = [buffer[position:]]
        self._buffer = chunks[0]
        return bodies

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> Floor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def ids(data: bytes, offset: int, count: int, stride: int = 8) -> list[bytes]:
    """``count`` ids of 8 bytes, ``stride`` bytes apart, as they are."""
    return [data[at : at + 8] for at in range(offset, offset + count * stride, stride)]


def count(data: bytes, offset: int = 0) -> int:
    """The number of elements that stands at the offset."""
    return int.from_bytes(data[offset : offset + 4], "big")

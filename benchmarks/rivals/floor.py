"""The floor: a bare socket that knows nothing, sends what can be sent together, and reads as many replies.

No debugger can be faster than this without asking less. It is written by hand on purpose, with nothing of jdbpy in it.
"""

from __future__ import annotations

import select
import socket
import struct
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType

HANDSHAKE = b"JDWP-Handshake"

Command = tuple[int, int, bytes]
"""Command set, command, body."""

_REPLY = 0x80


class Floor:
    """A blocking connection to a JVM; the block's end closes it. ``hello`` rides in the segment of the handshake."""

    def __init__(self, host: str, port: int, hello: Sequence[Command] = ()) -> None:
        self._begin(socket.create_connection((host, port)))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._unsent = memoryview(HANDSHAKE)
        self._skip = len(HANDSHAKE)
        self.hello = self.wave(hello)
        while self._skip:
            self._exchange()

    @classmethod
    def over(cls, connected: socket.socket) -> Floor:
        """A floor over a connection that has shaken hands, and on which no answer is awaited."""
        floor = cls.__new__(cls)
        floor._begin(connected)
        return floor

    def _begin(self, connected: socket.socket) -> None:
        self._socket = connected
        self._socket.setblocking(False)
        self._unsent = memoryview(b"")
        self._skip = 0
        self._chunks: list[bytes] = []
        self._bodies: dict[int, bytes] = {}
        self._next_id = 1 << 30
        self._events: deque[bytes] = deque()

    def post(self, commands: Sequence[Command]) -> range:
        """Sends all commands at once and waits for nothing; gives the ids of the packets."""
        base = self._next_id
        self._next_id += len(commands)
        packets = b"".join(
            struct.pack(">IIBBB", 11 + len(body), base + index, 0, command_set, command) + body
            for index, (command_set, command, body) in enumerate(commands)
        )
        self._unsent = memoryview(bytes(self._unsent) + packets)
        self._send()
        return range(base, self._next_id)

    def wave(self, commands: Sequence[Command]) -> list[bytes]:
        """Sends all commands at once; gives the bodies of the replies in the same order, empty for errors."""
        ids = self.post(commands)
        bodies = self._bodies
        while not all(packet_id in bodies for packet_id in reversed(ids)):
            self._exchange()
        return [bodies.pop(packet_id) for packet_id in ids]

    def next_event(self) -> bytes:
        """The body of the next event set; what replies came before it stays where ``wave`` finds it."""
        while not self._events:
            self._exchange()
        return self._events.popleft()

    def _send(self) -> None:
        with suppress(BlockingIOError):
            self._unsent = self._unsent[self._socket.send(self._unsent) :]

    def _exchange(self) -> None:
        """Sends what can be sent and takes in what has come, after waiting for either."""
        readable, writable, _ = select.select([self._socket], [self._socket] if self._unsent else [], [])
        if writable:
            self._send()
        if readable:
            data = self._socket.recv(1 << 20)
            if not data:
                raise ConnectionError("the JVM has closed the connection")
            self._take_in(data)

    def _take_in(self, data: bytes) -> None:
        buffer, position = b"".join([*self._chunks, data]), 0
        if self._skip:
            if len(buffer) < self._skip:
                self._chunks = [buffer]
                return
            position, self._skip = self._skip, 0
        while len(buffer) - position >= 11:
            length, packet_id, flags, error = struct.unpack_from(">IIBH", buffer, position)
            if len(buffer) - position < length:
                break
            body = buffer[position + 11 : position + length]
            if flags == _REPLY:
                self._bodies[packet_id] = b"" if error else body
            else:
                self._events.append(body)
            position += length
        self._chunks = [buffer[position:]]

    def shut_down(self) -> None:
        """Ends the connection, from another thread than the one that waits: that one gets a ConnectionError."""
        self._socket.shutdown(socket.SHUT_RDWR)

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


def text(value: str) -> bytes:
    """A string as it is sent."""
    data = value.encode()
    return struct.pack(">I", len(data)) + data

"""A second debugger: looks at a target after jdbpy has left it, with a JDWP client that shares no code with jdbpy."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager

LIMIT = 90.0
AGENT_PATIENCE = 2.0
HANDSHAKE = b"JDWP-Handshake"

ALL_THREADS, DISPOSE, CLASSES_BY_SIGNATURE = (1, 4), (1, 6), (1, 2)
THREAD_NAME, SUSPEND_COUNT = (11, 1), (11, 12)
COMPOSITE = (64, 100)


class HungUpError(AssertionError):
    """The agent closed the connection."""


class SecondDebugger:
    """A session over a blocking socket. ``events`` has the kind and request id of each event that came in."""

    def __init__(self, port: int) -> None:
        self.events: list[tuple[int, int]] = []
        self._next = 1
        self._socket = _greeted(port)

    def ask(self, command: tuple[int, int], data: bytes = b"") -> bytes:
        """Send a command and return the body of its reply; an error of the agent fails."""
        error, body = self.try_to(command, data)
        assert error == 0, f"command {command}: error {error}"
        return body

    def try_to(self, command: tuple[int, int], data: bytes = b"") -> tuple[int, bytes]:
        """Send a command and return the error code and the body of its reply."""
        number = self._next
        self._next += 1
        self._socket.sendall(struct.pack(">IIBBB", 11 + len(data), number, 0, *command) + data)
        while True:
            found, flags, last, body = self._packet()
            if flags & 0x80 and found == number:
                return last, body
            assert not flags & 0x80, f"a reply to {found}, which was not asked"
            assert (last >> 8, last & 0xFF) == COMPOSITE, last
            self._note(body)

    def threads(self) -> list[bytes]:
        """The ids of all threads."""
        body = self.ask(ALL_THREADS)
        return [body[4 + 8 * i : 12 + 8 * i] for i in range(int.from_bytes(body[:4], "big"))]

    def suspended(self) -> dict[str, int]:
        """The suspend count of each thread that has one, by name."""
        counts: dict[str, int] = {}
        for thread in self.threads():
            error, body = self.try_to(SUSPEND_COUNT, thread)
            if not error and (count := int.from_bytes(body, "big")):
                name = self.ask(THREAD_NAME, thread)
                counts[name[4:].decode(errors="replace")] = count
        return counts

    def close(self) -> None:
        """Leave as a debugger should."""
        with self._socket:
            self.ask(DISPOSE)

    def _note(self, body: bytes) -> None:
        self.events.append((body[5], int.from_bytes(body[6:10], "big")))

    def _packet(self) -> tuple[int, int, int, bytes]:
        length, number, flags, last = struct.unpack(">IIBH", _exactly(self._socket, 11))
        return number, flags, last, _exactly(self._socket, length - 11)


def _greeted(port: int) -> socket.socket:
    """Return a connection on which the handshake is done.

    The agent hangs up on a caller that takes two seconds to send it, and listens on. This process calls again if the
    machine stalled for as long.
    """
    while True:
        called = time.monotonic()
        connection = socket.create_connection(("127.0.0.1", port), LIMIT)
        try:
            connection.sendall(HANDSHAKE)
            answer = _exactly(connection, len(HANDSHAKE))
            assert answer == HANDSHAKE, answer
            return connection
        except BaseException as error:
            connection.close()
            hung_up = isinstance(error, (HungUpError, ConnectionError))
            if not hung_up or time.monotonic() - called < AGENT_PATIENCE:
                raise


def _exactly(connection: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = connection.recv(count - len(data))
        if not more:
            raise HungUpError(f"the agent closed the connection after {data!r}")
        data += more
    return data


@contextmanager
def second_debugger(port: int) -> Iterator[SecondDebugger]:
    """Attach, and leave at the end of the block."""
    debugger = SecondDebugger(port)
    try:
        yield debugger
    finally:
        debugger.close()

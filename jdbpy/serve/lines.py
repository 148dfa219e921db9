"""JSON Lines between a served session and its clients: bounded, and never a wait for a client that does not read.

Owns framing and the queue of what a client has not taken yet. ``docs/sharing.md`` has the meaning of the lines.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from typing import Any, Protocol

import trio

from jdbpy import UsageError
from jdbpy.escape import escape

MOST_LINE = 1024 * 1024
"""Bytes of a line that a client sends."""

MOST_ANSWER = 64 * 1024 * 1024
"""Bytes of a line that comes from a session."""

MOST_WAITING = 32 * 1024 * 1024
"""Bytes that a client has not taken, at which it has gone."""

FLUSH_LIMIT = 2.0
"""Seconds that a client has for its last lines."""

Message = dict[str, Any]


class LineStream(Protocol):
    """A stream of bytes both ways."""

    async def receive_some(self, max_bytes: int | None = None) -> bytes: ...
    async def send_all(self, data: bytes) -> None: ...


class BegunStream:
    """A stream whose first bytes were read already."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self.begun = b""

    async def peek(self, count: int) -> bytes:
        """Return the first bytes, ``count`` of them unless the stream ends before."""
        while len(self.begun) < count:
            data = await self._stream.receive_some(65536)
            if not data:
                break
            self.begun += data
        return self.begun[:count]

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """Some bytes, b"" at the end."""
        if self.begun:
            data, self.begun = self.begun, b""
            return data
        return bytes(await self._stream.receive_some(max_bytes or 65536))

    async def send_all(self, data: bytes) -> None:
        """Write all of it."""
        await self._stream.send_all(data)


class LineReader:
    """The objects that come in, one a line."""

    def __init__(self, stream: LineStream, most: int = MOST_LINE) -> None:
        self._stream = stream
        self.most = most
        """Bytes of a line."""
        self._buffer = bytearray()

    async def next(self) -> Message | None:
        """Return the next object; None when the other side has gone. Raises UsageError for a line that is none, or too
        long.
        """
        while True:
            line = await self._line()
            if line is None:
                return None
            if not line.strip():
                continue
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                raise UsageError("a line is not JSON", code="WRONG_LINE") from None
            if not isinstance(found, dict):
                raise UsageError("a line is not a JSON object", code="WRONG_LINE")
            return found

    async def _line(self) -> bytes | None:
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            if searched > self.most:
                raise UsageError(f"a line is longer than {self.most:,} bytes", code="WRONG_LINE")
            try:
                data = await self._stream.receive_some(65536)
            except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
                return None
            if not data:
                return None
            self._buffer += data
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line


class Outgoing:
    """The lines on their way to one client: queued without a wait, written by ``run``, which ends when the client has
    gone.
    """

    def __init__(self, stream: LineStream) -> None:
        self._stream = stream
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._more = trio.Event()
        self._taken = trio.Event()
        self._writing = trio.CancelScope()

    def put(self, message: Mapping[str, object], *, most: int | None = None) -> None:
        """Queue an object as a line. Raises UsageError if it is longer than ``most`` bytes."""
        line = json.dumps(message, ensure_ascii=True, separators=(",", ":")) + "\n"
        if most is not None and len(line) > most:
            raise UsageError(f"a message is longer than {most:,} bytes", code="TOO_LONG")
        self.put_text(line)

    def put_text(self, text: str) -> None:
        """Queue whole lines that are JSON already."""
        data = text.encode("utf-8", "backslashreplace")
        self._waiting.append(data)
        self._size += len(data)
        self._more.set()
        if self._size > MOST_WAITING:
            self._writing.cancel()

    async def run(self) -> None:
        """Write until the client has gone, or takes nothing any more."""
        with self._writing:
            while True:
                await self._more.wait()
                self._more = trio.Event()
                data = b"".join(self._waiting)
                self._waiting.clear()
                try:
                    await self._stream.send_all(data)
                except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
                    return
                self._size -= len(data)
                self._taken.set()
                self._taken = trio.Event()

    async def flush(self) -> None:
        """Wait until all is written, for a while."""
        with trio.move_on_after(FLUSH_LIMIT):
            await self.room(0)

    async def room(self, most: int = MOST_WAITING // 8) -> None:
        """Wait until no more than so much is waiting: the brake for what can wait."""
        while self._size > most:
            await self._taken.wait()


def text_of(message: Message, key: str, default: str = "", most: int = MOST_LINE) -> str:
    """Return a text of a message. Raises UsageError for anything else in its place."""
    found = message.get(key, default)
    if not isinstance(found, str) or len(found) > most:
        raise UsageError(f"'{escape(key)}' must be text", code="WRONG_LINE")
    return found


def number_of(message: Message, key: str, default: float, low: float, high: float) -> float:
    """Return a number of a message. Raises UsageError for anything else in its place."""
    found = message.get(key, default)
    if isinstance(found, bool) or not isinstance(found, int | float) or not low <= found <= high:
        raise UsageError(f"'{escape(key)}' must be a number from {low:g} to {high:g}", code="WRONG_LINE")
    return found


def switch_of(message: Message, key: str) -> bool:
    """True if a switch of a message is on; false where there is none."""
    return message.get(key) is True

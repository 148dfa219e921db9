"""Messages of the protocol as bytes: headers, an empty line, JSON. Sans-IO: bytes in, messages out.

Owns the bounds. The peer is not trusted: a header or a body that is too long, or no JSON object, is a ``FramingError``
that says so. After a body that cannot be understood the next message is read; after a header that cannot, nothing more
is, as no place is known at which a message begins.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

MOST_HEADER_BYTES = 4096
"""Two short lines are usual."""

MOST_BODY_BYTES = 16 * 1024 * 1024
"""Breakpoints of a large file take some 100 kB; what an editor pastes into its console is not much more."""

_END = b"\r\n\r\n"


class FramingError(Exception):
    """Bytes that are no message; ``message`` is a sentence. ``fatal``: no further message can be read."""

    def __init__(self, message: str, *, fatal: bool) -> None:
        super().__init__(message)
        self.message = message
        self.fatal = fatal


class Framing:
    """Reads the messages of one peer."""

    def __init__(self, most: int = MOST_BODY_BYTES) -> None:
        self.most = most
        """Bytes of a body."""
        self._buffer = bytearray()
        self._length: int | None = None
        self._scanned = 0
        self._over = False

    def feed(self, data: bytes) -> Iterator[dict[str, Any] | FramingError]:
        """Yield the messages that the bytes complete; what is none is yielded as an error, in its place."""
        if self._over:
            return
        self._buffer += data
        while True:
            try:
                found = self._next()
            except FramingError as error:
                self._over = error.fatal
                if self._over:
                    self._buffer.clear()
                yield error
                if self._over:
                    return
                continue
            if found is None:
                return
            yield found

    def _next(self) -> dict[str, Any] | None:
        if self._length is None:
            self._length = self._header()
        if self._length is None or len(self._buffer) < self._length:
            return None
        body = bytes(self._buffer[: self._length])
        del self._buffer[: self._length]
        self._length = None
        return _parsed(body)

    def _header(self) -> int | None:
        """Return the length of the body that follows, when the whole header is there."""
        end = self._buffer.find(_END, max(0, self._scanned - len(_END)))
        self._scanned = len(self._buffer)
        if end < 0:
            line = bytes(self._buffer[:64])
            if line and not _may_begin_header(line):
                raise FramingError("this is not a message of the debug adapter protocol", fatal=True)
            if len(self._buffer) > MOST_HEADER_BYTES:
                raise FramingError(f"a header has more than {MOST_HEADER_BYTES:,} bytes", fatal=True)
            return None
        if end > MOST_HEADER_BYTES:
            raise FramingError(f"a header has more than {MOST_HEADER_BYTES:,} bytes", fatal=True)
        lines = bytes(self._buffer[:end]).split(b"\r\n")
        del self._buffer[: end + len(_END)]
        self._scanned = 0
        return _content_length(lines, self.most)


def framed(message: dict[str, Any]) -> bytes:
    """Return a message as bytes."""
    body = json.dumps(message, separators=(",", ":")).encode("ascii")
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def _may_begin_header(data: bytes) -> bool:
    """False for what no header begins with: a line of HTTP, a JSON object, the handshake of JDWP."""
    name = data.partition(b":")[0]
    return len(name) < 32 and b"{" not in name and all(33 <= byte < 127 for byte in name)


def _content_length(lines: list[bytes], most: int) -> int:
    for line in lines:
        name, colon, value = line.partition(b":")
        if not colon or not _may_begin_header(line):
            raise FramingError("this is not a message of the debug adapter protocol", fatal=True)
        if name.strip().lower() == b"content-length":
            text = value.strip()
            if not (text.isdigit() and len(text) <= 12):
                raise FramingError("Content-Length is not a number", fatal=True)
            length = int(text)
            if length > most:
                raise FramingError(f"a message has {length:,} bytes; the most is {most:,}", fatal=True)
            return length
    raise FramingError("a message has no Content-Length", fatal=True)


def _parsed(body: bytes) -> dict[str, Any]:
    try:
        message = json.loads(body)
    except RecursionError:
        raise FramingError("a message is nested too deeply", fatal=False) from None
    except ValueError as error:  # no UTF-8, no JSON, a number of too many digits
        raise FramingError(f"a message is not JSON: {error}", fatal=False) from None
    if not isinstance(message, dict):
        raise FramingError("a message is not a JSON object", fatal=False)
    return message

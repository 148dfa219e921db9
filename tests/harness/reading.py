"""Reading what a process writes: it may come in any pieces."""

from __future__ import annotations

from typing import Protocol


class Readable(Protocol):
    """A stream that gives what is there, b"" at its end."""

    async def receive_some(self) -> bytes | bytearray: ...


async def received(stream: Readable, wanted: bytes) -> bytes:
    """Read until these bytes have come; return all that has."""
    seen = b""
    while wanted not in seen:
        piece = await stream.receive_some()
        assert piece, f"{wanted!r} has not come; only {seen!r}"
        seen += piece
    return seen

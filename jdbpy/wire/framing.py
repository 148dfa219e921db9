"""Packets out of bytes and bytes out of packets: the JDWP header, and nothing of what is behind it.

Owns the 11 bytes of the header (JDWP specification, "JDWP Packets"). Sans-IO: it is fed whatever the network
delivers and never reads, waits or writes. It decodes no body.

    length  id    flags  command set, command  |  error code
    int     int   byte   byte, byte            |  short            length counts the header too
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from jdbpy.errors import ProtocolError
from jdbpy.record import Record

HEADER_LENGTH = 11

REPLY = 0x80
"""The one flag that JDWP defines; without it a packet is a command."""

MAX_LENGTH = 512 * 1024 * 1024
"""No packet may be longer (bytes).

The specification has no limit and a reply of 120 MB has been seen to come through whole, so the cap is far above what
anybody asks for. It is also below 0x20000000, so text (an HTTP or SSH server behind the port) never passes as a length
and is refused at its fourth byte, instead of being waited for.
"""

GREETING_MAX_LENGTH = 16 * 1024 * 1024
"""The same while a peer is being greeted, and may be anything: the longest reply lists threads, 8 bytes each."""

_COMMAND = struct.Struct(">IIBBB")
_REPLY = struct.Struct(">IIBH")


class Packet(Record):
    """One packet; ``data`` is its body. Of a reply ``command_set`` and ``command`` are 0, of a command ``error`` is."""

    id: int
    flags: int
    command_set: int
    command: int
    error: int
    data: bytes

    @property
    def is_reply(self) -> bool:
        return self.flags == REPLY


def encode_packet(packet: Packet) -> bytes:
    """Return the bytes of a packet, header and body."""
    length = HEADER_LENGTH + len(packet.data)
    if packet.flags & REPLY:
        return _REPLY.pack(length, packet.id, packet.flags, packet.error) + packet.data
    return encode_command(packet.id, packet.command_set, packet.command, packet.data)


def encode_command(packet_id: int, command_set: int, command: int, data: bytes) -> bytes:
    """Return the bytes of a command packet (flags 0: HotSpot drops the connection at any other)."""
    return _COMMAND.pack(HEADER_LENGTH + len(data), packet_id, 0, command_set, command) + data


class Framer:
    """Cuts a stream of bytes into packets: ``feed`` what has come, then iterate over what is whole.

    Iteration raises ProtocolError at a header that cannot be one; what follows it has no meaning any more.
    """

    def __init__(self, max_length: int = MAX_LENGTH) -> None:
        self._buffer: bytes | bytearray = b""
        self._start = 0
        self.max_length = max_length
        """Longer packets are refused at their header. Memory is taken for what has come in, not for what it says."""

    def feed(self, data: bytes | bytearray) -> None:
        """Take the next bytes of the stream, in any portion."""
        if self._start == len(self._buffer):
            # Nothing is left over, which is the usual case: packets are then cut from ``data`` without another copy.
            self._buffer, self._start = bytes(data), 0
            return
        if not isinstance(self._buffer, bytearray) or self._start:
            self._buffer, self._start = bytearray(memoryview(self._buffer)[self._start :]), 0
        self._buffer += data

    def __iter__(self) -> Iterator[Packet]:
        """Yields the packets that have come in whole."""
        buffer, available = self._buffer, len(self._buffer)
        while (start := self._start) + HEADER_LENGTH <= available:
            length, packet_id, flags, last = _REPLY.unpack_from(buffer, start)
            if not (HEADER_LENGTH <= length <= self.max_length and (flags == REPLY or not flags)):
                self._check(length, flags)
            end = start + length
            if end > available:
                return
            self._start = end
            # A slice of bytes is what we want; of a bytearray it would be a copy to be copied again.
            view = buffer if isinstance(buffer, bytes) else memoryview(buffer)
            data = bytes(view[start + HEADER_LENGTH : end])
            if flags:
                yield Packet(packet_id, flags, 0, 0, last, data)
            else:
                yield Packet(packet_id, flags, last >> 8, last & 0xFF, 0, data)
        if available - start >= 4:  # enough to tell that what follows is no packet
            self._check(int.from_bytes(buffer[start : start + 4], "big"), 0)

    def incomplete(self) -> tuple[int, int] | None:
        """(bytes that are here, bytes of the whole packet) of a packet begun but not finished, or None between packets.

        The second number is the header's length while the header itself is not complete.
        """
        have = len(self._buffer) - self._start
        if have < HEADER_LENGTH:
            return (have, HEADER_LENGTH) if have else None
        return have, int.from_bytes(self._buffer[self._start : self._start + 4], "big")

    def _check(self, length: int, flags: int) -> None:
        """Raises ProtocolError for a header that cannot be one."""
        if length < HEADER_LENGTH:
            raise ProtocolError(f"a packet of {length} bytes: the header alone has {HEADER_LENGTH}")
        if length > self.max_length:
            start = bytes(self._buffer[self._start : self._start + 16])
            raise ProtocolError(
                f"a packet of {length} bytes: more than {self.max_length} are never sent (it begins {start!r})"
            )
        if flags not in (0, REPLY):
            # The agent itself hangs up at other flags; here they mean that the stream is out of step.
            raise ProtocolError(f"a packet with flags {flags:#04x}: JDWP has only 0x00 (command) and 0x80 (reply)")

"""Counting the traffic of a debugger by reading the framing of JDWP, whichever debugger it is.

Owns the figures. It is told of bytes at the moment when the debugger sends or gets them, and changes nothing.
"""

from __future__ import annotations

from jdbpy.record import Record
from jdbpy.wire.framing import Framer, Packet
from jdbpy.wire.handshake import HANDSHAKE


class Traffic(Record):
    """Totals of a link, both handshakes left out of all but the bytes.

    A wave begins with a command and ends when that one is answered; what is sent meanwhile is part of it, as it cannot
    depend on the answer. So the number of waves is that of the round trips that were paid one after the other. ``out``
    is what the debugger sends.
    """

    commands: int = 0
    replies: int = 0
    events: int = 0
    waves: int = 0
    bytes_out: int = 0
    bytes_in: int = 0

    def since(self, before: Traffic) -> Traffic:
        """What has been added since ``before`` was taken."""
        return Traffic(**{field: value - getattr(before, field) for field, value in self.__iter_fields__()})


class TrafficCounter:
    """Counts the traffic of one connection."""

    def __init__(self) -> None:
        self._counts = dict.fromkeys(Traffic.__fields__, 0)
        self._first: int | None = None  # the command with which the wave began, while it is not answered
        self._out = _Direction()
        self._in = _Direction()

    def sent(self, data: bytes) -> None:
        """The debugger has sent these bytes."""
        self._counts["bytes_out"] += len(data)
        for packet in self._out.packets(data):
            self._counts["commands"] += 1
            if self._first is None:
                self._first = packet.id
                self._counts["waves"] += 1

    def received(self, data: bytes) -> None:
        """The debugger gets these bytes."""
        self._counts["bytes_in"] += len(data)
        for packet in self._in.packets(data):
            if packet.is_reply:
                self._counts["replies"] += 1
                if packet.id == self._first:
                    self._first = None
            else:
                self._counts["events"] += 1

    def traffic(self) -> Traffic:
        return Traffic(**self._counts)


class _Direction:
    """The packets of one direction, behind the handshake."""

    def __init__(self) -> None:
        self._handshake_left = len(HANDSHAKE)
        self._framer = Framer()

    def packets(self, data: bytes) -> list[Packet]:
        handshake = min(self._handshake_left, len(data))
        self._handshake_left -= handshake
        self._framer.feed(data[handshake:])
        return list(self._framer)

"""TCP segments as streams: the bytes of both directions of each connection, in order, each once.

Owns what the two ends of TCP do: put in order, leave out what came twice, and know what is missing. What the capture
does not have is told as lost once the receiver has acknowledged it, or when too much would have to be kept for it.
"""

from __future__ import annotations

from bisect import insort
from collections import OrderedDict
from collections.abc import Iterator

from jdbpy.record import Record
from jdbpy.wire.capture.segments import ACK, FIN, RST, SYN, Endpoint, TcpSegment

MOST_CONNECTIONS = 4096
"""Connections that are kept in mind; the one that was silent for longest is forgotten first."""
MOST_WAITING = 512
"""Segments of a direction that wait for one before them."""
MOST_WAITING_BYTES = 32 * 1024 * 1024
"""Bytes of all segments that wait."""


class StreamPiece(Record):
    """The next bytes of a direction, or ``lost`` bytes of it that were not captured. ``offset`` counts from its start.

    ``connection`` numbers the connections of a capture from 1; ``begun`` is True if its first segments were captured.
    ``ended``: nothing follows in this direction.
    """

    connection: int
    by: Endpoint
    to: Endpoint
    offset: int
    data: bytes
    lost: int
    time: float | None
    begun: bool
    ended: bool = False


class TcpStreams:
    """The connections of a capture: ``feed`` it segments as they come, and ``flush`` at the end."""

    def __init__(self) -> None:
        self._connections: OrderedDict[tuple[bytes, int, bytes, int], _TcpConnection] = OrderedDict()
        self._count = 0
        self._waiting = _Room(MOST_WAITING_BYTES)

    def feed(self, segment: TcpSegment) -> Iterator[StreamPiece]:
        """Yield what a segment brings, which may be nothing, or more than it holds."""
        by, to = segment.by, segment.to
        key = min((by.address, by.port, to.address, to.port), (to.address, to.port, by.address, by.port))
        known = self._connections.get(key)
        opens = segment.flags & SYN and not segment.flags & ACK
        if known is not None and opens and not known.opened_by(segment):
            yield from self._forget(key)
            known = None
        if known is None:
            if len(self._connections) >= MOST_CONNECTIONS:
                yield from self._forget(next(iter(self._connections)))
            self._count += 1
            known = self._connections[key] = _TcpConnection(self._count, by, to, self._waiting)
        self._connections.move_to_end(key)
        yield from known.feed(segment)

    def flush(self) -> Iterator[StreamPiece]:
        """Yield what waits for something that did not come, and the end of each direction."""
        while self._connections:
            yield from self._forget(next(iter(self._connections)))

    def _forget(self, key: tuple[bytes, int, bytes, int]) -> Iterator[StreamPiece]:
        yield from self._connections.pop(key).flush()


class _Room:
    """A number of bytes that several may take of."""

    def __init__(self, most: int) -> None:
        self.left = most


class _TcpConnection:
    def __init__(self, number: int, by: Endpoint, to: Endpoint, room: _Room) -> None:
        self._ways = [_Way(number, by, to, room), _Way(number, to, by, room)]

    def opened_by(self, segment: TcpSegment) -> bool:
        """True if that segment, which opens a connection, has opened this one."""
        return any(way.by == segment.by and way.opened_with == segment.sequence for way in self._ways)

    def feed(self, segment: TcpSegment) -> Iterator[StreamPiece]:
        own, other = self._ways if segment.by == self._ways[0].by else self._ways[::-1]
        if segment.flags & ACK:
            yield from other.acknowledged(segment.acknowledged, segment.time)
        yield from own.feed(segment)
        if segment.flags & RST:
            for way in (own, other):
                yield from way.end(segment.time)

    def flush(self) -> Iterator[StreamPiece]:
        for way in self._ways:
            yield from way.flush()


class _Way:
    """One direction. Sequence numbers are made offsets when they come in: those are 32 bits wide and wrap around."""

    def __init__(self, number: int, by: Endpoint, to: Endpoint, room: _Room) -> None:
        self.number = number
        self.by = by
        self.to = to
        self.opened_with: int | None = None
        self.begun = False
        self.ended = False
        self._room = room
        self._at = 0
        """The offset of the next byte."""
        self._next: int | None = None
        """The sequence number of that."""
        self._end: int | None = None
        self._waiting: list[tuple[int, bytes, int, float | None]] = []
        """Offset, data, length on the wire and time of segments behind a hole, in order."""
        self._time: float | None = None

    def feed(self, segment: TcpSegment) -> Iterator[StreamPiece]:
        if self.ended:
            return
        self._time = segment.time
        sequence = segment.sequence
        if segment.flags & SYN:
            if self._next is None:
                self.opened_with, self.begun, self._next = sequence, True, (sequence + 1) & 0xFFFFFFFF
            sequence = (sequence + 1) & 0xFFFFFFFF
        elif self._next is None:
            self._next = sequence
        offset = self._offset(sequence)
        if segment.flags & FIN:
            self._end = offset + segment.length
        if segment.length and offset + segment.length > self._at:
            if offset > self._at:
                self._wait(offset, segment)
            else:
                yield from self._take(offset, segment.data, segment.length, segment.time)
        yield from self._take_waiting()
        while len(self._waiting) > MOST_WAITING or (self._waiting and self._room.left < 0):
            yield from self._skip_hole()
        if self._end is not None and self._at >= self._end:
            yield from self.end(segment.time)

    def acknowledged(self, sequence: int, time: float | None) -> Iterator[StreamPiece]:
        """The receiver has all before a sequence number: what is missing of that was not captured."""
        while self._waiting and self._next is not None and self._offset(sequence) >= self._waiting[0][0]:
            yield from self._skip_hole()

    def flush(self) -> Iterator[StreamPiece]:
        while self._waiting:
            yield from self._skip_hole()
        yield from self.end(self._time)

    def end(self, time: float | None) -> Iterator[StreamPiece]:
        if not self.ended:
            self.ended = True
            self._room.left += sum(len(data) for _, data, _, _ in self._waiting)
            self._waiting.clear()
            yield self._piece(b"", 0, time, ended=True)

    def _offset(self, sequence: int) -> int:
        """Return the offset of a sequence number: the one that is nearest to the next byte."""
        assert self._next is not None
        distance = (sequence - self._next) & 0xFFFFFFFF
        return self._at + (distance if distance < 0x80000000 else distance - 0x100000000)

    def _wait(self, offset: int, segment: TcpSegment) -> None:
        self._room.left -= len(segment.data)
        insort(self._waiting, (offset, segment.data, segment.length, segment.time), key=_by_offset)

    def _take_waiting(self) -> Iterator[StreamPiece]:
        while self._waiting and self._waiting[0][0] <= self._at:
            offset, data, length, time = self._waiting.pop(0)
            self._room.left += len(data)
            if offset + length > self._at:
                yield from self._take(offset, data, length, time)

    def _skip_hole(self) -> Iterator[StreamPiece]:
        """Give up what is missing before the first segment that waits."""
        size = self._waiting[0][0] - self._at
        if size > 0:
            yield self._piece(b"", size, self._waiting[0][3])
        yield from self._take_waiting()

    def _take(self, offset: int, data: bytes, length: int, time: float | None) -> Iterator[StreamPiece]:
        """Yield what is new of a segment at an offset that is not behind the next byte."""
        known = self._at - offset
        new, missing = data[known:], length - max(known, len(data))
        if new:
            yield self._piece(new, 0, time)
        if missing > 0:
            yield self._piece(b"", missing, time)

    def _piece(self, data: bytes, lost: int, time: float | None, *, ended: bool = False) -> StreamPiece:
        piece = StreamPiece(self.number, self.by, self.to, self._at, data, lost, time, self.begun, ended)
        size = len(data) + lost
        self._at += size
        if self._next is not None:
            self._next = (self._next + size) & 0xFFFFFFFF
        return piece


def _by_offset(waiting: tuple[int, bytes, int, float | None]) -> int:
    return waiting[0]

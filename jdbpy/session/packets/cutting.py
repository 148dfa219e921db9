"""The bytes of one direction of a connection, cut into packets, whatever is missing of them or is none.

Owns how the next packet is found behind bytes that are no packet, or were not captured: where the length of the packet
before tells it, or else at the beginning of a segment that may be one's header.
"""

from __future__ import annotations

from collections.abc import Iterator

from jdbpy.record import Record
from jdbpy.wire.command import find_command
from jdbpy.wire.constants import Error
from jdbpy.wire.dissect import HEADER
from jdbpy.wire.framing import HEADER_LENGTH, MAX_LENGTH, REPLY
from jdbpy.wire.handshake import HANDSHAKE

MOST_PACKET = 64 * 1024 * 1024
"""Bytes of a packet that is read; of longer ones the first are."""
MOST_BEGUN = 256 * 1024 * 1024
"""Bytes of packets of all connections that are begun and not whole."""
_FIRST = 4096
_KNOWN_ERRORS = {int(each) for each in Error}


class Totals:
    """What has been read so far, of all connections; ``begun``: bytes of packets that are not whole yet."""

    def __init__(self) -> None:
        self.packets = self.commands = self.events = self.replies = self.misfits = self.cut = 0
        self.unanswered = self.lost = self.skipped = self.connections = 0
        self.begun = 0


class Whole(Record):
    """A packet. ``data`` may be less than its ``length``: then ``why_short`` says why."""

    kind = "packet"

    time: float | None
    offset: int
    data: bytes
    length: int
    why_short: str = ""


class Cut(Record):
    """What is no packet: ``kind`` is "handshake", "lost", "skipped" or "other" (this is no JDWP)."""

    kind: str
    text: str = ""


class Cutter:
    """One direction. ``feed`` takes a segment at a time; ``forced``: packets may come without a handshake."""

    def __init__(self, totals: Totals, *, forced: bool = False) -> None:
        self.ended = False
        self.is_other = False
        """True if it began with something else than the handshake."""
        self._totals = totals
        self._forced = forced
        self._greeting = True
        self._searching = False
        """True if it is not known where the next packet begins."""
        self._pass_over = 0
        """Bytes up to the next packet."""
        self._skipped = 0
        self._buffer = bytearray()
        self._at = 0
        """The offset of the buffer in the direction."""
        self._time: float | None = None

    def feed(self, data: bytes, time: float | None) -> Iterator[Whole | Cut]:
        """Take the bytes of a segment."""
        self._time = time
        if self._pass_over:
            passed = min(self._pass_over, len(data))
            self._pass_over -= passed
            self._at += passed
            data = data[passed:]
        if self._searching and not self._found_again(data):
            self._skip(len(data))
            return
        if self._skipped:
            yield self._tell_skipped()
        self._searching = False
        self._buffer += data
        self._totals.begun += len(data)
        if self._greeting:
            yield from self._greet()
        if not self._greeting:
            yield from self._packets()
        if self._totals.begun > MOST_BEGUN and self._buffer:
            yield from self._give_up("too much is begun at the same time")

    def lose(self, size: int, time: float | None) -> Iterator[Whole | Cut]:
        """Take note of bytes that were not captured."""
        self._time = time
        if self._greeting and not self._forced:
            self.is_other = True
            yield Cut("other", f"{size:,} bytes were not captured, the handshake among them")
        self._greeting = False
        self._totals.lost += size
        within = 0
        if self._pass_over:
            within = self._pass_over
        elif len(self._buffer) >= HEADER_LENGTH:
            within = HEADER.parse(self._buffer).length - len(self._buffer)
        yield from self._give_up("the rest was not captured")
        yield Cut("lost", f"{size:,} bytes were not captured")
        self._at += size
        self._pass_over = max(0, within - size)
        self._searching = within < size

    def end(self) -> Iterator[Whole | Cut]:
        """Take note that nothing follows."""
        if not self.ended:
            self.ended = True
            if self._greeting and self._buffer and not self._forced:
                self.is_other = True
                yield Cut("other", "it ends amid the handshake")
            yield from self._give_up("nothing follows")
            if self._skipped:
                yield self._tell_skipped()

    def _greet(self) -> Iterator[Whole | Cut]:
        begin = self._buffer[: len(HANDSHAKE)]
        if HANDSHAKE.startswith(begin):
            if len(begin) == len(HANDSHAKE):
                self._greeting = False
                self._drop(len(HANDSHAKE))
                yield Cut("handshake")
            return
        self._greeting = False
        if not self._forced:
            self.is_other = True
            yield Cut("other", f"expected the handshake {HANDSHAKE!r}, found {bytes(self._buffer[:40])!r}")
        if self.is_other or not self._found_again(self._buffer):
            self._searching = True
            rest = len(self._buffer)
            self._drop(rest, moves=False)
            self._skip(rest)

    def _packets(self) -> Iterator[Whole | Cut]:
        buffer = self._buffer
        while len(buffer) >= HEADER_LENGTH or self._is_wrong(buffer):
            wrong = self._is_wrong(buffer)
            if wrong:
                self._searching = True
                rest = len(buffer)
                text = f"byte {self._at:,} of its stream: {wrong}"
                self._drop(rest, moves=False)
                self._skip(rest)
                yield Cut("skipped", text)
                return
            length = HEADER.parse(buffer).length
            if length > MOST_PACKET:
                first = bytes(buffer[:_FIRST])
                yield Whole(
                    self._time, self._at, first, length, f"of one with more than {MOST_PACKET:,} the first are read"
                )
                there = min(length, len(buffer))
                self._drop(there)
                self._pass_over = length - there
            elif length <= len(buffer):
                yield Whole(self._time, self._at, bytes(buffer[:length]), length)
                self._drop(length)
            else:
                return

    def _give_up(self, why: str) -> Iterator[Whole | Cut]:
        """Drop what is begun, telling what it is; the next packet is to be found."""
        rest = len(self._buffer)
        if rest >= HEADER_LENGTH:
            length = HEADER.parse(self._buffer).length
            yield Whole(self._time, self._at, bytes(self._buffer), length, why)
        elif rest:
            yield Cut("skipped", f"{rest} bytes of the header of a packet: {why}")
        self._drop(rest)
        self._searching = True

    def _drop(self, size: int, *, moves: bool = True) -> None:
        del self._buffer[:size]
        self._totals.begun -= size
        if moves:
            self._at += size

    def _skip(self, size: int) -> None:
        self._at += size
        self._skipped += size
        self._totals.skipped += size

    def _tell_skipped(self) -> Cut:
        skipped, self._skipped = self._skipped, 0
        return Cut("skipped", f"{skipped:,} bytes left out")

    @staticmethod
    def _is_wrong(begin: bytes | bytearray) -> str:
        """Return why bytes are not the beginning of a packet, as far as they tell; "" if they may be."""
        if len(begin) < 4:
            return ""
        length = int.from_bytes(begin[:4], "big")
        if not HEADER_LENGTH <= length <= MAX_LENGTH:
            shown = bytes(begin[:16])
            return f"expected the length of a packet, {HEADER_LENGTH} to {MAX_LENGTH:,}, found {length:,} ({shown!r})"
        if len(begin) > 8 and begin[8] not in (0, REPLY):
            return f"expected the flags of a packet, 0x00 (command) or 0x80 (reply), found {begin[8]:#04x}"
        return ""

    def _found_again(self, data: bytes | bytearray) -> bool:
        """True if a segment may begin with a packet: it has a header, and what that says is known."""
        if len(data) < HEADER_LENGTH or self._is_wrong(data):
            return False
        head = HEADER.parse(data)
        if head.length > MOST_PACKET:
            return False
        return head.last in _KNOWN_ERRORS if head.flags else find_command(head.last >> 8, head.last & 0xFF) is not None

"""Files of packets, read: captures of a network (pcap, pcapng) and recordings of jdbpy (``--record``).

Owns which kind a file is, which of its connections are JDWP, and what it comes to in all.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from jdbpy.errors import UsageError
from jdbpy.escape import escape
from jdbpy.files import open_regular
from jdbpy.session.model.packets import CapturedPacket, CaptureNote, CaptureSummary
from jdbpy.session.packets.conversation import CapturedConversation, Reading
from jdbpy.session.packets.cutting import Totals
from jdbpy.session.snapshots.recording import recorded_entries
from jdbpy.session.snapshots.store import SnapshotStore
from jdbpy.wire.capture.files import is_capture, read_capture
from jdbpy.wire.capture.segments import NotTcp, segment_of
from jdbpy.wire.capture.streams import StreamPiece, TcpStreams
from jdbpy.wire.framing import HEADER_LENGTH, encode_packet
from jdbpy.wire.ids import IDSizes
from jdbpy.wire.layout import check_sizes

FIELDS = 64
"""Fields of a packet that are given."""
_MOST_OTHERS = 20
_MOST_REASONS = 20
_SQLITE = b"SQLi"

Packets = Iterator[CapturedPacket | CaptureNote | CaptureSummary]


def read_packets(
    path: str,
    *,
    port: int | None = None,
    id_sizes: Sequence[int] | None = None,
    fields: int | None = FIELDS,
    raw: bool = False,
) -> Packets:
    """Yield the packets of a capture or a recording, taken apart, and what is between them; at the end a summary.

    ``path``: a pcap or pcapng file, or one that ``--record`` has written; "-" is a capture on standard input, which may
    still be going on. ``port``: connections to or from it are JDWP also where their handshake was not captured.
    ``id_sizes``: how wide ids of fields, methods, objects, types and frames are, where the capture does not tell.
    ``fields``: how many of each packet are given, None for all. It blocks.

    Raises UsageError for a file that cannot be read or has no JDWP, StateError at the place where it is damaged.
    """
    reading = Reading(fields=fields, raw=raw, sizes=_sizes(id_sizes))
    if path == "-":
        yield from _CaptureReading(sys.stdin.buffer, "standard input", reading, port).read()
        return
    try:
        file = open_regular(path)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", code="FILE") from error
    with file:
        begin = file.read(4)
        file.seek(0)
        if begin != _SQLITE:
            yield from _CaptureReading(file, path, reading, port).read()
            return
    yield from _recording(path, reading)


class _CaptureReading:
    """A capture that is read from a file."""

    def __init__(self, file: BinaryIO, name: str, reading: Reading, port: int | None) -> None:
        self._file = file
        self._name = name
        self._reading = reading
        self._port = port
        self._totals = Totals()
        self._conversations: dict[int, CapturedConversation] = {}
        self._others: list[str] = []
        self._more_others = 0
        self._unread: Counter[str] = Counter()

    def read(self) -> Packets:
        begin = self._file.read(4)
        while len(begin) < 4 and (more := self._file.read(4 - len(begin))):
            begin += more
        if not is_capture(begin):
            raise _no_capture(self._name, begin)
        streams = TcpStreams()
        frames = read_capture(self._file, self._name, begin)
        while True:
            try:
                frame = next(frames, None)
            except BaseException:
                yield from self._pieces(streams.flush())  # what was read is shown before the reason why it ends
                raise
            if frame is None:
                break
            try:
                segment = segment_of(frame)
            except NotTcp as reason:
                self._unread[str(reason) if len(self._unread) < _MOST_REASONS else "others"] += 1
                continue
            yield from self._pieces(streams.feed(segment))
        yield from self._pieces(streams.flush())
        summary = self._summary()
        if not self._totals.connections:
            raise _no_jdwp(summary, self._port)
        yield summary

    def _pieces(self, pieces: Iterator[StreamPiece]) -> Iterator[CapturedPacket | CaptureNote]:
        for piece in pieces:
            known = self._conversations.get(piece.connection)
            if known is None:
                if piece.ended:
                    continue  # it had no bytes
                forced = self._port is not None and self._port in (piece.by.port, piece.to.port)
                ends = str(piece.by), str(piece.to)
                known = CapturedConversation(piece.connection, ends, self._reading, self._totals, forced=forced)
                self._conversations[piece.connection] = known
            way = 0 if str(piece.by) == known.ends[0] else 1
            if piece.lost:
                yield from known.lose(way, piece.lost, piece.time)
            elif piece.data:
                yield from known.feed(way, piece.data, piece.time)
            if piece.ended:
                yield from known.end(way, piece.time)
                if known.ended:
                    self._forget(known)

    def _forget(self, ended: CapturedConversation) -> None:
        del self._conversations[ended.number]
        if ended.is_jdwp:
            return
        if len(self._others) < _MOST_OTHERS:
            self._others.append(f"{ended.ends[0]} to {ended.ends[1]}: {ended.why_other or 'nothing but its beginning'}")
        else:
            self._more_others += 1

    def _summary(self) -> CaptureSummary:
        unread = tuple(f"{reason}: {number:,}" for reason, number in sorted(self._unread.items()))
        return _summary(self._name, self._totals).replace(
            others=tuple(self._others), more_others=self._more_others, unread=unread
        )


def _recording(path: str, reading: Reading) -> Packets:
    """Yield what a recording has."""
    store = SnapshotStore(path)
    try:
        totals = Totals()
        totals.connections = 1
        address = store.meta.get("address")
        conversation = CapturedConversation(0, ("debugger", str(address)), reading, totals)
        yield CaptureNote("connection", 0, 0.0, f"recorded with {escape(str(address))}")
        offsets = [0, 0]
        for some in recorded_entries(store):
            for entry in some:
                time = entry.time if math.isfinite(entry.time) else None
                packet = entry.packet
                if packet is not None:
                    way = 0 if entry.by_debugger else 1
                    data = encode_packet(packet)
                    yield from conversation.packet(way, data, offsets[way], time)
                    offsets[way] += HEADER_LENGTH + len(packet.data)
                elif (line := entry.line) is not None:
                    yield from conversation.note("line", time, line)
                elif entry.is_stop:
                    yield from conversation.note("stop", time, "a stop is shown")
        for way in (0, 1):
            yield from conversation.end(way, None)
        yield _summary(path, totals)
    finally:
        store.close()


def _summary(name: str, totals: Totals) -> CaptureSummary:
    return CaptureSummary(
        name,
        totals.packets,
        totals.commands,
        totals.events,
        totals.replies,
        totals.misfits,
        totals.cut,
        totals.unanswered,
        totals.lost,
        totals.skipped,
        totals.connections,
    )


def _sizes(given: Sequence[int] | None) -> IDSizes | None:
    if given is None:
        return None
    widths = tuple(given) * (5 if len(given) == 1 else 1)
    sizes = IDSizes(*widths) if len(widths) == 5 else None
    if sizes is None or not set(widths) <= {1, 2, 4, 8}:
        raise UsageError(
            f"the sizes of ids cannot be {', '.join(map(str, given))}",
            hint="one number, or five: of fields, methods, objects, types and frames, each 1, 2, 4 or 8",
        )
    check_sizes(sizes)
    return sizes


def _no_capture(name: str, begin: bytes) -> UsageError:
    if begin == _SQLITE and name == "standard input":
        return UsageError(
            "a recording cannot be read from standard input", hint="jdbpy packets FILE reads it", code="FILE"
        )
    return UsageError(
        f"{name} is neither a capture nor a recording: it {f'begins with {begin!r}' if begin else 'is empty'}",
        hint="it reads pcap and pcapng, as tcpdump and Wireshark write them, and files of --record",
        code="FILE",
    )


def _no_jdwp(summary: CaptureSummary, port: int | None) -> UsageError:
    others = len(summary.others) + summary.more_others
    seen = f"{others} TCP {'connection' if others == 1 else 'connections'} without it" if others else "no TCP data"
    unread = f"; frames not read: {', '.join(summary.unread)}" if summary.unread else ""
    hint = "a capture that began later than the connection has no handshake: --port N says which port is the JVM's"
    return UsageError(
        f"{summary.name} has no JDWP: {seen}{unread}",
        hint="" if port is not None else hint,
        code="FILE",
    )

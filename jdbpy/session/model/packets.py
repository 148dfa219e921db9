"""Packets of a capture or a recording, taken apart: what ``jdbpy packets`` shows and ``read_packets`` gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from jdbpy.json_form import Json
from jdbpy.record import Record


class PacketField(Record):
    """A field of a packet, or a count or tag before some. Offsets count from the packet's first byte."""

    name: Annotated[str, "the way to it: frames[3].location.methodID"]
    kind: Annotated[str, "the specification's type"]
    offset: int
    size: int
    value: Annotated[str, "as text; long ones are cut"]


class PacketMisfit(Record):
    """The first byte of a packet that does not fit: what was expected there, and what was found."""

    name: Annotated[str, 'the field, "" where the packet should have ended']
    offset: Annotated[int, "from the packet's first byte"]
    expected: str
    found: str


class CapturedPacket(Record):
    """A packet of JDWP."""

    json_name = "packet"

    number: Annotated[int, "from 1, of all packets of the file"]
    connection: Annotated[int, "the number of its TCP connection in the file; 0 in a recording"]
    time: Annotated[
        float | None, "seconds since the epoch; in a recording since its beginning; null if it is not known"
    ]
    sender: Annotated[str, "debugger or target"]
    kind: Annotated[str, "command, event or reply"]
    id: int
    command: Annotated[str, "VirtualMachine.Version: what it is, or answers; numbers if JDWP has no such command"]
    error: Annotated[int, Json("of a reply: the error code")] = 0
    error_name: str = ""
    answers: Annotated[int | None, "of a reply: the number of the packet that it answers"] = None
    since: Annotated[float | None, "of a reply: milliseconds since that"] = None
    offset: Annotated[int, Json("of its first byte, in its direction of the connection", optional=False)] = 0
    length: Annotated[int, Json("bytes, header included", optional=False)] = 0
    fields: Annotated[Sequence[PacketField], "the first ones"] = ()
    left_out: Annotated[int, "fields that are not given behind these"] = 0
    last: Annotated[Sequence[PacketField], "the fields just before what does not fit, if some are left out"] = ()
    misfit: Annotated[PacketMisfit | None, "what does not fit"] = None
    note: Annotated[str, "what else is to be said of it"] = ""
    missing: Annotated[int, "bytes of it that were not captured, at its end"] = 0
    data: Annotated[bytes, "all bytes, in hexadecimal, if they were asked for"] = b""


class CaptureNote(Record):
    """Something between packets.

    ``kind`` is "connection", "handshake", "lost" (bytes that were not captured), "skipped" (bytes that are no packet),
    "ended", or in a recording "line" (what the user has given) or "stop".
    """

    json_name = "packet-note"

    kind: Annotated[str, "connection, handshake, lost, skipped, ended; in a recording line or stop"]
    connection: int
    time: float | None
    text: str


class CaptureSummary(Record):
    """What a file has in all."""

    json_name = "packets"

    name: Annotated[str, "the file"]
    packets: int
    commands: int
    events: Annotated[int, "commands of the target"]
    replies: int
    misfits: Annotated[int, "packets in which something does not fit"]
    cut: Annotated[int, "packets that were not captured to their end"]
    unanswered: Annotated[int, "commands of the debugger without a reply"]
    lost: Annotated[int, "bytes of the connections that were not captured"]
    skipped: Annotated[int, "bytes of the connections that are not packets"]
    connections: Annotated[int, "those with JDWP"]
    others: Annotated[Sequence[str], "TCP connections that have none: the first ones"] = ()
    more_others: Annotated[int, "how many more of these there are"] = 0
    unread: Annotated[Sequence[str], "frames that were not read, by reason, with their number"] = ()

"""Frames as TCP segments: the headers of the link, of IP and of TCP.

Owns the headers, and who sent a segment to whom. Check sums are not looked at: a machine that leaves them to its
network card captures wrong ones. Fragments of IP are not put together; loopback and TCP's own sizes make none.
"""

from __future__ import annotations

import ipaddress
from typing import Any

import construct as c

from jdbpy.record import Record
from jdbpy.wire.capture.files import CaptureFrame

SYN, FIN, RST, ACK = 0x02, 0x01, 0x04, 0x10
"""Flags of TCP."""

_ETHERNET = c.Struct("to" / c.Bytes(6), "by" / c.Bytes(6), "type" / c.Int16ub)
_TAG = c.Struct("tag" / c.Int16ub, "type" / c.Int16ub)
_COOKED = c.Struct(
    "packet" / c.Int16ub, "hardware" / c.Int16ub, "size" / c.Int16ub, "address" / c.Bytes(8), "type" / c.Int16ub
)
_COOKED_2 = c.Struct(
    "type" / c.Int16ub,
    c.Padding(2),
    "interface" / c.Int32ub,
    "hardware" / c.Int16ub,
    "packet" / c.Int8ub,
    "size" / c.Int8ub,
    "address" / c.Bytes(8),
)
_IPV4 = c.Struct(
    "size" / c.Int8ub,  # version, and words of this header
    "service" / c.Int8ub,
    "length" / c.Int16ub,
    "id" / c.Int16ub,
    "fragment" / c.Int16ub,
    "hops" / c.Int8ub,
    "protocol" / c.Int8ub,
    "check" / c.Int16ub,
    "by" / c.Bytes(4),
    "to" / c.Bytes(4),
)
_IPV6 = c.Struct(
    "flow" / c.Int32ub,
    "length" / c.Int16ub,
    "protocol" / c.Int8ub,
    "hops" / c.Int8ub,
    "by" / c.Bytes(16),
    "to" / c.Bytes(16),
)
_EXTENSION = c.Struct("protocol" / c.Int8ub, "size" / c.Int8ub, c.Padding(6))
_FRAGMENT = c.Struct("protocol" / c.Int8ub, c.Padding(1), "fragment" / c.Int16ub, "id" / c.Int32ub)
_TCP = c.Struct(
    "by" / c.Int16ub,
    "to" / c.Int16ub,
    "sequence" / c.Int32ub,
    "acknowledged" / c.Int32ub,
    "size" / c.Int8ub,  # words of this header, in the upper half
    "flags" / c.Int8ub,
    "window" / c.Int16ub,
    "check" / c.Int16ub,
    "urgent" / c.Int16ub,
)
_IP_TYPES = {0x0800: 4, 0x86DD: 6}
_TAG_TYPES = {0x8100, 0x88A8, 0x9100}
_EXTENSIONS = {0, 43, 60}
_IS_FRAGMENT, _IS_TCP = 44, 6
_MOST_EXTENSIONS = 8

ETHERNET, COOKED, COOKED_2 = 1, 113, 276
LOOPBACK = 0, 108
RAW = 12, 14, 101, 228, 229
"""Link types, as the registry of LINKTYPE_ values numbers them."""


class Endpoint(Record):
    """One side of a connection."""

    address: bytes  # 4 or 16
    port: int

    def __str__(self) -> str:
        found = ipaddress.ip_address(self.address)
        found = getattr(found, "ipv4_mapped", None) or found
        return f"[{found}]:{self.port}" if found.version == 6 else f"{found}:{self.port}"


class TcpSegment(Record):
    """A TCP segment. ``length`` is what it carried; ``data`` may be less, where the capture has cut it off."""

    time: float | None
    by: Endpoint
    to: Endpoint
    sequence: int
    acknowledged: int
    flags: int
    data: bytes
    length: int


class NotTcp(Exception):
    """The frame carries something else; the message says what: "link type 147", "a fragment of IP", "no TCP"."""


def segment_of(frame: CaptureFrame) -> TcpSegment:
    """Return the segment in a frame. Raises NotTcp."""
    try:
        version, rest = _link(frame)
        by, to, payload, length = _ipv4(rest) if version == 4 else _ipv6(rest)
        head = _TCP.parse(payload)
        size = (head.size >> 4) * 4
        if size < 20 or size > length:
            raise NotTcp("no TCP")
        return TcpSegment(
            frame.time,
            Endpoint(by, head.by),
            Endpoint(to, head.to),
            head.sequence,
            head.acknowledged,
            head.flags,
            payload[size:length],
            length - size,
        )
    except c.ConstructError as fault:
        raise NotTcp("no TCP") from fault


def _link(frame: CaptureFrame) -> tuple[int, bytes]:
    """Return the version of IP, and what is behind the header of the link."""
    data = frame.data
    if frame.link in RAW:
        version = data[0] >> 4 if data else 0
        if version not in (4, 6):
            raise NotTcp("no TCP")
        return version, data
    if frame.link in LOOPBACK:
        family = max(data[:4], default=0)  # of either byte order
        return (4 if family == 2 else 6), data[4:]
    if frame.link == ETHERNET:
        kind, at = _ETHERNET.parse(data).type, 14
        while kind in _TAG_TYPES:
            kind, at = _TAG.parse(data[at : at + 4]).type, at + 4
    elif frame.link == COOKED:
        kind, at = _COOKED.parse(data).type, 16
    elif frame.link == COOKED_2:
        kind, at = _COOKED_2.parse(data).type, 20
    else:
        raise NotTcp(f"link type {frame.link}")
    if kind not in _IP_TYPES:
        raise NotTcp("no TCP")
    return _IP_TYPES[kind], data[at:]


def _ipv4(data: bytes) -> tuple[bytes, bytes, bytes, int]:
    """Return the addresses, what is behind the header, and how long that was on the wire."""
    head: Any = _IPV4.parse(data)
    size = (head.size & 0xF) * 4
    if head.fragment & 0x3FFF:  # more of them follow, or it is not the first
        raise NotTcp("a fragment of IP")
    if head.size >> 4 != 4 or size < 20 or head.protocol != _IS_TCP:
        raise NotTcp("no TCP")
    whole = head.length or len(data)  # 0: the network card was to cut it up
    return head.by, head.to, data[size:whole], max(0, whole - size)


def _ipv6(data: bytes) -> tuple[bytes, bytes, bytes, int]:
    head: Any = _IPV6.parse(data)
    protocol, at = head.protocol, 40
    end = at + head.length if head.length else len(data)
    for _ in range(_MOST_EXTENSIONS):
        if protocol in _EXTENSIONS:
            more = _EXTENSION.parse(data[at : at + 8])
            protocol, at = more.protocol, at + 8 + 8 * more.size
        elif protocol == _IS_FRAGMENT:
            more = _FRAGMENT.parse(data[at : at + 8])
            if more.fragment & 0xFFF9:
                raise NotTcp("a fragment of IP")
            protocol, at = more.protocol, at + 8
    if head.flow >> 28 != 6 or protocol != _IS_TCP:
        raise NotTcp("no TCP")
    return head.by, head.to, data[at:end], max(0, end - at)

"""Captures, written: pcap and pcapng files of TCP connections, and a relay that captures what it passes on.

Owns the bytes that a program like tcpdump writes, from the formats' own descriptions, with ``struct`` alone: the reader
is made with something else. ``Capture`` writes frames; ``Tcp`` makes the segments of one connection.
"""

from __future__ import annotations

import struct
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import trio

from jdbpy.task_groups import open_nursery

SYN, FIN, RST, PUSH, ACK = 0x02, 0x01, 0x04, 0x08, 0x10
CLIENT, SERVER = 40_000, 5005


class Tcp:
    """One connection, from CLIENT to SERVER: its segments as bytes, with the sequence numbers that they must have."""

    def __init__(
        self, *, client: int = CLIENT, server: int = SERVER, sequences: tuple[int, int] = (1000, 5000)
    ) -> None:
        self.ports = client, server
        self.next = list(sequences)

    def open(self) -> list[tuple[int, bytes]]:
        """The three segments that open it, each with the side that sends it: 0 for the client."""
        return [(0, self.segment(0, flags=SYN)), (1, self.segment(1, flags=SYN | ACK)), (0, self.segment(0))]

    def close(self) -> list[tuple[int, bytes]]:
        return [(0, self.segment(0, flags=FIN | ACK)), (1, self.segment(1, flags=FIN | ACK)), (0, self.segment(0))]

    def segment(self, side: int, data: bytes = b"", *, flags: int = ACK, sequence: int | None = None) -> bytes:
        """A segment of a side; its sequence number moves on unless another is given."""
        own = self.next[side] if sequence is None else sequence
        if sequence is None:
            self.next[side] = (own + len(data) + bool(flags & (SYN | FIN))) & 0xFFFFFFFF
        acknowledged = self.next[1 - side] if flags & ACK else 0
        ports = self.ports if side == 0 else self.ports[::-1]
        return struct.pack(">HHIIBBHHH", *ports, own, acknowledged, 0x50, flags, 65535, 0, 0) + data


def ipv4(side: int, segment: bytes, *, protocol: int = 6, fragment: int = 0, length: int | None = None) -> bytes:
    """A packet of IP, from 127.0.0.1 to 127.0.0.2 or back."""
    size = 20 + len(segment) if length is None else length
    ends = [b"\x7f\0\0\1", b"\x7f\0\0\2"]
    by, to = ends if side == 0 else ends[::-1]
    return struct.pack(">BBHHHBBH", 0x45, 0, size, 1, fragment, 64, protocol, 0) + by + to + segment


def ipv6(side: int, segment: bytes, *, extension: bool = False) -> bytes:
    ends = [bytes(15) + b"\1", bytes(15) + b"\2"]
    by, to = ends if side == 0 else ends[::-1]
    more = struct.pack(">BB6x", 6, 0) if extension else b""
    first = 0 if extension else 6
    return struct.pack(">IHBB", 0x60000000, len(more) + len(segment), first, 64) + by + to + more + segment


def ethernet(side: int, packet: bytes, *, tags: int = 0) -> bytes:
    kind = b"\x08\0" if packet[0] >> 4 == 4 else b"\x86\xdd"
    return bytes(12) + b"\x81\0\0\x05" * tags + kind + packet


def null(side: int, packet: bytes) -> bytes:
    return struct.pack("<I", 2 if packet[0] >> 4 == 4 else 30) + packet


def raw(side: int, packet: bytes) -> bytes:
    return packet


def cooked(side: int, packet: bytes) -> bytes:
    kind = 0x0800 if packet[0] >> 4 == 4 else 0x86DD
    return struct.pack(">HHH8sH", 0, 772, 6, bytes(8), kind) + packet


def cooked_2(side: int, packet: bytes) -> bytes:
    kind = 0x0800 if packet[0] >> 4 == 4 else 0x86DD
    return struct.pack(">HHIHBB8s", kind, 0, 1, 772, 0, 6, bytes(8)) + packet


LINKS: dict[int, Callable[[int, bytes], bytes]] = {
    1: ethernet,
    0: null,
    101: raw,
    113: cooked,
    276: cooked_2,
}
"""How a packet of IP becomes a frame, by the number of the link type."""


def pcap(frames: list[bytes], *, link: int = 1, order: str = "<", nano: bool = False, most: int = 262_144) -> bytes:
    """A file; frame N has been captured N milliseconds after the second 1,700,000,000."""
    magic = 0xA1B23C4D if nano else 0xA1B2C3D4
    parts = [struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, most, link)]
    for index, frame in enumerate(frames):
        parts.append(struct.pack(order + "IIII", 1_700_000_000, index * (10**6 if nano else 10**3), 0, 0)[:8])
        parts.append(struct.pack(order + "II", min(most, len(frame)), len(frame)) + frame[:most])
    return b"".join(parts)


def block(kind: int, body: bytes, order: str = "<") -> bytes:
    """A block of pcapng."""
    padded = body + bytes(-len(body) % 4)
    length = struct.pack(order + "I", 12 + len(padded))
    return struct.pack(order + "I", kind) + length + padded + length


def pcapng(
    frames: list[bytes], *, link: int = 1, order: str = "<", kind: int = 6, resolution: int | None = None
) -> bytes:
    """A section with one interface; the frames are in blocks of a kind. Times are as in ``pcap``."""
    section = block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1), order)
    options = b""
    ticks = 10**6
    if resolution is not None:
        options = struct.pack(order + "HHB3xHH", 9, 1, resolution, 0, 0)
        ticks = 2 ** (resolution & 0x7F) if resolution & 0x80 else 10**resolution
    parts = [section, block(1, struct.pack(order + "HHI", link, 0, 0) + options, order)]
    parts.append(block(5, bytes(12), order))  # statistics of the interface: to be skipped
    for index, frame in enumerate(frames):
        at = 1_700_000_000 * ticks + index * ticks // 1000
        sizes = struct.pack(order + "II", len(frame), len(frame))
        if kind == 3:
            body = sizes[:4] + frame
        else:
            first = struct.pack(order + "I", 0) if kind == 6 else struct.pack(order + "HH", 0, 0)
            body = first + struct.pack(order + "II", at >> 32, at & 0xFFFFFFFF) + sizes + frame
        parts.append(block(kind, body, order))
    return b"".join(parts)


def segments_of(
    chunks: Iterator[tuple[int, bytes]] | list[tuple[int, bytes]], tcp: Tcp | None = None
) -> list[tuple[int, bytes]]:
    """A whole connection that carries these pieces of data, each with the side that sends it."""
    tcp = tcp or Tcp()
    return [*tcp.open(), *((side, tcp.segment(side, data)) for side, data in chunks), *tcp.close()]


def frames_of(segments: list[tuple[int, bytes]]) -> list[bytes]:
    """Segments as Ethernet frames."""
    return [ethernet(side, ipv4(side, segment)) for side, segment in segments]


@asynccontextmanager
async def captured(target: str, path: Path) -> AsyncIterator[str]:
    """Yields the address of a relay to a target, which writes what it passes on into a pcap file, as tcpdump would."""
    host, _, port = target.rpartition(":")
    tcp = Tcp(server=int(port))
    with path.open("wb") as file:
        file.write(pcap([]))

        def write(side: int, segment: bytes) -> None:
            frame = ethernet(side, ipv4(side, segment))
            now = time.time()
            file.write(struct.pack("<IIII", int(now), int(now % 1 * 10**6), len(frame), len(frame)) + frame)

        async def carry(side: int, source: trio.SocketStream, sink: trio.SocketStream) -> None:
            with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                while data := await source.receive_some(60_000):
                    write(side, tcp.segment(side, bytes(data), flags=PUSH | ACK))
                    await sink.send_all(data)
            with suppress(trio.BrokenResourceError, trio.ClosedResourceError):  # one that is reset is at its end too
                write(side, tcp.segment(side, flags=FIN | ACK))
                await sink.send_eof()

        async def serve(debugger: trio.SocketStream) -> None:
            async with debugger:
                # The agent hangs up on a caller that says nothing for two seconds, as a debugger may on a busy machine.
                first = await debugger.receive_some(60_000)
                async with await trio.open_tcp_stream(host, int(port)) as jvm, trio.open_nursery() as nursery:
                    for side, segment in tcp.open():
                        write(side, segment)
                    write(0, tcp.segment(0, bytes(first), flags=PUSH | ACK))
                    await jvm.send_all(first)
                    nursery.start_soon(carry, 0, debugger, jvm)
                    nursery.start_soon(carry, 1, jvm, debugger)

        [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
        async with open_nursery() as nursery:
            nursery.start_soon(trio.serve_listeners, serve, [listener])
            yield f"127.0.0.1:{listener.socket.getsockname()[1]}"
            nursery.cancel_scope.cancel()

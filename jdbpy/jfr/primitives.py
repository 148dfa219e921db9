"""The encoding of a recording: integers of one to nine bytes, strings in six encodings, the header of a chunk."""

from __future__ import annotations

import struct
from typing import NamedTuple

from jdbpy.errors import JdbpyError

MAGIC = b"FLR\0"
HEADER_SIZE = 68

_HEADER = struct.Struct(">4sHHqqqqqqqI")


class BadRecording(JdbpyError):
    """The bytes are not a JFR recording, or a damaged one; the message names the place."""

    default_code = "BAD_RECORDING"


class Header(NamedTuple):
    """The start of a chunk. Offsets count from the start of the chunk; ``size`` is 0 while it is being written."""

    major: int
    minor: int
    size: int
    constants: int
    metadata: int
    start_nanos: int
    duration_nanos: int
    start_ticks: int
    ticks_per_second: int
    compressed: bool


def read_header(data: bytes, place: int) -> Header:
    """Return the header of a chunk. ``data`` begins with it; ``place`` is its offset in the file."""
    if len(data) < HEADER_SIZE:
        raise BadRecording(
            f"the chunk at byte {place} is cut: its header takes {HEADER_SIZE} bytes, {len(data)} are there"
        )
    magic, major, minor, *numbers, features = _HEADER.unpack_from(data)
    if magic != MAGIC:
        raise BadRecording(
            f"byte {place} begins no JFR chunk: it has {magic!r}, not {MAGIC!r}",
            hint="" if place else "'profile' makes recordings, as 'jcmd PID JFR.dump' does",
        )
    if major != 2:
        raise BadRecording(f"the chunk at byte {place} has the format {major}.{minor}; formats 2.0 and later are read")
    header = Header._make((major, minor, *numbers, bool(features & 1)))
    if header.ticks_per_second <= 0:
        raise BadRecording(f"the chunk at byte {place} says its clock makes {header.ticks_per_second} ticks a second")
    return header


def varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the unsigned integer at an offset, and the offset behind it."""
    value = 0
    for shift in range(0, 56, 7):
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    return value | data[at] << 56, at + 1


def more(data: bytes, at: int, value: int) -> tuple[int, int]:
    """Finish an integer of three to nine bytes at an offset; ``value`` is made of its first two bytes.

    The loop is unrolled for speed: the times of all events are read here.
    """
    byte = data[at + 2]
    value += (byte << 14) - 0x4000
    if byte < 128:
        return value, at + 3
    byte = data[at + 3]
    value += (byte << 21) - 0x20_0000
    if byte < 128:
        return value, at + 4
    byte = data[at + 4]
    value += (byte << 28) - 0x1000_0000
    if byte < 128:
        return value, at + 5
    byte = data[at + 5]
    value += (byte << 35) - 0x8_0000_0000
    if byte < 128:
        return value, at + 6
    byte = data[at + 6]
    value += (byte << 42) - 0x400_0000_0000
    if byte < 128:
        return value, at + 7
    byte = data[at + 7]
    value += (byte << 49) - 0x2_0000_0000_0000
    if byte < 128:
        return value, at + 8
    return value + (data[at + 8] << 56) - 0x100_0000_0000_0000, at + 9


def more_short(data: bytes, at: int, value: int) -> tuple[int, int]:
    """As ``more``, for a number of 16 bits with a sign."""
    value, at = more(data, at, value)
    return ((value & 0xFFFF) ^ 0x8000) - 0x8000, at


def more_int(data: bytes, at: int, value: int) -> tuple[int, int]:
    """As ``more``, for a number of 32 bits with a sign."""
    value, at = more(data, at, value)
    return ((value & 0xFFFF_FFFF) ^ 0x8000_0000) - 0x8000_0000, at


def more_long(data: bytes, at: int, value: int) -> tuple[int, int]:
    """As ``more``, for a number of 64 bits with a sign."""
    value, at = more(data, at, value)
    return (value if value < 1 << 63 else value - (1 << 64)), at


def signed(value: int, bits: int) -> int:
    """Return a number of so many bits as Java does, with a sign."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def string(data: bytes, at: int) -> tuple[str | int | None, int]:
    """Return the string at an offset, and the offset behind it; a number is the key of a constant.

    Integers in it are compressed, as all of a chunk are.
    """
    encoding = data[at]
    at += 1
    if encoding == 0:
        return None, at
    if encoding == 1:
        return "", at
    if encoding == 2:
        return varint(data, at)
    length, at = varint(data, at)
    if length > len(data) - at:
        raise BadRecording(f"a string at byte {at} of its chunk says it has {length} bytes")
    if encoding == 3:
        return data[at : at + length].decode("utf-8", "replace"), at + length
    if encoding == 5:
        return data[at : at + length].decode("latin-1"), at + length
    if encoding != 4:
        raise BadRecording(f"a string at byte {at} of its chunk has the unknown encoding {encoding}")
    if data[at : at + length].isascii():  # one byte for each character
        return data[at : at + length].decode("ascii"), at + length
    units = bytearray()
    for _ in range(length):
        unit, at = varint(data, at)
        units += (unit & 0xFFFF).to_bytes(2, "big")
    return units.decode("utf-16-be", "replace"), at


def plain_string(data: bytes, at: int) -> tuple[str | int | None, int]:
    """Return the string at an offset of a chunk whose integers are not compressed."""
    encoding = data[at]
    if encoding < 2:
        return string(data, at)
    at += 1
    if encoding == 2:
        return int.from_bytes(data[at : at + 8], "big"), at + 8
    length, at = int.from_bytes(data[at : at + 4], "big"), at + 4
    size = length * 2 if encoding == 4 else length
    if size > len(data) - at:
        raise BadRecording(f"a string at byte {at} of its chunk says it has {size} bytes")
    names = {3: "utf-8", 4: "utf-16-be", 5: "latin-1"}
    if encoding not in names:
        raise BadRecording(f"a string at byte {at} of its chunk has the unknown encoding {encoding}")
    return data[at : at + size].decode(names[encoding], "replace"), at + size

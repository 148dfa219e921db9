"""Capture files: pcap and pcapng as frames, each with its time, its link type and its place in the file.

Owns the two formats (RFC drafts "PCAP Capture File Format" and "PCAP Next Generation"), in both byte orders. Reads
from a pipe as well: nothing is read twice, and no more than the next record. Blocks of pcapng that hold no frame are
skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import construct as c

from jdbpy.errors import StateError, UsageError
from jdbpy.record import Record

MOST_FRAME = 1024 * 1024
"""Bytes of a frame; programs that capture cut them at 256 KiB."""
MOST_BLOCK = 16 * 1024 * 1024
"""Bytes of a block of pcapng that holds no frame."""

_LITTLE, _BIG = "<", ">"
_U16 = {_LITTLE: c.Int16ul, _BIG: c.Int16ub}
_U32 = {_LITTLE: c.Int32ul, _BIG: c.Int32ub}
_S64 = {_LITTLE: c.Int64sl, _BIG: c.Int64sb}

_PCAP_MAGIC = {
    b"\xd4\xc3\xb2\xa1": (_LITTLE, 10**6),
    b"\xa1\xb2\xc3\xd4": (_BIG, 10**6),
    b"\x4d\x3c\xb2\xa1": (_LITTLE, 10**9),
    b"\xa1\xb2\x3c\x4d": (_BIG, 10**9),
}
"""The first bytes of a pcap file: its byte order, and the parts of a second that its times count."""
_PCAPNG_MAGIC = b"\x0a\x0d\x0d\x0a"
_ORDER_MAGIC = {b"\x4d\x3c\x2b\x1a": _LITTLE, b"\x1a\x2b\x3c\x4d": _BIG}

_PCAP_HEAD = {
    order: c.Struct(
        "major" / _U16[order],
        "minor" / _U16[order],
        "zone" / _U32[order],
        "accuracy" / _U32[order],
        "most" / _U32[order],
        "link" / _U32[order],
    )
    for order in _U32
}
_PCAP_RECORD = {
    order: c.Struct("seconds" / _U32[order], "parts" / _U32[order], "captured" / _U32[order], "length" / _U32[order])
    for order in _U32
}
_BLOCK_HEAD = {order: c.Struct("type" / _U32[order], "length" / _U32[order]) for order in _U32}
_INTERFACE = {
    order: c.Struct("link" / _U16[order], c.Padding(2), "most" / _U32[order], "options" / c.GreedyBytes)
    for order in _U32
}
_OPTION = {
    order: c.Struct(
        "code" / _U16[order],
        "length" / _U16[order],
        "value" / c.Bytes(c.this.length),
        c.Padding(lambda this: -this.length % 4),
    )
    for order in _U32
}
_ENHANCED = {
    order: c.Struct(
        "interface" / _U32[order],
        "high" / _U32[order],
        "low" / _U32[order],
        "captured" / _U32[order],
        "length" / _U32[order],
        "data" / c.Bytes(c.this.captured),
    )
    for order in _U32
}
_OLD = {
    order: c.Struct(
        "interface" / _U16[order],
        c.Padding(2),
        "high" / _U32[order],
        "low" / _U32[order],
        "captured" / _U32[order],
        "length" / _U32[order],
        "data" / c.Bytes(c.this.captured),
    )
    for order in _U32
}
_SIMPLE = {order: c.Struct("length" / _U32[order], "data" / c.GreedyBytes) for order in _U32}
_INTERFACE_BLOCK, _OLD_BLOCK, _SIMPLE_BLOCK, _ENHANCED_BLOCK = 1, 2, 3, 6
_END_OF_OPTIONS, _RESOLUTION, _TIME_OFFSET = 0, 9, 14


class Readable(Protocol):
    """The part of a binary file that is used."""

    def read(self, size: int, /) -> bytes: ...


class CaptureFrame(Record):
    """A frame as it was captured. ``length`` is what it had on the wire, ``offset`` where it begins in the file."""

    time: float | None  # seconds since the epoch; None where the file has none
    link: int
    data: bytes
    length: int
    offset: int


def is_capture(begin: bytes) -> bool:
    """True if a file that begins with these four bytes is a pcap or pcapng file."""
    return begin in _PCAP_MAGIC or begin == _PCAPNG_MAGIC


def read_capture(file: Readable, name: str, begin: bytes) -> Iterator[CaptureFrame]:
    """Yield the frames of a file whose first four bytes ``begin`` have been read already.

    ``name`` is what errors call it. Raises UsageError for another kind of file; StateError at the place from which on
    it is damaged or cut off.
    """
    source = _Source(file, name, begin)
    if begin in _PCAP_MAGIC:
        yield from _pcap(source, *_PCAP_MAGIC[begin])
    elif begin == _PCAPNG_MAGIC:
        yield from _Sections(source).frames()
    else:
        raise UsageError(f"{name} is not a capture: it begins with {begin.hex(' ') or 'nothing'}", code="FILE")


class _Source:
    """A file that is read once; ``at`` is the offset of the next byte, behind those that have been read already."""

    def __init__(self, file: Readable, name: str, begin: bytes) -> None:
        self.at = len(begin)
        self._file = file
        self._name = name

    def take(self, size: int, what: str, *, may_end: bool = False) -> bytes:
        """Return so many bytes; b"" at the end of the file, if it may end here. Raises StateError."""
        data = b""
        while len(data) < size and (more := self._file.read(size - len(data))):  # a pipe gives what it has
            data += more
        if len(data) < size and (data or not may_end):
            raise self.damaged(f"{what} has {size} bytes, and the file ends after {len(data)} of them")
        self.at += len(data)
        return data

    def parse(self, form: Any, size: int, what: str, *, may_end: bool = False) -> Any:
        """Return what is made of the next bytes; None at the end of the file, if it may end here."""
        data = self.take(size, what, may_end=may_end)
        return form.parse(data) if data else None

    def damaged(self, why: str) -> StateError:
        return StateError(
            f"the file {self._name} is damaged at byte {self.at:,}: {why}",
            hint="what comes before that has been read; a capture that is still being written may end amid a record",
            code="FILE",
        )


def _pcap(source: _Source, order: str, parts: int) -> Iterator[CaptureFrame]:
    head = source.parse(_PCAP_HEAD[order], 20, "the header of a pcap file")
    link = head.link & 0xFFFF  # above that: whether frames end in a check sum
    while True:
        offset = source.at
        record = source.parse(_PCAP_RECORD[order], 16, "the header of a record", may_end=True)
        if record is None:
            return
        if record.captured > MOST_FRAME:
            raise source.damaged(f"a record of {record.captured:,} bytes; no frame has more than {MOST_FRAME:,}")
        data = source.take(record.captured, "a record")
        yield CaptureFrame(record.seconds + record.parts / parts, link, data, record.length, offset)


class _Interface(Record):
    """An interface of a pcapng section: ``resolution`` is the number of ticks of a second."""

    link: int
    most: int
    resolution: int
    offset: int


class _Sections:
    """The blocks of a pcapng file, section by section; each has a byte order and interfaces of its own."""

    def __init__(self, source: _Source) -> None:
        self.source = source
        self.order = _LITTLE
        self.interfaces: list[_Interface] = []
        self._read: dict[int, Callable[[bytes, int], CaptureFrame | None]] = {
            _INTERFACE_BLOCK: self._interface,
            _OLD_BLOCK: lambda body, offset: self._timed(_OLD[self.order], body, offset),
            _SIMPLE_BLOCK: self._simple,
            _ENHANCED_BLOCK: lambda body, offset: self._timed(_ENHANCED[self.order], body, offset),
        }

    def frames(self) -> Iterator[CaptureFrame]:
        self._section(self.source.take(4, "the length of a section"))
        while True:
            offset = self.source.at
            head = self.source.take(8, "the header of a block", may_end=True)
            if not head:
                return
            if head[:4] == _PCAPNG_MAGIC:
                self._section(head[4:])
                continue
            block = _BLOCK_HEAD[self.order].parse(head)
            body = self._body(block.length, 8)
            if block.type in self._read and (frame := self._frame(block.type, body, offset)) is not None:
                yield frame

    def _section(self, length: bytes) -> None:
        """Begin a section: the magic number behind the length tells the order of that too."""
        magic = self.source.take(4, "the byte order of a section")
        if magic not in _ORDER_MAGIC:
            raise self.source.damaged(f"a section whose byte order is {magic.hex(' ')}")
        self.order = _ORDER_MAGIC[magic]
        self.interfaces = []
        self._body(_U32[self.order].parse(length), 12)

    def _body(self, length: int, taken: int) -> bytes:
        """Return the rest of a block of a length, of which so many bytes have been taken, without the length behind."""
        if length < taken + 4 or length % 4:
            raise self.source.damaged(f"a block of {length:,} bytes")
        if length > MOST_BLOCK:
            raise self.source.damaged(f"a block of {length:,} bytes; those with more than {MOST_BLOCK:,} are not read")
        body = self.source.take(length - taken - 4, "a block")
        again = self.source.parse(_U32[self.order], 4, "the length behind a block")
        if again != length:
            raise self.source.damaged(f"a block of {length:,} bytes that says {again:,} at its end")
        return body

    def _frame(self, kind: int, body: bytes, offset: int) -> CaptureFrame | None:
        try:
            return self._read[kind](body, offset)
        except c.ConstructError as fault:
            raise self.source.damaged(
                f"the block before that, of type {kind}, is too short for what it says"
            ) from fault

    def _interface(self, body: bytes, offset: int) -> None:
        about = _INTERFACE[self.order].parse(body)
        resolution, shift = 10**6, 0
        for option in c.GreedyRange(_OPTION[self.order]).parse(about.options):
            if option.code == _END_OF_OPTIONS:
                break
            if option.code == _RESOLUTION and option.length == 1:
                [power] = option.value
                resolution = 2 ** (power & 0x7F) if power & 0x80 else 10**power
            elif option.code == _TIME_OFFSET and option.length == 8:
                shift = _S64[self.order].parse(option.value)
        self.interfaces.append(_Interface(about.link, about.most, resolution, shift))

    def _timed(self, form: Any, body: bytes, offset: int) -> CaptureFrame:
        block = form.parse(body)
        at = self._at(block.interface)
        time = (block.high << 32 | block.low) / at.resolution + at.offset
        return CaptureFrame(time, at.link, block.data, block.length, offset)

    def _simple(self, body: bytes, offset: int) -> CaptureFrame:
        block, at = _SIMPLE[self.order].parse(body), self._at(0)
        captured = min(block.length, at.most or block.length)
        return CaptureFrame(None, at.link, block.data[:captured], block.length, offset)

    def _at(self, number: int) -> _Interface:
        if number >= len(self.interfaces):
            raise self.source.damaged(
                f"the block before that names interface {number}, and {len(self.interfaces)} are known"
            )
        return self.interfaces[number]

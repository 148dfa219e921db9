"""One chunk of a recording: its types, its constants, and its events as raw rows.

Owns the walk over a chunk's bytes. Constants are read when the first of them is asked for; events of other types are
stepped over, not read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from jdbpy.jfr.metadata import Metadata, Type, read_metadata
from jdbpy.jfr.primitives import HEADER_SIZE, BadRecording, Header, signed, varint
from jdbpy.jfr.readers import ReaderWriter, ReadPool, ReadRow, Row

_METADATA, _CHECKPOINT = 0, 1

_STRING = "java.lang.String"


class ChunkTypes:
    """The types of a chunk and their compiled readers. Chunks with the same types share them."""

    def __init__(self, metadata: Metadata, compressed: bool) -> None:
        self.metadata = metadata
        self.compressed = compressed
        self.rows: dict[int, ReadRow] = {}
        self.pools: dict[int, ReadPool] = {}
        self._writer = ReaderWriter(metadata.types, compressed)
        string = metadata.by_name.get(_STRING)
        self.string_type = -1 if string is None else string.id

    def row(self, number: int) -> ReadRow:
        """Return the reader of events of a type."""
        found = self.rows.get(number)
        if found is None:
            found = self.rows[number] = self._writer.row(number)
        return found

    def pool(self, number: int) -> ReadPool:
        """Return the reader of constants of a type."""
        found = self.pools.get(number)
        if found is None:
            found = self.pools[number] = self._writer.pool(number)
        return found


class Chunk:
    """A chunk whose bytes are ``data``, the header included. ``former``: the types of the chunk before it."""

    def __init__(self, header: Header, data: bytes, place: int, former: ChunkTypes | None = None) -> None:
        self.header = header
        self._data = data
        self._place = place
        self._former = former
        self._types: ChunkTypes | None = None
        self._pools: dict[int, dict[int, Any]] | None = None
        self._divisor = header.ticks_per_second / 1_000_000_000.0

    @property
    def metadata(self) -> Metadata:
        """The types."""
        return self._described().metadata

    @property
    def types(self) -> dict[int, Type]:
        """The types by number."""
        return self._described().metadata.types

    @property
    def known_types(self) -> ChunkTypes | None:
        """The types for the next chunk to share, or None if they are not known yet."""
        return self._types or self._former

    def _described(self) -> ChunkTypes:
        found = self._types
        if found is None:
            compressed, former = self.header.compressed, self._former
            like = former.metadata if former is not None and former.compressed == compressed else None
            try:
                metadata = read_metadata(self._data, self._metadata_at(), compressed, like)
            except IndexError:
                raise self._cut("the metadata") from None
            found = former if former is not None and metadata is like else ChunkTypes(metadata, compressed)
            self._types = found
        return found

    def rows(self, *names: str) -> Iterator[tuple[Type, Row]]:
        """Yield the type and raw values of each event, in the order of the file; of these types, or of all."""
        described = self._described()
        types = described.metadata.types
        if names:
            by_name = described.metadata.by_name
            wanted: Collection[int] = {by_name[name].id for name in names if name in by_name}
            if not wanted:
                return
        else:
            wanted = {number for number, each in types.items() if each.is_event}
        data, readers = self._data, described.rows
        compressed, length = self.header.compressed, len(data)
        end = HEADER_SIZE
        try:
            while end < length:
                begin = end
                size, at = data[begin], begin + 1
                if size > 127 or not compressed:
                    size, at = self._size(begin)
                end = begin + size
                if end <= at or end > length:
                    self._check_end(begin, size)
                    return
                if not compressed:
                    number, at = int.from_bytes(data[at : at + 8], "big"), at + 8
                elif (number := data[at]) < 128:
                    at += 1
                else:
                    number, at = varint(data, at)
                if number in wanted:
                    read = readers.get(number) or described.row(number)
                    row, at = read(data, at)
                    if at > end:
                        raise BadRecording(
                            f"the {types[number].name} at byte {self._place + begin} is longer than it says"
                        )
                    yield types[number], row
        except IndexError:
            raise self._cut("an event") from None

    def constant(self, type_id: int, key: int) -> Any:
        """Return the raw value of a constant, or None if the chunk has none with this key."""
        return self.pool(type_id).get(key)

    def pool(self, type_id: int) -> dict[int, Any]:
        """Return the raw values of all constants of a type by key."""
        if self._pools is None:
            pools: dict[int, dict[int, Any]] = {}
            try:
                self._read_constants(pools)
            except IndexError:
                raise self._cut("a constant") from None
            self._pools = pools
        return self._pools.get(type_id) or {}

    def text(self, raw: str | int | None) -> str | None:
        """Return a string, which may be the key of a constant."""
        for _ in range(2):
            if not isinstance(raw, int):
                return raw
            raw = self.constant(self._described().string_type, raw)
        return None

    def nanos(self, ticks: int) -> int:
        """Return the time of the chunk's clock in nanoseconds since 1970."""
        return self.header.start_nanos + int((ticks - self.header.start_ticks) / self._divisor)

    def span(self, ticks: int) -> int:
        """Return a number of ticks in nanoseconds."""
        return int(ticks / self._divisor)

    def _cut(self, what: str) -> BadRecording:
        return BadRecording(f"{what} goes beyond the end of the chunk at byte {self._place}")

    def _check_end(self, begin: int, size: int) -> None:
        """Raise BadRecording for an event of a wrong size, unless the chunk was being written."""
        if self.header.size:
            raise BadRecording(f"the event at byte {self._place + begin} says that it has {size} bytes")

    def _size(self, at: int) -> tuple[int, int]:
        if self.header.compressed:
            return varint(self._data, at)
        return int.from_bytes(self._data[at : at + 4], "big"), at + 4

    def _number(self, at: int, size: int) -> tuple[int, int]:
        if self.header.compressed:
            return varint(self._data, at)
        if size > len(self._data) - at:
            raise IndexError
        return int.from_bytes(self._data[at : at + size], "big"), at + size

    def _metadata_at(self) -> int:
        at = self.header.metadata
        if at == 0:
            at = next((at for kind, at in self._special() if kind == _METADATA), 0)
        if not HEADER_SIZE <= at < len(self._data):
            raise BadRecording(f"the chunk at byte {self._place} has no metadata")
        return at

    def _special(self) -> Iterator[tuple[int, int]]:
        """Yield the metadata and checkpoints that a walk over all events meets."""
        at, length = HEADER_SIZE, len(self._data)
        while at < length:
            size, start = self._size(at)
            if at + size <= start or at + size > length:
                self._check_end(at, size)
                return
            number, _ = self._number(start, 8)
            if number in (_METADATA, _CHECKPOINT):
                yield number, at
            at += size

    def _checkpoints(self) -> Iterator[int]:
        """Yield the offsets of all checkpoints; each says how far before it the one before it is."""
        at = self.header.constants
        if at == 0:
            yield from (at for kind, at in self._special() if kind == _CHECKPOINT)
            return
        limit = len(self._data)
        while True:
            if not HEADER_SIZE <= at < limit:
                raise BadRecording(f"a checkpoint of the chunk at byte {self._place} is said to be at its byte {at}")
            size, start = self._size(at)
            if at + size > limit:
                raise BadRecording(f"the checkpoint at byte {self._place + at} says that it has {size} bytes")
            limit = at
            yield at
            for _ in range(3):  # type, start, duration
                _, start = self._number(start, 8)
            delta, _ = self._number(start, 8)
            if delta == 0:
                return
            at += signed(delta, 64)

    def _read_constants(self, pools: dict[int, dict[int, Any]]) -> None:
        described = self._described()
        for begin in self._checkpoints():
            size, at = self._size(begin)
            for _ in range(4):  # type, start, duration, delta
                _, at = self._number(at, 8)
            at += 1  # what kind of checkpoint it is
            count, at = self._number(at, 4)
            for _ in range(count):
                number, at = self._number(at, 8)
                constants, at = self._number(at, 4)
                fill = described.pool(number)
                at = fill(self._data, at, constants, pools.setdefault(number, {}))
                if at > begin + size:
                    raise BadRecording(f"the checkpoint at byte {self._place + begin} is longer than it says")

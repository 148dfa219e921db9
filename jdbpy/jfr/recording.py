"""A recording: chunks one after the other, each with types and constants of its own.

Owns the file: one chunk of it is in memory at a time.
"""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from jdbpy.jfr.chunk import Chunk, ChunkTypes
from jdbpy.jfr.metadata import Type
from jdbpy.jfr.primitives import HEADER_SIZE, BadRecording, read_header
from jdbpy.jfr.values import Event

LARGEST_CHUNK = 1 << 30
"""The most bytes of a chunk that is read; the JVM begins another after 12 MB."""


class FlightRecording:
    """A file, or bytes, with events. Every iteration reads it anew."""

    def __init__(self, source: str | os.PathLike[str] | bytes) -> None:
        self._source = source if isinstance(source, bytes) else Path(source)

    def chunks(self) -> Iterator[Chunk]:
        """Yield the chunks. Raises BadRecording where the bytes are none, OSError where the file cannot be read."""
        with self._open() as file:
            size = file.seek(0, os.SEEK_END)
            place = 0
            known: ChunkTypes | None = None
            while place < size or not place:
                file.seek(place)
                header = read_header(file.read(HEADER_SIZE), place)
                length = header.size or size - place
                if not HEADER_SIZE <= length <= size - place:
                    raise BadRecording(
                        f"the chunk at byte {place} says that it has {length} bytes, {size - place} are there",
                        hint="the recording was cut off on its way here" if length > size - place else "",
                    )
                if length > LARGEST_CHUNK:
                    raise BadRecording(f"the chunk at byte {place} has {length} bytes: more than {LARGEST_CHUNK}")
                file.seek(place)
                chunk = Chunk(header, file.read(length), place, known)
                yield chunk
                known = chunk.known_types
                place += length

    def events(self, *names: str) -> Iterator[Event]:
        """Yield the events of these types, or all events, in the order of the file: ``events("jdk.ThreadSleep")``."""
        for chunk in self.chunks():
            for kind, row in chunk.rows(*names):
                yield Event(chunk, kind, row)

    def __iter__(self) -> Iterator[Event]:
        return self.events()

    def event_types(self) -> dict[str, Type]:
        """Return the types of events that the recording describes, by name; also those without an event."""
        found: dict[str, Type] = {}
        for chunk in self.chunks():
            found.update({each.name: each for each in chunk.types.values() if each.is_event})
        return found

    def counts(self) -> Counter[str]:
        """Return how many events of each type there are."""
        found: Counter[str] = Counter()
        for chunk in self.chunks():
            for kind, _ in chunk.rows():
                found[kind.name] += 1
        return found

    def _open(self) -> BinaryIO:
        return io.BytesIO(self._source) if isinstance(self._source, bytes) else self._source.open("rb")


def read(source: str | os.PathLike[str] | bytes) -> FlightRecording:
    """Return the recording in a file, or in bytes. Nothing of it is read yet, but its first bytes are looked at."""
    recording = FlightRecording(source)
    with recording._open() as file:
        read_header(file.read(HEADER_SIZE), 0)
    return recording

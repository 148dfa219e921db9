"""Snapshots: what was taken, what is opened, how far it is, what was found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from jdbpy.record import Record

DEFAULT_DEPTH = 4
"""References that are followed from a variable. Arrays and collections of the JDK on the way count a quarter."""

DEFAULT_MOST = 64 * 1024 * 1024
"""Bytes of answers after which no further object is asked for."""


class SnapshotTaken(Record):
    """A snapshot that was written to ``path``. Times are in seconds, sizes in bytes.

    ``paused`` is how long the snapshot kept the JVM suspended; None if it was suspended anyway. ``trips`` is the
    longest chain of questions, each of which needed the answer to the one before; ``paused_trips`` of them were asked
    while it was suspended. ``complete`` is False when ``most``
    ended the collection. ``masked`` counts the values that were replaced, ``names_only`` the classes for whose facts
    there was no time.
    """

    json_name = "snapshot"

    path: Annotated[str, "the file"]
    threads: int
    frames: int
    objects: int
    classes: Annotated[int, "of these objects, superclasses among them"]
    paused: Annotated[float | None, "how long it kept the JVM suspended; null if that was suspended anyway"]
    took: Annotated[float, "from the beginning to the file"]
    trips: Annotated[int, "the longest chain of questions that waited for each other"]
    paused_trips: Annotated[int, "those of them while it was suspended"]
    questions: int
    collected: Annotated[int, "bytes of answers"]
    size: Annotated[int, "of the file"]
    complete: Annotated[bool, "false when --max ended the collection"]
    masked: Annotated[int, "values that were replaced"] = 0
    names_only: Annotated[int, "classes of which it has the names only: no time for more"] = 0
    recorded: Annotated[int, "recorded calls that are in it"] = 0
    recorded_left_out: Annotated[int, "recorded calls that are not: what they hold cannot be masked"] = 0


class SnapshotInfo(Record):
    """The snapshot that a session shows. ``taken`` is the time in seconds since the epoch, ``address`` the JVM's.

    ``reason`` says why the JVM was stopped, "" if only the snapshot stopped it; ``masks`` are the patterns of names.
    """

    path: str
    taken: float
    address: str
    threads: int
    frames: int
    objects: int
    complete: bool
    depth: int
    reason: str = ""
    masks: Sequence[str] = ()
    recorded: int = 0
    """Recorded calls that are in it."""
    calls_alone: bool = False
    """It is a file of recorded calls, and nothing else of a JVM is there."""

    @property
    def noun(self) -> str:
        """What it is: in messages."""
        return "a file of recorded calls" if self.calls_alone else "a snapshot"


class SnapshotProgress(Record):
    """The progress of a snapshot: ``what`` is "threads", "objects", "classes" or "file"."""

    what: str
    threads: int
    objects: int
    collected: int


class TextFound(Record):
    """A text that contains what was searched. ``where`` says what it is or what holds it, from the inside out.

    ``id`` is the object, None for names.
    """

    kind: Annotated[str, "string, thread or class"]
    text: str
    where: Annotated[Sequence[str], "of a string: the thread and frame, and the expression there"] = ()
    id: Annotated[int | None, "the object's id"] = None


class TextsFound(Record):
    """The texts that contain ``text``: the first ones, and how many there are in all."""

    text: Annotated[str, "what was looked for"]
    total: int
    found: Annotated[Sequence[TextFound], "the first ones"]

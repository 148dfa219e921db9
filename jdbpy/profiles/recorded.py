"""Reads profiles from a flight recording.

Owns the conversion of events to weighted stacks. Each stack of a chunk is resolved once, however many events refer to
it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from jdbpy.drawing.units import NANOS
from jdbpy.jfr.chunk import Chunk
from jdbpy.jfr.metadata import Type
from jdbpy.jfr.recording import FlightRecording
from jdbpy.profiles.kinds import EXCEPTIONS, KINDS, LOCK, PERIOD_MILLIS, EventSource, Kind
from jdbpy.profiles.profile import Profile

_HIDDEN = re.compile(r"(\$\$Lambda|LambdaForm\$\w+|\$\$InjectedInvoker)[\w$]*([/.+](0x)?[0-9a-f]+)+")
_THROWABLE = re.compile(r"(Exception|Error|Throwable)\.<init>$")
_LOCKS = "java.util.concurrent.locks."
_PERIOD = re.compile(r"(\d{1,9}) ?(ns|us|ms|s)$")
_UNITS = {"ns": 1, "us": 1000, "ms": 1_000_000, "s": 1_000_000_000}

_SAMPLED = "jdk.ObjectAllocationSample"

Path = tuple[str, ...]


def read_profile(recording: FlightRecording, kind: str, given: Mapping[str, str] | None = None) -> Profile:
    """Return the profile of one kind from a recording; empty if the recording has no such events.

    ``given`` are settings that it was made with, by ``EVENT#SETTING``, where it does not state them itself.
    """
    wanted = KINDS[kind]
    settings = _settings(recording)
    for key, value in (given or {}).items():
        event, _, setting = key.partition("#")
        settings.setdefault((event, setting), value)
    empty: Profile | None = None
    for sources, bias in zip(wanted.sources, wanted.biases, strict=True):
        profile = _of_sources(recording, wanted, sources, settings)
        profile.notes = (bias.words(settings),)
        if profile.samples:
            return profile
        if empty is None and settings.get((sources[0].event, "enabled")) == "true":
            empty = profile  # it would have had these
    return empty or profile


def kinds_in(counts: Mapping[str, int]) -> list[str]:
    """Return the kinds of profiles that a recording has events for, by its events of each type (``counts``)."""
    return [
        kind.name
        for kind in KINDS.values()
        if any(counts.get(source.event) for sources in kind.sources for source in sources)
    ]


def _of_sources(
    recording: FlightRecording, kind: Kind, sources: tuple[EventSource, ...], settings: dict[tuple[str, str], str]
) -> Profile:
    profile = Profile(kind.name, kind.unit, kind.title)
    moments: list[tuple[int, int, int]] = []
    begun_threads: set[str] = set()
    by_event = {source.event: source for source in sources}
    begun, ended = 0, 0
    period = _nanos(settings.get(("jdk.ExecutionSample", "period"), "")) or PERIOD_MILLIS * 1_000_000
    for chunk in recording.chunks():
        header = chunk.header
        begun = min(begun or header.start_nanos, header.start_nanos)
        ended = max(ended, header.start_nanos + max(0, header.duration_nanos))
        profile.recorded += header.size
        names = _Names(chunk, kind.name == EXCEPTIONS)
        readers: dict[int, _Reader] = {}
        for event, row in chunk.rows(*by_event):
            reader = readers.get(event.id)
            if reader is None:
                source = by_event[event.name]
                reader = readers[event.id] = _Reader(names, event, source, kind.name == LOCK)
                if kind.unit == NANOS and not source.weight:
                    reader.constant = period
            read = reader.read(row)
            if read is not None:
                weight, path, thread, about = read
                if event.name == _SAMPLED and thread not in begun_threads:
                    # the first one of a thread stands for all that it has ever allocated
                    begun_threads.add(thread)
                    continue
                profile.add(path, weight, thread, about)
                if reader.start >= 0:
                    moments.append((chunk.nanos(row[reader.start]), weight, weight if kind.unit == NANOS else 0))
    profile.seconds = max(0, ended - begun) / 1e9
    profile.set_course(moments)
    return profile


def _settings(recording: FlightRecording) -> dict[tuple[str, str], str]:
    """Return the settings that a recording states, by event and setting; of several values the first one."""
    found: dict[tuple[str, str], str] = {}
    for chunk in recording.chunks():
        names = {each.id: name for name, each in chunk.metadata.by_name.items()}
        for setting, row in chunk.rows("jdk.ActiveSetting"):
            index = setting.index
            if {"id", "name", "value"} <= index.keys() and row[index["id"]] in names:
                key = names[row[index["id"]]], chunk.text(row[index["name"]]) or ""
                found.setdefault(key, chunk.text(row[index["value"]]) or "")
    return found


def _nanos(text: str) -> int:
    """Return a time of a setting in nanoseconds, 0 if it is none."""
    found = _PERIOD.match(text)
    return int(found[1]) * _UNITS[found[2]] if found is not None else 0


class _Reader:
    """Reads what a profile needs from the rows of one event type. ``start`` is the index of the timestamp field, or
    -1."""

    def __init__(self, names: _Names, event: Type, source: EventSource, locks_only: bool) -> None:
        index = event.index
        self._names = names
        self._stack = index.get("stackTrace", -1)
        self._thread = index.get(source.thread, -1)
        self._weight = index.get(source.weight, -1)
        self._about = index.get(source.about, -1)
        self._failed = index.get("failed", -1)
        self._ticks = source.weight == "duration"
        self._locks_only = locks_only and source.about == "parkedClass"
        self.start = index.get("startTime", -1)
        self.constant = 1

    def read(self, row: tuple[Any, ...]) -> tuple[int, Path, str, str] | None:
        """Return the weight, stack, thread and class of an event, None if it is to be ignored."""
        names = self._names
        about = names.class_name(row[self._about]) if self._about >= 0 else ""
        if self._locks_only and (not about.startswith(_LOCKS) or "Condition" in about):
            return None
        if self._failed >= 0 and row[self._failed]:
            return None
        weight = self.constant
        if self._weight >= 0:
            weight = row[self._weight]
            if not isinstance(weight, int) or weight <= 0:
                return None
            if self._ticks:
                weight = names.chunk.span(weight)
        path = names.stack(row[self._stack]) if self._stack >= 0 else ()
        thread = names.thread(row[self._thread]) if self._thread >= 0 else ""
        return weight, path or ("[no Java frames]",), thread or "[no thread]", about


class _Names:
    """The stacks, threads and classes of a chunk as text."""

    def __init__(self, chunk: Chunk, thrown: bool) -> None:
        self.chunk = chunk
        self._thrown = thrown
        types = chunk.metadata.by_name
        self._stack_type = types.get("jdk.types.StackTrace")
        self._frame_type = types.get("jdk.types.StackFrame")
        self._method_type = types.get("jdk.types.Method")
        self._class_type = types.get("java.lang.Class")
        self._thread_type = types.get("java.lang.Thread")
        self._stacks: dict[Any, Path] = {}
        self._methods: dict[Any, str] = {}
        self._classes: dict[Any, str] = {}
        self._threads: dict[Any, str] = {}

    def stack(self, key: Any) -> Path:
        found: Path = self._once(self._stacks, key, self._stack)
        return found

    def class_name(self, key: Any) -> str:
        found: str = self._once(self._classes, key, self._class)
        return found

    def thread(self, key: Any) -> str:
        found: str = self._once(self._threads, key, self._thread)
        return found

    def _once(self, known: dict[Any, Any], key: Any, find: Callable[[Any], Any]) -> Any:
        if not isinstance(key, int):
            return find(None)
        if key not in known:
            known[key] = find(key)
        return known[key]

    def _constant(self, kind: Type | None, key: Any) -> dict[str, Any]:
        """Return the raw fields of a constant by name; empty if there is no such constant."""
        value = None if kind is None or key is None else self.chunk.constant(kind.id, key)
        if kind is None or not isinstance(value, tuple):
            return {}
        return dict(zip(kind.index, value, strict=False))

    def _stack(self, key: Any) -> Path:
        frames = self._constant(self._stack_type, key).get("frames")
        if self._frame_type is None or not isinstance(frames, list):
            return ()
        place = self._frame_type.index.get("method", -1)
        if place < 0:
            return ()
        found = [
            self._once(self._methods, frame[place] if isinstance(frame, tuple) else None, self._method)
            for frame in frames
        ]
        if self._thrown:  # where an exception is made, not how
            first = next((at for at, name in enumerate(found) if not _THROWABLE.search(name)), 0)
            found = found[first:]
        return tuple(reversed(found))

    def _method(self, key: Any) -> str:
        fields = self._constant(self._method_type, key)
        return f"{self.class_name(fields.get('type'))}.{self._symbol(fields.get('name'))}"

    def _class(self, key: Any) -> str:
        name = self._symbol(self._constant(self._class_type, key).get("name"))
        return class_in_words(name)

    def _symbol(self, raw: Any) -> str:
        """Return the text of a symbol: a string, or a constant that is a struct with one string."""
        kind = self.chunk.metadata.by_name.get("jdk.types.Symbol")
        if isinstance(raw, int) and kind is not None:
            value = self.chunk.constant(kind.id, raw)
            raw = value[0] if isinstance(value, tuple) and value else None
        return (self.chunk.text(raw) if isinstance(raw, (str, int)) else None) or "?"

    def _thread(self, key: Any) -> str:
        fields = self._constant(self._thread_type, key)
        for name in ("javaName", "osName"):
            text = fields.get(name)
            found = self.chunk.text(text) if isinstance(text, (str, int)) else None
            if found:
                return found
        return ""


_PRIMITIVES = {
    "Z": "boolean", "B": "byte", "C": "char", "S": "short", "I": "int", "J": "long", "F": "float", "D": "double",
}  # fmt: skip


def class_in_words(name: str) -> str:
    """Return a class name in source form: ``java.lang.String[]`` for ``[Ljava/lang/String;``; numbers of lambda classes
    are dropped."""
    dimensions = len(name) - len(name.lstrip("["))
    if dimensions:
        name = name[dimensions:]
        name = name[1:-1] if name.startswith("L") and name.endswith(";") else _PRIMITIVES.get(name, name)
    return _HIDDEN.sub(r"\1", name).replace("/", ".") + "[]" * dimensions

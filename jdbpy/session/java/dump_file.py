"""Reads the JSON that ``Thread.dump_to_file`` writes (Java 21): all threads, virtual ones among them. Pure.

Of a hundred thousand threads most stand where others stand: equal frames and stacks are one object, and the file is
decoded in pieces, one thread after the other. What it may ask of this side is bounded: it comes from a process that may
be hostile.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from typing import Any

from jdbpy.errors import StateError
from jdbpy.record import Record

MOST_THREADS = 1_000_000
"""Virtual threads that are taken in."""

_MOST_FRAMES = 4_000_000
"""Frames of the stacks that differ."""

_MOST_VALUE = 4 << 20
"""Characters of one thread, or of anything else in the file."""

_PIECE = 1 << 18
_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n"
_ROOT = "<root>"
"""The container of threads that were started in none."""

_VIRTUAL = "java.lang.VirtualThread"
_OF_CARRIERS = "runContinuation"
"""The method of that class which a carrier runs."""

_UNKNOWN = ("Native Method", "Unknown Source", "Redefined")


class DumpedFrame(Record):
    """A frame as a dump shows it. ``line`` is 0 where it is not known; ``native``: the method is."""

    class_name: str
    method: str
    file: str = ""
    line: int = 0
    native: bool = False


class DumpedVirtualThread:
    """A virtual thread of a dump. ``state`` is the name of a ``Thread.State``, "" before Java 25, which tells none."""

    __slots__ = ("blocker", "container", "entering", "frames", "name", "number", "state", "waiting")

    def __init__(self, number: int, name: str, state: str, frames: tuple[DumpedFrame, ...]) -> None:
        self.number = number
        """Its id in Java."""
        self.name = name
        self.state = state
        self.frames = frames
        """The same object for equal stacks."""
        self.container = ""
        """The executor or scope that it was started in; "" for none."""
        self.blocker = self.entering = self.waiting = ""
        """The park blocker, the contended monitor and the object of ``Object.wait``, as class@hash; "" for none."""


def parse_dump_file(data: bytes) -> list[DumpedVirtualThread]:
    """Return the virtual threads in a dump. Raises StateError for what is none, or is too large."""
    parser = _DumpParser(data)
    try:
        for key in parser.members():
            if key == "threadDump":
                parser.dump()
            else:
                parser.value()
    except RecursionError:
        raise _unreadable("it is nested too deeply") from None
    return parser.threads


def parse_frame(text: str) -> DumpedFrame:
    """Return the frame that a ``StackTraceElement`` prints: ``java.base/java.lang.Thread.run(Thread.java:1583)``."""
    before, opened, place = text.rpartition("(")
    if not opened:
        return DumpedFrame(text[:200], "")
    place = place.removesuffix(")")
    class_name, _, method = before.rpartition(".")
    loader, slash, own = class_name.rpartition("/")
    # the name of a hidden class has a slash of its own: Shop$$Lambda/0x00007f12
    class_name = loader.rpartition("/")[2] + slash + own if own.startswith("0x") else own
    file, _, line = place.rpartition(":")
    if not (line.isascii() and line.isdigit() and len(line) < 10):
        file, line = place, "0"
    known = place not in _UNKNOWN
    return DumpedFrame(class_name, method, file if known else "", int(line), place == "Native Method")


def _unreadable(why: str) -> StateError:
    return StateError(f"the JVM's dump of its threads cannot be read: {why}", code="NO_ANSWER")


class _DumpParser:
    """The file as far as it is decoded, and what it has told."""

    def __init__(self, data: bytes) -> None:
        self.threads: list[DumpedVirtualThread] = []
        self._data = memoryview(data)
        self._taken = 0
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._text = ""
        self._at = 0
        self._places: dict[str, DumpedFrame] = {}
        self._stacks: dict[tuple[str, ...], tuple[DumpedFrame, ...]] = {}
        self._frames = 0

    # -- what is in it ---------------------------------------------------------------------------------------------

    def dump(self) -> None:
        for key in self.members():
            if key == "threadContainers":
                for _ in self.items():
                    self._container()
            else:
                self.value()

    def _container(self) -> None:
        first, name = len(self.threads), ""
        for key in self.members():
            if key == "threads":
                for _ in self.items():
                    self._thread(self.value())
            else:
                value = self.value()
                if key == "container" and isinstance(value, str) and value != _ROOT:
                    name = value
        for each in self.threads[first:]:
            each.container = name

    def _thread(self, told: Any) -> None:
        if not isinstance(told, dict):
            raise _unreadable("a thread in it is none")
        number, name, state = str(told.get("tid", "")), told.get("name", ""), told.get("state", "")
        lines = told.get("stack", [])
        if not (number.isascii() and number.isdigit() and len(number) < 19 and isinstance(name, str)
                and isinstance(state, str) and isinstance(lines, list)):  # fmt: skip
            raise _unreadable("a thread in it has no number, name and stack")
        frames = self._stack(lines)
        if not (told.get("virtual") is True or ("virtual" not in told and not state and _is_virtual(frames))):
            return
        if len(self.threads) >= MOST_THREADS:
            raise _unreadable(f"it has more than {MOST_THREADS:,} virtual threads")
        thread = DumpedVirtualThread(int(number), name, state, frames)
        parked = told.get("parkBlocker")
        thread.blocker = _text(parked.get("object") if isinstance(parked, dict) else parked)
        thread.entering = _text(told.get("blockedOn"))
        thread.waiting = _text(told.get("waitingOn"))
        self.threads.append(thread)

    def _stack(self, lines: list[Any]) -> tuple[DumpedFrame, ...]:
        key = tuple(map(str, lines))
        found = self._stacks.get(key)
        if found is None:
            self._frames += len(key)
            if self._frames > _MOST_FRAMES:
                raise _unreadable(f"its stacks have more than {_MOST_FRAMES:,} frames")
            found = self._stacks[key] = tuple(map(self._place, key))
        return found

    def _place(self, line: str) -> DumpedFrame:
        found = self._places.get(line)
        if found is None:
            found = self._places[line] = parse_frame(line)
        return found

    # -- JSON ------------------------------------------------------------------------------------------------------

    def members(self) -> Iterator[str]:
        """Yield the keys of the object that begins here. The caller reads each value before the next key."""
        self._expect("{")
        if self._next() == "}":
            self._at += 1
            return
        while True:
            key = self.value()
            if not isinstance(key, str):
                raise _unreadable("it is not the JSON of a thread dump")
            self._expect(":")
            yield key
            if not self._goes_on("}"):
                return

    def items(self) -> Iterator[None]:
        """The same for the elements of an array."""
        self._expect("[")
        if self._next() == "]":
            self._at += 1
            return
        while True:
            yield
            if not self._goes_on("]"):
                return

    def value(self) -> Any:
        """Return the value that begins here."""
        self._next()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except ValueError:
                end = -1
            have = len(self._text) - self._at
            ended = end == len(self._text) and self._taken == len(self._data)
            if 0 <= end < len(self._text) or ended:  # a number may go on in the next piece
                self._at = end
                return value
            if have > _MOST_VALUE:
                raise _unreadable("a value in it is too long, or no JSON")
            if not self._more(max(have, _PIECE)):
                raise _unreadable("it is cut off, or not the JSON of a thread dump")

    def _goes_on(self, end: str) -> bool:
        found = self._next()
        if found not in (",", end):
            raise _unreadable("it is not the JSON of a thread dump")
        self._at += 1
        return found == ","

    def _expect(self, character: str) -> None:
        if self._next() != character:
            raise _unreadable("it is not the JSON of a thread dump")
        self._at += 1

    def _next(self) -> str:
        """Return the next character that is no space; "" at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _SPACE:
                    return self._text[self._at]
                self._at += 1
            if not self._more():
                return ""

    def _more(self, size: int = _PIECE) -> bool:
        """Decode so many bytes more; False at the end."""
        if self._taken >= len(self._data):
            return False
        piece = self._data[self._taken : self._taken + size]
        self._taken += len(piece)
        self._text = self._text[self._at :] + self._decode(piece, self._taken >= len(self._data))
        self._at = 0
        return True


def _is_virtual(frames: tuple[DumpedFrame, ...]) -> bool:
    """True for the stack of a virtual thread: before Java 25 nothing else tells. Of more than 1,024 frames a dump has
    the innermost."""
    if not frames:
        return False
    first, last = frames[0], frames[-1]
    return (last.class_name, last.method) == (_VIRTUAL, "run") or (
        first.class_name == _VIRTUAL and first.method != _OF_CARRIERS
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""

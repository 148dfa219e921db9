"""Pieces about where something is: places in code, frames, threads and their states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from jdbpy import FrameInfo, Location, StackTrace, ThreadInfo
from jdbpy.cli.output.pieces import Line, Pieces, Shown, count, faint, name, package, piece, remark, title
from jdbpy.cli.settings import Settings


def method_of(location: Location) -> Pieces:
    """``com.acme.Order.total``: the method stands out, its package stands back."""
    begin, dot, simple = location.class_name.rpartition(".")
    return package(begin + dot) + name(f"{simple}.{location.method}")


def line_of(location: Location) -> str:
    """``Order.java:42``, or what is known of it."""
    if location.code_index < 0:
        return "native method"
    if location.source is None:
        return "unknown source" if location.line is None else f"line {location.line}"
    line = f":{location.line}" if location.line is not None else ""
    return location.source + (line or (f", {location.error}" if location.error else ""))


def place_of(location: Location) -> Pieces:
    """``com.acme.Order.total (Order.java:42)``."""
    return method_of(location) + " " + piece(f"({line_of(location)})", "type")


def short_place_of(location: Location) -> str:
    """``Order.total:42``: no package, no file, whose name is the class's as a rule; ``Util.kt:3`` of a source map."""
    line = f":{location.line}" if location.line is not None else ""
    if location.stratum:
        return f"{location.source}{line}"
    return f"{location.class_name.rpartition('.')[2]}.{location.method}{line}"


def frame_line(frame: FrameInfo, settings: Settings) -> Pieces:
    """``[1] com.acme.Order.total (Order.java:42)``, the number as the setting frame-base wants it."""
    [line] = FrameLines(settings).of([frame])
    return line


_REPLACED = " [replaced since]"


class FrameLines:
    """The lines of frames, of which there may be a hundred thousand, most of them at the same few places.

    ``pc`` says where in the bytecode, ``indent`` stands before each line.
    """

    def __init__(self, settings: Settings, *, pc: bool = False, indent: str = "") -> None:
        self._base: int = settings["frame-base"]
        self._pc = pc
        self._open = f"{indent}[", "plain"
        self._places: dict[int, tuple[Location, Pieces, str]] = {}  # by the identity of the location, which stays alive

    def of(self, frames: Iterable[FrameInfo]) -> Iterator[Pieces]:
        """Yield a line for each frame."""
        for frame in frames:
            location = frame.location
            known = self._places.get(id(location)) or self._learn(location)
            line = Pieces((self._open, (str(frame.index - 1 + self._base), "number"), *known[1].pieces))
            yield line + faint(_REPLACED) if frame.obsolete else line

    def plain(self, frames: Iterable[FrameInfo]) -> Iterator[str]:
        """Yield the text of a line for each frame."""
        begin, add, places = self._open[0], self._base - 1, self._places
        for frame in frames:
            known = places.get(id(frame.location)) or self._learn(frame.location)
            yield f"{begin}{frame.index + add}{known[2]}{_REPLACED if frame.obsolete else ''}"

    def _learn(self, location: Location) -> tuple[Location, Pieces, str]:
        shown = "] " + place_of(location)
        if self._pc and location.code_index >= 0:
            shown += f", pc = {location.code_index}"
        known = self._places[id(location)] = location, shown, shown.text
        return known


def shared_stack(head: Line, frames: Sequence[FrameInfo], error: str, settings: Settings, *, pc: bool = False) -> Shown:
    """Yield the stack that several threads share, or why there is none, below a line that names them."""
    yield head
    yield from FrameLines(settings, pc=pc, indent="  ").of(frames)
    if not frames:
        yield remark(error or "no frames")


def frames_left_out(trace: StackTrace) -> Shown:
    """Yield how many frames of a stack are not shown."""
    more = trace.total - len(trace.frames)
    if more > 0 and trace.frames:
        yield faint(f"  ... {count(more, 'more frame')}")


def thread_title(thread: ThreadInfo, end: str = "") -> Line:
    """``Thread 1 "main", waiting, suspended``."""
    return title(f"Thread {short_name(thread)}") + f", {state_of(thread)}{end}"


def short_name(thread: ThreadInfo) -> str:
    """``1 "main"``; of a thread that the agent does not know ``"order-7" (Java id 53)``."""
    return f'{thread.id} "{thread.name}"' if thread.id else f'"{thread.name}" (Java id {thread.java_id})'


def thread_name(thread: ThreadInfo) -> Pieces:
    """``thread 1 "main"``, within a line."""
    return name(f'thread {thread.id} "{thread.name}"')


def state_of(thread: ThreadInfo) -> str:
    """Return the state in words, with what the debugger does to it."""
    words = [thread.state]
    if thread.at_breakpoint:
        words.append("stopped here")
    elif thread.suspended:
        words.append("suspended" if thread.suspend_count < 2 else f"suspended {thread.suspend_count} times")
    if thread.virtual:
        words.append("virtual")
    if thread.error:
        words.append(thread.error)
    return ", ".join(words)

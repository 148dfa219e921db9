"""Places in code as jdb writes them, with the source line when there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jdbpy.cli.jdb.output import number

if TYPE_CHECKING:
    from jdbpy import Frame, Location, Session


def place(location: Location) -> str:
    """``Order.total(), line=42 bci=0``."""
    line = -1 if location.line is None else location.line
    return f"{location.class_name}.{location.method}(), line={number(line)} bci={number(location.code_index)}"


def thread_and_place(thread: str, location: Location) -> str:
    return f'"thread={thread}", {place(location)}'


def frame_line(frame: Frame, *, pc: bool) -> str:
    """A line of a stack."""
    location = frame.location
    if frame.native:
        where = "native method"
    elif location.line is None:
        where = "null"
    elif location.source is None:
        where = "unknown"
    else:
        where = f"{location.source}:{number(location.line)}"
    end = f", pc = {location.code_index}" if pc and not frame.native else ""
    return f"  [{number(frame.index)}] {location.class_name}.{location.method} ({where}){end}"


async def source_line(session: Session, location: Location) -> str | None:
    """The line of source at a place, numbered."""
    if location.line is None:
        return None
    file = await session.sources.text(location.class_name, location.source_file)
    if file is None or location.line > len(file.lines):
        return None
    return f"{number(location.line)}    {file.lines[location.line - 1]}"

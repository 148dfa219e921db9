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
    return await source_line_of(session, location.class_name, location.line, location.source_file)


async def source_line_of(session: Session, class_name: str, line: int, source: str | None = None) -> str | None:
    """A line of the source of a class, numbered; None if there is none."""
    file = await session.sources.text(class_name, source)
    if file is None or not 1 <= line <= len(file.lines):
        return None
    return f"{number(line)}    {file.lines[line - 1]}"

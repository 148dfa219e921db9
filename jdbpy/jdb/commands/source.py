"""list, use, sourcepath, classpath."""

from __future__ import annotations

import os

from jdbpy import JdbpyError, Location
from jdbpy.jdb.debugger import Debugger
from jdbpy.jdb.interpreter import jdb_command
from jdbpy.jdb.output import number
from jdbpy.jdb.words import Words, whole_number

_BEFORE = 4
_LINES = 10


@jdb_command("list")
async def list_(jdb: Debugger, words: Words) -> None:
    goes_on = jdb.next_listed if jdb.repeating else None
    jdb.next_listed = None
    if jdb.current is None:
        jdb.out.line("No thread specified.")
        return
    try:
        frame = await jdb.target.stack.selected()
    except JdbpyError as error:
        suspended = "no Java frames" not in error.message
        jdb.out.line("Current thread isn't suspended." if suspended else "No frames on the current call stack")
        return
    if frame.native:
        jdb.out.line("Current method is native")
        return
    location = frame.location
    if location.source is None:
        jdb.out.line(f"No source information available for: {location.class_name}")
        return
    word = words.next()
    line = (goes_on or location.line) if not word else whole_number(word)
    marked = location.line
    if line is None and word:
        line = marked = await _line_of_method(jdb, location, word)
        if line is None:
            return
    file = await jdb.target.sources.text(location.class_name, location.source_file)
    if file is None:
        jdb.out.line(f"Source file not found: {location.source}")
        jdb.say_not_searched()
    elif line is None or line < 0:
        jdb.out.line("Source line numbers not available for this location.")
    else:
        _write(jdb, file.lines, line, marked, location, typed=bool(word))


@jdb_command("use", "sourcepath", offline=True)
async def use(jdb: Debugger, words: Words) -> None:
    if not words.more():
        jdb.out.line(jdb.source_path)
        return
    jdb.source_path, jdb.not_searched = words.rest().strip(), ()
    if jdb.session is not None:
        jdb.session.sources.path = tuple(part for part in jdb.source_path.split(os.pathsep) if part)


@jdb_command("classpath")
async def classpath(jdb: Debugger, words: Words) -> None:
    paths = await jdb.target.vm.paths()
    jdb.out.line(f"base directory: {paths.base}")
    jdb.out.line(f"classpath: [{', '.join(paths.class_path)}]")


def _write(
    jdb: Debugger, lines: tuple[str, ...], line: int, marked: int | None, location: Location, *, typed: bool
) -> None:
    start = max(line - _BEFORE, 1)
    if not typed and start > len(lines):
        jdb.out.line("EOF")
        jdb.next_listed = line
        return
    if typed and line > len(lines):
        jdb.out.line(f"{number(line)} is an invalid line number for {location.class_name}")
        return
    for index, text in enumerate(lines[start - 1 : start - 1 + _LINES], start):
        jdb.out.line(f"{number(index)}{' => ' if index == marked else '    '}{text}")
    jdb.next_listed = min(start + _LINES, len(lines) + 1) + _BEFORE


async def _line_of_method(jdb: Debugger, location: Location, name: str) -> int | None:
    """Return the first line of the only method of that name; says so if there is none, or several."""
    methods = await jdb.target.classes.methods(location.class_name, inherited=False)
    found = [each for each in methods if each.name == name]
    if len(found) != 1:
        how = "is an ambiguous method name in" if found else "is not a valid line number or method name for class"
        jdb.out.line(f'"{name}" {how} "{location.class_name}"')
        return None
    entries = await jdb.target.classes.lines(location.class_name, name)
    return min(entries, key=lambda each: each.code_index).line if entries else -1

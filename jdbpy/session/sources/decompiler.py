"""A decompiler of the user's: a program that is given a class file and writes Java to its standard output.

Owns how it is run: the words are the user's alone, without a shell; the class file, which comes from elsewhere, lies in
a directory of this run's own, under a name that this module makes. The time and the output are bounded. Also owns how
its text is laid out on the lines of the class, for front ends that show a whole file beside the line of a frame.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from contextlib import suppress

import trio

from jdbpy.errors import StateError, UsageError
from jdbpy.escape import escape
from jdbpy.session.java.signatures import simple_name
from jdbpy.session.sources.roots import MOST_BYTES
from jdbpy.session.sources.text import SourceFile, decode, methods_in, split_lines
from jdbpy.task_groups import open_nursery

LIMIT = 60.0
"""Seconds that it may take: a JVM's start, and a large class."""

_WORDS_SHOWN = 200
"""Characters of its last words that an error shows."""

_MOST_WORDS = 64 * 1024
"""Bytes of its standard error that are kept."""

_LAST_LINE = 65_535
"""The last line that a class file can name."""

_NOTED = re.compile(r"//((?: \d{1,5})+)\s*$|/\*[SE]L:(\d{1,5})\*/")
"""The line of the class in a comment: Fernflower and Vineflower write the first form, Procyon the second."""

_LINE_COMMENT = re.compile(r"//([^\"]*)$")


def words_of(command: str) -> tuple[str, ...]:
    """Return the program and its arguments; () for "" and "none". Raises UsageError if there is no such program."""
    try:
        words = shlex.split(command)
        if len(words) == 1 and " " in words[0]:  # the whole of it in quotes
            words = shlex.split(words[0])
    except ValueError as error:
        raise UsageError(f"'{command}' cannot be read: {str(error).lower()}") from None
    if words in ([], ["none"]):
        return ()
    if shutil.which(words[0]) is None:
        raise UsageError(f"no program '{words[0]}' on the PATH", hint="give the whole path of the decompiler")
    return tuple(words)


async def decompile(words: Sequence[str], class_name: str, data: bytes) -> SourceFile:
    """Run the program with the path of a class file behind its words; return what it has written.

    Raises StateError when it fails, writes nothing, or takes too long. No trip.
    """
    program = os.path.basename(words[0])
    simple = simple_name(class_name)
    name = simple if re.fullmatch(r"[A-Za-z_$][\w$]{0,99}", simple, re.ASCII) else "Class"
    with tempfile.TemporaryDirectory(prefix="jdbpy-") as directory:
        path = os.path.join(directory, f"{name}.class")
        await trio.Path(path).write_bytes(data)
        with trio.move_on_after(LIMIT):
            status, output, said = await _run([*words, path], directory)
            break_off = "" if len(output) <= MOST_BYTES else f"has written more than {MOST_BYTES >> 20} MB"
            text = split_lines(decode(output))
            if status and not break_off:
                last = escape(said.decode("utf-8", "replace").strip().rpartition("\n")[2][:_WORDS_SHOWN])
                break_off = f"failed with status {status}" + f": {last}" * bool(last)
            elif not any(line.strip() for line in text):
                break_off = "has written nothing"
            if break_off:
                raise StateError(f"the decompiler {program} {break_off}", code="DECOMPILER_FAILED")
            return SourceFile(f"{name}.java, as {program} has made it of the class file", text)
    raise StateError(f"the decompiler {program} was not done within {LIMIT:g} seconds", code="DECOMPILER_FAILED")


async def _run(words: Sequence[str], directory: str) -> tuple[int, bytes, bytes]:
    """Return its status, its output up to one byte more than is taken, and what it has said to its standard error."""
    try:
        process = await trio.lowlevel.open_process(
            list(words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=directory,
            start_new_session=True,
        )
    except OSError as error:
        raise StateError(f"cannot run {words[0]}: {error.strerror or error}", code="DECOMPILER_FAILED") from error
    output, said = bytearray(), bytearray()
    try:
        async with open_nursery() as nursery:
            assert process.stdout is not None
            assert process.stderr is not None
            nursery.start_soon(_take, process.stderr, said, _MOST_WORDS)
            async for data in process.stdout:
                output += data
                if len(output) > MOST_BYTES:
                    nursery.cancel_scope.cancel()
                    break
        return (0 if len(output) > MOST_BYTES else await process.wait()), bytes(output), bytes(said)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # and what it has started
        with trio.CancelScope(shield=True):
            await process.wait()
            for pipe in (process.stdout, process.stderr):
                if pipe is not None:
                    await trio.aclose_forcefully(pipe)


async def _take(stream: trio.abc.ReceiveStream, kept: bytearray, most: int) -> None:
    async for data in stream:
        kept += data[: max(0, most - len(kept))]


def on_lines_of_class(file: SourceFile, class_name: str, methods: Iterable[tuple[str, int]]) -> SourceFile:
    """Return a decompiler's text with each method on the lines that the class has for it.

    ``methods``: names with the line of their first instruction, in the order of the class file. Lines are moved down,
    or joined where there are too many; inside a method they fit as far as the decompiler notes lines, or writes what
    the compiler read. Without ``methods`` the text stays as it is. No trip.
    """
    marks = _in_order(_marks(file, class_name, methods))
    if not marks:
        return file
    lines: list[str] = []
    begin = 0
    for at, line in marks:  # the text's ``lines[begin:at]`` go in front of the class's line ``line``
        between, room = file.lines[begin:at], line - 1 - len(lines)
        if len(between) <= room:
            lines += [*between, *[""] * (room - len(between))]
            begin = at
        elif room:
            lines += [*between[: room - 1], _joined(between[room - 1 :])]
            begin = at
    return SourceFile(file.path, (*lines, *file.lines[begin:]))


def _marks(file: SourceFile, class_name: str, methods: Iterable[tuple[str, int]]) -> dict[int, int]:
    """Return lines of the class by indexes of lines of the text."""
    firsts: dict[str, list[int]] = {}
    for name, line in methods:
        if 0 < line <= _LAST_LINE:
            firsts.setdefault(name, []).append(line)
    marks: dict[int, int] = {}
    for name, lines in firsts.items():
        found = methods_in(file, class_name, name)
        if len(found) != len(lines):  # overloads without code, or a constructor that the source does not have
            continue
        for (first, last), line in zip(found, lines, strict=True):
            if last > first:
                marks[first - 1] = line - 1
            marks[first if last > first else first - 1] = line
    for index, text in enumerate(file.lines if firsts else ()):
        if noted := _NOTED.search(text):
            marks[index] = int((noted[1] or noted[2]).split()[0])
    return marks


def _in_order(marks: dict[int, int]) -> list[tuple[int, int]]:
    """Return the longest row of marks in which both numbers grow."""
    ends: list[int] = []  # the lowest last line of a row of each length
    lengths: list[int] = []
    rising = sorted((at, line) for at, line in marks.items() if line > 0)
    for _, line in rising:
        length = bisect_left(ends, line)
        ends[length : length + 1] = [line]
        lengths.append(length)
    kept: list[tuple[int, int]] = []
    wanted = len(ends) - 1
    for mark, length in zip(reversed(rising), reversed(lengths), strict=True):
        if length == wanted and (not kept or mark[1] < kept[-1][1]):
            kept.append(mark)
            wanted -= 1
    return kept[::-1]


def _joined(lines: Iterable[str]) -> str:
    """Return several lines as one; what is a comment to the end of its line stays one."""
    first, *others = (_LINE_COMMENT.sub(r"/*\1 */", line).rstrip() for line in lines)
    return " ".join([first, *(line.strip() for line in others if line.strip())])

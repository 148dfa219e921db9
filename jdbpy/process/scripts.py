"""The command lines of a batch: from ``-c``, files and standard input, one after the other.

Owns reading; lines of standard input are handed out as they come, so that a program can wait for the answer to one
before it writes the next.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterable
from typing import BinaryIO

from jdbpy.errors import UsageError
from jdbpy.escape import escape
from jdbpy.record import Record

STDIN = "-"

MOST_BYTES = 16 << 20
"""The longest file of commands."""

_AT_MOST = 65536
"""Bytes of standard input that are read at a time."""


class Script(Record):
    """Commands from the command line: one ``command``, or those of the file at ``path`` ("-": standard input)."""

    command: str = ""
    path: str = ""


class ScriptLine(str):
    """A line of a file of commands, with where it is: ``line 3 of FILE``."""

    __slots__ = ("place",)

    place: str

    def __new__(cls, text: str, place: str) -> ScriptLine:
        line = super().__new__(cls, text)
        line.place = place
        return line


def numbered(lines: Iterable[str], path: str) -> list[str]:
    """Return the lines of a file of commands, each with its place."""
    return [ScriptLine(line, f"line {number} of {path}") for number, line in enumerate(lines, 1)]


def failed(line: str) -> str:
    """Return the sentence about a failed line of a script, with its file and number; "" if it is of no script."""
    return f"{escape(line.place)} failed: {escape(line.strip())}" if isinstance(line, ScriptLine) else ""


def read_script(path: str) -> list[str]:
    """Return the lines of a file of commands. Raises UsageError when it cannot be read."""
    try:
        with _open(path) as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise OSError(errno.EFBIG, f"it has more than {MOST_BYTES // (1 << 20)} MB")
        return data.decode("utf-8-sig").splitlines()
    except (OSError, ValueError) as error:
        reason = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else "no file can have such a name"
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else reason
        raise UsageError(f"{escape(path)} cannot be read: {reason}", code="NO_SUCH_FILE") from error


def _open(path: str) -> BinaryIO:
    """Return a file, a pipe or a terminal, open for reading; other devices may have no end. Raises OSError."""
    flags = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0)
    if not stat.S_ISFIFO(os.stat(path).st_mode):  # the writer of a pipe is waited for
        flags |= getattr(os, "O_NONBLOCK", 0)
    handle = os.open(path, flags)
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(mode):
            if stat.S_ISCHR(mode) and not os.isatty(handle) and not os.path.samefile(path, os.devnull):
                raise OSError(errno.EINVAL, "it is a device")
            os.set_blocking(handle, True)
        return open(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


class ScriptLines:
    """The lines of several scripts in order."""

    def __init__(self, scripts: Iterable[Script]) -> None:
        """Files are read now: raises UsageError when one cannot be."""
        self._sources: list[list[str] | str] = []
        for script in scripts:
            if script.path == STDIN:
                self._sources.append(STDIN)
            elif script.path:
                self._sources.append(numbered(read_script(script.path), script.path))
            else:
                self._sources.append(script.command.splitlines())
        self._buffer = b""
        self._ended = sys.stdin is None  # closed: its number may have become that of a socket

    def at_hand(self) -> list[str]:
        """Return all lines but those of standard input: a person types these."""
        return [line for source in self._sources if isinstance(source, list) for line in source]

    def ready(self) -> bool:
        """True if the next line is there without waiting for standard input."""
        self._skip_empty()
        return not self._sources or self._sources[0] != STDIN or b"\n" in self._buffer

    async def next(self) -> str | None:
        """Return the next line, or None when there are no more."""
        self._skip_empty()
        if not self._sources:
            return None
        source = self._sources[0]
        if isinstance(source, list):
            return source.pop(0)
        line = await self._read_line()
        if line is None:
            self._sources.pop(0)
            return await self.next()
        return line

    def _skip_empty(self) -> None:
        while self._sources and not self._sources[0]:
            self._sources.pop(0)

    async def _read_line(self) -> str | None:
        while b"\n" not in self._buffer and not self._ended:
            data = await _read()
            self._ended = not data
            self._buffer += data
        line, newline, self._buffer = self._buffer.partition(b"\n")
        if not line and not newline:
            return None
        return line.decode("utf-8", errors="replace").rstrip("\r")


async def _read() -> bytes:
    """Some bytes of standard input; none at its end. Of a pipe trio's loop sees that they are there: that is a wake-up
    less in each direction than a thread costs, which all else needs."""
    import trio  # here: the command line is parsed, and --help answered, without it

    if _is_pipe():
        while True:
            await trio.lowlevel.wait_readable(0)
            try:
                return os.read(0, _AT_MOST)
            except BlockingIOError:  # another process reads it as well, and was first
                continue
    # os.read: a thread that hangs in sys.stdin would hold its lock and hang the interpreter's end too
    return await trio.to_thread.run_sync(os.read, 0, _AT_MOST, abandon_on_cancel=True)


def _is_pipe() -> bool:
    if sys.platform == "win32":  # there only sockets can be waited for
        return False
    mode = os.fstat(0).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)

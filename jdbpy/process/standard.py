"""Standard output and standard error: how text gets there, and how the debugger ends when it does not.

Owns the one ending for output that is not read: who reads a pipe has gone (the status is 141, as of a process that
SIGPIPE ends), or it cannot be written (one sentence, status 1). It is raised as ``OutputLost`` where the text was to be
written, so that the target is left on the way out as always. Errors of standard error are dropped.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from jdbpy.process.statuses import BROKEN_PIPE, FAILED


class OutputLost(Exception):
    """Standard output takes no more; ``status`` is the exit status for it."""

    def __init__(self, error: OSError) -> None:
        super().__init__(error.strerror or str(error))
        self.status = BROKEN_PIPE if isinstance(error, BrokenPipeError) else FAILED


def prepare() -> None:
    """Open the null device for each standard stream that was closed before the start.

    Else its number becomes that of a socket or a file, which a program that is launched would inherit as its output.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free, which is this one
            os.set_inheritable(number, True)
    if sys.stdout is None:
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115


def write(text: str, stream: TextIO | None = None) -> None:
    """Write text at once, by default to standard output. Raises OutputLost, for standard output only."""
    stream = stream or sys.stdout
    try:
        stream.write(text)
        stream.flush()
    except (OSError, ValueError) as error:
        _give_up(stream, error)


def flush() -> None:
    """Write what is still buffered. Raises OutputLost."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError) as error:
            _give_up(stream, error)


def end(lost: OutputLost) -> int:
    """Say why the debugger ends, unless a reader has just gone; return the exit status."""
    _silence(sys.stdout)
    if lost.status != BROKEN_PIPE:
        write(f"jdbpy: standard output cannot be written: {lost}\n", sys.stderr)
    return lost.status


@contextmanager
def one_loss() -> Iterator[None]:
    """Raise OutputLost by itself where tasks raise it in groups."""
    lost: OutputLost | None = None
    try:
        yield
    except* OutputLost as group:
        lost = _first(group)
    if lost is not None:
        raise lost


def _first(group: BaseExceptionGroup[OutputLost]) -> OutputLost:
    found = group.exceptions[0]
    return found if isinstance(found, OutputLost) else _first(found)


def _give_up(stream: TextIO, error: OSError | ValueError) -> None:
    """Raise OutputLost for standard output; from now on what is written to the stream vanishes."""
    if isinstance(error, UnicodeError):
        raise error
    _silence(stream)
    if stream is not sys.stderr:
        raise OutputLost(error if isinstance(error, OSError) else OSError(str(error))) from error


def _silence(stream: TextIO) -> None:
    """Have all that is written vanish, what is still buffered included: Python flushes that at its end."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)

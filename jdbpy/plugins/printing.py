"""The output of the user's code while it runs beside a session.

``sys.stdout`` stays what it was for everything else: only prints of that code, in its own task or thread, are handed to
the front end, which has a prompt on the screen or writes JSON.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TextIO, cast

_printed: ContextVar[Callable[[str], object] | None] = ContextVar("printed", default=None)


class _Routed:
    """Standard output, or where the code that prints has its own."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        show = _printed.get()
        if show is None:
            return self._stream.write(text)
        token = _printed.set(None)  # the front end writes to standard output itself
        try:
            show(text)
        finally:
            _printed.reset(token)
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def printing(show: Callable[[str], object]) -> Iterator[None]:
    """Hand what is printed in this block to ``show``, in whole lines; the thread or task of the block alone."""
    if not isinstance(sys.stdout, _Routed):
        sys.stdout = cast(TextIO, _Routed(sys.stdout))
    unfinished = ""

    def take(text: str) -> None:
        nonlocal unfinished
        lines, newline, rest = (unfinished + str(text)).rpartition("\n")
        unfinished = rest
        if newline:
            show(lines + newline)

    token = _printed.set(take)
    try:
        yield
    finally:
        _printed.reset(token)
        if unfinished:
            show(unfinished + "\n")

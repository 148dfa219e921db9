"""The outputs of a batch: results to standard output, errors to standard error; in JSON all to the former.

Owns the writing and nothing of the wording. Each piece goes out at once, so that a program at the other end of a pipe
sees it when it happens.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TextIO

from jdbpy import Event, Output, SourceWindow
from jdbpy.cli.output.renderer import Outcome, Renderer
from jdbpy.cli.results import Displayed
from jdbpy.errors import JdbpyError
from jdbpy.escape import escape_lines
from jdbpy.process import standard

_WORTH_WRITING = 32 * 1024
"""Characters that are collected before they are written: each write may wake the program that reads them."""


class Console:
    """Writes what a renderer makes."""

    def __init__(self, renderer: Renderer, *, json: bool) -> None:
        self.renderer = renderer
        self.json = json
        self.listener: Callable[[str], object] | None = None  # told of all that is written
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):  # a terminal or locale that lacks a character must not end the session
                stream.reconfigure(errors="backslashreplace")

    def outcome(self, outcome: Outcome) -> None:
        """A result, or an error."""
        if outcome.error is None:
            for part in _by_size(self.renderer.parts(outcome)):  # all of a long result at once would take much memory
                self.write(part)
        else:
            self.write(self.renderer.error(outcome), sys.stdout if self.json else sys.stderr)

    def failure(self, line: str, error: JdbpyError) -> None:
        """An error outside of any command, such as no connection."""
        self.outcome(Outcome(line, None, error=error))

    def event(self, event: Event, jvm: str = "", stays: str = "") -> None:
        """An event; what the application wrote to its standard error goes to ours. ``stays``: see ``Renderer``."""
        to_errors = isinstance(event, Output) and event.stream == "stderr" and not self.json
        self.write(self.renderer.event(event, jvm, stays), sys.stderr if to_errors else sys.stdout)

    def listening(self, address: str) -> None:
        """Show the address that a JVM can connect to."""
        self.write(self.renderer.listening(address), sys.stdout if self.json else sys.stderr)

    def printed(self, text: str) -> None:
        """Lines that Python of the user has printed."""
        self.event(Output("python", text)) if self.json else self.write(escape_lines(text))

    def displays(self, displayed: Displayed, jvm: str = "") -> None:
        self.write(self.renderer.displays(displayed, jvm))

    def source(self, window: SourceWindow, jvm: str = "") -> None:
        """Source of a stop that is made only now."""
        self.write(self.renderer.source(window, jvm))

    def say(self, text: str) -> None:
        """A word to a person, beside the output."""
        self.write(f"jdbpy: {text}\n", sys.stderr)

    def write(self, text: str, stream: TextIO | None = None) -> None:
        """Write to standard output, or to the given stream, at once. Raises OutputLost."""
        if text:
            if self.listener is not None:
                self.listener(text)
            standard.write(text, stream)


def _by_size(parts: Iterable[str]) -> Iterator[str]:
    """Join parts until they are worth a write of their own."""
    waiting: list[str] = []
    size = 0
    for part in parts:
        waiting.append(part)
        size += len(part)
        if size >= _WORTH_WRITING:
            yield "".join(waiting)
            waiting, size = [], 0
    yield "".join(waiting)

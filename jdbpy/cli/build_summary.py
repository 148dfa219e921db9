"""The summary of a build's failures in Markdown, for those who look at them later; a line of it as each comes."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator

from jdbpy import BuildFailure, recorded
from jdbpy.cli.console import Console
from jdbpy.cli.output.pieces import count
from jdbpy.errors import UsageError
from jdbpy.escape import escape

NAME = "summary.md"
_FRAMES = 8
_SHOWN_CALLS = 20
_LENGTH = 200


class Summary:
    """``summary.md`` in a directory, which is made if it is missing. Raises UsageError where that cannot be."""

    def __init__(self, directory: str, console: Console) -> None:
        self._console = console
        self._path = os.path.join(directory, NAME)
        self._number = 0
        try:
            os.makedirs(directory, exist_ok=True)
            with open(self._path, "a", encoding="utf-8"):
                pass
        except OSError as error:
            raise UsageError(f"{escape(self._path)} cannot be written: {error.strerror}") from error

    def add(self, failure: BuildFailure) -> None:
        """Append a failure, and say that it was."""
        self._number += 1
        try:
            with open(self._path, "a", encoding="utf-8", errors="backslashreplace") as file:
                file.write("\n".join(markdown(failure)) + "\n\n")
        except OSError as error:
            self._console.say(f"{escape(self._path)} cannot be written: {error.strerror}")
        if self._console.json:
            self._console.event(failure.stop, failure.jvm)
        said = f"failure {self._number}: {failure.name}"
        self._console.say(f"{said}, in {failure.snapshot}" if failure.snapshot else f"{said}: {failure.error}")


def markdown(failure: BuildFailure) -> Iterator[str]:
    """Yield the lines of a failure."""
    stop, test = failure.stop, failure.stop.test
    yield f"## {_text(failure.name)}"
    yield ""
    if stop.exception is not None:
        said = f": {stop.exception.message}" if stop.exception.message else ""
        yield from _block([f"{stop.exception.type}{said}"])
    if test is not None and test.is_compared:
        yield from _block([f"expected: {test.expected}", f"actual:   {test.actual}"])
    place = stop.location
    if place is not None:
        line = f":{place.line}" if place.line else ""
        yield (
            f"Stopped in `{_text(place.class_name)}.{_text(place.method)}` ({_text(place.source or '')}{line}), "
            f"JVM {_text(failure.jvm)}."
        )
        yield ""
    if failure.frames:
        lines = [
            f"{each.location.class_name}.{each.location.method}{_line(each.location.line)}" for each in failure.frames
        ]
        more = len(lines) - _FRAMES
        yield from _block([*lines[:_FRAMES], *([f"... {count(more, 'more frame')}"] if more > 0 else [])])
    if failure.variables:
        yield from _block(
            f"{each.name} = {each.value.text if each.value is not None else each.error}" for each in failure.variables
        )
    if failure.calls:
        more = len(failure.calls) - _SHOWN_CALLS
        yield f"The last of {count(len(failure.calls), 'recorded call')}:" if more > 0 else "Recorded calls:"
        yield ""
        yield from _block(map(_call, failure.calls[-_SHOWN_CALLS:]))
    if failure.snapshot:
        yield f"`jdbpy open {shlex.quote(failure.snapshot)}` shows threads, stacks, variables and locks."
    if failure.calls_file:
        yield f"`recorded from {shlex.quote(failure.calls_file)}` at a prompt of jdbpy has every line of these calls."
    if failure.error:
        yield _text(f"Not all could be read: {failure.error}.")


def _call(call: recorded.RecordedCallInfo) -> str:
    given = ", ".join(f"{each.name} = {each.text}" for each in call.arguments)
    ended = f"threw {call.exception}" if call.exception is not None else call.result
    return f"{call.name}({given})" + (
        f" = {ended}" if call.exception is None and ended else f" {ended}" if ended else ""
    )


def _line(line: int | None) -> str:
    return f":{line}" if line else ""


def _block(texts: Iterable[str]) -> Iterator[str]:
    yield "```text"
    for line in [line for text in texts for line in text.splitlines()]:
        yield _text(line if len(line) <= _LENGTH else f"{line[:_LENGTH]}...")
    yield "```"
    yield ""


def _text(text: str) -> str:
    return escape(text).replace("`", "'")

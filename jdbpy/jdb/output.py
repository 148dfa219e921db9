"""The output of jdb mode: text to standard output, flushed at once, with jdb's prompts; and dbgtrace.

Everything goes one way, the target's output and its errors included, as in jdb; only what ends jdb goes to standard
error. To a pipe or a file all goes as it is, as jdb writes it. On a terminal what the target has made up (names,
values, lines of source) is escaped; only the output of the program itself is as the program writes it.

dbgtrace is what goes over the wire, in the like of JDI's trace: a line each way, and one for each set of events.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

from jdbpy.escape import escape_lines
from jdbpy.process import standard
from jdbpy.record import Record


class JdbOutput:
    """Standard output of jdb mode."""

    def __init__(self) -> None:
        self._escapes = sys.stdout.isatty()

    def print(self, text: str) -> None:
        """Write text that ends in no line of its own."""
        self.raw(escape_lines(text) if self._escapes else text)

    def raw(self, text: str) -> None:
        """Write text as it is. Raises OutputLost."""
        try:
            standard.write(text)
        except UnicodeEncodeError:
            encoding = sys.stdout.encoding or "ascii"
            standard.write(text.encode(encoding, "replace").decode(encoding))

    def error(self, text: str) -> None:
        """Write a line to standard error, where jdb writes what ends it."""
        standard.write(f"{text}\n", sys.stderr)

    def line(self, text: str = "") -> None:
        """Write a line."""
        self.print(text + "\n")

    def news(self, text: str) -> None:
        """Write what happened, on a new line and without ending it: the place follows."""
        self.print("\n" + text)


def number(value: int) -> str:
    """Return a number as jdb writes it: 1,234."""
    return f"{value:,}"


_LINE = re.compile(rb" *[0-9.]+ (->|<-) (?:#([0-9]+) (.*)|(event set .*))", re.DOTALL)
_SENDS, _RECEIVES, _EVENTS = 1, 2, 4


class JdiTrace(Record):
    """Takes the lines of a wire log and says those that the ``flags`` ask for."""

    flags: int
    say: Callable[[str], None]

    def write(self, line: bytes) -> None:
        """Take a line."""
        match = _LINE.match(line)
        if match is None:
            return
        way, number, command, events = (each.decode(errors="replace") if each else "" for each in match.groups())
        flag, how = (_SENDS, "Sending") if way == "->" else (_EVENTS if events else _RECEIVES, "Receiving")
        if self.flags & flag:
            what = events or f"Command(id={number}) JDWP.{command}"
            self.say(f"[JDI: {how} {what.rstrip()}]")

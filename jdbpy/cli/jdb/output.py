"""What jdb mode writes: text to standard output, flushed at once, with jdb's prompts.

Everything goes one way, the target's output and its errors included, as in jdb; only what ends jdb goes to standard
error. To a pipe or a file all goes as it is, as jdb writes it. On a terminal what the target has made up (names,
values, lines of source) is escaped; only the output of the program itself is as the program writes it.
"""

from __future__ import annotations

import sys

from jdbpy.cli import standard
from jdbpy.escape import escape_lines


class Output:
    """Standard output of jdb mode."""

    def __init__(self) -> None:
        self._escapes = sys.stdout.isatty()

    def print(self, text: str) -> None:
        """Writes text that ends in no line of its own."""
        self.raw(escape_lines(text) if self._escapes else text)

    def raw(self, text: str) -> None:
        """Writes text as it is. Raises OutputLost."""
        try:
            standard.write(text)
        except UnicodeEncodeError:
            encoding = sys.stdout.encoding or "ascii"
            standard.write(text.encode(encoding, "replace").decode(encoding))

    def error(self, text: str) -> None:
        """Writes a line to standard error, where jdb writes what ends it."""
        standard.write(f"{text}\n", sys.stderr)

    def line(self, text: str = "") -> None:
        """Writes a line."""
        self.print(text + "\n")

    def news(self, text: str) -> None:
        """Writes what happened, on a new line and without ending it: the place follows."""
        self.print("\n" + text)


def number(value: int) -> str:
    """A number as jdb writes it: 1,234."""
    return f"{value:,}"

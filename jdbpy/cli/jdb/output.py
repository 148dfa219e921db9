"""What jdb mode writes: text to standard output, flushed at once, with jdb's prompts.

Everything goes one way, the target's output and its errors included, as in jdb; only what ends jdb goes to standard
error.
"""

from __future__ import annotations

import sys


class Output:
    """Standard output of jdb mode."""

    def print(self, text: str) -> None:
        """Writes text as it is."""
        stream = sys.stdout
        try:
            stream.write(text)
        except UnicodeEncodeError:
            encoding = stream.encoding or "ascii"
            stream.write(text.encode(encoding, "replace").decode(encoding))
        stream.flush()

    def error(self, text: str) -> None:
        """Writes a line to standard error, where jdb writes what ends it."""
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def line(self, text: str = "") -> None:
        """Writes a line."""
        self.print(text + "\n")

    def news(self, text: str) -> None:
        """Writes what happened, on a new line and without ending it: the place follows."""
        self.print("\n" + text)


def number(value: int) -> str:
    """A number as jdb writes it: 1,234."""
    return f"{value:,}"

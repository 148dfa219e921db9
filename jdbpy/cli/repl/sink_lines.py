"""Whole lines out of the pieces in which a target's output arrives.

Owns the order and the wholeness of lines per stream; knows nothing about terminals, time or escaping.
"""

from __future__ import annotations


class LineGatherer:
    """Collects what a launched target writes and gives it back in whole lines.

    A prompt is redrawn below every print, so text without a newline would be cut in two by it. Each stream keeps its
    unfinished line until the rest arrives; ``rest()`` gives up waiting (the caller decides when, and shows it as a
    line of its own). Nothing is lost or reordered within a stream. ``\\r\\n`` is one newline, also when the two come
    in different pieces; ``\\r`` alone, with which a progress bar writes over itself, ends a line as well.
    """

    def __init__(self, longest: int = 4096) -> None:
        """``longest`` bounds an unfinished line, in characters: a target that never ends its line is shown anyway."""
        self._longest = longest
        self._open: dict[str, str] = {}

    @property
    def pending(self) -> bool:
        """Whether some stream has an unfinished line."""
        return bool(self._open)

    def feed(self, stream: str, text: str) -> list[str]:
        """The lines of ``stream`` that are whole after ``text``, without their newlines."""
        text = self._open.pop(stream, "") + text
        held = text[-1:] if text.endswith("\r") else ""  # perhaps the first half of \r\n
        text = text.removesuffix("\r").replace("\r\n", "\n").replace("\r", "\n")
        *lines, rest = text.split("\n")
        while len(rest) > self._longest:
            lines.append(rest[: self._longest])
            rest = rest[self._longest :]
        if rest or held:
            self._open[stream] = rest + held
        return lines

    def rest(self) -> list[tuple[str, str]]:
        """The unfinished lines as (stream, text), which from now on count as whole."""
        rest = [(stream, text.removesuffix("\r")) for stream, text in self._open.items()]
        self._open.clear()
        return rest

"""The output log of the screen: output of the program, of commands and of reports; bounded.

Written by trio's thread, read by the screen's. Of a flood it keeps the last ``MOST`` lines.
"""

from __future__ import annotations

import threading
from collections import deque
from itertools import islice

MOST = 5_000
"""Lines that are kept."""


class OutputLog:
    """The lines so far, as they were written for a terminal. ``count`` numbers them: also those that are gone."""

    def __init__(self, most: int = MOST) -> None:
        self._lines: deque[str] = deque(maxlen=most)
        self._lock = threading.Lock()
        self.count = 0
        self.typed_at = 0
        """``count`` when a line was typed the last time."""

    def write(self, text: str) -> None:
        """Append text of whole lines."""
        most = self._lines.maxlen or MOST
        lines = text.removesuffix("\n").split("\n")
        with self._lock:
            self.count += len(lines)
            self._lines.extend(lines[-most:])

    def since(self, number: int) -> list[str]:
        """Return the lines after the first ``number`` ones, as far as they are kept."""
        with self._lock:
            first = max(0, len(self._lines) - (self.count - number))
            return list(islice(self._lines, first, None))

    def before(self, number: int, count: int) -> list[str]:
        """Return the last ``count`` of the first ``number`` lines, as far as they are kept."""
        with self._lock:
            end = max(0, len(self._lines) - (self.count - number))
            return list(islice(self._lines, max(0, end - count), end))

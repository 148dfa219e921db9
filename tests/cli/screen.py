"""What is on a screen after a program has written to it: the part of a VT100 that line editors use.

Lines that scroll off the top are kept. Unknown codes are an error, so that a test never looks at a wrong screen.
"""

from __future__ import annotations

import re

_CODE = re.compile(r"\x1b\[([0-?]*)[ -/]*([@-~])|\x1b[@-Z\\^_=>78]|[\x00-\x1f]")
_IGNORED = frozenset("mhlqnt")  # colors, modes, the shape of the cursor


class Screen:
    """A terminal of a width and a height in characters. ``lines`` are all lines so far, the oldest first."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self.rows = rows
        self.lines: list[list[str]] = [[]]
        self.bells = 0
        self._row = 0
        self._column = 0
        self._unread = ""

    @property
    def cursor_line(self) -> str:
        """The line that the cursor is on, without the blanks at its end."""
        return self._text(self._row)

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self._text(row) for row in range(len(self.lines)))

    def resize(self, columns: int, rows: int) -> None:
        """Another size; what is there stays as it is."""
        self.columns, self.rows = columns, rows

    def feed(self, data: str) -> None:
        """Draws what a program wrote; a code that is cut waits for its rest."""
        data = self._unread + data
        self._unread = ""
        position = 0
        for match in _CODE.finditer(data):
            if match[0] == "\x1b":
                self._unread = data[match.start() :]
                self._print(data[position : match.start()])
                return
            self._print(data[position : match.start()])
            self.bells += match[0] == "\a"
            self._control(match)
            position = match.end()
        self._print(data[position:])

    def _text(self, row: int) -> str:
        return "".join(self.lines[row]).rstrip()

    def _print(self, text: str) -> None:
        for character in text:
            if self._column == self.columns:
                self._column = 0
                self._down()
            line = self.lines[self._row]
            line.extend(" " * (self._column + 1 - len(line)))
            line[self._column] = character
            self._column += 1

    def _control(self, match: re.Match[str]) -> None:
        kind = match[2] or match[0]
        amount = int(match[1]) if match[1] and match[1].isdigit() else 0
        top = max(0, len(self.lines) - self.rows)
        if kind == "\r":
            self._column = 0
        elif kind == "\n":
            self._down()
        elif kind in ("\b", "D"):
            self._column = max(0, self._column - max(1, amount))
        elif kind == "C":
            self._column = min(self.columns - 1, self._column + max(1, amount))
        elif kind == "A":
            self._row = max(top, self._row - max(1, amount))
        elif kind == "B":
            self._row = min(len(self.lines) - 1, self._row + max(1, amount))
        elif kind == "G":
            self._column = max(1, amount) - 1
        elif kind == "H":
            row, column = (int(each) if each else 1 for each in f"{match[1]};".split(";")[:2])
            self._row, self._column = top + min(row, self.rows) - 1, min(column, self.columns) - 1
            self.lines.extend([] for _ in range(self._row + 1 - len(self.lines)))
        elif kind == "\x1bM" and self._row == top:
            self.lines.insert(top, [])
            del self.lines[top + self.rows :]
        elif kind == "\x1bM":
            self._row -= 1
        elif kind == "J" and amount == 2:
            self.lines[top:] = [[] for _ in self.lines[top:]]
        elif kind == "K":
            del self.lines[self._row][self._column :]
        elif kind == "J" and amount == 0:
            del self.lines[self._row][self._column :]
            del self.lines[self._row + 1 :]
        elif kind not in _IGNORED and kind not in ("\x07", "\x1b=", "\x1b>"):
            raise AssertionError(f"the screen does not know {match[0]!r}")

    def _down(self) -> None:
        self._row += 1
        if self._row == len(self.lines):
            self.lines.append([])

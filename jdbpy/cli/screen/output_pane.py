"""The output pane: the end of the log, or where the user has scrolled to. Pure but for the log, which grows."""

from __future__ import annotations

from jdbpy.cli.screen.fragments import Line, of_terminal, wrapped
from jdbpy.cli.screen.output_log import MOST, OutputLog
from jdbpy.cli.screen.panes import Pane

LONGEST = 4_000
"""Characters of a line that are shown at most."""


class OutputPane(Pane):
    """The end of the log, or where the user has scrolled to."""

    name, title = "output", "Output"

    def __init__(self, log: OutputLog) -> None:
        self._log = log
        self._height = 1
        self._at: int | None = None  # the number of lines up to the last row; None: the end, whatever comes

    def heading(self) -> str:
        behind = self._log.count - self._at if self._at is not None else 0
        if behind:
            return f"Output ({behind} more below: End)"
        since = self._log.count - self._log.typed_at
        return f"Output ({since} lines since the last command: PgUp)" if since > self._height else "Output"

    def rows(self, columns: int, rows: int, focused: bool) -> list[Line]:
        self._height = max(1, rows)
        if self._at is not None:
            self._at = max(self._at, self._least())
        end = self._log.count if self._at is None else self._at
        found: list[Line] = []
        for text in reversed(self._log.before(end, rows)):
            for line in reversed(of_terminal(text[:LONGEST])):
                found[:0] = wrapped(line, columns) if columns > 0 else [line]
            if len(found) >= rows:
                break
        return found[-rows:] if rows else []

    def move(self, by: int) -> None:
        end = self._log.count if self._at is None else self._at
        end = max(self._least(), end + by)
        self._at = None if end >= self._log.count else end

    def _least(self) -> int:
        """Return the end of the first page that is kept."""
        return max(self._log.count - MOST, 0) + min(self._height, self._log.count)

    def page(self, by: int) -> None:
        self.move(by * max(1, self._height - 1))

    def ends(self, *, last: bool) -> None:
        if last:
            self._at = None
        else:
            self.move(-self._log.count)

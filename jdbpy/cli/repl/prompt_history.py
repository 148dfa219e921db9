"""The lines that were typed, kept over runs.

Owns the file: its place (XDG's state directory), its mode (0600, since lines may hold values of the target), its
length. One line of text per entry, oldest first, so that people can read and edit it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from prompt_toolkit.history import History

from jdbpy.files import append_lines, state_directory, write_whole

KEPT = 5_000
"""Entries that survive a run; the file is cut back to this many when it is read."""


def history_path(environ: Mapping[str, str] = os.environ) -> Path | None:
    """The file ``history`` of the state directory; None when there is no home directory."""
    state = state_directory(environ)
    return Path(state, "history") if state else None


class LineHistory(History):
    """prompt_toolkit's history on that file. Without a file, or when it cannot be written, it lasts for this run.

    A line equal to the one before it is not added again; a line that begins with a blank is not kept (as in a shell).
    """

    def __init__(self, path: Path | None, *, kept: int = KEPT) -> None:
        super().__init__()
        self._path = path
        self._kept = kept

    def load_history_strings(self) -> Iterable[str]:
        """The newest first, as prompt_toolkit wants them."""
        if self._path is None:
            return []
        try:
            lines = self._path.read_text("utf-8", "replace").split("\n")
        except OSError:
            return []
        lines = [line for line in lines if line]
        if len(lines) > self._kept:
            lines = lines[-self._kept :]
            self._rewrite(lines)
        return reversed(lines)

    def append_string(self, string: str) -> None:
        string = " ".join(string.rstrip().splitlines())
        if string and not string[0].isspace() and self._loaded_strings[:1] != [string]:
            super().append_string(string)

    def store_string(self, string: str) -> None:
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            append_lines(str(self._path), [string])
        except OSError:
            self._path = None  # read-only home, full disk: the debugger is used for something else than its history

    def _rewrite(self, lines: list[str]) -> None:
        with suppress(OSError):
            write_whole(str(self._path), lines, replace=True)

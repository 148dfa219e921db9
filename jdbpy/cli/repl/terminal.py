"""The terminal: its abilities, and its state when it is left.

Owns the questions "is this a person's terminal", "may escape codes be written", "may colors be used", its size, and
the promise that its modes are the same after the debugger as before. It prints nothing and reads nothing.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import chain
from typing import TextIO

_WITHOUT_ESCAPES = ("", "dumb", "unknown")


def is_dumb(environ: Mapping[str, str] = os.environ) -> bool:
    """True if TERM names a terminal that understands no escape codes (Emacs' shell, a log window, nothing set)."""
    return environ.get("TERM", "").lower() in _WITHOUT_ESCAPES


def can_edit(stdin: TextIO, stdout: TextIO, environ: Mapping[str, str] = os.environ) -> bool:
    """True if a line can be edited in place: a real terminal on both sides, and one that knows escape codes."""
    return stdin.isatty() and stdout.isatty() and not is_dumb(environ)


def wants_color(choice: str, stdout: TextIO, environ: Mapping[str, str] = os.environ) -> bool:
    """True if colors are written, for a value of ``--color``.

    ``auto`` follows https://no-color.org (NO_COLOR set and not empty: none) and writes none to a file or a pipe; an
    explicit ``always`` or ``never`` is the user's word and wins over the environment.
    """
    if choice != "auto":
        return choice == "always"
    return not environ.get("NO_COLOR") and stdout.isatty() and not is_dumb(environ)


def wants_links(choice: str, stdout: TextIO, environ: Mapping[str, str] = os.environ) -> bool:
    """True if names of files are links (OSC 8), for a value of the setting ``links``.

    ``auto``: at a terminal that is known to have them; others may show what they do not know.
    """
    if choice != "auto":
        return choice == "on"
    if not stdout.isatty() or is_dumb(environ) or environ.get("TMUX") or environ.get("STY"):
        return False
    vte = environ.get("VTE_VERSION", "")
    return (
        environ.get("TERM_PROGRAM", "") in _WITH_LINKS
        or any(environ.get(name) for name in ("KITTY_WINDOW_ID", "WT_SESSION", "KONSOLE_VERSION"))
        or (vte.isascii() and vte.isdigit() and int(vte) >= _VTE_WITH_LINKS)
    )


_WITH_LINKS = ("iTerm.app", "WezTerm", "ghostty", "vscode")
"""Terminals with links, by what TERM_PROGRAM says."""

_VTE_WITH_LINKS = 5000
"""The first version of VTE (GNOME's terminal and others) with links, as VTE_VERSION says it: 0.50."""


def size() -> tuple[int, int]:
    """Columns and lines of the terminal now: of standard output, else COLUMNS and LINES, else 80 and 24.

    A pseudo-terminal that was never given a size says 0 and 0; both count as unknown.
    """
    try:
        columns, lines = os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ else 1)
    except (OSError, ValueError):
        columns, lines = 0, 0
    fallback = shutil.get_terminal_size()
    return columns or fallback.columns, lines or fallback.lines


@contextmanager
def restored_modes(stdin: TextIO) -> Iterator[None]:
    """Put the terminal's modes back to what they were, whatever happened inside.

    The prompt and the pager each restore what they change; this is for the case that one of them could not (an
    exception between two of its steps). At once, not after draining: output that is held by Ctrl-S would block it.
    """
    try:
        import termios  # absent on Windows, where the console needs no restoring

        before = termios.tcgetattr(stdin.fileno())
    except (ImportError, OSError, ValueError, termios.error):
        yield
        return
    try:
        yield
    finally:
        with suppress(OSError, ValueError, termios.error):  # the terminal is gone: nothing is left to restore
            termios.tcsetattr(stdin.fileno(), termios.TCSANOW, before)


COLOR_CODES = re.compile(r"\x1b\[[0-9;]*m")  # the only ones that renderers write


def rows(line: str, columns: int) -> int:
    """Rows that one line takes in ``columns``, its newline apart; color codes take none."""
    text = COLOR_CODES.sub("", line.removesuffix("\n"))
    if text.isascii():
        width = len(text)
    else:
        from wcwidth import wcswidth  # comes with prompt_toolkit; wide characters take two columns

        width = max(wcswidth(text), 0)
    return max(1, -(-width // columns))


def fitting(parts: Iterable[str], columns: int, lines: int) -> str | Iterator[str]:
    """Return the whole text of ``parts`` (each of whole lines) if it fits in ``lines`` rows, else an iterator of all
    parts.

    No more parts are made than are needed to find out.
    """
    head: list[str] = []
    height = 0
    source = iter(parts)
    for part in source:
        head.append(part)
        height += sum(rows(line, columns) for line in part.split("\n")[:-1])
        if height > lines:
            return chain(head, source)
    return "".join(head)

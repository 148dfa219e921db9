"""The files that reports are appended to.

A file is opened for each report: nothing is left unwritten or open, and a file that was moved away begins anew.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from jdbpy.errors import UsageError
from jdbpy.session.values.literals import one_line


def absolute(path: str) -> str:
    """The path of a file as it can be opened later, ``~`` included. Raises UsageError when it cannot be written."""
    full = os.path.abspath(os.path.expanduser(path))
    try:
        append(full, ())
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}", code="FILE") from error
    return full


def append(path: str, lines: Iterable[str]) -> None:
    """Writes whole lines to the end of a file, control characters of the target's texts escaped. Raises OSError."""
    text = "".join(f"{one_line(line)}\n" for line in lines)
    with open(path, "a", encoding="utf-8") as file:
        file.write(text)

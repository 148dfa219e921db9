"""The files that reports are appended to.

A file is opened for each report: nothing is left unwritten or open, and a file that was moved away begins anew.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from jdbpy.errors import UsageError
from jdbpy.escape import escape
from jdbpy.files import append_lines


def absolute(path: str) -> str:
    """Return the path of a file as it can be opened later, ``~`` included. Raises UsageError if it is not writable."""
    full = os.path.abspath(os.path.expanduser(path))
    try:
        append(full, ())
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror}", hint="name a new file, or one of your own", code="FILE"
        ) from error
    return full


def append(path: str, lines: Iterable[str]) -> None:
    """Append whole lines to a file that is for its owner only, the target's texts escaped. Raises OSError."""
    append_lines(path, map(escape, lines))

"""The first words and the start-up files; nothing here takes a while to import."""

from __future__ import annotations

import os

GREETING = "Initializing jdb ..."

_NAMES = ("jdb.ini", ".jdbrc")


def start_files() -> list[str]:
    """The start-up file of the home directory, then that of the working directory unless it is the same."""
    files: dict[str, str] = {}
    for directory in (os.path.expanduser("~"), os.getcwd()):
        found = next((path for name in _NAMES if os.path.exists(path := os.path.join(directory, name))), None)
        if found is not None:
            files.setdefault(os.path.realpath(found), found)
    return list(files.values())

"""How a pattern that people type is compared with names of things that are no classes. Pure."""

from __future__ import annotations

from fnmatch import fnmatchcase


def like(pattern: str, name: str) -> bool:
    """Whether a pattern fits a name: ``*`` and ``?`` stand for anything, other text may stand anywhere in it.

    Upper and lower case are the same; an empty pattern fits everything.
    """
    pattern, name = pattern.lower(), name.lower()
    return fnmatchcase(name, pattern) if "*" in pattern or "?" in pattern else pattern in name

"""Step filters: the class patterns that a step does not stop in.

A pattern is the agent's: dotted, with one ``*`` at the very start or end (``eventFilter.c``); anything else matches
exactly one class.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from jdbpy.errors import UsageError

DEFAULT = ("java.*", "javax.*", "sun.*", "com.sun.*", "jdk.*")
"""jdb's own default."""


def check(patterns: Iterable[str]) -> tuple[str, ...]:
    """The patterns, cleaned. Raises UsageError for one that the agent would not understand."""
    cleaned = tuple(pattern.strip() for pattern in patterns if pattern.strip())
    for pattern in cleaned:
        if "*" in pattern[1:-1] or pattern.count("*") > 1:
            raise UsageError(
                f"'{pattern}' cannot be a filter: the target takes one '*', at the start or at the end",
                hint="for example java.* or *Proxy",
            )
    return cleaned


def matches(pattern: str, class_name: str) -> bool:
    """Whether the agent would find that the class matches."""
    if pattern.startswith("*"):
        return class_name.endswith(pattern[1:])
    if pattern.endswith("*"):
        return class_name.startswith(pattern[:-1])
    return class_name == pattern


def outside(patterns: Sequence[str], class_name: str) -> tuple[str, ...]:
    """The patterns that leave the class in: who stands in java.util and steps wants to step there."""
    return tuple(pattern for pattern in patterns if not matches(pattern, class_name))

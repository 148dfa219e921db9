"""How often something is shown again, and for how long: ``every 5s for 1m``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jdbpy.cli.arguments.base import Argument, matching
from jdbpy.cli.names import Candidate, Names
from jdbpy.errors import UsageError
from jdbpy.record import Record

_UNITS = {"ms": 1e-3, "": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_LEAST = 0.1
WORDS = ("every", "for")
BEHIND = re.compile(r"\s(?P<words>(?:(?:every|for)\s+[\d.]+[a-z]*\s*)+)$", re.IGNORECASE)
"""These words at the end of a line."""


class Repetition(Record):
    """``every``: seconds between two showings, None where nothing was said; ``seconds``: for how long."""

    every: float | None = None
    seconds: float | None = None


class RepeatArgument(Argument[Repetition]):
    """``[every S] [for S]``."""

    takes_rest = True
    metavar = "[every S] [for S]"
    help = "`every 5s` shows it again so often, `for 1m` ends it by itself; 500ms, 5s, 2m"

    def parse(self, text: str) -> Repetition:
        return parse_repeat(text)

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        *before, word = ["", *text.split(" ")]
        if before[-1] not in WORDS:
            yield from matching(word, [each for each in WORDS if each not in before])


def parse_repeat(text: str) -> Repetition:
    """Return what the words say. Raises UsageError."""
    words = text.split()
    found: dict[str, float] = {}
    while words:
        word = words.pop(0).lower()
        if word not in WORDS or word in found:
            raise UsageError(f"unexpected argument '{word}'", hint="'every 5s' and 'for 1m' may stand here")
        if not words:
            raise UsageError(f"after '{word}' a time is missing", hint=f"'{word} 5s'")
        found[word] = _seconds(words.pop(0))
    if 0 < found.get("every", 1.0) < _LEAST:
        raise UsageError(f"every {_LEAST * 1000:.0f} ms is the most often")
    return Repetition(found.get("every"), found.get("for"))


def _seconds(text: str) -> float:
    found = re.fullmatch(r"(\d{1,6}(?:\.\d{1,6})?)(ms|s|m|min|h|)", text.lower())
    if found is None or not float(found[1]):
        raise UsageError(f"'{text}' is not a time", hint="5s, 500ms, 2m")
    return float(found[1]) * _UNITS[found[2]]

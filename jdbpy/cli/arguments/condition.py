"""A breakpoint by its number with the condition, or the hit count, that it is to have."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jdbpy.cli.arguments.base import Argument, matching
from jdbpy.cli.arguments.location import complete_condition
from jdbpy.cli.arguments.tail import hit_count
from jdbpy.cli.arguments.target import BreakpointNumber, complete_numbers
from jdbpy.cli.names import Candidate, Names
from jdbpy.errors import UsageError
from jdbpy.record import Record

_WORDS = re.compile(r"(?:(-hitcount|-hit)(?:\s+|$))?(\S*)\s*(.*)", re.DOTALL)


class ConditionRequest(Record):
    """The number of a point and its new condition, "" for none; or ``hits``, its hit count, "" for none."""

    number: int
    expression: str = ""
    hits: str | None = None


class ConditionArgument(Argument[ConditionRequest]):
    """``NUMBER [EXPRESSION]``, or ``-hit NUMBER [OPERATOR N]``, delve's ``-hitcount``."""

    metavar = "NUMBER [CONDITION] | -hit NUMBER [OP N]"
    help = (
        "a breakpoint by its number, and a boolean Java expression; or which hits count: ==, !=, >=, <=, >, <, % and a "
        "number"
    )
    takes_rest = True

    def parse(self, text: str) -> ConditionRequest:
        flag, word, rest = _split(text)
        if not word:
            raise UsageError("NUMBER is missing")
        number = BreakpointNumber().parse(word)
        if flag:
            return ConditionRequest(number, hits=hit_count(rest.strip("'\"")) if rest else "")
        return ConditionRequest(number, re.sub(r"^if\b\s*", "", rest).rstrip(";").rstrip())

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        flag, word, rest = _split(text)
        if not rest and not (word and text.endswith(" ")):
            yield from complete_numbers(word, names)
            yield from () if flag else matching(text, ("-hit",))
        elif not flag:
            yield from complete_condition(dict(names.breakpoints).get(_number(word), ""), rest, names)


def _split(text: str) -> tuple[str, str, str]:
    """Return the flag, the number and the rest, each "" where it is missing."""
    match = _WORDS.fullmatch(text)
    assert match is not None
    return match[1] or "", match[2], match[3].strip()


def _number(word: str) -> int:
    return int(word) if re.fullmatch(r"\d{1,9}", word) else 0

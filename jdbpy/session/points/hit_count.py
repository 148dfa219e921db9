"""Hit counts with an operator: ``-hit >= 10``, ``-hit % 100``, ``-hit 3``. Pure.

Owns their syntax and which hits they let through; counting is the business of the point.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping

from jdbpy.errors import UsageError
from jdbpy.record import Record

_SYNTAX = re.compile(r"\s*(==|=|!=|>=|<=|>|<|%)?\s*(\d+)\s*")
_ADMITS: Mapping[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "%": lambda hits, number: hits % number == 0,
}


class HitCount(Record):
    """Which hits count: those whose number, from 1, stands in this relation to ``number``; ``%`` is every nth."""

    op: str
    number: int

    def admits(self, hits: int) -> bool:
        """Whether the hit of that number is let through."""
        return _ADMITS[self.op](hits, self.number)

    def following(self, hits: int) -> int | None:
        """The number of the first hit after so many that is let through; None when there is none any more."""
        match self.op:
            case "%":
                return (hits // self.number + 1) * self.number
            case "==" | ">=" | ">":
                return max(self.number + (self.op == ">"), hits + 1) if not self.is_over(hits) else None
        return next((each for each in (hits + 1, hits + 2) if self.admits(each)), None)

    def is_over(self, hits: int) -> bool:
        """Whether no later hit can be let through: the point is then taken out of the target."""
        last = {"==": self.number, "<=": self.number, "<": self.number - 1}.get(self.op)
        return last is not None and hits >= last

    def __str__(self) -> str:
        return f"{self.op} {self.number}"


def parse_hit_count(text: str) -> HitCount:
    """The hit count that a text spells; a bare number means that hit alone. Raises UsageError."""
    match = _SYNTAX.fullmatch(text)
    if match is None:
        raise UsageError(
            f"'{text}' is no hit count", hint="write 3, '>= 10', '% 100': ==, !=, >=, <=, >, <, % and a number"
        )
    op, number = match[1] or "==", int(match[2])
    if op == "%" and number == 0:
        raise UsageError("every 0th hit makes no sense", hint="'% 100' lets every hundredth hit through")
    count = HitCount("==" if op == "=" else op, number)
    if count.is_over(0):
        raise UsageError(f"no hit is {count}: they are counted from 1", hint="'== 1' lets only the first hit through")
    return count

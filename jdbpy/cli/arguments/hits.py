"""The argument of ``info hits``: how many, and of which breakpoint."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jdbpy.cli.arguments.base import Argument, matching
from jdbpy.cli.arguments.target import complete_numbers
from jdbpy.cli.names import Candidate, Names
from jdbpy.errors import UsageError
from jdbpy.record import Record

MOST = 1_000
"""Hits that are kept."""


class HitsRequest(Record):
    """How many hits are shown, and of which breakpoint; None: of all."""

    count: int
    breakpoint: int | None


class HitsArgument(Argument[HitsRequest]):
    """``[N] [for NUMBER]``."""

    metavar = "[N] [for NUMBER]"
    help = "how many hits, 20 otherwise; `for 3` shows those of breakpoint 3"
    takes_rest = True

    def parse(self, text: str) -> HitsRequest:
        match = re.fullmatch(r"([0-9]{1,9})?\s*(?:for\s+(?:breakpoint\s+)?([0-9]{1,9}))?", text.strip())
        if match is None:
            raise UsageError(f"'{text}' is not a number of hits", hint="'info hits 50', 'info hits for 3'")
        count = int(match[1]) if match[1] else 20
        if not 1 <= count <= MOST:
            raise UsageError(f"N is {count}, but must be from 1 to {MOST:,}")
        return HitsRequest(count, int(match[2]) if match[2] else None)

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        before, _, last = text.rpartition(" ")
        if before.split()[-1:] == ["for"]:
            return complete_numbers(last, names)
        return matching(last, ("for",)) if "for" not in before.split() else ()

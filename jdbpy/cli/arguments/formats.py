"""Arguments that follow a slash, right after the command: ``print/x total``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jdbpy import values
from jdbpy.cli.arguments.base import Argument, Slash
from jdbpy.cli.names import Candidate, Names
from jdbpy.errors import UsageError


class Format(Argument[str]):
    """The letter of a format."""

    metavar = "FORMAT"
    help = "of numbers: " + ", ".join(f"{letter} {name}" for letter, name in values.FORMATS.items())

    def parse(self, text: str) -> str:
        return values.check_format(text.lower())

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return (Candidate(each, len(text), name) for each, name in values.FORMATS.items() if each.startswith(text))


class Count(Argument[int]):
    """How many elements; gdb's letters for hexadecimal and bytes may stand after it."""

    metavar = "COUNT"
    help = "how many elements; without it, 256 bytes"

    def parse(self, text: str) -> int:
        match = re.fullmatch(r"([0-9]{1,9})[xb]{0,2}", text.lower())
        if not match or not int(match[1]):
            raise UsageError(f"'{text}' is no number of elements")
        return int(match[1])


FORMAT = Slash(Format())
"""``print/x``, ``print /x``, ``print %x``."""

COUNT = Slash(Count())
"""``x/16``."""

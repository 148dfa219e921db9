"""Arguments that follow a slash, right after the command: ``print/x total``."""

from __future__ import annotations

from collections.abc import Iterable

from jdbpy import values
from jdbpy.cli.arguments.base import Argument, Slash
from jdbpy.cli.names import Candidate, Names


class Format(Argument[str]):
    """The letter of a format."""

    metavar = "FORMAT"
    help = "of numbers: " + ", ".join(f"{letter} {name}" for letter, name in values.FORMATS.items())

    def parse(self, text: str) -> str:
        return values.check_format(text.lower())

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return (Candidate(each, len(text), name) for each, name in values.FORMATS.items() if each.startswith(text))


FORMAT = Slash(Format())
"""``print/x``, ``print /x``, ``print %x``."""

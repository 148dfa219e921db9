"""Arguments that name values of the debugger's own, and those that follow a slash: ``print/x total``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jdbpy import values
from jdbpy.cli.arguments.base import Argument, Slash, matching
from jdbpy.cli.arguments.code import ExpressionArgument
from jdbpy.cli.arguments.target import class_names
from jdbpy.cli.names import Candidate, Names
from jdbpy.errors import UsageError
from jdbpy.identifiers import WORD


class Format(Argument[str]):
    """The letter of a format."""

    metavar = "FORMAT"
    help = "of numbers: " + ", ".join(f"{letter} {name}" for letter, name in values.FORMATS.items())

    def parse(self, text: str) -> str:
        return values.check_format(text.lower())

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return (Candidate(each, len(text), name) for each, name in values.FORMATS.items() if each.startswith(text))


class Count(Argument[int]):
    """A number of elements; gdb's letters for hexadecimal and bytes may stand after it."""

    metavar = "COUNT"
    help = "how many elements; without it, 256 bytes"

    def parse(self, text: str) -> int:
        match = re.fullmatch(r"([0-9]{1,9})[xb]{0,2}", text.lower())
        if not match or not int(match[1]):
            raise UsageError(f"'{text}' is not a number of elements")
        return int(match[1])


FORMAT = Slash(Format())
"""``print/x``, ``print /x``, ``print %x``."""

COUNT = Slash(Count())
"""``x/16``."""


class ViewPattern(Argument[str]):
    """A class, or a pattern of classes, that a view is for: a pattern as it stands."""

    metavar = "PATTERN"
    help = "a class, or a pattern of full names: `*` stands for anything"

    def parse(self, text: str) -> str:
        if not re.fullmatch(rf"[{WORD}.*]+", text):
            raise UsageError(f"'{text}' is not a pattern of class names")
        return text

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return class_names(text, names)


class ViewPatternOrAll(ViewPattern):
    """A view's pattern, or ``all``."""

    metavar = "PATTERN|all"


class ViewExpression(ExpressionArgument):
    """An expression over the fields of an object; one in quotes, with the quotes in it escaped, is the same."""

    help = "a Java expression over the fields of the object"

    def parse(self, text: str) -> str:
        quoted = re.fullmatch(r'"((?:[^"\\]|\\.)*)"', text)
        return super().parse(re.sub(r"\\(.)", r"\1", quoted[1]) if quoted else text)


class SavedName(Argument[str]):
    """The name of a saved value, with or without its ``$``."""

    metavar = "NAME"
    help = "a name for a value; `$NAME` can be used in expressions"

    def parse(self, text: str) -> str:
        name = text.removeprefix("$")
        if not name.isidentifier():
            raise UsageError(f"'{text}' cannot be the name of a saved value")
        return name

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text.removeprefix("$"), names.saved, "saved")

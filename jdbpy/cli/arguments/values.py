"""Arguments that name values of the debugger's own."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jdbpy.cli.arguments.base import Argument, matching
from jdbpy.cli.arguments.code import ExpressionArgument
from jdbpy.cli.arguments.target import class_names
from jdbpy.cli.names import Candidate, Names
from jdbpy.errors import UsageError


class ViewPattern(Argument[str]):
    """A class, or a pattern of classes, that a view is for: a pattern as it stands."""

    metavar = "PATTERN"
    help = "a class, or a pattern of full names: `*` stands for anything"

    def parse(self, text: str) -> str:
        if not re.fullmatch(r"[\w$.*]+", text):
            raise UsageError(f"'{text}' is no pattern of class names")
        return text

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return class_names(text, names)


class ViewPatternOrAll(ViewPattern):
    """As above, or ``all``."""

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
    help = "a name for a value; `$NAME` is good in expressions"

    def parse(self, text: str) -> str:
        name = text.removeprefix("$")
        if not name.isidentifier():
            raise UsageError(f"'{text}' cannot be the name of a saved value")
        return name

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text.removeprefix("$"), names.saved, "saved")

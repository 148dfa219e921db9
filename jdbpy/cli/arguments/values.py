"""Arguments that name values of the debugger's own."""

from __future__ import annotations

from collections.abc import Iterable

from jdbpy.cli.arguments.base import Argument, matching
from jdbpy.cli.names import Candidate, Names
from jdbpy.errors import UsageError


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

"""Arguments of ``screen``: a pane, and what is to become of it."""

from __future__ import annotations

from collections.abc import Iterable

from jdbpy.cli.arguments.base import WordArgument
from jdbpy.cli.names import Candidate, Names

PANES = ("source", "variables", "stack", "watches", "threads", "jvms", "output")
"""The panes that are always there."""

WISHES = ("on", "off", "only")


class PaneName(WordArgument):
    """The name of a pane, or ``on`` and ``off`` for the screen as a whole."""

    begins = PANES

    def __init__(self) -> None:
        super().__init__("PANE")

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return [Candidate(each, len(text)) for each in (*PANES, "on", "off") if each.startswith(text)]


class PaneWish(WordArgument):
    """``on``, ``off``, ``only``, or a number of rows."""

    def __init__(self) -> None:
        super().__init__("on|off|only|ROWS")

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return [Candidate(each, len(text)) for each in WISHES if each.startswith(text)]

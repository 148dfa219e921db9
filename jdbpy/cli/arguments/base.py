"""The base of argument types: each owns how its text is parsed and completed.

An argument never asks the target: ``parse`` checks the form and gives a value, the command resolves it;
``complete`` chooses among names that are known already.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Generic, TypeVar

from jdbpy.cli.names import Candidate, Names

T = TypeVar("T")


class Argument(Generic[T]):
    """A kind of argument. ``metavar`` is its name in a usage line; ``help`` one line for the manual."""

    metavar: str = "WORD"
    help: str = ""
    takes_rest: ClassVar[bool] = False  # takes the rest of the line as it was typed

    def parse(self, text: str) -> T:
        """The value of ``text``; raises UsageError."""
        raise NotImplementedError

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        """What may stand in the place of ``text``, which ends at the cursor."""
        return ()


class Option:
    """A parameter that is given by its flag: ``where -n 5``. Without an argument it is a switch.

    Used in annotations of keyword-only parameters: ``count: Annotated[int | None, Option("-n", Count())] = None``.
    """

    def __init__(self, *flags: str, argument: Argument[Any] | None = None, help: str = "") -> None:
        self.flags = flags
        self.argument = argument
        self.help = help

    @property
    def usage(self) -> str:
        return f"[{self.flags[0]}{f' {self.argument.metavar}' if self.argument else ''}]"


class Slash(Option):
    """The option that follows the command's name with a slash: ``print/x``; ``print /x`` and ``print %x`` too."""

    def __init__(self, argument: Argument[Any]) -> None:
        super().__init__("/" + argument.metavar, argument=argument, help=argument.help)

    @property
    def usage(self) -> str:
        return f"[{self.flags[0]}]"


def matching(text: str, words: Iterable[str], meta: str = "") -> Iterable[Candidate]:
    """The candidates among ``words`` that begin with ``text``, upper and lower case alike."""
    folded = text.lower()
    return (Candidate(word, len(text), meta) for word in words if word.lower().startswith(folded))

"""The base of argument types, each of which owns how its text is parsed and completed; and those of plain form.

Arguments of plain form are words, numbers, choices, files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Any, ClassVar, Generic, TypeVar

from jdbpy.cli.names import Candidate, Names
from jdbpy.errors import UsageError

T = TypeVar("T")


class Argument(Generic[T]):
    """A kind of argument. ``metavar`` is its name in a usage line; ``help`` one line for the manual."""

    metavar: str = "WORD"
    help: str = ""
    begins: tuple[str, ...] = ()  # words with a meaning of their own that it may begin with
    takes_rest: ClassVar[bool] = False  # takes the rest of the line as it was typed
    of_words: ClassVar[bool] = False  # the rest of the line is names: one like an option must be quoted
    options_behind: ClassVar[bool] = False  # long options may follow it, as they can be no part of it

    def parse(self, text: str) -> T:
        """Return the value of ``text``; raises UsageError."""
        raise NotImplementedError

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        """Return what may stand in the place of ``text``, which ends at the cursor."""
        return ()

    def command_in(self, text: str) -> str | None:
        """Return the part of ``text`` that is a command with its arguments, to be completed as one; None for none."""
        return None


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
    """Return the candidates among ``words`` that begin with ``text``, upper and lower case alike."""
    folded = text.lower()
    return (Candidate(word, len(text), meta) for word in words if word.lower().startswith(folded))


class WordArgument(Argument[str]):
    """One word, as it stands."""

    def __init__(self, metavar: str = "WORD", help: str = "") -> None:
        self.metavar = metavar
        self.help = help

    def parse(self, text: str) -> str:
        return text


class TextArgument(WordArgument):
    """The rest of the line."""

    takes_rest = True


class ChoiceArgument(Argument[str]):
    """One of a few words."""

    def __init__(self, *words: str) -> None:
        self.words = words
        self.metavar = "|".join(words)

    def parse(self, text: str) -> str:
        if text.lower() not in self.words:
            raise UsageError(f"'{text}' is not one of {', '.join(self.words)}")
        return text.lower()

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text, self.words)


class Number(Argument[int]):
    """A whole number within bounds."""

    def __init__(self, metavar: str = "N", low: int = 1, high: int = 1_000_000_000, help: str = "") -> None:
        self.metavar = metavar
        self.low = low
        self.high = high
        self.help = help or f"a whole number, {low} or more"

    def parse(self, text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise UsageError(f"'{text}' is not a whole number") from None
        if not self.low <= number <= self.high:
            raise UsageError(f"{self.metavar} is {text}, but must be from {self.low} to {self.high}")
        return number


class Seconds(Argument[float]):
    """A time in seconds, with a fraction where that is wanted."""

    metavar = "SECONDS"
    help = "a number of seconds, from 0 to 1000000"

    def parse(self, text: str) -> float:
        try:
            seconds = float(text)
        except ValueError:
            seconds = -1.0
        if not 0 <= seconds <= 1e6:
            raise UsageError(f"'{text}' is not a number of seconds")
        return seconds


class FilePath(Argument[str]):
    """A file on this machine, the rest of the line; ``~`` is the home directory."""

    metavar = "FILE"
    help = "a file on this machine"
    takes_rest = True
    of_words = True

    def parse(self, text: str) -> str:
        if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
            text = text[1:-1]
        return _path(text)

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return _files(text)


class FileName(FilePath):
    """A file on this machine, one word; quotes keep spaces in it."""

    takes_rest = False


class Size(Argument[int]):
    """A number of bytes, with a unit where that is wanted."""

    metavar = "SIZE"
    help = "a number of bytes: 500000, 512K, 64M, 2G"

    def parse(self, text: str) -> int:
        found = re.fullmatch(r"([0-9]{1,12})([KMG]?)B?", text.upper())
        if found is None:
            raise UsageError(f"'{text}' is not a size: 500000, 512K, 64M, 2G")
        return int(found[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[found[2]]


class Patterns(Argument["tuple[str, ...]"]):
    """Patterns of names, with commas between them."""

    metavar = "PATTERNS"
    help = "names, `*` for any part, with commas between them: `*password*,token`"

    def parse(self, text: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in text.split(",") if part.strip())


class SearchPath(Argument["tuple[str, ...]"]):
    """Directories and jars, with the separator of the operating system between them."""

    metavar = "PATHS"
    help = f"directories and jars, '{os.pathsep}' between them"
    takes_rest = True
    of_words = True

    def parse(self, text: str) -> tuple[str, ...]:
        return tuple(_path(part) for part in text.split(os.pathsep) if part)

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return _files(text.rpartition(os.pathsep)[2])


def _path(text: str) -> str:
    try:
        os.fsencode(text)
        sound = "\0" not in text
    except UnicodeEncodeError:
        sound = False
    if not sound:
        raise UsageError("no file can have that name", hint="half of a character, or one of code 0, is in it")
    return os.path.expanduser(text)


def _files(text: str) -> Iterable[Candidate]:
    directory, _, start = text.rpartition("/")
    try:
        where = os.path.expanduser(f"{directory}/" if directory or text.startswith("/") else ".")
        entries = sorted(os.scandir(where), key=lambda entry: entry.name)
    except (OSError, ValueError):  # of a name that no file can have
        return
    for entry in entries:
        if entry.name.startswith(start) and (start or not entry.name.startswith(".")):
            yield Candidate(entry.name + ("/" if entry.is_dir() else ""), len(start), "file")

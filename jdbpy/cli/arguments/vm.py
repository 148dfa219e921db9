"""Arguments that name something of the VM as a whole: properties, flags, modules, states of threads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from jdbpy import threads
from jdbpy.cli.arguments.base import Argument, WordArgument, matching
from jdbpy.cli.arguments.target import class_names
from jdbpy.cli.names import Candidate, Names
from jdbpy.errors import UsageError
from jdbpy.record import Record


class ThreadState(Argument[str]):
    """A state of threads, in one word."""

    metavar = "STATE"

    def parse(self, text: str) -> str:
        if text.lower() not in threads.STATES:
            raise UsageError(f"'{text}' is not a state of a thread", hint=f"there are {', '.join(threads.STATES)}")
        return text.lower()

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text, threads.STATES, "state")


class KnownWord(WordArgument):
    """A word, or a pattern, that is completed with names that are known."""

    def __init__(self, metavar: str, among: Callable[[Names], Iterable[str]], kind: str, help: str = "") -> None:
        super().__init__(metavar, help)
        self._among = among
        self._kind = kind

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text, self._among(names), self._kind)


class SettingArgument(Record):
    """A name with the value that it is to have; None: it is only asked for."""

    name: str
    value: str | None


class NameAndValue(Argument[SettingArgument]):
    """``NAME`` or ``NAME = VALUE``; the value is the rest of the line."""

    metavar = "NAME [= VALUE]"
    takes_rest = True

    def parse(self, text: str) -> SettingArgument:
        name, equals, value = text.partition("=")
        if not re.fullmatch(r"\S+", name.strip()):
            raise UsageError(f"'{name.strip()}' is not a name")
        return SettingArgument(name.strip(), value.strip() if equals else None)


class PropertySetting(NameAndValue):
    help = "a system property of the target"

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text, names.properties, "property") if "=" not in text else ()


class FlagSetting(NameAndValue):
    help = "a flag of the target's VM"

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text, names.flags, "flag") if "=" not in text else ()


class ModuleName(WordArgument):
    """A module by name or id, or a class in it."""

    def __init__(self, metavar: str = "MODULE") -> None:
        super().__init__(metavar, "a module by its name or id, or a class that is in it")

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        yield from matching(text, names.modules, "module")
        if text:
            yield from class_names(text, names)


_LIKE = "names with `*` for any part; without `*`, names that contain it"

GROUP_NAME = KnownWord("GROUP", lambda names: names.thread_groups, "group", "a thread group by its name")
THREAD_NAMES = KnownWord("PATTERN", lambda names: dict.fromkeys(name for _, name in names.threads), "thread", _LIKE)
PROPERTIES = KnownWord("PATTERN", lambda names: names.properties, "property", _LIKE)
FLAGS = KnownWord("PATTERN", lambda names: names.flags, "flag", _LIKE)
MODULES = KnownWord("PATTERN", lambda names: names.modules, "module", _LIKE)

"""Arguments that name something of the VM as a whole: properties, flags, modules, states of threads."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jdbpy import threads
from jdbpy.cli.arguments.base import Argument, matching
from jdbpy.cli.arguments.plain import Word
from jdbpy.cli.arguments.target import class_names
from jdbpy.cli.names import Candidate, Names
from jdbpy.errors import UsageError
from jdbpy.wire.record import Record


class ThreadState(Argument[str]):
    """A state of threads, in one word."""

    metavar = "STATE"

    def parse(self, text: str) -> str:
        if text.lower() not in threads.STATES:
            raise UsageError(f"'{text}' is no state of a thread", hint=f"there are {', '.join(threads.STATES)}")
        return text.lower()

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text, threads.STATES, "state")


class GroupName(Word):
    """A thread group by its name, as one word."""

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text, names.thread_groups, "group")


class NamePattern(Word):
    """A pattern of thread names."""

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text, dict.fromkeys(name for _, name in names.threads), "thread")


class Setting(Record):
    """A name with the value that it is to have; None: it is only asked for."""

    name: str
    value: str | None


class NameAndValue(Argument[Setting]):
    """``NAME`` or ``NAME = VALUE``; the value is the rest of the line."""

    metavar = "NAME [= VALUE]"
    takes_rest = True

    def parse(self, text: str) -> Setting:
        name, equals, value = text.partition("=")
        if not re.fullmatch(r"\S+", name.strip()):
            raise UsageError(f"'{name.strip()}' is no name")
        return Setting(name.strip(), value.strip() if equals else None)


class PropertySetting(NameAndValue):
    help = "a system property of the target"

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text, names.properties, "property") if "=" not in text else ()


class FlagSetting(NameAndValue):
    help = "a flag of the target's VM"

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text, names.flags, "flag") if "=" not in text else ()


class PropertyPattern(Word):
    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text, names.properties, "property")


class FlagPattern(Word):
    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text, names.flags, "flag")


class ModuleName(Word):
    """A module by name or id, or a class in it."""

    def __init__(self, metavar: str = "MODULE") -> None:
        super().__init__(metavar, "a module by its name or id, or a class that is in it")

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        yield from matching(text, names.modules, "module")
        if text:
            yield from class_names(text, names)


class ModulePattern(Word):
    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text, names.modules, "module")

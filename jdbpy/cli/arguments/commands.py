"""Arguments that name parts of jdbpy itself: commands and settings."""

from __future__ import annotations

from collections.abc import Iterable

from jdbpy.cli import jvmti
from jdbpy.cli.arguments.base import Argument, matching
from jdbpy.cli.names import Candidate, Names
from jdbpy.cli.settings import SETTINGS


class CommandName(Argument[str]):
    """A command, which may be of several words, or a topic of the help."""

    metavar = "COMMAND"
    help = "a command or a topic"
    takes_rest = True

    def parse(self, text: str) -> str:
        return " ".join(text.split())

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text, names.commands, "command")


class JvmtiName(Argument[str]):
    """A name of the JVM TI specification."""

    metavar = "NAME"
    help = "a function, an event or a capability of the JVM Tool Interface"

    def parse(self, text: str) -> str:
        return text

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text, (row.name for row in jvmti.rows()), "JVM TI")


class SettingName(Argument[str]):
    """A setting by name."""

    metavar = "SETTING"
    help = "a setting: " + ", ".join(SETTINGS)

    def parse(self, text: str) -> str:
        return text

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text, SETTINGS, "setting")

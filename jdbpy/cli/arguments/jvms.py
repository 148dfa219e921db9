"""Arguments of the commands for several JVMs: their names, and commands to run in them."""

from __future__ import annotations

from collections.abc import Iterable

from jdbpy import moments
from jdbpy.cli.arguments.base import Argument, matching
from jdbpy.cli.names import Candidate, Names
from jdbpy.record import Record


class CommandText(Argument[str]):
    """A command with its arguments."""

    metavar = "COMMAND"
    help = "a command, as it is typed alone"
    takes_rest = True

    def parse(self, text: str) -> str:
        return text

    def command_in(self, text: str) -> str | None:
        return text


class JvmCommand(Record):
    """The name of a JVM, or a pattern, and a command to run there, "" for none."""

    name: str
    command: str


class Compared(Record):
    """The sides of a comparison: names of JVMs, moments or files of snapshots, and which sections, none for the usual
    ones.
    """

    names: tuple[str, ...]
    sections: tuple[str, ...]


class ComparedWords(Argument[Compared]):
    """Names of JVMs, of moments that were kept, or files of snapshots; and sections."""

    metavar = "NAME [NAME] [SECTION...]"
    help = f"JVMs, moments or files of snapshots; `now` is the current JVM; sections: {', '.join(moments.SECTIONS)}"
    takes_rest = True

    def parse(self, text: str) -> Compared:
        words = text.split()
        return Compared(
            tuple(word for word in words if word not in moments.SECTIONS),
            tuple(word for word in words if word in moments.SECTIONS),
        )

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text.rpartition(" ")[2], ["now", *names.jvms, *moments.SECTIONS])


class JvmPattern(Argument[JvmCommand]):
    """A JVM by name or number, or a pattern of names, and perhaps a command."""

    metavar = "JVM [COMMAND]"
    help = "a name or a number of those that `jvms` lists; with a command a pattern, too: `orders-*`"
    takes_rest = True

    def parse(self, text: str) -> JvmCommand:
        name, _, command = text.strip().partition(" ")
        return JvmCommand(name, command.strip())

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text, names.jvms, "JVM")

    def command_in(self, text: str) -> str | None:
        _, blank, command = text.partition(" ")
        return command.lstrip() if blank else None

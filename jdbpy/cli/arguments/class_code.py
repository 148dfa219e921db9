"""Arguments of the commands about code: a method, a class or its file, a stratum."""

from __future__ import annotations

from collections.abc import Iterable

from jdbpy.cli.arguments.base import Argument, FilePath, matching
from jdbpy.cli.arguments.location import complete_place
from jdbpy.cli.arguments.target import class_names
from jdbpy.cli.names import Candidate, Names
from jdbpy.errors import UsageError


class MethodText(Argument[str]):
    """A method, or a class for all its methods; jdb's ``CLASS METHOD`` is taken too."""

    metavar = "[CLASS.]METHOD|CLASS"
    help = "a method, `Order.total` or `Order.total(int,String)`, or a class for all its methods"
    takes_rest = True

    def parse(self, text: str) -> str:
        if "(" in text:
            return text
        words = text.split()
        if len(words) > 2:
            raise UsageError(f"unexpected argument '{words[2]}'")
        return ".".join(words)

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return complete_place(text, names)


class ClassOrFile(Argument[str]):
    """A loaded class, or a file or directory of this machine."""

    metavar = "CLASS|FILE|DIR"
    help = "a class and its class file; or a directory or jar of class files; or source files with --compile"

    def parse(self, text: str) -> str:
        return FilePath().parse(text)

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        yield from class_names(text, names) if text else ()
        yield from FilePath().complete(text, names)


class StratumArgument(Argument[str]):
    """A language whose lines are wanted."""

    metavar = "NAME|Java|default"
    help = "a stratum as `extension CLASS` names it; `Java` for the lines of the class file; `default`"

    def parse(self, text: str) -> str:
        return text

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text, ("default", "Java", "Kotlin", "KotlinDebug", "JSP"), "stratum")

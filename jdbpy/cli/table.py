"""The command table: a command is one annotated async function that returns plain data.

From the function come the name, parsing, usage, help, completion, the manual page and the JSON form. Owns the lookup of
names (exact, case-insensitive, the longest first: ``step up`` before ``step``); runs nothing and prints nothing.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from typing import TypeVar

from jdbpy.cli.context import Context
from jdbpy.cli.signature import Signature
from jdbpy.errors import JdbpyError, UsageError
from jdbpy.record import Record

Function = Callable[..., Awaitable[Record]]

_LONG_USAGE = 60
"""Characters of a usage line beyond which an example says more."""


class CliCommand:
    """One command.

    ``resumes``: the target runs afterwards, so that a batch waits for its next stop. ``repeats``: what an empty line at
    the prompt runs after it: nothing (""), the same line again ("again"), or this line. ``everywhere``: where several
    JVMs are debugged it is run in all of them.
    """

    def __init__(
        self,
        function: Function,
        names: tuple[str, ...],
        group: str,
        *,
        resumes: bool,
        repeats: str,
        everywhere: bool = False,
    ) -> None:
        self.function = function
        self.name, *aliases = names
        self.aliases: tuple[str, ...] = tuple(aliases)
        self.group = group
        self.resumes = resumes
        self.repeats = repeats
        self.everywhere = everywhere

    @cached_property
    def signature(self) -> Signature:
        return Signature(self.function)

    @cached_property
    def doc(self) -> str:
        return inspect.cleandoc(self.function.__doc__ or "")

    @property
    def summary(self) -> str:
        """Return the first paragraph of the docstring, in one line."""
        return " ".join(self.doc.partition("\n\n")[0].split())

    @property
    def details(self) -> str:
        """Return the docstring after its first paragraph."""
        return self.doc.partition("\n\n")[2]

    @property
    def usage(self) -> str:
        return f"{self.name} {self.signature.usage}".strip()

    @property
    def example(self) -> str:
        """Return the first example of the docstring; "" if it has none."""
        names = "|".join(map(re.escape, (self.name, *self.aliases)))
        found = re.search(rf"`((?:{names}) [^`]+)`", self.doc)
        return " ".join(found[1].split()) if found else ""

    @property
    def usage_hint(self) -> str:
        """Return what a wrong call is told: how it is used, or an example where that would be long."""
        if len(self.usage) <= _LONG_USAGE or not self.example:
            return f"usage: {self.usage}"
        return f"for example: {self.example} ('help {self.name}' has all that may stand there)"

    @cached_property
    def returns(self) -> tuple[type[Record], ...]:
        """Return the types of its results."""
        hint = self.signature.returns
        types: tuple[type[Record], ...] = getattr(hint, "__args__", (hint,))
        return types

    async def __call__(self, context: Context, text: str) -> Record:
        """Parses ``text``, the line after the name, and runs the command."""
        try:
            values, keywords = self.signature.parse(text)
            return await self.function(context, *values, **keywords)
        except UsageError as error:
            error.hint = self._meant(text) or error.hint or self.usage_hint
            raise
        except JdbpyError as error:
            error.hint = self._meant(text) or error.hint
            raise

    def _meant(self, text: str) -> str:
        """Return a hint for a first word that is nearly one of those that go on with the command; "" for others."""
        word = next(iter(text.split()), "").lower()
        if not word.isalpha():
            return ""
        known = {name[len(own) + 1 :]: name for own in (self.name, *self.aliases) for name in TABLE.longer(own)}
        for parameter in self.signature.positional[:1]:
            known |= {each: f"{self.name} {each}" for each in parameter.argument.begins}
        near = [] if word in known else sorted((_slips(word, each), each) for each in known)
        quoted = [f"'{known[each]}'" for slips, each in near[:2] if slips <= max(1, len(word) // 3)]
        return f"did you mean {' or '.join(quoted)}?" if quoted else ""


class Found(Record):
    """A command found at the start of a line; the rest of the line begins at ``rest``."""

    command: CliCommand
    rest: int


class CommandTable:
    """All commands by name and alias. The modules of those that were named by ``hold`` are imported when looked up."""

    def __init__(self) -> None:
        self._commands: dict[str, CliCommand] = {}
        self._homes: dict[str, str] = {}  # the module of each name, in the order in which commands are listed
        self._held: set[str] = set()  # modules that are imported when they are needed
        self._longest = 1

    def __iter__(self) -> Iterator[CliCommand]:
        return iter(dict.fromkeys(self.by_name.values()))

    @property
    def names(self) -> tuple[str, ...]:
        """Return all names and aliases; loads nothing."""
        return tuple(self._homes)

    @property
    def by_name(self) -> dict[str, CliCommand]:
        """Return all commands; loads them."""
        return {name: self._load(name) for name in self._homes}

    def get(self, name: str) -> CliCommand | None:
        """Return the command of that name or alias, in lower case."""
        return self._load(name) if name in self._homes else None

    def hold(self, package: str, homes: Mapping[str, tuple[str, ...]]) -> None:
        """Take the names of the commands in the modules of a package, which are imported when they are needed."""
        for module, names in homes.items():
            self._held.add(f"{package}.{module}")
            for name in names:
                self._take(name, f"{package}.{module}")

    def add(self, command: CliCommand) -> None:
        """Add a command. Raises ValueError when a name is taken, or is none of those that its module is to have."""
        home = command.function.__module__
        for name in (command.name, *command.aliases):
            if home not in self._held:
                self._take(name, home)
            elif self._homes.get(name) != home:
                raise ValueError(f"{name!r} is missing from the names of {home} in its package")
            self._commands[name] = command

    def home_of(self, name: str) -> str:
        """Return the module that has the command of that name or alias; "" if there is none."""
        return self._homes.get(name, "")

    def remove(self, home: str) -> None:
        """Take away the commands of a module."""
        for name in [name for name, found in self._homes.items() if found == home]:
            del self._homes[name]
            self._commands.pop(name, None)

    def _take(self, name: str, home: str) -> None:
        if name in self._homes:
            raise ValueError(f"two commands are called {name!r}")
        self._homes[name] = home
        self._longest = max(self._longest, name.count(" ") + 1)

    def _load(self, name: str) -> CliCommand:
        if name not in self._commands:
            import_module(self._homes[name])
        return self._commands[name]

    def find(self, line: str) -> Found | None:
        """Return the command whose name is the longest at the start of ``line``, or None."""
        ends: list[int] = []
        names: list[str] = []
        position = 0
        while len(names) < self._longest and (word := _NAME.match(line, position)):
            position = word.end()
            names.append(word[1].lower())
            ends.append(position)
        names[:1] = [_SHORT.get(name, name) for name in names[:1]]
        head, slash, _ = names[0].partition("/") if names else ("", "", "")
        slashed = self.get(head) if slash else None
        if slashed is not None and slashed.signature.slash:
            return Found(slashed, line.index("/"))
        for count in range(len(names), 0, -1):
            command = self.get(" ".join(names[:count]))
            if command is not None:
                return Found(command, ends[count - 1])
        return None

    def longer(self, name: str) -> list[str]:
        """Return the names that begin with a name and have one word more."""
        return [each for each in self._homes if each.startswith(f"{name} ") and each.count(" ") == name.count(" ") + 1]

    def continuations(self, line: str) -> list[str]:
        """Return the names, whole, that ``line`` begins: for completion of ``step u`` and of an empty line."""
        typed = " ".join(line.lower().split()) + (" " if line[-1:].isspace() and line.strip() else "")
        return [name for name in self._homes if name.startswith(typed)]

    def suggestions(self, word: str) -> list[str]:
        """Return names like ``word``, for a "did you mean": at most four, canonical names first.

        A name counts that begins with the word, or that a slip or two turned into it: one of three letters.
        """
        word = word.lower()
        begun = [command.name for command in self if word and command.name.startswith(word)]
        slips = {name: _slips(word, name) for name in self._homes if " " not in name and abs(len(name) - len(word)) < 3}
        near = sorted((count, name) for name, count in slips.items() if count <= max(1, len(word) // 3))
        close = [self._load(name).name for _, name in near if len(word) > 1][:4]
        return list(dict.fromkeys(begun + close if len(word) < 3 else close + begun))[:4]


def _slips(typed: str, meant: str) -> int:
    """Return how many letters were left out, added, mistaken or exchanged with their neighbor."""
    before: list[int] = []
    row = list(range(len(meant) + 1))
    for i, a in enumerate(typed, 1):
        before, last, row = row, before, [i]
        for j, b in enumerate(meant, 1):
            count = min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == meant[j - 2] and typed[i - 2] == b:
                count = min(count, last[j - 2] + 1)
            row.append(count)
    return row[-1]


_NAME = re.compile(r"\s*(\S+)")
_SHORT = {"i": "info", "session": "jvm"}  # first words of longer names, `i locals`; a spelling that is not listed

TABLE = CommandTable()
"""The commands of jdbpy; ``jdbpy.cli.commands`` says what there is."""

_F = TypeVar("_F", bound=Function)


def command(
    *names: str, group: str, resumes: bool = False, repeats: str = "", everywhere: bool = False
) -> Callable[[_F], _F]:
    """Make a function a command called ``names[0]``, with the rest as aliases."""

    def register(function: _F) -> _F:
        TABLE.add(CliCommand(function, names, group, resumes=resumes, repeats=repeats, everywhere=everywhere))
        return function

    return register

"""``COMMAND > FILE``: writes the result of a command to a file as text instead of showing it.

Owns the distinction between Java's ``>`` and a redirection. In a command that takes an expression, ``>`` redirects only
if a file name follows that no expression could have there: a quoted name, or one that begins with ``/``, ``./``,
``../`` or ``~/``.
"""

from __future__ import annotations

import os
import re

from jdbpy import Record, UsageError, files
from jdbpy.cli.output.plain import PlainRenderer
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.results import Done
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import CliCommand

_FILE = re.compile(r"""\s(>>?)\s*(?:"([^"\n]+)"|'([^'\n]+)'|((?:/|\.\.?/|~/)[^\s"']+))\s*$""")
_WORD = re.compile(r"\s(>>?)\s*([^\s\"'>]+)\s*$")


_OWN = ("alias", "commands", "help", "monitor", "on", "py", "shell")
"""Commands whose text is a command itself, or another language's."""


class Redirection(Record):
    """Where the result of a command goes: the file, and whether it is appended."""

    path: str
    append: bool

    def write(self, outcome: Outcome, settings: Settings) -> Done:
        """Write a result and return what is shown instead. Raises UsageError."""
        lines = PlainRenderer(settings).result(outcome).splitlines()
        try:
            if self.append:
                files.append_lines(self.path, lines)
            else:
                files.write_whole(self.path, lines, replace=True)
        except (OSError, ValueError) as error:
            why = (error.strerror or str(error)) if isinstance(error, OSError) else "no file can have such a name"
            raise UsageError(f"cannot write {self.path}: {why}", code="FILE") from error
        count = "1 line" if len(lines) == 1 else f"{len(lines):,} lines"
        return Done(f"{count} {'added to' if self.append else 'written to'} {self.path}")


def redirected(command: CliCommand, text: str) -> tuple[str, Redirection | None]:
    """Split the text after a command's name into its arguments and the redirection at its end, if any."""
    if command.name in _OWN:
        return text, None
    found = _FILE.search(f" {text}")
    if found is None and not any(each.argument.takes_rest for each in command.signature.positional):
        found = _WORD.search(f" {text}")
    if found is None:
        return text, None
    sign, *names = found.groups()
    path = os.path.abspath(os.path.expanduser(next(filter(None, names))))
    return f" {text}"[: found.start()][1:], Redirection(path, append=sign == ">>")

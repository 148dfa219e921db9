"""jdb's commands by name. A command is a function of the debugger and the rest of its line that writes its answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from jdbpy.jdb.debugger import Debugger
from jdbpy.jdb.words import Words
from jdbpy.record import Record

Function = Callable[[Debugger, Words], Awaitable[None]]


class JdbCommand(Record):
    """A command. ``offline``: it makes sense before there is a target. ``resumes``: its prompt comes before it acts.

    ``evaluates``: it may take long, and the next line is not kept waiting.
    """

    name: str
    function: Function
    offline: bool = False
    resumes: bool = False
    evaluates: bool = False


COMMANDS: dict[str, JdbCommand] = {}
"""All commands, filled when ``commands`` is imported."""

REPEATABLE = frozenset(("up", "down", "step", "stepi", "next", "cont", "list", "pop", "reenter"))
"""What an empty line runs again after ``repeat on``."""


def jdb_command(
    *names: str, offline: bool = False, resumes: bool = False, evaluates: bool = False
) -> Callable[[Function], Function]:
    """Makes a function the command of these names."""

    def register(function: Function) -> Function:
        for name in names:
            COMMANDS[name] = JdbCommand(name, function, offline, resumes, evaluates)
        return function

    return register

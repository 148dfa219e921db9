"""The door for other front ends: a line of the prompt, and its results as JSON data.

Owns which commands a front end that is not a person may run: none that runs programs of this machine, reads or writes
its files, waits for a prompt, or ends the session, which belongs to that front end.
"""

from __future__ import annotations

import re
from typing import Any

from jdbpy import Session
from jdbpy.cli.commands import TABLE
from jdbpy.cli.context import Context
from jdbpy.cli.interpreter import Interpreter
from jdbpy.cli.output.json_lines import error_data
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import CliCommand
from jdbpy.json_form import encode

REFUSED = {
    "shell": "it runs programs of this machine",
    "read": "it reads files of this machine",
    "save breakpoints": "it writes files of this machine",
    "snapshot": "it writes files of this machine",
    "heapdump": "it writes files",
    "use": "it opens files of this machine",
    "redefine": "it opens files of this machine",
    "commands": "it is for the prompt",
    "on": "it is for the prompt",
    "monitor": "it is for the prompt",
    "display": "it is for the prompt",
    "repeat": "it is for the prompt",
    "wait": "it is for the prompt",
    "quit": "the session is not the prompt's",
    "detach": "the session is not the prompt's",
    "restart": "the session is not the prompt's",
    "reconnect": "the session is not the prompt's",
}
"""Commands that are refused, with the reason."""

_TO_A_FILE = re.compile(r"\bto\b", re.IGNORECASE)


def refusal(command: CliCommand, arguments: str) -> str:
    """Return why a front end that is not a person does not run a command; "" if it does."""
    if command.group == "breakpoints" and _TO_A_FILE.search(arguments):
        return "with 'to' it writes files of this machine"
    return REFUSED.get(command.name, "")


class PromptLines:
    """Runs lines of the prompt in a session, with settings of its own."""

    def __init__(self, session: Session) -> None:
        self._outcomes: list[dict[str, Any]] = []
        self._context = Context(session, settings=Settings())
        self._interpreter = Interpreter(TABLE, self._context, self._report, refusal=refusal)

    async def run(self, line: str) -> list[dict[str, Any]]:
        """Run a line; return what each command of it came to, as in the JSON of the command line."""
        self._outcomes = []
        await self._interpreter.run(line)
        return self._outcomes

    def _report(self, outcome: Outcome) -> None:
        found: dict[str, Any] = {"command": outcome.line, "ok": outcome.error is None}
        if outcome.error is not None:
            found["error"] = error_data(outcome.error)
        else:
            found["data"] = encode(outcome.result) if outcome.result is not None else {}
        self._outcomes.append(found)

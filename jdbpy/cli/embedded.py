"""The door for other front ends: lines of the prompt, and their results as JSON data or as the prompt's text.

Owns which commands a front end that is not a person may run: none that runs programs of this machine, reads or writes
its files, waits for a prompt, or ends the session, which belongs to that front end. A console that a person types into
takes all of them; a line there may be an expression as well, and this module owns how the two are distinguished.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal

import trio

from jdbpy import Event, Exited, Session, Stopped, VMDisconnected
from jdbpy.cli.commands import TABLE
from jdbpy.cli.context import Context
from jdbpy.cli.interpreter import Interpreter
from jdbpy.cli.names import Candidate, Names
from jdbpy.cli.output.json_lines import error_data
from jdbpy.cli.output.plain import PlainRenderer
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.recorded_words import in_recorded_call
from jdbpy.cli.repl.completion import complete_line
from jdbpy.cli.repl.completion_refresh import Known, NamesRefresher
from jdbpy.cli.settings import NO_DECOMPILER, Settings
from jdbpy.cli.stop_actions import run_stop_actions, variables_wanted
from jdbpy.cli.stop_values import values_at_stop
from jdbpy.cli.table import CliCommand
from jdbpy.errors import UsageError
from jdbpy.identifiers import IDENTIFIER
from jdbpy.json_form import encode
from jdbpy.record import Record

__all__ = ["FORCED", "REFUSED", "Candidate", "ConsoleLines", "PromptLines", "refusal"]

REFUSED = {
    "shell": "it runs programs of this machine",
    "read": "it reads files of this machine",
    "source": "it may read files of this machine",
    "dump classes": "it writes files of this machine",
    "save breakpoints": "it writes files of this machine",
    "snapshot": "it writes files of this machine",
    "heapdump": "it writes files",
    "recorded to": "it writes files of this machine",
    "recorded from": "it reads files of this machine",
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
    "serve": "the session is not the prompt's",
    "reconnect": "the session is not the prompt's",
}
"""Commands that are refused, with the reason."""

_PROGRAM = re.compile(r"\s*decompiler\b", re.IGNORECASE)
_TO_A_FILE = re.compile(r"\bto\b", re.IGNORECASE)


def refusal(command: CliCommand, arguments: str) -> str:
    """Return why a front end that is not a person does not run a command; "" if it does."""
    in_recorded_call = command.name.startswith("recorded ")  # where `back to 42` goes to a line
    if command.group == "breakpoints" and not in_recorded_call and _TO_A_FILE.search(arguments):
        return "with 'to' it writes files of this machine"
    if command.group == "plugins":
        return "it runs Python on this machine"
    if command.name in ("set", "config") and _PROGRAM.match(arguments):
        return "it names a program of this machine"
    return REFUSED.get(command.name, "")


def refusal_of_recording(command: CliCommand, arguments: str) -> str:
    """Return why a line that stands in a recording is not run again; "" if it is: recordings come from others."""
    reason = refusal(command, arguments)
    return reason if command.group == "plugins" or "this machine" in reason or "writes files" in reason else ""


def named_command(line: str) -> tuple[str, str]:
    """Return the name of the command that a line begins with, "" for none, and what follows it."""
    found = TABLE.find(line)
    return (found.command.name, line[found.rest :]) if found is not None else ("", line)


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


FORCED = "`"
"""A line of a console that begins with it is a command, also where a variable is called like it."""

_REPEATED = re.compile(r"\d+\s+(?=[^\W\d])")
_GOES_ON = re.compile(r"\s*($|;|[-+*/%<>=!&|^?\[.,(]|instanceof\b)")


class ConsoleLines:
    """Runs lines that a person types into the console of another front end, with settings of their own.

    ``show`` is called with the prompt's text for each result, as it comes. Nothing is asked back: a command is taken at
    its word. Made once for a session; it listens to the session's events from then on. ``decompiler``: the setting's
    first value, "" for none.
    """

    def __init__(self, session: Session, show: Callable[[str], None], *, decompiler: str = "") -> None:
        self._session = session
        self._show = show
        self._settings = Settings()
        if decompiler:
            self._settings.set("decompiler", decompiler)
        self._context = Context(session, settings=self._settings)
        self._context.wait = self._wait
        self._context.announce = lambda text: show(f"{text}\n")
        self._context.note_line = session.note_line
        self._renderer = PlainRenderer(self._settings)
        self._interpreter = Interpreter(TABLE, self._context, self._report, self._settle)
        self._names = NamesRefresher(self._context, Known(TABLE))
        self._known: tuple[object, Names] | None = None
        self._run = 0
        self._failures: list[Outcome] = []
        self._in_a_row = False
        self._stopped = trio.Event()  # since the line began that runs now
        session.listen(self._on_event)

    @property
    def decompiler(self) -> str:
        """Return the setting `decompiler`; "" for none."""
        command: str = self._settings["decompiler"]
        return "" if command == NO_DECOMPILER else command

    def reads_as(self, line: str) -> Literal["command", "expression", "either"]:
        """Return how a line is to be taken; "either": as an expression if its first word is a variable there."""
        line = line.strip()
        if self._context.collecting is not None or line.startswith((FORCED, "!", "#")):
            return "command"
        line = _REPEATED.sub("", line, count=1)
        word, _, rest = line.partition(" ")
        if word.lower() in self._context.aliases:
            return "either" if _GOES_ON.match(rest) else "command"
        try:
            found = in_recorded_call(TABLE, self._context, line, TABLE.find(line)) if line else None
        except UsageError:  # as the command will say
            return "command"
        if found is None or re.match(r"\s*=(?!=)", line[found.rest :]):
            return "expression"
        return "either" if re.fullmatch(IDENTIFIER, word) and _GOES_ON.match(rest) else "command"

    def begins_anew(self, text: str) -> bool:
        """True if a line asks to start the program, or to connect, once more, which is left to the front end."""
        found = TABLE.find(text.strip().removeprefix(FORCED))
        return found is not None and found.command.name in ("restart", "reconnect")

    async def run(self, text: str) -> Outcome | None:
        """Run one or several lines; those after one that fails are left out. Return the failure, if there is one."""
        self._failures.clear()
        lines = text.strip().removeprefix(FORCED).splitlines()
        self._in_a_row = len(lines) > 1
        for line in lines:
            self._stopped = trio.Event()
            self._run += 1
            if not await self._interpreter.run(line) or self.leaving:
                break
        return self._failures[-1] if self._failures else None

    def error(self, failure: Outcome) -> str:
        """Return an error as the prompt shows it, without its first word."""
        return self._renderer.error(failure).removeprefix("error: ").rstrip("\n")

    @property
    def leaving(self) -> bool:
        """True if a command has ended the session, or wants it to end."""
        return self._context.leaving

    @property
    def open_call(self) -> Any:
        """Return the place in the recorded call that is open; None while none is."""
        return self._context.open_call

    def close_call(self) -> None:
        """Close the recorded call that is open."""
        self._context.open_call = None

    async def stopped(self, stop: Stopped) -> None:
        """Show what is displayed at stops, and run what was ordered for this one."""
        if self._context.displays or variables_wanted(self._context, stop):
            found = await values_at_stop(self._context, stop)
            if found.items or found.variables:
                self._show(self._renderer.displays(found))
        self._failures.clear()
        await run_stop_actions(self._context, stop)
        for failure in self._failures:
            self._show(self._renderer.error(failure))

    async def complete(self, line: str) -> list[Candidate]:
        """Return the prompt's candidates at the end of a line. wire: 2 or 3 trips, none again before anything runs."""
        line = line.removeprefix(FORCED)
        state = self._session.ran, self._run, len(self._session.points.list())
        if self._known is None or self._known[0] != state:
            self._known = state, await self._names.read()
        return complete_line(TABLE, line, self._known[1])

    async def _settle(self, command: CliCommand, result: Record) -> Record:
        """After a command that lets the target run: ``3 next`` and a script wait for each stop, a person need not."""
        if self._in_a_row or self._context.scripts or self._interpreter.last[:1].isdigit():
            await self._stopped.wait()
            self._stopped = trio.Event()
        return result

    async def _wait(self, seconds: float) -> bool:
        with trio.move_on_after(seconds) as waiting:
            await self._stopped.wait()
        return waiting.cancelled_caught

    def _on_event(self, event: Event) -> None:
        if isinstance(event, Stopped | Exited | VMDisconnected):
            self._stopped.set()

    def _report(self, outcome: Outcome) -> None:
        if outcome.error is not None:
            self._failures.append(outcome)
        elif text := self._renderer.result(outcome):
            self._show(text)

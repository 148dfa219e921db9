"""Runs one line after the other: comments, ``!!``, repetition, lookup, errors.

Owns the grammar around commands; knows nothing about who types the lines and who shows the outcomes.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

from jdbpy import purpose
from jdbpy.cli.arguments.code import assignment_sign
from jdbpy.cli.context import Collecting, Context
from jdbpy.cli.newcomers import SYNONYMS
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.python_lines import PythonLines
from jdbpy.cli.recorded_words import PREFIX, in_recorded_call
from jdbpy.cli.results import Actions, Done, Restarting, Resumed
from jdbpy.cli.table import CliCommand, CommandTable, Function
from jdbpy.cli.topics import TOPICS
from jdbpy.errors import JdbpyError, UsageError
from jdbpy.process.processor_time import INTERRUPTED, cancellation
from jdbpy.record import Record

Refusal = Callable[[CliCommand, str], str]
Settle = Callable[[CliCommand, Record], Awaitable[Record]]
_REPEATED = re.compile(r"(\d{1,9})\s+(\S.*)", re.DOTALL)
_READS = re.compile(r"(?i)(read|source)\b")
_ASKS = re.compile(r"(?:\s+[A-Za-z]+)?\s+--help\s*")
_EQUALS = re.compile(r"\s*=(?!=)")
_INSTEAD = {
    "d": "'delete' removes breakpoints, 'down' goes to the called frame",
    "t": "'thread' selects a thread, 'tbreak' sets a temporary breakpoint",
    "j": "a JVM cannot jump to a line; 'pop' and 'reenter' go back to the start of a method",
}


class Interpreter:
    """Runs lines in a context.

    ``report`` gets the outcome of every command, also of those that ``read`` runs. ``settle`` is called with the result
    of a command that made the target run and may wait and return a better one. ``refusal`` is asked about each command
    and the text after its name, and says why the front end does not run it; "" if it does.
    """

    def __init__(
        self,
        table: CommandTable,
        context: Context,
        report: Callable[[Outcome], None],
        settle: Settle | None = None,
        refusal: Refusal | None = None,
    ) -> None:
        self.table = table
        self.context = context
        self.last = ""  # the line that `!!` runs again
        self.report = report
        self._settle = settle
        self._refusal = refusal
        context.run_line = self.run

    async def run(self, line: str) -> bool:
        """Runs ``line`` and reports the outcome of each command in it; False when one failed."""
        if self.context.python_lines is not None:
            return await self._python(self.context.python_lines, line)
        line = line.strip()
        if not line or line.startswith("#"):
            return True
        if not self.context.acting and not _READS.match(line):  # the lines of a file are noted themselves
            self.context.note_line(line)
        if self.context.collecting is not None:
            return self._collect(self.context.collecting, line)
        if line == "!!" or line.startswith("!! "):
            if not self.last:
                return self._fail(line, UsageError("no last command", hint="'help' lists the commands"))
            line = self.last + line[2:]
        elif line.startswith("!") and line[1:].strip():
            line = f"shell {line[1:].strip()}"
        if not self.context.acting:
            self.last = line
        repeated = _REPEATED.fullmatch(line)
        if not repeated:
            return await self._once(line)
        for _ in range(int(repeated[1])):
            if not await self._once(repeated[2]):
                return False
            if self.context.leaving:
                break
        return True

    async def _once(self, line: str) -> bool:
        line = expanded(self.context, line)
        found = self.table.find(line)
        if found is not None and _ASKS.fullmatch(line, found.rest):
            line = f"help {found.command.name}"
            found = self.table.find(line)
        try:
            found = in_recorded_call(self.table, self.context, line, found)
        except UsageError as error:
            return self._fail(line, error)
        if found is None or _EQUALS.match(line, found.rest):  # a variable that is called like a command: `n = 3`
            return self._fail(line, unknown_command(self.table, line))
        command = found.command
        arguments, target = line[found.rest :], None
        if ">" in arguments and self._refusal is None:
            from jdbpy.cli.redirection import redirected  # which brings the renderer

            arguments, target = redirected(command, arguments)
        if self._refusal is not None and (reason := self._refusal(command, line[found.rest :])):
            return self._fail(line, UsageError(f"'{command.name}' is refused here: {reason}", code="REFUSED"), command)
        try:
            with purpose(line):
                result = await self._run(command, line[: found.rest] + arguments, arguments)
            if isinstance(result, Restarting):
                return True
            if result.resumes if isinstance(result, Resumed) else command.resumes:
                self.context.listed = None
                if self.context.acting:
                    self.context.acted_on = True
                elif self._settle is not None:
                    result = await self._settle(command, result)
            if target is not None:
                result = target.write(Outcome(line, command, result), self.context.settings)
        except JdbpyError as error:
            if error.code == INTERRUPTED:
                await cancellation()
            restarts = self.context.restarts
            if restarts is not None and restarts.waits_for_another(self.context, command, error):
                self.report(Outcome(line, command, Done(restarts.wait(line))))
                return True
            if error.code == "VM_DEAD" and self.context.restarts is not None and self.context.interactive:
                error.hint = self.context.restarts.hint(self.context)
            return self._fail(line, error, command)
        if not self.context.quiet:
            self.report(Outcome(line, command, result))
        return True

    async def _run(self, command: CliCommand, line: str, arguments: str) -> Record:
        """Run a command here, or in all JVMs if it is one that is for all."""
        ctx = self.context
        jvms = ctx.jvms if command.everywhere and not ctx.acting and not ctx.putting_back else None
        if jvms is None:
            return await command(ctx, arguments)
        if jvms.several:
            return await self._function("each")(ctx, line)
        with jvms.for_all(jvms.members):
            return await command(ctx, arguments)

    async def _python(self, lines: PythonLines, line: str) -> bool:
        """Take a line of Python, after `py`."""
        self.context.note_line(line)
        source = lines.take(line)
        if lines.ended:
            self.context.python_lines = None
        if not source:
            return True
        try:
            result = await self._function("py")(self.context, source)
        except JdbpyError as error:
            return self._fail("py", error)
        self.report(Outcome("py", self.table.get("py"), result))
        return True

    def _function(self, name: str) -> Function:
        """Return the function of a command, which is loaded now: what the grammar needs of the commands themselves."""
        command = self.table.get(name)
        assert command is not None, name
        return command.function

    def _collect(self, collecting: Collecting, line: str) -> bool:
        """Take a line of ``commands N``; the last one is ``end``."""
        if line.lower() != "end":
            collecting.lines.append(line)
            return True
        self.context.collecting = None
        self.context.actions[collecting.number] = collecting.lines
        self.report(Outcome(line, None, Actions(collecting.number, tuple(collecting.lines))))
        return True

    def _fail(self, line: str, error: JdbpyError, command: CliCommand | None = None) -> bool:
        self.report(Outcome(line, command, error=error))
        return False


def expanded(context: Context, line: str) -> str:
    """Return a line with the user's own name at its beginning replaced by its meaning."""
    name, _, rest = line.partition(" ")
    if name.lower() in context.aliases:
        return f"{context.aliases[name.lower()]} {rest}".strip()
    return line


def unknown_command(table: CommandTable, line: str) -> UsageError:
    """Return the error for a line that begins with no command."""
    word = line.split()[0]
    hint = _INSTEAD.get(word.lower(), "")
    if not hint and table.get(PREFIX + word.lower()) is not None:
        hint = f"it is for recorded calls: 'recorded 1' opens the first, 'help {PREFIX}{word.lower()}' says more"
    elif not hint and word.lower() in TOPICS:
        hint = f"'help {word.lower()}' says more"
    elif not hint and assignment_sign(line) > 0:
        return UsageError(
            f"'{line}' is not a command", hint=f"'set {line}' gives it a new value", code="UNKNOWN_COMMAND"
        )
    elif not hint and re.search(r"\w[.\[(]|^[\d(\"']", word):
        hint = f"'print {line}' shows a value"
    elif not hint:
        quoted = [f"'{name}'" for name in SYNONYMS.get(word.lower()) or table.suggestions(word)]
        hint = f"did you mean {' or '.join(quoted)}?" if quoted else "'help' lists the commands"
        if not quoted and line.strip().isidentifier():
            hint += f", 'print {word}' shows a variable"
    return UsageError(f"unknown command '{word}'", hint=hint, code="UNKNOWN_COMMAND")

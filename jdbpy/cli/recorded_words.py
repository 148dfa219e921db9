"""The words that mean something else while a recorded call is open: `next` goes on in it, not in the JVM."""

from __future__ import annotations

from jdbpy.cli.context import Context
from jdbpy.cli.table import CommandTable, Found
from jdbpy.errors import UsageError

PREFIX = "recorded "


def in_recorded_call(table: CommandTable, context: Context, line: str, found: Found | None) -> Found | None:
    """Return the command that a line means in an open recorded call, if one is open; ``found`` is the one else.

    Raises UsageError for one that would let the JVM run: it is not what the user looks at.
    """
    if context.open_call is None:
        return found
    if found is None:
        word = line.split()[0]
        inner = table.get(PREFIX + word.lower())
        return Found(inner, len(word)) if inner is not None else None
    inner = table.get(PREFIX + found.command.name)
    if inner is not None:
        return Found(inner, found.rest)
    if found.command.resumes:
        number = context.open_call.call.number
        raise UsageError(
            f"recorded call {number} is open, and '{found.command.name}' would let the JVM run",
            hint="'close' goes back to the JVM; 'next', 'back', 'cont', 'back to LINE' move in the call",
            code="CALL_OPEN",
        )
    return found

"""At the keyboard: the lines that were typed, and the user's editor."""

from __future__ import annotations

import os
import shlex
import shutil
from typing import Annotated

import trio

from jdbpy.cli.arguments.base import Number, Option, TextArgument
from jdbpy.cli.arguments.location import ListArgument
from jdbpy.cli.commands.source import place_of_text
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import RowPieces, Sentence, Shown, faint
from jdbpy.cli.output.shows import shows
from jdbpy.cli.results import Done
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.errors import StateError, UsageError
from jdbpy.record import Record

_EDITORS = ("editor", "nano", "vim", "vi")
"""Editors that are looked for where no variable names one."""


class TypedLine(Record):
    """A line of the history; ``number`` counts from the oldest."""

    number: int
    line: str


class TypedLines(Record):
    """Lines that were typed at prompts, oldest first."""

    json_name = "history"

    lines: tuple[TypedLine, ...]


@shows(TypedLines)
def typed_lines(result: TypedLines, settings: Settings) -> Shown:
    if not result.lines:
        yield Sentence("no such line was typed")
        return
    yield RowPieces([(faint(f"{each.number:>5}"), each.line) for each in result.lines])


@command("history", "show commands", group="session")
async def history(
    ctx: Context,
    text: Annotated[str, TextArgument("TEXT", help="only lines that contain it")] = "",
    *,
    count: Annotated[int, Option("-n", argument=Number("COUNT"), help="how many, the last ones")] = 20,
) -> TypedLines:
    """List the lines that were typed last, in earlier sessions too: `history`, `history -n 100`, `history break`.

    Up and Ctrl-R bring a line back; a line that begins with a blank is not kept.
    """
    from jdbpy.cli.repl.prompt_line import history_path  # brings the line editor

    path = history_path()
    if path is None:
        raise StateError("no history is kept without a home directory")
    lines = await trio.to_thread.run_sync(_lines_of, str(path))
    found = [TypedLine(number, line) for number, line in enumerate(lines, 1) if text in line]
    return TypedLines(tuple(found[-count:]))


def _lines_of(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return [line for line in file.read().split("\n") if line]
    except OSError:
        return []


@command("edit", group="source")
async def edit(ctx: Context, what: Annotated[str, ListArgument()] = "") -> Done:
    """Open the source in your editor ($VISUAL or $EDITOR) at the selected frame's line, or at another place.

    `edit`, `edit 42`, `edit Order.total`, `edit Order:17`. The target is not affected. `redefine FILE`
    compiles and loads what you have changed. In a script, the location is printed.
    """
    class_name, source, line = await place_of_text(ctx, what)
    file = await ctx.session.sources.text(class_name, source)
    if file is None:
        raise StateError(f"the source of {class_name} was not found", hint="'use PATHS' says where the sources are")
    if not await trio.Path(file.path).is_file():
        raise StateError(f"{file.path} is in an archive, which an editor cannot change", hint="'list' shows it")
    shown = f"{file.path}:{line}" if line else file.path
    if ctx.run_program is None:
        return Done(shown, hint="an editor is opened at the plain prompt of a terminal only")
    words = [*_editor(), *([f"+{line}"] if line else []), file.path]
    status = await ctx.run_program(words)
    if status:
        raise StateError(f"{words[0]} ended with status {status}")
    return Done(shown, hint=f"'redefine {file.path}' compiles and loads it")


def _editor() -> list[str]:
    """Return the editor's command. Raises UsageError where there is none."""
    for name in ("VISUAL", "EDITOR"):
        if words := shlex.split(os.environ.get(name, "")):
            return words
    if found := next(filter(None, map(shutil.which, _EDITORS)), None):
        return [found]
    raise UsageError("no editor was found", hint="set EDITOR in your environment")

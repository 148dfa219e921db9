"""Names of the user's own for the beginnings of commands."""

from __future__ import annotations

import re
from typing import Annotated

from jdbpy.cli.arguments.base import TextArgument
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import RowPieces, Sentence, Shown
from jdbpy.cli.output.shows import shows
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import TABLE, command
from jdbpy.errors import UsageError
from jdbpy.record import Record


class Alias(Record):
    """A name of the user's own, and the beginning of a command that replaces it."""

    name: str
    text: str


class Aliases(Record):
    """Names of the user's own."""

    aliases: tuple[Alias, ...]


@shows(Aliases)
def aliases_shown(result: Aliases, settings: Settings) -> Shown:
    yield RowPieces((each.name, f"= {each.text}") for each in result.aliases)
    if not result.aliases:
        yield Sentence("no aliases; 'alias NAME = COMMAND' adds one")


@command("alias", group="settings")
async def alias(ctx: Context, definition: Annotated[str, TextArgument("NAME = COMMAND")] = "") -> Aliases:
    """Give a command a name of your own: `alias lo = locals`; without an argument, list them.

    Words that follow the name are added: after `alias wa = where all --fold`, `wa -n 5` shows five frames. `alias
    NAME =` takes a name away. An alias cannot have the name of a command. Aliases in the file `init` are there at each
    prompt.
    """
    if not definition:
        return Aliases(tuple(Alias(name, text) for name, text in ctx.aliases.items()))
    name, equals, text = (part.strip() for part in definition.partition("="))
    if not equals or not re.fullmatch(r"[A-Za-z_][\w-]*", name):
        raise UsageError(f"'{definition}' is not a definition", hint="'alias NAME = COMMAND', the name is one word")
    name = name.lower()
    if TABLE.find(name) is not None:
        raise UsageError(f"'{name}' is a command", hint="choose another name")
    if not text:
        if ctx.aliases.pop(name, None) is None:
            raise UsageError(f"no alias '{name}'", hint="'alias' lists them")
        return Aliases(())
    ctx.aliases[name] = text
    return Aliases((Alias(name, text),))

"""Help: help, apropos, info."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Annotated

from jdbpy.cli import jvmti
from jdbpy.cli.arguments.base import TextArgument
from jdbpy.cli.arguments.commands import CommandName, JvmtiName
from jdbpy.cli.context import Context
from jdbpy.cli.newcomers import FIRST, FROM, SYNONYMS
from jdbpy.cli.output.pieces import (
    Column,
    Pieces,
    RowPieces,
    Sentence,
    Shown,
    TablePieces,
    faint,
    name as name_piece,
    piece,
    title,
)
from jdbpy.cli.output.shows import shows
from jdbpy.cli.recorded_words import PREFIX
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import TABLE, CliCommand, command
from jdbpy.cli.topics import GROUPS, TOPICS
from jdbpy.errors import UsageError
from jdbpy.json_form import HIDDEN, Json
from jdbpy.record import Record


class HelpEntry(Record):
    """A command in a line."""

    name: str
    aliases: tuple[str, ...]
    usage: str
    summary: str
    group: str


class HelpWord(Record):
    """An option or an argument of a command, and what it means."""

    word: str
    help: str


class HelpIndex(Record):
    """Commands in a line each; ``topic`` is what was searched for."""

    entries: Annotated[tuple[HelpEntry, ...], Json(key="commands")]
    topic: str = ""
    first: Annotated[bool, HIDDEN] = False  # a person is shown the first commands by task


class HelpPage(Record):
    """All about one command."""

    entry: Annotated[HelpEntry, Json(key="command")]
    details: str
    options: tuple[HelpWord, ...]
    arguments: tuple[HelpWord, ...]
    example: Annotated[str, Json(optional=True)] = ""
    group: Annotated[tuple[str, ...], Json("the other commands of a group of that name", optional=True)] = ()


class HelpTopic(Record):
    """An answer that is not about one command."""

    topic: str
    text: str


WIDTH = 100
"""Columns of help, where the window is not narrower: longer lines are hard to read."""

_COMMANDS = (
    Column("", style="name", least=8, fold=True),
    Column("", style="number", least=4, drop=1, fold=True),
    Column("", least=14, fold=True),
)


_BEGUN = re.compile(r"\s*(?:[*-] |\||\S.*\s{2,}(?=\S))")
"""The start of a list item, of a table line, or of a row with a word and its meaning."""


@shows(HelpIndex)
def help_index(result: HelpIndex, settings: Settings) -> Shown:
    if result.first:
        yield from _first_commands()
        return
    groups: dict[str, list[HelpEntry]] = {}
    for entry in result.entries:
        groups.setdefault(entry.group, []).append(entry)
    for group, meaning in GROUPS.items():
        if group in groups:
            yield piece(group, "heading") + f": {meaning}"
            rows = [(entry.name, _short_names(entry), _quoted(entry.summary)) for entry in groups[group]]
            yield TablePieces(_COMMANDS, rows, titles=False, plain=RowPieces(rows, "  "))
    if not result.topic:
        yield Sentence(f"'help COMMAND' says all about one; other topics: {', '.join(TOPICS)}")


_FIRST = (
    Column("", style="faint", least=11),
    Column("", style="name", least=18),
    Column("", least=20, fold=True),
)


def _first_commands() -> Shown:
    yield TablePieces(_FIRST, FIRST, titles=False, plain=RowPieces(FIRST))
    yield Sentence(f"groups: {', '.join(GROUPS)}", "    ", WIDTH)
    yield Sentence(f"topics: {', '.join(TOPICS)}", "    ", WIDTH)


@shows(HelpPage)
def help_page(result: HelpPage, settings: Settings) -> Shown:
    entry = result.entry
    yield Sentence(entry.usage, "    ", WIDTH)
    if entry.aliases:
        yield Sentence(faint(f"also: {', '.join(entry.aliases)}"), "    ", WIDTH)
    if result.example:
        yield Sentence(faint("for example: ") + name_piece(result.example), "    ", WIDTH)
    yield ""
    yield Sentence(_marked(entry.summary), "", WIDTH)
    if result.details:
        yield ""
        yield from _laid_out(result.details)
    words = [f"{word.word}: {word.help}" for word in (*result.arguments, *result.options)]
    if words:
        yield ""
    if result.group:
        yield Sentence(faint("see also: ") + ", ".join(result.group), "    ", WIDTH)
    for word in words:
        head, colon, rest = word.partition(": ")
        yield Sentence(title(head) + colon + _marked(rest), "    ", WIDTH)


@shows(HelpTopic)
def help_topic(result: HelpTopic, settings: Settings) -> Shown:
    yield from _laid_out(result.text)


def _laid_out(text: str) -> Iterator[Sentence]:
    """Yield the paragraphs of a text, the items of its lists, and its rows of a word and a meaning, ``WORD  meaning``.

    What is indented as far as a meaning, or more than the mark of an item, goes on with it.
    """
    blocks: list[tuple[list[str], str]] = []  # lines, and the indent of what goes on with them
    for line in text.splitlines():
        begun = _BEGUN.match(line)
        blanks = " " * (len(line) - len(line.lstrip()))
        lines, indent = blocks[-1] if blocks else ([""], "")
        if line and any(lines) and not begun and (blanks.startswith(indent) if indent else not blanks):
            lines.append(line.lstrip())
        else:
            blocks.append(([line], " " * len(begun[0]) if begun else f"{blanks}    " if blanks else ""))
    for lines, indent in blocks:
        yield Sentence(_marked(" ".join(lines)), indent, WIDTH)


def _marked(text: str) -> Pieces:
    """Return a text whose marks of code are shown as single quotes; what can be typed stands out."""
    parts = text.split("`")
    pairs = [((f"'{part}'", "name") if index % 2 else (part, "plain")) for index, part in enumerate(parts)]
    return Pieces(tuple(pairs)) if len(parts) % 2 else Pieces(((_quoted(text), "plain"),))


def _quoted(text: str) -> str:
    """Return a text with the marks of code as a terminal shows them: in single quotes."""
    return text.replace("`", "'")


def _short_names(entry: HelpEntry) -> str:
    """Return the short names beside the canonical one."""
    return ", ".join(alias for alias in entry.aliases if " " not in alias)


@command("help", "h", "?", group="session")
async def help_(ctx: Context, name: Annotated[str, CommandName()] = "") -> HelpIndex | HelpPage | HelpTopic:
    """List the commands, or say all about one of them, a group of them, or a topic.

    `help stop`, `help breakpoints`, `help locations`, `help jump`; `help all` lists every command, `help gdb` what the
    words of gdb are here (lldb, delve, pdb, intellij, arthas).
    """
    if name.lower() in ("", "all"):
        return HelpIndex(tuple(entry_of(command) for command in TABLE), first=not name)
    topic = name.lower()
    found = TABLE.get(topic)
    if found is None or ctx.open_call is not None:  # `back`, `last` are words there
        found = TABLE.get(PREFIX + topic) or found
    if found is not None:
        page = page_of(found)
        group = tuple(command.name for command in TABLE if command.group == topic and command is not found)
        details = "\n\n".join(filter(None, (page.details, TOPICS.get(topic, ""))))
        return page.replace(details=details, group=group)
    if topic in GROUPS:
        return HelpIndex(tuple(entry_of(command) for command in TABLE if command.group == topic), topic)
    if topic in TOPICS:
        return HelpTopic(topic, TOPICS[topic])
    if topic in FROM:
        width = max(len(theirs) for theirs, _ in FROM[topic])
        rows = [f"  {theirs:<{width}}  {ours}" for theirs, ours in FROM[topic]]
        return HelpTopic(topic, "\n".join([f"If you know {topic}:", *rows]))
    near = SYNONYMS.get(topic) or TABLE.suggestions(name)
    hint = f"did you mean {' or '.join(near)}?" if near else "'help' lists the commands, 'apropos WORD' searches them"
    raise UsageError(f"no help on '{name}'", hint=hint, code="UNKNOWN_TOPIC")


@command("help jvmti", group="session")
async def help_jvmti(ctx: Context, name: Annotated[str, JvmtiName()] = "") -> HelpTopic:
    """Say how a function, event or capability of the JVM Tool Interface is reached, and by which command.

    `help jvmti PopFrame`, `help jvmti can_redefine_classes`. What a debug port cannot reach is answered too.
    """
    if not name:
        counts = Counter(row.reach for row in jvmti.rows())
        lines = [f"{counts[reach]:>4} {words}" for reach, words in jvmti.REACH.items()]
        return HelpTopic("jvmti", "\n".join(["Functions, events and capabilities of the JVM Tool Interface:", *lines]))
    row = jvmti.find(name)
    if row is None:
        from difflib import get_close_matches

        near = get_close_matches(name, [row.name for row in jvmti.rows()], n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else "the names are those of the specification: PopFrame"
        raise UsageError(f"the JVM Tool Interface has no '{name}'", hint=hint, code="UNKNOWN_TOPIC")
    return HelpTopic(row.name, jvmti.in_words(row))


@command("apropos", group="session")
async def apropos(ctx: Context, word: Annotated[str, TextArgument("WORD")]) -> HelpIndex:
    """List the commands that a word may mean, and those whose help has it: `apropos deadlock`, `apropos slow`."""
    wanted = word.lower()
    meant = [TABLE.get(name) for name in SYNONYMS.get(wanted, ())]
    found = [c for c in TABLE if c in meant or any(wanted in text.lower() for text in (c.name, c.doc, *c.aliases))]
    if not found:
        raise UsageError(f"no help text has '{word}' in it", hint="'help' lists all commands")
    return HelpIndex(tuple(entry_of(command) for command in found), word)


@command("info", "i", group="session")
async def info(ctx: Context, topic: Annotated[str, TextArgument("TOPIC")] = "") -> HelpIndex:
    """Show something about the program or the debugger; without a topic, list what there is."""
    if topic:
        raise UsageError(f"no 'info {topic}'", hint="'info' lists the topics")
    return HelpIndex(
        tuple(
            entry_of(command).replace(name=name) for name, command in TABLE.by_name.items() if name.startswith("info ")
        ),
        "info",
    )


def entry_of(command: CliCommand) -> HelpEntry:
    """Return a command in a line."""
    return HelpEntry(command.name, command.aliases, command.usage, command.summary, command.group)


def page_of(command: CliCommand) -> HelpPage:
    """Return all about a command."""
    signature = command.signature
    options = tuple(HelpWord(", ".join(option.flags), option.help) for option in signature.options.values())
    arguments = tuple(HelpWord(p.argument.metavar, p.argument.help) for p in signature.positional if p.argument.help)
    return HelpPage(entry_of(command), command.details, options, arguments, command.example)

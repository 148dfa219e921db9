"""Help as plain text."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from jdbpy.cli.plain.text import table
from jdbpy.cli.results import HelpEntry, HelpIndex, HelpPage, HelpTopic
from jdbpy.cli.settings import Settings
from jdbpy.cli.topics import GROUPS, TOPICS
from jdbpy.escape import escape

WIDTH = 100
"""Columns of what is said about a word: about those of the descriptions."""


def help_index(result: HelpIndex, settings: Settings) -> Iterator[str]:
    groups: dict[str, list[HelpEntry]] = {}
    for entry in result.entries:
        groups.setdefault(entry.group, []).append(entry)
    for group, title in GROUPS.items():
        if group in groups:
            yield f"{group}: {title}"
            yield from table([(entry.name, short_names(entry), entry.summary) for entry in groups[group]], "  ")
    if not result.topic:
        yield f"'help COMMAND' says all about one; other topics: {', '.join(TOPICS)}"


def help_page(result: HelpPage, settings: Settings) -> Iterator[str]:
    entry = result.entry
    text = [entry.usage]
    if entry.aliases:
        text.append(f"also: {', '.join(entry.aliases)}")
    text += ["", entry.summary]
    if result.details:
        text += ["", *result.details.splitlines()]
    words = [f"{word.word}: {word.help}" for word in (*result.arguments, *result.options)]
    if words:
        text += ["", *(line for word in words for line in wrap(word, WIDTH, subsequent_indent="    "))]
    yield from map(escape, text)


def help_topic(result: HelpTopic, settings: Settings) -> Iterator[str]:
    yield from map(escape, result.text.splitlines())


def short_names(entry: HelpEntry) -> str:
    """The short names beside the canonical one."""
    return ", ".join(alias for alias in entry.aliases if " " not in alias)

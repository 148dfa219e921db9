"""Help as plain text."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from jdbpy.cli.plain.text import columns_of_window, table
from jdbpy.cli.results import HelpEntry, HelpIndex, HelpPage, HelpTopic
from jdbpy.cli.settings import Settings
from jdbpy.cli.topics import GROUPS, TOPICS
from jdbpy.escape import escape

WIDTH = 100
"""Columns of help, where the window is not narrower."""


def help_index(result: HelpIndex, settings: Settings) -> Iterator[str]:
    groups: dict[str, list[HelpEntry]] = {}
    for entry in result.entries:
        groups.setdefault(entry.group, []).append(entry)
    for group, title in GROUPS.items():
        if group in groups:
            yield f"{group}: {title}"
            yield from table([(entry.name, short_names(entry), quoted(entry.summary)) for entry in groups[group]], "  ")
    if not result.topic:
        yield f"'help COMMAND' says all about one; other topics: {', '.join(TOPICS)}"


def help_page(result: HelpPage, settings: Settings) -> Iterator[str]:
    entry = result.entry
    columns = min(WIDTH, columns_of_window() or WIDTH)
    text = wrap(entry.usage, columns, subsequent_indent="    ")
    if entry.aliases:
        text += wrap(f"also: {', '.join(entry.aliases)}", columns, subsequent_indent="    ")
    text += ["", *wrap(entry.summary, columns)]
    for paragraph in result.details.split("\n\n") if result.details else []:
        lines = paragraph.splitlines()
        is_list = any(line.startswith((" ", "*", "|")) for line in lines)
        text += ["", *(lines if is_list else wrap(" ".join(lines), columns))]
    words = [f"{word.word}: {word.help}" for word in (*result.arguments, *result.options)]
    if words:
        text += ["", *(line for word in words for line in wrap(word, columns, subsequent_indent="    "))]
    yield from (escape(quoted(line)) for line in text)


def help_topic(result: HelpTopic, settings: Settings) -> Iterator[str]:
    yield from (escape(quoted(line)) for line in result.text.splitlines())


def quoted(text: str) -> str:
    """Return the text with the marks of code as a terminal shows them: in single quotes."""
    return text.replace("`", "'")


def short_names(entry: HelpEntry) -> str:
    """The short names beside the canonical one."""
    return ", ".join(alias for alias in entry.aliases if " " not in alias)

"""Help in windows of any width: every page and topic, lists and rows among its paragraphs."""

from __future__ import annotations

import re

import pytest
from wcwidth import wcswidth

from jdbpy.cli.commands.help import WIDTH, HelpIndex, HelpTopic, entry_of, page_of
from jdbpy.cli.newcomers import FIRST, FROM, SYNONYMS
from jdbpy.cli.output.plain import PlainRenderer
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.output.terminal import RichRenderer
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import TABLE
from jdbpy.cli.topics import TOPICS
from jdbpy.record import Record

PAGES: dict[str, Record] = {f"help {command.name}": page_of(command) for command in TABLE}
PAGES |= {f"help {topic}": HelpTopic(topic, text) for topic, text in TOPICS.items()}

TEXT = """\
A paragraph of
two lines.

One with a list:
* the first item,
  which goes on
* the second

  WORD     its meaning, which
           goes on
  OTHER    another meaning
| a | b |
| c | d |
The last."""


def shown(record: Record, columns: int | None) -> list[str]:
    return PlainRenderer(Settings(), lambda: columns).result(Outcome("help", None, record)).splitlines()


@pytest.mark.parametrize("columns", [30, 46, 100, 200, None])
def test_no_word_is_broken(columns: int | None) -> None:
    for name, record in PAGES.items():
        lines = shown(record, columns)
        assert " ".join(lines).split() == " ".join(shown(record, 10_000)).split(), name
        width = min(columns or WIDTH, WIDTH)
        assert [line for line in lines if len(line) > width and len(line.split()) > 1] == [], name


def test_a_paragraph_is_no_list_because_a_line_of_it_begins_like_one() -> None:
    page = "\n".join(shown(page_of(TABLE.by_name["catch"]), None))
    assert "\n'catch uncaught *' for exceptions that nothing catches; " in page


def test_paragraphs_lists_and_rows() -> None:
    assert shown(HelpTopic("x", TEXT), None) == [
        "A paragraph of two lines.",
        "",
        "One with a list:",
        "* the first item, which goes on",
        "* the second",
        "",
        "  WORD     its meaning, which goes on",
        "  OTHER    another meaning",
        "| a | b |",
        "| c | d |",
        "The last.",
    ]
    assert shown(HelpTopic("x", TEXT), 30)[3:9] == [
        "* the first item, which goes",
        "  on",
        "* the second",
        "",
        "  WORD     its meaning, which",
        "          goes on",
    ]


def test_what_can_be_typed_stands_out_in_the_next_line_too() -> None:
    record = HelpTopic("x", "To stop there, type `stop in com.acme.Order.total`.")
    text = RichRenderer(Settings(), lambda: 30, lambda: 30).result(Outcome("help", None, record))
    assert text == "To stop there, type \x1b[1m'stop in\x1b[0m\n\x1b[1mcom.acme.Order.total'\x1b[0m.\n"


def test_every_command_for_newcomers_exists() -> None:
    """The rows of the tables begin with commands, what stands in quotes does too, and synonyms are commands."""
    lines = [
        each.strip() for _, typed, meaning in FIRST for each in (typed.split(",") + re.findall(r"'([^']+)'", meaning))
    ]
    lines += [each for words in SYNONYMS.values() for each in words]
    for rows in FROM.values():
        for _, ours in rows:
            quoted = re.findall(r"'([^']+)'", ours)
            plain = re.sub(r"'[^']+'|\([^)]*\)", "", ours).partition(";")[0]
            words = [] if "same" in plain else re.split(r", (?:or )?| or | and ", plain)
            lines += [
                each.strip() for each in (*quoted, *words) if each.strip() not in ("", "too", "with", "has the keys")
            ]
    assert len(lines) > 100
    assert [line for line in lines if TABLE.find(line) is None] == []


def test_the_first_page_of_help_fits_a_terminal() -> None:
    index = HelpIndex(tuple(entry_of(command) for command in TABLE), first=True)
    assert len(PlainRenderer(Settings(), lambda: 80).result(Outcome("help", None, index)).splitlines()) <= 30
    rich = RichRenderer(Settings(), lambda: 80, lambda: 80).result(Outcome("help", None, index))
    assert all(wcswidth(re.sub(r"\x1b\[[0-9;]*m", "", line)) <= 80 for line in rich.splitlines())

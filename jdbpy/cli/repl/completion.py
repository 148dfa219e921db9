"""Completion of a line: what kind of thing is expected at the cursor, and which names of that kind are known.

Pure: a line, the command table and a ``Names`` record in, candidates out. Never asks the target. What an argument
expects is in its command's signature; this module owns what stands around it: the commands themselves, names of
two words, repetition counts, flags, and how many candidates are offered.
"""

from __future__ import annotations

import builtins
import inspect
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice

from jdbpy import UsageError
from jdbpy.cli.names import Candidate, Names
from jdbpy.cli.recorded_words import PREFIX
from jdbpy.cli.table import CliCommand, CommandTable
from jdbpy.cli.words import next_word
from jdbpy.plugins import NAMES

SHOWN = 200
"""Candidates offered at most: a menu of thousands helps nobody and takes seconds to draw."""

_PYTHON_NAME = re.compile(r"[A-Za-z_][\w.]*$")
_COUNT = re.compile(r"\s*\d+\s+")  # `3 next`


def complete_line(table: CommandTable, line: str, names: Names, *, shown: int = SHOWN) -> list[Candidate]:
    """Return the candidates at the end of ``line`` (the text before the cursor), the likeliest first, none twice."""
    count = _COUNT.match(line)
    line = (line[count.end() :] if count else line).lstrip()
    if line.startswith(("#", "!!")):
        return []
    found = table.find(line)
    candidates = [*_in_recorded_call(table, line, names), *_command_names(table, line)]
    if found is not None and found.rest < len(line):
        candidates = [*candidates, *islice(_arguments(table, found.command, line[found.rest :], names), shown)]
    return list({candidate.text: candidate for candidate in reversed(candidates)}.values())[::-1][:shown]


def _in_recorded_call(table: CommandTable, line: str, names: Names) -> Iterator[Candidate]:
    """Yield what the words of a recorded call go on with, if one is open: `back` is `recorded back` there."""
    if names.in_recorded_call and not line.startswith(PREFIX):
        for each in complete_line(table, PREFIX + line, names):
            if each.replaces <= len(line):
                yield each
            elif each.text.startswith(PREFIX):
                yield Candidate(each.text.removeprefix(PREFIX), each.replaces - len(PREFIX), each.meta)


def complete_python(line: str) -> list[Candidate]:
    """Return the candidates for a line of Python: names of `py`, and attributes of objects as far as they can be found
    without running anything."""
    found = _PYTHON_NAME.search(line)
    if found is None:
        return []
    *path, begun = found[0].split(".")
    names: Iterable[str] = [*NAMES, *vars(builtins)]
    if path:
        value = NAMES.get(path[0])
        for name in path[1:]:
            value = inspect.getattr_static(value, name, None)
        names = dir(value) if value is not None else ()
    fitting = sorted(each for each in names if each.startswith(begun) and (begun.startswith("_") or each[0] != "_"))
    return [Candidate(each, len(begun)) for each in fitting[:SHOWN]]


def _command_names(table: CommandTable, line: str) -> list[Candidate]:
    """Commands that begin with ``line``: those of one word first, and names before aliases."""
    continued = table.continuations(line)
    if not line:  # everything at once: without the aliases and the longer forms
        continued = [name for name in continued if table.by_name[name].name == name and " " not in name]
    continued.sort(key=lambda name: (" " in name, table.by_name[name].name != name, name))
    return [Candidate(name, len(line), _meta(name, table.by_name[name])) for name in continued]


def _meta(name: str, command: CliCommand) -> str:
    return command.summary if name == command.name else f"= {command.name}"


def _arguments(table: CommandTable, command: CliCommand, text: str, names: Names) -> Iterator[Candidate]:
    """Yield what ``text``, the line after the command's name, may go on with."""
    expected = command.signature.expected(text)
    argument = expected.argument
    inner = argument.command_in(expected.text) if argument is not None else None
    if inner is not None:
        yield from complete_line(table, inner, names)
    elif argument is not None:
        quote = 0 if argument.takes_rest else _open_quote(text)
        with suppress(UsageError):  # what stands before the cursor is already wrong
            for candidate in argument.complete(expected.text, names):
                yield Candidate(candidate.text, candidate.replaces + quote, candidate.meta)
    if expected.text.startswith("-") or (not expected.text and argument is None):
        described = {flag: option.help for option in command.signature.options.values() for flag in option.flags}
        for flag in expected.flags:
            if flag.startswith(expected.text):
                yield Candidate(flag, len(expected.text), described[flag])


def _open_quote(text: str) -> int:
    """1 when the last word begins with a quote that is still open: a candidate takes its place too."""
    word, last = next_word(text), None
    while word is not None:
        word, last = next_word(text, word.end), word
    return 1 if last is not None and not last.closed and text[last.start] in "\"'" else 0

"""The words after the subject of a breakpoint, a catchpoint, a watchpoint or a trace: ``thread main limit 100/s -t``.

Owns how the forms of values are written and completed; which options there are, and their words, is declared with the
options (``jdbpy.breakpoints.OPTIONS``). What the subject is stands in ``location`` and ``points``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from jdbpy import PointOptions, Reporting, SuspendPolicy, breakpoints
from jdbpy.cli.arguments.base import FilePath, matching
from jdbpy.cli.arguments.code import complete_expression
from jdbpy.cli.arguments.target import ThreadArgument, class_names, complete_numbers
from jdbpy.cli.names import Candidate, Names
from jdbpy.cli.words import Word, next_word
from jdbpy.errors import UsageError
from jdbpy.record import Record

OPTIONS = breakpoints.OPTIONS
Takes = breakpoints.Takes

POLICIES = {
    "go": SuspendPolicy.NONE,
    "none": SuspendPolicy.NONE,
    "thread": SuspendPolicy.THREAD,
    "all": SuspendPolicy.ALL,
}
"""Words for what a hit suspends."""

_OPERATORS = ("==", "=", "!=", ">=", "<=", ">", "<", "%")
_COMMA = re.compile(r",(?![^(]*\))")  # not one between parameter types
_MOST_FRAMES = 100

_HERE = [option for option in OPTIONS if not option.apart]
_FLAGS = {word: option for option in _HERE if option.word[0] == "-" for word in (option.word, option.long)}
_OFFERED = {option.word: option for option in _HERE if option.word[0] != "-"}
_WORDS = _OFFERED | {option.long: option for option in _OFFERED.values() if option.long}
_NOT_FOR_PLACES = ("in", "except")
_FOR_PLACES = ("in-target",)

_OF_PLACES = {word: option for word, option in _WORDS.items() if word != "in"}

TAKING_VALUES = (
    *(word for word, option in _WORDS.items() if option.takes is not Takes.NOTHING),
    *(word for word, option in _FLAGS.items() if option.takes is Takes.HITS),
)
"""Words after which another word belongs to them."""


def _help(*, reports: bool) -> str:
    return ", ".join(option.help for option in OPTIONS if option.help and (option.field in _REPORTED) is reports)


_REPORTED = frozenset(Reporting.__fields__)

REPORT_HELP = _help(reports=True)
HELP = f"{_help(reports=False)}: see `help filters`"


class Tail(Record):
    """The words after a subject. In ``options`` the number of a breakpoint may be negative: it is counted from the one
    that was set last (-1).

    ``typed`` are options that only the session can tell, a thread and an object, with what was typed. ``said`` are the
    fields of the options' ``reporting`` that words were there for.
    """

    options: PointOptions = PointOptions()
    typed: tuple[tuple[str, str], ...] = ()
    said: frozenset[str] = frozenset()

    def having(self, **options: Any) -> Tail:
        """Return a tail with these options as well."""
        return self.replace(options=self.options.replace(**options))

    def reporting(self, **said: Any) -> Tail:
        """Return a tail with these words about how it reports as well."""
        changed = self.options.replace(reporting=self.options.reporting.replace(**said))
        return self.replace(options=changed, said=self.said | frozenset(said))


def split_tail(text: str, *, filters: bool) -> tuple[str, Tail]:
    """Return the subject, as it was typed, and the words after it. Raises UsageError for a word without its value.

    With ``filters``, ``in`` and ``except`` are about the classes in whose code it happens. Without, the subject itself
    decides that, and ``in`` may stand before it.
    """
    head, condition = split_condition(text)
    if condition == "":
        raise UsageError("missing condition after 'if'")
    known = _WORDS if filters else _OF_PLACES
    words = _bracketed(head)
    begin = 0  # flags and 'suspend' may also stand before the subject
    while begin < len(words) and (words[begin].text in _FLAGS or _says_what_to_suspend(words[begin:])):
        begin += 2 if words[begin].text not in _FLAGS else _length(words[begin:])
    end = begin
    while end < len(words) and not (words[end].text in _FLAGS or (end > begin and words[end].text.lower() in known)):
        end += 1
    subject = head[words[begin].start : words[end - 1].end] if begin < end else ""
    tail = _read([*words[:begin], *words[end:]])
    options = tail.options.replace(condition=condition or "")
    if options.excludes and not filters:
        raise UsageError(
            "'except' needs a pattern of several methods, not one place",
            hint="'from PATTERNS' limits it to what calls it",
        )
    return subject, tail.replace(options=options)


def split_condition(text: str) -> tuple[str, str | None]:
    """Return what stands before ``if``, and the condition after it; None without an ``if``."""
    match = re.search(r"(?:^|\s)if(?=[\s(]|$)", text)
    return (text[: match.start()], text[match.end() :].strip()) if match else (text, None)


def complete_tail(before: str, word: str, names: Names, *, filters: bool) -> Iterable[Candidate]:
    """Return what may stand in the place of ``word`` when ``before`` is the word in front of it."""
    option = _WORDS.get("after" if before == "each" else before) or _FLAGS.get(before)
    match option.takes if option is not None else Takes.NOTHING:
        case Takes.THREAD:
            return ThreadArgument().complete(word, names)
        case Takes.POLICY:
            return matching(word, ("all", "thread", "none"))
        case Takes.PATTERNS:
            return class_names(word.rpartition(",")[2], names)
        case Takes.BREAKPOINT:
            numbers = complete_numbers(word, names)
            return numbers if before == "each" else [*numbers, *matching(word, ("each",))]
        case Takes.HITS:
            return matching(word, _OPERATORS)
        case Takes.OBJECT:
            return complete_expression(word, names)
        case Takes.FILE:
            return FilePath().complete(word, names)
        case Takes.RATE | Takes.PERCENT:
            return matching(word, ("none",))
        case Takes.NOTHING:
            others = _FOR_PLACES if filters else _NOT_FOR_PLACES
            return matching(word, (*(each for each in _OFFERED if each not in others), "if"))
    return ()


def _says_what_to_suspend(words: Sequence[Word]) -> bool:
    """True for ``suspend thread`` and its like in front of a subject, as opposed to a subject called ``suspend``."""
    return len(words) > 2 and words[0].text.lower() == "suspend" and words[1].text.lower() in POLICIES


def _length(words: Sequence[Word]) -> int:
    """Return how many words a flag takes, with those that belong to it."""
    option = _FLAGS.get(words[0].text)
    if option is None or option.takes is Takes.NOTHING:
        return 1
    return 3 if option.takes is Takes.HITS and len(words) > 1 and words[1].text in _OPERATORS else 2


def _read(words: Sequence[Word]) -> Tail:
    found: dict[str, Any] = {}
    rest = list(words)
    while rest:
        option = _FLAGS.get(rest[0].text) or _WORDS.get(rest[0].text.lower())
        if option is None:
            raise UsageError(f"unexpected argument '{rest[0].text}'")
        length = _length(rest)
        word = rest.pop(0).text
        if option.takes is Takes.NOTHING:
            found[option.field] = not option.value(PointOptions())
        elif option.takes in (Takes.COUNT, Takes.PASSED):
            found[option.field] = _count(word, rest) - (option.takes is Takes.PASSED)
        elif option.takes is Takes.HITS:
            found[option.field] = hit_count(" ".join(rest.pop(0).text for _ in rest[: length - 1]))
        elif not rest:
            raise UsageError(f"after '{word.lower()}' {option.missing} is missing")
        else:
            found.update(_valued(option, rest))
    typed = tuple((field, found.pop(field)) for field in tuple(found) if _BY_FIELD[field].takes in _FOR_THE_SESSION)
    said = {field: found.pop(field) for field in tuple(found) if field in _REPORTED}
    return Tail(PointOptions(**found), typed).reporting(**said)


_BY_FIELD = {option.field: option for option in OPTIONS} | {"after_each": _WORDS["after"]}
_FOR_THE_SESSION = (Takes.THREAD, Takes.OBJECT)


def hit_count(text: str) -> str:
    """Return the text of a hit count, if it has the form of one. Raises UsageError."""
    if not re.fullmatch(rf"\s*({'|'.join(_OPERATORS)})?\s*\d{{1,18}}\s*", text):
        shown = f"'{text}' is not a hit count" if text else "a hit count is missing"
        raise UsageError(shown, hint="write 3, >= 10 or % 100: ==, !=, >=, <=, >, <, % and a number")
    return text.strip()


def _valued(option: breakpoints.BreakpointOption, rest: list[Word]) -> dict[str, Any]:
    """Return the fields that a word with its value means. Raises UsageError."""
    value, field = rest.pop(0).text, option.field
    match option.takes:
        case Takes.POLICY:
            if value.lower() not in POLICIES:
                raise UsageError(f"'{value}' is not one of all, thread, none")
            return {field: POLICIES[value.lower()]}
        case Takes.PATTERNS:
            while value.endswith(",") and rest:
                value += rest.pop(0).text
            return {field: tuple(part for part in _COMMA.split(value) if part)}
        case Takes.BREAKPOINT:
            each = value.lower() == "each"
            value = rest.pop(0).text if each and rest else value
            if not re.fullmatch(r"-?[1-9]\d{0,8}", value):
                raise UsageError(
                    f"'{value}' is not a number of a breakpoint", hint="'after 1', 'after each 1', 'after -1'"
                )
            return {field: int(value), "after_each": each}
        case Takes.RATE:
            found = re.fullmatch(r"(\d{1,6})(?:/s)?|none", value.lower())
            if found is None:
                raise UsageError(
                    f"'{value}' is not a limit", hint="'limit 100/s' reports at most, 'limit none' for all"
                )
            return {field: int(found[1]) if found[1] else None}
        case Takes.FRAMES:
            if not re.fullmatch(r"\d{1,3}", value) or not 1 <= int(value) <= _MOST_FRAMES:
                raise UsageError(f"'{value}' is not a number of frames from 1 to {_MOST_FRAMES}")
            return {field: int(value)}
        case Takes.PERCENT:
            found = re.fullmatch(r"(\d{1,3})%?|none", value.lower())
            if found is None or int(found[1] or 0) > 100:
                raise UsageError(f"'{value}' is not a percentage", hint="'cost 20%', or 'cost none'")
            return {field: int(found[1] or 0)}
    return {field: value}


def _count(flag: str, rest: list[Word]) -> int:
    if not rest or not re.fullmatch(r"[1-9]\d{0,8}", rest[0].text):
        raise UsageError(f"{flag} needs a number, 1 or more")
    return int(rest.pop(0).text)


def _bracketed(text: str) -> list[Word]:
    """Return the words, with what stands in brackets kept in one: ``m (int, String)``."""
    words: list[Word] = []
    word = next_word(text)
    while word is not None:
        if not word.closed:
            raise UsageError("a quote is not closed")
        last = words[-1] if words else None
        if last and (word.text.startswith("(") or last.text.count("(") > last.text.count(")")):
            joint = "" if word.text.startswith("(") else " "
            words[-1] = Word(f"{last.text}{joint}{word.text}", last.start, word.end)
        else:
            words.append(word)
        word = next_word(text, word.end)
    return words

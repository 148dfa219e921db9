"""The words after the subject of a breakpoint, a catchpoint, a watchpoint or a trace: its filters and its ways.

Owns those words; what the subject is stands in ``location`` and ``points``. Owns also how a point reports which stops
nothing: ``limit 100/s to hits.log stack 5 cost 20% -max 1000``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from jdbpy import Reporting, SuspendPolicy
from jdbpy.cli.arguments.base import FilePath, matching
from jdbpy.cli.arguments.code import complete_expression
from jdbpy.cli.arguments.target import ThreadArgument, class_names, complete_numbers
from jdbpy.cli.names import Candidate, Names
from jdbpy.cli.words import Word, next_word
from jdbpy.errors import UsageError
from jdbpy.record import Record

MAX = ("-max", "--max")
"""How many hits there may be: a flag, which may stand before the subject as well."""

VALUES = {
    "limit": "a number of reports, `100/s`, or none",
    "to": "a file",
    "stack": "a number of frames",
    "cost": "a percentage, or none",
}
"""The words that take a value, and what it is."""

MOST_FRAMES = 100

REPORT_HELP = (
    "`limit N/s` reports at most, `to FILE` appends them to a file, `stack N` frames with each, `-max N` hits and then "
    "it is switched off, `cost N%` switches it off when it takes more of the target's time"
)


def read_report_word(keyword: str, value: str) -> dict[str, Any]:
    """The field of ``Reporting`` that a word with its value means. Raises UsageError."""
    match keyword:
        case "to":
            return {"file": value}
        case "limit":
            found = re.fullmatch(r"(\d{1,6})(?:/s)?|none", value.lower())
            if found is None:
                raise UsageError(f"'{value}' is no limit", hint="'limit 100/s' reports at most, 'limit none' for all")
            return {"limit": int(found[1]) if found[1] else None}
        case "stack":
            if not re.fullmatch(r"\d{1,3}", value) or not 1 <= int(value) <= MOST_FRAMES:
                raise UsageError(f"'{value}' is no number of frames from 1 to {MOST_FRAMES}")
            return {"stack": int(value)}
    found = re.fullmatch(r"(\d{1,3})%?|none", value.lower())
    if found is None or int(found[1] or 0) > 100:
        raise UsageError(f"'{value}' is no percentage", hint="'cost 20%', or 'cost none'")
    return {"cost": int(found[1] or 0)}


POLICIES = {
    "go": SuspendPolicy.NONE,
    "none": SuspendPolicy.NONE,
    "thread": SuspendPolicy.THREAD,
    "all": SuspendPolicy.ALL,
}
"""Words for what a hit suspends."""

_TEMPORARY = ("-t", "--temporary")
_DISABLED = ("-d", "--disabled")
_COUNT = ("-c", "--count")
_HIT = ("-hit", "--hit")
_NUMBERED = (*_COUNT, *MAX)
_FLAGS = (*_TEMPORARY, *_DISABLED, *_NUMBERED, *_HIT)
_OPERATORS = ("==", "=", "!=", ">=", "<=", ">", "<", "%")
_COMMA = re.compile(r",(?![^(]*\))")  # not one between parameter types
_VALUES = {
    "thread": "a thread",
    "suspend": "all, thread or none",
    "from": "a pattern",
    "except": "a pattern",
    "caller": "a pattern",
    "on": "an object",
    "after": "a number of 'breakpoints'",
    **VALUES,
}

TAKING_VALUES = (*_VALUES, *_HIT)
"""Words after which another word belongs to them."""

HELP = (
    "`thread THREAD` only in that thread, `from PATTERNS` only when a caller fits, `on OBJECT` only where that is "
    "`this`, `after N` not before number N was hit (`after each N`: each time), `suspend all|thread|none` what a hit "
    "suspends, `-c N` from the Nth hit on, `-hit OP N` at those hits only (`-hit 3`, `-hit >= 10`, `-hit % 100`), `-t` "
    "once, `-d` set it disabled, `if CONDITION` when the expression is true: see `help filters`"
)


class Tail(Record):
    """The words after a subject. ``thread`` and ``on`` are as they were typed; ``ignore`` hits pass first; ``after`` is
    the number of a point, or negative, counted from the one that was set last (-1), and 0 for none.

    ``said`` are the fields of ``reporting`` that words were there for.
    """

    policy: SuspendPolicy | None = None
    temporary: bool = False
    disabled: bool = False
    thread: str = ""
    condition: str = ""
    ignore: int = 0
    classes: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    callers: tuple[str, ...] = ()
    on: str = ""
    hits: str = ""
    after: int = 0
    after_each: bool = False
    reporting: Reporting = Reporting()
    said: frozenset[str] = frozenset()


def split_tail(text: str, *, filters: bool) -> tuple[str, Tail]:
    """The subject, as it was typed, and the words after it. Raises UsageError for a word without its value.

    With ``filters``, ``from`` and ``except`` are about the classes in whose code it happens. Without, that is told by
    the subject itself, and ``from`` is about callers.
    """
    head, condition = split_condition(text)
    if condition == "":
        raise UsageError("missing condition after 'if'")
    words = _bracketed(head)
    begin = 0  # flags and 'suspend' may also stand before the subject
    while begin < len(words) and (words[begin].text in _FLAGS or _says_what_to_suspend(words[begin:])):
        begin += 2 if words[begin].text not in _FLAGS else _length(words[begin:])
    end = begin
    while end < len(words) and not (words[end].text in _FLAGS or (end > begin and words[end].text.lower() in _VALUES)):
        end += 1
    subject = head[words[begin].start : words[end - 1].end] if begin < end else ""
    tail = _read([*words[:begin], *words[end:]]).replace(condition=condition or "")
    if filters:
        return subject, tail
    if tail.excludes:
        raise UsageError("'except' makes no sense for one place", hint="'from PATTERNS' limits it to what calls it")
    return subject, tail.replace(classes=(), callers=(*tail.classes, *tail.callers))


def split_condition(text: str) -> tuple[str, str | None]:
    """Return what stands before ``if``, and the condition after it; None without an ``if``."""
    match = re.search(r"(?:^|\s)if(?=[\s(]|$)", text)
    return (text[: match.start()], text[match.end() :].strip()) if match else (text, None)


def complete_tail(before: str, word: str, names: Names, *, filters: bool) -> Iterable[Candidate]:
    """Return what may stand in the place of ``word`` when ``before`` is the word in front of it."""
    match before:
        case "thread":
            return ThreadArgument().complete(word, names)
        case "suspend":
            return matching(word, ("all", "thread", "none"))
        case "from" | "except" | "caller":
            return class_names(word.rpartition(",")[2], names)
        case "after" | "each":
            numbers = complete_numbers(word, names)
            return numbers if before == "each" else [*numbers, *matching(word, ("each",))]
        case "-hit" | "--hit":
            return matching(word, _OPERATORS)
        case "on":
            return complete_expression(word, names)
        case "to":
            return FilePath().complete(word, names)
        case "limit" | "cost":
            return matching(word, ("none",))
        case "stack":
            return ()
    more = ("from", "except", "caller") if filters else ("from",)
    return matching(word, ("thread", "suspend", "if", *VALUES, *more, "on", "after"))


def _says_what_to_suspend(words: Sequence[Word]) -> bool:
    """True for ``suspend thread`` and its like in front of a subject, as opposed to a subject called ``suspend``."""
    return len(words) > 2 and words[0].text.lower() == "suspend" and words[1].text.lower() in POLICIES


def _length(words: Sequence[Word]) -> int:
    """Return how many words a flag takes, with those that belong to it."""
    if words[0].text in _HIT:
        return 3 if len(words) > 1 and words[1].text in _OPERATORS else 2
    return 2 if words[0].text in _NUMBERED else 1


def _read(words: Sequence[Word]) -> Tail:
    found: dict[str, Any] = {}
    said: dict[str, Any] = {}
    rest = list(words)
    while rest:
        length = _length(rest)
        word = rest.pop(0).text
        if word in _TEMPORARY:
            found["temporary"] = True
        elif word in _DISABLED:
            found["disabled"] = True
        elif word in _COUNT:
            found["ignore"] = _count(word, rest) - 1
        elif word in _HIT:
            found["hits"] = hit_count(" ".join(rest.pop(0).text for _ in rest[: length - 1]))
        elif word in MAX:
            said["most"] = _count(word, rest)
        elif word.lower() in _VALUES:
            if not rest:
                raise UsageError(f"after '{word.lower()}' {_VALUES[word.lower()]} is missing")
            if word.lower() in VALUES:
                said.update(read_report_word(word.lower(), rest.pop(0).text))
            else:
                found.update(_valued(word.lower(), rest))
        else:
            raise UsageError(f"unexpected argument '{word}'")
    return Tail(**found, reporting=Reporting(**said), said=frozenset(said))


def hit_count(text: str) -> str:
    """The text of a hit count, if it has the form of one. Raises UsageError."""
    if not re.fullmatch(rf"\s*({'|'.join(_OPERATORS)})?\s*\d{{1,18}}\s*", text):
        shown = f"'{text}' is no hit count" if text else "a hit count is missing"
        raise UsageError(shown, hint="write 3, >= 10 or % 100: ==, !=, >=, <=, >, <, % and a number")
    return text.strip()


def _valued(keyword: str, rest: list[Word]) -> dict[str, Any]:
    value = rest.pop(0).text
    match keyword:
        case "suspend":
            if value.lower() not in POLICIES:
                raise UsageError(f"'{value}' is none of all, thread, none")
            return {"policy": POLICIES[value.lower()]}
        case "from" | "except" | "caller":
            while value.endswith(",") and rest:
                value += rest.pop(0).text
            field = {"from": "classes", "except": "excludes", "caller": "callers"}[keyword]
            return {field: tuple(part for part in _COMMA.split(value) if part)}
        case "after":
            each = value.lower() == "each"
            value = rest.pop(0).text if each and rest else value
            if not re.fullmatch(r"-?[1-9]\d{0,8}", value):
                raise UsageError(
                    f"'{value}' is no number of a breakpoint", hint="'after 1', 'after each 1', 'after -1'"
                )
            return {"after": int(value), "after_each": each}
    return {keyword: value}


def _count(flag: str, rest: list[Word]) -> int:
    if not rest or not re.fullmatch(r"[1-9]\d{0,8}", rest[0].text):
        raise UsageError(f"{flag} needs a number, 1 or more")
    return int(rest.pop(0).text)


def _bracketed(text: str) -> list[Word]:
    """The words, with what stands in brackets kept in one: ``m (int, String)``."""
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

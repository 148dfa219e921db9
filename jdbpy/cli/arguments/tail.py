"""What may stand after the subject of a breakpoint, a catchpoint, a watchpoint or a trace: its filters and its ways.

Owns those words; what the subject is stands in ``location`` and ``points``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from jdbpy import Reporting, SuspendPolicy
from jdbpy.cli.arguments.base import matching
from jdbpy.cli.arguments.plain import FilePath
from jdbpy.cli.arguments.report_words import MAX, VALUES as REPORT_VALUES, read_report_word
from jdbpy.cli.arguments.target import Thread, class_names
from jdbpy.cli.names import Candidate, Names
from jdbpy.cli.words import Word, next_word
from jdbpy.errors import UsageError
from jdbpy.wire.record import Record

POLICIES = {
    "go": SuspendPolicy.NONE,
    "none": SuspendPolicy.NONE,
    "thread": SuspendPolicy.THREAD,
    "all": SuspendPolicy.ALL,
}
"""Words for what a hit suspends."""

_TEMPORARY = ("-t", "--temporary")
_DISABLED = ("-d", "--disabled")
_COUNT = ("-c", "--count", "-hit")
_NUMBERED = (*_COUNT, *MAX)
_FLAGS = (*_TEMPORARY, *_DISABLED, *_NUMBERED)
_FILTERS = ("from", "except", "on")
_VALUES = {
    "thread": "a thread",
    "suspend": "all, thread or none",
    "from": "a class pattern",
    "except": "a class pattern",
    "on": "an object",
    **REPORT_VALUES,
}

TAKING_VALUES = tuple(_VALUES)
"""Words after which another word belongs to them."""

HELP = (
    "`thread THREAD` only in that thread, `suspend all|thread|none` what a hit suspends, `-c N` at the Nth hit, `-t` "
    "once, `-d` set it disabled, `if CONDITION` when the expression is true"
)


class Tail(Record):
    """The words after a subject. ``thread`` and ``on`` are as they were typed; ``ignore`` hits pass first.

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
    on: str = ""
    reporting: Reporting = Reporting()
    said: frozenset[str] = frozenset()


def split_tail(text: str, *, filters: bool) -> tuple[str, Tail]:
    """The subject, as it was typed, and the words after it; ``filters``: those that limit to classes and objects.

    Raises UsageError for a word without its value.
    """
    head, condition = split_condition(text)
    if condition == "":
        raise UsageError("after 'if' a condition is missing")
    words = _bracketed(head)
    keywords = tuple(word for word in _VALUES if filters or word not in _FILTERS)
    begin = 0  # flags may also stand before the subject
    while begin < len(words) and words[begin].text in _FLAGS:
        begin += 2 if words[begin].text in _NUMBERED else 1
    end = begin
    while end < len(words) and not (words[end].text in _FLAGS or (end > begin and words[end].text.lower() in keywords)):
        end += 1
    subject = head[words[begin].start : words[end - 1].end] if begin < end else ""
    return subject, _read([*words[:begin], *words[end:]], keywords).replace(condition=condition or "")


def split_condition(text: str) -> tuple[str, str | None]:
    """What stands before ``if``, and the condition after it; None without an ``if``."""
    match = re.search(r"(?:^|\s)if(?=[\s(]|$)", text)
    return (text[: match.start()], text[match.end() :].strip()) if match else (text, None)


def complete_tail(before: str, word: str, names: Names, *, filters: bool) -> Iterable[Candidate]:
    """What may stand in the place of ``word`` when ``before`` is the word in front of it."""
    if before == "thread":
        return Thread().complete(word, names)
    if before == "suspend":
        return matching(word, ("all", "thread", "none"))
    if filters and before in ("from", "except"):
        return class_names(word.rpartition(",")[2], names)
    if before == "to":
        return FilePath().complete(word, names)
    if before in REPORT_VALUES:
        return matching(word, ("none",) if before in ("limit", "load") else ())
    return matching(word, ("thread", "suspend", "if", *REPORT_VALUES, *(_FILTERS if filters else ())))


def _read(words: Sequence[Word], keywords: Sequence[str]) -> Tail:
    found: dict[str, Any] = {}
    said: dict[str, Any] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0).text
        if word in _TEMPORARY:
            found["temporary"] = True
        elif word in _DISABLED:
            found["disabled"] = True
        elif word in _COUNT:
            found["ignore"] = _count(word, rest) - 1
        elif word in MAX:
            said["most"] = _count(word, rest)
        elif word.lower() in keywords:
            if not rest:
                raise UsageError(f"after '{word.lower()}' {_VALUES[word.lower()]} is missing")
            if word.lower() in REPORT_VALUES:
                said.update(read_report_word(word.lower(), rest.pop(0).text))
            else:
                found.update(_valued(word.lower(), rest))
        else:
            raise UsageError(f"'{word}' is one word too many")
    return Tail(**found, reporting=Reporting(**said), said=frozenset(said))


def _valued(keyword: str, rest: list[Word]) -> dict[str, Any]:
    value = rest.pop(0).text
    match keyword:
        case "suspend":
            if value.lower() not in POLICIES:
                raise UsageError(f"'{value}' is none of all, thread, none")
            return {"policy": POLICIES[value.lower()]}
        case "from" | "except":
            while value.endswith(",") and rest:
                value += rest.pop(0).text
            return {"classes" if keyword == "from" else "excludes": tuple(part for part in value.split(",") if part)}
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

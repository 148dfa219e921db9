"""Places in code as they are typed, and the request for a breakpoint around one.

Owns the grammar; whether the place exists is for the session to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from jdbpy import SuspendPolicy
from jdbpy.cli.arguments.base import Argument, matching
from jdbpy.cli.arguments.target import Thread, class_names
from jdbpy.cli.names import Candidate, Names
from jdbpy.cli.words import split_words
from jdbpy.errors import UsageError
from jdbpy.wire.record import Record

_LINE_HERE = re.compile(r":?(\d{1,7})|([+-]\d{1,7})")
_POLICIES = {"go": SuspendPolicy.NONE, "thread": SuspendPolicy.THREAD, "all": SuspendPolicy.ALL}
_HINT = "a place is Class:LINE, File.java:LINE, Class.method, Class.method(int,String), LINE, +N or -N"


class Place(Record):
    """A place: ``text`` as the session takes it; ``line`` or ``offset`` when it is a line of the current file."""

    text: str
    line: int | None = None
    offset: int | None = None


class Location(Argument[Place]):
    """A line or a method."""

    metavar = "LOCATION"
    help = _HINT
    takes_rest = True

    def parse(self, text: str) -> Place:
        here = _LINE_HERE.fullmatch(text)
        if here is None:
            return Place(text)
        number = int(here[1] or here[2])
        if here[1] and number == 0:
            raise UsageError("lines are counted from 1")
        return Place(text, number) if here[1] else Place(text, offset=number)

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return complete_place(text, names)


class BreakpointRequest(Record):
    """What ``stop``, ``break`` and ``tbreak`` ask for. ``policy`` is None where the command decides."""

    place: Place
    policy: SuspendPolicy | None = None
    temporary: bool = False
    disabled: bool = False
    thread: str = ""
    condition: str = ""
    ignore: int = 0


class Breakpoint(Argument[BreakpointRequest]):
    """A place with jdb's words before it and gdb's after it."""

    metavar = "[go|thread|all] [THREAD] [at|in] LOCATION [thread THREAD] [-c N] [-t] [-d] [if CONDITION]"
    help = (
        "a place in code. Before it: `go` reports and goes on, `thread` suspends only the thread that hits, `all` "
        "every thread; a thread id stops only there. After it: `thread THREAD` stops only there, `-c N` at the Nth "
        "hit, `-t` once, `-d` sets it disabled, `if CONDITION` when the expression is true"
    )
    takes_rest = True

    def parse(self, text: str) -> BreakpointRequest:
        head, condition = _split_condition(text)
        if condition == "":
            raise UsageError("after 'if' a condition is missing")
        words = _words(head)
        policy: SuspendPolicy | None = None
        temporary = disabled = False
        thread, ignore = "", 0
        if words and words[0].lower() in _POLICIES:
            policy = _POLICIES[words.pop(0).lower()]
        if len(words) > 1 and re.fullmatch(r"\d+|0x[0-9a-fA-F]+", words[0]) and words[1].lower() in ("at", "in"):
            thread = words.pop(0)
        if words and words[0].lower() in ("at", "in"):
            words.pop(0)
        places: list[str] = []
        while words:
            word = words.pop(0)
            if word in ("-t", "--temporary"):
                temporary = True
            elif word in ("-d", "--disabled"):
                disabled = True
            elif word in ("-c", "--count"):
                ignore = _count(word, words) - 1
            elif word.lower() == "thread" and places:
                if not words:
                    raise UsageError("after 'thread' a thread is missing")
                thread = words.pop(0)
            elif places:
                raise UsageError(f"'{word}' is one word too many")
            else:
                places.append(word)
        if not places:
            raise UsageError("LOCATION is missing", hint=_HINT)
        place = Location().parse(places[0])
        return BreakpointRequest(place, policy, temporary, disabled, thread, condition or "", ignore)

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        head, condition = _split_condition(text)
        if condition is not None:
            return ()
        *before, word = ["", *head.split(" ")]
        if before and before[-1].lower() == "thread" and len(before) > 2:
            return Thread().complete(word, names)
        return [*(() if before[1:] else matching(word, ("at", "in", "thread", "go"))), *complete_place(word, names)]


def complete_place(text: str, names: Names) -> Iterable[Candidate]:
    """Classes; behind ``Class.`` its methods; sources before a line."""
    owner, dot, start = text.rpartition(".")
    if dot and owner in names.methods:
        yield from matching(start, names.methods[owner], "method")
    yield from class_names(text, names)
    yield from matching(text, names.sources, "source")


def _split_condition(text: str) -> tuple[str, str | None]:
    """What stands before ``if``, and the condition after it; None without an ``if``."""
    match = re.search(r"(?:^|\s)if(?=[\s(]|$)", text)
    return (text[: match.start()], text[match.end() :].strip()) if match else (text, None)


def _words(text: str) -> list[str]:
    """The words, with the parameters of a method kept in one: ``m (int, String)``."""
    words: list[str] = []
    for word in split_words(text):
        if words and word.text.startswith("("):
            words[-1] += word.text
        elif words and words[-1].count("(") > words[-1].count(")"):
            words[-1] += f" {word.text}"
        else:
            words.append(word.text)
    return words


def _count(flag: str, words: list[str]) -> int:
    if not words or not re.fullmatch(r"[1-9]\d{0,8}", words[0]):
        raise UsageError(f"{flag} needs a number, 1 or more")
    return int(words.pop(0))


class PlaceOrNumber(Argument["Place | int"]):
    """A breakpoint by its number, or by its place."""

    metavar = "NUMBER|LOCATION"
    help = "a breakpoint by its number or its place; a line of the current file is written `:LINE`"
    takes_rest = True

    def parse(self, text: str) -> Place | int:
        if re.fullmatch(r"\d{1,9}", text):
            return int(text)
        words = _words(text)
        if len(words) > 1 and words[0].lower() in ("at", "in"):
            words.pop(0)
        return Location().parse(" ".join(words))

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        for number, place in names.breakpoints:
            if str(number).startswith(text):
                yield Candidate(str(number), len(text), place)
        yield from complete_place(text, names)


class ListArgument(Argument[str]):
    """What ``list`` shows: a line, a range of lines, a method, or ``+`` and ``-``."""

    metavar = "LINE|FIRST,LAST|METHOD|+|-"
    help = "a line, two lines, a method, a class, a place in code; `+` goes on, `-` goes back"
    takes_rest = True

    def parse(self, text: str) -> str:
        return text

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return complete_place(text, names)

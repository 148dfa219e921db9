"""The arguments of `record` and of the words in a recorded call."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jdbpy.cli.arguments.base import Argument, Number, TextArgument, matching
from jdbpy.cli.arguments.calls import split_at_keywords, with_parameter_types
from jdbpy.cli.arguments.code import complete_expression
from jdbpy.cli.arguments.location import complete_place
from jdbpy.cli.names import Candidate, Names
from jdbpy.errors import UsageError
from jdbpy.record import Record

LEVELS = ("lines", "stores", "calls")
_KEYWORD = re.compile(r"(?:^|\s)(if|until)(?=[\s($\"]|$)")
_WORDS = ("-max", "deep", "hold", *LEVELS, "if", "until")


class RecordRequest(Record):
    """A method, and what is wanted of its calls."""

    method: str
    condition: str = ""
    until: str = ""
    most: int = 0
    depth: int = 0
    level: str = "all"
    hold: bool = False


class RecordArgument(Argument[RecordRequest]):
    """``METHOD [-max N] [deep N] [hold] [lines|stores|calls] [if CONDITION] [until EXCEPTION|$cost > 100ms]``."""

    takes_rest = True
    metavar = "METHOD [-max N] [deep N] [hold] [lines|stores|calls] [if CONDITION] [until EXCEPTION]"
    help = (
        "`com.acme.Order.pay`, `Order.pay(int)`, or a pattern for loaded classes; `-max N` ends it after so many "
        "calls; `deep 1` keeps what objects hold, one level of it; `hold` keeps the objects that calls are "
        "given from collection, for `again`; `lines` keeps the lines alone, `stores` lines and "
        "what they store, `calls` lines and the results of calls; CONDITION is a Java expression at the end of the "
        "call, as of `calls`: `amount > 100`, `$exc != null`; `until IllegalStateException` or `until $cost > 100ms` "
        "makes the first call that ends so the last one"
    )

    def parse(self, text: str) -> RecordRequest:
        head, parts = split_at_keywords(text, _KEYWORD)
        words = with_parameter_types(head.split())
        if not words:
            raise UsageError("record the calls of which method?", hint="'record Class.method'")
        request = RecordRequest(words.pop(0))
        while words:
            word = words.pop(0).lower()
            name = {"--max": "-max", "max": "-max", "-deep": "deep"}.get(word, word)
            if name in LEVELS:
                request = request.replace(level=name)
            elif name in ("hold", "-hold"):
                request = request.replace(hold=True)
            elif name in ("-max", "deep"):
                request = _with_number(request, name, words.pop(0) if words else "")
            else:
                raise UsageError(f"unexpected argument '{word}'", hint=f"after the method: {', '.join(_WORDS)}")
        for keyword, value in parts:
            if not value:
                raise UsageError(f"missing {'condition' if keyword == 'if' else 'exception or time'} after '{keyword}'")
            request = request.replace(**{"condition" if keyword == "if" else "until": value})
        return request

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        _, parts = split_at_keywords(text, _KEYWORD)
        if parts and parts[-1][0] == "if":
            yield from complete_expression(parts[-1][1], names)
        elif parts:
            yield from complete_place(parts[-1][1], names)
        else:
            *before, word = ["", *text.split(" ")]
            if len(before) == 1:
                yield from complete_place(word, names)
            elif before[-1] not in ("-max", "deep"):
                yield from matching(word, _WORDS)


def _with_number(request: RecordRequest, word: str, value: str) -> RecordRequest:
    most = 1_000_000 if word == "-max" else 5
    if not re.fullmatch(r"\d{1,9}", value) or not 1 <= int(value) <= most:
        raise UsageError(f"{word} needs a number from 1 to {most:,}" + (f", not '{value}'" if value else ""))
    return request.replace(**{"most" if word == "-max" else "depth": int(value)})


class RecordedNumber(Number):
    """A recorded call by its number."""

    def __init__(self, metavar: str = "N") -> None:
        super().__init__(metavar, help="a recorded call: its number as `recorded` shows it")

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return _complete_call(text, names)


def _complete_call(text: str, names: Names) -> Iterable[Candidate]:
    for number, method in names.recorded:
        if str(number).startswith(text):
            yield Candidate(str(number), len(text), method)


class ChosenCalls(Record):
    """A recorded call by its number; or those that a condition or a text chooses."""

    number: int = 0
    condition: str = ""
    text: str = ""
    junit: int = 0
    """The version of JUnit for which the call is written as a test."""
    file: str = ""


_JUNIT = re.compile(r"(\d{1,9})?\s*--junit([45]?)(?:\s+to\s+(\S.*))?", re.DOTALL)


class ChosenCallsArgument(Argument[ChosenCalls]):
    """``N``, ``N --junit [to FILE]``, ``if CONDITION`` or ``/TEXT``."""

    takes_rest = True
    metavar = "N [--junit|--junit4 [to FILE]]|/TEXT|if CONDITION"
    help = (
        "`recorded 5` opens a call; `recorded 5 --junit to OrderTest.java` writes it as a test, `--junit4` as one of "
        "JUnit 4; `recorded /refused` lists those with a text in method, arguments, result, "
        "exception or thread; `recorded if $exc != null && total > 100` those for which a condition over what was kept "
        "holds"
    )

    def parse(self, text: str) -> ChosenCalls:
        text = text.strip()
        if text.isdecimal():
            return ChosenCalls(int(text))
        if (test := _JUNIT.fullmatch(text)) is not None:
            return ChosenCalls(int(test[1] or 0), junit=int(test[2] or 5), file=(test[3] or "").strip())
        if text.startswith("/") and len(text) > 1:
            return ChosenCalls(text=text[1:])
        found = re.match(r"if\b(.*)", text, re.DOTALL)
        if found is not None and found[1].strip():
            return ChosenCalls(condition=found[1].strip())
        raise UsageError(
            f"'{text}' chooses no recorded call", hint="'recorded 5', 'recorded /text', 'recorded if EXPR'"
        )

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        if " " not in text:
            yield from _complete_call(text, names)
            yield from matching(text, ("if",))
        elif re.fullmatch(r"\d+ +\S*", text):
            yield from matching(text.rpartition(" ")[2], ("--junit", "--junit4"))
        elif re.fullmatch(r"\d+ +--junit4? +\S*", text):
            yield from matching(text.rpartition(" ")[2], ("to",))


class Destination(Record):
    """Where to go in a recorded call: to a line, to where a condition holds, or so many lines."""

    line: int = 0
    condition: str = ""
    count: int = 1


class DestinationArgument(Argument[Destination]):
    """``N`` lines, ``to LINE``, ``if CONDITION``."""

    takes_rest = True
    metavar = "N|to LINE|if CONDITION"
    help = "so many lines; `to 42`: where line 42 was reached; `if total < 0`: where that holds"

    def parse(self, text: str) -> Destination:
        text = text.strip()
        if text.isdecimal() and int(text):
            return Destination(count=min(int(text), 1_000_000))
        if found := re.fullmatch(r"to\s+(?:line\s+)?:?(\d{1,7})", text):
            return Destination(line=int(found[1]))
        if found := re.fullmatch(r"(?:to\s+)?if\b\s*(.+)", text, re.DOTALL):
            return Destination(condition=found[1])
        raise UsageError(f"'{text}' is no place in a recorded call", hint="'3' lines, 'to 42', 'if total < 0'")

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text, ("to", "if")) if " " not in text else ()


class KeptName(TextArgument):
    """A variable or field of a recorded call."""

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text, [name for name, _ in names.variables])


class FailingArgument(Argument[str]):
    """``if CONDITION``."""

    takes_rest = True
    metavar = "if CONDITION"
    help = "which calls are wrong, over what was kept: `if $ret < 0`; without it those that an exception has ended"

    def parse(self, text: str) -> str:
        found = re.match(r"if\b(.*)", text.strip(), re.DOTALL)
        if found is None or not found[1].strip():
            raise UsageError(f"'{text}' is no condition", hint="'recorded differences if $ret < 0'")
        return found[1].strip()

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text, ("if",)) if " " not in text else ()

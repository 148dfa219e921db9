"""Places with a text to report at their hits, as they are typed: ours, and gdb's ``dprintf PLACE,"FORMAT",ARGUMENTS``.

Owns where the text stands among the words, and what a format of C's printf means as one of our texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from jdbpy.cli.arguments.base import Argument
from jdbpy.cli.arguments.location import BreakpointArgument, BreakpointRequest, complete_place
from jdbpy.cli.arguments.tail import HELP, REPORT_HELP, complete_tail
from jdbpy.cli.names import Candidate, Names
from jdbpy.errors import UsageError
from jdbpy.record import Record

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_CONVERSION = re.compile(r"%([-+ #0-9.*]*)(?:hh|ll|[hlzjt])?(.?)")
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", '"': '"'}
STACK = 5
"""Frames that a tracepoint reports unless it is told otherwise."""


class LogpointRequest(Record):
    """The request of ``logpoint`` and ``tracepoint``: a breakpoint, and the text of its hits."""

    breakpoint: BreakpointRequest
    text: str


class Logpoint(Argument[LogpointRequest]):
    """A breakpoint's place and words, with a quoted text among them."""

    metavar = 'LOCATION "TEXT" [limit N/s] [to FILE] [-max N] [thread THREAD] [-hit OP N] [-d] [if CONDITION]'
    help = (
        "a place in code and the text to write at its hits, in double quotes: expressions stand in braces, `{{` is "
        f'a brace and `\\"` a quote; or gdb\'s `LOCATION,"FORMAT",ARGUMENTS`. After it: {REPORT_HELP}; {HELP}'
    )
    takes_rest = True

    def parse(self, text: str) -> LogpointRequest:
        match = _QUOTED.search(text)
        if match is None:
            raise UsageError("the TEXT is missing", hint='write it in double quotes: logpoint Order:42 "total {total}"')
        before, after = text[: match.start()].strip(), text[match.end() :].strip()
        if before.endswith(","):
            place = BreakpointArgument().parse(before.removesuffix(","))
            return LogpointRequest(place, from_printf(match[1], arguments(after)))
        return LogpointRequest(BreakpointArgument().parse(f"{before} {after}"), re.sub(r'\\(["\\])', r"\1", match[1]))

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        place, quote, rest = text.partition('"')
        if not quote:
            return complete_place(place.rpartition(" ")[2], names)
        words = ["", *rest.rpartition('"')[2].split(" ")]
        return complete_tail(words[-2].lower(), words[-1], names, filters=False) if '" ' in rest else ()


class Tracepoint(Argument[LogpointRequest]):
    """A breakpoint's place and words, perhaps with a quoted text among them."""

    metavar = (
        'LOCATION ["TEXT"] [stack N] [limit N/s] [to FILE] [-max N] [thread THREAD] [-hit OP N] [-d] [if CONDITION]'
    )
    help = (
        "a place in code whose hits are reported with their stack; with a text in double quotes, as for `logpoint`, "
        f"that is written too. After it: {REPORT_HELP}; {HELP}"
    )
    takes_rest = True

    def parse(self, text: str) -> LogpointRequest:
        request = Logpoint().parse(text) if '"' in text else LogpointRequest(BreakpointArgument().parse(text), "")
        tail = request.breakpoint.tail
        if "stack" not in tail.said:
            tail = tail.reporting(stack=STACK)
        return LogpointRequest(request.breakpoint.replace(tail=tail), request.text)

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return Logpoint().complete(text, names) if '"' in text else BreakpointArgument().complete(text, names)


def quoted(text: str) -> str:
    """Return the text as ``logpoint`` takes it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def arguments(text: str) -> list[str]:
    """Return the expressions after a format: ``,a, m(b, c)``. Raises UsageError."""
    if not text:
        return []
    if not text.startswith(","):
        raise UsageError("a comma is missing after the format", hint='dprintf Order:42,"total %d",total')
    found, depth, quote, previous = [""], 0, "", ""
    for letter in text[1:]:
        if quote:
            quote = "" if letter == quote and previous != "\\" else quote
        elif letter in "\"'":
            quote = letter
        depth += 0 if quote else (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth and not quote:
            found.append("")
        else:
            found[-1] += letter
        previous = "" if previous == "\\" else letter
    if not all(each.strip() for each in found):
        raise UsageError("an expression is missing between two commas")
    return [each.strip() for each in found]


def from_printf(form: str, values: list[str]) -> str:
    """Return the text that a format of printf means with those expressions. Raises UsageError.

    Values are written as Java writes them, so ``%d``, ``%s``, ``%f`` and the like are all the same; widths and other
    number bases have no counterpart. A line break at the end is dropped: each report is a line.
    """
    rest = list(values)

    def put(match: re.Match[str]) -> str:
        flags, kind = match[1], match[2]
        if kind == "%":
            return "%"
        if flags or kind not in "diuscfgeb" or not kind:
            raise UsageError(f"'{match[0]}' has no counterpart here", hint="use %d, %s, %c, %f or %b, without a width")
        if not rest:
            raise UsageError(f"no expression is left for '{match[0]}'")
        value = rest.pop(0)
        return f"{{(char) ({value})}}" if kind == "c" else f"{{{value}}}"

    plain = re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[0]), form).removesuffix("\n")
    text = _CONVERSION.sub(put, plain.replace("{", "{{").replace("}", "}}"))
    if rest:
        raise UsageError(f"the format has no place for '{rest[0]}'")
    return text

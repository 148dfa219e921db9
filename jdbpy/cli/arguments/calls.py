"""The arguments of `calls`: ``METHOD [OPTIONS] [if CONDITION] [show EXPRESSIONS]``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jdbpy.cli.arguments.base import Argument, matching
from jdbpy.cli.arguments.code import complete_expression
from jdbpy.cli.arguments.location import complete_place
from jdbpy.cli.names import Candidate, Names
from jdbpy.errors import UsageError
from jdbpy.record import Record

_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"?|\'(?:[^\'\\]|\\.)*\'?')
_KEYWORD = re.compile(r"(?:^|\s)(if|show)(?=[\s($\"]|$)")
_DURATION = re.compile(r"\d{1,6}(\.\d{1,6})?(ms|s|m|min|h)")
_SECONDS = {"ms": 1e-3, "": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


_ALSO = {
    "--max": "-max",
    "--methods": "-methods",
    "-most": "-methods",
    "--most": "-methods",
    "depth": "--depth",
    "-depth": "--depth",
    "stack": "callers",
}
"""Other spellings, which are listed nowhere."""


class CallsRequest(Record):
    """A method or a pattern, and the words after it. ``seconds`` and ``limit`` are None where nothing was said."""

    method: str
    condition: str = ""
    show: tuple[str, ...] = ()
    seconds: float | None = None
    every: float = 0.0
    limit: int | None = 100
    most: int = 0
    callers: int = 0
    most_methods: int = 0
    depth: int = 1
    levels: int = 0
    in_target: bool = False
    excludes: tuple[str, ...] = ()
    svg: str = ""


class CallsArgument(Argument[CallsRequest]):
    """A method or a pattern of methods, and what is wanted of its calls; ``words`` are those that are allowed."""

    takes_rest = True

    def __init__(self, *words: str, tree: bool = False) -> None:
        self._words = words
        self._tree = tree
        shown = {
            "except": "except PATTERNS",
            "for": "for SECONDS",
            "every": "every SECONDS",
            "limit": "limit N/s",
            "callers": "callers N",
            "--depth": "--depth N",
            "-max": "-max N",
            "-methods": "-methods N",
            "in-target": "in-target",
            "--svg": "--svg FILE",
            "if": "if CONDITION",
            "show": "show EXPRESSION,...",
        }
        self.metavar = " ".join(("METHOD", *(f"[{shown[word]}]" for word in words)))
        helps = {
            "except": "`except *Test*.*,*.get*` leaves out methods and classes that these fit",
            "for": "`for 10s` ends it by itself",
            "every": "`every 5s` reports so often",
            "limit": "`limit 10/s` reports so many a second at most (100), `limit none` all",
            "callers": "`callers 3` tells three frames of what has called it",
            "-max": "`-max N` ends it after so many calls",
            "--depth": "`--depth 2` follows what those call, as far as it is of classes of the program"
            if tree
            else "`--depth 2` tells fields and elements of the values, two levels of them",
            "in-target": "`in-target` has the target itself observe, also where `set in-target` is not `eager`",
            "-methods": "`-methods N` allows a pattern to fit so many methods (50)",
            "if": "CONDITION is a Java expression at the end of the call: `$cost > 100ms`, `$ret == null`, "
            "`$exc != null`, `$args[0] > 5`",
            "--svg": "`--svg FILE` draws it",
            "show": "`show total, $ret.name` tells these in place of the arguments",
        }
        self.help = (
            "`com.acme.Order.pay`, `Order.pay(int)`, `Order.<init>`, a class for all its methods, or a pattern for "
            "loaded classes: `com.acme.*Service.find*`. " + "; ".join(helps[word] for word in words)
        )

    def parse(self, text: str) -> CallsRequest:
        head, parts = split_at_keywords(text, _KEYWORD)
        words = with_parameter_types(head.split())
        if not words:
            raise UsageError("calls of which method?", hint="'calls Class.method', 'calls com.acme.*Service.find*'")
        request = CallsRequest(words.pop(0))
        while words:
            word = words.pop(0).lower()
            name = _ALSO.get(word, word)
            if "for" in self._words and _DURATION.fullmatch(word):  # `timing Order.pay 10s`, as with `profile`
                name, words = "for", [word, *words]
            if name not in self._words or name in ("if", "show"):
                raise UsageError(f"unexpected argument '{word}'", hint=f"after the method: {', '.join(self._words)}")
            if name == "--depth" and self._tree:
                name = "levels"
            if name == "in-target":
                request = request.replace(in_target=True)
                continue
            if not words:
                raise UsageError(f"after '{word}' a value is missing")
            value = words.pop(0)
            while name == "except" and value.endswith(",") and words:
                value += words.pop(0)
            request = _with_value(request, name, value)
        for keyword, value in parts:
            if keyword not in self._words:
                raise UsageError(f"unexpected '{keyword}'")
            if not value:
                raise UsageError(f"missing {'condition' if keyword == 'if' else 'expression'} after '{keyword}'")
            request = request.replace(condition=value) if keyword == "if" else request.replace(show=split_shown(value))
        return request

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        _, parts = split_at_keywords(text, _KEYWORD)
        if parts:
            yield from complete_expression(parts[-1][1], names)
            return
        *before, word = ["", *text.split(" ")]
        if len(before) == 1:
            yield from complete_place(word, names)
        elif before[-1] == "limit":
            yield from matching(word, ("none",))
        elif before[-1] == "except":
            yield from complete_place(word, names)
        elif before[-1] not in self._words:
            yield from matching(word, self._words)


def split_shown(text: str) -> tuple[str, ...]:
    """Expressions with commas between them, those in brackets and quotes left alone. Raises UsageError for an empty
    one."""
    parts, depth, start = [], 0, 0
    for found in re.finditer(rf"{_QUOTED.pattern}|[(\[{{]|[)\]}}]|,", text):
        if found[0] in "([{":
            depth += 1
        elif found[0] in ")]}":
            depth -= 1
        elif found[0] == "," and depth == 0:
            parts.append(text[start : found.start()])
            start = found.end()
    shown = tuple(part.strip() for part in (*parts, text[start:]))
    if not all(shown):
        raise UsageError("an expression is missing between the commas after 'show'")
    return shown


def split_at_keywords(text: str, keyword: re.Pattern[str]) -> tuple[str, list[tuple[str, str]]]:
    """Return the words before the first keyword, and each keyword with the words after it; those in quotes are none."""
    blank = _QUOTED.sub(lambda found: "_" * len(found[0]), text)
    marks = list(keyword.finditer(blank))
    if not marks:
        return text, []
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    parts = [(mark[1], text[mark.end() : end].strip()) for mark, end in zip(marks, ends, strict=True)]
    return text[: marks[0].start()], parts


def with_parameter_types(words: list[str]) -> list[str]:
    """Return words, those with parameter types as one: ``pay(int, String)``."""
    found: list[str] = []
    for word in words:
        if found and found[-1].count("(") > found[-1].count(")"):
            found[-1] += word
        else:
            found.append(word)
    return found


def _with_value(request: CallsRequest, word: str, value: str) -> CallsRequest:
    match word:
        case "--svg":
            return request.replace(svg=value)
        case "except":
            return request.replace(excludes=(*request.excludes, *value.split(",")))
        case "for" | "every":
            seconds = _seconds(value)
            return request.replace(seconds=seconds) if word == "for" else request.replace(every=seconds)
        case "limit":
            limited = re.fullmatch(r"(\d{1,6})(?:/s)?|none", value.lower())
            if limited is None:
                raise UsageError(
                    f"'{value}' is not a limit", hint="'limit 100/s' reports at most, 'limit none' for all"
                )
            return request.replace(limit=int(limited[1]) if limited[1] else None)
    bounds = {"callers": 100, "--depth": 10, "levels": 10}.get(word, 1_000_000)
    if not re.fullmatch(r"\d{1,9}", value) or not 1 <= int(value) <= bounds:
        word = "--depth" if word == "levels" else word
        raise UsageError(f"{word} needs a number from 1 to {bounds:,}, not '{value}'")
    fields = {"-max": "most", "-methods": "most_methods", "levels": "depth", "--depth": "levels"}
    return request.replace(**{fields.get(word, word): int(value)})


def _seconds(text: str) -> float:
    found = re.fullmatch(r"(\d{1,6}(?:\.\d{1,6})?)(ms|s|m|min|h|)", text.lower())
    if found is None or not float(found[1]):
        raise UsageError(f"'{text}' is not a time", hint="5s, 500ms, 2m")
    return float(found[1]) * _SECONDS[found[2]]

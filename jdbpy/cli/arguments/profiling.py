"""The arguments of `profile`: ``[DURATION] [KIND] [PATTERN] [sampling] [--fold] [to FILE]``."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from jdbpy.cli.arguments.base import Argument, matching
from jdbpy.cli.names import Candidate, Names
from jdbpy.errors import UsageError
from jdbpy.profiles.files import WORDS, form_of
from jdbpy.profiles.kinds import KINDS
from jdbpy.record import Record

_DURATION = re.compile(r"(\d{1,7}(?:\.\d{1,6})?)(ms|s|m|min|h)?$")
_SECONDS = {"ms": 1e-3, "": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
TIMING = "timing"
"""The word for methods that the JVM has timed, in a recording."""

_OPTIONS = ("--svg", "--html", "--collapsed", "--speedscope", "--pprof")


class ProfileRequest(Record):
    """What is profiled. ``seconds`` is None where nothing was said; ``files`` are written to, and ``sources`` read.
    ``fold``: with ``each`` the profiles of all JVMs become one."""

    seconds: float | None = None
    kind: str = ""
    pattern: str = ""
    sampling: bool = False
    fold: bool = False
    files: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


class ProfileArgument(Argument[ProfileRequest]):
    """A duration, a kind, a pattern of methods and a file, in any order; ``sources`` files come first."""

    takes_rest = True

    def __init__(self, sources: int = 0) -> None:
        self._sources = sources
        self._kinds = (*KINDS, *((TIMING,) if sources == 1 else ()))
        kinds = "|".join(self._kinds)
        first = " ".join(["FILE", "FILE"][:sources]) if sources else "[DURATION]"
        self.metavar = f"{first} [{kinds}] [PATTERN]{'' if sources else ' [sampling] [--fold]'} [to FILE]"
        self.help = (
            ("a recording (`.jfr`) or collapsed stacks; " if sources else "`10s`, `500ms`, `2m`; ")
            + "PATTERN keeps stacks with a method that fits: `com.acme.*`, `Order.total`; "
            + ("" if sources else "`sampling`: by sampling all stacks, not by the flight recorder; ")
            + ("" if sources else "`--fold`: with `each`, one profile of all JVMs, as FILE has it anyway; ")
            + ("`timing`: the methods that the JVM has timed; " if sources == 1 else "")
            + f"FILE is written to, by its ending: {WORDS.replace(chr(39), '`')}"
        )

    def parse(self, text: str) -> ProfileRequest:
        words = [_unquoted(word) for word in re.findall(r'"[^"]*"|\'[^\']*\'|\S+', text)]
        sources, words = words[: self._sources], words[self._sources :]
        if len(sources) < self._sources:
            raise UsageError("which file?" if self._sources == 1 else "two files are compared")
        request = ProfileRequest(sources=tuple(os.path.expanduser(each) for each in sources))
        while words:
            word = words.pop(0)
            found = _DURATION.match(word)
            if word in ("to", *_OPTIONS) or word.partition("=")[0] in _OPTIONS:
                _, equals, file = word.partition("=")
                if not equals and not words:
                    raise UsageError(f"after '{word}' a file is missing", hint="'to cpu.svg'")
                path = os.path.expanduser(file if equals else words.pop(0))
                form_of(path)
                request = request.replace(files=(*request.files, path))
            elif found is not None and not self._sources and request.seconds is None:
                request = request.replace(seconds=float(found[1]) * _SECONDS[found[2] or ""])
            elif word.lower() in self._kinds and not request.kind:
                request = request.replace(kind=word.lower())
            elif word == "--fold" and not self._sources:
                request = request.replace(fold=True)
            elif word.lower() == "sampling" and not self._sources:
                request = request.replace(sampling=True)
            elif not request.pattern:
                request = request.replace(pattern=word)
            else:
                raise UsageError(
                    f"unexpected argument '{word}'", hint=f"kinds are {', '.join(self._kinds)}; 'to FILE' writes a file"
                )
        return request

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        word = text.rpartition(" ")[2]
        return matching(word, (*self._kinds, "to", *(() if self._sources else ("sampling", "--fold"))))


def _unquoted(word: str) -> str:
    return word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'" else word

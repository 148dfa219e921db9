"""The arguments of `mbean`: an MBean, and what is wanted of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

from jdbpy.cli.arguments.base import Argument
from jdbpy.cli.arguments.repeating import BEHIND, Repetition, parse_repeat
from jdbpy.cli.names import Candidate, Names
from jdbpy.errors import UsageError
from jdbpy.record import Record

_WORD = re.compile(r"\s*(\"[^\"]*\"|'[^']*'|\[[^\]]*\]|\S+)")
_MEMBER = re.compile(r"([^\s(=]+)\s*(.*)", re.DOTALL)


class MBeanRequest(Record):
    """``member`` is an attribute or an operation, ``value`` what it is to be set to, ``args`` those of a call."""

    pattern: str = ""
    member: str = ""
    value: str | None = None
    args: tuple[str, ...] | None = None
    repeat: Repetition = Repetition()


class MBeanArgument(Argument[MBeanRequest]):
    """``[MBEAN [ATTRIBUTE [= VALUE] | OPERATION[(ARGUMENTS)]] [every S] [for S]]``."""

    takes_rest = True
    metavar = "MBEAN [ATTRIBUTE [= VALUE]|OPERATION[(ARGUMENTS)]] [every S] [for S]"
    help = (
        "MBEAN is a name, in quotes if it has blanks, or a part of names, with `*` for any part; ATTRIBUTE may have "
        "`*` too. Arguments are texts, numbers, true, false, null, and [a, b] for a list of texts"
    )

    def parse(self, text: str) -> MBeanRequest:
        first = _WORD.match(text)
        if first is None:
            return MBeanRequest()
        pattern, rest = _bare(first[1]), text[first.end() :]
        repeat = Repetition()
        if behind := BEHIND.search(rest):
            repeat, rest = parse_repeat(behind["words"]), rest[: behind.start()]
        found = _MEMBER.fullmatch(rest.strip())
        if found is None:
            return MBeanRequest(pattern, repeat=repeat)
        member, tail = found[1], found[2].strip()
        if tail.startswith("="):
            return MBeanRequest(pattern, member, _bare(tail[1:].strip()), repeat=repeat)
        if tail.startswith("("):
            if not tail.endswith(")"):
                raise UsageError("a bracket is not closed", hint=f"{member}(ARGUMENTS)")
            return MBeanRequest(pattern, member, None, _split(tail[1:-1]), repeat)
        words = tuple(_bare(each[1]) for each in _WORD.finditer(tail))
        return MBeanRequest(pattern, member, None, words or None, repeat)

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        first = _WORD.match(text)
        if first is None or first.end() == len(text):
            typed = text.lstrip().lstrip('"')
            for each in names.mbeans:
                if each.lower().startswith(typed.lower()):
                    yield Candidate(f'"{each}"' if " " in each or '"' in text else each, len(text.lstrip()), "MBean")
            return
        rest = text[first.end() :].lstrip()
        pattern, known = _bare(first[1]), names.mbean_members
        beans = [pattern] if pattern in known else [each for each in known if _fits(pattern, each)]
        members = {member: kind for bean in beans for member, kind in known[bean]}
        for member, kind in sorted(members.items()):
            if member.lower().startswith(rest.lower()):
                yield Candidate(member, len(rest), kind)


def _fits(pattern: str, name: str) -> bool:
    return fnmatchcase(name.lower(), f"*{pattern.lower()}*")


def _bare(word: str) -> str:
    return word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'" else word


def _split(text: str) -> tuple[str, ...]:
    """Return arguments with commas between them; those in quotes and brackets are left alone."""
    if not text.strip():
        return ()
    parts, depth, start, quote = [], 0, 0, ""
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "[(":
            depth += 1
        elif char in "])":
            depth -= 1
        elif char == "," and not depth:
            parts.append(text[start:at])
            start = at + 1
    return tuple(_bare(each.strip()) for each in (*parts, text[start:]))

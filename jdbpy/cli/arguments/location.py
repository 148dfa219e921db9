"""Places in code as they are typed, and the request for a breakpoint around one; methods, classes and their files.

Owns the grammar; whether the place exists is for the session to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from jdbpy import SuspendPolicy
from jdbpy.cli.arguments.base import Argument, FilePath, matching
from jdbpy.cli.arguments.code import complete_expression
from jdbpy.cli.arguments.tail import HELP, POLICIES, TAKING_VALUES, Tail, complete_tail, split_condition, split_tail
from jdbpy.cli.arguments.target import ClassNameArgument, class_names, complete_numbers
from jdbpy.cli.names import Candidate, Names
from jdbpy.cli.words import split_words
from jdbpy.errors import UsageError
from jdbpy.identifiers import WORD
from jdbpy.record import Record

_LINE_HERE = re.compile(r":?(\d{1,7})|([+-]\d{1,7})")
_BEHIND_LINE = re.compile(r".*\d:(\w*)")
_SUSPENDS = {**POLICIES, "--no-stop": SuspendPolicy.NONE}
_BEFORE_PLACE = ("at", "in", *_SUSPENDS)
_HINT = (
    "a place is Class:LINE, File.java:LINE, Class.method, Class.method(int,String), LINE, +N or -N; "
    "LINE:line and LINE:lambda select a part of a line"
)


class PlaceRequest(Record):
    """A place: ``text`` as the session takes it; ``line`` or ``offset`` when it is a line of the current file."""

    text: str
    line: int | None = None
    offset: int | None = None


class LocationArgument(Argument[PlaceRequest]):
    """A line or a method."""

    metavar = "LOCATION"
    help = _HINT
    takes_rest = True

    def parse(self, text: str) -> PlaceRequest:
        here = _LINE_HERE.fullmatch(text)
        if here is None:
            return PlaceRequest(text)
        number = int(here[1] or here[2])
        if here[1] and number == 0:
            raise UsageError("lines are counted from 1")
        return PlaceRequest(text, number) if here[1] else PlaceRequest(text, offset=number)

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return complete_place(text, names)


class BreakpointRequest(Record):
    """The request of ``stop``, ``break`` and ``tbreak``. Without a policy among its options the command decides."""

    place: PlaceRequest
    tail: Tail


class BreakpointArgument(Argument[BreakpointRequest]):
    """A place with jdb's words before it and gdb's after it."""

    metavar = (
        "[--no-stop|thread|all] [THREAD] [at|in] LOCATION [thread THREAD] [from PATTERNS] [on OBJECT] [after N] "
        "[-hit OP N] [-t] [-d] [if CONDITION]"
    )
    help = (
        "a place in code. Before it: `--no-stop` reports and goes on, `thread` suspends only the thread that hits, "
        f"`all` every thread; a thread id stops only there. After it: {HELP}"
    )
    takes_rest = True

    def parse(self, text: str) -> BreakpointRequest:
        subject, tail = split_tail(text, filters=False)
        words = _words(subject)
        if words and words[0].lower() in _SUSPENDS:
            tail = tail.having(policy=_SUSPENDS[words.pop(0).lower()])
        if len(words) > 1 and re.fullmatch(r"\d+|0x[0-9a-fA-F]+", words[0]) and words[1].lower() in ("at", "in"):
            tail = tail.replace(typed=(*tail.typed, ("thread", words.pop(0))))
        if words and words[0].lower() in ("at", "in"):
            words.pop(0)
        if not words:
            raise UsageError("LOCATION is missing", hint=_HINT)
        if len(words) > 1:
            raise UsageError(f"unexpected argument '{words[1]}'")
        return BreakpointRequest(LocationArgument().parse(words[0]), tail)

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        head, condition = split_condition(text)
        if condition is not None:
            return complete_condition(_place_in(head), condition, names)
        *before, word = ["", *head.split(" ")]
        last = before[-1].lower()
        if last == "from":
            return complete_place(word.rpartition(",")[2], names)
        if (len(before) > 2 and last in TAKING_VALUES and last != "in") or (
            last and last not in (*_BEFORE_PLACE, *TAKING_VALUES)
        ):
            return complete_tail(last, word, names, filters=False)
        return [
            *(() if before[1:] else matching(word, ("at", "in", "thread", "--no-stop"))),
            *complete_place(word, names),
        ]


def complete_condition(place: str, text: str, names: Names) -> Iterable[Candidate]:
    """Return names in an expression at a place: fields and methods of its class; then what the selected frame sees,
    since the variables of another place are not known."""
    typed = re.search(rf"[{WORD}.]*$", text)
    start = typed[0].removeprefix("this.") if typed else ""
    if "." not in start:
        owner = _class_of(place, names)
        yield from matching(start, names.fields.get(owner, ()), "field")
        yield from matching(start, (name for name in names.methods.get(owner, ()) if name[:1] != "<"), "method")
    yield from complete_expression(text, names)


def _place_in(head: str) -> str:
    """Return the place among the words before a condition, if there is one."""
    try:
        return BreakpointArgument().parse(head).place.text
    except UsageError:
        return ""


def _class_of(place: str, names: Names) -> str:
    """Return the full name of the known class that a place is in, "" when none is known."""
    before, colon, _ = place.partition("(")[0].replace("#", ".").replace("::", ".").partition(":")
    name = before if colon else before.rpartition(".")[0]
    if colon and before in names.sources:
        name = before.partition(".")[0]
    ends = f".{name}"
    return next((known for known in names.classes if name and (known == name or known.endswith(ends))), "")


def complete_members(text: str, members: Mapping[str, Iterable[str]], meta: str) -> Iterable[Candidate]:
    """Return the members that may stand behind ``Class.``, where the class may be typed by its simple name."""
    owner, dot, start = text.rpartition(".")
    if dot and owner:
        known = [name for name in members if name == owner or name.endswith(f".{owner}")]
        yield from matching(start, dict.fromkeys(each for name in known for each in members[name]), meta)


def complete_place(text: str, names: Names) -> Iterable[Candidate]:
    """Classes; behind ``Class.`` its methods; sources before a line."""
    yield from complete_members(text, names.methods, "method")
    yield from class_names(text, names)
    yield from class_names(text, names.replace(classes=names.not_loaded), "class, not loaded")
    yield from matching(text, names.sources, "source")
    if of_line := _BEHIND_LINE.fullmatch(text):
        yield from matching(of_line[1], ("line", "lambda"), "part of the line")


def _words(text: str) -> list[str]:
    """Return the words, with the parameters of a method kept in one: ``m (int, String)``."""
    words: list[str] = []
    for word in split_words(text):
        if words and word.text.startswith("("):
            words[-1] += word.text
        elif words and words[-1].count("(") > words[-1].count(")"):
            words[-1] += f" {word.text}"
        else:
            words.append(word.text)
    return words


class PlaceOrNumber(Argument["PlaceRequest | int"]):
    """A breakpoint by its number, or by its place."""

    metavar = "NUMBER|LOCATION"
    help = "a breakpoint by its number or its place; a line of the current file is written `:LINE`"
    takes_rest = True

    def parse(self, text: str) -> PlaceRequest | int:
        if re.fullmatch(r"\d{1,9}", text):
            return int(text)
        words = _words(text)
        if len(words) > 1 and words[0].lower() in ("at", "in"):
            words.pop(0)
        return LocationArgument().parse(" ".join(words))

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        yield from complete_numbers(text, names)
        yield from complete_place(text, names)


class ListArgument(Argument[str]):
    """The subject of ``list``: a line, a range of lines, a method, or ``+`` and ``-``."""

    metavar = "LINE|FIRST,LAST|METHOD|+|-"
    help = "a line, two lines, a method, a class, a place in code; `+` goes on, `-` goes back"
    takes_rest = True

    def parse(self, text: str) -> str:
        return text

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return complete_place(text, names)


class MemberArgument(ClassNameArgument):
    """A class, or one of its methods or fields behind a dot."""

    def __init__(self, member: str) -> None:
        self.metavar = f"CLASS[.{member.upper()}]"
        self.help = f"a class, by its full or its simple name; behind it with a dot one {member}"
        self._member = member

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        yield from complete_members(text, names.methods if self._member == "method" else names.fields, self._member)
        yield from super().complete(text, names)


class MethodText(Argument[str]):
    """A method, or a class for all its methods; jdb's ``CLASS METHOD`` is taken too."""

    metavar = "[CLASS.]METHOD|CLASS"
    help = "a method, `Order.total` or `Order.total(int,String)`, or a class for all its methods"
    takes_rest = True

    def parse(self, text: str) -> str:
        if "(" in text:
            return text
        words = text.split()
        if len(words) > 2:
            raise UsageError(f"unexpected argument '{words[2]}'")
        return ".".join(words)

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return complete_place(text, names)


class ClassOrFile(Argument[str]):
    """A loaded class, or a file or directory of this machine."""

    metavar = "CLASS|FILE|DIR"
    help = "a class and its class file; or a directory or jar of class files; or source files with --compile"

    def parse(self, text: str) -> str:
        return FilePath().parse(text)

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        yield from class_names(text, names) if text else ()
        yield from FilePath().complete(text, names)


class StratumArgument(Argument[str]):
    """A language whose lines are wanted."""

    metavar = "NAME|Java|default"
    help = "a stratum as `extension CLASS` names it; `Java` for the lines of the class file; `default`"

    def parse(self, text: str) -> str:
        return text

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return matching(text, ("default", "Java", "Kotlin", "KotlinDebug", "JSP"), "stratum")

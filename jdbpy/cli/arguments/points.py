"""The subjects of catchpoints, watchpoints and traces as they are typed: jdb's grammar, with more words on top.

Owns the grammar; whether there is such a class, field or thread is for the session to say.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING

from jdbpy import SuspendPolicy
from jdbpy.cli.arguments.base import Argument, matching
from jdbpy.cli.arguments.code import complete_expression
from jdbpy.cli.arguments.location import BreakpointArgument, BreakpointRequest, complete_place
from jdbpy.cli.arguments.tail import TAKING_VALUES, Tail, complete_tail, split_condition, split_tail
from jdbpy.cli.arguments.target import class_names
from jdbpy.cli.names import Candidate, Names
from jdbpy.errors import UsageError
from jdbpy.record import Record

if TYPE_CHECKING:
    from jdbpy import BreakpointInfo, PointOptions, Session

_TRACED = ("methods", "entries", "exits", "method exit", "monitors")
_SORTS = ("uncaught", "caught", "all")
_ACCESS = {"access": (True, False), "-r": (True, False), "-w": (False, True), "all": (True, True), "-rw": (True, True)}
NO_STOP = "--no-stop"
"""It is reported, and the thread goes on; jdb's ``go``."""
NO_SUSPEND = "--no-suspend"
"""The same, and nothing is suspended, not even to read what a report would tell."""
_REPORTS = ("go", NO_STOP, NO_SUSPEND)
VALUES = "--values"
"""Methods are traced by events that tell what they return."""
_METHOD = re.compile(r"[.#(]|::")
"""A sign of the name of a method that the name of a thread does not have."""
_FILTERS = (
    "FILTERS are `in PATTERNS`, `except PATTERNS`, `from PATTERNS`, `thread THREAD`, `on OBJECT`, `after N`, "
    "`-hit OP N`, `-t`, `-d`, `suspend all|thread|none` and `if CONDITION`: see `help filters`; for what is "
    "reported also `limit N/s`, `to FILE`, "
    "`-max N` and more: see `help reports`"
)


class Catch(Record):
    """``event`` is exception, load, unload, thread or exit; ``words`` say which: the sort of exception and its class,
    start, death and virtual of threads, the pattern of a source file."""

    event: str
    words: tuple[str, ...]
    tail: Tail = Tail()


class CatchEvent(Record):
    """An event that `catch` is for, beside exceptions.

    ``add`` sets it, with the words that are kept of it and the options. ``words`` are those that may follow it, with
    what each means; ``classes``: patterns of classes may, and with ``source`` that of a file.
    """

    name: str
    add: Callable[[Session, tuple[str, ...], PointOptions], Awaitable[BreakpointInfo]]
    words: dict[str, str] | None = None
    classes: bool = False
    source: bool = False

    def parse(self, words: list[str], tail: Tail) -> Catch:
        """Return what is to be caught. Raises UsageError."""
        kept: tuple[str, ...] = ()
        if self.words:
            kept = tuple(self.words.get(word.lower(), "") for word in words)
            if "" in kept:
                offered = ", ".join(dict.fromkeys(self.words.values()))
                raise UsageError(f"'{' '.join(words)}' is not one of {offered}")
        elif self.classes:
            if self.source and len(words) > 1 and words[-2].lower() == "source":
                kept, words = (words[-1],), words[:-2]
            patterns = tuple(part for word in words for part in word.split(",") if part and part != "*")
            tail = tail.having(classes=(*patterns, *tail.options.classes))
        return Catch(self.name, kept, tail)


def _of_threads(session: Session, words: tuple[str, ...], options: PointOptions) -> Awaitable[BreakpointInfo]:
    both = not {"start", "death"} & set(words)
    start, death = both or "start" in words, both or "death" in words
    return session.catchpoints.thread(start=start, death=death, virtual="virtual" in words, options=options)


CATCH_EVENTS = {
    each.name: each
    for each in (
        CatchEvent(
            "load",
            lambda session, words, options: session.catchpoints.class_load("".join(words), options=options),
            classes=True,
            source=True,
        ),
        CatchEvent(
            "unload", lambda session, words, options: session.catchpoints.class_unload(options=options), classes=True
        ),
        CatchEvent(
            "thread",
            _of_threads,
            words={"start": "start", "death": "death", "end": "death", "virtual": "virtual"},
        ),
        CatchEvent("test", lambda session, words, options: session.tests.stop_at_failures(options)),
        CatchEvent("exit", lambda session, words, options: session.catchpoints.exit(options=options)),
    )
}
"""The events of `catch`, by their words. ``session.catchpoints`` has what sets them."""


class CatchArgument(Argument[Catch]):
    """An exception, or another event."""

    metavar = "[--no-stop|--no-suspend] [uncaught|caught|all] CLASS|EVENT [FILTERS]"
    begins = (*_SORTS, *CATCH_EVENTS)
    help = (
        "an exception class or a pattern, `*` for all; or an event: `load PATTERNS`, `load source FILE`, `unload "
        "PATTERNS`, `thread`, `thread start`, `thread death`, each of these with `virtual`, `exit`, or `test` for a "
        "test that fails. With `--no-stop` it is reported and nothing stops, with `--no-suspend` nothing is suspended, "
        f"not even for a moment. {_FILTERS}"
    )
    takes_rest = True

    def parse(self, text: str) -> Catch:
        text, go = _without_go(text)
        subject, tail = split_tail(text, filters=True)
        tail = go(tail)
        event, *words = subject.split() or [""]
        known = CATCH_EVENTS.get(event.lower())
        if known is not None and (known.classes or known.words or not words):
            return known.parse(words, tail)
        return Catch("exception", _exception(subject), tail)

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        _, condition = split_condition(text)
        if condition is not None:
            yield from complete_expression(condition, names)
            return
        *before, word = ["", *text.split(" ")]
        event = CATCH_EVENTS.get(before[-1])
        if before[-1] in TAKING_VALUES and len(before) > 2:
            yield from complete_tail(before[-1], word, names, filters=True)
        elif event is not None and event.words:
            yield from matching(word, dict.fromkeys(event.words.values()))
        elif before[-1] in ("", *_REPORTS):
            yield from matching(word, (*_SORTS, *CATCH_EVENTS, NO_STOP, NO_SUSPEND))
            yield from class_names(word, names)
        elif before[-1] in _SORTS or (event is not None and event.classes):
            yield from class_names(word, names)
        else:
            yield from complete_tail("", word, names, filters=True)


class Uncatch(Record):
    """Either the exceptions (sort "" for any) whose catchpoint goes, or a point and how many hits pass."""

    sort: str = ""
    name: str = ""
    number: int = 0
    count: int = 0


class UncatchArgument(Argument[Uncatch]):
    """``[uncaught|caught|all] CLASS``, or ``NUMBER COUNT``."""

    metavar = "[uncaught|caught|all] CLASS | NUMBER COUNT"
    help = "what was caught, as it was typed for `catch`; or a number of `breakpoints` and how many hits are to pass"
    takes_rest = True

    def parse(self, text: str) -> Uncatch:
        number, _, count = text.partition(" ")
        if re.fullmatch(r"\d{1,9}", number):
            if not re.fullmatch(r"\d{1,9}", count.strip()):
                raise UsageError("how many hits are to pass?", hint="'ignore NUMBER COUNT'")
            return Uncatch(number=int(number), count=int(count))
        *sort, name = _exception(text)
        return Uncatch(sort[0] if len(text.split()) > 1 else "", name)

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        yield from matching(text, _SORTS)
        yield from class_names(text.rpartition(" ")[2], names)


class Watch(Record):
    """A field as it was typed. ``access`` and ``modification`` are None where nothing was said."""

    spec: str
    access: bool | None = None
    modification: bool | None = None
    tail: Tail = Tail()


class WatchArgument(Argument[Watch]):
    """A field."""

    metavar = "[--no-stop|--no-suspend] [access|all] FIELD [FILTERS]"
    begins = ("access", "all")
    help = (
        "a field: `com.acme.Order.total` of every object, `this.total` or `order.total` of that object only. Before "
        "it: `access` (`-r`) where it is read, `all` (`-rw`) where it is read or changed, else where it is changed. "
        "With `--no-stop` it is reported and nothing stops, with `--no-suspend` nothing is suspended, not even for a "
        "moment. "
        f"{_FILTERS}"
    )
    takes_rest = True

    def parse(self, text: str) -> Watch:
        text, go = _without_go(text)
        first, _, rest = text.partition(" ")
        access, modification = _ACCESS.get(first.lower(), (None, None))
        subject, tail = split_tail(text if access is None else rest, filters=True)
        if not subject:
            raise UsageError("a field is missing", hint="CLASS.FIELD, this.FIELD or OBJECT.FIELD")
        return Watch(subject, access, modification, go(tail))

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        _, condition = split_condition(text)
        if condition is not None:
            yield from complete_expression(condition, names)
            return
        *before, word = ["", *text.split(" ")]
        if before[-1] in TAKING_VALUES:
            yield from complete_tail(before[-1], word, names, filters=True)
        elif before[-1] in ("", *_REPORTS, *_ACCESS):
            yield from () if before[1:] else matching(word, ("access", "all", NO_STOP, NO_SUSPEND))
            owner, dot, start = word.rpartition(".")
            members = names.members if owner == "this" else names.fields.get(owner, ())
            yield from matching(start, members, "field") if dot else ()
            yield from class_names(word, names)
        else:
            yield from complete_tail("", word, names, filters=True)


class Trace(Record):
    """``what`` is methods, entries, exits, exit (of the current method), monitors or place; ``kinds`` are those of
    monitor events, ``place`` the request for a tracepoint, ``method`` the name of the one that is meant. ``values``: by
    events that tell what is returned."""

    what: str
    tail: Tail = Tail()
    kinds: tuple[str, ...] = ()
    place: BreakpointRequest | None = None
    method: str = ""
    values: bool = False


class TraceArgument(Argument[Trace]):
    """Methods, monitors, or a place."""

    metavar = (
        "[--no-stop|--no-suspend] [--values] methods|entries|exits|method exit|monitors|LOCATION [METHOD] [FILTERS]"
    )
    help = (
        "`methods` where methods are entered and left, `entries` or `exits` (`method exits`) only, of all methods that "
        "the filters let through or of one (`entries Prices.find`), whose class may be loaded later; `method exit` the "
        "exits of the current method; `--values` takes the JVM's own events, which report what is returned where "
        "nothing is suspended, and are slow; `monitors` where threads contend for them and wait, or some of "
        "`enter,entered,wait,waited`; a place in code reports when it is reached. Without `in` and `except`, the "
        "classes of `exclude` are left out. With `--no-stop` it is reported and nothing stops, with `--no-suspend` "
        f"nothing is suspended, not even for a moment. {_FILTERS}"
    )
    takes_rest = True

    def parse(self, text: str) -> Trace:
        without_go, go = _without_go(text)
        first, _, rest = without_go.partition(" ")
        values = first.lower() == VALUES
        if values:
            without_go, go = (rest.strip(), go) if without_go != text.strip() else _without_go(rest)
        subject, tail = split_tail(without_go, filters=True)
        tail = go(tail)
        words = subject.split()
        found = re.fullmatch(r"(methods|entries|exits|method\s+exits?)(?:\s+(\S.*))?", subject, re.IGNORECASE)
        if found:
            kind = " ".join(found[1].lower().split())
            kind = {"method exit": "exit", "method exits": "exits"}.get(kind, kind)
            if tail.options.callers and not found[2] and kind != "exit" and not tail.options.classes:
                raise UsageError(
                    "the methods of which classes are traced?",
                    hint="'in PATTERNS' names their classes, 'from PATTERNS' what calls them: 'trace methods in Order'",
                )
            if found[2] and kind != "exit" and _METHOD.search(found[2]):
                return Trace(kind, tail, method=found[2], values=values)
            if len(words) > 1 + ("method" in words[0].lower() and words[0].lower() != "methods") + bool(found[2]):
                raise UsageError(f"unexpected argument '{words[-1]}'")
            if found[2] and "thread" not in dict(tail.typed):
                tail = tail.replace(typed=(*tail.typed, ("thread", words[-1])))
            return Trace(kind, tail, values=values)
        if values:
            raise UsageError(f"{VALUES} is for methods, entries and exits")
        if words and words[0].lower() == "monitors":
            kinds = ",".join(words[1:]).lower().split(",")
            return Trace("monitors", tail, tuple(kind for kind in kinds if kind))
        if not words:
            raise UsageError("trace what?", hint="'trace methods', 'trace monitors', 'trace LOCATION'")
        request = BreakpointArgument().parse(without_go)
        request = request.replace(tail=go(request.tail))
        return Trace("place", request.tail, place=request)

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        _, condition = split_condition(text)
        if condition is not None:
            yield from complete_expression(condition, names)
            return
        *before, word = ["", *text.split(" ")]
        if before[-1] in ("", *_REPORTS, VALUES):
            yield from matching(word, (*_TRACED, NO_STOP, NO_SUSPEND, VALUES))
            yield from complete_place(word, names)
        elif before[-1] in ("methods", "entries", "exits"):
            yield from complete_place(word, names)
            yield from complete_tail(before[-1], word, names, filters=True)
        elif before[-1] == "monitors":
            yield from matching(word, ("enter", "entered", "wait", "waited"))
        else:
            yield from complete_tail(before[-1], word, names, filters=True)


def _without_go(text: str) -> tuple[str, Callable[[Tail], Tail]]:
    """Return the text without ``--no-stop``, ``--no-suspend`` or jdb's ``go`` at its start, and what that makes of the
    words after it."""
    first, _, rest = text.strip().partition(" ")
    word = first.lower()
    if word not in _REPORTS:
        return text.strip(), lambda tail: tail

    def go(tail: Tail) -> Tail:
        policy = tail.options.policy or SuspendPolicy.NONE
        tail = tail.having(policy=policy)
        if word != NO_SUSPEND:
            return tail
        if policy is not SuspendPolicy.NONE:
            raise UsageError(f"{NO_SUSPEND} and 'suspend {policy}' contradict each other")
        return tail.reporting(hold=False)

    return rest.strip(), go


def _exception(text: str) -> tuple[str, str]:
    """Sort and class of ``[uncaught|caught|all] CLASS``."""
    words = text.split()
    sort = words.pop(0).lower() if words and words[0].lower() in _SORTS else "all"
    if len(words) != 1:
        raise UsageError(f"unexpected argument '{words[1]}'" if words else "an exception class is missing")
    return sort, words[0]

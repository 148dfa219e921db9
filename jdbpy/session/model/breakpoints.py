"""Breakpoints as plain data: what they can be given, the words for that, and how they are listed.

An option is declared here, once: a field of ``PointOptions`` or ``Reporting``, and a row of ``OPTIONS`` with its words.
From these come the parsing and the completion of commands, lists, JSON, saved files, and what another JVM is given.
What an option does belongs to ``session/breakpoints``.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any

from jdbpy.json_form import HIDDEN, Json
from jdbpy.record import Record
from jdbpy.session.model.threads import Location


class SuspendPolicy(StrEnum):
    """The threads that a stop holds."""

    NONE = "none"
    THREAD = "thread"
    ALL = "all"


class Reporting(Record):
    """The form of the reports of a breakpoint that stops nothing, and their limit.

    ``stack`` is how many frames a report has. ``limit`` is the most reports a second (None: all, 0: hits are only
    counted); what is left out is said. ``file`` is the path that reports are appended to, instead of being published.
    After ``most`` hits the breakpoint is switched off (0: never); so it is when its hits take more than ``cost``
    percent of the target's time (0: never). That is the time for which they suspend threads. Where they suspend
    nothing, it is hits a second times what one costs, and how much less often the target comes to the busiest place
    than without: to measure that, the breakpoint is taken out for a tenth of a second now and then, if there is a
    ``limit``. With ``hold=False`` nothing is suspended, not even for as long as it takes to read something: a
    report has what the events themselves carry. ``longest`` is how many characters of a text a report of a method has.
    """

    stack: int = 0
    limit: int | None = None
    file: str = ""
    most: int = 0
    cost: int = 0
    hold: bool = True
    longest: int = 200


class PointOptions(Record):
    """The behavior of a breakpoint of any kind, and the filters that the target itself applies.

    ``policy`` is what a hit suspends: by default everything, on a remote target the thread that hits; NONE publishes a
    notice and goes on. ``ignore`` hits pass first; a ``temporary`` breakpoint goes after its hit; ``condition`` is a
    boolean Java expression in the frame of the hit. The filters: ``thread`` (an id), ``instance`` (the id of the object
    that must be ``this``; of a watchpoint the object whose field it is), ``classes`` and ``excludes`` (patterns of the
    class whose code it happens in, one ``*`` at the start or end; ``Order+`` is that class and its subclasses).

    What the debugger decides, beside the condition: ``callers`` are patterns of classes or methods, one of which must
    fit a frame above that of the hit; ``hits`` says which hits count, ``"== 3"``, ``">= 10"``, ``"% 100"``; ``after``
    is the number of one that must be hit first, and with ``after_each`` again after every hit of this one.

    A hit has a number, from 1, when it passes the filters, comes from a fitting caller and its condition holds. Its
    number must then fit ``hits``, and of those that do, the first ``ignore`` pass.

    ``log`` makes a logpoint of it: each hit reports this text, in which ``{...}`` are Java expressions, and the thread
    goes on. ``reporting`` is for these, and for all that the policy NONE makes report. One that is not ``enabled`` is
    not set, nor looked for in the target, before it is enabled; with ``tried`` it is set for a moment in which its
    hits do not count, to see whether it can be.

    With ``woven`` the target itself computes the condition, or the values of a logpoint, as soon as that can be done:
    also where the setting ``in_target`` leaves a breakpoint to the debugger.

    One that is ``internal`` belongs to a front end and not to its user: its number is negative, it is not listed, and
    other clients of a shared session hear nothing of it.
    """

    policy: SuspendPolicy | None = None
    temporary: bool = False
    condition: str = ""
    ignore: int = 0
    thread: int | None = None
    instance: int | None = None
    classes: Sequence[str] = ()
    excludes: Sequence[str] = ()
    callers: Sequence[str] = ()
    hits: str = ""
    after: int | None = None
    after_each: bool = False
    log: str = ""
    reporting: Reporting = Reporting()
    enabled: bool = True
    tried: bool = False
    woven: bool = False
    internal: bool = False


NO_OPTIONS = PointOptions()


class Takes(StrEnum):
    """The form of an option's value, in a command and in a list."""

    NOTHING = "nothing"  # a flag; its value is the other one than by default
    COUNT = "count"  # 1 or more
    PASSED = "passed"  # written as the first hit that counts
    HITS = "hits"  # "3", ">= 10", "% 100"
    FRAMES = "frames"
    RATE = "rate"  # "100/s", or none
    PERCENT = "percent"  # "20%", or none
    PATTERNS = "patterns"  # with commas
    FILE = "file"
    TEXT = "text"
    THREAD = "thread"
    OBJECT = "object"
    BREAKPOINT = "breakpoint"  # a number; "each" before it is an option of its own
    POLICY = "policy"
    CONDITION = "condition"


class BreakpointOption(Record):
    """The words for one option of a breakpoint.

    ``field`` is that of ``PointOptions`` or ``Reporting``. ``word`` stands for it in commands and lists, in front of
    its value; ``long`` is another spelling. ``missing`` is what a message calls the value, ``help`` a part of
    a sentence about it. ``refused`` is what a message says of a kind of breakpoint that cannot have it. ``apart``: it
    has a place of its own in commands, not among the words after the subject. ``reports``: it is for breakpoints that
    report and do not stop. ``of_this_run``: the value means nothing in another JVM. ``has_key``: it has a key of its
    own in the JSON form, where others stand in ``options``.
    """

    field: str
    word: str
    takes: Takes = Takes.NOTHING
    long: str = ""
    missing: str = ""
    help: str = ""
    refused: str = ""
    apart: bool = False
    reports: bool = False
    of_this_run: bool = False
    has_key: bool = False

    def value(self, options: PointOptions) -> Any:
        """Return its value."""
        return getattr(options.reporting if self.field in Reporting.__fields__ else options, self.field)

    def is_given(self, options: PointOptions) -> bool:
        """True if its value is another one than by default."""
        owner = Reporting if self.field in Reporting.__fields__ else PointOptions
        return bool(self.value(options) != owner.__defaults__[self.field])

    def shown(self, options: PointOptions) -> str:
        """Return its value as a list shows it."""
        value = self.value(options)
        match self.takes:
            case Takes.NOTHING:
                return ""
            case Takes.PATTERNS:
                return ",".join(value)
            case Takes.RATE:
                return f"{value}/s"
            case Takes.PERCENT:
                return f"{value}%"
            case Takes.OBJECT:
                return f"object {value}"
        return str(value)


OPTIONS = (
    BreakpointOption("hold", "--no-suspend", apart=True),
    BreakpointOption("classes", "in", Takes.PATTERNS, missing="a pattern", refused="limited to classes"),
    BreakpointOption("excludes", "except", Takes.PATTERNS, missing="a pattern", refused="limited to classes"),
    BreakpointOption(
        "instance", "on", Takes.OBJECT, missing="an object", help="`on OBJECT` only where that is `this`",
        refused="limited to an object", of_this_run=True,
    ),
    BreakpointOption("log", "log", Takes.TEXT, apart=True),
    BreakpointOption(
        "stack", "stack", Takes.FRAMES, missing="a number of frames", help="`stack N` frames with each", reports=True,
    ),
    BreakpointOption(
        "limit", "limit", Takes.RATE, missing="a number of reports, `100/s`, or none",
        help="`limit N/s` reports at most", reports=True,
    ),
    BreakpointOption(
        "file", "to", Takes.FILE, missing="a file", help="`to FILE` appends them to a file", reports=True,
    ),
    BreakpointOption(
        "cost", "cost", Takes.PERCENT, missing="a percentage, or none",
        help="`cost N%` switches it off when it takes more of the target's time",
    ),
    BreakpointOption(
        "most", "-max", Takes.COUNT, "--max", help="`-max N` hits, then it is disabled",
    ),
    BreakpointOption(
        "woven", "in-target", help="`in-target` computed by the target itself, as `weave` asks for",
        refused="given 'in-target': that is for breakpoints and logpoints at lines and methods",
    ),
    BreakpointOption(
        "callers", "from", Takes.PATTERNS, "caller", missing="a pattern",
        help="`from PATTERNS` only if a calling method matches",
        refused="limited to callers: no stack", has_key=True,
    ),
    BreakpointOption(
        "thread", "thread", Takes.THREAD, missing="a thread", help="`thread THREAD` only in that thread",
        refused="limited to a thread", of_this_run=True, has_key=True,
    ),
    BreakpointOption(
        "after", "after", Takes.BREAKPOINT, missing="a number of 'breakpoints'",
        help="`after N` only after number N has been hit (`after each N`: each time)", has_key=True,
    ),
    BreakpointOption("temporary", "-t", Takes.NOTHING, "--temporary", help="`-t` once", has_key=True),
    BreakpointOption("enabled", "-d", Takes.NOTHING, "--disabled", help="`-d` set it disabled", has_key=True),
    BreakpointOption("ignore", "-c", Takes.PASSED, "--count", has_key=True),
    BreakpointOption(
        "hits", "-hit", Takes.HITS, "--hit",
        help="`-hit OP N` at those hits only (`-hit 3`, `-hit >= 10` from the tenth on, `-hit % 100`)", has_key=True,
    ),
    BreakpointOption(
        "policy", "suspend", Takes.POLICY, missing="all, thread or none",
        help="`suspend all|thread|none` what a hit suspends", has_key=True,
    ),
    BreakpointOption(
        "condition", "if", Takes.CONDITION, help="`if CONDITION` when the expression is true",
        refused="given a condition: no frame to evaluate it in", apart=True, has_key=True,
    ),
)  # fmt: skip
"""All options with words, in the order of lists and of saved commands."""


def normalized(options: PointOptions) -> PointOptions:
    """Return the options with patterns as tuples; one alone may be given as a text."""
    given = {each.field: getattr(options, each.field) for each in OPTIONS if each.takes is Takes.PATTERNS}
    return options.replace(
        **{field: (some,) if isinstance(some, str) else tuple(some) for field, some in given.items()}
    )


class BreakpointPlace(Record):
    """One of the places of a breakpoint: the code of its line, or its name, in one method. ``number`` counts from 1.

    ``kind`` is ``line``, ``lambda`` (its body, or code of a class that is written inside the line), ``constructor`` (of
    such a class), or ``method`` where the breakpoint was set by the name of a method.
    """

    number: Annotated[int, "from 1: place 2 of breakpoint 1 is 1.2"]
    kind: Annotated[str, "line; lambda: its body, or a class written inside the line; constructor of one; method"]
    enabled: bool
    locations: Annotated[tuple[Location, ...], "several for copies: in other loaders, of a finally block"]
    error: Annotated[str, "why the condition makes no sense there: it does not stop there"] = ""


class BreakpointInfo(Record):
    """A breakpoint of any kind: all that has a number and stops the target or reports from it.

    ``given`` are its options as they are now; whatever sets it again reads them. Fields with the name of an option are
    that one. ``resolved`` are the code locations where it stands now; none while its class is not loaded.
    """

    json_name = "breakpoint"

    number: int
    spec: Annotated[
        str,
        Json('as the user would type it: "com.acme.Order:42", "uncaught com.acme.*", "access Order.total"', "location"),
    ]
    kind: Annotated[str, "line, method, exception, field, methods, monitors, class-load, class-unload, thread or exit"]
    enabled: bool
    temporary: bool
    policy: Annotated[SuspendPolicy, Json("what a hit suspends: all, thread or none", "suspend")]
    resolved: Annotated[tuple[Location, ...], "where it stands now; empty while its class is not loaded"]
    hits: Annotated[int, Json(optional=False)] = 0
    condition: str = ""
    ignore: Annotated[int, "hits to let pass before the next stop"] = 0
    thread: Annotated[int | None, "the only thread that stops"] = None
    message: Annotated[str, "why it is not resolved"] = ""
    hit_count: Annotated[str, "which hits count: == 3, >= 10, % 100"] = ""
    over: Annotated[bool, "no later hit can count: it has left the target; switching it on begins to count anew"] = (
        False
    )
    callers: Annotated[tuple[str, ...], "patterns, one of which a caller must fit"] = ()
    after: Annotated[int | None, "the point that must be hit first"] = None
    after_each: Annotated[bool, "again after each hit of this one"] = False
    waiting: Annotated[bool, "that one was not hit yet: this one is not in the target"] = False
    failures: Annotated[int, "how often the condition could not be evaluated"] = 0
    failure: Annotated[str, "why, the last time"] = ""
    options: Annotated[tuple[tuple[str, str], ...], "further filters (from, except, on), and what a hit runs"] = ()
    client: Annotated[str, "whose it is, where several share the session"] = ""
    in_target: Annotated[bool, "its condition, or the values of a logpoint, are computed in the target"] = False
    ordinary: Annotated[str, "why the debugger computes them, where the target could"] = ""
    places: Annotated[tuple[BreakpointPlace, ...], "the methods in which its line or name has code"] = ()
    given: Annotated[PointOptions, HIDDEN] = NO_OPTIONS
    armed: Annotated[bool, HIDDEN] = False  # something of it is in the target, beside what waits for classes

    @property
    def code(self) -> tuple[Location, ...]:
        """Where in code it stands or, while it is out of the target, would stand: disabled, over, or hit for good. No
        trip."""
        there = [each for place in self.places if place.enabled and not place.error for each in place.locations]
        return self.resolved or tuple(there)

    @property
    def is_of_this_run(self) -> bool:
        """True if it is for a thread, an object or a place that another JVM does not have. No trip."""
        limited = any(each.of_this_run and each.is_given(self.given) for each in OPTIONS)
        return limited or self.spec.startswith("exit of ")


SHARED = tuple(field for field in PointOptions.__fields__ if field in BreakpointInfo.__fields__ and field != "hits")
"""The options that a list has under their own names."""


def listed(given: PointOptions, **more: Any) -> BreakpointInfo:
    """Return a breakpoint with these options as it is listed; ``more`` are the fields that are no options."""
    shown = {field: getattr(given, field) for field in SHARED}
    words = tuple((each.word, each.shown(given)) for each in OPTIONS if not each.has_key and each.is_given(given))
    return BreakpointInfo(**{"hit_count": given.hits, "options": words, **shown, "given": given, **more})

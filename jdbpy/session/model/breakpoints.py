"""Breakpoints as they are listed: one of them with its places, and what a hit suspends."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from jdbpy.json_form import Json
from jdbpy.record import Record
from jdbpy.session.model.threads import Location


class SuspendPolicy(StrEnum):
    """The threads that a stop holds."""

    NONE = "none"
    THREAD = "thread"
    ALL = "all"


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


class Breakpoint(Record):
    """A breakpoint or another point: all that has a number and stops the target or reports from it.

    ``resolved`` are the code locations where a breakpoint stands now; none while its class is not loaded.
    """

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

"""Calls that were observed: counts and times by method, and the calls made inside a method, folded: plain data.

Times are in seconds. A single call is reported as an ``events.Report``.
"""

from __future__ import annotations

from typing import Annotated

from jdbpy.json_form import HIDDEN, Json
from jdbpy.record import Record

MOST_METHODS = 50
"""Methods that a pattern may fit unless more are asked for."""


class MethodCalls(Record):
    """The calls of one method that have ended; ``failures`` are those that an exception has ended.

    ``p50`` and ``p99`` are exact to 3 percent, the other times are exact.
    """

    class_name: Annotated[str, Json(key="class")]
    method: str
    signature: str
    parameters: Annotated[tuple[str, ...], HIDDEN]
    count: int
    failures: Annotated[int, "of them ended by an exception"]
    rate: Annotated[float, "a second"]
    total: Annotated[float, "seconds"]
    mean: Annotated[float, "seconds"]
    minimum: Annotated[float, "seconds"]
    maximum: Annotated[float, "seconds"]
    p50: Annotated[float, "seconds: half of the calls took no longer"]
    p99: Annotated[float, "seconds: 99 of 100 calls took no longer"]


class CallStatistics(Record):
    """The calls of some methods in ``seconds``, the method with the most time first. Methods without calls are left
    out; so many were ``observed``."""

    seconds: float
    observed: Annotated[int, "methods"]
    methods: Annotated[tuple[MethodCalls, ...], "those that were called, the one with the most time first"]
    in_target: Annotated[int, "methods that the target itself observes"] = 0
    ordinary: Annotated[str, "why it does not observe others, where it was to"] = ""


class TimedMethod(Record):
    """The calls of one method as the JVM counts and times them. A time is None where its clock is too coarse for it."""

    class_name: Annotated[str, Json(key="class")]
    method: str
    signature: str
    parameters: Annotated[tuple[str, ...], HIDDEN]
    count: int
    total: Annotated[float, "seconds: count times mean"]
    mean: Annotated[float | None, "seconds"]
    minimum: Annotated[float | None, "seconds"]
    maximum: Annotated[float | None, "seconds"]


class MethodTimings(Record):
    """The calls that have ended in ``seconds``, as the JVM itself counts and times them. Methods without calls are left
    out."""

    seconds: float
    timed: Annotated[int, "methods"]
    methods: Annotated[tuple[TimedMethod, ...], "those that were called, the one with the most time first"]
    notes: tuple[str, ...] = ()


class CallNode(Record):
    """The calls from one line of a method to another method, folded; ``share`` is of the time of the whole tree.

    ``children`` are the calls that were made inside, where they were asked for.
    """

    line: Annotated[int | None, "of the call"]
    class_name: Annotated[str, Json("as the calling code names it", "class")]
    method: str
    count: int
    failures: Annotated[int, "of them ended by an exception"]
    minimum: Annotated[float, "seconds"]
    maximum: Annotated[float, "seconds"]
    total: Annotated[float, "seconds"]
    share: Annotated[float, "of the time of the tree, 0 to 1"]
    children: tuple[CallNode, ...] = ()


class CallTree(Record):
    """Some calls of one method, folded: how many, how long, and what was called inside, in the order of the lines."""

    class_name: Annotated[str, Json(key="class")]
    method: str
    calls: int
    failures: Annotated[int, "of them ended by an exception"]
    minimum: Annotated[float, "seconds"]
    maximum: Annotated[float, "seconds"]
    total: Annotated[float, "seconds"]
    own: Annotated[float, "seconds that were spent in no call of the tree"]
    children: tuple[CallNode, ...] = ()


class CallsEnded(Record):
    """The end of the observation of a method's calls."""

    method: Annotated[str, "as it was typed"]
    observed: Annotated[int, "methods"]
    calls: Annotated[int, "that have ended meanwhile"]
    failures: Annotated[int, "of them ended by an exception"]
    reported: int
    seconds: float
    in_target: Annotated[int, "methods that the target itself observes"] = 0
    ordinary: Annotated[str, "why it does not observe others, where it was to"] = ""
    condition_false: Annotated[int, "of the calls, for which the condition was false"] = 0

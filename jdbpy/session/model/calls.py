"""Calls that were observed: counts and times by method, and the calls made inside a method, folded: plain data.

Times are in seconds. A single call is reported as an ``events.Report``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated

from jdbpy.json_form import HIDDEN, Json
from jdbpy.profiles.kinds import TIMING_EVENT
from jdbpy.record import Record
from jdbpy.session.java.signatures import parameter_types

if TYPE_CHECKING:
    from jdbpy.jfr.recording import FlightRecording
    from jdbpy.jfr.values import Event

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


MethodKey = tuple[str, str, str]
"""The class of a method, its name, and its signature."""


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

    @classmethod
    def in_recording(
        cls, recording: FlightRecording, wanted: Callable[[MethodKey], bool] = lambda _: True
    ) -> MethodTimings:
        """Return the calls that a recording of the flight recorder has timed; ``wanted`` chooses the methods."""
        rows = tuple(_timed(recording, wanted))
        headers = [chunk.header for chunk in recording.chunks()]
        begun = min((each.start_nanos for each in headers), default=0)
        ended = max((each.start_nanos + max(0, each.duration_nanos) for each in headers), default=0)
        called = sorted((row for row in rows if row.count), key=lambda row: -row.total)
        return cls((ended - begun) / 1e9, len(rows), tuple(called))


def _timed(recording: FlightRecording, wanted: Callable[[MethodKey], bool]) -> Iterator[TimedMethod]:
    """Yield what the latest events say: each adds up all calls since the beginning. Classes of one name are one.

    All events of one moment have one time; those of a moment before may come behind them in a recording.
    """
    last: list[Event] = []
    for event in recording.events(TIMING_EVENT):
        if last and event.start > last[0].start:
            last.clear()
        if not last or event.start == last[0].start:
            last.append(event)
    found: dict[MethodKey, list[Event]] = {}
    for event in last:
        method = event["method"]
        key = (method["type"]["name"].replace("/", "."), method["name"], method["descriptor"])
        if wanted(key):
            found.setdefault(key, []).append(event)
    for (class_name, name, signature), events in found.items():
        called = [each for each in events if each["invocations"]]
        count = sum(each["invocations"] for each in called)
        total = sum(each["invocations"] * (each["average"] or 0) for each in called) / 1e9
        minima = [each["minimum"] / 1e9 for each in called if each["minimum"] is not None]
        maxima = [each["maximum"] / 1e9 for each in called if each["maximum"] is not None]
        known = any(each["average"] is not None for each in called)
        yield TimedMethod(
            class_name,
            name,
            signature,
            parameter_types(signature),
            count,
            total,
            total / count if known else None,
            min(minima, default=None),
            max(maxima, default=None),
        )


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

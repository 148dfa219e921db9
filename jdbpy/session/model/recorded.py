"""Recorded calls as plain data: recordings, calls, places in a call, values and who wrote them."""

from __future__ import annotations

from typing import Annotated

from jdbpy.json_form import HIDDEN, Json
from jdbpy.record import Record


class RecordingInfo(Record):
    """One recording. ``state``: ``recording``, ``ended: WHY``, or why no call is recorded yet."""

    json_name = "recording"

    number: int
    method: str
    state: str
    level: Annotated[str, "lines, stores, calls or all"]
    calls: Annotated[int, "that have ended since"]
    kept: Annotated[int, "of them recorded"]
    missed: Annotated[int, "not recorded: too many came at once"]
    refused: Annotated[int, "not recorded: the condition was false, or the time was not wanted"]
    condition: Annotated[str, Json(optional=True)] = ""
    until: Annotated[str, Json("what ends it", optional=True)] = ""
    most: Annotated[int, Json("the calls after which it ends", optional=True)] = 0
    depth: Annotated[int, Json("levels of what objects hold", optional=True)] = 0
    notes: Annotated[tuple[str, ...], "what is not recorded"] = ()
    hold: Annotated[bool, Json("objects that calls were given are kept from collection", optional=True)] = False


class KeptVariable(Record):
    """A variable or field with the value that it had, and the parts of it that were kept."""

    name: str
    type: Annotated[str, "of the value, as in source"]
    text: Annotated[str, Json(key="value")]
    parts: Annotated[tuple[KeptVariable, ...], HIDDEN] = ()


class RecordedCallInfo(Record):
    """One recorded call."""

    json_name = "recorded-call"

    number: int
    class_name: Annotated[str, Json(key="class")]
    method: str
    thread: Annotated[str, "its name"]
    time: Annotated[str, "at its end, by the target's clock"]
    cost: Annotated[float, "seconds"]
    arguments: tuple[KeptVariable, ...]
    result: Annotated[str | None, "null of a void method, and where an exception has ended it"]
    exception: Annotated[str | None, "type and message, where one has ended it"]
    lines: Annotated[int, "that are kept"]
    left_out: Annotated[int, "events of a long call that are not kept, but counted"] = 0

    @property
    def name(self) -> str:
        """Class and method: ``com.acme.Order.pay``."""
        return f"{self.class_name}.{self.method}"


class KeptWrite(Record):
    """A value that was written. ``between``: others came after it that are not kept."""

    step: Annotated[int, "0: an argument"]
    line: int
    name: str
    old: Annotated[str | None, "null where it had none"]
    new: str
    between: Annotated[bool, Json("it is the last of several that are not kept", optional=True)] = False


class RecordedPlace(Record):
    """A place in a recorded call: before a line runs, or the end."""

    call: Annotated[int, "the number of the recorded call"]
    class_name: Annotated[str, Json(key="class")]
    method: str
    source: Annotated[str, "the name of the file"]
    step: int
    steps: int
    line: int
    turn: Annotated[int, "how often the line was reached until now"]
    end: Annotated[str, Json("returned or threw: the call is at its end", optional=True)] = ""
    outcome: Annotated[str, Json("the result, or the exception, at the end", optional=True)] = ""
    left_out: Annotated[int, Json("lines before this one that are not kept", optional=True)] = 0
    changes: Annotated[tuple[KeptWrite, ...], "what the line before has written"] = ()
    called: Annotated[tuple[KeptVariable, ...], "the calls that it has made, with their results"] = ()


class DifferingValue(Record):
    """A name with its values in two calls."""

    name: str
    one: str | None
    other: str | None


class ComparedCalls(Record):
    """Two recorded calls: where they part. ``line`` and ``other_line`` are null where they go over the same lines."""

    one: int
    other: int
    step: Annotated[int | None, "at which they part"]
    line: int | None
    other_line: int | None
    values: Annotated[tuple[DifferingValue, ...], "that differ there"]
    first_line: Annotated[int | None, "at which the first values differ"]
    first_step: int | None
    first_values: tuple[DifferingValue, ...]
    outcomes: Annotated[tuple[str, str], "how each has ended"] = ("", "")


class CallRunAgain(Record):
    """A recorded call whose method was run once more with its arguments, and what came of it."""

    json_name = "call-run-again"

    call: Annotated[int, "the recorded call"]
    class_name: Annotated[str, Json(key="class")]
    method: str
    outcome: Annotated[str, "of this run, in words"]
    result: Annotated[str | None, "null of a void method, and where an exception has ended it"]
    exception: Annotated[str | None, "type and message, where one has ended it"]
    before: Annotated[str, "how the recorded call ended, in words"]
    same: Annotated[bool | None, "it has ended as the recorded call has; null where that cannot be told of objects"]
    recorded: Annotated[int, Json("the number under which this run is recorded itself", optional=True)] = 0


class FailedCallsPart(Record):
    """Where calls that failed leave the way of the others: behind ``line``, 0 where not even the first is the same."""

    line: int
    failed_line: Annotated[int | None, "the line that they come to; null: they end"]
    other_line: Annotated[int | None, "the line that the others come to; null: they end"]
    calls: Annotated[int, "that failed and do so"]
    failed: Annotated[int, "the number of one"]
    other: Annotated[int, "the number of one of the others that goes with it furthest"]
    values: Annotated[tuple[DifferingValue, ...], "of these two that differ there: one is of that which failed"]


class FailedCallsDiffer(Record):
    """Something that calls which failed have, and others have not: of how many each."""

    what: str
    failed: int
    returned: int


class WhatDiffers(Record):
    """What recorded calls that failed have, and others have not."""

    method: str
    failed: Annotated[int, "calls"]
    returned: Annotated[int, "calls"]
    differences: tuple[FailedCallsDiffer, ...]
    parting: Annotated[FailedCallsPart | None, "null where they go over the same lines"] = None
    condition: Annotated[str, Json("those have failed for which it holds, not those that threw", optional=True)] = ""

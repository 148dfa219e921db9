"""The totals of the hits of breakpoints that report: plain data."""

from __future__ import annotations

from typing import Annotated

from jdbpy.json_form import HIDDEN, Json
from jdbpy.record import Record


class ValueCount(Record):
    """A value that hits have brought, as Java would write it, and how many of them."""

    text: Annotated[str, Json("as Java would write the literal; the class of an exception", "value")]
    count: int


class MethodTally(Record):
    """One method, and what happened there: hit, entered, exited, read, changed, thrown, or a word for monitors.

    ``rate`` is hits a second. ``values`` are those that came most often; there are ``distinct`` different ones, or
    more than that (``forgot``): of many different ones the rare are forgotten.
    """

    class_name: Annotated[str, Json(key="class")]
    method: str
    signature: str
    parameters: Annotated[tuple[str, ...], HIDDEN]
    happened: Annotated[str, "hit, entered, exited, read, changed, thrown, wanted, got, waiting, waited"]
    count: int
    rate: Annotated[float, "a second"]
    values: Annotated[tuple[ValueCount, ...], "returned, assigned or thrown, the most frequent first"] = ()
    distinct: Annotated[int, "different values that are known"] = 0
    forgot: Annotated[bool, "there were more, of which the rare were forgotten"] = False


class TraceSummary(Record):
    """The hits of one point by method, the most frequent first.

    ``hits`` came in ``seconds``, from the first to the last; ``cost`` is the mean time, in seconds, that the debugger
    took for one, with the thread held where the point holds it. ``slowdown`` is the share (0 to 1) of the target's time
    that it took when the target itself was measured. ``others`` are hits in methods that are not listed.
    """

    number: int
    name: Annotated[str, "trace, logpoint, tracepoint, breakpoint, watchpoint or catchpoint"]
    spec: Annotated[str, Json("as it would be typed", "location")]
    enabled: bool
    hits: int
    seconds: Annotated[float, "from the first hit to the last"]
    rate: Annotated[float, "hits a second"]
    cost: Annotated[float, "seconds that the debugger takes for one; 0 when none was measured"]
    methods: Annotated[tuple[MethodTally, ...], "the most frequent first"]
    others: Annotated[int, "hits in methods that are not listed"] = 0
    slowdown: Annotated[float | None, "share of the target's time at the busiest place; null when not measured"] = None

"""What the hits of a point come to, as plain data."""

from __future__ import annotations

from jdbpy.wire.record import Record


class ValueCount(Record):
    """A value that hits have brought, as Java would write it, and how many of them."""

    text: str
    count: int


class MethodTally(Record):
    """One method, and what happened there: hit, entered, exited, read, changed, thrown, or a word for monitors.

    ``rate`` is hits a second. ``values`` are those that came most often; there are ``distinct`` different ones, or
    more than that (``forgot``): of many different ones the rare are forgotten.
    """

    class_name: str
    method: str
    signature: str
    parameters: tuple[str, ...]
    happened: str
    count: int
    rate: float
    values: tuple[ValueCount, ...] = ()
    distinct: int = 0
    forgot: bool = False


class TraceSummary(Record):
    """The hits of one point by method, the most frequent first.

    ``hits`` came in ``seconds``, from the first to the last; ``cost`` is the mean time, in seconds, that the debugger
    took for one, with the thread held where the point holds it. ``others`` are hits in methods that are not listed.
    """

    number: int
    name: str  # logpoint, tracepoint, trace, watchpoint, ...
    spec: str
    enabled: bool
    hits: int
    seconds: float
    rate: float
    cost: float
    methods: tuple[MethodTally, ...]
    others: int = 0

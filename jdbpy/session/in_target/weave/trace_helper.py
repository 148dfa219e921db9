"""A helper that keeps entries and exits of methods: one ring for all the methods of a class, one check for each place.

The columns are those of a logpoint's ring (``ring``), with ``sites`` in the place of ``numbers``: the number of the
place, by which the rest is understood. Numbers and truth values are in ``n0``, ``n1``..., objects in ``o0``, ``o1``...,
each in its order. ``COUNTS``, an AtomicLongArray, has for each place how often it was passed, whether there was room or
not; so what was not kept is not counted anew. Threads would wait for each other at one counter, so each place has
several, in ``STRIPES`` parts of the array, no two parts in one line of the processor's cache.

A check only counts, and looks whether there is room; what keeps an entry is a method of its own. Most of the time
nothing is wanted: the compiler then has little to put into the methods of the program.
"""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.record import Record
from jdbpy.session.in_target.weave.condition_helper import HelperWriter, named
from jdbpy.session.in_target.weave.log_helper import LogHelper
from jdbpy.session.in_target.weave.records import OBJECT, CheckCall, Filters
from jdbpy.session.in_target.weave.ring import RingColumn, RingWriter, value_columns
from jdbpy.session.java.edit.assembler import FINAL, NUMBERS, PUBLIC, Assembler, Label
from jdbpy.session.java.edit.code_variable import CheckParameter

STRIPES = 8
"""A power of two. A thread's number among them comes from its identity."""


class TraceHelper(LogHelper):
    """``calls`` are the checks of the places, in their order. ``emptied`` are the columns whose entries the debugger
    sets to null when it has read them: those that take memory.
    """

    calls: tuple[CheckCall, ...] = ()
    emptied: tuple[str, ...] = ()

    @property
    def stripe(self) -> int:
        """Return the length of a part of ``COUNTS``."""
        return stripe_of(len(self.calls))

    def passes(self, counts: Sequence[int]) -> tuple[int, ...]:
        """Return how often each place was passed, by what ``COUNTS`` has."""
        return tuple(sum(counts[place :: self.stripe]) for place in range(len(self.calls)))


def stripe_of(places: int) -> int:
    """Return the length of a part of ``COUNTS`` for so many places."""
    return (places + 7) // 8 * 8 + 8  # 64 bytes more than are used: arrays do not begin where lines do


class TraceSpot(Record):
    """A place in a method: ``kept`` are the variables whose values are kept there; ``TOP`` is what is returned."""

    kept: tuple[CheckParameter, ...] = ()


def is_number(parameter: CheckParameter) -> bool:
    """True if the value is kept as a long."""
    return parameter.signature[0] not in "L["


def trace_class(
    name: str, host: str, spots: Sequence[TraceSpot], filters: Filters = Filters(), *, size: int
) -> TraceHelper:
    """Return a helper in the package of ``host`` (both internal names), for one thread if ``filters`` say so.

    Raises CodeTooLong, PoolFull.
    """
    numbers = max((sum(map(is_number, each.kept)) for each in spots), default=0)
    objects = max((len(each.kept) - sum(map(is_number, each.kept)) for each in spots), default=0)
    writer = HelperWriter(name, host, [], filters)
    ring = RingWriter(writer, size, [RingColumn("sites", "J"), *value_columns(numbers, objects)], counts_dropped=False)
    writer.cls.field(PUBLIC | FINAL, "COUNTS", f"L{NUMBERS};")
    calls = [_check(writer, ring, number, each, len(spots)) for number, each in enumerate(spots)]

    def initialize(code: Assembler) -> None:
        ring.initialize(code)
        code.put_numbers(name, "COUNTS", STRIPES * stripe_of(len(spots)))

    return TraceHelper(
        name=name,
        data=writer.data(initialize),
        call=calls[0],
        references=writer.references,
        stops=(),
        size=size,
        columns=ring.columns,
        calls=tuple(calls),
    )


def count_pass(code: Assembler, owner: str, number: int, places: int) -> None:
    """Count that a thread passes one of so many places, in its own part of ``COUNTS``."""
    code.get_static(owner, "COUNTS", f"L{NUMBERS};")
    code.call_static("java/lang/Thread", "currentThread", "()Ljava/lang/Thread;")
    code.call_static("java/lang/System", "identityHashCode", f"({OBJECT})I")
    code.push_int(STRIPES - 1)
    code.op("iand")
    code.push_int(stripe_of(places))
    code.op("imul")
    code.push_int(number)
    code.op("iadd")
    code.call(NUMBERS, "incrementAndGet", "(I)J")
    code.op("pop2")


def _check(writer: HelperWriter, ring: RingWriter, number: int, spot: TraceSpot, places: int) -> CheckCall:
    call = CheckCall(writer.name, f"check{number}", tuple(sorted(spot.kept, key=lambda each: each.slot)))
    keep = f"keep{number}"

    def check(code: Assembler) -> None:
        start, out = Label(), Label()
        writer.filter(code, out)
        code.place(start)
        count_pass(code, writer.name, number, places)
        ring.drop_if_full(code, out)
        for each in call.parameters:
            code.load(each.passed_as, code.arguments[each.slot])
        code.call_static(writer.name, keep, call.signature)
        code.end_quietly(start, out)

    def write(code: Assembler) -> None:
        out = Label()
        values: dict[str, tuple[str, int]] = {}
        for each in spot.kept:
            kind = "n" if is_number(each) else "o"
            at = sum(field.startswith(kind) for field in values)
            values[f"{kind}{at}"] = each.passed_as, code.arguments[each.slot]
        ring.keep(code, values, out, {"sites": number})
        code.place(out)
        code.return_()

    writer.cls.method(keep, call.signature, write, call.parameters)
    writer.cls.method(call.name, call.signature, check, call.parameters, named(call.parameters))
    return call

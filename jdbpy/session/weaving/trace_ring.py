"""A helper that keeps entries and exits of methods: one ring for all the methods of a class, one check for each place.

The columns are those of a logpoint's ring (``ring``), with ``sites`` in the place of ``numbers``: the number of the
place, by which the rest is understood. Numbers and truth values are in ``n0``, ``n1``..., objects in ``o0``, ``o1``...,
each in its order. ``COUNTS``, an AtomicLongArray, has for each place how often it was passed, whether there was room or
not.
"""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.record import Record
from jdbpy.session.weaving.assembler import FINAL, PUBLIC, Assembler, Label
from jdbpy.session.weaving.helper import OBJECT, HelperWriter, named
from jdbpy.session.weaving.parts import CheckCall, CheckParameter, Filters
from jdbpy.session.weaving.ring import STAMPS, LogHelper, RingColumn, RingWriter


class TraceHelper(LogHelper):
    """``calls`` are the checks of the places, in their order."""

    calls: tuple[CheckCall, ...] = ()


class TraceSpot(Record):
    """A place in a method: ``kept`` are the variables whose values are kept there; ``TOP`` is what is returned."""

    kept: tuple[CheckParameter, ...] = ()


def is_number(parameter: CheckParameter) -> bool:
    """True if the value is kept as a long."""
    return parameter.signature[0] not in "L["


def trace_class(name: str, host: str, spots: Sequence[TraceSpot], *, size: int) -> TraceHelper:
    """Return a helper in the package of ``host`` (both internal names). Raises CodeTooLong, PoolFull."""
    numbers = max((sum(map(is_number, each.kept)) for each in spots), default=0)
    objects = max((len(each.kept) - sum(map(is_number, each.kept)) for each in spots), default=0)
    columns = [RingColumn(f"n{at}", "J") for at in range(numbers)]
    columns += [RingColumn(f"o{at}", OBJECT) for at in range(objects)]
    writer = HelperWriter(name, host, [], Filters())
    ring = RingWriter(writer, size, [RingColumn("sites", "J"), *columns])
    writer.cls.field(PUBLIC | FINAL, "COUNTS", f"L{STAMPS};")
    calls = [_check(writer, ring, number, each) for number, each in enumerate(spots)]

    def initialize(code: Assembler) -> None:
        ring.initialize(code)
        code.new(STAMPS)
        code.op("dup")
        code.push_int(len(spots))
        code.call_constructor(STAMPS, "(I)V")
        code.put_static(name, "COUNTS", f"L{STAMPS};")

    return TraceHelper(
        name=name,
        data=writer.data(initialize),
        call=calls[0],
        stops=(),
        size=size,
        columns=ring.columns,
        calls=tuple(calls),
    )


def _check(writer: HelperWriter, ring: RingWriter, number: int, spot: TraceSpot) -> CheckCall:
    call = CheckCall(writer.name, f"check{number}", tuple(sorted(spot.kept, key=lambda each: each.slot)))

    def write(code: Assembler) -> None:
        start, out, dropped = Label(), Label(), Label()
        code.place(start)
        code.get_static(writer.name, "COUNTS", f"L{STAMPS};")
        code.push_int(number)
        code.call(STAMPS, "incrementAndGet", "(I)J")
        code.op("pop2")
        ring.drop_if_full(code, out)
        values: dict[str, tuple[str, int]] = {}
        for each in spot.kept:
            kind = "n" if is_number(each) else "o"
            at = sum(field.startswith(kind) for field in values)
            values[f"{kind}{at}"] = each.passed_as, code.arguments[each.slot]
        ring.keep(code, values, out, {"sites": number})
        code.place(out)
        code.return_()
        code.handle(start, out, dropped)
        code.place(dropped)
        code.op("pop")
        code.return_()

    writer.cls.method(call.name, call.signature, write, call.parameters, named(call.parameters))
    return call

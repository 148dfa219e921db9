"""A helper that keeps the calls of a class's methods at their ends: one ring for all, with arguments, result and time.

The columns are those of a logpoint's ring (``ring``), with ``sites``: twice the number of the method, 1 more where an
exception has ended the call; ``costs``: nanoseconds; ``n0``... and ``o0``...: what is returned, then the receiver and
the arguments, as in ``trace_ring``; ``thrown``: the exception. ``COUNTS`` has for each method how many calls have
returned, how many an exception has ended, and how many of both were wanted: whose time is within the limits. ``on``, an
int that the debugger sets, is 0 if nothing is to be kept any more.

A condition and expressions to be shown are computed where a call ends, under one guard for what runs methods of the
program. Their values are in ``nshown0``... and ``oshown0``...; of what they throw ``broken`` and ``missing`` tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jdbpy.record import Record
from jdbpy.session.in_target.weave.call_ends import THROWN, require_cost, write_call_end
from jdbpy.session.in_target.weave.condition_helper import HelperWriter
from jdbpy.session.in_target.weave.records import OBJECT, OWN, THROWABLE, TOP, CheckCall, Emitted, Filters
from jdbpy.session.in_target.weave.ring import RingColumn, RingWriter, value_columns
from jdbpy.session.in_target.weave.trace_helper import STRIPES, TraceHelper, count_pass, is_number, stripe_of
from jdbpy.session.java.edit.assembler import FINAL, NUMBERS, PUBLIC, VOLATILE, Assembler, Label
from jdbpy.session.java.edit.code_variable import CheckParameter

RETURNED, THREW, WANTED, PER_METHOD = range(4)
TOOK = CheckParameter(OWN, "J")
"""The time of a call in nanoseconds, where a condition is computed."""

_BROKEN, _MISSING = CheckParameter(-4, OBJECT), CheckParameter(-5, "J")
_SHOWN = -10


class End(Record):
    """The expressions about calls that end in one way: a ``condition`` and those that are ``shown``; None for one that
    has no value at such an end. ``never``: no such end is wanted.
    """

    condition: Emitted | None = None
    shown: tuple[Emitted | None, ...] = ()
    never: bool = False

    @property
    def emitted(self) -> list[Emitted]:
        """Return all that is computed."""
        return [each for each in (self.condition, *self.shown) if each is not None]


class ObservedEnds(Record):
    """The values that are ``kept`` of each call of a method: what is returned (``TOP``), and variables; and what is
    computed where it returns, and where an exception ends it.
    """

    kept: tuple[CheckParameter, ...]
    returned: End = End()
    threw: End = End()


def call_class(
    name: str, host: str, methods: Sequence[ObservedEnds], costs: tuple[int, int], *, size: int
) -> TraceHelper:
    """Return a helper in the package of ``host`` (both internal names). ``costs`` are the shortest and the longest time
    that is wanted. Raises CodeTooLong, PoolFull.
    """
    kept = [each.kept for each in methods]
    numbers = max((sum(map(is_number, each)) for each in kept), default=0)
    objects = max((len(each) - sum(map(is_number, each)) for each in kept), default=0)
    columns = value_columns(numbers, objects)
    ends = [end for each in methods for end in (each.returned, each.threw)]
    emitted = [one for end in ends for one in end.emitted]
    if emitted:
        columns += [RingColumn(BROKEN, OBJECT), RingColumn(MISSING, "J")]
        shown = {shown_in(at, one) for end in ends for at, one in enumerate(end.shown) if one is not None}
        columns += [RingColumn(each, "J" if each.startswith("n") else OBJECT) for each in sorted(shown)]
    writer = HelperWriter(name, host, emitted, Filters())
    more = [RingColumn("sites", "J"), RingColumn("costs", "J"), *columns, RingColumn("thrown", OBJECT)]
    ring = RingWriter(writer, size, more, counts_dropped=False)
    writer.cls.field(PUBLIC | FINAL, "COUNTS", f"L{NUMBERS};")
    writer.cls.field(PUBLIC | VOLATILE, "on", "I")
    places = PER_METHOD * len(methods)
    for number, each in enumerate(methods):
        _method(writer, ring, number, each, costs, places)

    def initialize(code: Assembler) -> None:
        ring.initialize(code)
        code.put_numbers(name, "COUNTS", STRIPES * stripe_of(places))
        code.push_int(1)
        code.put_static(name, "on", "I")

    return TraceHelper(
        name=name,
        data=writer.data(initialize),
        call=writer.call,
        runs_methods=writer.runs_methods,
        handles=writer.handles,
        stops=(),
        size=size,
        columns=ring.columns,
        calls=(CheckCall(name, "left0", ()),) * places,
    )


BROKEN, MISSING = "broken", "missing"
"""Columns: the first thing that an expression threw, or null; and which of them threw, a bit each, the condition's
first.
"""


def shown_in(at: int, emitted: Emitted) -> str:
    """Return the column of an expression that is shown."""
    return f"{'o' if emitted.signature == OBJECT else 'n'}shown{at}"


def columns_of(kept: Sequence[CheckParameter]) -> list[tuple[CheckParameter, str]]:
    """Return the column of each value of one method, in the order of their slots."""
    counts = {"n": 0, "o": 0}
    found = []
    for each in sorted(kept, key=lambda one: one.slot):
        kind = "n" if is_number(each) else "o"
        found.append((each, f"{kind}{counts[kind]}"))
        counts[kind] += 1
    return found


def _method(
    writer: HelperWriter,
    ring: RingWriter,
    number: int,
    observed: ObservedEnds,
    costs: tuple[int, int],
    places: int,
) -> None:
    kept = sorted(observed.kept, key=lambda one: one.slot)

    def begin(code: Assembler) -> None:
        code.call_static("java/lang/System", "nanoTime", "()J")
        code.return_("J")

    writer.cls.method(f"begin{number}", "()J", begin)
    arguments = [each for each in kept if each.slot != TOP]
    _End(writer, ring, number, observed.returned, [*kept, TOOK], columns_of(kept), failed=False).write(costs, places)
    passed = [THROWN, *arguments, TOOK]
    _End(writer, ring, number, observed.threw, passed, columns_of(kept), failed=True).write(costs, places)


class _End:
    """Writes the methods for one way in which the calls of one method end."""

    def __init__(
        self,
        writer: HelperWriter,
        ring: RingWriter,
        number: int,
        end: End,
        passed: Sequence[CheckParameter],
        columns: Sequence[tuple[CheckParameter, str]],
        *,
        failed: bool,
    ) -> None:
        self._writer = writer
        self._ring = ring
        self._number = number
        self._end = end
        self._passed = passed
        self._columns = dict(columns)
        self._failed = failed
        self._keep = f"keep{number}{'t' if failed else 'r'}"
        self._computed: list[tuple[CheckParameter, str]] = []
        if end.emitted:
            self._computed = [(_BROKEN, BROKEN), (_MISSING, MISSING)]
            self._computed += [
                (CheckParameter(_SHOWN - at, each.signature), shown_in(at, each))
                for at, each in enumerate(end.shown)
                if each is not None
            ]

    def write(self, costs: tuple[int, int], places: int) -> None:
        """Write what the method of the program calls, and what keeps an entry."""
        name, failed = f"{'threw' if self._failed else 'left'}{self._number}", self._failed
        signature = self._signature(self._passed)
        more = [each for each, _ in self._computed]
        keeps = f"({signature}{''.join(each.passed_as for each in more)})V"
        if not self._end.never:
            self._writer.cls.method(self._keep, keeps, self._write_keep, [*self._passed, *more])

        def end(code: Assembler) -> None:
            def body(quiet: Label) -> None:
                count_pass(code, self._writer.name, PER_METHOD * self._number + (THREW if failed else RETURNED), places)
                if not self._end.never:
                    took = code.arguments[OWN]
                    require_cost(code, lambda: code.load("J", took), took, costs, quiet)
                    self._take(code, places, quiet, self._begin_computing(code), keeps)

            write_call_end(code, self._writer, body)

        self._writer.cls.method(name, f"({signature})V", end, self._passed)

    def _signature(self, parameters: Sequence[CheckParameter]) -> str:
        return "".join(THROWABLE if each is THROWN else each.passed_as for each in parameters)

    def _begin_computing(self, code: Assembler) -> dict[int, int]:
        """Give what is computed a variable each, with nothing in it; by slots."""
        found = {}
        for each, _ in self._computed:
            found[each.slot] = local = code.new_local(each.passed_as)
            _push_nothing(code, each.passed_as)
            code.store(each.passed_as, local)
        return found

    def _take(self, code: Assembler, places: int, out: Label, computed: Mapping[int, int], keeps: str) -> None:
        """Keep the call if the condition holds and there is room."""
        if self._end.condition is not None:
            holds = code.new_local("I")
            code.push_int(1)  # a condition that fails counts as true
            code.store("I", holds)
            self._compute(code, self._end.condition, 0, holds, computed)
            code.load("I", holds)
            code.jump("ifeq", out)
        count_pass(code, self._writer.name, PER_METHOD * self._number + WANTED, places)
        self._ring.drop_if_full(code, out)
        for at, each in enumerate(self._end.shown):
            if each is not None:
                self._compute(code, each, at + 1, computed[_SHOWN - at], computed)
        for parameter in self._passed:
            code.load(parameter.passed_as, code.arguments[parameter.slot])
            if parameter is THROWN:
                code.check_cast(THROWABLE)
        for parameter, _ in self._computed:
            code.load(parameter.passed_as, computed[parameter.slot])
        code.call_static(self._writer.name, self._keep, keeps)

    @staticmethod
    def _compute(code: Assembler, emitted: Emitted, bit: int, local: int, computed: Mapping[int, int]) -> None:
        """Compute an expression into a variable; take note of what it throws."""
        start, end, threw, known, done = Label(), Label(), Label(), Label(), Label()
        broken, missing = computed[_BROKEN.slot], computed[_MISSING.slot]
        code.place(start)
        emitted.write(code)
        code.store(emitted.signature, local)
        code.place(end)
        code.jump("goto", done)
        code.handle(start, end, threw)
        code.place(threw)
        thrown = code.new_local(OBJECT)
        code.store(OBJECT, thrown)
        code.load(OBJECT, broken)
        code.jump("ifnonnull", known)
        code.load(OBJECT, thrown)
        code.store(OBJECT, broken)
        code.place(known)
        code.load("J", missing)
        code.push_long(1 << bit)
        code.op("lor")
        code.store("J", missing)
        code.place(done)

    def _write_keep(self, code: Assembler) -> None:
        out = Label()
        values = {
            self._columns[each]: (each.passed_as, code.arguments[each.slot])
            for each in self._passed
            if each in self._columns
        }
        values["costs"] = "J", code.arguments[OWN]
        if self._failed:
            values["thrown"] = OBJECT, code.arguments[THROWN.slot]
        for parameter, column in self._computed:
            values[column] = parameter.passed_as, code.arguments[parameter.slot]
        self._ring.keep(code, values, out, {"sites": 2 * self._number + self._failed})
        code.place(out)
        code.return_()


def _push_nothing(code: Assembler, signature: str) -> None:
    """Push null, 0 or false."""
    match signature[0]:
        case "L" | "[":
            code.op("aconst_null")
        case "J":
            code.push_long(0)
        case "F":
            code.push_float(0.0)
        case "D":
            code.push_double(0.0)
        case _:
            code.push_int(0)

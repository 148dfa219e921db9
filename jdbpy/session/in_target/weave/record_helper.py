"""A helper that records the calls of a class's methods: what happens in each, then all of it into a ring at its end.

A record is an ``Object[]`` that the method has in a variable of its own, so threads share nothing while they record:

* 0: a ``long[]``: how many events there were, ``nanoTime`` at the entry; then two for each event: the number of its
  point, and its value (see ``ring.number``). That of an object is where its text begins, by 2^32, and its length; -1
  is null.
* 1: an ``Object[]`` with the objects of events, while the call is under way
* 2, 3: of events that were overwritten: for each point how many, the value of the last, and 1 more than its number, and
  behind all the last line point; and the object of the last
* 4: where a line has several points: for each point what ``MethodPoints.line_groups`` says, a ``char[]``

* 5: an ``int[]`` with the characters of all texts so far (see ``record_texts.fixed``), once there is one
* 6: an ``Object[]`` with the objects that were given to the call, each behind a ``WeakReference`` unless they are to be
  held; null where none was. Strings, boxes and null are not among them

The first half of the room keeps the first events of a call, the second half the last ones: what is between is
overwritten, and counted by points; points by which a line goes on are not counted, as ``RecordedCall.steps`` has it.
Arrays begin small and grow. Where an event cannot be kept, as the stack or the memory is at its end, the whole record
is given up: part 0 is null then.

At the end of a call the objects become a text (``recorded.kept_values`` reads it), so that a record keeps no object of
the program alive, but for those that are to be held. What can change before the end, the contents of arrays and
collections and, as deep as it is asked for, of other objects, is put down where the event is.

The columns of the ring: ``sites`` and ``costs`` as of ``call_helper``; ``lengths``: of the ``long[]``; ``upto``: what
all records before have taken; ``data``, ``text``, ``before`` (what was overwritten, or null), ``thrown``, ``given``
(part 6, or null). The debugger sets these five to null when it has read them. What it has not read yet takes
``MOST_BYTES``: a record beyond is dropped. ``BYTES`` is what all records have taken. ``COUNTS`` has for each method the
calls that have ended, those of them that an exception has ended, and those that were not wanted. Of the others those
are missed that are not in the ring, because it was full at their begin or end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jdbpy.record import Record
from jdbpy.session.in_target.weave.call_ends import THROWN, require_cost, write_call_end
from jdbpy.session.in_target.weave.condition_helper import HelperWriter
from jdbpy.session.in_target.weave.record_code import HEAD, RECORD, REPORTS
from jdbpy.session.in_target.weave.record_events import (
    BEFORE,
    DATA,
    GIVEN_OBJECTS,
    LINES,
    LONGS,
    PARTS,
    REFS,
    get_part,
    set_part,
    write_given,
    write_put,
    write_reports,
)
from jdbpy.session.in_target.weave.record_texts import write_texts
from jdbpy.session.in_target.weave.records import (
    COUNTER,
    OBJECT,
    OWN,
    STRING,
    THROWABLE,
    TOP,
    CheckCall,
    Emitted,
    Filters,
)
from jdbpy.session.in_target.weave.ring import RingColumn, RingWriter
from jdbpy.session.in_target.weave.trace_helper import STRIPES, TraceHelper, count_pass, stripe_of
from jdbpy.session.java.edit.assembler import FINAL, NUMBERS, PUBLIC, VOLATILE, Assembler, Label
from jdbpy.session.java.edit.code_variable import CheckParameter
from jdbpy.session.java.edit.slots import kind_of
from jdbpy.session.recorded.points import (
    RETURNED as RETURNED_POINT,
    THREW as THREW_POINT,
)

ENDED, FAILED, REFUSED, PER_METHOD = range(4)

MOST_BYTES = 32_000_000
"""Bytes of records that the target keeps until they are read, about."""

_SMALL = 32
_BYTES = "BYTES"
TOOK = CheckParameter(-6, "J")
"""The time of a call in nanoseconds, where a condition is computed."""

RECORD_OWN = CheckParameter(OWN, RECORD)


class RecordedEnds(Record):
    """How the calls of a method end: ``returns`` is the type of the result; conditions for both ends, None for none.
    ``kept`` are the variables that the conditions read. ``never``: the ways in which no wanted call ends. ``lines`` is
    as of ``MethodPoints.line_groups``.
    """

    returns: str
    kept: tuple[CheckParameter, ...] = ()
    conditions: tuple[Emitted | None, Emitted | None] = (None, None)
    never: tuple[bool, bool] = (False, False)
    lines: str = ""


def record_class(
    name: str,
    host: str,
    methods: Sequence[RecordedEnds],
    costs: tuple[int, int],
    points: int,
    *,
    size: int,
    depth: int,
    given: int = 0,
    hold: bool = False,
) -> TraceHelper:
    """Return a helper in the package of ``host`` (both internal names). ``points`` and ``given`` are the most points
    and arguments that a method has; ``costs`` are the shortest and the longest time that is wanted. With ``hold`` the
    objects that are given to a call are kept alive until it is read. Raises CodeTooLong, PoolFull.
    """
    emitted = [one for each in methods for one in each.conditions if one is not None]
    writer = HelperWriter(name, host, emitted, Filters())
    columns = [RingColumn(each, "J") for each in ("sites", "costs", "lengths", "upto")]
    columns += [RingColumn(each, OBJECT) for each in ("data", "text", "before", "thrown", "given")]
    ring = RingWriter(writer, size, columns, counts_dropped=False)
    writer.cls.field(PUBLIC | FINAL, "COUNTS", f"L{NUMBERS};")
    writer.cls.field(PUBLIC | VOLATILE, "on", "I")
    writer.counter(_BYTES)
    places = PER_METHOD * len(methods)
    _write_begin(writer, size)
    write_put(writer, points)
    write_reports(writer)
    write_given(writer, given, hold=hold)
    write_texts(writer.cls, depth)
    writer.cls.method("keep", _KEEP, lambda code: _write_keep(code, ring, writer.name))
    for number, each in enumerate(methods):
        if each.lines:
            writer.cls.field(FINAL, f"{_GROUPS}{number}", "[C")
        writer.cls.method(
            f"begin{number}", f"(){RECORD}", _beginning(writer.name, f"{_GROUPS}{number}" * bool(each.lines))
        )
        for failed in (False, True):
            _write_end(writer, number, each, costs, places, failed=failed)

    def initialize(code: Assembler) -> None:
        ring.initialize(code)
        code.put_numbers(name, "COUNTS", STRIPES * stripe_of(places))
        for number, each in enumerate(methods):
            if each.lines:
                code.push_string(each.lines)
                code.call("java/lang/String", "toCharArray", "()[C")
                code.put_static(name, f"{_GROUPS}{number}", "[C")
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
        emptied=("data", "text", "before", "thrown", "given"),
    )


# -- the beginning of a call -------------------------------------------------------------------------------------------


def _beginning(owner: str, lines: str) -> Callable[[Assembler], None]:
    """Return what writes the beginning of a method; ``lines`` is the field with its lines, "" for none."""

    def write(code: Assembler) -> None:
        if lines:
            code.get_static(owner, lines, "[C")
        else:
            code.op("aconst_null")
        code.call_static(owner, "begin", _BEGIN)
        code.return_(RECORD)

    return write


def _write_begin(writer: HelperWriter, size: int) -> None:
    """Write ``begin``: a new record, or null where none is wanted or the ring is full."""

    def write(code: Assembler) -> None:
        start, none, dropped = Label(), Label(), Label()
        lines, record, data = 0, code.new_local(RECORD), code.new_local(LONGS)
        code.place(start)
        code.get_static(writer.name, "on", "I")
        code.jump("ifeq", none)
        code.get_static(writer.name, "HEAD", f"L{COUNTER};")
        code.call(COUNTER, "get", "()J")
        code.get_static(writer.name, "read", "J")
        code.op("lsub")
        code.push_long(size)
        code.op("lcmp")
        code.jump("ifge", none)
        code.push_int(PARTS)
        code.new_array(OBJECT)
        code.store(RECORD, record)
        code.push_int(HEAD + 2 * _SMALL)
        code.new_array("J")
        code.store(LONGS, data)
        set_part(code, record, DATA, lambda: code.load(LONGS, data))
        set_part(code, record, LINES, lambda: code.load("[C", lines))
        code.load(RECORD, record)
        code.push_int(REFS)
        code.push_int(_SMALL)
        code.new_array(OBJECT)
        code.array_store(OBJECT)
        code.load(LONGS, data)
        code.push_int(1)
        code.call_static("java/lang/System", "nanoTime", "()J")
        code.array_store("J")
        code.load(RECORD, record)
        code.return_(RECORD)
        code.place(none)
        code.op("aconst_null")
        code.return_(RECORD)
        code.handle(start, none, dropped)
        code.place(dropped)
        code.op("pop")
        code.op("aconst_null")
        code.return_(RECORD)

    writer.cls.method("begin", _BEGIN, write)


# -- the end of a call -------------------------------------------------------------------------------------------------


def _write_keep(code: Assembler, ring: RingWriter, owner: str) -> None:
    """Write ``keep(site, cost, record, thrown)``, which puts a whole record into the ring, if there is room."""
    site, cost, record, thrown = 0, 2, 4, 5
    data, before, text = code.new_local(LONGS), code.new_local(LONGS), code.new_local(STRING)
    given = code.new_local(OBJECT)
    length, size, upto, out, short = code.new_local("J"), code.new_local("J"), code.new_local("J"), Label(), Label()
    ring.drop_if_full(code, out)
    code.load(RECORD, record)
    code.call_static(owner, "told", f"({RECORD}){STRING}")
    code.store(STRING, text)
    get_part(code, record, DATA, LONGS)
    code.store(LONGS, data)
    get_part(code, record, BEFORE, LONGS)
    code.store(LONGS, before)
    code.load(RECORD, record)
    code.push_int(GIVEN_OBJECTS)
    code.array_load(OBJECT)
    code.store(OBJECT, given)
    code.load(LONGS, data)
    code.op("arraylength")
    code.op("i2l")
    code.store("J", length)
    code.load("J", length)
    code.push_int(3)
    code.op("lshl")
    code.load(STRING, text)
    code.call("java/lang/String", "length", "()I")
    code.push_int(1)
    code.op("ishl")
    code.op("i2l")
    code.op("ladd")
    code.store("J", size)
    code.load(LONGS, before)
    code.jump("ifnull", short)
    code.load("J", size)
    code.load(LONGS, before)
    code.op("arraylength")
    code.push_int(3)
    code.op("ishl")
    code.op("i2l")
    code.op("ladd")
    code.store("J", size)
    code.place(short)
    _drop_if_large(code, ring, owner, size, upto, out)
    values = {
        "sites": ("J", site),
        "costs": ("J", cost),
        "lengths": ("J", length),
        "upto": ("J", upto),
        "data": (OBJECT, data),
        "text": (OBJECT, text),
        "before": (OBJECT, before),
        "thrown": (OBJECT, thrown),
        "given": (OBJECT, given),
    }
    ring.keep(code, values, out)
    code.place(out)
    code.return_()


_BEGIN = f"([C){RECORD}"
_GROUPS = "LINES"
_KEEP = f"(JJ{RECORD}{OBJECT})V"


def _drop_if_large(code: Assembler, ring: RingWriter, owner: str, size: int, upto: int, out: Label) -> None:
    """Jump to ``out`` where the records that are not read yet would take too much; count this one else. ``upto`` gets
    what those before have taken.
    """
    first, fits = code.new_local("J"), Label()
    code.get_static(owner, "read", "J")
    code.store("J", first)
    code.load("J", first)
    code.get_static(owner, "HEAD", f"L{COUNTER};")
    code.call(COUNTER, "get", "()J")
    code.op("lcmp")
    code.jump("ifge", fits)  # all are read
    code.get_static(owner, _BYTES, f"L{COUNTER};")
    code.call(COUNTER, "get", "()J")
    code.get_static(owner, "upto", LONGS)
    code.load("J", first)
    code.op("l2i")
    code.push_int(ring.size - 1)
    code.op("iand")
    code.array_load("J")
    code.op("lsub")
    code.load("J", size)
    code.op("ladd")
    code.push_long(MOST_BYTES)
    code.op("lcmp")
    code.jump("ifgt", out)
    code.place(fits)
    code.get_static(owner, _BYTES, f"L{COUNTER};")
    code.load("J", size)
    code.call(COUNTER, "getAndAdd", "(J)J")
    code.store("J", upto)


def _write_end(
    writer: HelperWriter, number: int, ends: RecordedEnds, costs: tuple[int, int], places: int, *, failed: bool
) -> None:
    """Write what is called where a method returns, or where an exception leaves it."""
    own = RECORD_OWN
    first = [THROWN] if failed else [] if ends.returns == "V" else [CheckParameter(TOP, ends.returns)]
    kept = [each for each in ends.kept if each.slot >= 0]
    # as ``Surrounding`` passes them: by slots, the method's own variable last
    passed = [*first, *sorted(kept, key=lambda each: each.slot), own]
    types = "".join(THROWABLE if each is THROWN else RECORD if each is own else each.passed_as for each in passed)
    condition = ends.conditions[failed]

    def write(code: Assembler) -> None:
        record, cost = code.arguments[OWN], code.new_local("J")
        code.arguments[TOOK.slot] = cost

        def push_begin() -> None:
            get_part(code, record, DATA, LONGS)
            code.push_int(1)
            code.array_load("J")

        def body(quiet: Label) -> None:
            refused = Label()
            count_pass(code, writer.name, PER_METHOD * number + ENDED, places)
            if failed:
                count_pass(code, writer.name, PER_METHOD * number + FAILED, places)
            code.load(RECORD, record)
            code.jump("ifnull", quiet)
            if not ends.never[failed]:
                require_cost(code, push_begin, cost, costs, refused)
                if condition is not None:
                    _require(code, condition, refused)
                _put_end(code, writer.name, first[0] if first else None, record, failed=failed)
                code.push_long(2 * number + failed)
                code.load("J", cost)
                code.load(RECORD, record)
                if failed:
                    code.load(OBJECT, code.arguments[THROWN.slot])
                else:
                    code.op("aconst_null")
                code.call_static(writer.name, "keep", _KEEP)
                code.jump("goto", quiet)
            code.place(refused)
            count_pass(code, writer.name, PER_METHOD * number + REFUSED, places)

        write_call_end(code, writer, body)

    parameters = [each if each is not own else CheckParameter(OWN, RECORD) for each in passed]
    writer.cls.method(f"{'threw' if failed else 'left'}{number}", f"({types})V", write, parameters)


def _require(code: Assembler, condition: Emitted, out: Label) -> None:
    """Jump to ``out`` where the condition is false; one that fails counts as true."""
    start, end, threw, done = Label(), Label(), Label(), Label()
    code.place(start)
    condition.write(code)
    code.jump("ifeq", out)
    code.place(end)
    code.jump("goto", done)
    code.handle(start, end, threw)
    code.place(threw)
    code.op("pop")
    code.place(done)


def _put_end(code: Assembler, owner: str, value: CheckParameter | None, record: int, *, failed: bool) -> None:
    """Add the event of how the call ends, with what is returned or thrown."""
    kind = "" if value is None else kind_of(value.signature)
    if value is not None:
        code.load(value.passed_as, code.arguments[value.slot])
    code.load(RECORD, record)
    code.push_int(THREW_POINT if failed else RETURNED_POINT)
    name = REPORTS[kind] if kind else "line"
    code.call_static(owner, name, f"({OBJECT if kind == 'L' else kind}{RECORD}I)V")

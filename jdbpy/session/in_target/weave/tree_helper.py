"""A helper that times the calls made inside of a class's methods: each in a record of the call itself, added up at its
end.

The record is a ``long[]`` that the method keeps in its own variable: ``BEGAN`` (nanoTime), ``SITE`` (the number of the
call that is under way, from 1 on; 0 of none), ``SINCE``, and from ``OWN_PLACES`` on ``PER_PLACE`` numbers for each call
in its code. It is null for a call inside of another one of the same helper in its thread: that belongs to the outer
one.

The sums are in ``TIMES``, an AtomicLongArray whose field ``array`` is what to read: ``ENDED`` calls, ``FAILED`` of
them, how many were ``FOLDED``, and ``DONE``, which changes last. From ``FIRST`` on are, for each method, ``PER_PLACE``
numbers of the method itself and of each call in its code: ``COUNT``, ``FAILURES``, ``TOTAL``, ``LONGEST``, and
``SHORTEST`` (``MOST`` minus it), in nanoseconds. The debugger sets ``limit``, a long: so many calls are folded; and
``on``, an int that is 0 if nothing is to be timed any more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from jdbpy.session.in_target.weave.condition_helper import HelperWriter
from jdbpy.session.in_target.weave.count_helper import MOST, raise_to
from jdbpy.session.in_target.weave.records import OBJECT, THREAD_LOCAL, THROWABLE, Filters, HelperClass
from jdbpy.session.java.edit.assembler import FINAL, NUMBERS, PUBLIC, VOLATILE, Assembler, Label

ENDED, FAILED, FOLDED, DONE, FIRST = range(5)
COUNT, FAILURES, TOTAL, LONGEST, SHORTEST, PER_PLACE = range(6)
ALL = (1 << 63) - 1
"""The limit where all calls are folded."""

_BEGAN, _SITE, _SINCE, _OWN_PLACES = range(4)


def start_of(method: int, calls: Sequence[int]) -> int:
    """Return the index of the numbers of a method; ``calls`` are the numbers of calls in their code."""
    return FIRST + PER_PLACE * (method + sum(calls[:method]))


def tree_class(name: str, host: str, calls: Sequence[int], costs: tuple[int, int]) -> HelperClass:
    """Return a helper in the package of ``host`` (both internal names) for methods with so many ``calls`` in their
    code. Calls are folded whose time is within ``costs`` (nanoseconds). Raises CodeTooLong.
    """
    writer = HelperWriter(name, host, [], Filters())
    writer.cls.field(PUBLIC | FINAL, "TIMES", f"L{NUMBERS};")
    writer.cls.field(FINAL, "OUTER", f"L{THREAD_LOCAL};")
    writer.cls.field(PUBLIC | VOLATILE, "limit", "J")
    writer.cls.field(PUBLIC | VOLATILE, "on", "I")
    for number, count in enumerate(calls):
        _methods_of(writer, number, start_of(number, calls), count)
    writer.cls.method("calling", "([JI)V", _calling)
    writer.cls.method("came", "([J)V", lambda code: _came(code, name, failed=False))
    writer.cls.method("caught", "([J)V", lambda code: _came(code, name, failed=True))
    writer.cls.method("end", "([JIII)V", lambda code: _end(code, name, costs))
    writer.cls.method("raise", "(IJ)V", lambda code: raise_to(code, name))

    def initialize(code: Assembler) -> None:
        code.put_numbers(name, "TIMES", start_of(len(calls), calls))
        code.new(THREAD_LOCAL)
        code.op("dup")
        code.call_constructor(THREAD_LOCAL, "()V")
        code.put_static(name, "OUTER", f"L{THREAD_LOCAL};")
        code.push_int(1)
        code.put_static(name, "on", "I")

    return HelperClass(name=name, data=writer.data(initialize), call=writer.call, stops=())


def _methods_of(writer: HelperWriter, number: int, start: int, count: int) -> None:
    name = writer.name

    def begin(code: Assembler) -> None:
        first, none, dropped = Label(), Label(), Label()
        record = code.new_local("[J")
        code.place(first)
        code.get_static(name, "on", "I")
        code.jump("ifeq", none)
        code.get_static(name, "OUTER", f"L{THREAD_LOCAL};")
        code.call(THREAD_LOCAL, "get", f"(){OBJECT}")
        code.jump("ifnonnull", none)
        code.push_int(_OWN_PLACES + PER_PLACE * count)
        code.new_array("J")
        code.store("[J", record)
        _outer(code, name, record)
        code.load("[J", record)
        code.push_int(_BEGAN)
        code.call_static("java/lang/System", "nanoTime", "()J")
        code.array_store("J")
        code.load("[J", record)
        code.return_("[J")
        code.place(none)
        code.op("aconst_null")
        code.return_("[J")
        code.handle(first, none, dropped)
        code.place(dropped)
        code.op("pop")
        code.op("aconst_null")
        code.return_("[J")

    def end(code: Assembler, record: int, *, failed: bool) -> None:
        first, out = Label(), Label()
        code.place(first)
        code.load("[J", record)
        code.jump("ifnull", out)
        if failed:
            code.load("[J", record)
            code.call_static(name, "caught", "([J)V")
        code.load("[J", record)
        code.push_int(start)
        code.push_int(count)
        code.push_int(int(failed))
        code.call_static(name, "end", "([JIII)V")
        code.end_quietly(first, out)

    writer.cls.method(f"begin{number}", "()[J", begin)
    writer.cls.method(f"left{number}", "([J)V", lambda code: end(code, 0, failed=False))
    writer.cls.method(f"threw{number}", f"({THROWABLE}[J)V", lambda code: end(code, 1, failed=True))


def _outer(code: Assembler, name: str, record: int | None) -> None:
    """Set the outer call of the thread: the one that is timed from now on, or none."""
    code.get_static(name, "OUTER", f"L{THREAD_LOCAL};")
    if record is None:
        code.op("aconst_null")
    else:
        code.load("[J", record)
    code.call(THREAD_LOCAL, "set", f"({OBJECT})V")


def _calling(code: Assembler) -> None:
    """``calling(long[] record, int number)``: a call begins."""
    out = Label()
    code.load("[J", 0)
    code.jump("ifnull", out)
    code.load("[J", 0)
    code.push_int(_SITE)
    code.load("I", 1)
    code.push_int(1)
    code.op("iadd")
    code.op("i2l")
    code.array_store("J")
    code.load("[J", 0)
    code.push_int(_SINCE)
    code.call_static("java/lang/System", "nanoTime", "()J")
    code.array_store("J")
    code.place(out)
    code.return_()


def _came(code: Assembler, name: str, *, failed: bool) -> None:
    """``came(long[] record)``: the call that is under way is over."""
    at, took, out, kept = code.new_local("I"), code.new_local("J"), Label(), (Label(), Label())
    code.load("[J", 0)
    code.jump("ifnull", out)
    _of_record(code, _SITE)
    code.op("l2i")
    code.store("I", at)
    code.load("I", at)
    code.jump("ifeq", out)
    code.call_static("java/lang/System", "nanoTime", "()J")
    _of_record(code, _SINCE)
    code.op("lsub")
    code.store("J", took)
    code.load("I", at)
    code.push_int(PER_PLACE)
    code.op("imul")
    code.push_int(_OWN_PLACES - PER_PLACE)
    code.op("iadd")
    code.store("I", at)
    code.load("[J", 0)
    code.push_int(_SITE)
    code.push_long(0)
    code.array_store("J")
    for field in (COUNT, FAILURES) if failed else (COUNT,):
        _add(code, at, field, lambda: code.push_long(1))
    _add(code, at, TOTAL, lambda: code.load("J", took))
    for field, label in zip((LONGEST, SHORTEST), kept, strict=True):
        if field == SHORTEST:
            code.push_long(MOST)
            code.load("J", took)
            code.op("lsub")
            code.store("J", took)
        code.load("J", took)
        code.load("[J", 0)
        _index(code, at, field)
        code.array_load("J")
        code.op("lcmp")
        code.jump("ifle", label)
        code.load("[J", 0)
        _index(code, at, field)
        code.load("J", took)
        code.array_store("J")
        code.place(label)
    code.place(out)
    code.return_()


def _of_record(code: Assembler, field: int) -> None:
    """Load a number of the call itself."""
    code.load("[J", 0)
    code.push_int(field)
    code.array_load("J")


def _index(code: Assembler, start: int, field: int) -> None:
    code.load("I", start)
    code.push_int(field)
    code.op("iadd")


def _add(code: Assembler, start: int, field: int, push: Callable[[], None]) -> None:
    """Add to a number of the record."""
    code.load("[J", 0)
    _index(code, start, field)
    code.load("[J", 0)
    _index(code, start, field)
    code.array_load("J")
    push()
    code.op("ladd")
    code.array_store("J")


def _end(code: Assembler, name: str, costs: tuple[int, int]) -> None:
    """``end(long[] record, int start, int calls, int failed)``: a call is over, and added to the sums."""
    took, at, from_, last = code.new_local("J"), code.new_local("I"), code.new_local("I"), code.new_local("I")
    out, loop, next_, short = Label(), Label(), Label(), Label()

    def failing() -> None:
        code.load("I", 3)
        code.op("i2l")

    code.call_static("java/lang/System", "nanoTime", "()J")
    _of_record(code, _BEGAN)
    code.op("lsub")
    code.store("J", took)
    _outer(code, name, None)
    code.get_static(name, "on", "I")
    code.jump("ifeq", out)
    _sum(code, name, lambda: code.push_int(ENDED), lambda: code.push_long(1))
    _sum(code, name, lambda: code.push_int(FAILED), failing)
    for limit, jump in zip(costs, ("iflt", "ifgt"), strict=True):
        code.load("J", took)
        code.push_long(limit)
        code.op("lcmp")
        code.jump(jump, out)
    code.get_static(name, "TIMES", f"L{NUMBERS};")
    code.push_int(FOLDED)
    code.call(NUMBERS, "incrementAndGet", "(I)J")
    code.get_static(name, "limit", "J")
    code.op("lcmp")
    code.jump("ifgt", out)
    code.load("J", took)
    code.push_long(MOST)
    code.op("lcmp")
    code.jump("ifle", short)
    code.push_long(MOST)
    code.store("J", took)
    code.place(short)
    own = partial(_index, code, 1)
    _sum(code, name, lambda: own(COUNT), lambda: code.push_long(1))
    _sum(code, name, lambda: own(FAILURES), failing)
    _sum(code, name, lambda: own(TOTAL), lambda: code.load("J", took))
    own(LONGEST)
    code.load("J", took)
    code.call_static(name, "raise", "(IJ)V")
    own(SHORTEST)
    code.push_long(MOST)
    code.load("J", took)
    code.op("lsub")
    code.call_static(name, "raise", "(IJ)V")
    _index(code, 1, PER_PLACE)
    code.store("I", at)
    code.push_int(_OWN_PLACES)
    code.store("I", from_)
    code.load("[J", 0)
    code.op("arraylength")
    code.store("I", last)
    code.place(loop)
    code.load("I", from_)
    code.load("I", last)
    code.jump("if_icmpge", out)

    def of_record(field: int) -> None:
        code.load("[J", 0)
        _index(code, from_, field)
        code.array_load("J")

    of_record(COUNT)
    code.push_long(0)
    code.op("lcmp")
    code.jump("ifeq", next_)
    for field in (COUNT, FAILURES, TOTAL):
        _sum(code, name, partial(_index, code, at, field), partial(of_record, field))
    for field in (LONGEST, SHORTEST):
        _index(code, at, field)
        of_record(field)
        code.call_static(name, "raise", "(IJ)V")
    code.place(next_)
    for local in (at, from_):
        code.load("I", local)
        code.push_int(PER_PLACE)
        code.op("iadd")
        code.store("I", local)
    code.jump("goto", loop)
    code.place(out)
    _sum(code, name, lambda: code.push_int(DONE), lambda: code.push_long(1))
    code.return_()


def _sum(code: Assembler, name: str, index: Callable[[], object], value: Callable[[], object]) -> None:
    """Add to a number of the sums."""
    code.get_static(name, "TIMES", f"L{NUMBERS};")
    index()
    value()
    code.call(NUMBERS, "addAndGet", "(IJ)J")
    code.op("pop2")

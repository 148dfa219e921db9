"""Helpers that keep values instead of stopping: a logpoint's ring, a counter. Nothing in the target ever waits.

No exception leaves them: what goes wrong while an entry is made, such as a stack that is full, loses the entry.

``check`` puts the values of a hit into static arrays of the helper, and the debugger reads these while everything runs.

* ``HEAD``, an AtomicLong: how many entries there were. Entry n is in place n modulo ``size`` of each array.
* ``STAMPS``, an AtomicLongArray: n + 1 in the place of entry n, written last. Its field ``array`` is what to read.
* ``times``: nanoseconds since 1970; ``threads``: the threads; ``numbers``, where a count chooses: which hit it is;
  ``v0``, ``v1``...: the values, a ``long[]`` for numbers and truth values (see ``number``), an ``Object[]`` for objects
  or their texts.
* ``read``, a volatile long that the debugger sets: the first entry that it has not read. A hit that finds the ring full
  is not kept, and counted in ``DROPPED``, an AtomicLong.
* ``FAILURES``, an AtomicLong, and ``thrown``: how often a condition or value threw something, and the last of these.
  That comes to ``failed``, as in other helpers: a breakpoint there has the debugger say why.

A poll is one segment: ``STAMPS.array``, then the other arrays in the ranges that ``RingReader.ranges`` names, in this
order; then ``read`` is set to ``RingReader.next``. Entries that are not written yet, or anew, have another stamp.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from jdbpy.record import Record
from jdbpy.session.in_target.weave.condition_helper import HelperWriter, pass_number
from jdbpy.session.in_target.weave.records import (
    COUNTER,
    FAILED,
    OBJECT,
    STRING,
    CheckCount,
    Emitted,
    Filters,
    HelperClass,
)
from jdbpy.session.java.edit.assembler import FINAL, NUMBERS, PUBLIC, VOLATILE, Assembler, Label

_NUMBERS = frozenset("ZBCSIJFD")


class RingColumn(Record):
    """A static array of a ring. ``signature`` is the type of the values in it: one letter, or that of Object."""

    field: str
    signature: str

    @property
    def array(self) -> str:
        """Return the signature of the field."""
        return "[J" if self.signature in _NUMBERS else f"[{OBJECT}"


class LogHelper(HelperClass):
    """A helper that keeps values: ``columns`` are its arrays, ``times`` and ``threads`` first, of ``size`` places. With
    ``size`` 0 there is no ring: hits are counted in ``HITS`` only."""

    size: int = 0
    columns: tuple[RingColumn, ...] = ()


def log_class(
    name: str,
    host: str,
    condition: Emitted | None,
    values: Sequence[Emitted] = (),
    filters: Filters = Filters(),
    count: CheckCount = CheckCount(),
    *,
    size: int = 16_384,
    text: int = 0,
) -> LogHelper:
    """Return a helper that keeps the values of hits which pass the filters, whose condition holds, whose number fits.

    ``size`` is a power of two, or 0: then hits are counted, and nothing is kept. Of objects the texts are kept, up to
    ``text`` characters, or references if that is 0; strings are kept as they are. Raises CodeTooLong, PoolFull.
    """
    values = [_as_text(each, text) if text and each.signature == OBJECT else each for each in values] if size else []
    writer = HelperWriter(name, host, [*([condition] if condition is not None else []), *values], filters)
    counted = writer.counts(count)
    if not size and not counted:
        writer.counter("HITS", count.start)
    columns = [RingColumn(f"v{number}", each.signature) for number, each in enumerate(values)]
    ring = RingWriter(writer, size, [*([RingColumn("numbers", "J")] if counted else []), *columns])

    def before(code: Assembler, _: Sequence[int], out: Label) -> None:
        if counted:
            ring.number = code.new_local("J")
            pass_number(code, count, out, ring.number)
        if size:
            ring.drop_if_full(code, out)
        elif not counted:
            code.get_static(name, "HITS", f"L{COUNTER};")
            code.call(COUNTER, "incrementAndGet", "()J")
            code.op("pop2")

    def act(code: Assembler, locals_: Sequence[int], out: Label) -> None:
        if size:
            kept = {each.field: (each.signature, local) for each, local in zip(columns, locals_, strict=True)}
            ring.keep(code, {**kept, **({"numbers": ("J", ring.number)} if counted else {})}, out)

    writer.check(condition, act, values, before, caught=bool(size))
    writer.counter("FAILURES")
    writer.cls.field(PUBLIC | VOLATILE, "thrown", OBJECT)

    def failed(code: Assembler) -> None:
        code.load(OBJECT, 0)
        code.put_static(name, "thrown", OBJECT)
        code.get_static(name, "FAILURES", f"L{COUNTER};")
        code.call(COUNTER, "incrementAndGet", "()J")
        code.op("pop2")
        code.return_()

    writer.failed(failed)
    return LogHelper(
        name=name,
        data=writer.data(ring.initialize if size else None),
        call=writer.call,
        runs_methods=writer.runs_methods,
        handles=writer.handles,
        references=writer.references,
        stops=(FAILED,),
        size=size,
        columns=ring.columns if size else (),
    )


def _as_text(value: Emitted, most: int) -> Emitted:
    """Return the value, or the beginning of its text if it is an object other than a string.

    The text is made where errors are caught.
    """

    def write(code: Assembler) -> None:
        done, cut = Label(), Label()
        value.write(code)
        local = code.new_local(OBJECT)
        code.store(OBJECT, local)
        code.load(OBJECT, local)
        code.instance_of(STRING)
        code.jump("ifne", done)
        code.load(OBJECT, local)
        code.jump("ifnull", done)
        code.load(OBJECT, local)
        code.call("java/lang/Object", "toString", f"(){STRING}")
        code.store(OBJECT, local)
        code.load(OBJECT, local)
        code.jump("ifnull", done)
        code.load(OBJECT, local)
        code.check_cast(STRING)
        code.call("java/lang/String", "length", "()I")
        code.push_int(most)
        code.jump("if_icmpgt", cut)
        code.jump("goto", done)
        code.place(cut)
        code.load(OBJECT, local)
        code.check_cast(STRING)
        code.push_int(0)
        code.push_int(most)
        code.call("java/lang/String", "substring", f"(II){STRING}")
        code.store(OBJECT, local)
        code.place(done)
        code.load(OBJECT, local)

    return value.replace(calls=True, write=write)


class RingWriter:
    """Writes what a ring needs into a helper. ``more`` are the columns behind times and threads.

    ``counts_dropped=False``: entries that are not kept are counted elsewhere.
    """

    def __init__(
        self, writer: HelperWriter, size: int, more: Sequence[RingColumn], *, counts_dropped: bool = True
    ) -> None:
        self.number = -1  # the local variable that has the number of the hit
        self.columns = (RingColumn("times", "J"), RingColumn("threads", OBJECT), *more)
        self._name = writer.name
        self._size = size
        self._counts_dropped = counts_dropped
        if size:
            writer.counter("HEAD")
            if counts_dropped:
                writer.counter("DROPPED")
            writer.cls.field(PUBLIC | FINAL, "STAMPS", f"L{NUMBERS};")
            writer.cls.field(PUBLIC | VOLATILE, "read", "J")
            writer.cls.field(FINAL, "START", "J")
            for each in self.columns:
                writer.cls.field(PUBLIC | FINAL, each.field, each.array)

    def initialize(self, code: Assembler) -> None:
        """Make the arrays, and take the time of day at which ``nanoTime`` is 0."""
        code.call_static("java/lang/System", "currentTimeMillis", "()J")
        code.push_long(1_000_000)
        code.op("lmul")
        code.call_static("java/lang/System", "nanoTime", "()J")
        code.op("lsub")
        code.put_static(self._name, "START", "J")
        code.put_numbers(self._name, "STAMPS", self._size)
        for each in self.columns:
            code.push_int(self._size)
            code.new_array(each.array[1:])
            code.put_static(self._name, each.field, each.array)

    def drop_if_full(self, code: Assembler, out: Label) -> None:
        """Count the hit as dropped, and jump to ``out``, if the debugger has not read enough."""
        room = Label()
        code.get_static(self._name, "HEAD", f"L{COUNTER};")
        code.call(COUNTER, "get", "()J")
        self._free(code)
        code.jump("iflt", room)
        self._dropped(code)
        code.jump("goto", out)
        code.place(room)

    def keep(
        self,
        code: Assembler,
        values: Mapping[str, tuple[str, int]],
        out: Label,
        constants: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        """Take the next number, unless the ring has become full meanwhile, and write the values into its place: locals
        with their types, by column. A column without a value stays as it is.
        """
        head, place = code.new_local("J"), code.new_local("I")
        again, room, taken = Label(), Label(), Label()
        code.place(again)
        code.get_static(self._name, "HEAD", f"L{COUNTER};")
        code.call(COUNTER, "get", "()J")
        code.store("J", head)
        code.load("J", head)
        self._free(code)
        code.jump("iflt", room)
        self._dropped(code)
        code.jump("goto", out)
        code.place(room)
        code.get_static(self._name, "HEAD", f"L{COUNTER};")
        code.load("J", head)
        code.load("J", head)
        code.push_long(1)
        code.op("ladd")
        code.call(COUNTER, "compareAndSet", "(JJ)Z")
        code.jump("ifne", taken)
        code.jump("goto", again)
        code.place(taken)
        code.load("J", head)
        code.op("l2i")
        code.push_int(self._size - 1)
        code.op("iand")
        code.store("I", place)
        for column in self.columns:
            if (
                column.field not in values
                and column.field not in constants
                and column.field not in ("times", "threads")
            ):
                continue
            code.get_static(self._name, column.field, column.array)
            code.load("I", place)
            if column.field == "times":
                code.call_static("java/lang/System", "nanoTime", "()J")
                code.get_static(self._name, "START", "J")
                code.op("ladd")
            elif column.field == "threads":
                code.call_static("java/lang/Thread", "currentThread", "()Ljava/lang/Thread;")
            elif column.field in constants:
                code.push_long(constants[column.field])
            else:
                self._load(code, *values[column.field])
            code.array_store(column.array[1:])
        code.get_static(self._name, "STAMPS", f"L{NUMBERS};")
        code.load("I", place)
        code.load("J", head)
        code.push_long(1)
        code.op("ladd")
        code.call(NUMBERS, "set", "(IJ)V")

    def _free(self, code: Assembler) -> None:
        """Compare how far the number on the stack is ahead of the reader with the size."""
        code.get_static(self._name, "read", "J")
        code.op("lsub")
        code.push_long(self._size)
        code.op("lcmp")

    def _dropped(self, code: Assembler) -> None:
        if not self._counts_dropped:
            return
        code.get_static(self._name, "DROPPED", f"L{COUNTER};")
        code.call(COUNTER, "incrementAndGet", "()J")
        code.op("pop2")

    def _load(self, code: Assembler, signature: str, local: int) -> None:
        """Load a value in the form in which its array has it."""
        code.load(signature, local)
        match signature:
            case "D":
                code.call_static("java/lang/Double", "doubleToRawLongBits", "(D)J")
            case "F":
                code.call_static("java/lang/Float", "floatToRawIntBits", "(F)I")
                code.op("i2l")
            case "Z" | "B" | "C" | "S" | "I":
                code.op("i2l")


def number(signature: str, raw: int) -> bool | int | float:
    """Return the value in a ``long`` of a ring; a char is its code unit."""
    match signature:
        case "Z":
            return bool(raw)
        case "F":
            return float(struct.unpack(">f", struct.pack(">i", raw))[0])
        case "D":
            return float(struct.unpack(">d", struct.pack(">q", raw))[0])
    return raw


class RingReader:
    """The debugger's end of a ring. ``next`` is the number of the first entry that was not read."""

    def __init__(self, size: int) -> None:
        self.next = 0
        self._size = size

    def ranges(self, most: int) -> list[tuple[int, int]]:
        """Return where the next entries are: (first place, count), one or two ranges, for at most so many."""
        count = min(most, self._size)
        first = self.next % self._size
        before_end = min(count, self._size - first)
        return [(first, before_end), (0, count - before_end)] if count > before_end else [(first, before_end)]

    def take(self, stamps: Sequence[int], *columns: Sequence[object]) -> Iterator[tuple[object, ...]]:
        """Return the entries that have been written, in order; ``stamps`` and the columns come from ``ranges``."""
        for stamp, *values in zip(stamps, *columns, strict=True):
            if stamp != self.next + 1:
                return
            self.next += 1
            yield tuple(values)

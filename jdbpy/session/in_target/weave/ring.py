"""A ring of records that the target keeps, for all helpers that keep hits: the code that writes it, and its reader.

A record has a column for each value, which is a static array of the helper; ``RingColumn`` is the layout.

* ``HEAD``, an AtomicLong: how many entries there were. Entry n is in place n modulo ``size`` of each array.
* ``STAMPS``, an AtomicLongArray: n + 1 in the place of entry n, written last. Its field ``array`` is what to read.
* ``times``: nanoseconds since 1970; ``threads``: the threads; then the columns of the helper: a ``long[]`` for numbers
  and truth values (see ``number``), an ``Object[]`` for objects or their texts.
* ``read``, a volatile long that the debugger sets: the first entry that it has not read. A hit that finds the ring full
  is not kept, and counted in ``DROPPED``, an AtomicLong.

A poll is one segment: ``STAMPS.array``, then the other arrays in the ranges that ``RingReader.ranges`` names, in this
order; then ``read`` is set to ``RingReader.next``. Entries that are not written yet, or anew, have another stamp.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from jdbpy.record import Record
from jdbpy.session.in_target.weave.condition_helper import HelperWriter
from jdbpy.session.in_target.weave.records import COUNTER, OBJECT
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


def value_columns(numbers: int, objects: int) -> list[RingColumn]:
    """Return columns for so many numbers, ``n0``, ``n1``..., and objects, ``o0``, ``o1``..."""
    columns = [RingColumn(f"n{at}", "J") for at in range(numbers)]
    return columns + [RingColumn(f"o{at}", OBJECT) for at in range(objects)]


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
        self.size = size
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
        code.put_numbers(self._name, "STAMPS", self.size)
        for each in self.columns:
            code.push_int(self.size)
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
        code.push_int(self.size - 1)
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
        code.push_long(self.size)
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

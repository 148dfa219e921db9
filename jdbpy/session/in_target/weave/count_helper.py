"""A helper that counts the calls of a class's methods, with a histogram of their times: nothing is kept of one call.

All is in ``TIMES``, an AtomicLongArray, whose field ``array`` is what to read: ``PER_METHOD`` numbers for each method,
``TOTAL`` (nanoseconds), ``FAILED``, ``LONGEST`` and ``SHORTEST`` (``MOST`` minus it; 0 without calls), then from
``FIRST_BUCKET`` on how many calls were that long. Buckets are 1/16 of a power of two wide (``bucket_of``), so the
middle of one (``middle_of``) is exact to 3 percent. The sum of the buckets is the number of calls. ``on``, an int that
the debugger sets, is 0 if nothing is to be counted any more.
"""

from __future__ import annotations

from math import sqrt

from jdbpy.session.in_target.weave.condition_helper import HelperWriter
from jdbpy.session.in_target.weave.records import THROWABLE, Filters, HelperClass
from jdbpy.session.java.edit.assembler import FINAL, NUMBERS, PUBLIC, VOLATILE, Assembler, Label

TOTAL, FAILED, LONGEST, SHORTEST, FIRST_BUCKET = 0, 1, 2, 3, 8
MOST = (1 << 44) - 1
"""Nanoseconds, some five hours: a longer call is counted as that long."""

BUCKETS = 16 * (44 - 3)
PER_METHOD = FIRST_BUCKET + BUCKETS


def bucket_of(nanoseconds: int) -> int:
    """Return the number of the bucket of a time."""
    power = max(0, nanoseconds.bit_length() - 5)
    return 16 * power + (nanoseconds >> power)


def bounds_of(bucket: int) -> tuple[int, int]:
    """Return the shortest and the longest time that is counted in a bucket, in nanoseconds."""
    if bucket < 32:
        return bucket, bucket
    power = bucket // 16 - 1
    start = (bucket - 16 * power) << power
    return start, start + (1 << power) - 1


def middle_of(bucket: int) -> float:
    """Return the middle of a bucket, in nanoseconds: its calls count as that long."""
    low, high = bounds_of(bucket)
    return sqrt(low * high)


def count_class(name: str, host: str, methods: int) -> HelperClass:
    """Return a helper in the package of ``host`` (both internal names) for so many methods. Raises CodeTooLong."""
    writer = HelperWriter(name, host, [], Filters())
    writer.cls.field(PUBLIC | FINAL, "TIMES", f"L{NUMBERS};")
    writer.cls.field(PUBLIC | VOLATILE, "on", "I")
    for number in range(methods):
        _methods_of(writer, number)
    writer.cls.method("count", "(IJ)V", lambda code: _count(code, name))
    writer.cls.method("raise", "(IJ)V", lambda code: raise_to(code, name))

    def initialize(code: Assembler) -> None:
        code.put_numbers(name, "TIMES", methods * PER_METHOD)
        code.push_int(1)
        code.put_static(name, "on", "I")

    return HelperClass(name=name, data=writer.data(initialize), call=writer.call, stops=())


def _methods_of(writer: HelperWriter, number: int) -> None:
    first, name = number * PER_METHOD, writer.name

    def begin(code: Assembler) -> None:
        code.call_static("java/lang/System", "nanoTime", "()J")
        code.return_("J")

    def end(code: Assembler, begun: int, *, failed: bool) -> None:
        start, out = Label(), Label()
        code.place(start)
        code.get_static(name, "on", "I")
        code.jump("ifeq", out)
        code.push_int(first)
        code.call_static("java/lang/System", "nanoTime", "()J")
        code.load("J", begun)
        code.op("lsub")
        code.call_static(name, "count", "(IJ)V")
        if failed:
            code.get_static(name, "TIMES", f"L{NUMBERS};")
            code.push_int(first + FAILED)
            code.call(NUMBERS, "incrementAndGet", "(I)J")
            code.op("pop2")
        code.end_quietly(start, out)

    writer.cls.method(f"begin{number}", "()J", begin)
    writer.cls.method(f"left{number}", "(J)V", lambda code: end(code, 0, failed=False))
    writer.cls.method(f"threw{number}", f"({THROWABLE}J)V", lambda code: end(code, 1, failed=True))


def _count(code: Assembler, name: str) -> None:
    """``count(int first, long took)``: a call has ended."""
    power, fits, bucketed = code.new_local("I"), Label(), Label()
    code.load("J", 1)
    code.push_long(MOST)
    code.op("lcmp")
    code.jump("ifle", fits)
    code.push_long(MOST)
    code.store("J", 1)
    code.place(fits)
    for at, opposite in ((LONGEST, False), (SHORTEST, True)):
        code.load("I", 0)
        code.push_int(at)
        code.op("iadd")
        if opposite:
            code.push_long(MOST)
        code.load("J", 1)
        if opposite:
            code.op("lsub")
        code.call_static(name, "raise", "(IJ)V")
    code.push_int(59)  # 64 less the 5 bits that a bucket tells apart
    code.load("J", 1)
    code.call_static("java/lang/Long", "numberOfLeadingZeros", "(J)I")
    code.op("isub")
    code.store("I", power)
    code.load("I", power)
    code.jump("ifge", bucketed)
    code.push_int(0)
    code.store("I", power)
    code.place(bucketed)
    code.get_static(name, "TIMES", f"L{NUMBERS};")
    code.load("I", 0)
    code.push_int(FIRST_BUCKET)
    code.op("iadd")
    code.load("I", power)
    code.push_int(4)
    code.op("ishl")
    code.op("iadd")
    code.load("J", 1)
    code.load("I", power)
    code.op("lushr")
    code.op("l2i")
    code.op("iadd")
    code.call(NUMBERS, "incrementAndGet", "(I)J")
    code.op("pop2")
    code.get_static(name, "TIMES", f"L{NUMBERS};")  # last, so that who reads only what has changed misses nothing
    code.load("I", 0)
    code.load("J", 1)
    code.call(NUMBERS, "addAndGet", "(IJ)J")
    code.op("pop2")
    code.return_()


def raise_to(code: Assembler, name: str) -> None:
    """``raise(int at, long value)``: the number there becomes the value where that is greater."""
    again, known, done = Label(), code.new_local("J"), Label()
    code.place(again)
    code.get_static(name, "TIMES", f"L{NUMBERS};")
    code.load("I", 0)
    code.call(NUMBERS, "get", "(I)J")
    code.store("J", known)
    code.load("J", 1)
    code.load("J", known)
    code.op("lcmp")
    code.jump("ifle", done)
    code.get_static(name, "TIMES", f"L{NUMBERS};")
    code.load("I", 0)
    code.load("J", known)
    code.load("J", 1)
    code.call(NUMBERS, "compareAndSet", "(IJJ)Z")
    code.jump("ifeq", again)
    code.place(done)
    code.return_()

"""The events of a recorded call: the methods of the helper that the program's code calls for each.

What a record is made of stands in ``record_helper``.
"""

from __future__ import annotations

from collections.abc import Callable

from jdbpy.session.in_target.weave.condition_helper import HelperWriter
from jdbpy.session.in_target.weave.record_code import EVENTS, GIVEN, HEAD, RECORD, REPORTS
from jdbpy.session.in_target.weave.record_texts import FIXED
from jdbpy.session.in_target.weave.records import (
    OBJECT,
    STRING,
)
from jdbpy.session.java.edit.assembler import Assembler, Label
from jdbpy.session.recorded.points import (
    FIRST,
    NO_LINE,
    ONE_PLACE,
)

LONGS, OBJECTS = "[J", RECORD
"""Descriptors of the arrays of a record."""

DATA, REFS, BEFORE, BEFORE_REFS, LINES, ROOM, GIVEN_OBJECTS, PARTS = range(8)
"""The parts of a record, and their number."""

_ARRAYS, _BUILDER = "java/util/Arrays", "Ljava/lang/StringBuilder;"
_WEAK = "java/lang/ref/WeakReference"


def get_part(code: Assembler, record: int, part: int, signature: str) -> None:
    """Put a part of a record, of this descriptor, on the stack."""
    code.load(RECORD, record)
    code.push_int(part)
    code.array_load(OBJECT)
    code.check_cast(signature)


def set_part(code: Assembler, record: int, part: int, value: Callable[[], None]) -> None:
    """Set a part of a record to what ``value`` puts on the stack."""
    code.load(RECORD, record)
    code.push_int(part)
    value()
    code.array_store(OBJECT)


def write_put(writer: HelperWriter, points: int) -> None:
    """Write ``put``, which adds an event to a record, and counts the one that is overwritten.

    It is one method, longer than those that the JVM compiles into their callers (``FreqInlineSize``, 325 bytes): each
    line of a method would have all of it.
    """
    half = EVENTS // 2

    def write(code: Assembler) -> None:
        record, point, value, thing = 0, 1, 2, 4
        data, count, place = code.new_local(LONGS), code.new_local("J"), code.new_local("I")
        wraps, there, plain, out = Label(), Label(), Label(), Label()
        get_part(code, record, DATA, LONGS)
        code.store(LONGS, data)
        code.load(LONGS, data)
        code.jump("ifnull", out)
        code.load(LONGS, data)
        code.push_int(0)
        code.array_load("J")
        code.store("J", count)
        code.load("J", count)
        code.push_long(EVENTS)
        code.op("lcmp")
        code.jump("ifge", wraps)
        code.load("J", count)
        code.op("l2i")
        code.store("I", place)
        _event_index(code, place)
        code.load(LONGS, data)
        code.op("arraylength")
        code.jump("if_icmplt", there)
        for part, signature, twice in ((DATA, LONGS, HEAD), (REFS, OBJECTS, 0)):  # twice as many events
            code.load(RECORD, record)
            code.push_int(part)
            get_part(code, record, part, signature)
            code.load("I", place)
            code.push_int(2 if part == DATA else 1)
            code.op("ishl")
            code.push_int(twice)
            code.op("iadd")
            code.call_static(_ARRAYS, "copyOf", f"({signature}I){signature}")
            code.array_store(OBJECT)
        get_part(code, record, DATA, LONGS)
        code.store(LONGS, data)
        code.jump("goto", there)
        code.place(wraps)
        code.load("J", count)
        code.op("l2i")
        code.push_int(half - 1)
        code.op("iand")
        code.push_int(half)
        code.op("ior")
        code.store("I", place)
        _count_overwritten(code, writer.name, record, place, points)
        code.place(there)
        code.load(OBJECT, thing)
        code.jump("ifnull", plain)
        code.load(OBJECT, thing)
        code.load(RECORD, record)
        code.call_static(writer.name, "fixed", FIXED)
        code.store(OBJECT, thing)
        code.place(plain)
        for offset in (0, 1):
            code.load(LONGS, data)
            _event_index(code, place, offset)
            if offset:
                code.load("J", value)
            else:
                code.load("I", point)
                code.op("i2l")
            code.array_store("J")
        code.load(LONGS, data)
        code.push_int(0)
        code.load("J", count)
        code.push_long(1)
        code.op("ladd")
        code.array_store("J")
        code.load(OBJECT, thing)
        code.jump("ifnull", out)
        get_part(code, record, REFS, OBJECTS)
        code.load("I", place)
        code.load(OBJECT, thing)
        code.array_store(OBJECT)
        code.place(out)
        code.return_()

    writer.cls.method("put", f"({RECORD}IJ{OBJECT})V", write)
    writer.cls.method("kept_line", f"({RECORD})V", lambda code: _write_kept_line(code, half, 3 * points))


def _count_overwritten(code: Assembler, owner: str, record: int, place: int, points: int) -> None:
    """What is in a place goes into the sums of its point, and leaves no object behind."""
    half, last_line = EVENTS // 2, 3 * points
    data, sums, refs = code.new_local(LONGS), code.new_local(LONGS), code.new_local(OBJECTS)
    point, before = code.new_local("I"), code.new_local("I")
    old = code.new_local(OBJECT)
    there, empty, gone, done = Label(), Label(), Label(), Label()
    code.load(RECORD, record)
    code.push_int(BEFORE)
    code.array_load(OBJECT)
    code.jump("ifnonnull", there)
    for part, length, element in ((BEFORE, last_line + 1, "J"), (BEFORE_REFS, points, OBJECT)):
        code.load(RECORD, record)
        code.push_int(part)
        code.push_int(length)
        code.new_array(element)
        code.array_store(OBJECT)
    code.load(RECORD, record)
    code.call_static(owner, "kept_line", f"({RECORD})V")
    code.place(there)
    get_part(code, record, DATA, LONGS)
    code.store(LONGS, data)
    get_part(code, record, BEFORE, LONGS)
    code.store(LONGS, sums)
    _load_event(code, data, place, 0)
    code.op("l2i")
    code.store("I", point)
    own = _Sums(code, sums, point)
    _count_line(code, record, sums, point, before, last_line, own)
    own.at(1)
    _load_event(code, data, place, 1)
    code.array_store("J")
    own.at(2)
    code.load(LONGS, data)
    code.push_int(0)
    code.array_load("J")
    code.push_long(half - 1)
    code.op("lsub")
    code.array_store("J")
    get_part(code, record, REFS, OBJECTS)
    code.store(OBJECTS, refs)
    code.load(OBJECTS, refs)
    code.load("I", place)
    code.array_load(OBJECT)
    code.store(OBJECT, old)
    code.load(OBJECT, old)
    code.jump("ifnull", empty)
    code.load(OBJECTS, refs)
    code.load("I", place)
    code.op("aconst_null")
    code.array_store(OBJECT)
    code.place(empty)
    get_part(code, record, BEFORE_REFS, OBJECTS)
    code.store(OBJECTS, refs)
    code.load(OBJECTS, refs)
    code.load("I", point)
    code.array_load(OBJECT)
    code.load(OBJECT, old)
    code.jump("if_acmpeq", done)
    code.load(OBJECTS, refs)
    code.load("I", point)
    code.array_load(OBJECT)
    code.instance_of(_BUILDER)
    code.jump("ifeq", gone)
    get_part(code, record, ROOM, "[I")
    code.push_int(0)
    get_part(code, record, ROOM, "[I")
    code.push_int(0)
    code.array_load("I")
    code.load(OBJECTS, refs)
    code.load("I", point)
    code.array_load(OBJECT)
    code.check_cast(_BUILDER)
    code.call(_BUILDER[1:-1], "length", "()I")
    code.op("isub")
    code.array_store("I")
    code.place(gone)
    code.load(OBJECTS, refs)
    code.load("I", point)
    code.load(OBJECT, old)
    code.array_store(OBJECT)
    code.place(done)


class _Sums:
    """Where the sums of a point are."""

    def __init__(self, code: Assembler, sums: int, point: int) -> None:
        self._code = code
        self._sums = sums
        self._point = point

    def at(self, offset: int) -> None:
        """Push the array, and the index of a sum of the point."""
        self._code.load(LONGS, self._sums)
        self._code.load("I", self._point)
        self._code.push_int(3)
        self._code.op("imul")
        self._code.push_int(offset)
        self._code.op("iadd")


def _count_line(code: Assembler, record: int, sums: int, point: int, before: int, last_line: int, own: _Sums) -> None:
    """Count the event, unless its line has gone on there only."""
    count, counted = Label(), Label()
    lines = code.new_local("[C")
    get_part(code, record, LINES, "[C")
    code.store("[C", lines)
    code.load("[C", lines)
    code.jump("ifnull", count)
    code.load("[C", lines)
    code.load("I", point)
    code.array_load("C")
    code.push_int(ord(NO_LINE))
    code.jump("if_icmpeq", count)
    code.load(LONGS, sums)
    code.push_int(last_line)
    code.array_load("J")
    code.op("l2i")
    code.store("I", before)
    code.load(LONGS, sums)
    code.push_int(last_line)
    code.load("I", point)
    code.op("i2l")
    code.array_store("J")
    for each in (before, point):
        code.load("[C", lines)
        code.load("I", each)
        code.array_load("C")
    code.jump("if_icmpne", count)
    code.load("[C", lines)
    code.load("I", point)
    code.array_load("C")
    code.push_int(ord(ONE_PLACE))
    code.jump("if_icmpeq", count)
    code.load("I", point)
    code.load("I", before)
    code.jump("if_icmpgt", counted)
    code.place(count)
    own.at(0)
    own.at(0)
    code.array_load("J")
    code.push_long(1)
    code.op("ladd")
    code.array_store("J")
    code.place(counted)


def _write_kept_line(code: Assembler, half: int, last_line: int) -> None:
    """Write ``kept_line(record)``: the last line of the first half is the one with which the gap begins."""
    record, lines, data = 0, code.new_local("[C"), code.new_local(LONGS)
    place, point = code.new_local("I"), code.new_local("I")
    again, following, out = Label(), Label(), Label()
    get_part(code, record, LINES, "[C")
    code.store("[C", lines)
    code.load("[C", lines)
    code.jump("ifnull", out)
    get_part(code, record, DATA, LONGS)
    code.store(LONGS, data)
    code.push_int(half - 1)
    code.store("I", place)
    code.place(again)
    code.load("I", place)
    code.jump("iflt", out)
    _load_event(code, data, place, 0)
    code.op("l2i")
    code.store("I", point)
    code.load("[C", lines)
    code.load("I", point)
    code.array_load("C")
    code.push_int(ord(NO_LINE))
    code.jump("if_icmpeq", following)
    get_part(code, record, BEFORE, LONGS)
    code.push_int(last_line)
    code.load("I", point)
    code.op("i2l")
    code.array_store("J")
    code.jump("goto", out)
    code.place(following)
    code.load("I", place)
    code.push_int(-1)
    code.op("iadd")
    code.store("I", place)
    code.jump("goto", again)
    code.place(out)
    code.return_()


def _event_index(code: Assembler, place: int, offset: int = 0) -> None:
    """Push the index of the numbers of an event."""
    code.load("I", place)
    code.push_int(1)
    code.op("ishl")
    code.push_int(HEAD + offset)
    code.op("iadd")


def _load_event(code: Assembler, data: int, place: int, offset: int) -> None:
    code.load(LONGS, data)
    _event_index(code, place, offset)
    code.array_load("J")


def write_reports(writer: HelperWriter) -> None:
    """Write the methods that the program's code calls: one for each kind of value, and one for none."""
    put = f"({RECORD}IJ{OBJECT})V"

    def report(name: str, kind: str) -> None:
        value = OBJECT if kind == "L" else kind

        def write(code: Assembler) -> None:
            start, out, failed = Label(), Label(), Label()
            first = 0
            record = {"": 0, "J": 2, "D": 2}.get(kind, 1)
            code.load(RECORD, record)
            code.jump("ifnull", out)
            code.place(start)
            code.load(RECORD, record)
            code.load("I", record + 1)
            match kind:
                case "I":
                    code.load("I", first)
                    code.op("i2l")
                case "J":
                    code.load("J", first)
                case "F":
                    code.load("F", first)
                    code.call_static("java/lang/Float", "floatToRawIntBits", "(F)I")
                    code.op("i2l")
                case "D":
                    code.load("D", first)
                    code.call_static("java/lang/Double", "doubleToRawLongBits", "(D)J")
                case _:
                    code.push_long(-1)
            if kind == "L":
                code.load(OBJECT, first)
            else:
                code.op("aconst_null")
            code.call_static(writer.name, "put", put)
            code.place(out)
            code.return_()
            code.handle(start, out, failed)
            code.place(failed)  # the record is not whole any more
            code.op("pop")
            code.load(RECORD, record)
            code.push_int(DATA)
            code.op("aconst_null")
            code.array_store(OBJECT)
            code.return_()

        writer.cls.method(name, f"({value}{RECORD}I)V", write)

    report("line", "")
    for kind, name in REPORTS.items():
        report(name, kind)


def write_given(writer: HelperWriter, most: int, *, hold: bool) -> None:
    """Write ``given``, which the program's code calls for an object that it was given: it is reported, and kept too."""

    def write(code: Assembler) -> None:
        thing, record, point = 0, 1, 2
        objects = code.new_local(OBJECTS)
        start, there, kept, out = (Label() for _ in range(4))
        code.load(RECORD, record)
        code.jump("ifnull", out)
        code.place(start)
        code.load(OBJECT, thing)
        code.load(RECORD, record)
        code.load("I", point)
        code.call_static(writer.name, REPORTS["L"], f"({OBJECT}{RECORD}I)V")
        code.load(OBJECT, thing)
        code.jump("ifnull", out)
        for signature in (STRING, "Ljava/lang/Boolean;", "Ljava/lang/Character;"):
            code.load(OBJECT, thing)
            code.instance_of(signature)
            code.jump("ifne", out)
        code.load(OBJECT, thing)
        code.instance_of("Ljava/lang/Number;")
        code.jump("ifeq", kept)
        code.load(OBJECT, thing)
        code.call("java/lang/Object", "getClass", "()Ljava/lang/Class;")
        code.call("java/lang/Class", "getName", f"(){STRING}")
        code.call_static(writer.name, "plain", f"({STRING})Z")
        code.jump("ifne", out)
        code.place(kept)
        code.load(RECORD, record)
        code.push_int(GIVEN_OBJECTS)
        code.array_load(OBJECT)
        code.jump("ifnonnull", there)
        code.load(RECORD, record)
        code.push_int(GIVEN_OBJECTS)
        code.push_int(most)
        code.new_array(OBJECT)
        code.array_store(OBJECT)
        code.place(there)
        get_part(code, record, GIVEN_OBJECTS, OBJECTS)
        code.store(OBJECTS, objects)
        code.load(OBJECTS, objects)
        code.load("I", point)
        code.push_int(FIRST)
        code.op("isub")
        if not hold:
            code.new(_WEAK)
            code.op("dup")
        code.load(OBJECT, thing)
        if not hold:
            code.call_constructor(_WEAK, f"({OBJECT})V")
        code.array_store(OBJECT)
        code.end_quietly(start, out)

    if most:
        writer.cls.method(GIVEN, f"({OBJECT}{RECORD}I)V", write)

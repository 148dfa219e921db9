"""The code around and in a method that is recorded: at its entry, its lines, its stores, its calls, and its ends.

The method's own variable has what is recorded of this call; null where nothing is. A store is reported behind it, a
write of a field in front of it, with the value on the operand stack, which stays there.
"""

from __future__ import annotations

import struct

from jdbpy.session.in_target.weave.method_wrap import SurroundingCode, load, padded
from jdbpy.session.in_target.weave.records import OBJECT, TOP, Surrounding
from jdbpy.session.java.edit.assembler import words
from jdbpy.session.java.edit.class_parts import PoolWriter
from jdbpy.session.java.edit.code_shift import CodeParts
from jdbpy.session.java.edit.slots import kind_of
from jdbpy.session.recorded.points import FIRST, RecordPoint

RECORD = "[Ljava/lang/Object;"
"""The type of the method's own variable."""

EVENTS = 4_096
"""Events of a call that are kept at most: the first half of them and the last one. A power of two."""

HEAD = 2
"""Longs in front of the events of a record."""

REPORTS = {"I": "number", "J": "longer", "F": "single", "D": "double", "L": "object"}
"""The methods of the helper that take a value, by its kind; ``line`` takes none."""

GIVEN = "given"
"""The method that takes an object which the call was given."""

_MOST_POINTS = 32_767
_INVOKESTATIC, _SIPUSH = 184, 17


class RecordedMethod(Surrounding):
    """A method of which a record is kept: ``points`` are those of ``recorded.points``."""

    points: tuple[RecordPoint, ...] = ()


class RecordedCode(SurroundingCode):
    """The code of one recorded method."""

    def __init__(self, of: RecordedMethod, slot: int, pool: PoolWriter, code: CodeParts) -> None:
        """Raises PoolFull, MalformedCode."""
        super().__init__(of, slot, pool, code)
        self._own = load(RECORD, slot)
        most = 0
        for number, point in enumerate(of.points[:_MOST_POINTS]):
            if number < FIRST:
                continue
            kind = kind_of(point.signature) if point.signature != "V" else ""
            if point.kind == "argument":
                self.entry += padded(load(point.signature, point.slot) + self._report(kind, number, given=True))
            elif point.kind == "store":
                report = padded(load(point.signature, point.slot) + self._report(kind, number))
                self.behind[point.after] = self.behind.get(point.after, b"") + report
            elif point.kind == "call":
                report = padded((load(point.signature, TOP) if kind else b"") + self._report(kind, number))
                self.behind[point.after] = self.behind.get(point.after, b"") + report
            elif point.kind == "field":
                report = padded(load(point.signature, TOP) + self._report(kind, number))
                self.before[point.at] = self.before.get(point.at, b"") + report
            else:  # a line comes first: what begins with a return or a write of a field is in it
                self.before[point.at] = padded(self._report("", number)) + self.before.get(point.at, b"")
            most = max(most, words(point.signature))
        self.words = max(self.words, most + 2) + 1

    def _report(self, kind: str, number: int, *, given: bool = False) -> bytes:
        """Return the code that reports a point; its value, if it has one, is on the stack."""
        name = REPORTS[kind] if kind else "line"
        name = GIVEN if given and kind == "L" else name
        value = OBJECT if kind == "L" else kind
        index = self._pool.method(self.of.owner, name, f"({value}{RECORD}I)V")
        return self._own + struct.pack(">BhBH", _SIPUSH, number, _INVOKESTATIC, index)

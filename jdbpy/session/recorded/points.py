"""The points of a method at which something is recorded: its lines, its stores, its calls, by their code indices.

Pure: a class file in, records out. A point has a number by which the target names it; those of how a call ends come
first. What is stored is a local variable, or a field of ``this``, of an object in a local variable, or a static one.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping

from jdbpy.record import Record
from jdbpy.session.java.bytecode import DecodedInstruction, decode, reading_code
from jdbpy.session.java.class_file import ClassFile, FileMethod, parse
from jdbpy.session.java.constant_pool import ConstantPool
from jdbpy.session.java.edit.slots import kind_of, stored_by
from jdbpy.session.java.signatures import argument_slots, split_method
from jdbpy.session.recorded.stack_sources import receivers_of

LEVELS = ("lines", "stores", "calls", "all")
"""What is recorded: the lines alone; the stores, or the results of calls, too; all of it."""

RETURNED, THREW, FIRST = 0, 1, 2
"""The numbers of the points at which a call ends, and of the first other one."""

NO_LINE, ONE_PLACE = "\x01", "\x02"
"""What ``MethodPoints.line_groups`` has for a point that is no line, and for the only one of its line."""

_MOST_POINTS, _MOST_GROUPS = 32_767, 0x700
_STATIC = 0x8
_IINC, _PUTSTATIC, _PUTFIELD, _WIDE = 132, 179, 181, 196
_CALLS = range(182, 186)
_JSRS = (168, 201)


class RecordPoint(Record):
    """A point: ``kind`` is ``returned``, ``threw``, ``argument``, ``line``, ``store``, ``field`` or ``call``.

    ``at`` is the code index of the instruction of which it tells, ``after`` that of the one behind it. ``name`` is that
    of the variable, of the field with what it is of (``this.total``), or of the method that was called; ``signature``
    the type of the value, V for none. ``slot`` is that of a local variable, -1 of anything else.
    """

    kind: str
    at: int
    after: int
    line: int
    name: str = ""
    signature: str = "V"
    slot: int = -1


class VariableScope(Record):
    """A local variable with the code indices ``start`` to ``end`` at which it is in scope."""

    name: str
    signature: str
    slot: int
    start: int
    end: int


class MethodPoints(Record):
    """All that is recorded of a method. ``lacks`` are sentences about what is not."""

    class_name: str
    method: str
    signature: str
    is_static: bool
    points: tuple[RecordPoint, ...]
    variables: tuple[VariableScope, ...]
    lacks: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return class and method: ``com.acme.Order.pay``."""
        return f"{self.class_name}.{self.method}"

    @property
    def arguments(self) -> tuple[RecordPoint, ...]:
        """Return the points at which arguments are recorded, in the order of the declaration, ``this`` first."""
        return tuple(each for each in self.points if each.kind == "argument")

    def variable(self, point: RecordPoint) -> VariableScope | None:
        """Return the variable that a point tells of; None where it tells of none, or the class has no names."""
        at = point.at if point.kind == "argument" else point.after
        return next((each for each in self.variables if each.slot == point.slot and each.start <= at < each.end), None)

    def line_groups(self) -> str:
        """Return a character for each point, the same one for all places of a line that has several; "" where no line
        has. Places of a line follow each other by their code indices.
        """
        places = Counter(each.line for each in self.points if each.kind == "line")
        several = [line for line, count in places.items() if count > 1]
        if not several:
            return ""
        groups = {line: chr(3 + at % _MOST_GROUPS) for at, line in enumerate(several)}
        return "".join(groups.get(each.line, ONE_PLACE) if each.kind == "line" else NO_LINE for each in self.points)

    def in_scope(self, at: int) -> list[VariableScope]:
        """Return the variables that are in scope at a code index, ``this`` and arguments first."""
        return sorted((each for each in self.variables if each.start <= at < each.end), key=lambda each: each.slot)


class NotRecorded(Exception):
    """A method cannot be recorded, for the reason in its text."""


def points_of(data: bytes | ClassFile, name: str, signature: str, level: str = "all") -> MethodPoints:
    """Return the points of a method of a class file. Raises NotRecorded, MalformedClassFile, MalformedCode."""
    parsed = data if isinstance(data, ClassFile) else parse(data)
    method = next((each for each in parsed.methods if (each.name, each.signature) == (name, signature)), None)
    if method is None or not method.code:
        raise NotRecorded("it has no code")
    with reading_code():
        return _PointFinder(parsed.name, method, parsed.pool).found(level)


class _PointFinder:
    def __init__(self, class_name: str, method: FileMethod, pool: ConstantPool) -> None:
        self._class_name = class_name
        self._method = method
        self._pool = pool
        self._instructions = list(decode(method.code))
        self._is_static = bool(method.access & _STATIC)
        rows = sorted(method.variables, key=lambda row: (row[4], row[0]))
        self._variables = [VariableScope(row[2], row[3], row[4], row[0], row[0] + row[1]) for row in rows]
        self._lines = sorted(method.lines)
        self._line_starts = [start for start, _ in self._lines]
        self._has_names = bool(self._variables)

    def found(self, level: str) -> MethodPoints:
        code = self._method.code
        if any(each.opcode in _JSRS for each in self._instructions):
            raise NotRecorded("its code has subroutines, as compilers before Java 5 wrote them")
        lacks = []
        if not self._lines:
            lacks.append("the class was compiled without lines (javac -g:none): only stores and calls are recorded")
        stores = {each.index: stored_by(code, each) for each in self._instructions}
        if not self._variables:
            self._variables = [*self._arguments_as_variables()]
            if self._variables or any(stores.values()):  # else it has none
                lacks.append(
                    "the class was compiled without the names of variables (javac -g): they are slot1, slot2 ..."
                )
        points = [*self._ends(), *self._arguments(), *self._line_points()]
        receivers: Mapping[int, int] = {}
        if level in ("stores", "all"):
            receivers = receivers_of(code, self._pool, self._method.handlers)
        for each in self._instructions:
            stored = stores[each.index]
            if stored is not None and level in ("stores", "all"):
                points += self._store(each, *stored)
            elif each.opcode in (_PUTFIELD, _PUTSTATIC) and level in ("stores", "all"):
                points += self._field(each, receivers)
            elif each.opcode in _CALLS and level in ("calls", "all"):
                points += self._call(each)
        if len(points) > _MOST_POINTS:
            raise NotRecorded("it has too many lines and stores")
        return MethodPoints(
            class_name=self._class_name.replace("/", "."),
            method=self._method.name,
            signature=self._method.signature,
            is_static=self._is_static,
            points=tuple(points),
            variables=tuple(self._variables),
            lacks=tuple(lacks),
        )

    def _ends(self) -> Iterator[RecordPoint]:
        yield RecordPoint("returned", -1, -1, 0, "", split_method(self._method.signature)[1])
        yield RecordPoint("threw", -1, -1, 0, "", "Ljava/lang/Throwable;")

    def _arguments(self) -> Iterator[RecordPoint]:
        for each in self._arguments_as_variables():
            if each.name != "this" or self._method.name != "<init>":
                known = self._named(each.slot, 0)
                yield RecordPoint("argument", 0, 0, self._line_of(0), known or each.name, each.signature, each.slot)

    def _arguments_as_variables(self) -> Iterator[VariableScope]:
        end = len(self._method.code)
        if not self._is_static:
            yield VariableScope("this", f"L{self._class_name};", 0, 0, end)
        for slot, signature in argument_slots(self._method.signature, static=self._is_static):
            yield VariableScope(f"slot{slot}", signature, slot, 0, end)

    def _line_points(self) -> Iterator[RecordPoint]:
        """Yield the places where a line begins, and those in a line to which other lines jump: the head of a loop over
        a collection, what follows the last part of a conditional expression."""
        instructions = {each.index for each in self._instructions}
        starts: dict[int, int] = {}
        for at, line in self._lines:
            if at in instructions:
                starts.setdefault(at, line)
        lines: dict[int, int] = {}
        line = 0
        for each in self._instructions:
            lines[each.index] = line = starts.get(each.index, line)
        for each in self._instructions:
            for target in each.next:
                self._add_joined(starts, lines, each, target)
            for start, end, handler in self._method.handlers:
                if start <= each.index < end:
                    self._add_joined(starts, lines, each, handler)
        for at, line in sorted(starts.items()):
            yield RecordPoint("line", at, at, line)

    @staticmethod
    def _add_joined(starts: dict[int, int], lines: Mapping[int, int], by: DecodedInstruction, target: int) -> None:
        """Take in a place to which an instruction of another line leads."""
        line = lines.get(target, 0)
        if line and line != lines[by.index]:
            starts.setdefault(target, line)

    def _store(self, instruction: DecodedInstruction, slot: int, kind: str) -> Iterator[RecordPoint]:
        """Yield the point of a store; none for a variable of the compiler's own, in a class with names."""
        after = instruction.index + instruction.length
        rows = [each for each in self._variables if each.slot == slot and kind_of(each.signature) == kind]
        known = next((each for each in rows if each.start <= after < each.end), None) or next(
            (each for each in rows if each.start <= instruction.index < each.end), None
        )  # a scope may end with a store
        if known is not None:
            name, signature = known.name, known.signature
        elif self._has_names:
            return
        else:
            name, signature = f"slot{slot}", "Ljava/lang/Object;" if kind == "L" else kind
        yield RecordPoint("store", instruction.index, after, self._line_of(instruction.index), name, signature, slot)

    def _field(self, instruction: DecodedInstruction, receivers: Mapping[int, int]) -> Iterator[RecordPoint]:
        [number] = struct.unpack_from(">H", self._method.code, instruction.index + 1)
        owner, name, signature = self._pool.member(number)
        if instruction.opcode == _PUTSTATIC:
            of = owner.rpartition("/")[2].replace("$", ".")
        else:
            slot = receivers.get(instruction.index, -1)
            if slot < 0:
                return
            of = "this" if slot == 0 and not self._is_static else self._named(slot, instruction.index) or f"slot{slot}"
        after = instruction.index + instruction.length
        yield RecordPoint(
            "field", instruction.index, after, self._line_of(instruction.index), f"{of}.{name}", signature
        )

    def _call(self, instruction: DecodedInstruction) -> Iterator[RecordPoint]:
        [number] = struct.unpack_from(">H", self._method.code, instruction.index + 1)
        owner, name, signature = self._pool.member(number)
        if name == "<init>":
            return
        after = instruction.index + instruction.length
        called = f"{owner.rpartition('/')[2].replace('$', '.')}.{name}"
        returned = split_method(signature)[1]
        yield RecordPoint("call", instruction.index, after, self._line_of(instruction.index), called, returned)

    def _named(self, slot: int, at: int) -> str:
        return next((each.name for each in self._variables if each.slot == slot and each.start <= at < each.end), "")

    def _line_of(self, at: int) -> int:
        behind = bisect_right(self._line_starts, at)
        return self._lines[behind - 1][1] if behind else 0

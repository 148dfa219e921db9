"""One Code attribute (JVMS 4.7.3) with instructions put in: everything behind them moves, and all that names it.

There are two maps. *Targets* are what jumps, switches, handlers, lines, variables and stack map frames name: one equal
to the index of an insertion stays, so that a jump to the line comes through what was put in. *Places* are where
instructions stand, also the ``new`` of an object that is not initialized yet: the instruction at the insertion moves
behind it. What only the instruction before leads to (``behind``) stands in front of both: jumps pass it by.
"""

from __future__ import annotations

import struct
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType

from jdbpy.record import Record
from jdbpy.session.java.bytecode import DecodedInstruction, decode
from jdbpy.session.java.class_file import MalformedClassFile
from jdbpy.session.java.constant_pool import ConstantPool
from jdbpy.session.java.edit.class_parts import Attribute, PartReader, attributes_data
from jdbpy.session.java.edit.stack_maps import shift_frames

ALIGNMENT = 4
"""Insertions have a multiple of this length, so that switches keep their padding."""

_TABLESWITCH, _LOOKUPSWITCH, _GOTO_W, _JSR_W = 170, 171, 200, 201
_SHORT_JUMPS = frozenset((*range(153, 169), 198, 199))


class JumpTooFar(Exception):
    """A jump of 16 bits does not reach its target any more."""


class CodeParts(Record):
    """A Code attribute. ``handlers`` are (start, end, handler, catch type)."""

    stack: int
    locals: int
    code: bytes
    handlers: tuple[tuple[int, ...], ...]
    attributes: tuple[Attribute, ...]

    @property
    def data(self) -> bytes:
        """Return the content of the attribute."""
        return b"".join(
            (
                struct.pack(">HHI", self.stack, self.locals, len(self.code)),
                self.code,
                struct.pack(">H", len(self.handlers)),
                *(struct.pack(">HHHH", *each) for each in self.handlers),
                attributes_data(self.attributes),
            )
        )


class VariableRow(Record):
    """A row of the LocalVariableTable."""

    start: int
    end: int
    name: str
    signature: str
    slot: int


def read_code(content: bytes, pool: ConstantPool) -> CodeParts:
    """Return the parts of a Code attribute. Raises MalformedClassFile, struct.error."""
    stack, locals_, length = struct.unpack_from(">HHI", content, 0)
    reader = PartReader(content, pool, 8)
    code = reader.take(length)
    handlers = tuple(reader.rows(">HHHH"))
    for start, end, handler, _ in handlers:
        if not (start < end <= length and handler < length):
            raise MalformedClassFile(f"a handler from {start} to {end} at {handler}, in code of {length} bytes")
    return CodeParts(stack, locals_, code, handlers, reader.attributes())


def variables_of(code: CodeParts, pool: ConstantPool) -> tuple[VariableRow, ...]:
    """Return the rows of all LocalVariableTables."""
    return tuple(
        VariableRow(start, start + length, pool.utf8(name), pool.utf8(signature), slot)
        for each in code.attributes
        if each.name == "LocalVariableTable"
        for start, length, name, signature, slot in PartReader(each.content, pool).rows(">HHHHH")
    )


NOTHING: Mapping[int, bytes] = MappingProxyType({})


class CodeMap:
    """The code indices after insertions: ``insertions`` are their code by index, all of aligned length, and ``behind``
    the code in front of these, to which only the instruction before leads, or the entry of the method.
    """

    def __init__(self, insertions: Mapping[int, bytes], behind: Mapping[int, bytes] = NOTHING) -> None:
        self._at = sorted({*insertions, *behind})
        self._behind = behind
        lengths = (len(insertions.get(at, b"")) + len(behind.get(at, b"")) for at in self._at)
        self._sums = [0, *accumulate(lengths)]

    def place(self, index: int) -> int:
        """Return where the instruction is that was at ``index``."""
        return index + self._sums[bisect_right(self._at, index)]

    def target(self, index: int) -> int:
        """Return where a jump to ``index`` leads."""
        return index + self._sums[bisect_left(self._at, index)] + len(self._behind.get(index, b""))

    def variable(self, index: int) -> int:
        """Return where a variable begins or ends that did so at ``index``: arguments are there from the beginning."""
        return self.target(index) if index else 0


def insert(
    parts: CodeParts,
    pool: ConstantPool,
    insertions: Mapping[int, bytes],
    stack: int,
    behind: Mapping[int, bytes] = NOTHING,
) -> CodeParts:
    """Return the code with insertions before the instructions at their indices; they push up to ``stack`` words.
    ``behind`` is as of ``CodeMap``.

    Type annotations of code and attributes of no known meaning are left out: no VM uses them.
    Raises JumpTooFar, MalformedCode, UnknownFrame, struct.error.
    """
    where = CodeMap(insertions, behind)
    attributes = []
    for each in parts.attributes:
        content = _shifted(each, pool, where)
        if content is not None:
            attributes.append(each.replace(content=content))
    return CodeParts(
        stack=parts.stack + stack,
        locals=parts.locals,
        code=_shifted_code(parts.code, insertions, behind, where),
        handlers=tuple(
            (where.place(start), where.target(end), where.target(handler), kind)
            for start, end, handler, kind in parts.handlers
        ),
        attributes=tuple(attributes),
    )


def _shifted(attribute: Attribute, pool: ConstantPool, where: CodeMap) -> bytes | None:
    reader = PartReader(attribute.content, pool)
    match attribute.name:
        case "StackMapTable":
            return shift_frames(attribute.content, where.target, where.place)
        case "LineNumberTable":
            return _table(">HH", [(where.target(start), line) for start, line in reader.rows(">HH")])
        case "LocalVariableTable" | "LocalVariableTypeTable":
            rows = []
            for start, length, *rest in reader.rows(">HHHHH"):
                begin = where.variable(start)
                rows.append((begin, where.variable(start + length) - begin, *rest))
            return _table(">HHHHH", rows)
    return None


def _table(form: str, rows: Sequence[tuple[int, ...]]) -> bytes:
    return struct.pack(">H", len(rows)) + b"".join(struct.pack(form, *row) for row in rows)


def _shifted_code(code: bytes, insertions: Mapping[int, bytes], behind: Mapping[int, bytes], where: CodeMap) -> bytes:
    out = bytearray()
    copied = 0
    for at in sorted({*insertions, *behind}):
        out += code[copied:at]
        out += behind.get(at, b"") + insertions.get(at, b"")
        copied = at
    out += code[copied:]
    for each in decode(code):
        for offset, form in _jump_operands(code, each):
            [distance] = struct.unpack_from(form, code, offset)
            now = where.target(each.index + distance) - where.place(each.index)
            if form == ">h" and not -0x8000 <= now <= 0x7FFF:
                raise JumpTooFar
            struct.pack_into(form, out, where.place(each.index) + offset - each.index, now)
    return bytes(out)


def _jump_operands(code: bytes, instruction: DecodedInstruction) -> Iterator[tuple[int, str]]:
    """Return the offsets in the code at which an instruction has distances, and their form."""
    index, opcode = instruction.index, instruction.opcode
    if opcode in _SHORT_JUMPS:
        yield index + 1, ">h"
    elif opcode in (_GOTO_W, _JSR_W):
        yield index + 1, ">i"
    elif opcode in (_TABLESWITCH, _LOOKUPSWITCH):
        start = index + 4 - index % 4
        yield start, ">i"
        end = index + instruction.length
        first, step = (start + 12, 4) if opcode == _TABLESWITCH else (start + 12, 8)
        for offset in range(first, end, step):
            yield offset, ">i"

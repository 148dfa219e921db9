"""A class in a form in which what the target runs and what a file holds can be compared.

Code is compared by what it means, not by its bytes: the VM numbers the constants anew when it redefines a class. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from jdbpy.record import Record
from jdbpy.session.code.constant_pool import KINDS, ConstantPool
from jdbpy.session.code.instructions import MalformedCode, decode
from jdbpy.session.code.operands import OperandReader
from jdbpy.session.hotswap.class_file import ClassFile

FIELD_BITS, METHOD_BITS = 0x00DF, 0x0DFF
"""Modifiers that a class file and the agent tell alike (JVMS 4.5, 4.6).

The agent marks synthetic members in its own way, and Java 17 lets bits of its own through.
"""

MemberKey = tuple[str, str]
"""Name and JNI signature."""

CodeRow = tuple[object, ...]


class MethodShape(Record):
    """A method: ``rows`` are its instructions with names for their operands, None when the code cannot be read."""

    access: int
    rows: tuple[CodeRow, ...] | None
    lines: tuple[tuple[int, int], ...]
    variables: frozenset[tuple[int, int, str, str, int]]


class ClassShape(Record):
    """A class. Names are internal; ``fields`` gives the modifiers of each; ``constants`` are (kind, text)."""

    name: str
    version: tuple[int, int]
    access: int
    superclass: str
    interfaces: tuple[str, ...]
    fields: Mapping[MemberKey, int]
    methods: Mapping[MemberKey, MethodShape]
    constants: frozenset[tuple[str, str]] | None


def of_file(file: ClassFile) -> ClassShape:
    """The shape of a class file."""
    return ClassShape(
        name=file.name,
        version=(file.major, file.minor),
        access=file.access,
        superclass=file.superclass,
        interfaces=file.interfaces,
        fields={(field.name, field.signature): field.access & FIELD_BITS for field in file.fields},
        methods={
            (method.name, method.signature): MethodShape(
                method.access & METHOD_BITS, code_rows(method.code, file.pool), method.lines, method.variables
            )
            for method in file.methods
        },
        constants=constants_of(file.pool),
    )


def code_rows(code: bytes, pool: ConstantPool | None) -> tuple[CodeRow, ...] | None:
    """The instructions without the numbers of constants."""
    reader = OperandReader(code, pool, (), "")
    try:
        return tuple(_rows(code, reader))
    except (MalformedCode, IndexError):
        return None


def constants_of(pool: ConstantPool | None) -> frozenset[tuple[str, str]] | None:
    """What the pool holds, whatever its numbers."""
    return frozenset((KINDS[pool.tag(index)], pool.text(index)) for index in pool) if pool is not None else None


def _rows(code: bytes, reader: OperandReader) -> Iterable[CodeRow]:
    for instruction in decode(code):
        operands = reader.operands(instruction)
        text = operands.text.partition(", ")[2] if operands.text.startswith("#") else operands.text
        cases = tuple((case.label, case.target) for case in operands.cases)
        yield instruction.index, reader.name(instruction), text, operands.meaning, cases

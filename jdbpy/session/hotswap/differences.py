"""The differences between a class that the target runs and a newer one; why the VM refuses to redefine it. Pure.

A class is put into a form in which what the target runs and what a file holds can be compared (``ClassShape``). Code is
compared by what it means, not by its bytes: the VM numbers the constants anew when it redefines a class. The agent
gives one error for all classes together; which of them it means is found by comparing them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from jdbpy.errors import JdwpError
from jdbpy.record import Record
from jdbpy.session.inspect.bytecode import OperandReader
from jdbpy.session.java.bytecode import MalformedCode, decode
from jdbpy.session.java.class_file import ClassFile, version_words
from jdbpy.session.java.constant_pool import KINDS, ConstantPool
from jdbpy.session.java.signatures import java_name, parameter_types, simple_name
from jdbpy.wire.constants import Error

FIELD_BITS, METHOD_BITS = 0x00DF, 0x0DFF
"""Modifiers that a class file and the agent tell alike (JVMS 4.5, 4.6).

The agent marks synthetic members in its own way, and Java 17 lets bits of its own through.
"""

_INITIALIZER_BITS = 0x0808  # static, strictfp: of a class initializer the VM forgets all others, which Clojure's have


def method_bits(name: str, access: int) -> int:
    """Return those modifiers of a method that a class file and the agent tell alike."""
    return access & (_INITIALIZER_BITS if name == "<clinit>" else METHOD_BITS)


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
    """Return the shape of a class file."""
    return ClassShape(
        name=file.name,
        version=(file.major, file.minor),
        access=file.access,
        superclass=file.superclass,
        interfaces=file.interfaces,
        fields={(field.name, field.signature): field.access & FIELD_BITS for field in file.fields},
        methods={
            (method.name, method.signature): MethodShape(
                method_bits(method.name, method.access),
                code_rows(method.code, file.pool),
                method.lines,
                method.variables,
            )
            for method in file.methods
        },
        constants=constants_of(file.pool),
    )


def code_rows(code: bytes, pool: ConstantPool | None) -> tuple[CodeRow, ...] | None:
    """Return the instructions without the numbers of constants."""
    reader = OperandReader(code, pool, (), "")
    try:
        return tuple(_rows(code, reader))
    except (MalformedCode, IndexError):
        return None


def constants_of(pool: ConstantPool | None) -> frozenset[tuple[str, str]] | None:
    """Return what the pool holds, whatever its numbers."""
    return frozenset((KINDS[pool.tag(index)], pool.text(index)) for index in pool) if pool is not None else None


def _rows(code: bytes, reader: OperandReader) -> Iterable[CodeRow]:
    for instruction in decode(code):
        operands = reader.operands(instruction)
        text = operands.text.partition(", ")[2] if operands.text.startswith("#") else operands.text
        cases = tuple((case.label, case.target) for case in operands.cases)
        yield instruction.index, reader.name(instruction), text, operands.meaning, cases


_CLASS_BITS = 0x0611  # public, final, interface, abstract: those that nested classes do not tell in their own way


class ShapeDifference(Record):
    """One difference. ``refusal`` is the error with which a VM refuses it that cannot do it; None: any VM can."""

    text: str
    refusal: Error | None = None


def differences(running: ClassShape, new: ClassShape) -> list[ShapeDifference]:
    """Return all differences that can be known; [] when both are the same."""
    found = [*_of_head(running, new), *_of_fields(running.fields, new.fields), *_of_methods(running, new)]
    if not found and running.constants is not None and (new.constants or frozenset()) - running.constants:
        found.append(ShapeDifference("constants"))  # annotations, default values and the like: nothing else shows them
    return found


def describe(key: MemberKey) -> str:
    """Return a method as people write it, "total(int)"; types without their packages."""
    name, signature = key
    return f"{name}({', '.join(simple_name(each) for each in parameter_types(signature))})"


def _of_head(running: ClassShape, new: ClassShape) -> Iterator[ShapeDifference]:
    if running.superclass != new.superclass:
        yield ShapeDifference(f"extends {_name(new.superclass)}", Error.HIERARCHY_CHANGE_NOT_IMPLEMENTED)
    if running.interfaces != new.interfaces:
        names = ", ".join(map(_name, new.interfaces)) or "nothing"
        yield ShapeDifference(f"implements {names}", Error.HIERARCHY_CHANGE_NOT_IMPLEMENTED)
    if "$" not in new.name and (running.access ^ new.access) & _CLASS_BITS:
        yield ShapeDifference("other modifiers of the class", Error.CLASS_MODIFIERS_CHANGE_NOT_IMPLEMENTED)


def _of_fields(running: Mapping[MemberKey, int], new: Mapping[MemberKey, int]) -> Iterator[ShapeDifference]:
    refusal = Error.SCHEMA_CHANGE_NOT_IMPLEMENTED
    for name, signature in new:
        if (name, signature) not in running:
            yield ShapeDifference(f"new field {java_name(signature)} {name}", refusal)
        elif running[name, signature] != new[name, signature]:
            yield ShapeDifference(f"other modifiers of field {name}", refusal)
    for name, signature in running:
        if (name, signature) not in new:
            yield ShapeDifference(f"no field {java_name(signature)} {name} any more", refusal)
    if list(running) != list(new) and set(running) == set(new):
        yield ShapeDifference("another order of the fields", refusal)


def _of_methods(running: ClassShape, new: ClassShape) -> Iterator[ShapeDifference]:
    for key, method in new.methods.items():
        before = running.methods.get(key)
        if before is None:
            yield ShapeDifference(f"new method {describe(key)}", Error.ADD_METHOD_NOT_IMPLEMENTED)
        else:
            yield from _of_method(key, before, method)
    for key in running.methods:
        if key not in new.methods:
            yield ShapeDifference(f"no method {describe(key)} any more", Error.DELETE_METHOD_NOT_IMPLEMENTED)


def _of_method(key: MemberKey, before: MethodShape, method: MethodShape) -> Iterator[ShapeDifference]:
    if before.access != method.access:
        yield ShapeDifference(f"other modifiers of {describe(key)}", Error.METHOD_MODIFIERS_CHANGE_NOT_IMPLEMENTED)
    if before.rows != method.rows:
        yield ShapeDifference(describe(key))
    elif before.lines != method.lines:
        yield ShapeDifference(f"lines of {describe(key)}")
    elif before.variables != method.variables:
        yield ShapeDifference(f"variables of {describe(key)}")


def _name(internal: str) -> str:
    return internal.replace("/", ".")


_SHOWN = 3


def explained(
    error: JdwpError, refused: Mapping[str, Sequence[ShapeDifference]], new: Sequence[ClassShape]
) -> JdwpError:
    """Return the error with what it is about. ``refused`` are the differences of each class by name, ``new`` its
    files."""
    about = [
        f"{name}: {difference.text}"
        for name, found in refused.items()
        for difference in found
        if difference.refusal == error.number
    ]
    if error.number == Error.UNSUPPORTED_VERSION:
        newest = max(new, key=lambda shape: shape.version)
        about = [f"{newest.name.replace('/', '.')} is {version_words(newest.version)}"]
    elif not about:
        about = list(refused)
    more = f" and {len(about) - _SHOWN} more" if len(about) > _SHOWN else ""
    text = f"{error.message}: {'; '.join(about[:_SHOWN])}{more}"
    return JdwpError(error.number, error.code, f"{text}; nothing was changed", hint=error.hint, command=error.command)

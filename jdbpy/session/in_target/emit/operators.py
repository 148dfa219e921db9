"""Bytecode of constants, arithmetic, comparisons and conversions of primitives: Java's own, so exact by nature."""

from __future__ import annotations

from collections.abc import Mapping

from jdbpy.session.eval.operands import LocalString, OperandValue
from jdbpy.session.eval.ops.operators import Compute
from jdbpy.session.java.edit.assembler import Assembler, Label
from jdbpy.session.java.types import BOOLEAN, BYTE, CHAR, DOUBLE, FLOAT, INT, LONG, SHORT, JavaType, Primitive

STACK_KINDS: Mapping[Primitive, str] = {
    BOOLEAN: "i", BYTE: "i", SHORT: "i", CHAR: "i", INT: "i", LONG: "l", FLOAT: "f", DOUBLE: "d",
}  # fmt: skip
"""The letter with which instructions for a type begin."""

BINARY: Mapping[str, str] = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "%": "rem", "&": "and", "|": "or", "^": "xor",
    "<<": "shl", ">>": "shr", ">>>": "ushr",
}  # fmt: skip

COMPARISONS: Mapping[str, tuple[str, str]] = {
    "==": ("eq", "ne"), "!=": ("ne", "eq"),
    "<": ("lt", "ge"), ">=": ("ge", "lt"), ">": ("gt", "le"), "<=": ("le", "gt"),
}  # fmt: skip
"""The ends of the jumps that are taken when the comparison is true, and when it is false."""

_NARROW: Mapping[Primitive, str] = {BYTE: "i2b", SHORT: "i2s", CHAR: "i2c"}


def push_constant(code: Assembler, kind: JavaType, value: OperandValue) -> bool:
    """Push a compile-time constant; False if it is none that a pool can hold."""
    if isinstance(value, LocalString):
        code.push_string(value.text)
        return True
    if not isinstance(kind, Primitive) or not isinstance(value, bool | int | float):
        return False
    match STACK_KINDS[kind]:
        case "i":
            code.push_int(int(value))
        case "l":
            code.push_long(int(value))
        case "f":
            code.push_float(float(value))
        case _:
            code.push_double(float(value))
    return True


def compute(code: Assembler, op: Compute) -> None:
    """The operator, its operands being on the stack. Comparisons and ``!`` are jumps: see ``compare``."""
    letter = STACK_KINDS[op.kind]
    if len(op.operands) == 2:
        if op.operator in ("<<", ">>", ">>>") and op.operands[1].type is LONG:
            code.op("l2i")
        code.op(letter + BINARY[op.operator])
    elif op.operator == "-":
        code.op(letter + "neg")
    elif op.operator == "~":
        if letter == "l":
            code.push_long(-1)
        else:
            code.push_int(-1)
        code.op(letter + "xor")


def is_test(op: Compute) -> bool:
    """True if the operator's value is a boolean that jumps tell."""
    return op.operator in COMPARISONS or op.operator == "!"


def compare(code: Assembler, op: Compute, label: Label, *, when: bool) -> None:
    """Jump if the comparison of the two values on the stack has that outcome."""
    letter = STACK_KINDS[op.kind]
    end = COMPARISONS[op.operator][not when]
    if letter == "i":
        code.jump(f"if_icmp{end}", label)
        return
    if letter == "l":
        code.op("lcmp")
    else:  # NaN is less than nothing and greater than nothing: it must make the comparison false
        code.op(f"{letter}cmpg" if op.operator in ("<", "<=") else f"{letter}cmpl")
    code.jump(f"if{end}", label)


def convert(code: Assembler, source: Primitive, target: Primitive) -> None:
    """A cast or widening of the value on the stack (JLS 5.1.2, 5.1.3)."""
    one, other = STACK_KINDS[source], STACK_KINDS[target]
    if source is target or BOOLEAN in (source, target):
        return
    if one != other:
        code.op(f"{one}2{other}")
    if target in _NARROW:
        code.op(_NARROW[target])

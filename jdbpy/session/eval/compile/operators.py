"""Typing of Java's operators, assignment aside (JLS 15.15 to 15.25).

Owns promotion, the type of a conditional, string concatenation, the meaning of ``==``, and javac's sentences for
operands that do not fit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jdbpy.errors import EvalError
from jdbpy.session.eval.operands import LocalString
from jdbpy.session.eval.ops.base import Constant, NotConstant, Op, Scope
from jdbpy.session.eval.ops.operators import (
    Concat,
    ConditionalOp,
    SameObject,
    ShortCircuit,
    StringConversion,
    arithmetic_op,
    comparison_op,
    shift_op,
    unary_op,
)
from jdbpy.session.eval.ops.values import constant_text
from jdbpy.session.eval.syntax import tree
from jdbpy.session.eval.typing.conversions import ConversionContext, castable
from jdbpy.session.java import arithmetic
from jdbpy.session.java.types import (
    BOOLEAN,
    BYTE,
    CHAR,
    INT,
    LATE,
    NULL,
    SHORT,
    STRING,
    VOID,
    JavaType,
    Primitive,
    boxed,
    is_boolean,
    is_integral,
    is_numeric,
    is_string,
    unboxed,
)

if TYPE_CHECKING:
    from jdbpy.session.eval.compile.compiler import Compiler


async def compile_unary(c: Compiler, node: tree.Unary, scope: Scope) -> Op:
    """``+ - ! ~`` (JLS 15.15)."""
    operand = await c.value(node.operand, scope)
    wanted = {"!": is_boolean, "~": is_integral}.get(node.op, is_numeric)
    kind = unboxed(operand.type)
    if kind is None or not wanted(kind):
        error = EvalError(f"bad operand type {operand.type} for unary operator '{node.op}'", node.at)
        return c.late(node, scope, error, operand=operand)
    promoted = kind if node.op == "!" else arithmetic.unary_promotion(kind)
    op = unary_op(node.op, promoted, await c.convert(operand, promoted, ConversionContext.LOOSE), node.at)
    if node.op == "!":
        op.when_true, op.when_false = operand.when_false, operand.when_true
    return op


async def compile_binary(c: Compiler, node: tree.Binary, scope: Scope) -> Op:
    """Return all operators of two operands."""
    if node.op in ("&&", "||"):
        return await _short_circuit(c, node, scope)
    left = await c.value(node.left, scope)
    right = await c.value(node.right, scope)
    op = await binary_op(c, node.op, left, right, node.at)
    if op is None and node.op in arithmetic.EQUALITY and _both_known(left, right):
        raise bad_operands(node.op, left, right, node.at)
    if op is None:
        return c.late(node, scope, bad_operands(node.op, left, right, node.at), left=left, right=right)
    return op


def _both_known(left: Op, right: Op) -> bool:
    """True if both are references of some type: if those cannot be compared, their subtypes cannot either."""
    return left.type.is_reference and right.type.is_reference and LATE not in (left.type, right.type)


def bad_operands(op: str, left: Op, right: Op, at: int) -> EvalError:
    if op in arithmetic.EQUALITY and left.type.is_reference == right.type.is_reference:
        return EvalError(f"incomparable types: {left.type} and {right.type}", at)
    return EvalError(f"bad operand types for binary operator '{op}': {left.type} and {right.type}", at)


async def _short_circuit(c: Compiler, node: tree.Binary, scope: Scope) -> Op:
    left = await c.value(node.left, scope)
    both = node.op == "&&"
    bound = left.when_true if both else left.when_false
    right = await c.value(node.right, scope.with_variables(bound))
    if not all(is_boolean(side.type) or c.inexact(side) for side in (left, right)):
        raise bad_operands(node.op, left, right, node.at)
    left, right = (
        await c.convert(left, BOOLEAN, ConversionContext.LOOSE),
        await c.convert(right, BOOLEAN, ConversionContext.LOOSE),
    )
    op = ShortCircuit(node.op, left, right, node.at)
    if both:
        op.when_true = {**left.when_true, **right.when_true}
    else:
        op.when_false = {**left.when_false, **right.when_false}
    return op


async def binary_op(c: Compiler, op: str, left: Op, right: Op, at: int) -> Op | None:
    """Return the operation for two compiled operands, None when their types do not fit it."""
    if op == "+" and (is_string(left.type) or is_string(right.type)):
        return _concat(left, right, at, c.target.release)
    if op in arithmetic.EQUALITY:
        return await _equality(c, op, left, right, at)
    one, other = unboxed(left.type), unboxed(right.type)
    if one is None or other is None:
        return None
    if op in arithmetic.BITWISE and one is BOOLEAN and other is BOOLEAN:
        kind = BOOLEAN
    elif op in arithmetic.BITWISE or op in arithmetic.SHIFTS:
        if not (is_integral(one) and is_integral(other)):
            return None
        kind = arithmetic.binary_promotion(one, other)
    elif is_numeric(one) and is_numeric(other):
        kind = arithmetic.binary_promotion(one, other)
    else:
        return None
    if op in arithmetic.SHIFTS:  # each operand is promoted by itself (JLS 15.19)
        kind, distance = arithmetic.unary_promotion(one), arithmetic.unary_promotion(other)
        a, b = (
            await c.convert(left, kind, ConversionContext.LOOSE),
            await c.convert(right, distance, ConversionContext.LOOSE),
        )
        return shift_op(op, kind, a, b, at)
    a, b = await c.convert(left, kind, ConversionContext.LOOSE), await c.convert(right, kind, ConversionContext.LOOSE)
    return comparison_op(op, a, b, at) if op in arithmetic.RELATIONAL else arithmetic_op(op, kind, a, b, at)


def _concat(left: Op, right: Op, at: int, release: int) -> Op:
    constants = [constant_text(op, release) for op in (left, right)]
    if constants[0] is not None and constants[1] is not None:
        return Constant(STRING, LocalString(constants[0] + constants[1], interned=True), at)
    parts = [*(left.parts if isinstance(left, Concat) else [StringConversion(left)]), StringConversion(right)]
    return Concat(parts, at)


async def _equality(c: Compiler, op: str, left: Op, right: Op, at: int) -> Op | None:
    one, other = unboxed(left.type), unboxed(right.type)
    if isinstance(left.type, Primitive) or isinstance(right.type, Primitive):
        if one is None or other is None:
            return await _equality_by_cast(c, op, left, right, at)
        if is_numeric(one) and is_numeric(other):
            kind = arithmetic.binary_promotion(one, other)
        elif one is BOOLEAN and other is BOOLEAN:
            kind = BOOLEAN
        else:
            return None
        a, b = (
            await c.convert(left, kind, ConversionContext.LOOSE),
            await c.convert(right, kind, ConversionContext.LOOSE),
        )
        return comparison_op(op, a, b, at)
    await c.graph.ensure([left.type, right.type])
    if LATE not in (left.type, right.type) and not castable(c.graph, left.type, right.type):
        return None
    return SameObject(left, right, at, negated=op == "!=")


async def _equality_by_cast(c: Compiler, op: str, left: Op, right: Op, at: int) -> Op | None:
    """Return a primitive and a reference that can be cast to it, such as ``object == 5`` (javac's reading of JLS
    15.21)."""
    reference, primitive = (right, left) if isinstance(left.type, Primitive) else (left, right)
    box = boxed(primitive.type)
    await c.graph.ensure([reference.type, box])
    if reference.type in (NULL, LATE) or not c.graph.is_subtype(box, reference.type):
        return None
    cast = await c.convert(primitive, box, ConversionContext.LOOSE)
    ordered = (reference, cast) if reference is left else (cast, reference)
    return SameObject(*ordered, at, negated=op == "!=")


async def compile_conditional(c: Compiler, node: tree.Conditional, scope: Scope) -> Op:
    """``a ? b : c`` (JLS 15.25), typed by its branches alone."""
    condition = await c.condition(node.condition, scope)
    then = await c.expression(node.then, scope.with_variables(condition.when_true))
    otherwise = await c.expression(node.otherwise, scope.with_variables(condition.when_false))
    for branch in (then, otherwise):
        if branch.type is VOID:
            raise EvalError("incompatible types: bad type in conditional expression", branch.at)
    kind = await common_type(c, [then, otherwise])
    if kind is not LATE:
        then, otherwise = await c.assign_to(then, kind), await c.assign_to(otherwise, kind)
    return ConditionalOp(kind, condition, then, otherwise, node.at)


async def common_type(c: Compiler, branches: list[Op]) -> JavaType:
    """Return the type of a conditional or switch expression with these results (JLS 15.25, 15.28.1)."""
    kinds = [branch.type for branch in branches]
    if LATE in kinds:
        return LATE
    if all(kind == kinds[0] for kind in kinds):
        return kinds[0]
    primitives = [unboxed(kind) for kind in kinds]
    present = [kind for kind in primitives if kind is not None]
    if len(present) == len(kinds):
        if all(kind is BOOLEAN for kind in present):
            return BOOLEAN
        if BOOLEAN not in present:
            return _common_number(branches, present)
    result: JavaType = NULL
    references = [boxed(kind) for kind in kinds]
    await c.graph.ensure(references)
    for kind in references:
        result = c.graph.common(result, kind)
    return result


def _common_number(branches: list[Op], kinds: list[Primitive]) -> JavaType:
    """Numeric branches: small types stay small where their constants allow it, else binary promotion."""
    constant_ints = [branch.type is INT and not isinstance(branch.constant, NotConstant) for branch in branches]
    fixed = [kind for kind, constant in zip(kinds, constant_ints, strict=True) if not constant]
    values = [branch.constant for branch, constant in zip(branches, constant_ints, strict=True) if constant]
    for small in (BYTE, SHORT, CHAR):
        narrow_enough = all(kind is small or (small is SHORT and kind is BYTE) for kind in fixed)
        fits = all(isinstance(value, int) and arithmetic.fits(value, small) for value in values)
        if small in fixed and narrow_enough and fits:
            return small
    result = kinds[0]
    for kind in kinds[1:]:
        result = kind if kind is result else arithmetic.binary_promotion(result, kind)
    return result

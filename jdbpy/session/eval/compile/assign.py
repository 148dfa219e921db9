"""Typing of assignment, compound assignment, ``++`` and ``--`` (JLS 15.14, 15.15, 15.26)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jdbpy.errors import EvalError
from jdbpy.session.eval.compile.names import variable
from jdbpy.session.eval.compile.operators import bad_operands, binary_op
from jdbpy.session.eval.compile.scope import Scope
from jdbpy.session.eval.java.conversions import ConversionContext
from jdbpy.session.eval.java.types import INT, LATE, NULL, OBJECT, is_numeric, unboxed
from jdbpy.session.eval.ops.assign import VARIABLES, Modify, Store
from jdbpy.session.eval.ops.base import Constant, Op, ReadCell
from jdbpy.session.eval.ops.convert import Late
from jdbpy.session.eval.ops.read import ReadVariable
from jdbpy.session.eval.ops.sequences import TakeElement
from jdbpy.session.eval.syntax import tree
from jdbpy.session.eval.variables import OWN_NAMES

if TYPE_CHECKING:
    from jdbpy.session.eval.compile.compiler import Compiler


async def compile_assign(c: Compiler, node: tree.Assign, scope: Scope) -> Op:
    """``a = b`` and ``a op= b``."""
    if isinstance(node.target, tree.Name) and node.target.name.startswith("$"):
        found = await _debugger_variable(c, node, node.target, scope)
        if found is not None:
            return found
    target = await c.expression(node.target, scope)
    if isinstance(target, Late):
        return _late(node, target)
    _require_variable(c, target)
    value = await c.value(node.value, scope)
    if node.op == "=":
        return Store(target, await c.assign_to(value, target.type), node.at)
    return await _modify(c, target, node.op[:-1], value, node.at)


async def compile_update(c: Compiler, node: tree.Update, scope: Scope) -> Op:
    """``++`` and ``--``."""
    target = await c.expression(node.operand, scope)
    if isinstance(target, Late):
        return Late(node.replace(operand=target.node), target.operands, target.cells, target.scope)
    _require_variable(c, target)
    if not is_numeric(target.type):
        c.refuse(f"bad operand type {target.type} for unary operator '{node.op}'", node.at)
    one = Constant(INT, 1, node.at)
    return await _modify(c, target, node.op[0], one, node.at, step=True, gives_old=not node.prefix)


def _late(node: tree.Assign, target: Late) -> Op:
    """The variable is known when the program runs: so is what can be assigned to it."""
    return Late(node.replace(target=target.node), target.operands, target.cells, target.scope)


def _require_variable(c: Compiler, target: Op) -> None:
    if not isinstance(target, VARIABLES):
        hint = "an element of a list is set by a call: list.set(0, value)" if isinstance(target, TakeElement) else ""
        c.refuse("unexpected type: required variable, found value", target.at, hint)


async def _modify(
    c: Compiler, target: Op, op: str, value: Op, at: int, *, step: bool = False, gives_old: bool = False
) -> Op:
    """``target = (T)(target op value)``, the variable located once (JLS 15.26.2); ``step`` tells ``++`` and ``--``."""
    old = ReadCell(target.type, c.new_cell(), target.at, "value")
    computed = await binary_op(c, op, old, value, at)
    if computed is None:
        raise bad_operands(op, target, value, at)
    computed.at = value.at
    narrowed = unboxed(target.type) if step else None
    if narrowed is not None:  # ++ narrows before it boxes; a compound assignment does not (JLS 15.14.2, 15.26.2)
        computed = await c.convert(computed, narrowed, ConversionContext.CAST)
    changed = await c.convert(computed, target.type, ConversionContext.CAST)
    return Modify(target, old.cell, changed, at, gives_old=gives_old)


async def _debugger_variable(c: Compiler, node: tree.Assign, target: tree.Name, scope: Scope) -> Op | None:
    """``$name = value``; None when the program has a variable of that name, or when it is to be modified."""
    name = target.name[1:]
    if name in OWN_NAMES or name.isdecimal():
        raise EvalError(f"${name} is set by the debugger", target.at, hint="choose a name of your own, such as $x")
    if node.op != "=" or (name not in c.variable_types and await _is_of_the_program(c, target, scope)):
        return None
    value = await c.value(node.value, scope)
    kind = OBJECT if value.type in (NULL, LATE) else value.type
    c.variable_types[name] = LATE if value.type is LATE else kind
    return Store(ReadVariable(value.type, name, target.at), value, node.at)


async def _is_of_the_program(c: Compiler, target: tree.Name, scope: Scope) -> bool:
    found = await variable(c, target.name, target.at, scope)
    return found is not None and not isinstance(found, ReadVariable)

"""Typing of assignments, ``++`` and ``--`` (JLS 15.14, 15.15, 15.26), of literals, casts and ``instanceof``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jdbpy.errors import EvalError
from jdbpy.session.eval.compile.names import variable
from jdbpy.session.eval.compile.operators import bad_operands, binary_op
from jdbpy.session.eval.compile.shown import for_variable
from jdbpy.session.eval.compile.typenames import resolve_type
from jdbpy.session.eval.operands import LocalString, Operand
from jdbpy.session.eval.ops.assign import VARIABLES, Modify, Store
from jdbpy.session.eval.ops.base import Binding, Constant, Null, Op, ReadCell, Run, Scope
from jdbpy.session.eval.ops.convert import InstanceTest, Late
from jdbpy.session.eval.ops.read import ReadVariable
from jdbpy.session.eval.ops.sequences import TakeElement
from jdbpy.session.eval.syntax import tree
from jdbpy.session.eval.target import Ref
from jdbpy.session.eval.typing.conversions import ConversionContext, castable, refusal
from jdbpy.session.eval.variables import OWN_NAMES
from jdbpy.session.java.types import INT, LATE, NULL, OBJECT, STRING, Primitive, SequenceType, is_numeric, unboxed

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
        await c.value(node.value, scope)  # what it reads of the frame is read before anything runs
        return _late(node, target)
    _require_variable(c, target)
    value = await c.value(for_variable(node.value, target.type), scope)
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
    """``target = (T)(target op value)``, the variable located once (JLS 15.26.2); ``step`` is for ``++`` and ``--``."""
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
    value = await c.value(for_variable(node.value, OBJECT), scope)
    kind = OBJECT if value.type in (NULL, LATE) else value.type
    c.variable_types[name] = LATE if value.type is LATE else kind
    return Store(ReadVariable(value.type, name, target.at), value, node.at)


async def _is_of_the_program(c: Compiler, target: tree.Name, scope: Scope) -> bool:
    found = await variable(c, target.name, target.at, scope)
    return found is not None and not isinstance(found, ReadVariable)


async def compile_literal(c: Compiler, node: tree.Literal, scope: Scope) -> Op:
    """Return a literal. Strings are interned: the same text is the same object (JLS 3.10.5)."""
    if isinstance(node.value, str):
        return Constant(STRING, LocalString(node.value, interned=True), node.at)
    return Constant(node.type, node.value, node.at) if node.type is not NULL else Null(NULL, node.at)


async def compile_object_id(c: Compiler, node: tree.ObjectId, scope: Scope) -> Op:
    """``@123``: an object that the debugger has shown, by its id."""
    return _ObjectById(node.id, node.at)


class _ObjectById(Op):
    remote = True

    def __init__(self, object_id: int, at: int) -> None:
        super().__init__(LATE, at)
        self.id = object_id

    async def run(self, run: Run) -> Operand:
        if not self.id:
            raise EvalError("@0 is not an object", self.at)
        ref = Ref(self.id)
        await run.target.classes_of([ref])  # raises when there is no such object
        return Operand(OBJECT, ref)


async def compile_cast(c: Compiler, node: tree.Cast, scope: Scope) -> Op:
    """``(T) x``; of several types, each is checked and the first is the type of the result (JLS 15.16)."""
    op = await c.value(node.operand, scope)
    kinds = [await resolve_type(c, name) for name in node.types]
    if isinstance(op.type, SequenceType):
        c.refuse(refusal(op.type, kinds[0]), node.at)
    for kind in reversed(kinds):
        op = await c.convert(op, kind, ConversionContext.CAST)
    return op


async def compile_instance_of(c: Compiler, node: tree.InstanceOf, scope: Scope) -> Op:
    """``x instanceof T`` and ``x instanceof T name``."""
    op = await c.value(node.operand, scope)
    kind = await resolve_type(c, node.type)
    if isinstance(op.type, Primitive):
        c.refuse(f"unexpected type: required reference, found {op.type}", node.operand.at)
    if isinstance(kind, Primitive):
        c.refuse(f"unexpected type: required class or array, found {kind}", node.type.at)
    await c.graph.ensure([op.type, kind])
    if op.type is not LATE and not castable(c.graph, op.type, kind):
        c.refuse(refusal(op.type, kind), op.at)
    cell = None if node.binding is None else c.new_cell()
    test = InstanceTest(op, kind, cell, node.at)
    if node.binding is not None and cell is not None:
        if node.binding in scope.variables:
            c.refuse(f"variable {node.binding} is already defined", node.at)
        test.when_true = {node.binding: Binding(cell, kind)}
    return test

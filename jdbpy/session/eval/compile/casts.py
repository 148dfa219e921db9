"""Literals, objects by id, casts and ``instanceof`` (JLS 15.8.1, 15.16, 15.20.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jdbpy.errors import EvalError
from jdbpy.session.eval.compile.scope import Binding, Scope
from jdbpy.session.eval.compile.typenames import resolve_type
from jdbpy.session.eval.java.conversions import ConversionContext, castable, refusal
from jdbpy.session.eval.java.types import LATE, NULL, OBJECT, STRING, Primitive, SequenceType
from jdbpy.session.eval.operands import LocalString, Operand
from jdbpy.session.eval.ops.base import Constant, Null, Op, Run
from jdbpy.session.eval.ops.convert import InstanceTest
from jdbpy.session.eval.syntax import tree
from jdbpy.session.eval.target import Ref

if TYPE_CHECKING:
    from jdbpy.session.eval.compile.compiler import Compiler


async def compile_literal(c: Compiler, node: tree.Literal, scope: Scope) -> Op:
    """A literal. Strings are interned: the same text is the same object (JLS 3.10.5)."""
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
            raise EvalError("@0 is no object", self.at)
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

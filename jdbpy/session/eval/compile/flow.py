"""Typing of statements and of switch expressions (JLS 14, 15.28)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jdbpy.errors import EvalError
from jdbpy.session.eval.compile.operators import common_type
from jdbpy.session.eval.compile.typenames import resolve_type
from jdbpy.session.eval.operands import LocalString
from jdbpy.session.eval.ops.base import Binding, Op, Scope
from jdbpy.session.eval.ops.flow import Branch, Declare, Label, Leave, Statements, SwitchOp, ThrowValue
from jdbpy.session.eval.syntax import tree
from jdbpy.session.eval.typing.class_graph import JClass
from jdbpy.session.eval.typing.conversions import narrows_constant, refusal
from jdbpy.session.java import signatures
from jdbpy.session.java.types import (
    INT,
    LATE,
    LONG,
    NULL,
    OBJECT,
    VOID,
    ClassType,
    JavaType,
    is_integral,
    is_string,
    unboxed,
    upper_bound,
)

if TYPE_CHECKING:
    from jdbpy.session.eval.compile.compiler import Compiler


async def compile_statements(c: Compiler, nodes: Sequence[tree.Statement], scope: Scope, at: int) -> Statements:
    """Statements in order; what one declares is in scope for those after it."""
    ops: list[Op] = []
    for node in nodes:
        op, scope = await _statement(c, node, scope)
        ops.append(op)
    return Statements(ops, at)


async def _statement(c: Compiler, node: tree.Statement, scope: Scope) -> tuple[Op, Scope]:
    match node:
        case tree.ExpressionStatement():
            return await c.expression(node.expression, scope), scope
        case tree.LocalVariable():
            return await _declare(c, node, scope)
        case tree.Block():
            return await compile_statements(c, node.statements, scope, node.at), scope
        case tree.If():
            condition = await c.condition(node.condition, scope)
            then, _ = await _statement(c, node.then, scope.with_variables(condition.when_true))
            otherwise = None
            if node.otherwise is not None:
                otherwise, _ = await _statement(c, node.otherwise, scope.with_variables(condition.when_false))
            return Branch(condition, then, otherwise, node.at), scope
        case tree.Yield() | tree.Return():
            return Leave(None if node.value is None else await c.value(node.value, scope), node.at), scope
        case tree.Throw():
            return ThrowValue(await c.value(node.value, scope), node.at), scope
    raise EvalError("not a statement", node.at)


async def _declare(c: Compiler, node: tree.LocalVariable, scope: Scope) -> tuple[Op, Scope]:
    if node.name in scope.variables:
        c.refuse(f"variable {node.name} is already defined", node.at)
    value = None if node.value is None else await c.value(node.value, scope)
    if node.type is not None:
        kind = await resolve_type(c, node.type)
        value = None if value is None else await c.assign_to(value, kind)
    elif value is None:
        c.refuse(f"cannot infer type for local variable {node.name}: cannot use 'var' without initializer", node.at)
    else:
        kind = OBJECT if value.type is NULL else value.type
    binding = Binding(c.new_cell(), kind)
    return Declare(kind, binding.cell, value, node.at), scope.with_variables({node.name: binding})


# Switch


async def compile_switch(c: Compiler, node: tree.Switch, scope: Scope) -> Op:
    """Return a switch expression; where no case has a value it may stand as a statement."""
    selector = await c.value(node.selector, scope)
    if await _enum_of(c, selector) is None and not _can_be_selected(selector.type):
        message = f"constant expression required; {selector.type} cannot be switched on in Java 17"
        return c.late(node, scope, EvalError(message, node.selector.at), selector=selector)
    labels, default = await _labels(c, node, selector)
    arrow = all(case.arrow for case in node.cases)
    if not arrow and any(case.arrow for case in node.cases):
        c.refuse("different case kinds used in the switch", node.at)
    bodies = [await _case_body(c, case, scope) for case in node.cases]
    results = [leaf for body in bodies for leaf in _results(body, rule=arrow)]
    kind = await _result_type(c, results)
    if kind is not VOID and default is None and not await _covers_enum(c, selector, labels):
        c.refuse("the switch expression does not cover all possible input values", node.at)
    if kind not in (VOID, LATE):
        bodies = [await _with_results(c, body, kind, rule=arrow) for body in bodies]
    return SwitchOp(kind, selector, labels, default, bodies, node.at, arrow=arrow)


async def _case_body(c: Compiler, case: tree.Case, scope: Scope) -> Op:
    return await compile_statements(c, case.body, scope, case.at)


def _results(op: Op, *, rule: bool) -> list[Op]:
    """Return the operations whose values a case can give: an expression after an arrow, and what is yielded."""
    match op:
        case Leave(value=value):
            return [] if value is None else [value]
        case Statements(ops=ops):
            return [leaf for each in ops for leaf in _results(each, rule=rule and len(ops) == 1)]
        case Branch(then=then, otherwise=otherwise):
            return [leaf for each in (then, otherwise) if each is not None for leaf in _results(each, rule=False)]
        case ThrowValue():
            return []
    return [op] if rule else []


async def _result_type(c: Compiler, results: list[Op]) -> JavaType:
    if not results or any(result.type is VOID for result in results):
        return VOID
    return await common_type(c, results)


async def _with_results(c: Compiler, op: Op, kind: JavaType, *, rule: bool) -> Op:
    """Return the body with each value it can give converted to the type of the switch."""
    match op:
        case Leave(value=Op() as value):
            return Leave(await c.assign_to(value, kind), op.at)
        case Statements(ops=ops):
            converted = [await _with_results(c, each, kind, rule=rule and len(ops) == 1) for each in ops]
            return Statements(converted, op.at)
        case Branch():
            then = await _with_results(c, op.then, kind, rule=False)
            otherwise = None if op.otherwise is None else await _with_results(c, op.otherwise, kind, rule=False)
            return Branch(op.condition, then, otherwise, op.at)
        case ThrowValue():
            return op
    return await c.assign_to(op, kind) if rule else op


async def _labels(c: Compiler, node: tree.Switch, selector: Op) -> tuple[dict[Label | None, int], int | None]:
    """Return which case each label chooses, and the default."""
    labels: dict[Label | None, int] = {}
    default: int | None = None
    enum = await _enum_of(c, selector)
    for index, case in enumerate(node.cases):
        if case.default:
            if default is not None:
                c.refuse("duplicate default label", case.at)
            default = index
        for label in case.labels:
            value = _enum_label(c, label, enum) if enum is not None else await _constant(c, label, selector.type)
            if value in labels:
                c.refuse("duplicate case label", case.at)
            labels[value] = index
    return labels, default


def _can_be_selected(kind: JavaType) -> bool:
    return is_string(kind) or kind is LATE or (is_integral(kind) and unboxed(kind) is not LONG)


def _enum_label(c: Compiler, node: tree.Expression, enum: ClassType) -> str:
    cls = c.graph.known(enum)
    if isinstance(node, tree.Name) and cls is not None and node.name in _constants(cls):
        return node.name
    raise EvalError("an enum switch case label must be the unqualified name of an enumeration constant", node.at)


def _constants(cls: JClass) -> set[str]:
    """Return the names of an enum's constants."""
    return {member.name for member in cls.facts.fields if member.bits & signatures.ENUM}


async def _constant(c: Compiler, node: tree.Expression, selector: JavaType) -> Label:
    op = await c.value(node, Scope())
    value = op.constant
    if isinstance(value, LocalString):
        if not is_string(selector) and selector is not LATE:
            c.refuse(refusal(op.type, selector), node.at)
        return value.text
    if isinstance(value, int):
        kind = unboxed(selector)
        fits = kind in (None, op.type, INT) or narrows_constant(value, op.type, selector)
        if is_string(selector) or not fits:
            c.refuse(refusal(op.type, selector), node.at)
        return value
    raise EvalError("constant expression required", node.at)


async def _enum_of(c: Compiler, selector: Op) -> ClassType | None:
    """Return the enum class of the selector, None when it is no enum."""
    kind = upper_bound(selector.type)
    if not isinstance(kind, ClassType):
        return None
    await c.graph.ensure([kind])
    return kind if c.graph.is_subtype(kind, ClassType("java.lang.Enum")) else None


async def _covers_enum(c: Compiler, selector: Op, labels: dict[Label | None, int]) -> bool:
    """True if the labels name every constant of the selector's enum."""
    kind = await _enum_of(c, selector)
    cls = c.graph.known(kind) if kind is not None else None
    return cls is not None and _constants(cls) <= set(labels)

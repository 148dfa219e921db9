"""Typing of ``array[index]``, slices, filters, and the lambdas that the debugger itself runs over elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jdbpy.errors import EvalError
from jdbpy.session.eval.ops.base import Binding, Op, Scope
from jdbpy.session.eval.ops.flow import Body as LeaveBody
from jdbpy.session.eval.ops.read import ReadElement
from jdbpy.session.eval.ops.sequence_methods import GIVES, KEEPS, METHODS
from jdbpy.session.eval.ops.sequences import ElementBody, GatherValues, SequenceCall, TakeElement, TakeSlice
from jdbpy.session.eval.syntax import tree
from jdbpy.session.eval.typing.conversions import ConversionContext
from jdbpy.session.java.types import (
    BOOLEAN,
    INT,
    LATE,
    OBJECT,
    VOID,
    ArrayType,
    ClassType,
    JavaType,
    SequenceType,
    is_numeric,
    unboxed,
    upper_bound,
)

if TYPE_CHECKING:
    from jdbpy.session.eval.compile.compiler import Compiler


async def compile_index(c: Compiler, node: tree.Index, scope: Scope) -> Op:
    """``array[index]`` (JLS 15.10.3), and ``list[index]``, which Java does not have."""
    array = await c.value(node.array, scope)
    index = await c.value(node.index, scope)
    kind = upper_bound(array.type)
    if isinstance(kind, ArrayType | SequenceType):
        return ReadElement(kind.element, array, await c.convert(index, INT, ConversionContext.LOOSE), node.at)
    if isinstance(kind, ClassType) and kind.name not in _NO_LISTS and not unboxed(kind):
        if is_numeric(index.type):  # what else it may be the elements of a map are asked for by: the value tells
            index = await c.convert(index, INT, ConversionContext.LOOSE)
        return TakeElement(await element_type(c, array.type), array, index, node.at)
    error = EvalError(f"array required, but {kind} found", node.at)
    return c.late(node, scope, error, array=array, index=index)


_NO_LISTS = ("java.lang.String", "java.lang.Object", "java.lang.Cloneable", "java.io.Serializable")
"""Strings, and the types that arrays have too (JLS 4.10.3): of these the value tells more."""


async def element_type(c: Compiler, kind: JavaType) -> JavaType:
    """Return the type of the elements, as far as the static type has it; else LATE."""
    kind = upper_bound(kind)
    if isinstance(kind, ArrayType | SequenceType):
        return kind.element
    if isinstance(kind, ClassType):
        iterable = ClassType("java.lang.Iterable")
        await c.graph.ensure([kind, iterable])
        view = c.graph.as_super(kind, iterable)
        if view is not None and view.args:
            return upper_bound(view.args[0])
    return LATE


async def compile_slice(c: Compiler, node: tree.Slice, scope: Scope) -> Op:
    """``sequence[start..end]``."""
    sequence = await c.value(node.sequence, scope)
    start = await c.convert(await c.value(node.start, scope), INT, ConversionContext.LOOSE)
    end = None if node.end is None else await c.convert(await c.value(node.end, scope), INT, ConversionContext.LOOSE)
    return TakeSlice(SequenceType(await element_type(c, sequence.type)), sequence, start, end, node.at)


async def compile_filter(c: Compiler, node: tree.Filter, scope: Scope) -> Op:
    """``sequence[? condition]``."""
    sequence = await c.value(node.sequence, scope)
    element = await element_type(c, sequence.type)
    condition = tree.Lambda(node.at, ("it",), node.condition)
    body = await _body(c, condition, element, scope, boolean=True)
    return SequenceCall(SequenceType(element), sequence, METHODS["filter"][0], [body], node.at)


async def calls_debugger(c: Compiler, node: tree.Call, target: Op) -> bool:
    """True if the call is one that the debugger runs over elements: on a sequence, or with a lambda that it knows.

    What has a method of that name of its own, such as a stream or an Optional, is called itself.
    """
    if isinstance(target.type, SequenceType):
        return True
    takes = METHODS[node.name][1] if node.name in METHODS else ""
    if takes not in ("condition", "mapping") or not any(map(_is_function, node.args)):
        return False
    kind = upper_bound(target.type)
    known = kind if isinstance(kind, ClassType) else OBJECT
    load = c.target.may_define_classes and not known.class_id
    cls = await c.graph.load(known.name) if load else await c.graph.of_type(known)
    return cls is None or not await c.graph.methods(cls, node.name)


def _is_function(node: tree.Expression) -> bool:
    return isinstance(node, tree.Lambda | tree.MethodRef)


def stream_source(node: tree.Call) -> tree.Expression | None:
    """``list`` of ``list.stream()`` in front of a method that the debugger runs itself; it needs no stream."""
    before = node.object
    is_stream = isinstance(before, tree.Call) and before.name in ("stream", "parallelStream") and not before.args
    if is_stream and node.name in METHODS and any(map(_is_function, node.args)):
        assert isinstance(before, tree.Call)
        return before.object
    return None


async def compile_sequence_call(c: Compiler, node: tree.Call, sequence: Op, scope: Scope) -> Op:
    """``sequence.filter(x -> ...)`` and its like."""
    if node.name not in METHODS:
        known = ", ".join(sorted(METHODS))
        error = f"cannot find symbol: method {node.name} of a sequence of the debugger"
        c.refuse(error, node.at, f"it has {known}")
    method, takes = METHODS[node.name]
    if takes != "text" and len(node.args) != bool(takes):
        wanted = {"": "no argument", "number": "a number"}.get(takes, "a lambda")
        c.refuse(f"{node.name} of a sequence takes {wanted}", node.at)
    element = await element_type(c, sequence.type)
    args: list[ElementBody | Op] = []
    for arg in node.args:
        if takes in ("condition", "mapping"):
            args.append(await _body(c, arg, element, scope, boolean=takes == "condition"))
        else:
            value = await c.value(arg, scope)
            args.append(await c.convert(value, INT, ConversionContext.LOOSE) if takes == "number" else value)
    return SequenceCall(_result(node.name, element, args), sequence, method, args, node.at)


def _result(name: str, element: JavaType, args: list[ElementBody | Op]) -> JavaType:
    if name in GIVES:
        return GIVES[name]
    if name in KEEPS:
        return SequenceType(element)
    if args and isinstance(args[0], ElementBody):
        return SequenceType(args[0].op.type)
    return LATE


async def _body(c: Compiler, node: tree.Expression, element: JavaType, scope: Scope, *, boolean: bool) -> ElementBody:
    """Return a lambda, or a method reference, over one element."""
    node = _as_lambda(node)
    if len(node.parameters) != 1:
        c.refuse("incompatible types: incompatible parameter types in lambda expression", node.at)
    binding = Binding(c.new_cell(), element)
    inner = scope.with_variables({node.parameters[0]: binding})
    if isinstance(node.body, tree.Block):
        from jdbpy.session.eval.compile.flow import compile_statements

        block = await compile_statements(c, node.body.statements, inner, node.at)
        op: Op = LeaveBody(BOOLEAN if boolean else LATE, block, node.at)
    elif boolean:
        op = await c.condition(node.body, inner)
    else:
        op = await c.expression(node.body, inner)
    if op.type is VOID:
        c.refuse("incompatible types: bad return type in lambda expression", node.at)
    return ElementBody(binding.cell, op)


def _as_lambda(node: tree.Expression) -> tree.Lambda:
    """Return a method reference as the equivalent lambda: a call on the element."""
    if isinstance(node, tree.Lambda):
        return node
    if isinstance(node, tree.MethodRef) and node.name != "new":
        body = tree.Call(node.at, tree.Name(node.at, "it"), node.name, ())
        return tree.Lambda(node.at, ("it",), body)
    raise EvalError("a lambda is expected here", node.at)


async def compile_values(c: Compiler, node: tree.ExpressionList, scope: Scope) -> Op:
    """Several expressions whose reads go out together."""
    return GatherValues([await c.value(element, scope) for element in node.elements], node.at)


async def compile_array_init(c: Compiler, node: tree.ArrayInit, scope: Scope) -> Op:
    c.refuse("illegal initializer: the type of the array is not known", node.at)


async def compile_super(c: Compiler, node: tree.Super, scope: Scope) -> Op:
    c.refuse("'.' expected", node.at)

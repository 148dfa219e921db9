"""From a syntax tree to operations, in the context of one frame.

Owns the dispatch to what compiles each kind of expression, conversions in their contexts, and the decision to leave an
operation to run time. The compiler asks for facts about classes and never for values.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, NoReturn

from jdbpy.errors import EvalError
from jdbpy.session.eval.compile.functions import Function, make_function
from jdbpy.session.eval.ops.base import FrameReads, Op, Scope, VariableStore
from jdbpy.session.eval.ops.convert import Convert, Late, LateConvert
from jdbpy.session.eval.syntax import tree
from jdbpy.session.eval.syntax.lexer import Imports
from jdbpy.session.eval.target import EvalTarget, FrameFacts
from jdbpy.session.eval.typing.class_graph import ClassGraph, JClass
from jdbpy.session.eval.typing.conversions import ConversionContext, narrowing, narrows_constant, plan, refusal
from jdbpy.session.java.types import BOOLEAN, LATE, NULL, VOID, FunctionType, JavaType, SequenceType, boxed

if TYPE_CHECKING:
    from jdbpy.session.eval.compile.names import Level

NEEDS_FRAME = "NEEDS_FRAME"
"""The code of errors about names that only a frame gives a meaning to."""

CompileExpression = Callable[["Compiler", Any, Scope], Awaitable[Op]]


class Compiler:
    """Compiles expressions for one frame. ``home`` is the class whose method the frame runs, None without a frame."""

    def __init__(
        self, target: EvalTarget, graph: ClassGraph, frame: FrameFacts, home: JClass | None, variables: VariableStore
    ) -> None:
        self.target = target
        self.graph = graph
        self.frame = frame
        self.home = home
        self.variables = variables
        self.variable_types: dict[str, JavaType] = {}  # of $variables that the text itself assigns
        self.reads = FrameReads()
        self.levels: list[Level] | None = None  # the classes around the frame's place, once they are known
        self._cells = 0
        self._imports: Imports | None = None

    async def imports(self) -> Imports:
        """Return the imports of the frame's source file, read when the first name needs them."""
        if self._imports is None:
            self._imports = await self.target.imports()
        return self._imports

    def forget_imports(self) -> None:
        """Read the imports again when a name needs them."""
        self._imports = None

    def new_cell(self) -> int:
        """Return the number of a new variable of the expression."""
        self._cells += 1
        return self._cells

    async def expression(self, node: tree.Expression, scope: Scope) -> Op:
        """Compile an expression; one of type void is let through."""
        from jdbpy.session.eval.compile.table import EXPRESSIONS

        return await EXPRESSIONS[type(node)](self, node, scope)

    async def value(self, node: tree.Expression, scope: Scope) -> Op:
        """Compile an expression that must have a value."""
        op = await self.expression(node, scope)
        if op.type is VOID:
            raise EvalError("'void' type not allowed here", node.at)
        return op

    async def condition(self, node: tree.Expression, scope: Scope) -> Op:
        """Compile an expression that must be boolean, or unbox to it."""
        return await self.convert(await self.value(node, scope), BOOLEAN, ConversionContext.LOOSE)

    # Conversions

    async def convert(self, op: Op, target: JavaType, context: ConversionContext) -> Op:
        """Return the value as another type; what the static type does not allow may be left to the run-time class."""
        if isinstance(op, Function):
            return await self._function(op, target)
        if op.type == target:
            return op
        if op.type.is_reference or target.is_reference:
            await self.graph.ensure([boxed(op.type), target])
        steps = plan(self.graph, op.type, target, context)
        if steps is not None:
            return Convert(target, op, steps, op.at)
        if self.inexact(op):
            return LateConvert(target, op, context, op.at)
        raise EvalError(refusal(op.type, target), op.at)

    async def _function(self, op: Function, target: JavaType) -> Op:
        """Return a lambda as an object of a functional interface."""
        await self.graph.ensure([target])
        if plan(self.graph, op.type, target, ConversionContext.LOOSE) is None:
            raise EvalError(f"incompatible types: {target} is not a functional interface for this lambda", op.at)
        return await make_function(self, op, target)

    async def assign_to(self, op: Op, target: JavaType) -> Op:
        """Return the value as it is assigned to a variable of the type: as ``convert``, and constants may narrow (JLS
        5.2)."""
        if narrows_constant(op.constant, op.type, target):
            return Convert(target, op, narrowing(target), op.at)
        return await self.convert(op, target, ConversionContext.LOOSE)

    # What is left for run time

    def inexact(self, op: Op) -> bool:
        """True if the run-time class of the value may be another than its static type says."""
        if op.exact or op.type is NULL or isinstance(op.type, SequenceType | FunctionType):
            return False
        return op.type is LATE or (op.type.is_reference and not self.graph.is_final(op.type))

    def late(self, node: tree.Expression, scope: Scope, error: EvalError, **operands: Op | list[Op]) -> Op:
        """Leave the operation to run time if one of the operands can turn out to be more than its static type.

        ``operands`` are the compiled children by their name in the node. Raises the error when there is no hope.
        """
        flat = [op for each in operands.values() for op in (each if isinstance(each, list) else [each])]
        if not any(self.inexact(op) for op in flat):
            raise error
        cells: list[int] = []

        def held(op: Op) -> tree.Held:
            cells.append(self.new_cell())
            return tree.Held(op.at, cells[-1])

        changes = {
            name: tuple(held(op) for op in each) if isinstance(each, list) else held(each)
            for name, each in operands.items()
        }
        return Late(node.replace(**changes), flat, cells, scope)

    def require_frame(self, message: str, at: int) -> JClass:
        """Return the class of the frame. Without a frame, EvalError with the message: for what may mean something in
        one."""
        if self.home is None:
            raise EvalError(message, at, hint="stop a thread and select one of its frames", code=NEEDS_FRAME)
        return self.home

    @staticmethod
    def refuse(message: str, at: int, hint: str = "") -> NoReturn:
        raise EvalError(message, at, hint=hint)

"""A text compiled once and run as often as needed: what ``print`` evaluates and what a condition is.

Owns the parsed text and its operations for one place in code. What it costs to run: one trip for all that is read of
the frame, and then one for each link that depends on the one before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from jdbpy.errors import EvalError
from jdbpy.session.eval.compile.compiler import Compiler
from jdbpy.session.eval.compile.flow import compile_statements
from jdbpy.session.eval.operands import Operand
from jdbpy.session.eval.ops.base import Binding, Op, Run, Scope, VariableStore
from jdbpy.session.eval.ops.flow import Jump
from jdbpy.session.eval.syntax import tree
from jdbpy.session.eval.syntax.parser import parse
from jdbpy.session.eval.target import EvalTarget, FrameValues
from jdbpy.session.eval.typing.class_graph import ClassGraph
from jdbpy.session.java.types import JavaType

NO_CELLS: Mapping[int, Operand] = MappingProxyType({})
NO_OPERANDS: Mapping[str, Operand] = MappingProxyType({})


class Compiled:
    """The operations of a text at one place."""

    def __init__(self, op: Op, compiler: Compiler, cells: Mapping[int, Operand] = NO_CELLS) -> None:
        self.op = op
        self.compiler = compiler
        self._cells = cells

    async def run(self, target: EvalTarget, variables: VariableStore) -> Operand:
        """Evaluate in the target's frame. Raises EvalError, Thrown when a Java exception leaves the expression."""
        run = await self.start(target, variables)
        try:
            return await self.op.run(run)
        except Jump as jump:
            return jump.value

    async def start(self, target: EvalTarget, variables: VariableStore) -> Run:
        """Read what is needed of the frame. wire: 1 trip, 0 when nothing is."""
        compiler = self.compiler
        compiler.target = compiler.graph.target = target  # what is left for run time is compiled against it
        compiler.variables = variables
        reads = compiler.reads
        values = FrameValues(None, {})
        if reads.locals or reads.this:
            values = await target.read_frame(list(reads.locals.values()), this=reads.this)
        run = Run(target, compiler.graph, compiler, variables, values)
        run.cells.update(self._cells)
        return run


class Program:
    """A text that was parsed."""

    def __init__(self, text: str, statements: Sequence[tree.Statement] | None = None) -> None:
        """``statements`` if they are made, not parsed. Raises EvalError for what is no Java, with the column."""
        self.text = text
        try:
            self.statements = parse(text) if statements is None else tuple(statements)
        except RecursionError:
            raise _too_deep() from None

    async def compile(
        self,
        target: EvalTarget,
        graph: ClassGraph,
        variables: VariableStore,
        *,
        condition: bool = False,
        wanted: JavaType | None = None,
        given: Mapping[str, Operand] = NO_OPERANDS,
    ) -> Compiled:
        """Return the operations for the target's frame: of all statements; with ``condition``, of a boolean expression;
        with ``wanted``, of an expression assigned to that type. ``given`` are variables of the caller, which hide those
        of the frame. Raises EvalError in javac's words."""
        frame = await target.frame()
        home = (await graph.of_ids([frame.class_id]))[0] if frame.class_id else None
        compiler = Compiler(target, graph, frame, home, variables)
        bindings = {name: Binding(compiler.new_cell(), operand.type) for name, operand in given.items()}
        cells = {bindings[name].cell: operand for name, operand in given.items()}
        scope = Scope(bindings)
        if target.high_latency:
            from jdbpy.session.eval.compile.prefetch import prefetch

            await prefetch(compiler, self.statements)
        try:
            try:
                op = await self._compile(compiler, scope, condition, wanted)
            except EvalError:
                if not await target.search_imports():
                    raise
                compiler.forget_imports()
                op = await self._compile(compiler, scope, condition, wanted)
        except RecursionError:
            raise _too_deep() from None
        return Compiled(op, compiler, cells)

    async def _compile(self, compiler: Compiler, scope: Scope, condition: bool, wanted: JavaType | None) -> Op:
        if condition:
            return await compiler.condition(self.expression(), scope)
        if wanted is not None:
            return await compiler.assign_to(await compiler.value(self.expression(), scope), wanted)
        return await compile_statements(compiler, self.statements, scope, 0)

    def expression(self) -> tree.Expression:
        """Return the one expression that the text must be."""
        first = self.statements[0]
        if len(self.statements) != 1 or not isinstance(first, tree.ExpressionStatement):
            raise EvalError("one expression is expected here", self.statements[-1].at)
        return first.expression


def _too_deep() -> EvalError:
    return EvalError("the expression is nested too deeply")

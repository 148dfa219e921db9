"""Operations that change a type: conversions by plan, checked casts, ``instanceof``, and what is left for run time.

Owns the two ways to go on when the static type says too little: ``LateConvert`` converts what the run-time class
allows, ``Late`` compiles an operation again with the run-time classes of its operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jdbpy.errors import EvalError, Thrown
from jdbpy.session.eval.operands import LocalBox, Operand, OperandValue
from jdbpy.session.eval.ops.base import NOT_CONSTANT, NotConstant, Op, Run, run_all
from jdbpy.session.eval.ops.read import cast_message
from jdbpy.session.eval.ops.values import exact, unbox
from jdbpy.session.eval.typing.conversions import ConversionContext, Plan, StepKind, plan, refusal
from jdbpy.session.java import arithmetic
from jdbpy.session.java.types import BOOLEAN, LATE, OBJECT, JavaType, Primitive, SequenceType, is_string, jvm_name

if TYPE_CHECKING:
    from jdbpy.session.eval.ops.base import Scope
    from jdbpy.session.eval.syntax import tree


class Convert(Op):
    """A conversion whose steps are known; ``type`` is the type after them."""

    def __init__(self, type: JavaType, op: Op, steps: Plan, at: int) -> None:
        super().__init__(type, at, op)
        self.op = op
        self.steps = steps
        self.remote = op.remote or any(step.kind is not StepKind.PRIMITIVE for step in steps)
        self.sure = op.sure or any(step.kind is StepKind.CHECK for step in steps)
        self.constant = _converted_constant(type, op, steps)

    async def run(self, run: Run) -> Operand:
        operand = await self.op.run(run)
        return Operand(self.type, (await apply(run, operand, self.steps, self.at)).value)


def _converted_constant(type: JavaType, op: Op, steps: Plan) -> OperandValue | NotConstant:
    """Return a cast of a constant to a primitive or to String is constant itself (JLS 15.29)."""
    value = op.constant
    if value is NOT_CONSTANT or not (isinstance(type, Primitive) or is_string(type)):
        return NOT_CONSTANT
    kind = op.type
    for step in steps:
        if step.kind is not StepKind.PRIMITIVE or not isinstance(step.to, Primitive) or not isinstance(kind, Primitive):
            return NOT_CONSTANT
        assert isinstance(value, int | float)
        value = arithmetic.convert(kind, step.to, value)
        kind = step.to
    return value


async def apply(run: Run, operand: Operand, steps: Plan, at: int) -> Operand:
    """Carries out a conversion."""
    for step in steps:
        match step.kind:
            case StepKind.PRIMITIVE:
                assert isinstance(operand.type, Primitive) and isinstance(step.to, Primitive)
                assert isinstance(operand.value, int | float)
                operand = Operand(step.to, arithmetic.convert(operand.type, step.to, operand.value))
            case StepKind.BOX:
                assert isinstance(operand.type, Primitive) and isinstance(operand.value, int | float)
                operand = Operand(step.to, LocalBox(operand.type, operand.value))
            case StepKind.UNBOX:
                assert isinstance(step.to, Primitive)
                operand = Operand(step.to, await unbox(run, operand, step.to))
            case StepKind.CHECK:
                operand = await check_cast(run, operand, step.to, at)
    return operand


async def check_cast(run: Run, operand: Operand, target: JavaType, at: int) -> Operand:
    """Return a cast that the run-time class decides; ClassCastException when it does not fit."""
    if operand.value is not None:
        found = await exact(run, operand)
        await run.graph.ensure([target])
        if not await is_instance(run, found, target):
            message = cast_message(jvm_name(found.type), jvm_name(target))
            raise Thrown("java.lang.ClassCastException", message, column=at)
    return Operand(target, operand.value)


async def is_instance(run: Run, operand: Operand, target: JavaType) -> bool:
    """True if a value that is not null is of the type, by its run-time class and not by its name."""
    if isinstance(operand.type, SequenceType):
        return target == OBJECT
    cls, wanted = await run.runtime_class(operand), run.graph.known(target)
    if cls is None or wanted is None:
        return run.graph.is_subtype(operand.type, target)
    return (
        wanted.name == OBJECT.name
        or wanted in run.graph.ancestors(cls)
        or (cls.name.endswith("[]") and run.graph.is_subtype(operand.type, target))
    )


class InstanceTest(Op):
    """``operand instanceof type``; a pattern variable is bound when it holds."""

    remote = True

    def __init__(self, op: Op, tested: JavaType, cell: int | None, at: int) -> None:
        super().__init__(BOOLEAN, at, op)
        self.op = op
        self.tested = tested
        self.cell = cell

    async def run(self, run: Run) -> Operand:
        operand = await self.op.run(run)
        if operand.value is None:
            return Operand(BOOLEAN, False)
        holds = await is_instance(run, await exact(run, operand), self.tested)
        if holds and self.cell is not None:
            run.cells[self.cell] = Operand(self.tested, operand.value)
        return Operand(BOOLEAN, holds)


class LateConvert(Op):
    """A conversion that the static type does not allow, tried with the run-time class of the value."""

    remote = True

    def __init__(self, type: JavaType, op: Op, context: ConversionContext, at: int) -> None:
        super().__init__(type, at, op)
        self.op = op
        self.context = context

    async def run(self, run: Run) -> Operand:
        operand = await self.op.run(run)
        static = operand.type
        found = await exact(run, operand)
        steps = plan(run.graph, found.type, self.type, self.context)
        if steps is None:
            raise EvalError(refusal(found.type if operand.value is not None else static, self.type), self.at)
        return await apply(run, found, steps, self.at) if steps else Operand(self.type, found.value)


class Late(Op):
    """An operation that does not compile on the static types of its operands: their run-time classes decide.

    ``node`` is its syntax with the operands replaced by variables of the expression, whose numbers are the ``cells``.
    The operation is compiled once for every combination of run-time classes.
    """

    remote = True

    def __init__(self, node: tree.Expression, operands: Sequence[Op], cells: Sequence[int], scope: Scope) -> None:
        super().__init__(LATE, node.at, *operands)
        self.node = node
        self.operands = operands
        self.cells = cells
        self.scope = scope
        self._compiled: dict[tuple[JavaType, ...], Op] = {}

    @property
    def quiet(self) -> bool:
        """True if all that it has turned out to be so far only reads; unknown before it first ran."""
        known = self._compiled.values()
        return bool(known) and all(op.quiet for op in (*known, *self.operands))

    async def run(self, run: Run) -> Operand:
        values = [await exact(run, value) for value in await run_all(run, self.operands)]
        types = tuple(value.type for value in values)
        if types not in self._compiled:
            held = dict(zip(self.cells, types, strict=True))
            self._compiled[types] = await run.compiler.expression(self.node, self.scope.holding(held))
        run.cells.update(zip(self.cells, values, strict=True))
        return await self._compiled[types].run(run)

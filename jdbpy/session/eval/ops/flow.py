"""Statements and switch expressions: blocks, variables, ``if``, ``yield``, ``return``, ``throw`` (JLS 14, 15.28).

A statement's value is that of the last expression statement that ran; jumps travel as exceptions inside the evaluator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jdbpy.errors import EvalError, Thrown
from jdbpy.session.eval.operands import LocalBox, LocalString, Operand
from jdbpy.session.eval.ops.base import Op, Run
from jdbpy.session.eval.ops.values import exact, string_of, unbox
from jdbpy.session.eval.target import Ref
from jdbpy.session.java.types import VOID, JavaType, is_string, unboxed

NO_VALUE = Operand(VOID, None)


class Jump(Exception):
    """``yield value`` or ``return value`` on its way to where it ends."""

    def __init__(self, value: Operand) -> None:
        self.value = value


class Statements(Op):
    """Statements in a row; the value is that of the last."""

    def __init__(self, ops: Sequence[Op], at: int) -> None:
        super().__init__(ops[-1].type if ops else VOID, at, *ops)
        self.ops = ops

    async def run(self, run: Run) -> Operand:
        result = NO_VALUE
        for op in self.ops:
            result = await op.run(run)
        return result


class Declare(Op):
    """``type name = value;``. Its value is the variable's, so that it can be seen."""

    acts = True

    def __init__(self, type: JavaType, cell: int, value: Op | None, at: int) -> None:
        super().__init__(type, at, *([value] if value is not None else []))
        self.cell = cell
        self.value = value

    async def run(self, run: Run) -> Operand:
        if self.value is None:
            return NO_VALUE
        run.cells[self.cell] = await self.value.run(run)
        return run.cells[self.cell]


class Branch(Op):
    """``if (condition) then else otherwise``."""

    def __init__(self, condition: Op, then: Op, otherwise: Op | None, at: int) -> None:
        super().__init__(VOID, at, condition, then, *([otherwise] if otherwise is not None else []))
        self.condition = condition
        self.then = then
        self.otherwise = otherwise

    async def run(self, run: Run) -> Operand:
        if (await self.condition.run(run)).value:
            return await self.then.run(run)
        return NO_VALUE if self.otherwise is None else await self.otherwise.run(run)


class Leave(Op):
    """``yield value;`` and ``return value;``."""

    def __init__(self, value: Op | None, at: int) -> None:
        super().__init__(VOID, at, *([value] if value is not None else []))
        self.value = value

    async def run(self, run: Run) -> Operand:
        raise Jump(NO_VALUE if self.value is None else await self.value.run(run))


class ThrowValue(Op):
    """``throw value;``."""

    remote = True

    def __init__(self, value: Op, at: int) -> None:
        super().__init__(VOID, at, value)
        self.value = value

    async def run(self, run: Run) -> Operand:
        value = await self.value.run(run)
        if not isinstance(value.value, Ref):
            raise Thrown("java.lang.NullPointerException", "Cannot throw exception", column=self.at)
        raise await run.target.thrown(value.value)


class Body(Op):
    """A body that ``return`` or ``yield`` leaves with a value: of a lambda, or of a switch rule."""

    def __init__(self, type: JavaType, body: Op, at: int) -> None:
        super().__init__(type, at, body)
        self.body = body

    async def run(self, run: Run) -> Operand:
        try:
            await self.body.run(run)
        except Jump as jump:
            return jump.value
        return NO_VALUE


Label = str | int
"""The value by which a case is chosen: the text of a string, the name of an enum constant, a number."""


class SwitchOp(Op):
    """A switch expression. ``bodies`` run from the one that ``labels`` chooses on; in arrow form only that one."""

    remote = True

    def __init__(
        self,
        type: JavaType,
        selector: Op,
        labels: Mapping[Label | None, int],
        default: int | None,
        bodies: Sequence[Op],
        at: int,
        *,
        arrow: bool,
    ) -> None:
        super().__init__(type, at, selector, *bodies)
        self.selector = selector
        self.labels = labels
        self.default = default
        self.bodies = bodies
        self.arrow = arrow

    async def run(self, run: Run) -> Operand:
        chosen = self.labels.get(await self._label(run), self.default)
        if chosen is None:
            return await self._no_match(run)
        try:
            for body in self.bodies[chosen : chosen + 1] if self.arrow else self.bodies[chosen:]:
                result = await body.run(run)
        except Jump as jump:
            return jump.value
        if not self.arrow and self.type is not VOID:
            raise EvalError("switch expression completes without providing a value", self.at)
        return result

    async def _label(self, run: Run) -> Label | None:
        """Return the selector's value in terms of the labels."""
        operand = await exact(run, await self.selector.run(run))
        match operand.value:
            case None:
                raise Thrown("java.lang.NullPointerException", None, column=self.at)
            case LocalString(text=text):
                return text
            case LocalBox(value=value):
                return int(value)
            case int() as number:
                return number
            case Ref() as ref:
                return await self._label_of_object(run, operand, ref)
        raise EvalError("constant expression required", self.at)

    async def _label_of_object(self, run: Run, operand: Operand, ref: Ref) -> Label | None:
        if is_string(operand.type):
            return await string_of(run, operand)
        kind = unboxed(operand.type)
        if kind is not None:
            return int(await unbox(run, operand, kind))
        (enum,) = await run.graph.named(["java.lang.Enum"])
        assert enum is not None
        name = enum.facts.field("name")
        (value,) = await run.target.read_fields(ref, [name])
        assert isinstance(value, Ref)
        return (await run.target.read_strings([value]))[0]

    async def _no_match(self, run: Run) -> Operand:
        raise Thrown("java.lang.IncompatibleClassChangeError", None, column=self.at)

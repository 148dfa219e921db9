"""Assignment, compound assignment, ``++`` and ``--`` (JLS 15.14, 15.15, 15.26), and the places that they write to.

Owns the order of things: the parts of the place are evaluated before the value, and null and bounds are looked at when
the value is there. Final fields may be written, as by any debugger; code that has their value compiled in does not see
it.
"""

from __future__ import annotations

from jdbpy.errors import EvalError, Thrown
from jdbpy.session.eval.operands import Elements, Operand, element_operand
from jdbpy.session.eval.ops.base import Op, ReadCell, Run
from jdbpy.session.eval.ops.calls import initialize
from jdbpy.session.eval.ops.read import (
    ReadElement,
    ReadField,
    ReadLocal,
    ReadStatic,
    ReadVariable,
    out_of_bounds,
    require_array,
)
from jdbpy.session.eval.ops.values import in_target
from jdbpy.session.eval.target import Local
from jdbpy.session.eval.typing.class_graph import JavaField
from jdbpy.session.java.types import JavaType, descriptor


class LocatedVariable:
    """A variable that has been located: its parts are evaluated."""

    async def read(self, run: Run) -> Operand:
        raise NotImplementedError

    async def write(self, run: Run, value: Operand) -> None:
        raise NotImplementedError


class _CellPlace(LocatedVariable):
    def __init__(self, op: ReadCell) -> None:
        self.op = op

    async def read(self, run: Run) -> Operand:
        return await self.op.run(run)

    async def write(self, run: Run, value: Operand) -> None:
        run.cells[self.op.cell] = value


class _VariablePlace(LocatedVariable):
    def __init__(self, op: ReadVariable) -> None:
        self.op = op

    async def read(self, run: Run) -> Operand:
        return await self.op.run(run)

    async def write(self, run: Run, value: Operand) -> None:
        if not isinstance(value.value, Elements):
            (raw,) = await in_target(run, [value]) if value.type.is_reference else [value.value]
            value = Operand(value.type, raw)
        run.variables.set(self.op.name, value)


class _LocalPlace(LocatedVariable):
    def __init__(self, type: JavaType, local: Local) -> None:
        self.type = type
        self.local = local

    async def read(self, run: Run) -> Operand:
        return Operand(self.type, run.frame.slots[self.local.slot])

    async def write(self, run: Run, value: Operand) -> None:
        (raw,) = await in_target(run, [value])
        await run.target.write_local(self.local, raw)
        run.frame.slots[self.local.slot] = raw


class _FieldPlace(LocatedVariable):
    def __init__(self, op: ReadField, obj: Operand) -> None:
        self.op = op
        self.object = obj

    async def read(self, run: Run) -> Operand:
        ref, field = await self.op.located(run, self.object, "read")
        (value,) = await run.target.read_fields(ref, [field.member])
        return Operand(self.op.type, value)

    async def write(self, run: Run, value: Operand) -> None:
        ref, field = await self.op.located(run, self.object, "assign")
        (raw,) = await in_target(run, [value])
        await run.target.write_field(ref, field.member, raw)


class _StaticPlace(LocatedVariable):
    def __init__(self, op: Op, field: JavaField) -> None:
        self.op = op
        self.field = field

    async def read(self, run: Run) -> Operand:
        return await self.op.run(run)

    async def write(self, run: Run, value: Operand) -> None:
        await initialize(run, self.field.owner)
        (raw,) = await in_target(run, [value])
        await run.target.write_static(self.field.owner.id, self.field.member, raw)


class _ElementPlace(LocatedVariable):
    def __init__(self, op: ReadElement, array: Operand, index: int) -> None:
        self.op = op
        self.array = array
        self.index = index

    async def read(self, run: Run) -> Operand:
        ref = require_array(self.array.value, self.op.at, "load from array")
        values = await run.target.read_array(ref, self.index, 1)
        if not values:
            raise out_of_bounds(self.index, await run.target.array_length(ref), self.op.at)
        return element_operand(self.op.type, values[0])

    async def write(self, run: Run, value: Operand) -> None:
        if isinstance(self.array.value, Elements):
            raise EvalError("the elements of a slice or filter cannot be assigned", self.op.at)
        ref = require_array(self.array.value, self.op.at, "store to array")
        length = await run.target.array_length(ref)
        if not 0 <= self.index < length:
            raise out_of_bounds(self.index, length, self.op.at)
        (raw,) = await in_target(run, [value])
        try:
            await run.target.write_array(ref, descriptor(self.op.type), self.index, [raw])
        except Thrown as error:
            error.column = self.op.at
            raise


async def locate(op: Op, run: Run) -> LocatedVariable:
    """Evaluate the parts of the variable that the operation reads."""
    match op:
        case ReadCell():
            return _CellPlace(op)
        case ReadVariable():
            return _VariablePlace(op)
        case ReadLocal():
            return _LocalPlace(op.type, op.local)
        case ReadField():
            return _FieldPlace(op, await op.object.run(run))
        case ReadStatic():
            return _StaticPlace(op, op.field)
        case ReadElement():
            array, index = await op.array.run(run), await op.index.run(run)
            assert isinstance(index.value, int)
            return _ElementPlace(op, array, index.value)
    raise EvalError("unexpected type: required variable, found value", op.at)


VARIABLES = (ReadCell, ReadVariable, ReadLocal, ReadField, ReadStatic, ReadElement)
"""The operations that read something that can be assigned."""


class Store(Op):
    """``target = value``."""

    acts = True
    remote = True

    def __init__(self, target: Op, value: Op, at: int) -> None:
        super().__init__(target.type, at)
        self.target = target
        self.value = value

    async def run(self, run: Run) -> Operand:
        place = await locate(self.target, run)
        value = await self.value.run(run)
        await place.write(run, value)
        return value


class Modify(Op):
    """``target op= value``, ``++`` and ``--``: ``changed`` computes the new value from the one in ``cell``."""

    acts = True
    remote = True

    def __init__(self, target: Op, cell: int, changed: Op, at: int, *, gives_old: bool = False) -> None:
        super().__init__(target.type, at)
        self.target = target
        self.cell = cell
        self.changed = changed
        self.gives_old = gives_old

    async def run(self, run: Run) -> Operand:
        place = await locate(self.target, run)
        old = await place.read(run)
        run.cells[self.cell] = old
        new = await self.changed.run(run)
        await place.write(run, new)
        return old if self.gives_old else new

"""Operations that read the target: ``this``, locals, fields, static fields, arrays.

Owns what Java says of reading through null and outside of bounds. Reads of the frame itself come from ``Run.frame``,
which one trip has filled before anything runs.
"""

from __future__ import annotations

from jdbpy.errors import EvalError, Thrown
from jdbpy.session.eval.operands import Elements, Operand, OperandValue, element_operand
from jdbpy.session.eval.ops.base import Op, Run, run_all
from jdbpy.session.eval.target import Local, Ref
from jdbpy.session.eval.typing.class_graph import JavaField, JClass
from jdbpy.session.eval.typing.conversions import OTHER_LOADER
from jdbpy.session.java.types import INT, JavaType


class ReadThis(Op):
    """``this`` of the frame."""

    sure = True

    async def run(self, run: Run) -> Operand:
        return Operand(self.type, run.frame.this)


class ReadLocal(Op):
    """A local variable of the frame."""

    def __init__(self, type: JavaType, local: Local, at: int) -> None:
        super().__init__(type, at)
        self.local = local

    async def run(self, run: Run) -> Operand:
        if self.local.slot not in run.frame.slots:
            raise EvalError(f"variable {self.local.name} cannot be read here", self.at)
        return Operand(self.type, run.frame.slots[self.local.slot])


class ReadVariable(Op):
    """A variable of the debugger, ``$name``."""

    def __init__(self, type: JavaType, name: str, at: int) -> None:
        super().__init__(type, at)
        self.name = name

    async def run(self, run: Run) -> Operand:
        found = run.variables.get(self.name)
        if found is None:
            raise EvalError(f"${self.name} has no value", self.at)
        return found


class ReadField(Op):
    """An instance field of an object.

    ``yields``: by Java the field cannot be seen from the frame's place, and a field of that name which the object's own
    class has is taken instead.
    """

    remote = True

    def __init__(self, type: JavaType, obj: Op, field: JavaField, at: int, *, yields: bool = False) -> None:
        super().__init__(type, at, obj)
        self.object = obj
        self.field = field
        self.sure = field.declared_sure
        self.yields = yields

    async def run(self, run: Run) -> Operand:
        obj = await self.object.run(run)
        ref, field = await self.located(run, obj, "read")
        (value,) = await run.target.read_fields(ref, [field.member])
        return Operand(self.type, value)

    async def located(self, run: Run, obj: Operand, verb: str) -> tuple[Ref, JavaField]:
        """Return the object to read or write a field of, surely one of the field's class, and the field."""
        if obj.value is None:
            message = f'Cannot {verb} field "{self.field.member.name}"'
            raise Thrown("java.lang.NullPointerException", message, column=self.at)
        if not isinstance(obj.value, Ref):
            name = self.field.member.name
            raise EvalError(f"the field {name} of a value that is not in the target cannot be read", self.at)
        if self.object.sure and not self.yields:
            return obj.value, self.field
        cls = await run.runtime_class(obj)
        assert cls is not None
        await run.graph.link([cls])
        if self.field.owner not in run.graph.ancestors(cls):
            raise Thrown("java.lang.ClassCastException", cast_message(cls.name, self.field.owner.name), column=self.at)
        return obj.value, await self._own_field(run, cls) if self.yields else self.field

    async def _own_field(self, run: Run, cls: JClass) -> JavaField:
        """Return the field that the object's class has of that name."""
        own = await run.graph.field(cls, self.field.member.name)
        if own is None or own.member.is_static or own.owner is self.field.owner:
            return self.field
        if own.member.signature != self.field.member.signature:
            name, hidden, seen = own.member.name, self.field.owner.type, own.owner.type
            raise EvalError(
                f"{name} may be the private field of {hidden} or that of {seen}, which has another type",
                self.at,
                hint=f"say which: (({seen}) OBJECT).{name}",
            )
        return own


def cast_message(source: str, target: str) -> str:
    """Return the beginning of the JVM's message; where the classes come from is left out."""
    return f"class {source} cannot be cast to class {target}{OTHER_LOADER if source == target else ''}"


class ReadStatic(Op):
    """A static field. Its class is initialized first if it is not, as a running program would."""

    remote = True

    def __init__(self, type: JavaType, field: JavaField, at: int) -> None:
        super().__init__(type, at)
        self.field = field
        self.sure = field.declared_sure

    async def run(self, run: Run) -> Operand:
        owner = self.field.owner
        if not await run.target.initialized(owner.id):
            await run.target.initialize(owner.id, owner.name)
        (value,) = await run.target.read_statics(owner.id, [self.field.member])
        return Operand(self.type, value)


class ArrayLength(Op):
    """``array.length``."""

    remote = True

    def __init__(self, array: Op, at: int) -> None:
        super().__init__(INT, at, array)
        self.array = array

    async def run(self, run: Run) -> Operand:
        array = await self.array.run(run)
        if isinstance(array.value, Elements):
            return Operand(INT, len(array.value.elements))
        ref = require_array(array.value, self.at, "read the array length")
        return Operand(INT, await run.target.array_length(ref))


class ReadElement(Op):
    """``array[index]``."""

    remote = True

    def __init__(self, type: JavaType, array: Op, index: Op, at: int) -> None:
        super().__init__(type, at, array, index)
        self.array = array
        self.index = index
        self.sure = array.sure

    async def run(self, run: Run) -> Operand:
        array, index = await run_all(run, [self.array, self.index])
        assert isinstance(index.value, int)
        if isinstance(array.value, Elements):
            elements = array.value.elements
            if not 0 <= index.value < len(elements):
                raise out_of_bounds(index.value, len(elements), self.at)
            return elements[index.value]
        ref = require_array(array.value, self.at, "load from array")
        values = await run.target.read_array(ref, index.value, 1)
        if not values:
            raise out_of_bounds(index.value, await run.target.array_length(ref), self.at)
        return element_operand(self.type, values[0])


def require_array(value: OperandValue, at: int, action: str) -> Ref:
    if value is None:
        raise Thrown("java.lang.NullPointerException", f"Cannot {action}", column=at)
    assert isinstance(value, Ref)
    return value


def out_of_bounds(index: int, length: int, at: int | None = None) -> Thrown:
    """Return what the JVM throws for an index outside of an array."""
    message = f"Index {index} out of bounds for length {length}"
    return Thrown("java.lang.ArrayIndexOutOfBoundsException", message, column=at)

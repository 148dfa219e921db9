"""Operations as bytecode, a method for each: the second walk over what ``eval/compile`` made; ``run`` is the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from jdbpy.session.eval.ops import calls, convert as conversions, intrinsics, operators, read
from jdbpy.session.eval.ops.base import NotConstant, Null, Op, ReadCell
from jdbpy.session.eval.typing.conversions import StepKind
from jdbpy.session.in_target.emit.members import MemberAccess, internal
from jdbpy.session.in_target.emit.operators import compare, compute, convert, is_test, push_constant
from jdbpy.session.in_target.emit.refusals import NotInTarget, refuse
from jdbpy.session.in_target.weave.records import OBJECT, STRING
from jdbpy.session.java.edit.assembler import Assembler, Label, class_constant
from jdbpy.session.java.edit.code_variable import CheckParameter
from jdbpy.session.java.signatures import split_method
from jdbpy.session.java.types import (
    BOXES,
    BYTE,
    INT,
    SHORT,
    VOID,
    ArrayType,
    JavaType,
    Primitive,
    descriptor,
    erasure,
    is_string,
)

_NULL = "null"
_BUILDER = "java/lang/StringBuilder"

_NANOSECONDS = 1e6
"""In a millisecond, the unit of ``$cost``."""

MethodKey = tuple[int, int]
"""A class and a method of it, by JDWP ids."""

Brought = Mapping[str, CheckParameter | None]
"""The variables of the debugger that a hit brings: ``cost`` in nanoseconds; None is null."""


class Emitter:
    """Writes operations. Each method that does leaves one value, and returns the type that the verifier has for it."""

    def __init__(
        self,
        code: Assembler,
        access: MemberAccess,
        brought: Brought = MappingProxyType({}),
        fields: Mapping[tuple[str, str], CheckParameter] = MappingProxyType({}),
    ) -> None:
        """``fields`` of the host, by name and type, are passed where they are those of ``this``."""
        self.code = code
        self._brought = brought
        self._fields = fields
        self.calls = False
        self.slots: set[int] = set()
        self._access = access
        self._cells: dict[int, tuple[int, str]] = {}

    def whole(self, op: Op) -> None:
        """An expression with the variables that its patterns bind: these have a value on every way through it."""
        for each in _tests(op):
            if each.cell is not None:
                signature = descriptor(each.tested)
                local = self.code.new_local(signature)
                self._cells[each.cell] = local, signature
                self.code.op("aconst_null")
                self.code.store(signature, local)
        self.value(op)

    def value(self, op: Op) -> str:
        """Return the value of an operation. Raises NotInTarget."""
        if not isinstance(op.constant, NotConstant) and push_constant(self.code, op.type, op.constant):
            return descriptor(op.type)
        if isinstance(op, operators.ShortCircuit) or (isinstance(op, operators.Compute) and is_test(op)):
            return self._test(op)
        write = _WRITERS.get(type(op))
        if write is None:
            raise refuse(op)
        return write(self, op)

    def as_type(self, op: Op, signature: str) -> None:
        """The value as the verifier needs it: cast if it may be something else by what is known."""
        found = self.value(op)
        if signature[0] in "L[" and signature != OBJECT and found not in (signature, _NULL):
            self.cast(signature)

    def cast(self, signature: str) -> None:
        self._access.check_type(signature)
        self.code.check_cast(signature)

    # Control flow

    def _test(self, op: Op) -> str:
        holds = Label()
        self.jump_if(op, holds, when=True)
        return self._truth(holds)

    def _truth(self, label: Label, there: int = 1) -> str:
        """Push ``there`` (1 or 0) where the code jumps to the label, the other one where it comes here."""
        end = Label()
        self.code.push_int(1 - there)
        self.code.jump("goto", end)
        self.code.place(label)
        self.code.push_int(there)
        self.code.place(end)
        return "Z"

    def jump_if(self, op: Op, label: Label, *, when: bool) -> None:
        """Jump if a boolean operation has that value, else go on behind it."""
        if isinstance(op, operators.Compute) and isinstance(op.constant, NotConstant) and is_test(op):
            if op.operator == "!":
                self.jump_if(op.operands[0], label, when=not when)
                return
            for operand in op.operands:
                self.value(operand)
            compare(self.code, op, label, when=when)
        elif isinstance(op, operators.ShortCircuit):
            if op.decided_by is when:
                self.jump_if(op.left, label, when=when)
                self.jump_if(op.right, label, when=when)
            else:
                decided = Label()
                self.jump_if(op.left, decided, when=not when)
                self.jump_if(op.right, label, when=when)
                self.code.place(decided)
        else:
            self.value(op)
            self.code.jump("ifne" if when else "ifeq", label)

    def choose(self, op: operators.ConditionalOp) -> str:
        otherwise, end = Label(), Label()
        self.jump_if(op.condition, otherwise, when=False)
        one = self.value(op.then)
        self.code.jump("goto", end)
        self.code.place(otherwise)
        other = self.value(op.otherwise)
        self.code.place(end)
        return one if other in (one, _NULL) else other if one == _NULL else OBJECT

    # Operators

    def compute(self, op: operators.Compute) -> str:
        for operand in op.operands:
            self.value(operand)
        compute(self.code, op)
        return descriptor(op.type)

    def same(self, op: operators.SameObject) -> str:
        left, right = op.operands
        self.value(left)
        self.value(right)
        holds = Label()
        self.code.jump("if_acmpne" if op.negated else "if_acmpeq", holds)
        return self._truth(holds)

    def concat(self, op: operators.Concat) -> str:
        self.code.new(_BUILDER)
        self.code.op("dup")
        self.code.call_constructor(_BUILDER, "()V")
        for part in op.parts:
            operand = part.operand if isinstance(part, operators.StringConversion) else part
            self._append(operand)
        self.code.call(_BUILDER, "toString", f"(){STRING}")
        return STRING

    def string(self, op: operators.StringConversion) -> str:
        kind = op.operand.type
        self._runs(not is_string(kind) and not isinstance(kind, Primitive))
        if is_string(kind) or not isinstance(kind, Primitive):
            self.as_type(op.operand, STRING if is_string(kind) else OBJECT)
            self.code.call_static("java/lang/String", "valueOf", f"({OBJECT}){STRING}")
        else:
            self.value(op.operand)
            self.code.call_static("java/lang/String", "valueOf", f"({_appended(kind)}){STRING}")
        return STRING

    def _append(self, operand: Op) -> None:
        kind = operand.type
        self._runs(not is_string(kind) and not isinstance(kind, Primitive))
        signature = STRING if is_string(kind) else _appended(kind)
        self.as_type(operand, signature)
        self.code.call(_BUILDER, "append", f"({signature})L{_BUILDER};")

    def convert(self, op: conversions.Convert) -> str:
        found, kind = self.value(op.op), op.op.type
        for step in op.steps:
            match step.kind:
                case StepKind.PRIMITIVE:
                    assert isinstance(kind, Primitive) and isinstance(step.to, Primitive)
                    convert(self.code, kind, step.to)
                    found = step.to.tag
                case StepKind.BOX:
                    assert isinstance(kind, Primitive)
                    found = descriptor(BOXES[kind])
                    self.code.call_static(found[1:-1], "valueOf", f"({kind.tag}){found}")
                case StepKind.UNBOX:
                    assert isinstance(step.to, Primitive)
                    box = descriptor(BOXES[step.to])
                    if found != box:
                        self.cast(box)
                    self.code.call(box[1:-1], f"{step.to.name}Value", f"(){step.to.tag}")
                    found = step.to.tag
                case StepKind.CHECK:
                    found = descriptor(step.to)
                    self.cast(found)
            kind = step.to
        return found

    def instance(self, op: conversions.InstanceTest) -> str:
        signature = descriptor(op.tested)
        self._access.check_type(signature)
        self.value(op.op)
        if op.cell is None:
            self.code.instance_of(signature)
            return "Z"
        other = Label()
        value = self.code.new_local(OBJECT)
        self.code.store(OBJECT, value)
        self.code.load(OBJECT, value)
        self.code.instance_of(signature)
        self.code.jump("ifeq", other)
        self.code.load(OBJECT, value)
        self.code.check_cast(signature)
        self.code.store(signature, self._cells[op.cell][0])
        return self._truth(other, 0)

    # Variables, fields, arrays

    def null(self, op: Null) -> str:
        self.code.op("aconst_null")
        return _NULL

    def cell(self, op: ReadCell) -> str:
        if op.cell not in self._cells:
            raise NotInTarget(f"uses {op.name}, a value of the debugger")
        local, signature = self._cells[op.cell]
        self.code.load(signature, local)
        return signature

    def brought(self, op: read.ReadVariable) -> str:
        if op.name not in self._brought:
            raise refuse(op)
        found = self._brought[op.name]
        if found is None:
            self.code.op("aconst_null")
            return _NULL
        self.slots.add(found.slot)
        self.code.load_argument(found.slot, found.signature)
        if op.name == "cost":
            self.code.op("l2d")
            self.code.push_double(_NANOSECONDS)
            self.code.op("ddiv")
            return "D"
        return OBJECT if found.signature[0] in "L[" else found.signature

    def this(self, op: read.ReadThis) -> str:
        self.slots.add(0)
        self.code.load_argument(0, OBJECT)
        return OBJECT

    def local(self, op: read.ReadLocal) -> str:
        signature = op.local.signature
        self.slots.add(op.local.slot)
        self.code.load_argument(op.local.slot, signature)
        return OBJECT if signature[0] in "L[" else signature

    def field(self, op: read.ReadField) -> str:
        member = op.field.member
        passed = self._fields.get((member.name, member.signature))
        if passed is not None and isinstance(op.object, read.ReadThis) and op.field.owner.name == self._access.host:
            self.slots.add(passed.slot)
            self.code.load_argument(passed.slot, passed.signature)
            return OBJECT if passed.signature[0] in "L[" else passed.signature
        push = partial(self._of_that_class, op) if op.yields else partial(self.as_type, op.object)
        return self._access.get_field(self.code, op.field, push)

    def _of_that_class(self, op: read.ReadField, signature: str) -> None:
        """Push the object of a field that yields to one of a subclass: with an object of a subclass the code throws,
        and the debugger evaluates the expression."""
        owner = op.field.owner
        self._access.check_type(f"L{internal(owner.name)};")
        self.as_type(op.object, signature)
        of_the_class = Label()
        self.code.op("dup")
        self.code.call("java/lang/Object", "getClass", "()Ljava/lang/Class;")
        self.code.push_class(internal(owner.name))
        self.code.jump("if_acmpeq", of_the_class)
        self.code.op("aconst_null")
        self.code.call("java/lang/Object", "getClass", "()Ljava/lang/Class;")
        self.code.op("pop")
        self.code.place(of_the_class)

    def static(self, op: read.ReadStatic) -> str:
        return self._access.get_static(self.code, op.field)

    def length(self, op: read.ArrayLength) -> str:
        self._array(op.array)
        self.code.op("arraylength")
        return "I"

    def element(self, op: read.ReadElement) -> str:
        element = self._array(op.array)[1:]
        self.value(op.index)
        self.code.array_load(element)
        return element

    def _array(self, op: Op) -> str:
        kind = erasure(op.type)
        if not isinstance(kind, ArrayType):
            raise NotInTarget("takes an element or the length of what the debugger has to read")
        self.as_type(op, descriptor(kind))
        return descriptor(kind)

    # Methods, objects

    def intrinsic(self, op: intrinsics.Intrinsic | intrinsics.ReadsField | intrinsics.GetClass) -> str:
        return self._invoke(op.invoke, runs=False)

    def entry(self, op: calls.EntryMethod) -> str:
        return self._invoke(op.invoke, runs=True)

    def invoke(self, op: calls.Invoke) -> str:
        return self._invoke(op, runs=True)

    def _invoke(self, op: calls.Invoke, *, runs: bool) -> str:
        if op.nonvirtual:
            raise NotInTarget("calls a method of the superclass by super")
        self._runs(runs)
        method, member = op.method, op.method.member
        owner = self._access.named_in(method, op.receiver.type if op.receiver is not None else None)
        if isinstance(op.receiver, Op) and isinstance(op.receiver.type, ArrayType) and member.name == "clone":
            self.as_type(op.receiver, descriptor(op.receiver.type))
            self.code.call(descriptor(op.receiver.type), "clone", f"(){OBJECT}")
            return OBJECT
        receiver = partial(self.as_type, op.receiver) if op.receiver is not None else None
        return self._access.invoke(self.code, method, owner, receiver, partial(self._arguments, op.args))

    def _arguments(self, args: Sequence[Op], signature: str) -> None:
        for arg, parameter in zip(args, split_method(signature)[0], strict=True):
            self.as_type(arg, parameter)

    def instantiate(self, op: calls.Instantiate) -> str:
        self._runs(True)
        return self._access.construct(self.code, op.constructor, partial(self._arguments, op.args))

    def new_array(self, op: calls.MakeArray) -> str:
        signature = descriptor(op.array_type)
        self._access.check_type(signature)
        for length in op.lengths:
            self.value(length)
        if len(op.lengths) == 1:
            self.code.new_array(signature[1:])
        else:
            self.code.new_arrays(signature, len(op.lengths))
        return signature

    def array_of(self, op: calls.ArrayOf) -> str:
        signature = descriptor(op.array_type)
        self._access.check_type(signature)
        self.code.push_int(len(op.elements))
        self.code.new_array(signature[1:])
        for index, element in enumerate(op.elements):
            self.code.op("dup")
            self.code.push_int(index)
            self.as_type(element, signature[1:])
            self.code.array_store(signature[1:])
        return signature

    def class_object(self, op: calls.ClassObject) -> str:
        kind = erasure(op.named)
        if isinstance(kind, Primitive):
            box = "java/lang/Void" if kind is VOID else descriptor(BOXES[kind])[1:-1]
            self.code.get_static(box, "TYPE", "Ljava/lang/Class;")
        else:
            self._access.check_type(descriptor(kind))
            self.code.push_class(class_constant(descriptor(kind)))
        return "Ljava/lang/Class;"

    def _runs(self, runs: bool) -> None:
        """Take note that code of the program may run. In the JDK's own classes any call may lead to the place."""
        self.calls = self.calls or runs or self._access.package.startswith("java.")


def key_of(op: calls.Invoke) -> MethodKey:
    """Return the method that a call is of by the static types."""
    return op.method.owner.id, op.method.member.id


def _appended(kind: JavaType) -> str:
    """Return the type of StringBuilder.append and String.valueOf for a value."""
    if not isinstance(kind, Primitive):
        return OBJECT
    return "I" if kind in (BYTE, SHORT, INT) else kind.tag


def _tests(op: Op) -> Iterator[conversions.InstanceTest]:
    """Yield all tests in an operation that may bind a variable."""
    if isinstance(op, conversions.InstanceTest):
        yield op
    for each in dict.fromkeys((*op.children, *others_of(op))):
        yield from _tests(each)


def others_of(op: Op) -> tuple[Op, ...]:
    """Return the operations that are not children: receivers, and the call that a computed method replaces."""
    match op:
        case calls.Invoke(receiver=Op() as receiver):
            return (receiver,)
        case operators.StringConversion(operand=operand):
            return (operand,)
    return ()


_WRITERS: Mapping[type[Op], Callable[[Emitter, Any], str]] = {
    Null: Emitter.null,
    ReadCell: Emitter.cell,
    read.ReadVariable: Emitter.brought,
    read.ReadThis: Emitter.this,
    read.ReadLocal: Emitter.local,
    read.ReadField: Emitter.field,
    read.ReadStatic: Emitter.static,
    read.ArrayLength: Emitter.length,
    read.ReadElement: Emitter.element,
    operators.Compute: Emitter.compute,
    operators.ConditionalOp: Emitter.choose,
    operators.SameObject: Emitter.same,
    operators.Concat: Emitter.concat,
    operators.StringConversion: Emitter.string,
    conversions.Convert: Emitter.convert,
    conversions.InstanceTest: Emitter.instance,
    intrinsics.Intrinsic: Emitter.intrinsic,
    intrinsics.ReadsField: Emitter.intrinsic,
    intrinsics.GetClass: Emitter.intrinsic,
    calls.EntryMethod: Emitter.entry,
    calls.Invoke: Emitter.invoke,
    calls.Instantiate: Emitter.instantiate,
    calls.MakeArray: Emitter.new_array,
    calls.ArrayOf: Emitter.array_of,
    calls.ClassObject: Emitter.class_object,
}

"""From compiled operations to bytecode: the second walk over what ``eval/compile`` has made; ``run`` is the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from jdbpy.session.eval.emit.members import MemberAccess, call_handle, internal, push_handle
from jdbpy.session.eval.emit.operators import compare, compute, convert, is_test, push_constant
from jdbpy.session.eval.emit.refusals import NotInTarget, refuse
from jdbpy.session.eval.ops import calls, convert as conversions, intrinsics, operators, read
from jdbpy.session.eval.ops.base import NotConstant, Null, Op, ReadCell
from jdbpy.session.eval.ops.sequences import GatherValues
from jdbpy.session.eval.program import Compiled
from jdbpy.session.eval.typing.class_graph import JClass
from jdbpy.session.eval.typing.conversions import StepKind
from jdbpy.session.java.class_parts import PoolFull, PoolWriter
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
from jdbpy.session.weaving.assembler import Assembler, CodeTooLong, Label, class_constant
from jdbpy.session.weaving.parts import CheckParameter, Emitted

OBJECT = "Ljava/lang/Object;"
STRING = "Ljava/lang/String;"
_NULL = "null"
_BUILDER = "java/lang/StringBuilder"


def emit(compiled: Compiled, host: str) -> Emitted:
    """Return the expression as bytecode for a helper in the package of ``host``, a binary name.

    Raises NotInTarget.
    """
    return _emitted(compiled, compiled.op, host)


def emit_values(compiled: Compiled, host: str) -> tuple[Emitted, ...]:
    """Return the expressions of a logpoint's text as bytecode: numbers as they are, everything else as Object.

    Raises NotInTarget.
    """
    return tuple(_emitted(compiled, each, host) for each in _values(compiled))


def value_types(compiled: Compiled) -> tuple[JavaType, ...]:
    """Return the static types of the expressions of a logpoint's text. Raises NotInTarget."""
    return tuple(each.type for each in _values(compiled))


def _values(compiled: Compiled) -> Sequence[Op]:
    op = compiled.op
    while not isinstance(op, GatherValues) and len(op.children) == 1:
        op = op.children[0]
    if not isinstance(op, GatherValues):
        raise refuse(op)
    return op.elements


def _emitted(compiled: Compiled, op: Op, host: str) -> Emitted:
    if op.type is VOID:
        raise NotInTarget("has no value")
    access = MemberAccess(compiled.compiler.graph, host)
    reads = compiled.compiler.reads
    this = [CheckParameter(0, f"L{internal(host)};", "this")] if reads.this else []
    variables = [CheckParameter(each.slot, each.signature, each.name) for each in reads.locals.values()]
    trial = Assembler(PoolWriter(), "", [*this, *variables])
    emitter = _Emitter(trial, access)
    try:
        emitter.whole(op)
        trial.attribute()
    except (CodeTooLong, PoolFull):
        raise NotInTarget("is too long") from None
    except RecursionError:
        raise NotInTarget("is nested too deeply") from None
    return Emitted(
        signature=op.type.tag if isinstance(op.type, Primitive) else OBJECT,
        parameters=tuple(each for each in trial.parameters if each.slot in emitter.slots),
        handles=tuple(access.handles.values()),
        calls=emitter.calls,
        write=lambda code: _Emitter(code, access).whole(op),
    )


class _Emitter:
    """Writes operations. Each method that does leaves one value, and returns the type that the verifier has for it."""

    def __init__(self, code: Assembler, access: MemberAccess) -> None:
        self.code = code
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
        """The value of an operation. Raises NotInTarget."""
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
        owner, member = op.field.owner, op.field.member
        name = internal(owner.name)
        if self._access.reaches(owner, member.bits):
            self.as_type(op.object, f"L{name};")
            self.code.get_field(name, member.name, member.signature)
            return member.signature
        self._access.check_type(f"L{name};")
        self._access.check_type(member.signature)
        push_handle(self.code, self._access.handle("getter", op.field))
        self.as_type(op.object, f"L{name};")
        call_handle(self.code, f"(L{name};){member.signature}")
        return member.signature

    def static(self, op: read.ReadStatic) -> str:
        owner, member = op.field.owner, op.field.member
        if self._access.reaches(owner, member.bits):
            self.code.get_static(internal(owner.name), member.name, member.signature)
        else:
            self._access.check_type(member.signature)
            push_handle(self.code, self._access.handle("static getter", op.field))
            call_handle(self.code, f"(){member.signature}")
        return member.signature

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
        owner = f"L{internal(self._owner(op).name)};"
        if isinstance(op.receiver, Op) and isinstance(op.receiver.type, ArrayType) and member.name == "clone":
            self.as_type(op.receiver, descriptor(op.receiver.type))
            self.code.call(descriptor(op.receiver.type), "clone", f"(){OBJECT}")
            return OBJECT
        kind = self._owner(op)
        # A static method of an interface cannot be named by a class file of this version.
        direct = self._access.reaches(kind, member.bits) and not (member.is_static and kind.is_interface)
        if not direct:
            self._access.check_types(member.signature)
            what = "static method" if member.is_static else "method"
            push_handle(self.code, self._access.handle(what, method))
            if not member.is_static:
                owner = f"L{internal(method.owner.name)};"
                self._access.check_type(owner)
        if op.receiver is not None:
            self.as_type(op.receiver, owner)
        self._arguments(op.args, member.signature)
        parameters, returned = split_method(member.signature)
        if not direct:
            receiver = "" if member.is_static else owner
            call_handle(self.code, f"({receiver}{''.join(parameters)}){returned}")
        elif member.is_static:
            self.code.call_static(owner[1:-1], member.name, member.signature)
        elif kind.is_interface:
            self.code.call_interface(owner[1:-1], member.name, member.signature)
        else:
            self.code.call(owner[1:-1], member.name, member.signature)
        return returned

    def _owner(self, op: calls.Invoke) -> JClass:
        """The class in which the method is named: that of the receiver where the method's own is hidden."""
        owner = op.method.owner
        if not self._access.sees(owner) and op.receiver is not None:
            found = self._access.graph.known(erasure(op.receiver.type))
            if found is not None and self._access.sees(found):
                return found
        return owner

    def _arguments(self, args: Sequence[Op], signature: str) -> None:
        for arg, parameter in zip(args, split_method(signature)[0], strict=True):
            self.as_type(arg, parameter)

    def instantiate(self, op: calls.Instantiate) -> str:
        self._runs(True)
        owner, member = op.constructor.owner, op.constructor.member
        name = internal(owner.name)
        if self._access.reaches(owner, member.bits):
            self.code.new(name)
            self.code.op("dup")
            self._arguments(op.args, member.signature)
            self.code.call_constructor(name, member.signature)
        else:
            self._access.check_types(member.signature)
            self._access.check_type(f"L{name};")
            push_handle(self.code, self._access.handle("constructor", op.constructor))
            self._arguments(op.args, member.signature)
            call_handle(self.code, f"{member.signature.rpartition(')')[0]})L{name};")
        return f"L{name};"

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


def _appended(kind: JavaType) -> str:
    """The type of StringBuilder.append and String.valueOf for a value."""
    if not isinstance(kind, Primitive):
        return OBJECT
    return "I" if kind in (BYTE, SHORT, INT) else kind.tag


def _tests(op: Op) -> Iterator[conversions.InstanceTest]:
    """All tests in an operation that may bind a variable."""
    if isinstance(op, conversions.InstanceTest):
        yield op
    for each in dict.fromkeys((*op.children, *_more(op))):
        yield from _tests(each)


def _more(op: Op) -> tuple[Op, ...]:
    """The operations that are no children: receivers, and the call that a method worked out stands for."""
    match op:
        case calls.Invoke(receiver=Op() as receiver):
            return (receiver,)
        case operators.StringConversion(operand=operand):
            return (operand,)
    return ()


_WRITERS: Mapping[type[Op], Callable[[_Emitter, Any], str]] = {
    Null: _Emitter.null,
    ReadCell: _Emitter.cell,
    read.ReadThis: _Emitter.this,
    read.ReadLocal: _Emitter.local,
    read.ReadField: _Emitter.field,
    read.ReadStatic: _Emitter.static,
    read.ArrayLength: _Emitter.length,
    read.ReadElement: _Emitter.element,
    operators.Compute: _Emitter.compute,
    operators.ConditionalOp: _Emitter.choose,
    operators.SameObject: _Emitter.same,
    operators.Concat: _Emitter.concat,
    operators.StringConversion: _Emitter.string,
    conversions.Convert: _Emitter.convert,
    conversions.InstanceTest: _Emitter.instance,
    intrinsics.Intrinsic: _Emitter.intrinsic,
    intrinsics.ReadsField: _Emitter.intrinsic,
    intrinsics.GetClass: _Emitter.intrinsic,
    calls.EntryMethod: _Emitter.entry,
    calls.Invoke: _Emitter.invoke,
    calls.Instantiate: _Emitter.instantiate,
    calls.MakeArray: _Emitter.new_array,
    calls.ArrayOf: _Emitter.array_of,
    calls.ClassObject: _Emitter.class_object,
}

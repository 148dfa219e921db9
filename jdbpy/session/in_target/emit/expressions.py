"""Whole expressions as bytecode: conditions, expressions about a call at its end, the values of a logpoint.

An expression that calls methods may come to the very place that it is for. Its code is written twice where all of them
only read: as it is, and without the guard against that.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from jdbpy.session.eval.ops import calls, flow
from jdbpy.session.eval.ops.base import Op
from jdbpy.session.eval.ops.sequences import GatherValues
from jdbpy.session.eval.program import Compiled
from jdbpy.session.in_target.emit.emitter import Brought, Emitter, MethodKey, key_of, others_of
from jdbpy.session.in_target.emit.members import MemberAccess, internal
from jdbpy.session.in_target.emit.refusals import NotInTarget, refuse
from jdbpy.session.in_target.weave.records import OBJECT, Emitted
from jdbpy.session.java.edit.assembler import Assembler, CodeTooLong, Label
from jdbpy.session.java.edit.class_parts import PoolFull, PoolWriter
from jdbpy.session.java.edit.code_variable import CheckParameter
from jdbpy.session.java.signatures import FINAL, PRIVATE
from jdbpy.session.java.types import (
    VOID,
    JavaType,
    Primitive,
    erasure,
)

_FIELD = -1_000_000
"""The slot of the first field that is passed: the slots of others are below it."""


def emit(compiled: Compiled, host: str, reading: Collection[MethodKey] = ()) -> Emitted:
    """Return the expression as bytecode for a helper in the package of ``host``, a binary name.

    ``reading`` are those of ``called_by`` whose code only reads. Raises NotInTarget.
    """
    found = _emitted(compiled, compiled.op, host, frozenset(reading))
    return found if found.calls else _passing_fields(compiled, found, host)


def _passing_fields(compiled: Compiled, found: Emitted, host: str) -> Emitted:
    """Return the expression with private fields of ``this`` as arguments: the host reads them before the call.

    To the JVM's compiler these are fields as any, which it need not read again in a loop; what is read through handles
    it reads each time. Only for expressions that run no methods: the fields cannot change within it.
    """
    own = [each for each in found.handles if each.kind == "getter" and each.owner_name == host]
    if not own:
        return found
    fields = {
        (each.name, each.signature): CheckParameter(_FIELD - at, each.signature, each.name, internal(host))
        for at, each in enumerate(own)
    }
    return _emitted(compiled, compiled.op, host, fields=fields)


def emit_at_end(compiled: Compiled, host: str, brought: Brought) -> Emitted:
    """Return an expression about a call at its end as bytecode: numbers and truth values as they are, else Object.

    ``brought`` are the values of ``$ret`` and the like. Raises NotInTarget.
    """
    return _emitted(compiled, expression_of(compiled), host, brought=brought)


def expression_of(compiled: Compiled) -> Op:
    """Return the operation of a text that is one expression."""
    op = compiled.op
    return op.ops[0] if isinstance(op, flow.Statements) and len(op.ops) == 1 else op


def called_by(compiled: Compiled) -> set[MethodKey]:
    """Return the methods that an expression calls by their static types."""
    found, pending = set(), [compiled.op]
    while pending:
        op = pending.pop()
        if isinstance(op, calls.Invoke):
            found.add(key_of(op))
        elif isinstance(op, calls.EntryMethod):
            found.add(key_of(op.invoke))
        pending += (*op.children, *others_of(op))
    return found


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


def _emitted(
    compiled: Compiled,
    op: Op,
    host: str,
    reading: frozenset[MethodKey] = frozenset(),
    brought: Brought = MappingProxyType({}),
    fields: Mapping[tuple[str, str], CheckParameter] = MappingProxyType({}),
) -> Emitted:
    if op.type is VOID:
        raise NotInTarget("has no value")
    access = MemberAccess(compiled.compiler.graph, host)
    reads = compiled.compiler.reads
    this = [CheckParameter(0, f"L{internal(host)};", "this")] if reads.this else []
    variables = [CheckParameter(each.slot, each.signature, each.name) for each in reads.locals.values()]
    parameters = [*this, *variables, *(each for each in brought.values() if each is not None), *fields.values()]
    trial = Assembler(PoolWriter(), "", parameters)
    emitter = Emitter(trial, access, brought, fields)
    try:
        emitter.whole(op)
        trial.attribute()
    except (CodeTooLong, PoolFull):
        raise NotInTarget("is too long") from None
    except RecursionError:
        raise NotInTarget("is nested too deeply") from None

    def unguarded(code: Assembler, otherwise: Label) -> None:
        _Unguarded(code, access, reading, otherwise).whole(op)

    can_be_unguarded = emitter.calls and bool(reading)
    if can_be_unguarded:
        try:
            unguarded(Assembler(PoolWriter(), "", parameters), Label())
        except _RunsOthers:
            can_be_unguarded = False
    return Emitted(
        signature=op.type.tag if isinstance(op.type, Primitive) else OBJECT,
        parameters=tuple(each for each in trial.parameters if each.slot in emitter.slots),
        handles=tuple(access.handles.values()),
        calls=emitter.calls,
        write=lambda code: Emitter(code, access, brought, fields).whole(op),
        unguarded=unguarded if can_be_unguarded else None,
    )


class _RunsOthers(Exception):
    """The expression runs methods of which it is not known that they only read."""


class _Unguarded(Emitter):
    """Writes an expression whose methods only read: no other code can run within it, so it cannot come to itself.

    An object may be of a class with a method of its own: the code jumps to ``otherwise`` then.
    """

    def __init__(self, code: Assembler, access: MemberAccess, reading: frozenset[MethodKey], otherwise: Label) -> None:
        super().__init__(code, access)
        self._reading = reading
        self._otherwise = otherwise

    def _runs(self, runs: bool) -> None:
        super()._runs(runs)
        if self.calls:
            raise _RunsOthers

    def _invoke(self, op: calls.Invoke, *, runs: bool) -> str:
        if not runs:
            return super()._invoke(op, runs=False)
        method, receiver = op.method, op.receiver
        member, static_type = method.member, erasure(receiver.type) if receiver is not None else None
        cls = self._access.graph.known(static_type) if static_type is not None else None
        if key_of(op) not in self._reading or op.nonvirtual or receiver is None or cls is None or self.code.depth:
            raise _RunsOthers
        if method.owner.is_interface or cls.is_abstract or cls.name == "java.lang.Object" or not self._access.sees(cls):
            raise _RunsOthers
        signature = f"L{internal(cls.name)};"
        local = self.code.new_local(signature)
        self.as_type(receiver, signature)
        self.code.store(signature, local)
        if not (cls.is_final or method.owner.is_final or member.bits & (FINAL | PRIVATE)):
            self.code.load(signature, local)
            self.code.call("java/lang/Object", "getClass", "()Ljava/lang/Class;")
            self.code.push_class(internal(cls.name))
            self.code.jump("if_acmpne", self._otherwise)

        def push(_: str) -> None:
            self.code.load(signature, local)

        owner = self._access.named_in(method, receiver.type)
        return self._access.invoke(self.code, method, owner, push, partial(self._arguments, op.args))

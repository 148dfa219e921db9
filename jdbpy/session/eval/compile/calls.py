"""Method calls and ``new``: which method is meant, and what its arguments become (JLS 15.9, 15.12).

Owns where a method is looked for, the conversion of arguments (variable ones go into an array), inner classes, and the
refusals in javac's words. The choice among overloads is in ``typing.overloads``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jdbpy.errors import EvalError
from jdbpy.record import Record
from jdbpy.session.eval.compile.functions import Function, make_anonymous
from jdbpy.session.eval.compile.names import compile_this, levels, lost_instance, null_dereferenced, value_or_type
from jdbpy.session.eval.compile.sequences import calls_debugger, compile_sequence_call, stream_source
from jdbpy.session.eval.compile.typenames import enclosing_names, find_class, resolve_type
from jdbpy.session.eval.ops.base import Op, Scope
from jdbpy.session.eval.ops.calls import ENTRY_METHODS, ArrayOf, ClassObject, EntryPart, Instantiate, Invoke, MakeArray
from jdbpy.session.eval.ops.intrinsics import intrinsic
from jdbpy.session.eval.ops.read import ReadStatic
from jdbpy.session.eval.syntax import tree
from jdbpy.session.eval.typing.class_graph import JavaMethod, JClass, class_types, is_accessible, is_inherited
from jdbpy.session.eval.typing.conversions import ConversionContext
from jdbpy.session.eval.typing.overloads import (
    CallArgument,
    Resolved,
    Unresolved,
    is_strict,
    resolve,
    takes,
    takes_strictly,
)
from jdbpy.session.java import signatures
from jdbpy.session.java.types import (
    BOXES,
    ENTRY,
    INT,
    NULL,
    OBJECT,
    VOID,
    ArrayType,
    ClassType,
    JavaType,
    Primitive,
    boxed,
    erasure,
    upper_bound,
)

if TYPE_CHECKING:
    from jdbpy.session.eval.compile.compiler import Compiler


class Callee(Record):
    """The search of a call for its method: candidates, the receiver if there is one, and the type it is
    looked up in.
    """

    candidates: list[JavaMethod]
    receiver: Op | None
    type: JavaType | None
    through_super: bool = False
    seen: Sequence[JavaMethod] = ()
    """The candidates that Java sees, which go first; empty where all are alike."""
    lost: str = ""
    """Why an instance around the frame's object cannot be reached; see ``lost_instance``."""


async def compile_call(c: Compiler, node: tree.Call, scope: Scope) -> Op:
    """``object.name(args)`` or ``name(args)``."""
    target = await _target(c, node, scope)
    if isinstance(target, Op) and await calls_debugger(c, node, target):
        return await compile_sequence_call(c, node, target, scope)
    if isinstance(target, Op) and target.type is ENTRY and node.name in ENTRY_METHODS and not node.args:
        return EntryPart(target, ENTRY_METHODS[node.name], node.at)
    args = [await c.value(arg, scope) for arg in node.args]
    if isinstance(target, Op) and target.type is NULL:
        raise null_dereferenced(node.object, f'Cannot invoke "{node.name}()"', node.at)
    if isinstance(target, Op) and isinstance(upper_bound(target.type), Primitive):
        c.refuse(f"{target.type} cannot be dereferenced", node.at)
    callee = await _callee(c, node, target)
    if not callee.candidates:
        error = EvalError(f"cannot find symbol: method {node.name}({_types(args)}){_where(callee)}", node.at)
        if isinstance(target, Op):
            return c.late(node, scope, error, object=target, **_late_arguments(args))
        raise error
    try:
        resolved = await _resolve(c, callee, args, f"method {node.name}", node.at)
    except Unresolved as error:
        late = _late_arguments(args)
        if not late or not any(c.inexact(arg) for arg in args):
            raise
        if isinstance(target, Op):
            return c.late(node, scope, error, object=target, **late)
        return c.late(node, scope, error, **late)
    if isinstance(target, Op) and resolved.method.member.is_static and resolved.method.owner.is_interface:
        c.refuse("illegal static interface method call", node.at)  # JLS 15.12.3
    return await _invocation(c, callee, resolved, args, node.at)


def _late_arguments(args: list[Op]) -> dict[str, Op | list[Op]]:
    """Return the arguments for a call that is left to run time; a lambda is compiled again with the call."""
    return {} if any(isinstance(arg, Function) for arg in args) else {"args": args}


def _types(args: Sequence[Op]) -> str:
    return ",".join(str(arg.type) for arg in args)


def _where(callee: Callee) -> str:
    return f" in class {callee.type}" if callee.type is not None else ""


async def _target(c: Compiler, node: tree.Call, scope: Scope) -> Op | JClass | tree.Super | None:
    if node.object is None or isinstance(node.object, tree.Super):
        return node.object
    source = None if c.target.may_define_classes else stream_source(node)
    return await value_or_type(c, node.object if source is None else source, scope)


async def _callee(c: Compiler, node: tree.Call, target: Op | JClass | tree.Super | None) -> Callee:
    if target is None:
        return await _unqualified(c, node)
    if isinstance(target, tree.Super):
        return await _through_super(c, node, target)
    if isinstance(target, JClass):
        return _callee_of(c, await c.graph.methods(target, node.name), None, target.type, target)
    kind = upper_bound(target.type)
    looked_up = kind if isinstance(kind, ClassType) else OBJECT
    cls = await c.graph.of_type(looked_up)
    return _callee_of(c, await c.graph.methods(cls, node.name) if cls else [], target, kind, cls)


def _callee_of(
    c: Compiler, candidates: list[JavaMethod], receiver: Op | None, kind: JavaType, cls: JClass | None
) -> Callee:
    """Return the search among the methods of a class that is named, or of which an object is."""
    seen = [each for each in candidates if cls is None or (is_inherited(each, cls) and is_accessible(each, c.home))]
    return Callee(candidates, receiver, kind, seen=seen)


async def _unqualified(c: Compiler, node: tree.Call) -> Callee:
    """Return the innermost class around the frame that has a method of the name (JLS 15.12.1), then the static
    imports."""
    unseen: Callee | None = None  # what Java does not see there is taken where nothing else is meant
    for level in await levels(c):
        candidates = await c.graph.methods(level.cls, node.name)
        if not candidates:
            continue
        needs_instance = any(not method.member.is_static for method in candidates)
        instance = level.instance(c, node.at) if needs_instance else None
        seen = [method for method in candidates if is_inherited(method, level.cls)]
        lost = lost_instance(c, level) if needs_instance and instance is None else ""
        callee = Callee(candidates, instance, level.cls.this_type, seen=seen, lost=lost)
        if seen:
            return callee
        unseen = unseen or callee
    imports = await c.imports()
    owners = [full.rpartition(".")[0] for simple, full in imports.members if simple == node.name]
    for owner in [*owners, *imports.classes]:
        cls = await find_class(c, owner.split("."), node.at, load=True)
        candidates = [m for m in await c.graph.methods(cls, node.name) if m.member.is_static] if cls else []
        if candidates:
            return Callee(candidates, None, None)
    if unseen is not None:
        return unseen
    home = c.require_frame(f"cannot find symbol: method {node.name}", node.at)
    return Callee([], None, home.type)


async def _through_super(c: Compiler, node: tree.Call, target: tree.Super) -> Callee:
    """``super.m()``, ``Outer.super.m()`` and ``Interface.super.m()``."""
    home = c.require_frame("'super' needs a frame", node.at)
    above: JClass | None = None
    this = tree.This(target.at)
    if target.qualifier is not None:
        cls = await value_or_type(c, target.qualifier, Scope())
        if isinstance(cls, JClass) and cls in await c.graph.parents(home):
            above = cls
        else:
            this = tree.This(target.at, target.qualifier)
    receiver = await compile_this(c, this, Scope())
    if above is None:
        assert isinstance(receiver.type, ClassType)
        inner = await c.graph.of_type(receiver.type)
        assert inner is not None
        above = next(iter(await c.graph.parents(inner)), inner)
    return Callee(await c.graph.methods(above, node.name), receiver, above.type, through_super=True)


async def _resolve(c: Compiler, callee: Callee, args: Sequence[Op], what: str, at: int) -> Resolved:
    """Return the method of a call: one that Java sees, or else any."""
    if 0 < len(callee.seen) < len(callee.candidates):
        try:
            return await _resolve(c, callee.replace(candidates=[*callee.seen], seen=()), args, what, at)
        except Unresolved:
            callee = callee.replace(seen=())
    types = [arg.type for arg in args]
    arguments = [CallArgument(arg.type, arg.at) for arg in args]
    receiver = [callee.type] if callee.type else []
    if not any(isinstance(arg, Function) for arg in args):
        strict = [method for method in callee.candidates if takes_strictly(method, types)]
        await c.graph.ensure([*types, *receiver, *(kind for method in strict for kind in method.erased.parameters)])
        if is_strict(c.graph, strict, callee.type, types):  # then boxes and other methods do not matter
            return resolve(c.graph, strict, callee.type, arguments, what, at)
    fitting = [method for method in callee.candidates if takes(method, len(args))]
    parameters = [kind for method in fitting for kind in method.erased.parameters]
    if any(isinstance(arg, Function) for arg in args):  # whether it fits is told by the members of the interface
        for name in {found.name for kind in parameters for found in class_types(kind) if not found.class_id}:
            await c.graph.load(name)
    await c.graph.ensure([*map(boxed, types), *parameters, *receiver])
    return resolve(c.graph, callee.candidates, callee.type, arguments, what, at)


async def _invocation(c: Compiler, callee: Callee, resolved: Resolved, args: Sequence[Op], at: int) -> Op:
    method = resolved.method
    receiver = callee.receiver
    if method.member.is_static:
        receiver = None
    elif receiver is None and callee.lost:
        c.refuse(f"non-static method {method} cannot be reached: {callee.lost}", at)
    elif receiver is None:
        c.refuse(f"non-static method {method} cannot be referenced from a static context", at)
    if callee.through_super and method.member.is_abstract:
        c.refuse(f"abstract method {method} in {method.owner.type} cannot be accessed directly", at)
    converted = await arguments(c, resolved, args, at)
    returns = _returns(callee, resolved)
    local = None if callee.through_super else intrinsic(method, returns, receiver, converted, at)
    return local or Invoke(returns, receiver, method, converted, at, exact=callee.through_super)


def _returns(callee: Callee, resolved: Resolved) -> JavaType:
    """Return the type of the call; an array's ``clone()`` gives an array of the same type (JLS 10.7)."""
    if resolved.method.member.name == "clone" and isinstance(callee.type, ArrayType):
        return callee.type
    return resolved.returns


async def arguments(c: Compiler, resolved: Resolved, args: Sequence[Op], at: int) -> list[Op]:
    """Return the arguments as the method's erased parameters want them."""
    converted = [
        await c.convert(arg, kind, ConversionContext.LOOSE) for arg, kind in zip(args, resolved.parameters, strict=True)
    ]
    if not resolved.varargs:
        return converted
    last = resolved.method.erased.parameters[-1]
    assert isinstance(last, ArrayType)
    return [*converted[: resolved.fixed], ArrayOf(last, converted[resolved.fixed :], at)]


# new


async def compile_new(c: Compiler, node: tree.New, scope: Scope) -> Op:
    """``new Type(args)`` and ``outer.new Type(args)`` (JLS 15.9)."""
    if node.source:
        kind = await resolve_type(c, node.type)
        assert isinstance(kind, ClassType)
        return await make_anonymous(c, node, kind, scope)
    kind, cls, outer = await _new_class(c, node, scope)
    if cls.is_enum:
        c.refuse("enum types may not be instantiated", node.at)
    if cls.is_abstract:
        c.refuse(f"{cls.type} is abstract; cannot be instantiated", node.at)
    explicit = [await c.value(arg, scope) for arg in node.args]
    args = ([outer] if outer is not None else []) + explicit
    callee = _callee_of(c, await c.graph.constructors(cls), None, kind, cls)
    try:
        resolved = await _resolve(c, callee, args, f"constructor {cls.type}", node.at)
    except Unresolved as error:
        return c.late(node, scope, error, args=explicit)
    return Instantiate(kind, resolved.method, await arguments(c, resolved, args, node.at), node.at)


async def _new_class(c: Compiler, node: tree.New, scope: Scope) -> tuple[ClassType, JClass, Op | None]:
    """Return the class to instantiate, and the operation for its outer instance when it is an inner class."""
    outer = None if node.outer is None else await c.value(node.outer, scope)
    if outer is not None:
        kind = upper_bound(outer.type)
        around = await c.graph.of_type(kind if isinstance(kind, ClassType) else OBJECT)
        cls = await _member_class(c, around, node.type.name) if around else None
        if cls is None:
            c.refuse(f"cannot find symbol: class {node.type.name} in class {outer.type}", node.type.at)
        return cls.type, cls, outer
    resolved = await resolve_type(c, node.type)
    if not isinstance(resolved, ClassType):
        c.refuse("illegal start of expression", node.at)
    found = await c.graph.of_type(resolved)
    assert found is not None
    return resolved, found, await _outer_instance(c, found, node.at)


async def _member_class(c: Compiler, around: JClass, name: str) -> JClass | None:
    await c.graph.link([around])
    names = [f"{owner.name}${name}" for owner in c.graph.ancestors(around) if owner.name != OBJECT.name]
    for found in await c.graph.named(names):
        if found is not None:
            return found
    for spelling in names:
        if (loaded := await c.graph.load(spelling)) is not None:
            return loaded
    return None


async def _outer_instance(c: Compiler, cls: JClass, at: int) -> Op | None:
    """Return the instance that an inner class is made in; None for classes that need none (JLS 15.9.2)."""
    own = cls.facts.modifiers
    if own & (signatures.STATIC | signatures.INTERFACE | signatures.ENUM) or _is_local(cls.name):
        return None
    names = list(enclosing_names(cls.name))[1:2]
    if not names:
        return None
    (around,) = await c.graph.named(names)
    if around is None:
        return None
    for level in await levels(c):
        await c.graph.link([level.cls])
        if level.links is not None and around in c.graph.ancestors(level.cls):
            return level.instance(c, at)
    raise EvalError(f"an enclosing instance that contains {around.type}.{cls.type} is required", at)


def _is_local(name: str) -> bool:
    """Local and anonymous classes: their constructors take what they capture, which has no syntax."""
    return name.rpartition("$")[2][:1].isdigit()


async def compile_new_array(c: Compiler, node: tree.NewArray, scope: Scope) -> Op:
    """``new T[n][]`` and ``new T[] {..}`` (JLS 15.10)."""
    kind = await resolve_type(c, node.type)
    if not isinstance(kind, ArrayType):
        c.refuse(f"illegal initializer for {kind}", node.at)
    if node.init is not None:
        return await _initializer(c, node.init, kind, scope)
    if not node.lengths:
        c.refuse("array dimension missing", node.at)
    lengths = [await _length(c, length, scope) for length in node.lengths]
    return MakeArray(kind, lengths, node.at)


async def _length(c: Compiler, node: tree.Expression, scope: Scope) -> Op:
    return await c.convert(await c.value(node, scope), INT, ConversionContext.LOOSE)


async def _initializer(c: Compiler, node: tree.ArrayInit, kind: ArrayType, scope: Scope) -> Op:
    elements = []
    for element in node.elements:
        if isinstance(element, tree.ArrayInit):
            if not isinstance(kind.element, ArrayType):
                c.refuse(f"illegal initializer for {kind.element}", element.at)
            elements.append(await _initializer(c, element, kind.element, scope))
        else:
            elements.append(await c.assign_to(await c.value(element, scope), kind.element))
    return ArrayOf(kind, elements, node.at)


async def compile_class_literal(c: Compiler, node: tree.ClassLiteral, scope: Scope) -> Op:
    """``Type.class`` (JLS 15.8.2)."""
    named = erasure(await resolve_type(c, node.type))
    class_type = ClassType("java.lang.Class")
    if not isinstance(named, Primitive):
        return ClassObject(class_type, named, node.at)
    holder = "java.lang.Void" if named is VOID else BOXES[named].name
    (cls,) = await c.graph.named([holder])
    field = await c.graph.field(cls, "TYPE") if cls else None
    if field is None:
        c.refuse(f"cannot find symbol: class {holder}", node.at)
    return ReadStatic(class_type, field, node.at)

"""The meaning of a name in an expression (JLS 6.5): a variable, a member, a type, or the beginning of a package.

Owns the order in which the places are searched: variables of the expression, locals of the frame, ``$variables``, then
class by class from the innermost outwards its fields and what it has captured, and last the static imports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jdbpy.errors import EvalError, Thrown
from jdbpy.record import Record
from jdbpy.session.eval.compile.typenames import enclosing_names, find_class, unknown_class
from jdbpy.session.eval.ops.base import Op, ReadCell, Scope
from jdbpy.session.eval.ops.calls import EntryPart
from jdbpy.session.eval.ops.read import ArrayLength, ReadField, ReadLocal, ReadStatic, ReadThis, ReadVariable
from jdbpy.session.eval.syntax import tree
from jdbpy.session.eval.typing.class_graph import JavaField, JClass, bind_arguments, is_accessible, is_inherited
from jdbpy.session.eval.variables import HIT_NAMES, OWN_NAMES
from jdbpy.session.java.descriptors import read_type
from jdbpy.session.java.types import (
    ENTRY,
    LATE,
    NULL,
    ArrayType,
    ClassType,
    JavaType,
    Primitive,
    SequenceType,
    TypeVar,
    Wildcard,
    erasure,
    substitute,
    upper_bound,
)

if TYPE_CHECKING:
    from jdbpy.session.eval.compile.compiler import Compiler


_CLOSURE = "_closure"
"""Part of the names of the classes that Groovy generates for closures."""


class Level(Record):
    """A class around the frame's place. ``links`` are the fields that lead from ``this`` to its instance; None in
    static code, where there is no instance."""

    cls: JClass
    links: tuple[JavaField, ...] | None

    def instance(self, c: Compiler, at: int) -> Op | None:
        """Return the operation that gives the instance."""
        if self.links is None:
            return None
        instance = read_this(c, at)
        for link in self.links:
            instance = ReadField(link.type, instance, link, at)
        return instance


async def levels(c: Compiler) -> list[Level]:
    """Return the classes around the frame's place, innermost first. wire: 1 trip a class, 0 when known."""
    if c.levels is None:
        c.levels = []
        links: tuple[JavaField, ...] | None = None if c.frame.is_static else ()
        cls = c.home
        while cls is not None and cls not in (level.cls for level in c.levels):  # what the target says may circle
            c.levels.append(Level(cls, links))
            cls, links = await _outwards(c, cls, links)
    return c.levels


async def _outwards(
    c: Compiler, cls: JClass, links: tuple[JavaField, ...] | None
) -> tuple[JClass | None, tuple[JavaField, ...] | None]:
    """Return the class around a class, and the way to its instance."""
    member = next((m for m in cls.facts.fields if m.name.startswith("this$")), None)
    if member is None:
        names = list(enclosing_names(cls.name))[1:]
        around = next((found for found in await c.graph.named(names) if found is not None), None)
        link = None if around is None or links is None else await _closure_link(c, cls, around)
        return around, None if link is None or links is None else (*links, link)
    kind = read_type(member.signature)
    assert isinstance(kind, ClassType)
    (outer,) = await c.graph.named([kind.name])
    return outer, None if links is None else (*links, JavaField(cls, member, kind))


async def _closure_link(c: Compiler, cls: JClass, around: JClass) -> JavaField | None:
    """Return the field of a Groovy closure that leads to the instance around it; None in any other class.

    Its type is Object, and in static code it holds the class: that is told when it is read.
    """
    if _CLOSURE not in cls.name:
        return None
    await c.graph.link([cls, around])
    base = next((each for each in c.graph.ancestors(cls) if each.name == "groovy.lang.Closure"), None)
    if base is None:
        return None
    name = "owner" if base in c.graph.ancestors(around) else "thisObject"
    member = next((each for each in base.facts.fields if each.name == name), None)
    return None if member is None else JavaField(base, member, around.type)


def read_this(c: Compiler, at: int) -> Op:
    c.reads.this = True
    assert c.home is not None
    return ReadThis(c.home.this_type, at)


async def compile_this(c: Compiler, node: tree.This, scope: Scope) -> Op:
    """``this`` and ``Outer.this`` (JLS 15.8.3, 15.8.4)."""
    c.require_frame("'this' needs a frame", node.at)
    if node.qualifier is None:
        if c.frame.is_static:
            c.refuse("non-static variable this cannot be referenced from a static context", node.at)
        return read_this(c, node.at)
    wanted = await type_of_qualifier(c, node.qualifier)
    for level in await levels(c):
        if level.cls is wanted:
            instance = level.instance(c, node.at)
            if instance is None and (lost := lost_instance(c, level)):
                c.refuse(f"{level.cls.type}.this cannot be reached: {lost}", node.at)
            if instance is None:
                c.refuse("non-static variable this cannot be referenced from a static context", node.at)
            return instance
    name = wanted.name.rpartition(".")[2].replace("$", ".")
    raise EvalError(f"not an enclosing class: {name}", node.at)


async def type_of_qualifier(c: Compiler, node: tree.Expression) -> JClass:
    """Return the class that an expression which must be a type name means."""
    parts = dotted(node)
    found = await find_class(c, parts, node.at, load=True) if parts else None
    if found is None:
        raise unknown_class(".".join(parts or ["?"]), node.at)
    return found


def dotted(node: tree.Expression) -> list[str] | None:
    """Return the parts of a name such as ``a.b.c``; None for any other expression."""
    if isinstance(node, tree.Name):
        return [node.name]
    if isinstance(node, tree.Select):
        before = dotted(node.object)
        return None if before is None else [*before, node.name]
    return None


async def compile_name(c: Compiler, node: tree.Name, scope: Scope) -> Op:
    """Return a simple name that must be a variable."""
    found = await variable(c, node.name, node.at, scope)
    if found is None:
        home = c.require_frame(f"cannot find symbol: variable {node.name}", node.at)
        raise EvalError(
            f"cannot find symbol: variable {node.name} in class {home.type}", node.at, hint=hint_for(c, node.name)
        )
    return found


async def variable(c: Compiler, name: str, at: int, scope: Scope) -> Op | None:
    """Return the operation that reads a variable by its simple name; None when there is no such variable."""
    if name in scope.variables:
        binding = scope.variables[name]
        return ReadCell(binding.type, binding.cell, at, name)
    for local in reversed(c.frame.locals):
        if local.name == name:
            c.reads.locals[local.slot] = local
            variables = c.home.variables if c.home else {}
            return ReadLocal(plain(read_type(local.generic or local.signature, variables)), local, at)
    if name.startswith("$") and (own := _debugger_variable(c, name[1:], at)) is not None:
        return own
    unseen: tuple[Level, JavaField] | None = None  # what Java does not see there is taken where nothing else is meant
    for level in await levels(c):
        field = await c.graph.field(level.cls, name)
        if field is None or not is_inherited(field, level.cls):
            unseen = unseen or (None if field is None else (level, field))
            captured = next((m for m in level.cls.facts.fields if m.name == f"val${name}"), None)
            field = None if captured is None else JavaField(level.cls, captured, read_type(captured.signature))
        if field is not None:
            return _read_of_level(c, level, field, at)
    imported = await _imported_static(c, name, at)
    return imported if imported is not None or unseen is None else _read_of_level(c, *unseen, at)


def _read_of_level(c: Compiler, level: Level, field: JavaField, at: int) -> Op:
    """Read a member of a class around the frame's place."""
    instance = None if field.member.is_static else level.instance(c, at)
    if instance is None and not field.member.is_static and (lost := lost_instance(c, level)):
        c.refuse(f"non-static variable {field.member.name} cannot be reached: {lost}", at)
    return read_member(c, field, instance, level.cls.this_type, at)


def lost_instance(c: Compiler, level: Level) -> str:
    """Return why an object has no way to the instance of a class around it, in words; "" where static code has none.

    An anonymous or local class may also have been made in static code: its class file alone would tell.
    """
    assert c.home is not None
    if c.frame.is_static or level.links is not None or level.cls is c.home or c.home.is_static_member:
        return ""
    return f"{c.home.name} keeps no instance of {level.cls.type} (javac leaves out what the class itself does not use)"


def plain(kind: JavaType) -> JavaType:
    """Return a type without variables on the outside, which mean nothing to an expression."""
    return upper_bound(kind) if isinstance(kind, TypeVar | Wildcard) else kind


def _debugger_variable(c: Compiler, name: str, at: int) -> Op | None:
    if name == "this" and c.home is not None and not c.frame.is_static:
        return read_this(c, at)
    if name in c.variable_types:
        return ReadVariable(c.variable_types[name], name, at)
    value = c.variables.get(name)
    if value is not None:
        if name in HIT_NAMES:  # with its declared type, which all hits at a place have
            return ReadVariable(value.type, name, at)
        return ReadVariable(LATE if value.type.is_reference and value.value is not None else value.type, name, at)
    if name in OWN_NAMES or name.isdecimal():
        raise EvalError(f"${name} has no value", at)
    return None


async def _imported_static(c: Compiler, name: str, at: int) -> Op | None:
    """Return a static field that the source file imports (JLS 7.5.3, 7.5.4)."""
    imports = await c.imports()
    owners = [full.rpartition(".")[0] for simple, full in imports.members if simple == name]
    for owner in [*owners, *imports.classes]:
        cls = await find_class(c, owner.split("."), at, load=True)
        field = await c.graph.field(cls, name) if cls else None
        if field is not None and field.member.is_static:
            return read_member(c, field, None, None, at)
    return None


def read_member(c: Compiler, field: JavaField, instance: Op | None, receiver: JavaType | None, at: int) -> Op:
    """Read a field: of the instance, or static."""
    if field.member.is_static:
        return ReadStatic(plain(field.type), field, at)
    if instance is None:
        c.refuse(f"non-static variable {field.member.name} cannot be referenced from a static context", at)
    kind = field.type
    view = c.graph.as_super(receiver, field.owner.type) if receiver is not None else None
    if view is not None and view.args:
        kind = substitute(kind, bind_arguments(field.owner, view))
    elif field.owner.variables and receiver is not None:
        kind = erasure(kind)
    return ReadField(plain(kind), instance, field, at)


async def compile_select(c: Compiler, node: tree.Select, scope: Scope) -> Op:
    """``a.b``: a field, an array's length, or a static member of a type (JLS 6.5.6.2, 15.11)."""
    if isinstance(node.object, tree.Super):
        return await _super_field(c, node, scope)
    target = await value_or_type(c, node.object, scope)
    if isinstance(target, JClass):
        return await _static_field(c, target, node)
    kind = upper_bound(target.type)
    if isinstance(kind, ArrayType | SequenceType) and node.name == "length":
        return ArrayLength(target, node.at)
    if isinstance(kind, Primitive):
        c.refuse(f"{kind} cannot be dereferenced", node.at)
    if kind is NULL:
        raise null_dereferenced(node.object, f'Cannot read field "{node.name}"', node.at)
    if kind is ENTRY and node.name in ("key", "value"):
        return EntryPart(target, node.name, node.at)
    error = EvalError(f"cannot find symbol: variable {node.name} in class {kind}", node.at)
    if not isinstance(kind, ClassType):
        return c.late(node, scope, error, object=target)
    cls = await c.graph.of_type(kind)
    field = await c.graph.field(cls, node.name) if cls else None
    if field is None:
        return c.late(node, scope, error, object=target)
    if cls is not None and not is_inherited(field, cls) and c.inexact(target):
        return c.late(node, scope, error, object=target)  # the object's own class may have a field of that name
    found = read_member(c, field, target, kind, node.at)
    if isinstance(found, ReadField) and not isinstance(node.object, tree.Cast | tree.This) and c.inexact(target):
        found.yields = not is_accessible(field, c.home)
    return found


def null_dereferenced(obj: tree.Expression | None, message: str, at: int) -> EvalError:
    """Return what it is to take a member of null: the literal does not compile, a value that turns out to be null
    throws.
    """
    if isinstance(obj, tree.Held):
        return Thrown("java.lang.NullPointerException", message, column=at)
    return EvalError("<null> cannot be dereferenced", at)


async def _super_field(c: Compiler, node: tree.Select, scope: Scope) -> Op:
    assert isinstance(node.object, tree.Super)
    this = await compile_this(c, tree.This(node.object.at, node.object.qualifier), scope)
    cls = await c.graph.of_type(this.type)
    assert cls is not None
    above = (await c.graph.parents(cls))[:1]
    field = await c.graph.field(above[0], node.name) if above else None
    if field is None:
        c.refuse(f"cannot find symbol: variable {node.name}", node.at)
    return read_member(c, field, this, this.type, node.at)


async def _static_field(c: Compiler, cls: JClass, node: tree.Select) -> Op:
    field = await c.graph.field(cls, node.name)
    if field is None:
        c.refuse(f"cannot find symbol: variable {node.name} in class {cls.type}", node.at)
    return read_member(c, field, None, None, node.at)


async def value_or_type(c: Compiler, node: tree.Expression, scope: Scope) -> Op | JClass:
    """Return what stands before a dot: a value, or, if it is a name that is no variable, a type (JLS 6.5.2).

    The value may be of type void: the caller says what that means.
    """
    parts = dotted(node)
    if parts is None:
        return await c.expression(node, scope)
    first = await variable(c, parts[0], node.at, scope)
    if first is not None:
        return first if len(parts) == 1 else await c.value(node, scope)
    if len(parts) > 1 and await _is_static_field(c, parts, node.at):
        return await c.value(node, scope)
    found = await _longest_type(c, parts, node.at)
    if found is None:
        if len(parts) == 1:
            c.require_frame(f"cannot find symbol: variable {parts[0]}", node.at)
            raise EvalError(f"cannot find symbol: variable {parts[0]}", node.at, hint=hint_for(c, parts[0]))
        package = ".".join(parts[:-1])
        if await c.target.has_package(package):
            raise unknown_class(".".join(parts), node.at)
        if await c.target.has_package(parts[0]):
            raise EvalError(f"package {package} does not exist", node.at)
        c.require_frame(f"cannot find symbol: variable {parts[0]}", _beginning(node).at)
        hint = hint_for(c, parts[0]) or f"no class of a package '{parts[0]}' is loaded either"
        raise EvalError(f"cannot find symbol: variable {parts[0]}", _beginning(node).at, hint=hint)
    cls, used = found
    if used == len(parts):
        return cls
    return await c.value(node, scope)


def _beginning(node: tree.Expression) -> tree.Expression:
    """Return the first name of a dotted one."""
    while isinstance(node, tree.Select):
        node = node.object
    return node


def hint_for(c: Compiler, name: str) -> str:
    """Return what may help with an unknown name: where the variable is in scope, or names that are like it; or ""."""
    from difflib import get_close_matches

    scope = c.frame.out_of_scope(name)
    if scope:
        return scope
    known = [local.name for local in c.frame.locals]
    known += [field.name for field in c.home.facts.fields] if c.home is not None else []
    close = get_close_matches(name, known, n=3, cutoff=0.6)
    return f"did you mean {' or '.join(close)}?" if close else ""


async def _is_static_field(c: Compiler, parts: list[str], at: int) -> bool:
    """True if a name begins with a type and a field of it, which hides a member type of that name (JLS 6.4.2)."""
    cls = await find_class(c, parts[:1], at, load=False)
    return cls is not None and await c.graph.field(cls, parts[1]) is not None


async def _longest_type(c: Compiler, parts: list[str], at: int) -> tuple[JClass, int] | None:
    """Return the class that the longest possible beginning of the name means, and how many parts that takes."""
    for load in (False, True):
        for count in range(len(parts), 0, -1):
            if load and not parts[count - 1][:1].isupper():
                continue
            cls = await find_class(c, parts[:count], at, load=load)
            if cls is not None:
                return cls, count
    return None


async def compile_held(c: Compiler, node: tree.Held, scope: Scope) -> Op:
    """Return an operand whose value and run-time class are known by now."""
    return ReadCell(scope.held[node.cell], node.cell, node.at, "value", exact=True)

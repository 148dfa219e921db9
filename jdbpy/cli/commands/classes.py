"""Loaded classes: class, classes, methods, fields, lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Annotated, TypeVar

from jdbpy import ClassDetail, ClassInfo, ClassList, FieldInfo, MethodInfo
from jdbpy.cli.arguments.base import Option
from jdbpy.cli.arguments.code import ExpressionArgument
from jdbpy.cli.arguments.location import MemberArgument
from jdbpy.cli.arguments.target import ClassNameArgument, ClassNameText, ClassPattern, MethodName
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import (
    CutPieces,
    LinePieces,
    Pieces,
    RowPieces,
    Sentence,
    Shown,
    count,
    faint,
    name as name_piece,
    remark,
    some,
)
from jdbpy.cli.output.shows import shows
from jdbpy.cli.output.values import declaration, modifiers
from jdbpy.cli.resolving import class_of, of_class, of_member
from jdbpy.cli.results import Lines
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.errors import JdbpyError, UsageError
from jdbpy.json_form import Inline, Json
from jdbpy.record import Record

M = TypeVar("M", MethodInfo, FieldInfo)

_NAME = re.compile(r"[^\s()\[\];:,+/-]+")
"""What may be a class, or a pattern of classes."""

_ARCHIVES = 3
"""Archives that are named where one of many is that of a class."""


class Classes(Record):
    """Loaded classes whose name fits ``pattern``."""

    pattern: Annotated[str, Json(optional=True)]
    classes: Sequence[ClassInfo]

    @property
    def names(self) -> Iterable[str]:
        """Return the names of all; of a list of the session's without making a record for each."""
        return self.classes.names if isinstance(self.classes, ClassList) else (each.name for each in self.classes)


class Methods(Record):
    """Methods of a class."""

    class_name: Annotated[str, Json(key="class")]
    methods: tuple[MethodInfo, ...]


class Fields(Record):
    """Fields of a class."""

    class_name: Annotated[str, Json(key="class")]
    fields: tuple[FieldInfo, ...]


class TypeMembers(Record):
    """A class with the fields and methods that it declares itself."""

    json_name = "type"

    detail: Annotated[ClassDetail, Inline()]
    fields: tuple[FieldInfo, ...]
    methods: tuple[MethodInfo, ...]


def _qualified(name: str) -> Pieces:
    package, dot, simple = name.rpartition(".")
    return Pieces(((package + dot, "faint"), (simple, "plain")))


@shows(Classes)
def classes_shown(result: Classes, settings: Settings) -> Shown:
    yield LinePieces(map(_qualified, result.names), result.names)
    like = f" like {result.pattern}" if result.pattern else ""
    yield faint(count(len(result.classes), "class", "classes") + like)


@shows(ClassDetail)
def class_detail(result: ClassDetail, settings: Settings) -> Shown:
    yield declaration(result.declaration)
    superclasses = (result.generic_superclass or "".join(result.superclasses[:1]), *result.superclasses[1:])
    interfaces = ", ".join(result.generic_interfaces or result.interfaces)
    called = f' "{result.loader_name}"' if result.loader_name not in ("", result.loader) else ""
    came_from = result.code_source or _one_of(result.code_source_candidates)
    rows = [
        ("extends", " < ".join(superclasses) if result.superclasses else ""),
        ("implements" if result.info.kind == "class" else "interfaces", interfaces),
        ("subclasses", some(result.subclasses, 50)),
        ("nested", some(result.nested, 50)),
        ("source", result.source or ""),
        ("loader", " < ".join((result.loader + called, *result.loader_parents))),
        ("code from", came_from),
        ("status", result.info.status),
        ("module", result.module),
        ("class file", result.class_file_version),
    ]
    yield RowPieces([(faint(title), text) for title, text in rows if text], "  ")
    yield from map(remark, result.unknown)


def _one_of(archives: Sequence[str]) -> str:
    """``a.jar or b.jar``: the first of many archives, one of which it is."""
    more = f" or one of {len(archives) - _ARCHIVES} more archives" if len(archives) > _ARCHIVES else ""
    return " or ".join(archives[:_ARCHIVES]) + more


@shows(TypeMembers)
def type_members(result: TypeMembers, settings: Settings) -> Shown:
    detail = result.detail
    superclass = detail.generic_superclass or detail.superclass or ""
    interfaces = ", ".join(detail.generic_interfaces or detail.interfaces)
    extends = f" extends {superclass}" if superclass not in ("", "java.lang.Object") else ""
    implements = "implements" if detail.info.kind == "class" else "extends"
    yield Sentence(declaration(detail.declaration) + extends + (f" {implements} {interfaces}" if interfaces else ""))
    yield from (CutPieces("  " + _field_line(each)) for each in result.fields)
    yield from (CutPieces("  " + _method_line(each)) for each in result.methods)


def _field_line(field: FieldInfo) -> Pieces:
    return modifiers(field.modifiers) + f"{field.type} " + name_piece(field.name)


def _method_line(method: MethodInfo) -> Pieces:
    returns = "" if method.name in ("<init>", "<clinit>") else f"{method.returns} "
    return modifiers(method.modifiers) + returns + name_piece(method.name) + f"({', '.join(method.parameters)})"


def _inherits(class_name: str, member: MethodInfo | FieldInfo) -> bool:
    """True if a member is not of the class itself, which may have been typed by its simple name."""
    return member.class_name != class_name and not member.class_name.endswith((f".{class_name}", f"${class_name}"))


@shows(Methods)
def methods_shown(result: Methods, settings: Settings) -> Shown:
    for method in result.methods:
        inherited = faint(f"  ({method.class_name})") if _inherits(result.class_name, method) else ""
        yield _method_line(method) + inherited
    if not result.methods:
        yield "no methods"


@shows(Fields)
def fields_shown(result: Fields, settings: Settings) -> Shown:
    for field in result.fields:
        inherited = faint(f"  ({field.class_name})") if _inherits(result.class_name, field) else ""
        yield _field_line(field) + inherited
    if not result.fields:
        yield "no fields"


@command("classes", "info classes", group="classes")
async def classes(
    ctx: Context,
    pattern: Annotated[str, ClassPattern()] = "",
    *,
    visible_to: Annotated[
        str | None,
        Option("--visible-to", argument=ClassNameArgument(), help="only what the loader of a class sees by name"),
    ] = None,
) -> Classes:
    """List the loaded classes, all or those that fit a pattern.

    `classes com.acme.*`, `classes *Order`, `classes order` (names that contain it). With `--visible-to CLASS`, those
    that the loader of that class has been asked for by name, its own and its parents'.
    """
    return Classes(pattern, await ctx.session.classes.list(pattern, visible_to=visible_to))


@command("class", group="classes")
async def class_(ctx: Context, name: ClassNameText) -> ClassDetail:
    """Show a class: its superclasses, interfaces, subclasses, nested classes, loader and source."""
    return (await of_class(ctx, name, ctx.session.classes.detail))[1]


@command("ptype", group="classes")
async def ptype(ctx: Context, expression: Annotated[str, ExpressionArgument()]) -> TypeMembers:
    """Show the fields and methods of a class, or of the class of an expression's value: `ptype order`.

    `methods CLASS` and `fields CLASS` list inherited ones, too; `class CLASS` says where it comes from.
    """
    if _NAME.fullmatch(expression) and (named := await class_of(ctx, expression)):
        return await _members(ctx, named)
    value = await ctx.session.values.evaluate(expression, limits=ctx.limits(depth=0))
    if value.id is None:
        raise UsageError(
            f"{expression} is {value.type}, which is not a class", hint="'whatis' shows the type of a value"
        )
    return await _members(ctx, value.type)


async def _members(ctx: Context, name: str) -> TypeMembers:
    classes = ctx.session.classes
    detail = await classes.detail(name)
    fields = await classes.fields(detail.info.name, inherited=False)
    return TypeMembers(detail, tuple(fields), tuple(await classes.methods(detail.info.name, inherited=False)))


@command("methods", "info methods", group="classes")
async def methods(ctx: Context, name: Annotated[str, MemberArgument("method")]) -> Methods:
    """List the methods of a class, or the overloads of one: `methods Order`, `methods Order.total`."""

    async def found(name: str, method: str) -> tuple[MethodInfo, ...]:
        return _called(name, method, await ctx.session.classes.methods(name), "method")

    class_name, _, listed = await of_member(ctx, name, found)
    return Methods(class_name, listed)


@command("fields", "info fields", group="classes")
async def fields(ctx: Context, name: Annotated[str, MemberArgument("field")]) -> Fields:
    """List the fields of a class, or show one: `fields Order`, `fields Order.total`."""

    async def found(name: str, field: str) -> tuple[FieldInfo, ...]:
        return _called(name, field, await ctx.session.classes.fields(name), "field")

    class_name, _, listed = await of_member(ctx, name, found)
    return Fields(class_name, listed)


def _called(class_name: str, name: str, members: Sequence[M], what: str) -> tuple[M, ...]:
    """Return the members of that name, all for ""; raises UsageError if there is none."""
    found = tuple(each for each in members if name in ("", each.name))
    if name and not found:
        near = get_close_matches(name, {each.name for each in members})
        hint = f"there is {', '.join(near)}" if near else f"'{what}s {class_name}' lists them"
        raise UsageError(f"no {what} {name} in {class_name}", hint=hint)
    return found


@command("lines", group="classes")
async def lines(
    ctx: Context, name: Annotated[str, MemberArgument("method")], method: Annotated[str, MethodName()] = ""
) -> Lines:
    """List the lines of a class that have code, or those of one method: where a breakpoint can stand.

    `lines Order`, `lines Order.total`, or as in jdb `lines Order total`.
    """
    if method:
        class_name, found = await of_class(ctx, name, lambda each: ctx.session.classes.lines(each, method))
    else:
        class_name, _, found = await of_member(ctx, name, ctx.session.classes.lines)
    if not found:
        raise JdbpyError(f"{class_name} has no line numbers", hint="it was compiled without them (javac -g:lines)")
    return Lines(class_name, tuple(found))

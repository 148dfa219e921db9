"""Loaded classes: class, classes, methods, fields, lines."""

from __future__ import annotations

from typing import Annotated

from jdbpy import ClassDetail
from jdbpy.cli.arguments.base import Option
from jdbpy.cli.arguments.code import Expression
from jdbpy.cli.arguments.target import ClassName, ClassPattern, MethodName
from jdbpy.cli.context import Context
from jdbpy.cli.results import Classes, Fields, Lines, Methods
from jdbpy.cli.table import command
from jdbpy.errors import JdbpyError, UsageError

Name = Annotated[str, ClassName()]


@command("classes", "info classes", group="classes")
async def classes(
    ctx: Context,
    pattern: Annotated[str, ClassPattern()] = "",
    *,
    visible_to: Annotated[
        str | None, Option("--visible-to", argument=ClassName(), help="only what the loader of a class sees by name")
    ] = None,
) -> Classes:
    """List the loaded classes, all or those that fit a pattern.

    `classes com.acme.*`, `classes *Order`, `classes order` (names that contain it). With `--visible-to CLASS`, those
    that the loader of that class has been asked for by name, its own and its parents'.
    """
    return Classes(pattern, await ctx.session.classes.list(pattern, visible_to=visible_to))


@command("class", group="classes")
async def class_(ctx: Context, name: Name) -> ClassDetail:
    """Show a class: its superclasses, interfaces, subclasses, nested classes, loader and source."""
    return await ctx.session.classes.detail(name)


@command("ptype", group="classes")
async def ptype(ctx: Context, expression: Annotated[str, Expression()]) -> ClassDetail:
    """Show the class of that name, or the class of an expression's value."""
    if await ctx.session.classes.find(expression):
        return await ctx.session.classes.detail(expression)
    value = await ctx.session.values.evaluate(expression, limits=ctx.limits(depth=0))
    if value.id is None:
        raise UsageError(f"{expression} is {value.type}, which is no class", hint="'whatis' shows the type of a value")
    return await ctx.session.classes.detail(value.type)


@command("methods", "info methods", group="classes")
async def methods(ctx: Context, name: Name) -> Methods:
    """List the methods of a class."""
    return Methods(name, tuple(await ctx.session.classes.methods(name)))


@command("fields", "info fields", group="classes")
async def fields(ctx: Context, name: Name) -> Fields:
    """List the fields of a class."""
    return Fields(name, tuple(await ctx.session.classes.fields(name)))


@command("lines", group="classes")
async def lines(ctx: Context, name: Name, method: Annotated[str, MethodName()] = "") -> Lines:
    """List the lines of a class that have code, or those of one method: where a breakpoint can stand."""
    found = await ctx.session.classes.lines(name, method)
    if not found:
        raise JdbpyError(f"{name} has no line numbers", hint="it was compiled without them (javac -g:lines)")
    return Lines(name, tuple(found))

"""Breakpoints in many methods at once: rbreak."""

from __future__ import annotations

import re
from typing import Annotated

from jdbpy import BreakpointInfo, ClassInfo, MethodInfo
from jdbpy.cli.arguments.base import WordArgument
from jdbpy.cli.arguments.target import ClassPattern
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import Shown, count
from jdbpy.cli.output.places import place_of
from jdbpy.cli.output.shows import shows
from jdbpy.cli.points import policy_here
from jdbpy.cli.results import Done
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.errors import JdbpyError, UsageError
from jdbpy.record import Record
from jdbpy.task_groups import open_nursery

MANY = 20
"""Breakpoints from which on the prompt asks before they are set."""

AT_ONCE = 200
"""Classes whose methods are asked for side by side."""

_NO_CODE = {"abstract", "native"}
_BRIDGE = 0x0040
"""The flag of a method that the compiler made to call another of its name (JVMS 4.6); a stop there is a second one."""


class ClassOrPattern(ClassPattern):
    """A class, by its full or its simple name, or a pattern of classes."""

    metavar = "CLASSES"
    help = "a class, or `*` for any part of names: `com.acme.*`"

    def parse(self, text: str) -> str:
        return text


class RegexBreakpoints(Record):
    """Breakpoints in all methods whose names fit an expression."""

    regex: str
    classes: Annotated[str, "the pattern of the classes that were looked through"]
    breakpoints: tuple[BreakpointInfo, ...]


@shows(RegexBreakpoints)
def regex_breakpoints(result: RegexBreakpoints, settings: Settings) -> Shown:
    for each in result.breakpoints:
        place = place_of(each.code[0]) if each.code else each.spec
        yield f"Breakpoint {each.number} set: " + place
    of = f" of {result.classes}" if result.classes else ""
    yield f"{count(len(result.breakpoints), 'method')}{of} like {result.regex}"


@command("rbreak", group="breakpoints")
async def rbreak(
    ctx: Context,
    regex: Annotated[str, WordArgument("REGEX", "a regular expression that is looked for in the names of methods")],
    classes: Annotated[str, ClassOrPattern()] = "",
) -> RegexBreakpoints | Done:
    """Set a breakpoint in every method of the loaded classes whose name matches a regular expression.

    `rbreak ^find`, `rbreak total com.acme.*`, `rbreak . com.acme.Order` (every method of a class). Without a pattern of
    classes, those that steps pass through (`exclude`) are left out. At the prompt, jdbpy asks first if there are many.
    Classes that are loaded later get none; abstract and native methods have no code to stop in.
    """
    try:
        wanted = re.compile(regex)
    except re.error as error:
        raise UsageError(
            f"'{regex}' is not a regular expression: {error}", hint="'rbreak ^get': names that begin with get"
        ) from error
    methods = await _methods(ctx, wanted, await _classes(ctx, classes))
    if not methods:
        where = f"of {classes}" if classes else "of the loaded classes"
        raise UsageError(
            f"no method {where} has a name like {regex}", hint="'methods CLASS' lists them, 'classes' what is loaded"
        )
    if len(methods) > MANY and not await ctx.confirm(f"set {len(methods)} breakpoints?"):
        return Done("no breakpoint was set")
    policy = policy_here(ctx)
    numbers: list[int] = []
    async with ctx.session.breakpoints.adding_many():
        for method in methods:
            spec = f"{method.class_name}.{method.name}({','.join(method.parameters)})"
            numbers.append((await ctx.session.breakpoints.add(spec, policy=policy)).number)
    return RegexBreakpoints(regex, classes, tuple(ctx.session.points.get(number) for number in numbers))


async def _classes(ctx: Context, pattern: str) -> list[str]:
    """Return the names of the loaded classes that a pattern means; no arrays, hidden ones, or what steps pass
    through."""
    found: list[ClassInfo] = [each for each in await ctx.session.classes.list(pattern) if each.kind != "array"]
    names = dict.fromkeys(each.name for each in found if "/" not in each.name)
    if "*" in pattern:
        return list(names)
    if pattern:
        return [name for name in names if name == pattern or name.endswith(f".{pattern}")]
    return [name for name in names if not ctx.session.execution.is_excluded(name)]


async def _methods(ctx: Context, wanted: re.Pattern[str], classes: list[str]) -> list[MethodInfo]:
    """Return the methods with code whose names fit, in the order of their classes. wire: 2 trips for 200 classes."""
    found: dict[str, list[MethodInfo]] = {}

    async def ask(name: str) -> None:
        try:
            found[name] = await ctx.session.classes.methods(name, inherited=False)
        except JdbpyError:  # it was unloaded meanwhile
            found[name] = []

    for first in range(0, len(classes), AT_ONCE):
        async with open_nursery() as nursery:
            for name in classes[first : first + AT_ONCE]:
                nursery.start_soon(ask, name)
    return [
        method
        for name in classes
        for method in found[name]
        if wanted.search(method.name)
        and not method.modifier_bits & _BRIDGE
        and not _NO_CODE & set(method.modifiers.split())
    ]

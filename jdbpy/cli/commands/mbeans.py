"""The MBeans of the target: listed, read, set, polled, called."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

from jdbpy import operating
from jdbpy.cli.arguments.mbeans import MBeanArgument, MBeanRequest
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import Column, Line, Sentence, Shown, TablePieces, count, faint, like, name
from jdbpy.cli.output.shows import shows
from jdbpy.cli.repeating import repeated, require_end
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.errors import UsageError
from jdbpy.json_form import Json
from jdbpy.record import Record

_EVERY = 2.0
_WIDTH = 100
"""Characters of a value that is shown in one line; a longer one is shown as a tree."""

_ATTRIBUTES = (
    Column("attribute", style="name", least=14),
    Column("value", style="string", least=16, fold=True),
    Column("", style="faint", least=6, drop=1),
)


class MBeans(Record):
    """The names of the MBeans that ``pattern`` fits."""

    json_name = "mbeans"

    pattern: Annotated[str, Json(optional=True)]
    names: tuple[str, ...]


class MBeanAttributes(Record):
    """MBeans with their attributes and operations, all or those that were asked for."""

    json_name = "mbean-attributes"

    mbeans: tuple[operating.MBeanDetail, ...]


@shows(MBeans)
def mbeans_shown(result: MBeans, settings: Settings) -> Shown:
    yield from result.names
    yield count(len(result.names), "MBean") + like(result.pattern)


@shows(MBeanAttributes)
def attributes_shown(result: MBeanAttributes, settings: Settings) -> Shown:
    for each in result.mbeans:
        yield name(each.name)
        rows: list[tuple[Line, ...]] = []
        trees: list[tuple[str, Any]] = []
        for one in each.attributes:
            text = f"({one.error})" if one.error else "(can only be set)" if not one.readable else _brief(one.value)
            if len(text) > _WIDTH:
                trees.append((one.name, one.value))
            else:
                rows.append((f"  {one.name}", text, "can be set" if one.writable else ""))
        yield TablePieces(_ATTRIBUTES, rows, titles=False)
        for called, value in trees:
            yield "  " + name(called) + ":"
            yield from _tree(value, "    ")
        for operation in each.operations:
            yield faint("  operation ") + f"{operation.name}({', '.join(operation.parameters)}): {operation.type}"


@shows(operating.OperationResult)
def operation_shown(result: operating.OperationResult, settings: Settings) -> Shown:
    if result.type == "void":
        yield Sentence(f"{result.operation} of {result.mbean} was called")
    elif isinstance(result.value, str):
        yield from result.value.rstrip("\n").split("\n")
    else:
        yield from _tree(result.value, "") if isinstance(result.value, list | dict) else [_brief(result.value)]


def _brief(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_brief(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_brief, value)) + "]"
    return value if isinstance(value, str) else json.dumps(value)


def _tree(value: Any, indent: str) -> Iterator[Line]:
    """Yield a value a line for each part of it that is not short."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in parts:
        head = f"{indent}{key}:" if isinstance(value, dict) else f"{indent}-"
        text = _brief(one)
        if isinstance(one, dict | list) and len(text) > _WIDTH - len(indent):
            yield head
            yield from _tree(one, indent + "  ")
        else:
            first, *more = text.split("\n")
            yield f"{head} {first}"
            yield from (f"{indent}  {line}" for line in more)
    if not isinstance(value, dict | list):
        yield from (f"{indent}{line}" for line in _brief(value).split("\n"))


@command("mbean", "mbeans", group="vm")
async def mbean(
    ctx: Context, request: Annotated[MBeanRequest, MBeanArgument()] = MBeanRequest()
) -> MBeans | MBeanAttributes | operating.OperationResult:
    """List the MBeans; show, set and poll their attributes; call their operations.

    `mbean`, `mbean java.lang:type=Memory`, `mbean *GarbageCollector* Collection*`, `mbean java.lang:type=Threading
    ThreadCount every 5s`, `mbean java.lang:type=Memory Verbose = true`, `mbean java.lang:type=Memory gc`, `mbean
    com.acme:type=Cache resize(100, "fast")`. One that fits more than one MBean lists or reads them all. Methods run in
    the target.
    """
    require_end(ctx, request.repeat)
    repeats = request.repeat.every is not None or request.repeat.seconds is not None
    if request.value is not None:
        if repeats:
            raise UsageError("a value is set once", hint="'mbean MBEAN ATTRIBUTE every 5s' polls it")
        return MBeanAttributes((await ctx.session.mbeans.set(request.pattern, request.member, request.value),))
    mbeans = ctx.session.mbeans
    if request.args is not None:
        return await mbeans.call(request.pattern, request.member, request.args)
    if not request.member and not repeats:
        names = await mbeans.names(request.pattern)
        if not request.pattern or len(names) != 1:
            if not names:
                raise UsageError(f"no MBean like '{request.pattern}'", hint="'mbean' lists them", code="NO_SUCH_MBEAN")
            return MBeans(request.pattern, names)
    if request.member and not repeats:
        found = await mbeans.detail(request.pattern, request.member)
        if len(found) == 1 and found[0].operations and not found[0].attributes and "*" not in request.member:
            return await mbeans.call(found[0].name, request.member)
        return MBeanAttributes(found)

    async def once() -> MBeanAttributes:
        return MBeanAttributes(await mbeans.detail(request.pattern, request.member))

    return await repeated(ctx, request.repeat, once, kind="mbean-attributes", every=_EVERY, endless=False)

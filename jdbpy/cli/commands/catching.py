"""Catchpoints and watchpoints: exceptions, classes, threads, the end of the target, fields; and ignore."""

from __future__ import annotations

import re
from typing import Annotated

from jdbpy import SuspendPolicy
from jdbpy.cli.arguments.points import (
    CATCH_EVENTS,
    Catch,
    CatchArgument,
    Uncatch,
    UncatchArgument,
    Watch,
    WatchArgument,
)
from jdbpy.cli.breakpoint_list import Breakpoints, BreakpointsChanged, BreakpointSet
from jdbpy.cli.context import Context
from jdbpy.cli.points import CATCHPOINTS, WATCHPOINTS, delete, listed, options_of, policy_here
from jdbpy.cli.table import command
from jdbpy.errors import UsageError


@command("catch", "info catch", group="breakpoints", everywhere=True)
async def catch(ctx: Context, request: Annotated[Catch | None, CatchArgument()] = None) -> BreakpointSet | Breakpoints:
    """Stop where an exception is thrown, or at another event; without arguments, list the catchpoints.

    `catch com.acme.OrderException` stops for it and its subclasses, whether they will be caught or not; `catch uncaught
    *` for exceptions that nothing catches; `catch *NotFoundException` by a pattern of names; `catch all Exception from
    com.acme.* except com.acme.util.*` by where it is thrown. The stop shows message, cause and where it will be caught.

    `catch load com.acme.*` stops when a class is loaded, before any of its code runs; `catch unload com.acme.*` reports
    of those that are gone (before Java 15 with the next event). `catch thread start` and `catch thread death` are for
    threads (`virtual` includes virtual ones), `catch exit` for the end of the target, while it can still be looked at.
    """
    if request is None:
        return listed(ctx, CATCHPOINTS)
    options = await options_of(ctx, request.tail, SuspendPolicy.ALL)
    words = request.words
    if request.event in CATCH_EVENTS:
        point = await CATCH_EVENTS[request.event].add(ctx.session, words, options)
    else:
        caught, uncaught = _sort(words[0])
        point = await ctx.session.catchpoints.exception(words[1], caught=caught, uncaught=uncaught, options=options)
    return BreakpointSet(point, ctx.session.remote)


@command("ignore", "uncatch", group="breakpoints")
async def ignore(ctx: Context, request: Annotated[Uncatch, UncatchArgument()]) -> BreakpointsChanged | Breakpoints:
    """Remove a catchpoint, or, with two numbers, ignore the next hits of a breakpoint.

    `ignore com.acme.OrderException`, `ignore uncaught java.lang.Throwable`; `ignore 2 10` lets ten hits of 2 pass.
    """
    if request.number:
        return Breakpoints((await ctx.session.points.set_ignore(request.number, request.count),))
    caught, uncaught = _sort(request.sort) if request.sort else (None, None)
    numbers = ctx.session.catchpoints.find_exceptions(request.name, caught=caught, uncaught=uncaught)
    if not numbers:
        shown = f"{request.sort} {request.name}".strip()
        raise UsageError(f"no catchpoint for {shown}", hint="'catch' lists them, 'delete NUMBER' removes one")
    return await delete(ctx, tuple(numbers))


def _sort(word: str) -> tuple[bool, bool]:
    """Return whether caught, and whether uncaught exceptions are meant."""
    return word != "uncaught", word != "caught"


@command("watch", "info watchpoints", group="breakpoints")
async def watch(ctx: Context, request: Annotated[Watch | None, WatchArgument()] = None) -> BreakpointSet | Breakpoints:
    """Stop where a field is about to change; without arguments, list the watchpoints.

    `watch com.acme.Order.total` for every object, `watch this.total` or `watch order.total` for one, `watch total` for
    `this`; `watch access Order.total` where it is read, `watch all Order.total` for both. The stop shows the value
    before and after. If the class is not loaded yet, the watchpoint is set when it loads. Local variables cannot be
    watched: `break ... if`.

    It is expensive, with or without a condition: while a field is watched the JVM interprets all threads, and code that
    computes takes some 100 times as long, whether it uses the field or not. `break ... if` where it changes costs less.
    """
    if request is None:
        return listed(ctx, WATCHPOINTS)
    return await _set(ctx, request, SuspendPolicy.ALL)


@command("rwatch", group="breakpoints")
async def rwatch(ctx: Context, request: Annotated[Watch, WatchArgument()]) -> BreakpointSet:
    """Stop where a field is read, as `watch access`; on a remote target a hit suspends only the thread that hits."""
    return await _set(ctx, request.replace(access=True, modification=False), policy_here(ctx))


@command("awatch", group="breakpoints")
async def awatch(ctx: Context, request: Annotated[Watch, WatchArgument()]) -> BreakpointSet:
    """Stop where a field is read or changed, as `watch all`; on a remote target a hit suspends only its thread."""
    return await _set(ctx, request.replace(access=True, modification=True), policy_here(ctx))


@command("unwatch", group="breakpoints")
async def unwatch(ctx: Context, request: Annotated[Watch, WatchArgument()]) -> BreakpointsChanged:
    """Remove the watchpoints of a field: all, or those of one kind.

    `unwatch com.acme.Order.total`, `unwatch access Order.total`, `unwatch 3`.
    """
    if re.fullmatch("[0-9]{1,9}", request.spec):
        return await delete(ctx, (int(request.spec),))
    find = ctx.session.watchpoints.find
    numbers = find(request.spec, access=request.access, modification=request.modification)
    if not numbers:
        hint = "'watch' lists the watchpoints, 'delete NUMBER' removes one"
        raise UsageError(f"{request.spec} is not watched", hint=hint)
    return await delete(ctx, tuple(numbers))


async def _set(ctx: Context, request: Watch, policy: SuspendPolicy) -> BreakpointSet:
    modification = True if request.modification is None else request.modification
    point = await ctx.session.watchpoints.add(
        request.spec,
        access=bool(request.access),
        modification=modification,
        options=await options_of(ctx, request.tail, policy),
    )
    return BreakpointSet(point, ctx.session.remote)

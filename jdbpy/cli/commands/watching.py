"""Watchpoints: fields that are read or changed."""

from __future__ import annotations

from typing import Annotated

from jdbpy import SuspendPolicy
from jdbpy.cli.arguments.points import Watch, WatchArgument
from jdbpy.cli.breakpoint_list import Breakpoints, BreakpointsChanged, BreakpointSet
from jdbpy.cli.context import Context
from jdbpy.cli.points import WATCHPOINTS, delete, listed, options_of, policy_here, was_set
from jdbpy.cli.table import command
from jdbpy.errors import UsageError


@command("watch", "info watchpoints", group="breakpoints")
async def watch(ctx: Context, request: Annotated[Watch | None, WatchArgument()] = None) -> BreakpointSet | Breakpoints:
    """Stop where a field is about to change; without arguments, list the watchpoints.

    `watch com.acme.Order.total` for every object, `watch this.total` or `watch order.total` for one, `watch total` for
    `this`; `watch access Order.total` where it is read, `watch all Order.total` for both. The stop shows the value
    before and after. A class that is not loaded yet is waited for. Local variables cannot be watched: `break ... if`.
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
    """Watch a field no more: all its watchpoints, or those of a sort.

    `unwatch com.acme.Order.total`, `unwatch access Order.total`, `unwatch 3`.
    """
    if request.spec.isdecimal():
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
    return await was_set(ctx, point, request.tail)

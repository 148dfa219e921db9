"""Breakpoints: setting, listing, removing, switching on and off, saving."""

from __future__ import annotations

import os
from functools import partial
from typing import Annotated

import trio

from jdbpy import BreakpointInfo, SuspendPolicy
from jdbpy.cli.arguments.base import FilePath, Option
from jdbpy.cli.arguments.condition import ConditionArgument, ConditionRequest
from jdbpy.cli.arguments.location import BreakpointArgument, BreakpointRequest, PlaceOrNumber, PlaceRequest
from jdbpy.cli.arguments.target import BreakpointNumbersOrAll, BreakpointPlaces, PlaceNumber
from jdbpy.cli.breakpoint_list import Breakpoints, BreakpointsChanged, BreakpointSet
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import Shown, count
from jdbpy.cli.output.shows import shows
from jdbpy.cli.points import add_breakpoint, as_commands, delete as delete_points, listed, policy_here
from jdbpy.cli.results import Done
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.errors import UsageError
from jdbpy.files import write_whole
from jdbpy.record import Record


class Saved(Record):
    """A file was written."""

    path: str
    count: int


@shows(Saved)
def saved(result: Saved, settings: Settings) -> Shown:
    yield f"{count(result.count, 'breakpoint')} written to {result.path}"


Request = Annotated[BreakpointRequest | None, BreakpointArgument()]
Numbers = Annotated[tuple[PlaceNumber, ...], BreakpointPlaces()]


@command("stop", group="breakpoints")
async def stop(ctx: Context, request: Request = None) -> BreakpointSet | Breakpoints:
    """Set a breakpoint, or list them. A hit suspends all threads, unless `thread` or `--no-stop` is given.

    `stop at com.acme.Order:42`, `stop in com.acme.Order.total`, `stop in Order.add(int,String)`,
    `stop thread at Order.java:42 if n > 3`. If the class is not loaded yet, the breakpoint is set when it loads.
    """
    if request is None:
        return listed(ctx)
    return await add_breakpoint(ctx, request, SuspendPolicy.ALL)


@command("break", "b", group="breakpoints")
async def break_(ctx: Context, request: Request = None) -> BreakpointSet | Breakpoints:
    """Set a breakpoint, or list them. On a remote target a hit suspends only the thread that hit.

    Otherwise the same as `stop`: `b Order.java:42 if total > 100`, `b 42` in the current file, `break all
    com.acme.Order.pay`.
    """
    if request is None:
        return listed(ctx)
    return await add_breakpoint(ctx, request, policy_here(ctx))


@command("tbreak", "tb", group="breakpoints")
async def tbreak(ctx: Context, request: Annotated[BreakpointRequest, BreakpointArgument()]) -> BreakpointSet:
    """Set a breakpoint that is removed when it is hit."""
    return await add_breakpoint(ctx, request.replace(tail=request.tail.having(temporary=True)), policy_here(ctx))


@command("breakpoints", "bl", "info breakpoints", "info break", "info b", group="breakpoints")
async def breakpoints(ctx: Context) -> Breakpoints:
    """List the breakpoints: number, state, place, hits."""
    return listed(ctx)


@command("clear", group="breakpoints")
async def clear(
    ctx: Context, which: Annotated[PlaceRequest | int | None, PlaceOrNumber()] = None
) -> Breakpoints | BreakpointsChanged:
    """Remove the breakpoint at a place or with a number; without either, list them.

    `delete all` removes all of them.
    """
    if which is None:
        return listed(ctx)
    if isinstance(which, int):
        return await delete_points(ctx, (which,))
    numbers = ctx.session.breakpoints.find(which.text)
    if not numbers:
        raise UsageError(f"no breakpoint at {which.text}", hint="'breakpoints' lists them")
    return await delete_points(ctx, tuple(numbers))


@command("delete", group="breakpoints")
async def delete(
    ctx: Context, *numbers: Annotated[tuple[int, ...], BreakpointNumbersOrAll()]
) -> BreakpointsChanged | Done:
    """Remove breakpoints by number; `delete all` removes every one."""
    if not numbers:
        raise UsageError("which breakpoints?", hint="'delete 2', 'delete 2-5', 'delete all'; 'breakpoints' lists them")
    chosen = tuple(number for group in numbers for number in group)
    if () in numbers:
        chosen = tuple(point.number for point in ctx.session.points.list())
        waiting = ctx.restarts.waiting if ctx.restarts is not None else []
        if not chosen and waiting:
            dropped = f"dropped: {', '.join(waiting)}"
            waiting.clear()
            return Done(dropped)
        if not chosen:
            return Done("no breakpoints")
        what = "the only breakpoint" if len(chosen) == 1 else f"all {len(chosen)} breakpoints"
        if not await ctx.confirm(f"delete {what}?"):
            return Done("nothing was deleted")
        waiting.clear()
    return await delete_points(ctx, chosen)


@command("enable", group="breakpoints")
async def enable(ctx: Context, *numbers: Numbers) -> BreakpointsChanged:
    """Switch breakpoints on again; without a number, all of them. `enable 1.2` is for one place of breakpoint 1."""
    chosen, places = _chosen(ctx, numbers)
    await ctx.session.points.enable(chosen)
    for each in places:
        await ctx.session.breakpoints.enable_place(each.number, each.place)
    return _changed(ctx, "enabled", chosen, places)


@command("disable", group="breakpoints")
async def disable(ctx: Context, *numbers: Numbers) -> BreakpointsChanged:
    """Switch breakpoints off and keep them; without a number, all of them.

    A line that holds a lambda has several places, which `breakpoints` lists: `disable 1.2` switches off one of them.
    """
    chosen, places = _chosen(ctx, numbers)
    await ctx.session.points.disable(chosen)
    for each in places:
        await ctx.session.breakpoints.disable_place(each.number, each.place)
    return _changed(ctx, "disabled", chosen, places)


@command("toggle", group="breakpoints")
async def toggle(ctx: Context, *numbers: Numbers) -> Breakpoints:
    """Disable enabled breakpoints and enable disabled ones."""
    chosen, places = _chosen(ctx, numbers)
    before = _points(ctx, chosen)
    for each in places:
        found = next(
            (place for place in ctx.session.points.get(each.number).places if place.number == each.place), None
        )
        breakpoints = ctx.session.breakpoints
        switch = breakpoints.disable_place if found and found.enabled else breakpoints.enable_place
        await switch(each.number, each.place)
    await ctx.session.points.disable([point.number for point in before if point.enabled])
    await ctx.session.points.enable([point.number for point in before if not point.enabled])
    return Breakpoints(_points(ctx, tuple(dict.fromkeys((*chosen, *(each.number for each in places))))))


@command("condition", "cond", group="breakpoints")
async def condition(ctx: Context, request: Annotated[ConditionRequest, ConditionArgument()]) -> BreakpointsChanged:
    """Make a breakpoint stop only where an expression is true; without one, always.

    `condition 2 total > 100`, `cond 2`. `cond -hit 2 % 10` lets every tenth hit count, `cond -hit 2` all of
    them; hits are counted anew then. For catchpoints, watchpoints and traces too. See `help conditions`.
    """
    points = ctx.session.points
    if request.hits is not None:
        point = await points.set_hit_count(request.number, request.hits)
        return BreakpointsChanged("hit count set" if request.hits else "hit count removed", (point,))
    point = await points.set_condition(request.number, request.expression)
    return BreakpointsChanged("condition set" if request.expression else "condition removed", (point,))


@command("save breakpoints", group="breakpoints")
async def save_breakpoints(
    ctx: Context,
    path: Annotated[str, FilePath()],
    *,
    force: Annotated[bool, Option("-f", "--force", help="overwrite an existing file without asking")] = False,
) -> Saved | Done:
    """Write the breakpoints, and what their hits run, to a file as commands; `read` sets them again.

    Only you can read the file. The prompt asks before it overwrites one; a script needs `-f` for that.
    Breakpoints for one thread or one object are written as comments, because they are valid only in this run.
    """
    points = ctx.session.points.list()
    some = any(point.thread is not None for point in points)
    threads = {thread.id: thread.name for thread in await ctx.session.threads.list()} if some else {}
    lines = ["# breakpoints of jdbpy; set them again with: read FILE", *as_commands(points, threads, ctx.actions)]
    exists = await trio.to_thread.run_sync(os.path.lexists, path)
    if exists and not force and not ctx.interactive:
        raise UsageError(f"{path} exists already", hint="'save breakpoints -f FILE' overwrites it", code="FILE")
    if exists and not force and not await ctx.confirm(f"overwrite {path}?"):
        return Done("nothing was written")
    try:
        await trio.to_thread.run_sync(partial(write_whole, path, lines, replace=exists))
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror}", hint="name a new file, or one of your own", code="FILE"
        ) from error
    return Saved(path, len(points))


def _chosen(
    ctx: Context, numbers: tuple[tuple[PlaceNumber, ...], ...]
) -> tuple[tuple[int, ...], tuple[PlaceNumber, ...]]:
    """Return the breakpoints, all without numbers, and the places of breakpoints. Raises UsageError for what is not
    there."""
    named = [each for group in numbers for each in group]
    for each in named:
        places = ctx.session.points.get(each.number).places
        if each.place and all(place.number != each.place for place in places):
            hint = "'breakpoints' lists its places" if places else "none of its places is loaded yet"
            raise UsageError(f"breakpoint {each.number} has no place {each.place}", hint=hint, code="NO_PLACE")
    if not numbers:
        return tuple(point.number for point in ctx.session.points.list()), ()
    return tuple(each.number for each in named if not each.place), tuple(each for each in named if each.place)


def _changed(
    ctx: Context, action: str, numbers: tuple[int, ...], places: tuple[PlaceNumber, ...]
) -> BreakpointsChanged:
    of_places = tuple(dict.fromkeys(each.number for each in places if each.number not in numbers))
    spelled = tuple(f"{each.number}.{each.place}" for each in places)
    return BreakpointsChanged(action, _points(ctx, (*numbers, *of_places)), spelled)


def _points(ctx: Context, numbers: tuple[int, ...]) -> tuple[BreakpointInfo, ...]:
    return tuple(ctx.session.points.get(number) for number in numbers)

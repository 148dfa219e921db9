"""Letting the target run and making it stop: run, cont, until, advance, pause."""

from __future__ import annotations

from typing import Annotated

from jdbpy import VmState
from jdbpy.cli.arguments.location import Location, Place
from jdbpy.cli.arguments.plain import Text
from jdbpy.cli.arguments.target import Thread
from jdbpy.cli.context import Context
from jdbpy.cli.points import policy_here
from jdbpy.cli.results import Resumed, Stopped
from jdbpy.cli.table import command
from jdbpy.errors import UsageError


@command("run", group="running", resumes=True)
async def run(ctx: Context, words: Annotated[str, Text("CLASS AND ARGUMENTS")] = "") -> Resumed:
    """Start the program of a launched target, or let an attached one go on.

    The class and its arguments are given when jdbpy is started; `run` takes none.
    """
    if words:
        raise UsageError(
            "the program and its arguments are set when jdbpy starts it",
            hint=f"run without arguments, or start anew: jdbpy launch {words}",
        )
    return await _resume(ctx)


@command("cont", "continue", "c", group="running", resumes=True, repeats="again")
async def cont(ctx: Context, place: Annotated[Place | None, Location()] = None) -> Resumed:
    """Let the target run on until the next stop.

    With a place it stops there, once, as `advance` does.
    """
    if place is not None:
        if place.line is not None:
            raise UsageError(
                f"'cont {place.text}' could be a line or a count", hint=f"'advance {place.text}' or '{place.text} cont'"
            )
        return await advance(ctx, place)
    return await _resume(ctx)


@command("until", group="running", resumes=True)
async def until(ctx: Context, place: Annotated[Place | None, Location()] = None) -> Resumed:
    """Run to a later line of this method, or until it returns.

    Without a line, to any line below this one: the way out of a loop. With another place, as `advance` does.
    """
    if place is not None and place.line is None and place.offset is None:
        return await advance(ctx, place)
    line = None if place is None else place.line
    if place is not None and place.offset is not None:
        frame = await ctx.session.stack.selected()
        line = (frame.location.line or 0) + place.offset
    await ctx.session.execution.start_until(line)
    return Resumed()


@command("advance", group="running", resumes=True)
async def advance(ctx: Context, place: Annotated[Place, Location()]) -> Resumed:
    """Run on until a place is reached: a temporary breakpoint and `cont`."""
    point = await ctx.session.breakpoints.add(place.text, temporary=True, policy=policy_here(ctx))
    running = await _resume(ctx)
    return running.replace(note=f"temporary breakpoint {point.number} at {point.spec}")  # type: ignore[no-any-return]


@command("pause", group="running")
async def pause(ctx: Context, thread: Annotated[str | None, Thread()] = None) -> Stopped:
    """Stop the running target, or one thread, wherever it is. Ctrl-C does it too."""
    chosen = None if thread is None else (await ctx.session.threads.find(thread)).id
    return Stopped(await ctx.session.execution.pause(chosen))


async def _resume(ctx: Context) -> Resumed:
    """Lets the target go. A script that says so of a running target wants to wait for its next stop."""
    if ctx.interactive or ctx.session.state is not VmState.RUNNING:
        await ctx.session.execution.resume()
    return Resumed()

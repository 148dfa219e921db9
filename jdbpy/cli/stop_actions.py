"""Runs the actions of stops: the monitors at every one, the commands of the breakpoints that were hit.

Owns their order, and that a command which resumes the target ends the row: the rest was meant for a stop that is over.
Apart from the commands that order them, which are loaded with the first of these.
"""

from __future__ import annotations

from jdbpy import Stopped, SuspendPolicy
from jdbpy.cli.context import Collecting, Context
from jdbpy.errors import UsageError


async def run_stop_actions(ctx: Context, stop: Stopped) -> bool:
    """Run the actions of a stop. Return True if one of them has resumed the target. One that fails ends the row too."""
    lines = [*ctx.monitors.values(), *(line for number in stop.breakpoints for line in ctx.actions.get(number, ()))]
    if not lines or ctx.acting:
        return False
    ctx.acting, ctx.acted_on = True, False
    try:
        for line in lines:
            if not await ctx.run_line(line) or ctx.acted_on or ctx.leaving:
                break
    finally:
        ctx.acting = False
        if stop.temporary and stop.breakpoint is not None:
            ctx.actions.pop(stop.breakpoint, None)
    return ctx.acted_on


def variables_wanted(ctx: Context, stop: Stopped) -> str:
    """Return which variables a stop shows by itself, by the setting: "locals" for all of them, "changes", or ""."""
    shows = ctx.settings["stop-shows"].split()
    if stop.frame is None or stop.frame.native or (ctx.screen is not None and ctx.screen.is_open):
        return ""
    if "locals" in shows:
        return "locals"
    is_asked = "auto" in shows and ctx.interactive and not ctx.session.is_far
    return "changes" if "changes" in shows or is_asked else ""


def require_stop(ctx: Context, number: int) -> None:
    """Raises UsageError for a breakpoint that does not exist, or whose hits stop nothing."""
    if ctx.session.points.get(number).policy is SuspendPolicy.NONE:
        raise UsageError(
            f"a hit of {number} suspends nothing, so no command can be run there", hint="set it without 'go'"
        )


def unfinished(collecting: Collecting) -> UsageError:
    """Return the error for ``commands N`` whose lines have no end."""
    return UsageError(f"after 'commands {collecting.number}' the line 'end' is missing", code="SCRIPT")

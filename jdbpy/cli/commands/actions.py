"""Actions at stops: monitors at every stop, commands at hits of one breakpoint."""

from __future__ import annotations

from typing import Annotated

from jdbpy.cli.arguments.base import Number, TextArgument
from jdbpy.cli.arguments.target import BreakpointNumber
from jdbpy.cli.context import Collecting, Context
from jdbpy.cli.interpreter import expanded, unknown_command
from jdbpy.cli.output.pieces import Sentence, Shown, number
from jdbpy.cli.output.shows import shows
from jdbpy.cli.results import Actions, Done
from jdbpy.cli.settings import Settings
from jdbpy.cli.stop_actions import require_stop
from jdbpy.cli.table import TABLE, command
from jdbpy.errors import UsageError
from jdbpy.record import Record


class Monitor(Record):
    """A command that is run at every stop."""

    number: int
    command: str


class Monitors(Record):
    """Commands that are run at every stop."""

    monitors: tuple[Monitor, ...]


@shows(Monitors)
def monitors_shown(result: Monitors, settings: Settings) -> Shown:
    for one in result.monitors:
        yield number(one.number) + f": {one.command}"
    if not result.monitors:
        yield Sentence("nothing is run at stops; 'monitor COMMAND' adds something")


@command("monitor", "info monitors", group="breakpoints")
async def monitor(ctx: Context, line: Annotated[str, TextArgument("COMMAND")] = "") -> Monitors:
    """Run a command at every stop; without one, list these commands.

    `monitor where`, `monitor print total`. They share one sequence of numbers with `display`.
    """
    if line:
        if TABLE.find(expanded(ctx, line)) is None:
            raise unknown_command(TABLE, line)
        number, ctx.next_display = ctx.next_display, ctx.next_display + 1
        ctx.monitors[number] = line
        return Monitors((Monitor(number, line),))
    return Monitors(tuple(Monitor(number, text) for number, text in ctx.monitors.items()))


@command("unmonitor", group="breakpoints")
async def unmonitor(ctx: Context, number: Annotated[int, Number("NUMBER")]) -> Done:
    """Delete a command that runs at each stop."""
    if number not in ctx.monitors:
        raise UsageError(f"no monitor {number}", hint="'monitor' lists them")
    return Done(f"no longer run at every stop: {ctx.monitors.pop(number)}")


@command("commands", group="breakpoints")
async def commands(ctx: Context, number: Annotated[int | None, BreakpointNumber()] = None) -> Actions:
    """Set the commands that run when a breakpoint is hit: the lines that follow, up to `end`.

    Without a number, for the most recent breakpoint. For watchpoints, catchpoints and traces too. A `cont` among them
    lets the target run on. If `end` comes first, the commands are removed. `on NUMBER COMMAND` adds a single one.
    """
    if number is None:
        numbers = [point.number for point in ctx.session.points.list()]
        if not numbers:
            raise UsageError("no breakpoints", hint="'break LOCATION' sets one")
        number = numbers[-1]
    require_stop(ctx, number)
    ctx.collecting = Collecting(number)
    return Actions(number, tuple(ctx.actions.get(number, ())), expected=True)


@command("on", group="breakpoints")
async def on(
    ctx: Context, number: Annotated[int, BreakpointNumber()], line: Annotated[str, TextArgument("COMMAND")] = ""
) -> Actions:
    """Run one more command when a breakpoint is hit; without a command, show those that are run.

    `on 2 print total`, `on 2 cont`. `commands 2` replaces them all.
    """
    require_stop(ctx, number)
    if line:
        ctx.actions.setdefault(number, []).append(line)
    return Actions(number, tuple(ctx.actions.get(number, ())))

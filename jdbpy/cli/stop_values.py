"""The values that a stop shows by itself: variables that have changed, or all of them, and the displays.

Owns which variables they are, and what each showed at the stop before in the same frame.
A stop costs no trip more for it over a slow link, unless the setting asks for it.
"""

from __future__ import annotations

from jdbpy import FrameInfo, JdbpyError, Stopped
from jdbpy.cli.commands.data import evaluate_displays
from jdbpy.cli.context import Context
from jdbpy.cli.output.values import value_line
from jdbpy.cli.results import Displayed, StopVariable
from jdbpy.cli.stop_actions import variables_wanted
from jdbpy.errors import Disconnected

_MOST = 100
"""Frames whose variables are remembered."""


async def values_at_stop(ctx: Context, stop: Stopped) -> Displayed:
    """Return the values that a stop shows. wire: 2 trips for variables; none if the setting asks for none."""
    wanted = variables_wanted(ctx, stop)
    variables: tuple[StopVariable, ...] = ()
    if wanted and stop.frame is not None:
        variables = await _variables(ctx, stop.frame, changed_only=wanted == "changes")
    displayed = await evaluate_displays(ctx) if ctx.displays else Displayed(())
    return displayed.replace(variables=variables)


async def _variables(ctx: Context, frame: FrameInfo, *, changed_only: bool) -> tuple[StopVariable, ...]:
    try:
        found = await ctx.session.stack.variables(frame)
    except Disconnected:
        raise
    except JdbpyError:  # the thread runs again, or its frame cannot be read: the stop is shown without them
        return ()
    key = (frame.thread.id, frame.location.class_name, frame.location.method, frame.location.signature, frame.height)
    before = ctx.stop_variables.pop(key, None)
    now = {each.name: value_line(each.value, each.error).text for each in found}
    ctx.stop_variables[key] = now
    if len(ctx.stop_variables) > _MOST:
        del ctx.stop_variables[next(iter(ctx.stop_variables))]
    if not changed_only:
        return tuple(StopVariable(each, (before or {}).get(each.name, now[each.name])) for each in found)
    if before is None:
        return ()
    return tuple(
        StopVariable(each, before.get(each.name, "")) for each in found if before.get(each.name) != now[each.name]
    )

"""The full screen: screen."""

from __future__ import annotations

from typing import Annotated

from jdbpy.cli.arguments.screen import PaneName, PaneWish
from jdbpy.cli.context import Context
from jdbpy.cli.results import Done
from jdbpy.cli.table import command
from jdbpy.errors import UsageError


@command("screen", "layout", "tui", group="settings")
async def screen(ctx: Context, pane: Annotated[str, PaneName()] = "", how: Annotated[str, PaneWish()] = "") -> Done:
    """Go to the full screen, or back to the plain prompt; show, hide or size a pane.

    `screen` goes there and back, `screen on` and `screen off` say which. `screen variables off` hides a pane,
    `screen output 12` gives it 12 rows (the source: columns), `screen source only` the whole screen. The panes are
    source, variables, stack, watches, threads, jvms, output and those of plug-ins. On the screen `?` shows the keys.
    """
    switch = ctx.screen
    if switch is None:
        raise UsageError(
            "no screen here", hint="it is for the prompt on a terminal that knows escape codes", code="NO_SCREEN"
        )
    if pane in ("", "on", "off") and how:
        raise UsageError(f"unexpected argument '{how}'")
    if pane == "off" or (not pane and switch.is_open):
        await switch.close()
        return Done("")
    if pane in ("", "on", "src", "source") and not how:
        await switch.open()
        return Done("")
    await switch.arrange(pane, how)
    return Done("")

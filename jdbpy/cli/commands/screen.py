"""The full screen: screen."""

from __future__ import annotations

from typing import Annotated

from jdbpy.cli.arguments.screen import PaneName, PaneWish
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import Sentence, Shown
from jdbpy.cli.output.shows import shows
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.errors import UsageError
from jdbpy.record import Record


class ScreenShown(Record):
    """Whether the full screen is there now; ``message`` says why it is not, where it was asked for."""

    open: Annotated[bool, "the full screen is there"]
    message: str = ""


@shows(ScreenShown)
def screen_shown(result: ScreenShown, settings: Settings) -> Shown:
    if result.message:
        yield Sentence(result.message)


@command("screen", "layout", "tui", group="settings")
async def screen(
    ctx: Context, pane: Annotated[str, PaneName()] = "", how: Annotated[str, PaneWish()] = ""
) -> ScreenShown:
    """Go to the full screen, or back to the plain prompt; show, hide or size a pane.

    `screen` goes there and back, `screen on` and `screen off` say which. `screen variables off` hides a pane,
    `screen output 12` gives it 12 rows (the source: columns), `screen source only` the whole screen. The panes are
    source, variables, stack, watches, threads, jvms, output and those of plug-ins. On the screen `?` shows the keys.
    """
    switch = ctx.screen
    if switch is None:
        if pane not in ("", "on", "off", "src"):
            from jdbpy.cli.screen.plugin_panes import pane_names  # a screen brings the line editor
            from jdbpy.cli.screen.switching import ALWAYS, check_wish

            check_wish((*ALWAYS, *pane_names()), pane, how)
        return ScreenShown(False, "no screen here: it is for the prompt, on a terminal that knows escape codes")
    if pane in ("", "on", "off") and how:
        raise UsageError(f"unexpected argument '{how}'")
    if pane == "off" or (not pane and switch.is_open):
        await switch.close()
        return ScreenShown(False)
    if pane in ("", "on", "src", "source") and not how:
        await switch.open()
        return ScreenShown(True)
    await switch.arrange(pane, how)
    return ScreenShown(True)

"""Panes of plug-ins: functions marked by ``jdbpy.pane``, called at each stop that the screen shows."""

from __future__ import annotations

from jdbpy.cli.context import Context
from jdbpy.cli.screen.state import PluginPane


def pane_names() -> tuple[str, ...]:
    """Return the names of the panes that loaded plug-ins have."""
    return ()


async def read_plugins(ctx: Context) -> tuple[PluginPane, ...]:
    """Return what the panes show now."""
    return ()

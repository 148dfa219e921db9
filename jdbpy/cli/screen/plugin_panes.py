"""Panes of plug-ins: functions decorated with ``jdbpy.pane``, called at each stop."""

from __future__ import annotations

from itertools import islice

import trio

from jdbpy import JdbpyError
from jdbpy.cli.context import Context
from jdbpy.cli.output.plain import plain_lines
from jdbpy.cli.output.shows import shown
from jdbpy.cli.plugin_commands import PythonValue
from jdbpy.cli.screen.state import PluginPane
from jdbpy.escape import escape
from jdbpy.plugins import LOADED
from jdbpy.plugins.declare import PaneDeclaration
from jdbpy.plugins.loading import Plugin
from jdbpy.plugins.running import evaluated

MOST_LINES = 1_000

LONGEST = 5.0
"""Time limit of a pane's function in seconds; then it is interrupted, and the pane says so."""


def declared() -> dict[str, tuple[Plugin, PaneDeclaration]]:
    """Return the panes of loaded plug-ins by name; of several with one name, the last."""
    return {each.name: (plugin, each) for plugin in LOADED.values() for each in plugin.panes}


def pane_names() -> tuple[str, ...]:
    """Return the names of the panes of loaded plug-ins."""
    return tuple(declared())


async def read_plugins(ctx: Context) -> tuple[PluginPane, ...]:
    """Call the functions of the panes; return what they show."""
    return tuple([await _read(ctx, name, *each) for name, each in declared().items()])


async def _read(ctx: Context, name: str, plugin: Plugin, declared: PaneDeclaration) -> PluginPane:
    if ctx.make_python is None:
        return PluginPane(name)
    runner = ctx.make_python()
    try:
        with trio.move_on_after(LONGEST) as limit:
            found = await runner.call(declared.function, name=plugin.name)
            value = await runner.in_thread(lambda: evaluated(found))
            if found is None:
                return PluginPane(name)
            record = PythonValue(value.type, value.text, value.value, value.readable)
            return PluginPane(name, tuple(islice(plain_lines(shown(record, ctx.settings)), MOST_LINES)))
        assert limit.cancelled_caught
        return PluginPane(name, (f"it took more than {LONGEST:g} seconds",), True)
    except JdbpyError as error:
        return PluginPane(name, (escape(error.message),), True)

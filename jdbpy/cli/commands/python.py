"""Python at the prompt, and plug-ins: py, plugins."""

from __future__ import annotations

from typing import Annotated

from jdbpy import Plugin, PluginError
from jdbpy.cli.arguments.base import TextArgument
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import RowPieces, Sentence, Shown
from jdbpy.cli.output.shows import shows
from jdbpy.cli.plugin_commands import PythonValue, require_python, with_traceback
from jdbpy.cli.python_lines import PythonLines
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.plugins import LOADED
from jdbpy.record import Record


class LoadedPlugin(Record):
    """A plug-in that was loaded: its file, and what it adds."""

    path: str
    commands: tuple[str, ...]
    views: Annotated[tuple[str, ...], "patterns of classes"]
    events: Annotated[tuple[str, ...], "at which it is called"]


class LoadedPlugins(Record):
    """The plug-ins that were loaded."""

    plugins: tuple[LoadedPlugin, ...]


@shows(LoadedPlugins)
def plugins_shown(result: LoadedPlugins, settings: Settings) -> Shown:
    for each in result.plugins:
        yield each.path
        parts = (("commands", each.commands), ("views", each.views), ("events", each.events))
        yield RowPieces(((name, ", ".join(found)) for name, found in parts if found), "  ")
    if not result.plugins:
        yield Sentence("no plug-ins; 'source FILE.py' loads one")


@command("py", "python", group="plugins")
async def py(ctx: Context, code: Annotated[str, TextArgument("CODE")] = "") -> PythonValue:
    """Run Python: `py [each.name for each in vm.threads]`; without an argument, lines of Python follow.

    `vm`, `stop`, `frame` and `thread` are objects as in scripts with `jdbpy.sync`: what is selected now. Other names
    last as long as the debugger, `_` is the last value, `jdbpy` is `jdbpy.sync`. `py` alone is Python's interpreter:
    an empty line ends a block, `exit` or Ctrl-D leaves, Ctrl-C interrupts. In a file or a batch the lines up to `end`
    run as one piece.
    """
    if code:
        return await run_python(ctx, code)
    require_python(ctx)
    interactive = ctx.interactive and not ctx.scripts and not ctx.acting
    ctx.python_lines = PythonLines(interactive=interactive)
    return PythonValue("", "", None)


async def run_python(ctx: Context, source: str) -> PythonValue:
    """Run lines of Python. Raises PluginError for what they raise, UsageError where no Python is run."""
    try:
        found = await require_python(ctx).run(source)
    except PluginError as error:
        raise with_traceback(ctx, error) from error
    return PythonValue("", "", None) if found is None else PythonValue(found.type, found.text, found.value)


@command("plugins", "info plugins", group="plugins")
async def plugins(ctx: Context) -> LoadedPlugins:
    """List the plug-ins that were loaded: by `-p FILE`, by `source FILE.py`, or from the folder `plugins`.

    A plug-in is a file in Python that adds commands, views of classes, and functions that are called at events. The
    folder is `plugins` in the configuration directory, `~/.config/jdbpy`; it is for the prompt.
    """
    require_python(ctx)
    return LoadedPlugins(tuple(map(described, LOADED.values())))


def described(plugin: Plugin) -> LoadedPlugin:
    """Return what a plug-in adds, by names."""
    return LoadedPlugin(
        plugin.path,
        tuple(each.names[0] for each in plugin.commands),
        tuple(pattern for each in plugin.views for pattern in each.patterns),
        tuple(event for each in plugin.hooks for event in each.events),
    )

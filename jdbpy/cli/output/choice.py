"""The writer that fits standard output: with colors or without, for its window or for a pipe."""

from __future__ import annotations

import sys

from jdbpy.cli.output.columns import columns_of_window
from jdbpy.cli.output.plain import PlainRenderer
from jdbpy.cli.repl.terminal import wants_color
from jdbpy.cli.settings import Settings


def choose_renderer(settings: Settings) -> PlainRenderer:
    """Return the look: rich in color, else plain text."""
    if wants_color(settings["color"], sys.stdout):
        from jdbpy.cli.output.terminal import RichRenderer

        return RichRenderer(settings, columns_of_window)
    return plain_renderer(settings)


def plain_renderer(settings: Settings) -> PlainRenderer:
    """Return the look without colors."""
    return PlainRenderer(settings, columns_of_window)

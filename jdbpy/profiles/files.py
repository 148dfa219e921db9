"""Writes profiles to files: pictures and the formats of other tools, chosen by the file name extension."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from jdbpy.drawing.exports import collapsed, pprof, speedscope
from jdbpy.drawing.flame import flame_graph
from jdbpy.drawing.html import html_page
from jdbpy.drawing.stacks import WeightedStacks
from jdbpy.errors import UsageError

FORMS: dict[str, Callable[[WeightedStacks], str | bytes]] = {
    ".svg": flame_graph,
    ".html": html_page,
    ".collapsed": collapsed,
    ".folded": collapsed,
    ".txt": collapsed,
    ".speedscope.json": speedscope,
    ".json": speedscope,
    ".pb.gz": pprof,
    ".pprof": pprof,
}
"""What is written to a file whose name ends so."""

WORDS = "'.svg', '.html', '.collapsed', '.json' (speedscope), '.pb.gz' (pprof)"


def form_of(path: str) -> Callable[[WeightedStacks], str | bytes]:
    """Return the function that makes the contents of a file. Raises UsageError if its extension is not one of ours."""
    for ending, form in FORMS.items():
        if path.lower().endswith(ending):
            return form
    raise UsageError(f"'{os.path.basename(path)}' does not say what to write", hint=f"a profile is written to {WORDS}")


def write(stacks: WeightedStacks, path: str) -> str:
    """Write stacks to a file and return its path. Raises UsageError if it cannot be written."""
    made = form_of(path)(stacks)
    return write_text(made, path)


def write_text(made: str | bytes, path: str) -> str:
    """Write a picture to a file and return its path."""
    file = Path(os.path.expanduser(path))
    try:
        file.write_bytes(made if isinstance(made, bytes) else made.encode("utf-8", "replace"))
    except OSError as error:
        raise UsageError(f"'{path}' cannot be written: {error.strerror or error}") from error
    return str(file)

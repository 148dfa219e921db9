"""``jdbpy open FILE.jfr``: a recording of the flight recorder, shown outside of any session."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from jdbpy.cli.arguments.profiling import ProfileArgument, ProfileRequest
from jdbpy.cli.commands import timing  # noqa: F401  # shows the times of methods
from jdbpy.cli.commands.profiling import opened
from jdbpy.cli.console import Console
from jdbpy.cli.output.choice import choose_renderer
from jdbpy.cli.output.json_lines import JsonRenderer
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.settings import Settings
from jdbpy.errors import JdbpyError, UsageError
from jdbpy.process import standard
from jdbpy.process.statuses import FAILED, USAGE

_MAGIC = b"FLR\0"


def is_recording(path: str) -> bool:
    """True if a file is a recording, or is named like one."""
    if path.endswith(".jfr"):
        return True
    try:
        with open(path, "rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def main(words: Sequence[str]) -> int:
    """Show the profile in a recording; returns the exit status."""
    settings = Settings()
    rest = []
    as_json = False
    try:
        for word in words:
            if word == "--json":
                as_json = True
            elif word.startswith("--color="):
                settings.set("color", word.partition("=")[2])
            else:
                rest.append(f'"{word}"' if " " in word else word)
        request: ProfileRequest = ProfileArgument(sources=1).parse(" ".join(rest))
    except UsageError as error:
        hint = error.hint or "jdbpy open FILE.jfr [cpu|wall|alloc|lock|exceptions|timing] [PATTERN] [to FILE] [--json]"
        standard.write(f"jdbpy: {error.message}\n  {hint}\n", sys.stderr)
        return USAGE
    console = Console(JsonRenderer() if as_json else choose_renderer(settings), json=as_json)
    try:
        console.outcome(Outcome("open", None, opened(request)))
    except JdbpyError as error:
        console.failure("open", error)
        return FAILED
    return 0

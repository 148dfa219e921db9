"""Files of commands: read."""

from __future__ import annotations

from typing import Annotated

import trio

from jdbpy.cli.arguments.base import Option
from jdbpy.cli.arguments.plain import FilePath
from jdbpy.cli.context import Context
from jdbpy.cli.results import ScriptRead
from jdbpy.cli.stop_actions import unfinished
from jdbpy.cli.table import command
from jdbpy.errors import JdbpyError, UsageError


@command("read", "source", group="session")
async def read(
    ctx: Context,
    path: Annotated[str, FilePath()],
    *,
    quiet: Annotated[bool, Option("-q", "--quiet", help="show only what fails")] = False,
) -> ScriptRead:
    """Run the commands of a file, one a line; `#` starts a comment. It ends at the first command that fails."""
    lines = await trio.to_thread.run_sync(read_script, path)
    real = str(await trio.Path(path).resolve())
    if real in ctx.scripts:
        raise UsageError(f"{path} reads itself")
    ctx.scripts.append(real)
    count, before, loud = 0, ctx.collecting, not ctx.quiet
    ctx.quiet = ctx.quiet or quiet
    try:
        for number, line in enumerate(lines, 1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            count += 1
            if not await ctx.run_line(line):
                raise JdbpyError(f"line {number} of {path} failed: {line.strip()}", code="SCRIPT")
            if ctx.leaving:
                break
        if ctx.collecting is not None and ctx.collecting is not before:
            raise unfinished(ctx.collecting)
    finally:
        ctx.scripts.pop()
        ctx.quiet = not loud
    return ScriptRead(path, count)


def read_script(path: str) -> list[str]:
    """The lines of a file of commands; raises UsageError when it cannot be read."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            return file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UsageError(f"{path} cannot be read: {reason}", code="NO_SUCH_FILE") from error

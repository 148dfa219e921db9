"""Commands for scripts: read, echo, shell."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from subprocess import DEVNULL, PIPE, STDOUT
from typing import Annotated

import trio

from jdbpy.cli.arguments.base import FilePath, Option, TextArgument
from jdbpy.cli.commands.python import LoadedPlugins, described
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import Shown, count as count_of
from jdbpy.cli.output.shows import shows
from jdbpy.cli.plugin_commands import load_plugin
from jdbpy.cli.python_lines import unfinished_python
from jdbpy.cli.results import Done
from jdbpy.cli.settings import Settings
from jdbpy.cli.stop_actions import unfinished
from jdbpy.cli.table import command
from jdbpy.errors import JdbpyError, UsageError
from jdbpy.process.scripts import read_script
from jdbpy.record import Record


class ScriptRead(Record):
    """A file of commands was run."""

    json_name = "script"

    path: str
    commands: int


class ShellRun(Record):
    """A command of the shell was run: its exit status (-9: ended by signal 9) and what it printed."""

    json_name = "shell"

    status: Annotated[int, "its exit status; -9: ended by signal 9"]
    output: str


@shows(ScriptRead)
def script_read(result: ScriptRead, settings: Settings) -> Shown:
    yield f"{count_of(result.commands, 'command')} of {result.path} done"


@shows(ShellRun)
def shell_run(result: ShellRun, settings: Settings) -> Shown:
    yield from result.output.splitlines()
    if result.status:
        how = f"signal {-result.status}" if result.status < 0 else f"status {result.status}"
        yield f"the shell command ended with {how}"


@command("read", group="session")
async def read(
    ctx: Context,
    path: Annotated[str, FilePath()],
    *,
    quiet: Annotated[bool, Option("-q", "--quiet", help="show only what fails")] = False,
    keep_going: Annotated[bool, Option("-k", "--keep-going", help="go on after a failed command")] = False,
) -> ScriptRead | LoadedPlugins:
    """Run the commands of a file, one a line; `#` starts a comment. It ends at the first command that fails.

    `read -k FILE` goes on after it, and fails at its end, as your `init` file is read. A file `*.py` is a plug-in and
    is loaded: its commands are there from then on. Loading it again uses its current contents. Only you may have write
    access to it.
    """
    if path.endswith(".py"):
        return LoadedPlugins((described(await load_plugin(ctx, path)),))
    lines = await trio.to_thread.run_sync(read_script, path, abandon_on_cancel=True)
    real = str(await trio.Path(path).resolve())
    if real in ctx.scripts:
        raise UsageError(f"{path} reads itself")
    ctx.scripts.append(real)
    count, before, loud = 0, ctx.collecting, not ctx.quiet
    failures: list[str] = []
    ctx.quiet = ctx.quiet or quiet
    try:
        async with ctx.session.breakpoints.adding_many():
            for number, line in enumerate(lines, 1):
                if ctx.python_lines is None and (not line.strip() or line.lstrip().startswith("#")):
                    continue
                count += 1
                here = ctx if ctx.jvms is None or ctx.acting else ctx.jvms.current.context
                if not await here.run_line(line):
                    failures.append(f"line {number} of {path} failed: {line.strip()}")
                    if not keep_going:
                        break
                if ctx.leaving or (ctx.jvms is not None and ctx.jvms.leaving):
                    break
        if failures:
            raise JdbpyError("; ".join(failures), code="SCRIPT")
        if ctx.collecting is not None and ctx.collecting is not before:
            raise unfinished(ctx.collecting)
        if ctx.python_lines is not None:
            ctx.python_lines = None
            raise unfinished_python()
    finally:
        ctx.scripts.pop()
        ctx.quiet = not loud
    return ScriptRead(path, count)


@command("echo", group="session")
async def echo(ctx: Context, text: Annotated[str, TextArgument("TEXT")] = "") -> Done:
    """Show a text: a heading in the output of a script."""
    return Done(text)


@command("shell", group="session")
async def shell(ctx: Context, line: Annotated[str, TextArgument("COMMAND")]) -> ShellRun:
    """Run a command of this machine's shell and show what it prints: `shell ls`, or `!ls` for short.

    At the prompt only; a batch runs none unless `set shell on` allows it. The debugged program is not stopped by it.
    """
    allowed = ctx.settings["shell"]
    if allowed == "off" or (allowed == "auto" and not ctx.interactive):
        raise UsageError("shell commands are switched off here", hint="'set shell on' allows them", code="NOT_ALLOWED")
    return await run_shell(line)


async def run_shell(line: str) -> ShellRun:
    """Run a line in the user's shell, in a process group of its own, which a cancellation ends."""
    process = await trio.lowlevel.open_process(
        line, shell=True, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT, start_new_session=True
    )
    parts: list[bytes] = []
    assert process.stdout is not None
    try:
        async with process.stdout as stdout:
            async for part in stdout:
                parts.append(bytes(part))
        status = await process.wait()
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            with trio.CancelScope(shield=True):
                await process.wait()
    return ShellRun(status, b"".join(parts).decode("utf-8", "replace"))

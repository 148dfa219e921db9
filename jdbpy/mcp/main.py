"""The command line of ``jdbpy mcp``: what the client may do, and the target, if it is named already."""

from __future__ import annotations

import os
import sys
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from jdbpy import UsageError
from jdbpy.process.doorway import check_token
from jdbpy.process.statuses import NO_CONNECTION, USAGE
from jdbpy.record import Record
from jdbpy.task_groups import open_nursery

if TYPE_CHECKING:
    from jdbpy.mcp.debugging import Debugging

HELP = f"""\
usage: jdbpy mcp [options] [attach [HOST:]PORT]
       jdbpy mcp [options] launch [JVM options] (MAINCLASS | -jar FILE | -m MODULE/CLASS) [args...]

Speaks the Model Context Protocol for agents, on standard input and output: a client starts this program and talks to
it; or by HTTP. The target is opened at the first use of a tool; without one, the client's tools attach and launch
choose it.
Needs the extra: pip install 'jdbpy[mcp]'

options:
  --allow-changes        methods may be run, values set, code replaced, programs launched by the client; without it
                         nothing that changes the target leaves the debugger
  --allow-suspend        threads of a JVM on another machine may be suspended, as breakpoints do; those of a JVM on
                         this machine always may
  --hold thread|all      what a breakpoint suspends by default; else the thread on a remote JVM, all on a local one
  --max-suspend SECONDS  resume what has been suspended that long while no tool was used
  --http PORT            serve streamable HTTP on http://127.0.0.1:PORT/mcp instead; 0 takes a free port. The address
                         and the token, which clients send as "Authorization: Bearer TOKEN", go to standard error
  --idle SECONDS         with --http: leave the target when no request has come for that long (300)
  --sourcepath PATHS     directories and jars of sources, '{os.pathsep}' between them
  -h, --help             this text

JDBPY_MCP_TOKEN in the environment is the token for --http; without it one is made.

When the client goes, everything that it has suspended runs on, and its breakpoints are removed.
"""

LAST_PORT = 65_535
TOKEN = "JDBPY_MCP_TOKEN"

MISSING = "jdbpy mcp needs the MCP SDK: pip install 'jdbpy[mcp]' installs it"


class McpCommand(Record):
    """The command line, understood. ``action`` is "", "attach" or "launch"."""

    help: bool = False
    action: str = ""
    address: str = ""
    java: tuple[str, ...] = ()
    changes: bool = False
    suspend: bool = False
    hold: str = ""
    max_suspend: float | None = None
    source_path: tuple[str, ...] = ()
    http: int | None = None
    idle: float | None = None


def parse(words: list[str]) -> McpCommand:
    """Understand the words after ``jdbpy mcp``. Raises UsageError."""
    rest = list(words)
    found = McpCommand()
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if word in ("-h", "--help", "help"):
            return McpCommand(help=True)
        if word == "--allow-changes":
            found = found.replace(changes=True)
        elif word == "--allow-suspend":
            found = found.replace(suspend=True)
        elif name in ("--hold", "--max-suspend", "--sourcepath", "--http", "--idle"):
            if not equals:
                if not rest:
                    raise UsageError(f"{name} needs a value")
                value = rest.pop(0)
            found = _with(found, name, value)
        elif word == "launch" and not found.action:
            java = rest[1:] if rest[:1] == ["--"] else rest
            if all(each.startswith("-") for each in java):
                raise UsageError("launch needs a main class, -jar FILE or -m MODULE/CLASS")
            return found.replace(action="launch", java=tuple(java))
        elif word == "attach" and not found.action:
            if not rest or rest[0].startswith("-"):
                raise UsageError("attach needs one address, [HOST:]PORT")
            found = found.replace(action="attach", address=rest.pop(0))
        else:
            raise UsageError(f"unknown option {word}" if word.startswith("-") else f"unexpected argument '{word}'")
    return found


def _with(found: McpCommand, name: str, value: str) -> McpCommand:
    if name == "--hold":
        if value not in ("thread", "all"):
            raise UsageError(f"--hold is thread or all, not '{value}'")
        return found.replace(hold=value)
    if name == "--sourcepath":
        return found.replace(source_path=tuple(part for part in value.split(os.pathsep) if part))
    if name == "--http":
        if not (value.isascii() and value.isdigit() and len(value) < 6 and int(value) <= LAST_PORT):
            raise UsageError(f"--http is a port from 0 to {LAST_PORT}, not '{value}'")
        return found.replace(http=int(value))
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds < 1e9:
        raise UsageError(f"{name} needs a number of seconds, not '{value}'")
    return found.replace(idle=seconds) if name == "--idle" else found.replace(max_suspend=seconds)


def main(words: list[str]) -> int:
    """Serve until the client has gone; return the exit status."""
    try:
        line = parse(words)
        if line.help:
            sys.stdout.write(HELP)
            return 0
        if find_spec("mcp") is None or find_spec("mcp_types") is None:
            raise UsageError(MISSING, hint="docs/agents.md says more")
        if line.idle is not None and line.http is None:
            raise UsageError("--idle goes with --http")
        token = check_token(os.environ.get(TOKEN, ""), TOKEN) if line.http is not None else ""
        if line.http is None and os.isatty(0):
            raise UsageError("standard input is a terminal: an agent's client starts this program")
    except UsageError as error:
        sys.stderr.write(f"jdbpy: {error.message}\n  {error.hint or 'jdbpy mcp --help says what there is'}\n")
        return USAGE
    import trio

    return trio.run(_run, line, token)


async def _run(line: McpCommand, token: str) -> int:
    import trio

    from jdbpy.mcp.debugging import Debugging, Opening, Rights
    from jdbpy.mcp.running import attaching, launching
    from jdbpy.mcp.server import serve
    from jdbpy.process.signals import ended_by_signals

    given: Opening | None = None
    if line.action == "attach":
        given = partial(attaching, line.address)
    elif line.action == "launch":
        given = partial(launching, line.java, "")
    rights = Rights(line.changes, line.suspend, line.source_path, line.hold, line.max_suspend)
    async with ended_by_signals() as ended_by, open_nursery() as nursery:
        debugging = Debugging(nursery, rights, given)
        status = 0
        if line.http is None:
            await serve(debugging)
        else:
            status = await _serve_http(debugging, line, token)
        with trio.CancelScope(shield=True):
            await debugging.leave()
        nursery.cancel_scope.cancel()
    return 128 + ended_by[0] if ended_by else status


async def _serve_http(debugging: Debugging, line: McpCommand, token: str) -> int:
    """Serve until a signal; the exit status."""
    import secrets

    from jdbpy.mcp.http import IDLE_LIMIT, serve_http

    if not token:
        token = secrets.token_urlsafe(32)
        sys.stderr.write(f"jdbpy: token {token}\n")
    try:
        await serve_http(debugging, line.http or 0, token, line.idle or IDLE_LIMIT)
    except OSError as error:
        sys.stderr.write(f"jdbpy: cannot listen on 127.0.0.1:{line.http}: {error.strerror or error}\n")
        return NO_CONNECTION
    return 0

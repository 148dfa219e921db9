"""The command line of ``jdbpy mcp``: what the client may do, and the target, if it is named already."""

from __future__ import annotations

import os
import sys
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from jdbpy import UsageError
from jdbpy.process.doorway import check_token
from jdbpy.process.openings import address_missing, launch_words, options_for, port_of, seconds_of, usage
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
{usage("mcp", "allow_changes", "allow_suspend", "hold", "max_suspend")}
  --http PORT            serve streamable HTTP on http://127.0.0.1:PORT/mcp instead; 0 takes a free port. The address
                         and the token, which clients send as "Authorization: Bearer TOKEN", go to standard error
  --idle SECONDS         with --http: leave the target when no request has come for that long (300)
{usage("mcp", "source_path")}
  -h, --help             this text

JDBPY_MCP_TOKEN in the environment is the token for --http; without it one is made.

When the client goes, everything that it has suspended runs on, and its breakpoints are removed.
"""

TOKEN = "JDBPY_MCP_TOKEN"

MISSING = "jdbpy mcp needs the MCP SDK: pip install 'jdbpy[mcp]' installs it"


class McpCommand(Record):
    """The command line, understood. ``action`` is "", "attach" or "launch"."""

    help: bool = False
    action: str = ""
    address: str = ""
    java: tuple[str, ...] = ()
    allow_changes: bool = False
    allow_suspend: bool = False
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
        option = next((each for each in options_for("mcp") if each.flag == name), None)
        if option is not None and option.kind == "switch" and not equals:
            found = found.replace(**{option.name: True})
        elif (option is not None and option.kind != "switch") or name in ("--http", "--idle"):
            if not equals:
                if not rest:
                    raise UsageError(f"{name} needs a value")
                value = rest.pop(0)
            if option is not None:
                found = found.replace(**{option.name: option.read(value)})
            elif name == "--http":
                found = found.replace(http=port_of(name, value, "port"))
            else:
                found = found.replace(idle=seconds_of(name, value))
        elif word == "launch" and not found.action:
            return found.replace(action="launch", java=launch_words(rest[1:] if rest[:1] == ["--"] else rest))
        elif word == "attach" and not found.action:
            if not rest or rest[0].startswith("-"):
                raise address_missing("attach")
            found = found.replace(action="attach", address=rest.pop(0))
        else:
            raise UsageError(f"unknown option {word}" if word.startswith("-") else f"unexpected argument '{word}'")
    return found


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
    rights = Rights(line.allow_changes, line.allow_suspend, line.source_path, line.hold, line.max_suspend)
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

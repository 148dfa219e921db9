"""``jdbpy serve``, ``jdbpy join`` and ``jdbpy sessions``: what each runs, and its exit status."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import trio

from jdbpy import ConnectError, Disconnected, JdbpyError, UsageError
from jdbpy.cli.cmdline import CommandLine, parse
from jdbpy.escape import escape
from jdbpy.garbage import without_collection
from jdbpy.process import standard
from jdbpy.process.signals import ended_by_signals
from jdbpy.process.statuses import LOST, NO_CONNECTION, USAGE
from jdbpy.serve import sockets
from jdbpy.serve.cmdline import JOIN_HELP, SERVE_HELP, SESSIONS_HELP, parse_serve
from jdbpy.serve.served_here import described


def serve(words: list[str]) -> int:
    """Serve a session until it ends or a signal ends it; the exit status."""
    try:
        given = parse_serve(words)
    except UsageError as error:
        return _fail(error, "jdbpy serve --help says what there is", USAGE)
    if given.line.action == "help":
        standard.write(SERVE_HELP)
        return 0
    from jdbpy.serve.serving import run

    return _run(partial(run, given))


def join(words: list[str]) -> int:
    """Join a session until it is left; the exit status."""
    try:
        line = parse(["join", *words])
    except UsageError as error:
        return _fail(error, "jdbpy join --help says what there is", USAGE)
    if line.action == "help":
        standard.write(JOIN_HELP)
        return 0
    return _run(partial(_join, line))


def sessions(words: list[str]) -> int:
    """List the sessions that are served; the exit status."""
    if words[:1] in (["-h"], ["--help"]):
        standard.write(SESSIONS_HELP)
        return 0
    if words not in ([], ["--json"]):
        error = UsageError(f"unexpected argument '{escape(words[0])}'")
        return _fail(error, "jdbpy sessions --help says what there is", USAGE)
    return _run(partial(_list, bool(words)))


def session_names() -> list[str]:
    """Return the names of the sessions that are served on this machine."""
    return sockets.names()


def _run(function: Callable[[], Awaitable[int]]) -> int:
    return without_collection(partial(trio.run, function))


def _fail(error: JdbpyError, hint: str, status: int) -> int:
    hint = error.hint or hint
    standard.write(f"jdbpy: {error.message}\n" + (f"  {hint}\n" if hint else ""), sys.stderr)
    return status


async def _join(line: CommandLine) -> int:
    from jdbpy.cli.run import is_batch
    from jdbpy.serve.joining import join

    try:
        return await join(line, is_batch=is_batch(line))
    except ConnectError as error:
        return _fail(error, "", NO_CONNECTION)
    except Disconnected as error:
        return _fail(error, "", LOST)
    except UsageError as error:
        return _fail(error, "", USAGE)
    except JdbpyError as error:
        return _fail(error, "", 1)


async def _list(as_json: bool) -> int:
    found: list[dict[str, Any]] = []
    status = 0
    async with ended_by_signals() as ended_by:
        try:
            found = await described()
        except UsageError as error:
            status = _fail(error, "", USAGE)
    if as_json:
        standard.write("".join(json.dumps(each) + "\n" for each in found))
    elif not found and not status:
        standard.write("no session is served; 'jdbpy serve attach PORT' serves one\n")
    else:
        rows = [_row(each) for each in found]
        widths = [max(len(row[column]) for row in rows) for column in range(3)] if rows else []
        for row in rows:
            cells = [*(text.ljust(width) for text, width in zip(row, widths, strict=False)), row[3]]
            standard.write("  ".join(cells).rstrip() + "\n")
    return 128 + ended_by[0] if ended_by else status


def _row(found: dict[str, Any]) -> tuple[str, str, str, str]:
    clients, since = found["clients"], found["stopped_since"]
    names = ", ".join(escape(str(each)) for each in clients) if isinstance(clients, list) and clients else "no clients"
    state = escape(str(found["state"]))
    if isinstance(since, int | float):
        from jdbpy.cli.repl.prompt_state import duration

        state = f"stopped for {duration(max(0, time.time() - since))}"
    return escape(str(found["name"])), escape(str(found["target"])), names, state

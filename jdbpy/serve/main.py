"""The command lines of ``jdbpy serve``, ``jdbpy join`` and ``jdbpy sessions``."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial

import trio

from jdbpy import ConnectError, Disconnected, JdbpyError, UsageError, main_class
from jdbpy.cli.cmdline import CommandLine, parse
from jdbpy.escape import escape
from jdbpy.garbage import without_collection
from jdbpy.process import standard
from jdbpy.process.signals import ended_by_signals
from jdbpy.record import Record
from jdbpy.serve import places

SERVE_HELP = """\
usage: jdbpy serve [--name NAME] [--port N] [--together] [--keep] (attach | launch | listen | demo) ...

Keeps a session with a JVM that several clients join: prompts, batches, programs and editors.

  --name NAME   what the session is called; by default after the address or the main class
  --port N      be reached at 127.0.0.1:N too, with a token that is printed; 0 takes a free port
  --together    the clients are one person's: every stop is one of every client. Else each client has the stops
                of its own breakpoints and steps, and hears of the others'
  --keep        what is suspended stays so when the last client leaves; else the JVM is left running
  -h, --help    this text

What follows is the command line of jdbpy, with its options; commands of -c and -x run before anybody joins.
The session lasts until the JVM ends or this process is ended (Ctrl-C), which leaves the JVM as jdbpy always does.

join it:    jdbpy join [NAME]                 a prompt, or a batch with -c and -x
            an editor that speaks the Debug Adapter Protocol attaches to the socket or the port
            JSON Lines on either, and jdbpy.join() in Python
"""

JOIN_HELP = """\
usage: jdbpy join [NAME | HOST:PORT] [options]

Joins a session that 'jdbpy serve', or the command 'serve' of a prompt, keeps. Without a name: the only one there is.

  --as NAME              what the others call you; by default your user's name
  --token TOKEN          of a session on a port; else that in the variable JDBPY_TOKEN
  --keep                 breakpoints and what is suspended stay when you leave; else they are taken back
  --read-only            nothing of yours changes or suspends the target; --allow-suspend permits to suspend
  -c, -x, --batch, --keep-going, --json, --timeout, --color   as with the other actions: jdbpy --help
  -h, --help             this text

exit status: as always; 3 when there is no such session, 5 when it was lost
"""

SESSIONS_HELP = """\
usage: jdbpy sessions [--json]

Lists the sessions that are served on this machine for you: name, target, clients, and since when it is stopped.
"""

USAGE = 2
NO_CONNECTION = 3
LOST = 5
_LAST_PORT = 65_535
_ANSWER_LIMIT = 5.0


class ServeLine(Record):
    """The command line of ``serve``, understood."""

    line: CommandLine
    name: str = ""
    port: int | None = None
    together: bool = False
    keep: bool = False


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


def parse_serve(words: list[str]) -> ServeLine:
    """Understand the words after ``jdbpy serve``. Raises UsageError."""
    name, port, together, keep = "", None, False, False
    rest = list(words)
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        option, equals, value = word.partition("=")
        if word in ("-h", "--help"):
            return ServeLine(CommandLine("help"))
        if word == "--together":
            together = True
        elif word == "--keep":
            keep = True
        elif option in ("--name", "--port"):
            if not equals:
                if not rest:
                    raise UsageError(f"{option} needs a value")
                value = rest.pop(0)
            if option == "--name":
                name = places.check_name(value)
            elif value.isascii() and value.isdigit() and len(value) < 6 and int(value) <= _LAST_PORT:
                port = int(value)
            else:
                raise UsageError(f"--port is a number from 0 to {_LAST_PORT}, not '{value}'")
        else:
            raise UsageError(f"there is no option {word}", hint="options of 'attach' and the like follow that word")
    if not rest:
        raise UsageError("missing what to serve: attach, launch, listen or demo")
    if rest[0] not in ("attach", "launch", "listen", "demo"):
        raise UsageError(f"'{escape(rest[0])}' cannot be served: attach, launch, listen or demo")
    line = parse(rest)
    if line.reconnect:
        raise UsageError("--reconnect is not for sessions that are served")
    if len(line.addresses) > 1:
        raise UsageError("one JVM is served at a time", hint="'jdbpy serve' once for each")
    return ServeLine(line, name or _name_of(line), port, together, keep)


def _name_of(line: CommandLine) -> str:
    if line.action == "launch":
        return places.name_for(main_class(line.java).rpartition(".")[2])
    address = "".join(line.addresses)
    return places.name_for(address.removeprefix("127.0.0.1:").removeprefix("localhost:") or line.action)


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
    found: list[dict[str, object]] = []
    status = 0
    async with ended_by_signals() as ended_by:
        try:
            for name in places.names():
                if (described := await describe(name)) is not None:
                    found.append(described)
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


async def describe(name: str) -> dict[str, object] | None:
    """Return what a session says of itself; None if its process has gone, whose socket is removed."""
    from jdbpy.serve.joining import greeting
    from jdbpy.serve.lines import LineReader, Outgoing

    try:
        stream = await places.reach(name)
    except ConnectError:
        return None
    async with stream:
        with trio.move_on_after(_ANSWER_LIMIT):
            async with trio.open_nursery() as nursery:
                out = Outgoing(stream)
                out.put({**greeting("", ""), "front": "info"})
                nursery.start_soon(out.run)
                answer = await LineReader(stream).next()
                nursery.cancel_scope.cancel()
            if answer is not None and answer.get("type") == "session":
                return {key: answer.get(key) for key in ("name", "target", "clients", "state", "stopped_since")}
    return {"name": name, "target": "does not answer", "clients": [], "state": "", "stopped_since": None}


def _row(found: dict[str, object]) -> tuple[str, str, str, str]:
    clients, since = found["clients"], found["stopped_since"]
    names = ", ".join(escape(str(each)) for each in clients) if isinstance(clients, list) and clients else "no clients"
    state = escape(str(found["state"]))
    if isinstance(since, int | float):
        state = f"stopped for {max(0, int(time.time() - since))} s"
    return escape(str(found["name"])), escape(str(found["target"])), names, state

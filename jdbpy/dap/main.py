"""The command line of ``jdbpy dap``: standard input and output, or a port of this machine."""

from __future__ import annotations

import os
import secrets
import signal
import sys
import textwrap
from functools import partial

import trio

from jdbpy import UsageError
from jdbpy.dap.server import Server, SocketStream, StandardStream
from jdbpy.garbage import without_collection
from jdbpy.process.doorway import Doorway, check_token, same_token
from jdbpy.process.openings import options_for, port_of
from jdbpy.process.signals import ended_by_signals
from jdbpy.record import Record


def _attributes(action: str) -> str:
    """Return the names of what the configuration of a request may have, in a sentence."""
    names = ", ".join(each.key for each in options_for("dap", action))
    return textwrap.fill(f'What the editor sends with "{action}": {names}.', 120, break_on_hyphens=False)


HELP = f"""\
usage: jdbpy dap [--port N]

Speaks the Debug Adapter Protocol, for editors: an editor starts this program and talks to it.

  --port N    listen on 127.0.0.1:N instead of standard input and output; 0 takes a free port.
              Every connection debugs on its own. A token and the address are written to standard error;
              "attach" and "launch" must have the token, as "token". JDBPY_TOKEN in the environment sets it.
  -h, --help  this text

{_attributes("attach")}
{_attributes("launch")}
docs/dap.md explains them; docs/editors.md has configurations for Neovim, Emacs, VS Code, Helix and others.
"""

USAGE = 2
NO_PORT = 3
MOST_CLIENTS = 16

TOKEN = "JDBPY_TOKEN"
"""The variable of the environment with the token of the port."""

WRONG_TOKEN = 'the token is missing or wrong: "token" in the configuration is the one that jdbpy dap --port has written'


class DapCommand(Record):
    """The command line, understood. ``port`` None: standard input and output."""

    help: bool = False
    port: int | None = None


def parse(words: list[str]) -> DapCommand:
    """Understand the words after ``jdbpy dap``. Raises UsageError."""
    port: int | None = None
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in ("-h", "--help", "help"):
            return DapCommand(help=True)
        name, equals, value = word.partition("=")
        if name != "--port":
            raise UsageError(f"unknown option {word}" if word.startswith("-") else f"unexpected argument '{word}'")
        if not equals:
            if not rest:
                raise UsageError("--port needs a value")
            value = rest.pop(0)
        port = port_of(name, value)
    return DapCommand(port=port)


def main(words: list[str]) -> int:
    """Serve until the editor has gone; return the exit status."""
    try:
        line = parse(words)
        if line.port is None and not line.help and os.isatty(0):
            raise UsageError("standard input is a terminal: an editor starts this program", hint="jdbpy dap --help")
        token = check_token(os.environ.get(TOKEN, ""), TOKEN) if line.port is not None else ""
    except UsageError as error:
        _tell(f"{error.message}\n  {error.hint or 'jdbpy dap --help says what there is'}")
        return USAGE
    if line.help:
        sys.stdout.write(HELP)
        return 0
    return without_collection(partial(trio.run, _run, line, token))


async def _run(line: DapCommand, token: str) -> int:
    status, over = 0, False
    if line.port is None:
        _ignore_signals_afterwards()
    async with ended_by_signals() as ended_by:
        if line.port is None:
            stream = StandardStream()
            server = Server(stream)
            try:
                await server.run()
            finally:  # some editors end each adapter with a signal
                over = server.is_over or stream.has_gone
        elif listeners := await _listen(line.port):
            token = token or _new_token()
            await trio.serve_listeners(partial(_client, Doorway(MOST_CLIENTS), token), listeners)
        else:
            status = NO_PORT
    return 128 + ended_by[0] if ended_by and not over else status


def _ignore_signals_afterwards() -> None:
    """Ignore signals that come after the session: some editors send one while the adapter ends."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


async def _listen(port: int) -> list[trio.SocketListener]:
    """Return where clients connect; none if that is impossible, which is said."""
    try:
        listeners = await trio.open_tcp_listeners(port, host="127.0.0.1")
    except OSError as error:
        _tell(f"cannot listen on 127.0.0.1:{port}: {error.strerror or error}")
        return []
    host, found = listeners[0].socket.getsockname()[:2]
    _tell(f"listening on {host}:{found}")
    return listeners


async def _client(doorway: Doorway, token: str, stream: trio.SocketStream) -> None:
    async with stream:
        with doorway.visited() as visitor:

            def enter(given: str) -> None:
                if not same_token(given, token):
                    raise UsageError(WRONG_TOKEN, code="WRONG_TOKEN")
                visitor.enter()

            await Server(SocketStream(stream), enter=enter).run()


def _new_token() -> str:
    token = secrets.token_urlsafe(24)
    _tell(f"token {token}")
    return token


def _tell(text: str) -> None:
    sys.stderr.write(f"jdbpy: {text}\n")
    sys.stderr.flush()

"""From a connector with its arguments to a session.

Owns what the arguments mean in terms of ``jdbpy.attach_session``, ``listen`` and ``launch``.
"""

from __future__ import annotations

import math
import os
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

import jdbpy
from jdbpy import LaunchCommand
from jdbpy.jdb import connectors
from jdbpy.jdb.cmdline import JdbLine
from jdbpy.jdb.connectors import ConnectorUse, option_words, words_of
from jdbpy.jdb.words import java_integer

if TYPE_CHECKING:  # most of a session is loaded while the JVM boots
    from jdbpy import Session


def open_session(
    line: JdbLine, main: Sequence[str], say: Callable[[str], None]
) -> AbstractAsyncContextManager[Session]:
    """Return the session of a command line; ``main`` are the words of the main class and its arguments, where one is
    launched.

    ``say`` gets the messages that come before there is a session. Raises BadArgument for arguments that make no sense.
    """
    assert line.connection is not None
    connection = line.connection
    connectors.check(connection)
    values = connection.values
    connector = connection.connector
    options = jdbpy.Options(in_target="off")  # as jdb: methods run in threads that events have stopped, and in no other
    if connector in (connectors.SOCKET_ATTACH, connectors.PROCESS_ATTACH):
        by_port = connector is connectors.SOCKET_ATTACH
        address = _address(values, "hostname") if by_port else f"pid://{values['pid']}"
        return _with_agent(
            jdbpy.attach_session(address, options=options, timeout=_seconds(values, jdbpy.CONNECT_LIMIT))
        )
    if connector is connectors.SOCKET_LISTEN:
        return jdbpy.listen_session(
            _address({**values, "port": values["port"] or "0"}, "localAddress"),
            options=options,
            on_listening=lambda at: say(f"Listening at address: {_named(at)}"),
            timeout=_seconds(values, math.inf),
        )
    if connector is connectors.RAW_LAUNCH:
        words = words_of(values["command"], values["quote"])
        return jdbpy.launch_session(LaunchCommand(words, agent_at=values["address"], stdin="pipe"), options=options)
    return jdbpy.launch_session(_command(connection, line.options, main), options=options)


@asynccontextmanager
async def _with_agent(opening: AbstractAsyncContextManager[Session]) -> AsyncIterator[Session]:
    """A session with a JVM that has the debugger agent. Raises ConnectError for one without, as jdb does."""
    async with opening as session:
        if session.agent_line:
            raise jdbpy.ConnectError("it has no debugger agent", hint=f"start it with {session.agent_line}")
        yield session


def main_words(line: JdbLine, typed: str) -> list[str]:
    """Return the main class and its arguments: those ``typed`` after ``run``, else those of the command line."""
    assert line.connection is not None
    values = line.connection.values
    quote = values.get("quote", "")
    if typed:
        return words_of(typed, quote)
    return list(line.main) or words_of(values.get("main", ""), quote)


def _seconds(values: dict[str, str], default: float) -> float:
    """Return the timeout, which the connector has in milliseconds."""
    return (java_integer(values["timeout"] or "0") or 0) / 1000 or default


def _address(values: dict[str, str], host_argument: str) -> str:
    host = values[host_argument].strip("[]")
    port = java_integer(values["port"])
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}" if host else f"{port}"


def _named(address: str) -> str:
    """Return an address with the name of its host, as jdb writes it."""
    host, _, port = address.rpartition(":")
    if host == "0.0.0.0":
        return f"{socket.gethostname()}:{port}"
    return f"localhost:{port}" if host.startswith(("127.", "[::1]")) else address


def _command(connection: ConnectorUse, options: Sequence[str], main: Sequence[str]) -> LaunchCommand:
    """Return the command of CommandLineLaunch: the options of the command line, its own, then main class and
    arguments."""
    values = connection.values
    executable = values["vmexec"]
    if values["home"] or executable != "java":
        executable = os.path.join(values["home"] or connectors.java_home(), "bin", executable)
    return LaunchCommand(
        main=main,
        java=None if executable == "java" else executable,
        jvm_options=[*options, *option_words(values["options"], values["quote"])],
        stdin="pipe",
        suspend=values["suspend"] == "true",
        virtual_threads=values["includevirtualthreads"] == "y",
    )

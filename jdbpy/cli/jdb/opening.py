"""From a connector with its arguments to a session.

Owns what the arguments mean in terms of ``jdbpy.attach``, ``listen`` and ``launch``.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import jdbpy
from jdbpy import LaunchCommand, Options, Session, UsageError
from jdbpy.cli.jdb import connectors
from jdbpy.cli.jdb.cmdline import JdbLine
from jdbpy.cli.jdb.connectors import Connection, words_of
from jdbpy.cli.jdb.processes import agent_address


def open_session(line: JdbLine, main: str, say: Callable[[str], None]) -> AbstractAsyncContextManager[Session]:
    """The session of a command line; ``main`` is what ``run`` was given, in place of the connector's own.

    ``say`` gets what is to be told before there is a session. Raises UsageError for arguments that make no sense.
    """
    assert line.connection is not None
    values = line.connection.values
    options = Options(wire_log="/dev/stderr" if line.trace else None)
    connector = line.connection.connector
    if connector is connectors.SOCKET_ATTACH:
        return jdbpy.attach(_address(values, "hostname"), options=options)
    if connector is connectors.PROCESS_ATTACH:
        return jdbpy.attach(agent_address(_required(line.connection, "pid")), options=options)
    if connector is connectors.SOCKET_LISTEN:
        where = _address({"port": values["port"] or "0", "localAddress": values["localAddress"]}, "localAddress")
        return jdbpy.listen(where, options=options, on_listening=lambda at: say(f"Listening at address: {at}"))
    if connector is connectors.RAW_LAUNCH:
        return jdbpy.launch(_raw_command(line.connection), options=options)
    return jdbpy.launch(_command(line, main), options=options)


def _address(values: dict[str, str], host_argument: str) -> str:
    host = values[host_argument].strip("[]")
    port = values["port"]
    if not port:
        raise UsageError("the connector needs a port", hint="port=5005")
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}" if host else port


def _required(connection: Connection, name: str) -> str:
    if not connection.values[name]:
        raise UsageError(f"Argument {name} must be given for connector: {connection.connector.name}")
    return connection.values[name]


def _command(line: JdbLine, main: str) -> LaunchCommand:
    """The command of CommandLineLaunch: its options, those of the command line, then main class and arguments."""
    assert line.connection is not None
    values = line.connection.values
    quote = values["quote"] or '"'
    java = os.path.join(values["home"], "bin", values["vmexec"]) if values["home"] else None
    if java is None and values["vmexec"] != "java":
        java = values["vmexec"]
    return LaunchCommand(
        main=words_of(main, quote),
        java=java,
        jvm_options=[*line.options, *words_of(values["options"], quote)],
        stdin="pipe",
    )


def _raw_command(connection: Connection) -> LaunchCommand:
    """The command of RawCommandLineLaunch without the agent in it: launching adds its own."""
    words = words_of(_required(connection, "command"), connection.values["quote"] or '"')
    rest = [word for word in words[1:] if not word.startswith(("-agentlib:jdwp", "-Xrunjdwp")) and word != "-Xdebug"]
    return LaunchCommand(main=rest, java=words[0], stdin="pipe")

"""JDI's connectors, as ``-connect`` and ``-listconnectors`` know them: names, arguments, and the text that gives them.

Owns words only; ``opening`` makes a session of them.
"""

from __future__ import annotations

import re

from jdbpy import find_java
from jdbpy.errors import UsageError
from jdbpy.jdb.words import java_integer
from jdbpy.record import Record


class ConnectorArgument(Record):
    """An argument of a connector."""

    name: str
    description: str
    default: str = ""
    required: bool = False
    kind: str = "string"  # or "integer", "boolean"


class Connector(Record):
    """A way to a target, by JDI's name."""

    name: str
    transport: str
    description: str
    arguments: tuple[ConnectorArgument, ...]
    launches: bool = False


class ConnectorUse(Record):
    """A connector with the values of its arguments, defaults included."""

    connector: Connector
    values: dict[str, str]


_TIMEOUT = ConnectorArgument("timeout", "Timeout while waiting to attach", kind="integer")
_QUOTE = ConnectorArgument(
    "quote", "Character used to combine space-delimited text into a single command line argument", '"', required=True
)

PROCESS_ATTACH = Connector(
    "com.sun.jdi.ProcessAttach",
    "local",
    "Attaches to debuggee by process-id (pid)",
    (ConnectorArgument("pid", "pid", required=True), _TIMEOUT),
)
RAW_LAUNCH = Connector(
    "com.sun.jdi.RawCommandLineLaunch",
    "dt_socket",
    "Launches target using user-specified command line and attaches to it",
    (
        ConnectorArgument("command", "Raw command to start the debugged application VM", required=True),
        _QUOTE,
        ConnectorArgument(
            "address", "Address from which to listen for a connection after the raw command is run", required=True
        ),
    ),
    launches=True,
)
SOCKET_ATTACH = Connector(
    "com.sun.jdi.SocketAttach",
    "dt_socket",
    "Attaches by socket to other VMs",
    (
        _TIMEOUT,
        ConnectorArgument("hostname", "Machine name to which to attach for VM connections", "localhost"),
        ConnectorArgument("port", "Port number to which to attach for VM connections", required=True, kind="integer"),
    ),
)
SOCKET_LISTEN = Connector(
    "com.sun.jdi.SocketListen",
    "dt_socket",
    "Accepts socket connections initiated by other VMs",
    (
        ConnectorArgument("timeout", "Timeout while waiting for connection", kind="integer"),
        ConnectorArgument("port", "Port number at which to listen for VM connections", kind="integer"),
        ConnectorArgument("localAddress", "Local address that the listener binds to"),
    ),
)
LAUNCH = Connector(
    "com.sun.jdi.CommandLineLaunch",
    "dt_socket",
    "Launches target using Sun Java VM command line and attaches to it",
    (
        ConnectorArgument("home", "Home directory of the SDK or runtime environment used to launch the application"),
        ConnectorArgument("options", "Launched VM options"),
        ConnectorArgument(
            "main", "Main class and arguments, or if -jar is an option, the main jar file and arguments", required=True
        ),
        ConnectorArgument("suspend", "All threads will be suspended before execution of main", "true", kind="boolean"),
        _QUOTE,
        ConnectorArgument("vmexec", "Name of the Java VM launcher", "java", required=True),
        ConnectorArgument(
            "includevirtualthreads",
            "List of all threads includes virtual threads as well as platform threads.",
            "n",
        ),
    ),
    launches=True,
)

CONNECTORS = (PROCESS_ATTACH, RAW_LAUNCH, SOCKET_ATTACH, SOCKET_LISTEN, LAUNCH)


class BadArgument(UsageError):
    """A connector's argument that is missing, or a value that it cannot have."""


_OPTION = re.compile(r"""(["']).*?\1(?!\S)|\S+""")
_SETTING = re.compile(r"""(quote=[^,]+,)|(\w+=)(("[^"]*")|('[^']*')|([^,'"]+))+,""")


def listing() -> str:
    """Return the answer to ``-listconnectors`` and ``connectors``."""
    lines: list[str] = []
    home = java_home()
    for connector in CONNECTORS:
        lines += ["", f"  Connector: {connector.name}  Transport: {connector.transport}"]
        lines.append(f"    description: {connector.description}")
        for argument in connector.arguments:
            what = "Required Argument" if argument.required else "Argument"
            default = home if argument.name == "home" else argument.default
            value = f"Default value: {default}" if default else "(no default)"
            lines += ["", f"    {what}: {argument.name} {value}", f"    description: {argument.description}"]
    return "\n".join([*lines, ""])


def parse(spec: str) -> ConnectorUse:
    """Understands ``connector:name=value,...``; values may be quoted, with commas inside. Raises UsageError."""
    spec = spec if spec.endswith((",", ":")) else spec + ","
    name, _, rest = spec.partition(":")
    connector = next((each for each in CONNECTORS if each.name == name), None)
    if connector is None:
        raise UsageError(f"No connector named: {name}")
    values = {argument.name: argument.default for argument in connector.arguments}
    while rest not in ("", ","):
        match = _SETTING.match(rest)
        if not match:
            raise UsageError(f"Illegal connector argument: {rest}")
        key, _, value = match[0][:-1].partition("=")
        if key not in values:
            raise UsageError(f"Argument {key} is not defined for connector: {connector.name}")
        values[key] = value
        rest = rest[match.end() :]
    return ConnectorUse(connector, values)


def check(connection: ConnectorUse) -> None:
    """Raises BadArgument when a value is missing or makes no sense; jdb finds that when it is to connect."""
    for argument in connection.connector.arguments:
        value = connection.values[argument.name]
        if not value:
            # `run` has seen to the main class
            if argument.required and argument.name != "main":
                raise BadArgument(f"Argument unspecified: {argument.name}")
        elif not _valid(argument, value):
            raise BadArgument(f"Argument invalid: {argument.name}")
        elif argument.name == "quote" and len(value) > 1:
            raise BadArgument(f"Invalid length: {argument.name}")


def _valid(argument: ConnectorArgument, value: str) -> bool:
    if argument.kind == "integer":
        number = java_integer(value)
        return number is not None and number >= 0
    return argument.kind != "boolean" or value in ("true", "false")


def java_home() -> str:
    """Return the home of the Java that would be launched, "" if there is none."""
    try:
        return find_java().home
    except UsageError:
        return ""


def words_of(text: str, quote: str) -> list[str]:
    """Return a command line cut at blanks, with what stands between quote characters kept together; it ends its
    word."""
    words: list[str] = []
    word: str | None = None
    within = False
    for letter in text:
        if (letter == quote) if within else letter.isspace():
            words += [] if word is None else [word]
            word, within = None, False
        elif letter == quote:
            word, within = word or "", True
        else:
            word = (word or "") + letter
    return words if word is None else [*words, word]


def option_words(text: str, quote: str) -> list[str]:
    """Return the words of ``options``: as ``words_of`` has it, and whole words may stand between quotes of either
    kind."""
    return words_of(_OPTION.sub(_unwrapped, text), quote)


def _unwrapped(match: re.Match[str]) -> str:
    word = match[0]
    while len(word) > 1 and word[0] in "\"'" and word[-1] == word[0]:
        word = word[1:-1]
    return f'"{word}"' if word != match[0] and any(map(str.isspace, word)) else word


def quoted(word: str) -> str:
    """Return a word as ``words_of`` reads it back, and as jdb shows it."""
    return f'"{word}"' if "," in word or any(map(str.isspace, word)) else word

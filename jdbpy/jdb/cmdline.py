"""jdb's command line: what may stand on it, and which connection it means.

Every refusal is followed by the usage, and the exit status is jdb's own: 0.
"""

from __future__ import annotations

import os

from jdbpy.jdb import connectors
from jdbpy.jdb.connectors import ConnectorUse
from jdbpy.jdb.texts import USAGE
from jdbpy.jdb.words import java_integer
from jdbpy.record import Record

_HELP = ("-?", "-h", "-help", "--help")
_VERSION = ("-version", "--version")
# Some of these only the jdb of 17 takes, others only that of 25
_FORWARDED = ("-v", "-noasyncgc", "-prof", "-verify", "-verifyremote", "-verbosegc")
_FORWARDED_BY_START = ("-v:", "-verbose", "-D", "-X", "-ms", "-mx", "-ss", "-oss")
TRACE_ALL = 0x00FFFFFF
"""All that -dbgtrace can show, as JDI numbers it."""

_WITH_VALUE = {
    "-attach": "No attach address specified.",
    "-listen": "No attach address specified.",
    "-connect": "No connect specification.",
    "-sourcepath": "No sourcepath specified.",
    "-classpath": "No classpath specified.",
}

GREETING = "Initializing jdb ..."
_START_FILES = ("jdb.ini", ".jdbrc")


class JdbLine(Record):
    """A command line of jdb, understood. ``text`` is all there is to do, if set: print it and leave.

    ``main`` and ``options`` are words for the launching connector, beside what ``connection`` says itself. ``trace`` is
    the sum of the flags of -dbgtrace.
    """

    text: str = ""
    connection: ConnectorUse | None = None
    launch_now: bool = False
    options: tuple[str, ...] = ()
    main: tuple[str, ...] = ()
    source_path: str = ""
    trace: int = 0
    version: bool = False


def parse(arguments: list[str]) -> JdbLine:
    """Understand the words after ``jdbpy jdb``. Raises UsageError for a connection that makes no sense."""
    try:
        return _JdbParser(arguments).parse()
    except _Refused as refused:
        return JdbLine(text=f"{refused}\n\n{USAGE}")


class _Refused(Exception):
    """A command line that jdb answers with its usage."""


class _JdbParser:
    def __init__(self, words: list[str]) -> None:
        # A JVM of the debugger's own takes -J options wherever they stand; there is none
        self.words = [word for word in words if not word.startswith("-J")]
        self.spec = ""
        self.forwarded: list[str] = []
        self.source_path = ""
        self.launch_now = False
        self.trace = 0
        self.virtual_threads = False

    def parse(self) -> JdbLine:
        while self.words:
            word = self.words.pop(0)
            if word in _HELP:
                return JdbLine(text=USAGE)
            if word in _VERSION:
                return JdbLine(version=True)
            if word == "-listconnectors":
                return JdbLine(text=connectors.listing())
            if not word.startswith("-"):
                self.words.insert(0, word)
                break
            self._option(word)
        return self._result(tuple(self.words))

    def _option(self, word: str) -> None:
        if word == "-dbgtrace":
            self._trace()
        elif word == "-X":
            raise _Refused("Use 'java -X' to see the available non-standard options")
        elif word == "-tclassic":
            raise _Refused("Classic VM no longer supported.")
        elif word in ("-tclient", "-tserver"):
            self.forwarded.insert(0, "-" + word[2:])
        elif word == "-launch":
            self.launch_now = True
        elif word == "-trackallthreads":
            self.virtual_threads = True
        elif word.startswith("-R"):
            self.forwarded += [word[2:]] if word != "-R" else []
        elif word == "-listenany":
            self._connect(word, "com.sun.jdi.SocketListen:")
        elif word in _WITH_VALUE:
            self._with_value(word)
        elif word in _FORWARDED or word.startswith(_FORWARDED_BY_START):
            self.forwarded.append(word)
        else:
            raise _Refused(f"invalid option: {word}")

    def _with_value(self, word: str) -> None:
        if word in ("-attach", "-listen", "-connect") and self.spec:
            raise _Refused(f"{word} cannot redefine existing connection")
        if not self.words:
            raise _Refused(_WITH_VALUE[word])
        value = self.words.pop(0)
        if word == "-attach":
            self._connect(word, "com.sun.jdi.SocketAttach:" + _socket_arguments(value, "hostname"))
        elif word == "-listen":
            self._connect(word, "com.sun.jdi.SocketListen:" + _socket_arguments(value, "localAddress"))
        elif word == "-connect":
            self._connect(word, value)
        elif word == "-sourcepath":
            self.source_path = value
        else:
            self.forwarded += ["-classpath", value]

    def _connect(self, word: str, spec: str) -> None:
        if self.spec:
            raise _Refused(f"{word} cannot redefine existing connection")
        self.spec = spec

    def _trace(self) -> None:
        if self.words and self.words[0][:1].isdigit():
            word = self.words.pop(0)
            flags = java_integer(word)
            if flags is None:
                raise _Refused(f"dbgtrace flag value must be an integer: {word}")
            self.trace = flags
        else:
            self.trace = TRACE_ALL

    def _result(self, main: tuple[str, ...]) -> JdbLine:
        spec = self.spec or "com.sun.jdi.CommandLineLaunch:"
        launches = spec.startswith("com.sun.jdi.CommandLineLaunch:")
        shown = spec if spec.endswith((",", ":")) else spec + ","
        if main and not launches:
            raise _Refused(f"Cannot specify command line with connector: {shown}")
        if self.forwarded and not launches:
            raise _Refused(f"Cannot specify target VM arguments with connector: {shown}")
        connection = connectors.parse(spec)
        if launches and self.virtual_threads:
            connection.values["includevirtualthreads"] = "y"
        return JdbLine(
            connection=connection,
            launch_now=self.launch_now,
            options=tuple(self.forwarded),
            main=main,
            source_path=self.source_path,
            trace=self.trace,
        )


def _socket_arguments(address: str, host_argument: str) -> str:
    """``HOST:PORT``, ``PORT`` or ``[::1]:PORT`` as arguments of a socket connector."""
    host, colon, port = address.rpartition(":")
    return f"{host_argument}={host},port={port}" if colon else f"port={address}"


def start_files() -> list[str]:
    """Return the start-up file of the home directory, then that of the working directory unless it is the same."""
    files: dict[str, str] = {}
    for directory in (os.path.expanduser("~"), os.getcwd()):
        found = next((path for name in _START_FILES if os.path.exists(path := os.path.join(directory, name))), None)
        if found is not None:
            files.setdefault(os.path.realpath(found), found)
    return list(files.values())

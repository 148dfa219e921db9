"""Attach, launch and listen as all front ends offer them: each option once, its help, and how words become its value.

Command lines (``cli``, ``mcp``, ``join``) have options by their flags, an editor's configuration (``dap``) by their
keys, JDI's connectors (``jdb``) by names of their own. An option is of those front ends that its help is written for.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from jdbpy.errors import UsageError
from jdbpy.escape import escape
from jdbpy.record import Record

ATTACH, LAUNCH, LISTEN = "attach", "launch", "listen"
_ALL = (ATTACH, LAUNCH, LISTEN)

LAST_PORT = 65_535

_COLUMN = 25
"""Where the help of an option begins in the text of a command line."""

_TYPES: dict[str, Any] = {
    "choice": "string",
    "text": "string",
    "file": "string",
    "number": ["number", "string"],
    "seconds": "number",
    "milliseconds": "number",
    "switch": "boolean",
    "paths": "array",
    "pairs": "array",
    "lines": "array",
    "words": ["string", "array"],
    "addresses": ["string", "array"],
    "object": "object",
}
"""The types of JSON by the kinds of options."""


class OpeningOption(Record):
    """An option of attach, launch or listen.

    ``name`` is that of ``jdbpy.Options``, ``LaunchCommand`` or an argument, ``kind`` one of those above. ``of`` are the
    actions that have it. ``help`` is by front end; an editor shows one sentence. ``flag`` and ``metavar`` are of
    command lines, ``key`` of JSON, ``jdi`` of JDI's connectors. ``default`` is the value without it, as JSON.
    """

    name: str
    kind: str
    of: tuple[str, ...]
    help: dict[str, str]
    flag: str = ""
    metavar: str = ""
    key: str = ""
    jdi: str = ""
    choices: tuple[str, ...] = ()
    default: object = None

    def read(self, text: str) -> Any:
        """Return the value of the word behind the flag. Raises UsageError."""
        match self.kind:
            case "seconds":
                return seconds_of(self.flag, text)
            case "choice":
                return self.checked(text, f"{self.flag} is")
            case "paths":
                return tuple(part for part in text.split(os.pathsep) if part)
        return text

    def checked(self, text: str, called: str, code: str = "") -> str:
        """Return a word that is one of the choices. Raises UsageError, which begins with ``called``: "--hold is"."""
        if text not in self.choices:
            words = " or ".join(self.choices) if len(self.choices) == 2 else f"one of {', '.join(self.choices)}"
            raise UsageError(f"{called} {words}, not '{escape(text)[:50]}'", code=code)
        return text

    def usage(self, front: str) -> str:
        """Return its line in the help of a command line."""
        return f"  {self.flag} {self.metavar}".rstrip().ljust(_COLUMN) + self.help[front]

    def schema(self) -> dict[str, Any]:
        """Return what an editor is told of it: a property of its JSON schema."""
        found: dict[str, Any] = {"type": _TYPES[self.kind]}
        if self.choices:
            found["enum"] = list(self.choices)
        default = False if self.kind == "switch" else self.default
        if default is not None:
            found["default"] = default
        return {**found, "description": self.help["dap"]}


HOLD = OpeningOption(
    "hold",
    "choice",
    _ALL,
    {
        "cli": "what a breakpoint suspends by default; else the thread on a remote JVM, all on a local one",
        "mcp": "what a breakpoint suspends by default; else the thread on a remote JVM, all on a local one",
        "dap": "What a stop suspends.",
    },
    flag="--hold",
    metavar="thread|all",
    key="hold",
    choices=("thread", "all"),
)

HOT_CODE_REPLACE = OpeningOption(
    "hot_code_replace",
    "choice",
    _ALL,
    {"dap": "Replace classes when their files change."},
    key="hotCodeReplace",
    choices=("auto", "manual", "never"),
    default="manual",
)

CONSOLE = OpeningOption(
    "console",
    "choice",
    (LAUNCH,),
    {"dap": "Where the program runs."},
    key="console",
    choices=("internalConsole", "integratedTerminal", "externalTerminal"),
    default="internalConsole",
)

OPTIONS = (
    OpeningOption(
        "host",
        "text",
        (ATTACH,),
        {"dap": "Where the debugger agent listens; this machine by default."},
        key="host",
        jdi="hostname",
    ),
    OpeningOption("port", "number", (ATTACH,), {"dap": "The port of the debugger agent."}, key="port", jdi="port"),
    OpeningOption(
        "address",
        "addresses",
        (ATTACH,),
        {"dap": "HOST:PORT, ssh://, k8s://, docker:// or pid://; a list debugs each of them."},
        key="address",
    ),
    OpeningOption(
        "listen",
        "text",
        (ATTACH,),
        {"dap": "Wait for a JVM started with server=n to connect to [HOST:]PORT."},
        key="listen",
        jdi="localAddress",
    ),
    OpeningOption("main", "text", (LAUNCH,), {"dap": "A class, MODULE/CLASS, or a jar."}, key="mainClass", jdi="main"),
    OpeningOption(
        "class_path", "paths", (LAUNCH,), {"dap": "Directories and jars of the class path."}, key="classPaths"
    ),
    OpeningOption(
        "module_path", "paths", (LAUNCH,), {"dap": "Directories and jars of the module path."}, key="modulePaths"
    ),
    OpeningOption("args", "words", (LAUNCH,), {"dap": "Arguments of the program."}, key="args"),
    OpeningOption(
        "test_command",
        "words",
        (LAUNCH,),
        {"dap": "In place of mainClass: a command that runs tests (mvn test). It stops where one fails."},
        key="test",
    ),
    OpeningOption("jvm_options", "words", (LAUNCH,), {"dap": "Options of the JVM."}, key="vmArgs", jdi="options"),
    OpeningOption(
        "cwd",
        "text",
        (LAUNCH,),
        {"dap": "The working directory.", "mcp tool": "working directory"},
        key="cwd",
        default="${workspaceFolder}",
    ),
    OpeningOption("env", "object", (LAUNCH,), {"dap": "Environment variables; null takes one away."}, key="env"),
    OpeningOption(
        "env_file", "file", (LAUNCH,), {"dap": "A file with lines NAME=VALUE; env goes before it."}, key="envFile"
    ),
    OpeningOption("encoding", "text", (LAUNCH,), {"dap": "The program's file.encoding."}, key="encoding"),
    OpeningOption("java", "file", (LAUNCH,), {"dap": "A java program or a Java home."}, key="javaExec", jdi="vmexec"),
    CONSOLE,
    OpeningOption(
        "stdin",
        "file",
        (LAUNCH,),
        {"cli": "launch: the file that the program reads as its standard input"},
        flag="--stdin",
        metavar="FILE",
    ),
    OpeningOption(
        "tty",
        "file",
        (LAUNCH,),
        {"cli": "launch: the terminal that the program reads and writes: what 'tty' says in another window"},
        flag="--tty",
        metavar="DEVICE",
    ),
    OpeningOption("no_debug", "switch", (LAUNCH,), {"dap": "Run without breakpoints."}, key="noDebug"),
    OpeningOption("stop_on_entry", "switch", (LAUNCH,), {"dap": "Stop at the first line of main."}, key="stopOnEntry"),
    OpeningOption(
        "source_path",
        "paths",
        _ALL,
        {
            "cli": f"directories and jars, '{os.pathsep}' between them; * and ** match: 'libs/*-sources.jar'",
            "mcp": f"directories and jars of sources, '{os.pathsep}' between them",
            "dap": "Directories and jars with sources.",
        },
        flag="--sourcepath",
        metavar="PATHS",
        key="sourcePaths",
    ),
    OpeningOption(
        "decompiler",
        "text",
        _ALL,
        {"dap": "A program and its arguments that make Java of a class file."},
        key="decompiler",
    ),
    OpeningOption(
        "path_mappings",
        "pairs",
        _ALL,
        {"dap": "Pairs of localRoot (of the editor) and remoteRoot (of jdbpy)."},
        key="pathMappings",
    ),
    OpeningOption(
        "class_path",
        "paths",
        (ATTACH,),
        {"dap": "Directories and jars with class files, for hot swap."},
        key="classPaths",
    ),
    HOT_CODE_REPLACE,
    OpeningOption(
        "wire_log",
        "file",
        _ALL,
        {"cli": "a readable log of every packet with timings"},
        flag="--wire-log",
        metavar="FILE",
    ),
    OpeningOption(
        "read_only",
        "switch",
        _ALL,
        {
            "cli": "nothing that changes or suspends the target leaves the debugger",
            "join": "nothing of yours changes or suspends the target; --allow-suspend permits to suspend",
            "dap": "Nothing that changes or suspends the program.",
        },
        flag="--read-only",
        key="readOnly",
    ),
    OpeningOption(
        "allow_changes",
        "switch",
        _ALL,
        {
            "mcp": (
                "methods may be run, values set, code replaced, programs launched by the client; without it\n"
                + " " * _COLUMN
                + "nothing that changes the target leaves the debugger"
            )
        },
        flag="--allow-changes",
    ),
    OpeningOption(
        "allow_suspend",
        "switch",
        _ALL,
        {
            "cli": "with --read-only: threads may be suspended all the same, as breakpoints and 'pause' do",
            "join": "with --read-only: permits to suspend",
            "mcp": (
                "threads of a JVM on another machine may be suspended, as breakpoints do; those of a JVM on\n"
                + " " * _COLUMN
                + "this machine always may"
            ),
            "dap": "Read-only, but it may suspend.",
        },
        flag="--allow-suspend",
        key="allowSuspend",
    ),
    HOLD,
    OpeningOption(
        "audit",
        "file",
        _ALL,
        {"cli": "a line for each packet that changes or suspends the target: when, what, what for; appended"},
        flag="--audit",
        metavar="FILE",
    ),
    OpeningOption(
        "reconnect",
        "switch",
        (ATTACH,),
        {"cli": "attach: again when the JVM or the link comes back, with all breakpoints"},
        flag="--reconnect",
    ),
    OpeningOption(
        "pid",
        "number",
        (ATTACH,),
        {
            "cli": "attach: to this process, in place of an address",
            "dap": "A JVM of this machine, in place of host and port.",
        },
        flag="--pid",
        metavar="N",
        key="processId",
        jdi="pid",
    ),
    OpeningOption(
        "max_suspend",
        "seconds",
        _ALL,
        {
            "cli": "resume what has been suspended that long while no command was given and no key pressed",
            "mcp": "resume what has been suspended that long while no tool was used",
            "dap": "Seconds after which what is suspended runs on.",
        },
        flag="--max-suspend",
        metavar="SECONDS",
        key="maxSuspend",
    ),
    OpeningOption(
        "excludes",
        "object",
        _ALL,
        {"dap": "skipClasses: patterns of classes that steps do not stop in; $JDK is the platform."},
        key="stepFilters",
    ),
    OpeningOption(
        "record",
        "file",
        _ALL,
        {"cli": "all packets of the session in a new file, and its commands: for 'jdbpy replay' and bug reports"},
        flag="--record",
        metavar="FILE",
    ),
    OpeningOption(
        "timeout",
        "milliseconds",
        (ATTACH,),
        {"dap": "Milliseconds to wait for the connection."},
        key="timeout",
        jdi="timeout",
    ),
    OpeningOption(
        "stop_on_entry", "switch", (ATTACH,), {"dap": "A JVM with suspend=y stays at its start."}, key="stopOnEntry"
    ),
    OpeningOption(
        "init_commands",
        "lines",
        (ATTACH, LAUNCH),
        {"dap": "Lines of the console that run before the program goes on."},
        key="initCommands",
    ),
    OpeningOption("failing_tests", "switch", (ATTACH,), {"dap": "Stop where a test fails."}, key="failingTests"),
    OpeningOption(
        "token", "text", _ALL, {"dap": "The token of `jdbpy dap --port` or `jdbpy serve --port`."}, key="token"
    ),
)
"""All options, in the order in which help and editors show them."""


def options_for(front: str, action: str = "") -> list[OpeningOption]:
    """Return the options of a front end, or of one action of it; those of ``dap`` are of attach and launch."""
    return [each for each in OPTIONS if front in each.help and (not action or action in each.of)]


def usage(front: str, *names: str) -> str:
    """Return the lines of options in the help of a command line, in the order of their names."""
    known = {each.name: each for each in options_for(front)}
    return "\n".join(known[name].usage(front) for name in names)


def seconds_of(flag: str, text: str) -> float:
    """Return a number of seconds. Raises UsageError."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds < 1e9:
        raise UsageError(f"{flag} needs a number of seconds, not '{text}'")
    return seconds


def port_of(flag: str, text: str, what: str = "number") -> int:
    """Return the port that a server of ours is to have; 0 takes a free one. Raises UsageError."""
    if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text) <= LAST_PORT):
        raise UsageError(f"{flag} is a {what} from 0 to {LAST_PORT}, not '{text}'")
    return int(text)


def launch_words(words: Sequence[str], code: str = "") -> tuple[str, ...]:
    """Return all that follows ``java``. Raises UsageError when it names no program."""
    if all(each.startswith("-") for each in words):
        raise UsageError("launch needs a main class, -jar FILE or -m MODULE/CLASS", code=code)
    return tuple(words)


def address_missing(action: str, hint: str = "", code: str = "") -> UsageError:
    """Return the error for an action without an address."""
    return UsageError(f"{action} needs one address, [HOST:]PORT", hint=hint, code=code)

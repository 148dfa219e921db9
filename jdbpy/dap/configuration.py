"""The configurations of a client for ``attach`` and ``launch``: what they may say, and what the session takes of it.

Their names are java-debug's where it has them. What is known to nobody here is named once, in the console.
"""

from __future__ import annotations

import difflib
import os
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

import jdbpy
from jdbpy import UsageError
from jdbpy.dap.paths import PathMapping
from jdbpy.escape import escape
from jdbpy.process.openings import CONSOLE, HOLD, LAST_PORT
from jdbpy.record import Record

TERMINALS = dict(zip(CONSOLE.choices, ("", "integrated", "external"), strict=True))
"""The values of ``console``, with the protocol's words for them."""

_OF_CLIENTS = frozenset(
    (
        "type",
        "request",
        "name",
        "noDebug",
        "restart",
        "trace",
        "preLaunchTask",
        "postDebugTask",
        "internalConsoleOptions",
        "presentation",
        "debugServer",
        "serverReadyAction",
        "suppressMultipleSessionWarning",
        "windows",
        "osx",
        "linux",
        "pre_debug_task",
        "post_debug_task",
        "adapter",
        "label",
        "build",
    )
)
"""Attributes that editors have for themselves, beside those that begin with ``__``."""

_JDK = "$JDK"
_JDK_CLASSES = ("java.*", "javax.*", "jdk.*", "sun.*", "com.sun.*")


class StepFilters(Record):
    """Classes that steps do not stop in, as java-debug has them."""

    skipClasses: tuple[str, ...] | None = None
    classNameFilters: tuple[str, ...] | None = None  # as it was called before
    skipSynthetics: bool = True  # steps skip them always
    unknown: tuple[str, ...] = ()


class Attach(Record):
    """Arguments of ``attach``."""

    host: str = ""
    hostName: str = ""  # java-debug's
    processId: int | str | None = None
    port: int | str | None = None
    address: str | tuple[str, ...] = ""
    listen: str = ""
    sourcePaths: tuple[str, ...] = ()
    pathMappings: tuple[PathMapping, ...] = ()
    classPaths: tuple[str, ...] = ()
    decompiler: str = ""
    hotCodeReplace: str = "manual"
    readOnly: bool = False
    allowSuspend: bool = False
    hold: str = ""
    maxSuspend: float | None = None
    timeout: float | None = None  # milliseconds, as java-debug has it
    failingTests: bool = False
    stopOnEntry: bool = False
    initCommands: tuple[str, ...] = ()
    stepFilters: StepFilters | None = None
    token: str = ""  # of a port
    unknown: tuple[str, ...] = ()


def address_of(args: Attach) -> str:
    """Return the address that ``processId``, or host and port, name. Raises UsageError."""
    if args.processId is not None:
        text = str(args.processId)
        if not (text.isascii() and text.isdigit() and len(text) < 11):
            given = f"not '{escape(text)[:50]}'"
            raise UsageError(f"arguments.processId must be the number of a process, {given}", code="WRONG_ARGUMENT")
        return f"pid://{text}"
    return _address(args.host or args.hostName, args.port)


def _address(host: str, port: int | str | None) -> str:
    if port is None:
        raise UsageError('attach needs a port: "port": 5005, or "address": "host:5005"', code="WRONG_ARGUMENT")
    text = str(port)
    if not (text.isascii() and text.isdigit() and len(text) < 6 and 0 < int(text) <= LAST_PORT):
        raise UsageError(f"arguments.port must be from 1 to {LAST_PORT}, not {text[:50]}", code="WRONG_ARGUMENT")
    return f"[{host}]:{text}" if ":" in host and not host.startswith("[") else f"{host}:{text}" if host else text


class Launch(Record):
    """Arguments of ``launch``, which are called as those of java-debug."""

    mainClass: str = ""
    classPaths: tuple[str, ...] = ()
    modulePaths: tuple[str, ...] = ()
    args: str | tuple[str, ...] = ()
    test: str | tuple[str, ...] = ()
    vmArgs: str | tuple[str, ...] = ()
    cwd: str = ""
    env: dict[str, str | None] | None = None
    envFile: str = ""
    encoding: str = ""
    javaExec: str = ""
    stopOnEntry: bool = False
    noDebug: bool = False
    console: str = "internalConsole"
    sourcePaths: tuple[str, ...] = ()
    pathMappings: tuple[PathMapping, ...] = ()
    decompiler: str = ""
    hotCodeReplace: str = "manual"
    readOnly: bool = False
    allowSuspend: bool = False
    hold: str = ""
    maxSuspend: float | None = None
    initCommands: tuple[str, ...] = ()
    stepFilters: StepFilters | None = None
    token: str = ""
    unknown: tuple[str, ...] = ()


def command_of(args: Launch) -> list[str]:
    """Return all that follows ``java``."""
    words = _words(args.vmArgs, "vmArgs")
    if args.encoding:
        words = [f"-Dfile.encoding={args.encoding}", *words]
    for name, paths in (("-cp", args.classPaths), ("--module-path", args.modulePaths)):
        unknown = [path for path in paths if path.startswith("$")]
        if unknown:
            raise UsageError(f"'{unknown[0]}' needs a language server: name the directories and jars themselves")
        if paths:
            words += [name, os.pathsep.join(paths)]
    if args.mainClass.endswith(".jar"):
        words += ["-jar", args.mainClass]
    elif "/" in args.mainClass:
        words += ["-m", args.mainClass]
    else:
        words += [args.mainClass]
    return [*words, *_words(args.args, "args")]


def tests_of(args: Launch) -> list[str]:
    """Return the command that runs tests; [] where a class is launched. Raises UsageError."""
    return _words(args.test, "test")


def _words(given: str | Sequence[str], name: str) -> list[str]:
    if not isinstance(given, str):
        return list(given)
    try:
        return shlex.split(given)
    except ValueError as error:
        raise UsageError(f"arguments.{name} cannot be split into words: {error}", code="WRONG_ARGUMENT") from None


def variables_of(args: Launch) -> dict[str, str | None] | None:
    """Return the environment variables that are to be others; ``env`` goes before ``envFile``. Raises UsageError."""
    if not args.envFile:
        return args.env
    try:
        lines = Path(args.envFile).expanduser().read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"cannot read the envFile {escape(args.envFile)}: {reason}", code="WRONG_ARGUMENT") from None
    return {**dict(_variables(lines)), **(args.env or {})}


def _variables(lines: Iterable[str]) -> Iterable[tuple[str, str]]:
    """``NAME=VALUE``, also behind ``export``; the value may be quoted; a line that begins with # is a comment."""
    for line in lines:
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        if not equals or name.startswith("#"):
            continue
        value = value.strip()
        if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
            value = value[1:-1]
        yield name.strip(), value


def environment(changes: dict[str, str | None] | None) -> dict[str, str] | None:
    """Return the whole environment with changes, None without any."""
    if changes is None:
        return None
    whole = {**os.environ, **{name: value for name, value in changes.items() if value is not None}}
    return {name: value for name, value in whole.items() if changes.get(name, value) is not None}


def options_of(args: Attach | Launch) -> jdbpy.Options:
    if args.hold:
        HOLD.checked(args.hold, "arguments.hold must be", "WRONG_ARGUMENT")
    return jdbpy.Options(
        source_path=args.sourcePaths,
        read_only=args.readOnly or args.allowSuspend,
        allow_suspend=args.allowSuspend,
        hold=args.hold,
        max_suspend=args.maxSuspend,
        excludes=_excludes(args.stepFilters),
    )


def _excludes(filters: StepFilters | None) -> tuple[str, ...] | None:
    given = None
    if filters is not None:
        given = filters.skipClasses if filters.skipClasses is not None else filters.classNameFilters
    if given is None:
        return None
    unknown = [pattern for pattern in given if pattern.startswith("$") and pattern != _JDK]
    if unknown:
        raise UsageError(f"'{escape(unknown[0])[:50]}' needs a language server: write patterns of classes")
    return tuple(each for pattern in given for each in (_JDK_CLASSES if pattern == _JDK else (pattern,)))


def unknown_of(args: Attach | Launch) -> dict[str, str]:
    """Return the attributes of a configuration that mean nothing here, each with what is near to it, or ""."""
    known = [name for name in args.__fields__ if name != "unknown"]
    found = {}
    for name in args.unknown:
        if name not in _OF_CLIENTS and not name.startswith("__"):
            found[name] = next(iter(difflib.get_close_matches(name, known, 1, 0.8)), "")
    nested = args.stepFilters.unknown if args.stepFilters is not None else ()
    return {**found, **{f"stepFilters.{name}": "" for name in nested}}

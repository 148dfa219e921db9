"""The beginning and the end: initialize, attach, launch, configurationDone, disconnect, terminate, restart."""

from __future__ import annotations

import os
import shlex
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial

import jdbpy
from jdbpy import ReadOnlyError, StateError, UsageError
from jdbpy.dap.adapter import Adapter, ClientInfo
from jdbpy.dap.events import say, show_stop
from jdbpy.dap.hotswap import start_watching
from jdbpy.dap.paths import PathMapping, Paths
from jdbpy.dap.protocol import CAPABILITIES, Body, NoArguments, request
from jdbpy.record import Record

MOST_PORT = 65535

THREADS_A_SECOND = 100
"""Starts and ends of threads that are told; a client asks for the list of them when anything stops."""


@request("initialize", ClientInfo, in_order=True)
async def initialize(adapter: Adapter, client: ClientInfo) -> Body:
    if adapter.initialized:
        raise StateError("initialize was sent already")
    adapter.client = client
    adapter.initialized = True
    return CAPABILITIES


class Attach(Record):
    """Arguments of ``attach``."""

    host: str = ""
    hostName: str = ""  # java-debug's
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
    stopOnEntry: bool = False
    token: str = ""  # of a port


@request("attach", Attach, in_order=True)
async def attach(adapter: Adapter, args: Attach) -> None:
    adapter.let_in(args.token)
    if adapter.served is not None:
        adapter.stop_on_entry = True  # a target that has not begun to run is not for one client of several to start
        adapter.reopen = partial(adapter.served, adapter.client.clientID, args.readOnly)
        await adapter.open(adapter.reopen())
        return
    adapter.stop_on_entry = args.stopOnEntry
    options = _options(args)
    _prepare(adapter, args)
    if args.listen:
        heard = partial(_say_listening, adapter)
        adapter.reopen = partial(jdbpy.listen_session, args.listen, options=options, on_listening=heard)
        await adapter.open(adapter.reopen())
        return
    first, *rest = [args.address] if isinstance(args.address, str) else args.address or ("",)
    if rest and not adapter.client.supportsStartDebuggingRequest:
        raise UsageError("this client debugs one JVM at a time: name one address", code="WRONG_ARGUMENT")
    address = first or _address(args.host or args.hostName, args.port)
    limit = args.timeout / 1000 if args.timeout and args.timeout > 0 else jdbpy.CONNECT_LIMIT
    limit = min(limit, jdbpy.CONNECT_LIMIT)
    adapter.reopen = partial(jdbpy.attach_session, address, options=options, timeout=limit)
    await adapter.open(adapter.reopen())
    if reason := adapter.session.remote_reason:
        say(adapter, reason)
    for each in rest:
        adapter.start(partial(_attach_beside, adapter, args, each))


async def _attach_beside(adapter: Adapter, args: Attach, address: str) -> None:
    """Have the client debug a further JVM in a session of its own, with the same configuration."""
    given = {name: getattr(args, name) for name in args.__fields__}
    changed = {name: value for name, value in given.items() if value != args.__defaults__[name]}
    changed["pathMappings"] = [each.to_dict() for each in args.pathMappings]
    configuration = {**changed, "address": address}
    answer = await adapter.sender.ask("startDebugging", {"request": "attach", "configuration": configuration})
    if not answer.get("success"):
        say(adapter, f"{address} is not debugged: {answer.get('message', 'the editor refuses')}", "important")


def _say_listening(adapter: Adapter, address: str) -> None:
    say(adapter, f"waiting for a JVM to connect to {address}")


def _address(host: str, port: int | str | None) -> str:
    if port is None:
        raise UsageError('attach needs a port: "port": 5005, or "address": "host:5005"', code="WRONG_ARGUMENT")
    text = str(port)
    if not (text.isascii() and text.isdigit() and len(text) < 6 and 0 < int(text) <= MOST_PORT):
        raise UsageError(f"arguments.port must be from 1 to {MOST_PORT}, not {text[:50]}", code="WRONG_ARGUMENT")
    return f"[{host}]:{text}" if ":" in host and not host.startswith("[") else f"{host}:{text}" if host else text


class Launch(Record):
    """Arguments of ``launch``, which are called as those of java-debug."""

    mainClass: str = ""
    classPaths: tuple[str, ...] = ()
    modulePaths: tuple[str, ...] = ()
    args: str | tuple[str, ...] = ()
    vmArgs: str | tuple[str, ...] = ()
    cwd: str = ""
    env: dict[str, str | None] | None = None
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
    token: str = ""


@request("launch", Launch, in_order=True)
async def launch(adapter: Adapter, args: Launch) -> None:
    adapter.let_in(args.token)
    if adapter.served is not None:
        raise UsageError("this is a session that is served: a program cannot be launched in it, attach to it instead")
    if not args.mainClass:
        raise UsageError('launch needs "mainClass": a class, or MODULE/CLASS, or the path of a jar')
    if args.console not in _TERMINALS:
        raise UsageError(f"arguments.console is one of {', '.join(_TERMINALS)}", code="WRONG_ARGUMENT")
    _prepare(adapter, args)
    adapter.stop_on_entry = args.stopOnEntry
    adapter.no_debug = args.noDebug
    main = _command(args)
    adapter.main_class = jdbpy.main_class(main)
    if args.console != "internalConsole":
        if not adapter.client.supportsRunInTerminalRequest:
            raise UsageError("this client runs no programs in a terminal", hint='"console": "internalConsole"')
        adapter.reopen = partial(_in_terminal, adapter, args, main)
        await adapter.open(adapter.reopen())
        return
    command = jdbpy.LaunchCommand(
        main,
        java=args.javaExec or None,
        cwd=args.cwd or None,
        env=_environment(args.env) if args.env is not None else None,
    )
    adapter.reopen = partial(jdbpy.launch_session, command, options=_options(args))
    await adapter.open(adapter.reopen())


_TERMINALS = {"internalConsole": "", "integratedTerminal": "integrated", "externalTerminal": "external"}


@asynccontextmanager
async def _in_terminal(adapter: Adapter, args: Launch, main: Sequence[str]) -> AsyncIterator[jdbpy.Session]:
    """Have the client start the program in a terminal, and wait for its agent."""
    java = jdbpy.find_java(args.javaExec or None).java

    def on_listening(address: str) -> None:
        agent = f"-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address={address}"
        asked: Body = {
            "kind": _TERMINALS[args.console],
            "title": adapter.main_class or args.mainClass,
            "cwd": args.cwd or os.getcwd(),
            "args": [java, agent, *main],
        }
        if args.env is not None:
            asked["env"] = args.env
        adapter.start(partial(_run_in_terminal, adapter, asked))

    where = jdbpy.listen_session(
        "127.0.0.1:0", options=_options(args), on_listening=on_listening, timeout=jdbpy.START_LIMIT
    )
    async with where as session:
        adapter.in_terminal = True
        try:
            yield session
        finally:
            adapter.in_terminal = False


async def _run_in_terminal(adapter: Adapter, asked: Body) -> None:
    answer = await adapter.sender.ask("runInTerminal", asked)
    if not answer.get("success"):
        adapter.give_up_opening(f"the editor did not start the program: {answer.get('message', 'no reason is given')}")


def _prepare(adapter: Adapter, args: Attach | Launch) -> None:
    """Take what both requests have in common. Raises UsageError."""
    if args.hotCodeReplace not in ("auto", "manual", "never"):
        raise UsageError("arguments.hotCodeReplace is one of auto, manual, never", code="WRONG_ARGUMENT")
    if args.hotCodeReplace == "auto" and not args.classPaths:
        raise UsageError('hotCodeReplace "auto" needs "classPaths", where class files are', code="WRONG_ARGUMENT")
    adapter.paths = Paths(uris=adapter.client.pathFormat == "uri", mappings=args.pathMappings)
    adapter.class_paths = args.classPaths
    adapter.decompiler = args.decompiler
    adapter.replaces_classes = args.hotCodeReplace == "auto"


def _command(args: Launch) -> list[str]:
    """Return all that follows ``java``."""
    words = _words(args.vmArgs, "vmArgs")
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


def _words(given: str | Sequence[str], name: str) -> list[str]:
    if not isinstance(given, str):
        return list(given)
    try:
        return shlex.split(given)
    except ValueError as error:
        raise UsageError(f"arguments.{name} cannot be split into words: {error}", code="WRONG_ARGUMENT") from None


def _environment(changes: dict[str, str | None]) -> dict[str, str]:
    whole = {**os.environ, **{name: value for name, value in changes.items() if value is not None}}
    return {name: value for name, value in whole.items() if changes.get(name, value) is not None}


def _options(args: Attach | Launch) -> jdbpy.Options:
    if args.hold not in ("", "thread", "all"):
        raise UsageError(f"arguments.hold must be thread or all, not '{args.hold[:50]}'", code="WRONG_ARGUMENT")
    return jdbpy.Options(
        source_path=args.sourcePaths,
        read_only=args.readOnly or args.allowSuspend,
        allow_suspend=args.allowSuspend,
        hold=args.hold,
        max_suspend=args.maxSuspend,
    )


@request("configurationDone", in_order=True, supportsConfigurationDoneRequest=True)
async def configuration_done(adapter: Adapter, args: NoArguments) -> None:
    """Let the target go that stands at its start, now that breakpoints are set."""
    await _begin(adapter)


async def _begin(adapter: Adapter) -> None:
    session = adapter.session
    adapter.configured = True
    reporting = jdbpy.Reporting(hold=False, limit=THREADS_A_SECOND)
    options = jdbpy.PointOptions(policy=jdbpy.SuspendPolicy.NONE, reporting=reporting, internal=True)
    if adapter.replaces_classes:
        await start_watching(adapter)
    with suppress(ReadOnlyError):
        adapter.thread_point = (await session.catchpoints.thread(options=options)).number
    if adapter.stop_on_entry and adapter.main_class:
        place = f"{adapter.main_class}.main(java.lang.String[])"
        options = jdbpy.PointOptions(temporary=True, policy=jdbpy.SuspendPolicy.ALL, internal=True)
        point = await session.breakpoints.add_with(place, options)
        adapter.breakpoints.entry = point.number
    stop = session.last_stop
    if stop is None or stop.reason is not jdbpy.StopReason.START or session.state is not jdbpy.VmState.STOPPED:
        return
    if adapter.stop_on_entry and not adapter.main_class:
        show_stop(adapter, stop)
        return
    await session.execution.resume()


class Disconnect(Record):
    """Arguments of ``disconnect``."""

    restart: bool = False
    terminateDebuggee: bool | None = None
    suspendDebuggee: bool = False


@request("disconnect", Disconnect, at_once=True)
async def disconnect(adapter: Adapter, args: Disconnect) -> None:
    """End the session: a launched target ends with it, unless the client says otherwise; another one runs on always."""
    if args.suspendDebuggee:
        text = "a JVM is not left suspended: what this client has suspended is resumed when it disconnects"
        raise UsageError(text, code="CANNOT_SUSPEND")
    try:
        if adapter.has_session:
            asked = args.terminateDebuggee
            if adapter.started_it and asked is not False:
                await _end(adapter)
            else:
                if asked:
                    _say_runs_on(adapter)
                await adapter.leave(keep=True)
        else:
            await adapter.leave(keep=True)
    finally:
        adapter.is_over = True


@request("terminate", at_once=True)
async def terminate(adapter: Adapter, args: NoArguments) -> None:
    """End a target that was launched. One that was attached to, maybe by others as well, runs on without this client.

    Editors send this when their user stops debugging, whatever began it.
    """
    if adapter.started_it:
        await _end(adapter)
    else:
        if adapter.has_session:
            _say_runs_on(adapter)
        await adapter.leave(keep=True)


def _say_runs_on(adapter: Adapter) -> None:
    say(adapter, "detached: the program was running before and runs on (`exit --kill` in the console ends it)")


async def _end(adapter: Adapter) -> None:
    """End a target that was launched: by the signal that runs its shutdown hooks; in a terminal by Exit of its VM."""
    if not adapter.session.launched:
        await adapter.session.exit(0)
    await adapter.leave(keep=False)


@request("restart", in_order=True, supportsRestartRequest=True)
async def restart(adapter: Adapter, args: NoArguments) -> None:
    """Start a launched program again, or attach again, with the same breakpoints. wire: as opening and setting them."""
    await begin_anew(adapter)


async def begin_anew(adapter: Adapter) -> None:
    """Leave the session and open it again. Raises as opening it does."""
    if adapter.reopen is None:
        raise StateError("nothing was debugged yet: attach or launch comes first", code="NOT_STARTED")
    if adapter.has_session:
        if adapter.in_terminal:
            await adapter.session.exit(0)
        await adapter.leave(keep=not adapter.session.launched, quietly=True)
    adapter.configured = False
    await adapter.open(adapter.reopen())
    await adapter.breakpoints.set_again()
    await _begin(adapter)

"""The beginning and the end: initialize, attach, launch, configurationDone, disconnect, terminate, restart."""

from __future__ import annotations

import math
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import partial
from typing import Any

import trio

import jdbpy
from jdbpy import ReadOnlyError, StateError, UsageError
from jdbpy.dap.adapter import Adapter, ClientInfo
from jdbpy.dap.configuration import (
    TERMINALS,
    Attach,
    Launch,
    address_of,
    command_of,
    environment,
    options_of,
    unknown_of,
    variables_of,
)
from jdbpy.dap.events import say, show_stop
from jdbpy.dap.hotswap import start_watching
from jdbpy.dap.paths import Paths
from jdbpy.dap.protocol import CAPABILITIES, Body, NoArguments, read_arguments, request
from jdbpy.dap.terminal import terminal_program
from jdbpy.escape import escape
from jdbpy.record import Record

THREADS_A_SECOND = 100
"""Starts and ends of threads that are told; a client asks for the list of them when anything stops."""


@request("initialize", ClientInfo, in_order=True)
async def initialize(adapter: Adapter, client: ClientInfo) -> Body:
    if adapter.initialized:
        raise StateError("initialize was sent already")
    adapter.client = client
    adapter.initialized = True
    return CAPABILITIES


@request("attach", Attach, in_order=True)
async def attach(adapter: Adapter, args: Attach) -> None:
    adapter.let_in(args.token)
    reopen, rest = _plan_attach(adapter, args)
    if rest and not adapter.client.supportsStartDebuggingRequest:
        raise UsageError("this client debugs one JVM at a time: name one address", code="WRONG_ARGUMENT")
    await adapter.open(reopen())
    if reason := adapter.session.remote_reason:
        say(adapter, reason)
    for each in rest:
        adapter.start(partial(_attach_beside, adapter, args, each))


Reopen = Callable[[], AbstractAsyncContextManager[jdbpy.Session]]


def _plan_attach(adapter: Adapter, args: Attach) -> tuple[Reopen, Sequence[str]]:
    """Take a configuration for ``attach``: what opens the session, which ``restart`` calls again; and further
    addresses. Raises UsageError."""
    reopen: Reopen
    if adapter.served is not None:
        reopen = partial(adapter.served, adapter.client.clientID, args.readOnly)
        # A target that has not begun to run is not for one client of several to start.
        adapter.launches, adapter.stop_on_entry, adapter.reopen = False, True, reopen
        return reopen, ()
    options = options_of(args)
    rest: Sequence[str] = ()
    if args.listen:
        heard = partial(_say_listening, adapter)
        reopen = partial(jdbpy.listen_session, args.listen, options=options, on_listening=heard)
    else:
        first, *rest = [args.address] if isinstance(args.address, str) else args.address or ("",)
        address = first or address_of(args)
        limit = args.timeout / 1000 if args.timeout and args.timeout > 0 else jdbpy.CONNECT_LIMIT
        limit = min(limit, jdbpy.CONNECT_LIMIT)
        reopen = partial(jdbpy.attach_session, address, options=options, timeout=limit)
    _prepare(adapter, args)
    adapter.main_class, adapter.no_debug, adapter.launches = "", False, False
    adapter.reopen = reopen
    return reopen, rest


async def _attach_beside(adapter: Adapter, args: Attach, address: str) -> None:
    """Have the client debug a further JVM in a session of its own, with the same configuration."""
    given = {name: getattr(args, name) for name in args.__fields__}
    changed = {name: value for name, value in given.items() if value != args.__defaults__[name]}
    changed.pop("unknown", None)
    changed["pathMappings"] = [each.to_dict() for each in args.pathMappings]
    configuration = {**changed, "address": address}
    answer = await adapter.sender.ask("startDebugging", {"request": "attach", "configuration": configuration})
    if not answer.get("success"):
        say(adapter, f"{address} is not debugged: {answer.get('message', 'the editor refuses')}", "important")


def _say_listening(adapter: Adapter, address: str) -> None:
    say(adapter, f"waiting for a JVM to connect to {address}")


@request("launch", Launch, in_order=True)
async def launch(adapter: Adapter, args: Launch) -> None:
    adapter.let_in(args.token)
    await adapter.open(_plan_launch(adapter, args)())


def _plan_launch(adapter: Adapter, args: Launch) -> Reopen:
    """Take a configuration for ``launch``: what opens the session, which ``restart`` calls again. Raises UsageError."""
    if adapter.served is not None:
        raise UsageError("this is a session that is served: a program cannot be launched in it, attach to it instead")
    if not args.mainClass:
        raise UsageError('launch needs "mainClass": a class, or MODULE/CLASS, or the path of a jar')
    if args.console not in TERMINALS:
        raise UsageError(f"arguments.console is one of {', '.join(TERMINALS)}", code="WRONG_ARGUMENT")
    if args.console != "internalConsole" and not adapter.client.supportsRunInTerminalRequest:
        raise UsageError("this client runs no programs in a terminal", hint='"console": "internalConsole"')
    options = options_of(args)
    main, variables = command_of(args), variables_of(args)
    _prepare(adapter, args)
    adapter.main_class, adapter.no_debug, adapter.launches = jdbpy.main_class(main), args.noDebug, True
    if args.console != "internalConsole":
        adapter.reopen = partial(_in_terminal, adapter, args, main, variables)
    else:
        command = jdbpy.LaunchCommand(
            main,
            java=args.javaExec or None,
            cwd=args.cwd or None,
            env=environment(variables),
        )
        adapter.reopen = partial(jdbpy.launch_session, command, options=options)
    return adapter.reopen


@asynccontextmanager
async def _in_terminal(
    adapter: Adapter, args: Launch, main: Sequence[str], variables: dict[str, str | None] | None
) -> AsyncIterator[jdbpy.Session]:
    """Have the client start the program in a terminal, and wait for its agent."""
    java = jdbpy.find_java(args.javaExec or None).java

    def on_end(status: int) -> None:
        adapter.give_up_opening(f"the program has ended with status {status} before its agent was there")

    def on_listening(address: str) -> None:
        agent = f"-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address={address}"
        asked: Body = {
            "kind": TERMINALS[args.console],
            "title": adapter.main_class or args.mainClass,
            "cwd": args.cwd or os.getcwd(),
            "args": program.command([java, agent, *main]),
        }
        if variables is not None:
            asked["env"] = variables
        adapter.start(partial(_run_in_terminal, adapter, asked))

    where = jdbpy.listen_session(
        "127.0.0.1:0", options=options_of(args), on_listening=on_listening, timeout=jdbpy.START_LIMIT
    )
    async with terminal_program(on_end) as program, where as session:
        adapter.terminal = program
        try:
            yield session
        finally:
            adapter.terminal = None


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
    _tell_unknown(adapter, args)
    adapter.stop_on_entry = args.stopOnEntry
    adapter.paths = Paths(uris=adapter.client.pathFormat == "uri", mappings=args.pathMappings)
    adapter.class_paths = args.classPaths
    adapter.decompiler = args.decompiler
    adapter.replaces_classes = args.hotCodeReplace == "auto"


def _tell_unknown(adapter: Adapter, args: Attach | Launch) -> None:
    """Name attributes that mean nothing here, each once."""
    found = {name: near for name, near in unknown_of(args).items() if name not in adapter.told}
    if found:
        adapter.told.update(found)
        names = ", ".join(f"{name} ({near}?)" if near else name for name, near in found.items())
        say(adapter, escape(f"the configuration has attributes that mean nothing to jdbpy: {names}"), "important")


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


GRACE = 2.0
"""Seconds that a program has to end by itself, after which ``disconnect`` kills it and ``terminate`` is answered: there
are editors that wait for 3."""


@request("disconnect", Disconnect, at_once=True)
async def disconnect(adapter: Adapter, args: Disconnect) -> None:
    """End the session: a launched target ends with it, unless the client says otherwise; another one runs on always."""
    if args.suspendDebuggee:
        text = "a JVM is not left suspended: what this client has suspended is resumed when it disconnects"
        raise UsageError(text, code="CANNOT_SUSPEND")
    try:
        if adapter.has_session and adapter.started_it and args.terminateDebuggee is not False:
            await adapter.end(0 if adapter.is_ending else GRACE)
        else:
            if adapter.has_session and args.terminateDebuggee:
                _say_runs_on(adapter)
            await adapter.leave(keep=True)
    finally:
        adapter.is_over = True


@request("terminate", at_once=True)
async def terminate(adapter: Adapter, args: NoArguments) -> None:
    """End a target that was launched. One that was attached to, maybe by others as well, runs on without this client.

    Editors send this when their user stops debugging, whatever began it.
    """
    if adapter.started_it:
        with trio.move_on_after(GRACE):
            await adapter.end(math.inf)
            return
        say(adapter, f"the program has not ended within {GRACE:g} s: stop it once more to kill it", "important")
    else:
        if adapter.has_session:
            _say_runs_on(adapter)
        await adapter.leave(keep=True)


def _say_runs_on(adapter: Adapter) -> None:
    say(adapter, "detached: the program was running before and runs on (`exit --kill` in the console ends it)")


class Restart(Record):
    """Arguments of ``restart``."""

    arguments: dict[str, Any] | None = None
    """The configuration as it is by now, with "request" if the client says so."""


@request("restart", Restart, in_order=True, supportsRestartRequest=True)
async def restart(adapter: Adapter, args: Restart) -> None:
    """Start a launched program again, or attach again, with the same breakpoints. wire: as opening and setting them."""
    if adapter.reopen is None:
        raise StateError("nothing was debugged yet: attach or launch comes first", code="NOT_STARTED")
    if args.arguments is not None:
        if args.arguments.get("request", "launch" if adapter.launches else "attach") == "launch":
            _plan_launch(adapter, read_arguments(Launch, args.arguments, "arguments.arguments"))
        else:
            _plan_attach(adapter, read_arguments(Attach, args.arguments, "arguments.arguments"))
    await begin_anew(adapter)


async def begin_anew(adapter: Adapter) -> None:
    """Leave the session and open it again. Raises as opening it does."""
    if adapter.reopen is None:
        raise StateError("nothing was debugged yet: attach or launch comes first", code="NOT_STARTED")
    if adapter.has_session:
        if adapter.started_it:
            await adapter.end(GRACE, quietly=True)
        else:
            await adapter.leave(keep=True, quietly=True)
    adapter.configured = False
    await adapter.open(adapter.reopen())
    await adapter.breakpoints.set_again()
    await _begin(adapter)

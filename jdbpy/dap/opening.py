"""The beginning and the end: initialize, attach, launch, configurationDone, disconnect, terminate, restart."""

from __future__ import annotations

import math
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import partial
from typing import Any, Protocol

import trio

import jdbpy
from jdbpy import ReadOnlyError, StateError, UsageError
from jdbpy.dap.breakpoint_table import EditorBreakpoints
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
from jdbpy.dap.debuggee import GRACE, Debuggee, Following, Plan, Reopen
from jdbpy.dap.editor import ClientInfo, Editor
from jdbpy.dap.hotswap import HotswapRequests
from jdbpy.dap.paths import Paths
from jdbpy.dap.protocol import CAPABILITIES, CAPABILITIES_OF_LAUNCHED, Body, NoArguments, read_arguments, request
from jdbpy.dap.sources import SourceTable
from jdbpy.dap.stops import StopEvents
from jdbpy.dap.terminal import terminal_program
from jdbpy.escape import escape
from jdbpy.garbage import loaded
from jdbpy.process.openings import CONSOLE, HOT_CODE_REPLACE
from jdbpy.record import Record


class Joining(Protocol):
    """Joins a session that is served."""

    def __call__(self, name: str, read_only: bool, /) -> AbstractAsyncContextManager[jdbpy.Session]: ...


THREADS_A_SECOND = 100
"""Starts and ends of threads that are told; a client asks for the list of them when anything stops."""


class Disconnect(Record):
    """Arguments of ``disconnect``."""

    restart: bool = False
    terminateDebuggee: bool | None = None
    suspendDebuggee: bool = False


class Restart(Record):
    """Arguments of ``restart``."""

    arguments: dict[str, Any] | None = None
    """The configuration as it is by now, with "request" if the client says so."""


class OpeningRequests:
    """The beginning and the end of debugging."""

    def __init__(
        self,
        debuggee: Debuggee,
        editor: Editor,
        sources: SourceTable,
        breakpoints: EditorBreakpoints,
        stops: StopEvents,
        hotswap: HotswapRequests,
        follow: Following,
        served: Joining | None,
        let_in: Callable[[str], None],
    ) -> None:
        """``served`` joins a session that is served. ``let_in`` takes the token that the client shows, and raises
        UsageError for a wrong one."""
        self._debuggee = debuggee
        self._editor = editor
        self._sources = sources
        self._breakpoints = breakpoints
        self._stops = stops
        self._hotswap = hotswap
        self._follow = follow
        self._served = served
        self._let_in = let_in
        self.initialized = False
        self.is_over = False
        """True if the client has been answered for the last time."""
        self._named: set[str] = set()
        """Attributes of its configurations that were named as unknown."""

    @request("initialize", ClientInfo, in_order=True)
    async def initialize(self, client: ClientInfo) -> Body:
        if self.initialized:
            raise StateError("initialize was sent already")
        self._editor.info = client
        self.initialized = True
        return CAPABILITIES

    def was_answered(self, name: str) -> None:
        """The response to a request has been sent."""
        if name == "initialize":
            self._debuggee.start(partial(trio.to_thread.run_sync, _load, abandon_on_cancel=True))
        elif name in ("attach", "launch"):
            loaded()
            if self._debuggee.started_it:
                self._editor.event("capabilities", {"capabilities": CAPABILITIES_OF_LAUNCHED})
            self._editor.event("initialized")
        elif name == "disconnect":
            self.is_over = True

    @request("attach", Attach, in_order=True)
    async def attach(self, args: Attach) -> None:
        self._let_in(args.token)
        reopen, rest = self._plan_attach(args)
        if rest and not self._editor.info.supportsStartDebuggingRequest:
            raise UsageError("this client debugs one JVM at a time: name one address", code="WRONG_ARGUMENT")
        await self._debuggee.open(reopen(), self._follow)
        if reason := self._debuggee.session.remote_reason:
            self._editor.say(reason)
        for each in rest:
            self._debuggee.start(partial(self._attach_beside, args, each))

    def _plan_attach(self, args: Attach) -> tuple[Reopen, Sequence[str]]:
        """Take a configuration for ``attach``: what opens the session, which ``restart`` calls again; and further
        addresses. Raises UsageError."""
        reopen: Reopen
        if self._served is not None:
            reopen = partial(self._served, self._editor.info.clientID, args.readOnly)
            # A target that has not begun to run is not for one client of several to start.
            self._debuggee.plan = Plan(reopen=reopen, stop_on_entry=True)
            return reopen, ()
        options = options_of(args)
        rest: Sequence[str] = ()
        if args.listen:
            heard = self._say_listening
            reopen = partial(jdbpy.listen_session, args.listen, options=options, on_listening=heard)
        else:
            first, *rest = [args.address] if isinstance(args.address, str) else args.address or ("",)
            address = first or address_of(args)
            limit = args.timeout / 1000 if args.timeout and args.timeout > 0 else jdbpy.CONNECT_LIMIT
            limit = min(limit, jdbpy.CONNECT_LIMIT)
            reopen = partial(jdbpy.attach_session, address, options=options, timeout=limit)
        self._debuggee.plan = self._planned(args, Plan(reopen=reopen))
        return reopen, rest

    async def _attach_beside(self, args: Attach, address: str) -> None:
        """Have the client debug a further JVM in a session of its own, with the same configuration."""
        given = {name: getattr(args, name) for name in args.__fields__}
        changed = {name: value for name, value in given.items() if value != args.__defaults__[name]}
        changed.pop("unknown", None)
        changed["pathMappings"] = [each.to_dict() for each in args.pathMappings]
        configuration = {**changed, "address": address}
        answer = await self._editor.ask("startDebugging", {"request": "attach", "configuration": configuration})
        if not answer.get("success"):
            self._editor.say(f"{address} is not debugged: {answer.get('message', 'the editor refuses')}", "important")

    def _say_listening(self, address: str) -> None:
        self._editor.say(f"waiting for a JVM to connect to {address}")

    @request("launch", Launch, in_order=True)
    async def launch(self, args: Launch) -> None:
        self._let_in(args.token)
        await self._debuggee.open(self._plan_launch(args)(), self._follow)

    def _plan_launch(self, args: Launch) -> Reopen:
        """Take a configuration for ``launch``: what opens the session, which ``restart`` calls again.

        Raises UsageError.
        """
        if self._served is not None:
            raise UsageError(
                "this is a session that is served: a program cannot be launched in it, attach to it instead"
            )
        if not args.mainClass:
            raise UsageError('launch needs "mainClass": a class, or MODULE/CLASS, or the path of a jar')
        CONSOLE.checked(args.console, "arguments.console is", "WRONG_ARGUMENT")
        if args.console != "internalConsole" and not self._editor.info.supportsRunInTerminalRequest:
            raise UsageError("this client runs no programs in a terminal", hint='"console": "internalConsole"')
        options = options_of(args)
        main, variables = command_of(args), variables_of(args)
        reopen: Reopen
        if args.console != "internalConsole":
            reopen = partial(self._in_terminal, args, main, variables)
        else:
            command = jdbpy.LaunchCommand(
                main,
                java=args.javaExec or None,
                cwd=args.cwd or None,
                env=environment(variables),
            )
            reopen = partial(jdbpy.launch_session, command, options=options)
        plan = Plan(reopen=reopen, launches=True, main_class=jdbpy.main_class(main), no_debug=args.noDebug)
        self._debuggee.plan = self._planned(args, plan)
        return reopen

    @asynccontextmanager
    async def _in_terminal(
        self, args: Launch, main: Sequence[str], variables: dict[str, str | None] | None
    ) -> AsyncIterator[jdbpy.Session]:
        """Have the client start the program in a terminal, and wait for its agent."""
        java = jdbpy.find_java(args.javaExec or None).java

        def on_end(status: int) -> None:
            self._debuggee.give_up_opening(f"the program has ended with status {status} before its agent was there")

        def on_listening(address: str) -> None:
            agent = f"-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address={address}"
            asked: Body = {
                "kind": TERMINALS[args.console],
                "title": self._debuggee.plan.main_class or args.mainClass,
                "cwd": args.cwd or os.getcwd(),
                "args": program.command([java, agent, *main]),
            }
            if variables is not None:
                asked["env"] = variables
            self._debuggee.start(partial(self._run_in_terminal, asked))

        where = jdbpy.listen_session(
            "127.0.0.1:0", options=options_of(args), on_listening=on_listening, timeout=jdbpy.START_LIMIT
        )
        async with terminal_program(on_end) as program, where as session:
            self._debuggee.terminal = program
            try:
                yield session
            finally:
                self._debuggee.terminal = None

    async def _run_in_terminal(self, asked: Body) -> None:
        answer = await self._editor.ask("runInTerminal", asked)
        if not answer.get("success"):
            self._debuggee.give_up_opening(
                f"the editor did not start the program: {answer.get('message', 'no reason is given')}"
            )

    def _planned(self, args: Attach | Launch, plan: Plan) -> Plan:
        """Take what both requests have in common; return the whole plan. Raises UsageError."""
        HOT_CODE_REPLACE.checked(args.hotCodeReplace, "arguments.hotCodeReplace is", "WRONG_ARGUMENT")
        if args.hotCodeReplace == "auto" and not args.classPaths:
            raise UsageError('hotCodeReplace "auto" needs "classPaths", where class files are', code="WRONG_ARGUMENT")
        self._name_unknown(args)
        self._editor.paths = Paths(uris=self._editor.info.pathFormat == "uri", mappings=args.pathMappings)
        self._sources.decompiler = args.decompiler
        return plan.replace(
            stop_on_entry=args.stopOnEntry,
            class_paths=args.classPaths,
            replaces_classes=args.hotCodeReplace == "auto",
        )

    def _name_unknown(self, args: Attach | Launch) -> None:
        """Name attributes that mean nothing here, each once."""
        found = {name: near for name, near in unknown_of(args).items() if name not in self._named}
        if found:
            self._named.update(found)
            names = ", ".join(f"{name} ({near}?)" if near else name for name, near in found.items())
            self._editor.say(
                escape(f"the configuration has attributes that mean nothing to jdbpy: {names}"), "important"
            )

    @request("configurationDone", in_order=True, supportsConfigurationDoneRequest=True)
    async def configuration_done(self, args: NoArguments) -> None:
        """Let the target go that stands at its start, now that breakpoints are set."""
        await self._begin()

    async def _begin(self) -> None:
        session = self._debuggee.session
        self._debuggee.configured = True
        reporting = jdbpy.Reporting(hold=False, limit=THREADS_A_SECOND)
        options = jdbpy.PointOptions(policy=jdbpy.SuspendPolicy.NONE, reporting=reporting, internal=True)
        if self._debuggee.plan.replaces_classes:
            await self._hotswap.start_watching()
        with suppress(ReadOnlyError):
            self._breakpoints.thread_reports = (await session.catchpoints.thread(options=options)).number
        if self._debuggee.plan.stop_on_entry and self._debuggee.plan.main_class:
            place = f"{self._debuggee.plan.main_class}.main(java.lang.String[])"
            options = jdbpy.PointOptions(temporary=True, policy=jdbpy.SuspendPolicy.ALL, internal=True)
            point = await session.breakpoints.add_with(place, options)
            self._breakpoints.entry = point.number
        stop = session.last_stop
        if stop is None or stop.reason is not jdbpy.StopReason.START or session.state is not jdbpy.VmState.STOPPED:
            return
        if self._debuggee.plan.stop_on_entry and not self._debuggee.plan.main_class:
            self._stops.show(stop)
            return
        await session.execution.resume()

    @request("disconnect", Disconnect, at_once=True)
    async def disconnect(self, args: Disconnect) -> None:
        """End the session: a launched target ends with it, unless the client says otherwise; another one runs on."""
        if args.suspendDebuggee:
            text = "a JVM is not left suspended: what this client has suspended is resumed when it disconnects"
            raise UsageError(text, code="CANNOT_SUSPEND")
        try:
            if self._debuggee.has_session and self._debuggee.started_it and args.terminateDebuggee is not False:
                await self._debuggee.end(0 if self._debuggee.is_ending else GRACE)
            else:
                if self._debuggee.has_session and args.terminateDebuggee:
                    self._say_runs_on()
                await self._debuggee.leave(keep=True)
        finally:
            self.is_over = True

    @request("terminate", at_once=True)
    async def terminate(self, args: NoArguments) -> None:
        """End a target that was launched. One that was attached to, maybe by others too, runs on without this client.

        Editors send this when their user stops debugging, whatever began it.
        """
        if self._debuggee.started_it:
            with trio.move_on_after(GRACE):
                await self._debuggee.end(math.inf)
                return
            self._editor.say(f"the program has not ended within {GRACE:g} s: stop it once more to kill it", "important")
        else:
            if self._debuggee.has_session:
                self._say_runs_on()
            await self._debuggee.leave(keep=True)

    def _say_runs_on(self) -> None:
        self._editor.say("detached: the program was running before and runs on (`exit --kill` in the console ends it)")

    @request("restart", Restart, in_order=True, supportsRestartRequest=True)
    async def restart(self, args: Restart) -> None:
        """Start a launched program again, or attach again, with the same breakpoints.

        wire: as opening and setting them.
        """
        if self._debuggee.plan.reopen is None:
            raise StateError("nothing was debugged yet: attach or launch comes first", code="NOT_STARTED")
        if args.arguments is not None:
            if args.arguments.get("request", "launch" if self._debuggee.plan.launches else "attach") == "launch":
                self._plan_launch(read_arguments(Launch, args.arguments, "arguments.arguments"))
            else:
                self._plan_attach(read_arguments(Attach, args.arguments, "arguments.arguments"))
        await self.begin_anew()

    async def begin_anew(self) -> None:
        """Leave the session and open it again. Raises as opening it does."""
        if self._debuggee.plan.reopen is None:
            raise StateError("nothing was debugged yet: attach or launch comes first", code="NOT_STARTED")
        if self._debuggee.has_session:
            if self._debuggee.started_it:
                await self._debuggee.end(GRACE, quietly=True)
            else:
                await self._debuggee.leave(keep=True, quietly=True)
        self._debuggee.configured = False
        await self._debuggee.open(self._debuggee.plan.reopen(), self._follow)
        await self._breakpoints.set_again()
        await self._begin()


def _load() -> None:
    """Import what every session needs, while the client makes up its mind."""
    for name in ("Session", "attach_session", "launch_session"):
        getattr(jdbpy, name)

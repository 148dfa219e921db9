"""The beginning and the end: initialize, attach, launch, configurationDone, disconnect, terminate, restart."""

from __future__ import annotations

import codecs
import math
import os
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import partial
from typing import Any, Protocol

import trio

import jdbpy
from jdbpy import JdbpyError, ReadOnlyError, StateError, UsageError
from jdbpy.dap.breakpoint_table import EditorBreakpoints
from jdbpy.dap.configuration import (
    TERMINALS,
    Attach,
    Launch,
    address_of,
    command_of,
    environment,
    options_of,
    tests_of,
    unknown_of,
    variables_of,
)
from jdbpy.dap.console import DebugConsole
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


_COLORS = re.compile(r"\x1b\[[0-9;]*[mK]")

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
        console: DebugConsole,
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
        self._console = console
        self._follow = follow
        self._served = served
        self._let_in = let_in
        self.initialized = False
        self.is_over = False
        """True if the client has been answered for the last time."""
        self._tests_begin: trio.Event | None = None
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
            self._debuggee.plan = Plan(reopen=reopen, stop_on_entry=True, init_commands=args.initCommands)
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
        self._debuggee.plan = self._planned(args, Plan(reopen=reopen, failing_tests=args.failingTests))
        return reopen, rest

    async def _attach_beside(self, args: Attach, address: str) -> None:
        """Have the client debug a further JVM in a session of its own, with the same configuration."""
        await self._start_debugging(args, address, {"address": address})

    async def _start_debugging(self, args: Attach | Launch, what: str, more: Body) -> bool:
        """Have the client attach in a session of its own, with what a configuration says for ``attach``, and ``more``.
        False if it does not."""
        names = set(args.__fields__) & set(Attach.__fields__) - {"unknown"}
        given = {name: getattr(args, name) for name in args.__fields__ if name in names}
        changed = {name: value for name, value in given.items() if value != args.__defaults__[name]}
        changed["pathMappings"] = [each.to_dict() for each in args.pathMappings]
        asked = {"request": "attach", "configuration": {**changed, **more}}
        answer = await self._editor.ask("startDebugging", asked)
        if not answer.get("success"):
            self._editor.say(f"{what} is not debugged: {answer.get('message', 'the editor refuses')}", "important")
        return bool(answer.get("success"))

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
        if args.test:
            return self._plan_tests(args)
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

    def _plan_tests(self, args: Launch) -> Reopen:
        """Take a configuration with a command that runs tests. Raises UsageError."""
        command = jdbpy.BuildCommand(
            tests_of(args),
            at="start" if args.stopOnEntry else "failure",
            cwd=args.cwd or None,
            env=environment(variables_of(args)),
            terminal=True,
        )
        reopen = partial(self._first_with_tests, args, command, options_of(args))
        self._debuggee.plan = self._planned(args.replace(stopOnEntry=False), Plan(reopen=reopen, launches=True))
        return reopen

    @asynccontextmanager
    async def _first_with_tests(
        self, args: Launch, command: jdbpy.BuildCommand, options: jdbpy.Options
    ) -> AsyncIterator[jdbpy.Session]:
        """Run a command, and debug the first of its JVMs that runs tests, which waits until breakpoints are set.

        A client that can have several sessions has one for each further JVM; others run free. The command ends with the
        session, unless its JVM has ended by itself.
        """
        decoder = codecs.getincrementaldecoder("utf-8")("replace")

        def written(data: bytes) -> None:
            text = _COLORS.sub("", decoder.decode(data))
            self._editor.event("output", {"category": "stdout", "output": text})

        async with jdbpy.open_build(command, options, on_output=written) as build:
            build.begin = self._tests_begin = trio.Event()
            if self._editor.info.supportsStartDebuggingRequest:
                build.beside = partial(self._tests_beside, args)
            jvm = await build.next_jvm()
            if jvm is None:
                raise UsageError(f"{command.words[0]} has ended with status {build.status} and has run no test")
            build.keep_only(jvm)
            yield jvm.session
            if jvm.session.ending is not None:
                self._tests_begin.set()
                build.leave()
                await build.ended.wait()
                self._editor.say(f"{command.words[0]} has ended with status {build.status}")

    async def _tests_beside(self, args: Launch, name: str, address: str) -> bool:
        """Have the client debug a further JVM with tests; False if it does not."""
        return await self._start_debugging(
            args, name, {"name": name, "address": address, "failingTests": True, "stopOnEntry": False}
        )

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
            init_commands=args.initCommands,
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
        if self._tests_begin is not None:
            self._tests_begin.set()
        if self._debuggee.plan.failing_tests:
            await session.tests.stop_at_failures()
        for line in self._debuggee.plan.init_commands:
            await self._run_command(line)
        if not self._debuggee.has_session:
            return
        stop = session.last_stop
        if stop is None or stop.reason is not jdbpy.StopReason.START or session.state is not jdbpy.VmState.STOPPED:
            return
        if self._debuggee.plan.stop_on_entry and not self._debuggee.plan.main_class:
            self._stops.show(stop)
            return
        await session.execution.resume()

    async def _run_command(self, line: str) -> None:
        """Run a line of ``initCommands``. If it fails, report the error to the client; the other lines still run."""
        if not line.strip() or not self._debuggee.has_session:
            return
        try:
            said = str((await self._console.run(line.strip().removeprefix("`"), None))["result"])
        except JdbpyError as error:
            self._editor.say(f"initCommands: {escape(line)}: {error}", "important")
            return
        if said:
            self._editor.say(said)

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

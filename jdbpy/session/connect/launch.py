"""The third way to a session, with a JVM of our own: it connects back, its output is handed on, it ends with us.

Owns the command line and the way to the first connection; the process is ``launched``. ``launch_target`` knows nothing
of JDWP beyond the agent option that it adds. ``launch`` uses it like this::

    async with launch_target(command, on_output=publish) as launched:     # UsageError, ConnectError
        async with open_connection(launched.stream, peer=launched.address) as connection:
            ...
        status = await launched.wait_exit()          # all output has been handed on before this returns
    # leaving the block ends a target that still runs, with its whole process group, unless keep_running() was called

The agent runs with ``server=n``, and ``suspend=y`` by default; it connects to a socket of ours, as with
JDI's launching connector. So no line of the target's output has to be parsed (a server agent announces its port on the
target's stdout, among what JAVA_TOOL_OPTIONS, -Xlog or a wrapper print there, or not at all with quiet=y), and a JVM
that dies is noticed at once. The target gets a session of its own: a Ctrl-C in our terminal does not reach it.

The JVM boots while most of the session is loaded: what is imported here is what starting it takes, and ``load_ahead``
has the list of what is needed as soon as the JVM stands at its start. Nothing depends on that list: what is not in it
is loaded when it is asked for.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from importlib import import_module
from select import select
from typing import TYPE_CHECKING

import trio

from jdbpy.errors import ConnectError, UsageError
from jdbpy.record import Record
from jdbpy.session.connect.greeting import CONNECT_LIMIT, LOOPBACK, parse_address
from jdbpy.session.connect.java_command import jvm_options_of
from jdbpy.session.connect.launched import Launched
from jdbpy.session.local.java_home import JavaHome, find_java
from jdbpy.session.model.events import Output
from jdbpy.session.model.options import Options
from jdbpy.task_groups import open_nursery, require_trio

if TYPE_CHECKING:
    from jdbpy.session.session import Session


_NEEDED = (
    "jdbpy.session.connect.attach",
    "jdbpy.wire.codegen",
    "jdbpy.session.execution.stops",
    "jdbpy.session.events.prefetch",
    "jdbpy.session.execution.execution",
    "jdbpy.session.values.stack",
    "jdbpy.session.sources.sources",
    "jdbpy.session.breakpoints.line_breakpoints",
    "jdbpy.session.breakpoints.catchpoints",
    "jdbpy.session.eval.api.component",
    "jdbpy.session.values.objects",
    "jdbpy.session.inspect.vm",
    "jdbpy.session.values.views.hashing",
)
"""In the order in which they are asked for."""


def load_ahead(enough: Callable[[], bool]) -> None:
    """Load them until ``enough`` says so: some 40 ms of this process, while the JVM boots on another processor."""
    for module in _NEEDED:
        if enough():
            return
        import_module(module)


START_LIMIT = 60.0
"""Seconds a JVM may take from its start until its agent connects; 0.05 is usual."""

_JAVA_S_PHRASES = (
    "Error occurred during initialization of VM",
    "Error: Could not create the Java Virtual Machine.",
    "Error: A fatal exception has occurred. Program will exit.",
)
_AGENTS = ("-agentlib:jdwp", "-Xrunjdwp")
_OPTION_VARIABLES = ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS")


class LaunchCommand(Record):
    """The command to launch.

    ``main`` is all that follows ``java`` on its command line: JVM options, then a main class, ``-jar FILE`` or
    ``-m MODULE/CLASS``, then the program's arguments. ``jvm_options`` are put before it. ``java`` is an executable or
    a Java home (None: see `find_java`). ``cwd`` is the working directory, ``env`` the whole environment (None: ours).
    ``stdin`` is "none" (the target reads end-of-file), "inherit" (ours), "pipe" (see `Launched.send_input`), or the
    path of a file. ``tty`` is the path of a terminal for the target to read and write; its output is not ours then.
    ``suspend``: hold the target before its main class is loaded. ``virtual_threads``: lists of threads have virtual
    ones too (since 19; the agent of an older Java would refuse the option, and is not given it). ``agent_at``: the
    whole command is ``main``, with an agent in it that connects to this ``HOST:PORT``; nothing is added to it then.
    """

    main: Sequence[str]
    java: str | None = None
    jvm_options: Sequence[str] = ()
    cwd: str | None = None
    env: Mapping[str, str] | None = None
    stdin: str = "none"
    tty: str = ""
    suspend: bool = True
    virtual_threads: bool = False
    agent_at: str = ""

    @property
    def held(self) -> bool:
        """True if the target is held at its start, by our agent or by the one that the command has."""
        if not self.agent_at:
            return self.suspend
        return not any(word.startswith(_AGENTS) and "suspend=n" in word for word in self.main)


@asynccontextmanager
async def launch_target(
    command: LaunchCommand, on_output: Callable[[Output], None], *, timeout: float = START_LIMIT
) -> AsyncIterator[Launched]:
    """Start a JVM, suspended before its main class is loaded; see the module's docstring.

    ``on_output`` is called with each piece of output, whole lines or not, in the order of each stream. ``timeout``:
    seconds until the agent has connected. Raises UsageError (no Java, no such directory, a second agent in the options)
    and ConnectError (the JVM did not come up; the message has what it printed).
    """
    java = None if command.agent_at else find_java(command.java)
    if java is not None:
        _refuse_second_agent(command)
    listener = await _listen(command.agent_at)
    async with listener:
        host, port = listener.socket.getsockname()[:2]
        words = list(command.main)
        if java is not None:
            words = [java.java, _agent(command, java, f"{host}:{port}"), *command.jvm_options, *words]
        launched = await _start(words, command)
        try:
            async with open_nursery() as nursery:
                process = launched.process
                nursery.start_soon(launched.read_output, on_output)
                load_ahead(lambda: bool(select([listener.socket], [], [], 0)[0]))  # until the agent knocks
                launched.stream = await _accept(listener, launched, timeout)
                launched.address = f"{host}:{port}"
                await listener.aclose()  # this one JVM, and nobody else
                try:
                    async with launched.stream:
                        yield launched
                finally:
                    await launched.terminate()
                    nursery.cancel_scope.cancel()
        finally:
            await launched.terminate()
            await _close_pipes(process)


async def _listen(address: str) -> trio.SocketListener:
    """Return where the agent will connect; "" is any free port. Raises ConnectError when the port is taken."""
    if not address:
        return (await trio.open_tcp_listeners(0, host=LOOPBACK))[0]
    where = parse_address(address, any_port=True)
    try:
        return (await trio.open_tcp_listeners(where.port, host=where.host))[0]
    except OSError as error:
        reason = error.strerror or error
        raise ConnectError(f"cannot listen on {where}: {reason}", hint="choose another port") from error


def _agent(command: LaunchCommand, java: JavaHome, address: str) -> str:
    suspend = "y" if command.suspend else "n"
    agent = f"-agentlib:jdwp=transport=dt_socket,server=n,suspend={suspend},address={address}"
    return agent + (",includevirtualthreads=y" if command.virtual_threads and java.feature >= 19 else "")


async def _start(arguments: list[str], command: LaunchCommand) -> Launched:
    with _standard_files(command) as (stdin, output):
        try:
            process = await trio.lowlevel.open_process(
                arguments,
                stdin=stdin,
                stdout=output,
                stderr=output,
                cwd=command.cwd,
                env=command.env,
                start_new_session=True,
            )
        except OSError as error:
            raise UsageError(f"cannot start {arguments[0]}: {error.strerror or error}: {error.filename}") from error
    return Launched(process, arguments)


@contextmanager
def _standard_files(command: LaunchCommand) -> Iterator[tuple[int | None, int]]:
    """What the target gets as its standard input, and as its two outputs. Raises UsageError."""
    known = {"none": subprocess.DEVNULL, "inherit": None, "pipe": subprocess.PIPE}
    with ExitStack() as opened:
        terminal = _opened(command.tty, os.O_RDWR | os.O_NOCTTY, opened) if command.tty else None
        if terminal is not None and not os.isatty(terminal):
            raise UsageError(f"{command.tty} is not a terminal", hint="'tty' in the other window says what its is")
        if command.stdin not in known:
            stdin: int | None = _opened(command.stdin, os.O_RDONLY, opened)
        else:
            stdin = known[command.stdin] if terminal is None else terminal
        yield stdin, subprocess.PIPE if terminal is None else terminal


def _opened(path: str, flags: int, stack: ExitStack) -> int:
    """Open a file for the target until the block of ``stack`` is left. Raises UsageError."""
    try:
        found = os.open(path, flags | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "no file can have such a name"
        raise UsageError(f"{path} cannot be opened for the program: {why}", code="NO_SUCH_FILE") from error
    stack.callback(os.close, found)
    return found


async def _accept(listener: trio.SocketListener, launched: Launched, timeout: float) -> trio.SocketStream:
    """Return the connection of the agent; ConnectError when the JVM ends, or stays away, before it comes."""
    stream: trio.SocketStream | None = None
    status: int | None = None

    async with open_nursery() as nursery:

        async def accept() -> None:
            nonlocal stream
            stream = await listener.accept()
            nursery.cancel_scope.cancel()

        async def watch() -> None:
            nonlocal status
            status = await launched.wait_exit()
            nursery.cancel_scope.cancel()

        nursery.cancel_scope.deadline = trio.current_time() + timeout
        nursery.start_soon(accept)
        nursery.start_soon(watch)
    if stream is not None:
        return stream
    lines = [line.strip() for line in launched._errors.splitlines()]
    said = " ".join(line for line in lines if line and line not in _JAVA_S_PHRASES)
    if status is None:
        raise ConnectError(f"the JVM did not connect to the debugger within {timeout:g} seconds: {said}")
    message = f"the JVM ended with status {status} before it could be debugged"
    raise ConnectError(f"{message}: {said}" if said else message, hint=_hint(said))


def _refuse_second_agent(command: LaunchCommand) -> None:
    """Refuse a second agent: a JVM takes one, and its own message is less clear. Raises UsageError."""
    environ = os.environ if command.env is None else command.env
    places = [(name, environ.get(name, "").split()) for name in _OPTION_VARIABLES]
    for place, words in [*places, ("the command", [*command.jvm_options, *jvm_options_of(command.main)])]:
        for word in words:
            if word.startswith(_AGENTS):
                raise UsageError(
                    f"{place} has {word}, and a JVM takes only one debugger agent",
                    hint="leave it out: launch adds its own; to use yours, start the JVM yourself and attach",
                )


def _hint(said: str) -> str:
    if "jdwp" in said and "agent" in said:
        return "the runtime cannot load its debugger agent: a JRE without jdk.jdwp.agent, or an agent loaded twice"
    if "nrecognized option" in said or "nrecognized VM option" in said:
        return "JVM options stand before the main class, and this Java does not know that one"
    return ""


async def _close_pipes(process: trio.Process) -> None:
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            await trio.aclose_forcefully(pipe)


@asynccontextmanager
async def launch_session(
    command: LaunchCommand, *, options: Options | None = None, timeout: float = START_LIMIT
) -> AsyncIterator[Session]:
    """Start a JVM of our own, stopped before its main class is loaded unless ``command`` says otherwise, and debug it.

    ``timeout``: seconds until the JVM has connected; it is given up when it then takes that long, or the limit of
    ``attach``, to answer the first commands. Its output comes as ``Output`` events. Leaving the block ends it, with its
    process group, unless it was detached. Raises UsageError (no Java) and ConnectError (the JVM did not come up: the
    message has what it printed).
    """
    require_trio()
    early: list[Output] = []
    hand_on: Callable[[Output], None] = early.append
    async with launch_target(command, lambda output: hand_on(output), timeout=timeout) as launched:
        from jdbpy.session.connect.attach import open_session  # loaded while the JVM boots

        stream = launched.stream
        about = options or Options()
        limit = min(timeout, CONNECT_LIMIT)
        opening = open_session(stream, launched.address, about, launched, suspended=command.held, timeout=limit)
        async with opening as session:
            for output in early:
                session.publish(output)
            hand_on = session.publish
            yield session

"""A command that runs tests: a build tool, or ``java`` itself. Every JVM that it starts is debugged.

The JVMs are led here by ``JAVA_TOOL_OPTIONS``, which each of them reads, whoever starts it. So a JVM that is started
after this process was killed finds nobody at its port, and ends with an error: a build then fails, but it never hangs.
Those that run already run on: their agents resume what is suspended when the connection goes.

A daemon of a build tool that outlives the command would hand this variable to later builds. So Gradle is told to use
none: the JVM of the build is the command's own then, and so are those that it starts.

Owns the process of the command, which sessions are kept, and whose turn it is to stop: one failure at a time, so that
the JVMs of a parallel build stop one after the other.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from fnmatch import fnmatchcase
from functools import partial

import trio

from jdbpy.errors import Disconnected, JdbpyError, UsageError
from jdbpy.record import Record
from jdbpy.session.connect.build_profiles import BuildProfiles
from jdbpy.session.connect.java_command import main_class, program_of
from jdbpy.session.connect.listening import open_listener
from jdbpy.session.connect.relay import hand_on
from jdbpy.session.java.signatures import simple_name
from jdbpy.session.local.tunnel import PeerProcess, options_of_agent
from jdbpy.session.model.breakpoints import NO_OPTIONS, PointOptions
from jdbpy.session.model.options import Options
from jdbpy.session.session import Session
from jdbpy.session.testing.component import LoadedStop
from jdbpy.task_groups import open_nursery

VARIABLE = "JAVA_TOOL_OPTIONS"
_OPTION_VARIABLES = (VARIABLE, "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS")

_ALONE = {"GRADLE_OPTS": "-Dorg.gradle.daemon=false"}
"""Variables by which a build tool is told to use no daemon."""

AT = ("failure", "start", "none")
"""Where a JVM with tests stops: where a test fails; before the first test as well; nowhere."""

END_LIMIT = 2.0
"""Seconds between SIGTERM and SIGKILL, and for the JVMs of a command that has ended to end as well."""

DECIDE_LIMIT = 20.0
"""Seconds in which a JVM loads a test framework while others of its main class wait for it."""

REST_LIMIT = 0.3
"""Seconds for the rest of its output."""

_LIMITS = re.compile(r"-D(?:surefire|failsafe)\.timeout=(\d+)")
_POM_LIMIT = re.compile(r"<forkedProcessTimeoutInSeconds>\s*(\d+)\s*<")


class BuildCommand(Record):
    """A command and how its JVMs are debugged.

    ``only`` and ``never`` are patterns of main classes (``*ForkedBooter``): of others, or of these, JVMs run as if
    nobody was there. ``stdin`` is "none" or "inherit"; ``stdout`` and ``stderr`` are file descriptors, None for our
    own. ``terminal``: it writes to a terminal of its own, and ``on_output`` of ``open_build`` gets it.
    ``env`` is the whole environment (None: ours). ``point`` are the options of the catchpoint. ``record`` are methods
    whose calls are recorded; ``profile``: the JVMs with tests are profiled.
    """

    words: Sequence[str]
    at: str = "failure"
    only: Sequence[str] = ()
    never: Sequence[str] = ()
    cwd: str | None = None
    env: Mapping[str, str] | None = None
    stdin: str = "none"
    stdout: int | None = None
    stderr: int | None = None
    terminal: bool = False
    point: PointOptions = NO_OPTIONS
    record: Sequence[str] = ()
    profile: bool = False


class BuildJvm:
    """A JVM of the command, with its session. ``main`` is its main class, "" where it is not known."""

    def __init__(self, session: Session, name: str, main: str, pid: int) -> None:
        self.session = session
        self.name = name
        self.main = main
        self.pid = pid
        self.announced = False
        self.loaded = trio.Event()  # a test framework


class _Turn:
    """Whose turn it is to stop: one JVM's at a time."""

    def __init__(self) -> None:
        self._holder: BuildJvm | None = None
        self._waiting = trio.lowlevel.ParkingLot()

    async def take(self, jvm: BuildJvm) -> None:
        while self._holder not in (None, jvm):
            await self._waiting.park()
        self._holder = jvm

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def give_back(self, jvm: BuildJvm) -> None:
        if self._holder is jvm:
            self._holder = None
            self._waiting.unpark_all()


class Build:
    """One run of the command. ``status`` is its exit status, None before; ``jvms`` are all that have connected."""

    def __init__(
        self,
        command: BuildCommand,
        options: Options,
        on_output: Callable[[bytes], None],
        warn: Callable[[str], None],
        profiles: BuildProfiles | None,
    ) -> None:
        self.profiles = profiles
        """Profiles of the JVMs with tests, if the command asks for them."""
        self.status: int | None = None
        self.ended = trio.Event()
        self.jvms: list[BuildJvm] = []
        self.left_out: set[str] = set()
        """Classes whose exceptions were not looked at any more, as they threw too many."""
        self.not_recorded: dict[str, str] = {}
        """Methods that were to be recorded, and why no JVM could, as far as is known."""
        self._recorded: set[str] = set()
        self.begin: trio.Event | None = None
        """If it is set, a JVM that has loaded a test framework is given by ``next_jvm``, and waits for this before its
        first test."""
        self.beside: Callable[[str, str], Awaitable[bool]] | None = None
        """If it is set, further JVMs of the main class of the one that is kept are for other debuggers: called with the
        name of each and the address to connect to, it says whether one will."""
        self._deciding: dict[str, trio.Event] = {}  # by main classes: whether JVMs of it run tests
        self._on_output = on_output
        self.warn = warn
        self._command = command
        self._options = options
        self._turn = _Turn()
        self._left = trio.Event()
        self._kept: BuildJvm | None = None
        self._send, self._receive = trio.open_memory_channel[BuildJvm](1000)
        self._limit = _time_limit(command)
        self._process: trio.Process | None = None

    async def next_jvm(self) -> BuildJvm | None:
        """Return the next JVM that stands at its first failure, or is about to; with another ``at`` than "failure" the
        next that runs tests. None once the command has ended."""
        found: BuildJvm | None = None
        async with open_nursery() as nursery:

            async def ended() -> None:
                await self.ended.wait()
                nursery.cancel_scope.cancel()

            nursery.start_soon(ended)
            found = await self._receive.receive()
            nursery.cancel_scope.cancel()
        return found

    @property
    def waiting(self) -> int:
        """Return the number of JVMs that stand at a failure that is not shown yet: another one has its turn."""
        return self._turn.waiting

    def keep_only(self, jvm: BuildJvm) -> None:
        """Let no other JVM than this one stop from now on."""
        self._kept = jvm
        self._decided(jvm.main)

    def _decided(self, main: str) -> None:
        if main in self._deciding:
            self._deciding[main].set()

    async def claim(self, stream: trio.SocketStream, peer: PeerProcess) -> bool:
        """Hand a JVM on that another debugger is to have; see ``beside``. The first of each main class is ours."""
        if self.beside is None:
            return False
        await trio.to_thread.run_sync(peer.find)
        words = peer.words
        main = main_class(words[1:]) if words else ""
        if not main or not self._wants(main, words):
            return False
        while main in self._deciding and not self._deciding[main].is_set():
            with trio.move_on_after(DECIDE_LIMIT) as waited:
                await self._deciding[main].wait()
            if waited.cancelled_caught:
                return False
        if self._kept is None or self._kept.main != main:
            self._deciding[main] = trio.Event()
            return False
        return await hand_on(stream, partial(self.beside, _name(words, main, peer.pid)))

    def leave(self) -> None:
        """Leave all JVMs, those to come included: the command runs on without a debugger."""
        self._left.set()

    def end(self) -> None:
        """End the command: SIGTERM to its process group; SIGKILL follows when the run is left."""
        self._signal(signal.SIGTERM)

    def _signal(self, number: int) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)

    # The run

    async def run(self, address: str) -> None:
        """Start the command and wait for its end."""
        command = self._command
        env = dict(os.environ if command.env is None else command.env)
        agent = f"-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address={address}"
        for name, value in (_ALONE | {VARIABLE: agent}).items():
            env[name] = f"{env[name]} {value}" if env.get(name) else value
        ends = _open_terminal() if command.terminal else None
        try:
            self._process = await trio.lowlevel.open_process(
                list(command.words),
                stdin=None if command.stdin == "inherit" else subprocess.DEVNULL,
                stdout=command.stdout if ends is None else ends[1],
                stderr=command.stderr if ends is None else ends[1],
                cwd=command.cwd,
                env=env,
                start_new_session=True,
            )
        except OSError as error:
            if ends is not None:
                os.close(ends[0])
            raise UsageError(
                f"cannot start {command.words[0]}: {error.strerror or error}",
                hint="the command is a program in PATH, or a path: jdbpy test -- ./gradlew test",
            ) from error
        finally:
            if ends is not None:
                os.close(ends[1])
        try:
            async with open_nursery() as nursery:
                if ends is not None:
                    nursery.start_soon(self._read_output, ends[0])
                status = await self._process.wait()
                with trio.move_on_after(END_LIMIT):  # what it has started may take a moment longer
                    for jvm in self.jvms:
                        await jvm.session.wait_ended()
                nursery.cancel_scope.deadline = trio.current_time() + REST_LIMIT  # a daemon keeps its output open
            self.status = status
        finally:
            with trio.CancelScope(shield=True):
                await self._end_process()
            self.ended.set()

    async def _read_output(self, terminal: int) -> None:
        async with trio.lowlevel.FdStream(terminal) as stream:
            with suppress(trio.BrokenResourceError):  # so a terminal ends
                async for data in stream:
                    self._on_output(bytes(data))

    async def _end_process(self) -> None:
        assert self._process is not None
        if self._process.returncode is None:
            self._signal(signal.SIGTERM)
            with trio.move_on_after(END_LIMIT):
                await self._process.wait()
        if self._process.returncode is None:
            self._signal(signal.SIGKILL)
            await self._process.wait()

    def options_of(self, number: int) -> Options:
        """Return the options of the session of a JVM: each has files of its own."""
        files = {
            name: f"{path}.{number}"
            for name in ("wire_log", "decisions", "record")
            if (path := getattr(self._options, name)) and path != "-"
        }
        return self._options.replace(**files)

    async def debug(self, session: Session, peer: PeerProcess) -> None:
        """Debug one JVM until it ends: it runs free until a test framework is loaded."""
        words = peer.words
        main = main_class(words[1:]) if words else ""
        if self._left.is_set() or not self._wants(main, words):
            self._decided(main)
            return
        jvm = BuildJvm(session, _name(words, main, peer.pid), main, peer.pid)
        self.jvms.append(jvm)
        try:
            point = await session.tests.stop_at_failures(
                self._command.point,
                turn=partial(self._take_turn, jvm),
                give_back=partial(self._turn.give_back, jvm),
                loaded=partial(self._loaded, jvm),
                watches=self._command.at != "none",
                limit=self._limit,
            )
            if session.last_stop is not None:
                session.take(session.last_stop)
            await session.execution.resume_if_stopped()
            if self.profiles is not None:
                await _first_of(partial(self._profile, jvm, self.profiles), session.wait_ended, self._left.wait)
            if self._command.at == "none":
                await _first_of(jvm.loaded.wait, session.wait_ended, self._left.wait)
                if session.ending is None:
                    await session.points.remove([point.number])
            await _first_of(session.wait_ended, self._left.wait)
        except Disconnected:
            return  # an event says so to who looks at it
        finally:
            self.left_out.update(session.tests.left_out)
            if self.records and jvm.loaded.is_set():
                self._note_recorded(session)
            self._turn.give_back(jvm)
            self._decided(main)

    def _note_recorded(self, session: Session) -> None:
        """Note which methods a JVM has not found."""
        for each in session.recorder.recordings:
            if each.waiting:
                self.not_recorded.setdefault(each.method, each.waiting)
            else:
                self._recorded.add(each.method)
        for method in self._recorded:
            self.not_recorded.pop(method, None)

    async def _take_turn(self, jvm: BuildJvm) -> bool:
        """Return True when it is a JVM's turn to stop; False if it is not to stop at all."""
        await self._turn.take(jvm)
        if self._kept not in (None, jvm) or self._left.is_set():
            self._turn.give_back(jvm)
            return False
        await self._announce(jvm)
        return True

    @property
    def records(self) -> bool:
        """True if calls of methods are recorded."""
        return bool(self._command.record)

    @property
    def _waits_for_profile(self) -> bool:
        """True if a JVM stands before its first test until it is profiled; else it is when it runs on."""
        return self.profiles is not None and self._command.at == "failure" and self.begin is None

    async def _profile(self, jvm: BuildJvm, profiles: BuildProfiles) -> None:
        """Have a JVM record once it has loaded a test framework. It answers only while its other threads run."""
        if self._waits_for_profile:
            await jvm.session.next_stop()
        else:
            await jvm.loaded.wait()
        info = jvm.session.info
        await profiles.begin(jvm.name, jvm.pid, info.jdwp_major if info.jdwp_major > 1 else info.jdwp_minor)
        if self._waits_for_profile:
            await jvm.session.execution.resume_if_stopped()

    async def _loaded(self, jvm: BuildJvm) -> LoadedStop:
        jvm.loaded.set()
        if self._kept not in (None, jvm):
            self._decided(jvm.main)
            return LoadedStop.NONE
        for method in self._command.record:
            try:
                await jvm.session.recorder.record(method)
            except Disconnected:
                return LoadedStop.NONE
            except JdbpyError as error:
                self.warn(f"{jvm.name}: {error.message}")
        if self.begin is not None:
            await self._announce(jvm)
            await self.begin.wait()
        if self._command.at == "failure":
            return LoadedStop.THREAD if self._waits_for_profile else LoadedStop.NONE
        if self._command.at == "start":
            await self._turn.take(jvm)
        await self._announce(jvm)
        return LoadedStop.ALL if self._command.at == "start" else LoadedStop.NONE

    async def _announce(self, jvm: BuildJvm) -> None:
        if not jvm.announced:
            jvm.announced = True
            await self._send.send(jvm)

    def _wants(self, main: str, words: Sequence[str]) -> bool:
        """True if a JVM is to be debugged, by its main class, or the file of ``-jar``."""
        kind, operand = program_of(words[1:])
        names = {main, simple_name(main), os.path.basename(operand) if kind == "-jar" else ""} - {""}
        only, never = (
            any(fnmatchcase(name, each) for name in names for each in patterns)
            for patterns in (self._command.only, self._command.never)
        )
        return not never and (only or not self._command.only)


@asynccontextmanager
async def open_build(
    command: BuildCommand,
    options: Options | None = None,
    warn: Callable[[str], None] = lambda text: None,
    on_output: Callable[[bytes], None] = lambda data: None,
) -> AsyncIterator[Build]:
    """Run a command and debug the JVMs that it starts, those with tests; see the module's docstring.

    ``warn`` is told of JVMs that cannot be debugged, ``on_output`` gets what the command writes to a terminal of its
    own. Leaving the block ends the command if it has not ended, and leaves JVMs that outlive it, as daemons do. Raises
    UsageError for a command that cannot be started, and for an environment that has an agent already.
    """
    if command.at not in AT:
        raise UsageError(f"--at is {', '.join(AT[:-1])} or {AT[-1]}, not '{command.at}'")
    _refuse_second_agent(os.environ if command.env is None else command.env)
    with ExitStack() as stack:
        profiles = None
        if command.profile:
            directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="jdbpy-", ignore_cleanup_errors=True))
            profiles = BuildProfiles(directory, warn)
        build = Build(command, options or Options(), on_output, warn, profiles)
        async with open_listener(
            build.debug, build.options_of, lambda error: warn(error.message), build.claim
        ) as address:
            async with open_nursery() as nursery:
                nursery.start_soon(build.run, address)
                yield build
                nursery.cancel_scope.cancel()


async def _first_of(*waits: Callable[[], Awaitable[object]]) -> None:
    """Wait until one of these is over."""
    async with open_nursery() as nursery:

        async def wait(each: Callable[[], Awaitable[object]]) -> None:
            await each()
            nursery.cancel_scope.cancel()

        for each in waits:
            nursery.start_soon(wait, each)


def _open_terminal() -> tuple[int, int]:
    """Return both ends of a terminal of the size of ours, which hands on what is written as it is."""
    import fcntl
    import pty
    import termios

    ours, theirs = pty.openpty()
    modes = termios.tcgetattr(theirs)
    modes[1] &= ~termios.OPOST
    termios.tcsetattr(theirs, termios.TCSANOW, modes)
    with suppress(OSError):
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, fcntl.ioctl(1, termios.TIOCGWINSZ, bytes(8)))
    return ours, theirs


def _refuse_second_agent(environ: Mapping[str, str]) -> None:
    for name in _OPTION_VARIABLES:
        if options_of_agent(environ.get(name, "").split()):
            raise UsageError(
                f"{name} has a debugger agent, and a JVM takes only one",
                hint=f"unset {name}: 'jdbpy test' sets {VARIABLE} itself",
            )


def _name(words: Sequence[str], main: str, pid: int) -> str:
    """Return a name for a JVM: that of its main class or jar, and the number of the process."""
    _, operand = program_of(words[1:]) if words else ("", "")
    text = simple_name(main) if main else os.path.basename(operand).removesuffix(".jar")
    return f"{re.sub(r'[^A-Za-z0-9_.]', '', text) or 'java'}-{pid}"


def _time_limit(command: BuildCommand) -> str:
    """Return the time that the build tool gives a JVM with tests, in words; "" where none is known."""
    found = next((match for word in command.words if (match := _LIMITS.fullmatch(word))), None)
    if found is None and os.path.basename(command.words[0]) in ("mvn", "mvnw", "mvnd"):
        with (
            suppress(OSError),
            open(os.path.join(command.cwd or ".", "pom.xml"), encoding="utf-8", errors="replace") as pom,
        ):
            found = _POM_LIMIT.search(pom.read())
    return f"Maven ends the JVM of the tests after {found[1]} seconds" if found is not None else ""

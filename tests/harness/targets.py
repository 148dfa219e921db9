"""Target JVMs: started with the agent on a free loopback port, their output collected, always killed."""

from __future__ import annotations

import os
import random
import re
import signal
import socket
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager

import trio

from jdbpy.task_groups import open_nursery
from tests.harness.jvms import BRIEF, Jvm, shared_classes
from tests.harness.limits import LIMIT, within
from tests.harness.processes import piped, send_line
from tests.harness.programs import Program, program

_LISTENING = re.compile(r"^Listening for transport dt_socket at address: (\d+)\s*?\n", re.MULTILINE)


class Target:
    """A running JVM. ``stdout`` and ``stderr`` are what it wrote so far, the agent's line left out."""

    def __init__(self, process: trio.Process, program: Program, jvm: Jvm) -> None:
        self.process = process
        self.program = program
        self.jvm = jvm
        self.listened = 0  # how often the agent has begun to listen
        self._port = 0
        self._used = 1  # the time of listening whose address was asked for last, or that was waited for
        self.stdout = ""
        self.stderr = ""
        self._changed = trio.Condition()
        self._open_streams = 2

    @property
    def port(self) -> int:
        """The port of 127.0.0.1 at which the agent listens.

        After each debugger the agent listens at another port, a moment later. A test that attaches again waits for that
        (``wait_listening_again``); AssertionError tells one that did not, and came through this time.
        """
        assert self.listened <= self._used, "the agent listens again, which nobody has waited for"
        return self._port

    @property
    def address(self) -> str:
        """Where the agent listens, "127.0.0.1:PORT", as ``port`` tells."""
        return f"127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        return self.process.pid

    async def wait_output(self, text: str, *, stream: str = "stdout") -> str:
        """Wait until the target has written ``text``; returns all of that stream so far."""
        return await self._wait(f"{text!r} on {stream}", lambda: text in getattr(self, stream), stream)

    async def wait_lines(self, start: str, count: int) -> list[str]:
        """Wait until so many whole lines that begin with ``start`` are on stdout; returns all of them."""

        def lines() -> list[str]:
            whole = self.stdout[: self.stdout.rfind("\n") + 1]
            return [line for line in whole.splitlines() if line.startswith(start)]

        await self._wait(f"{count} lines {start!r}", lambda: len(lines()) >= count, "stdout")
        return lines()

    async def wait_listening(self, times: int, patience: float = 1, *, or_refused: bool = False) -> None:
        """Wait until the agent listens for so many times: once more after each debugger that has left.

        ``patience`` multiplies the limit, for a target that others leave little processor time. ``or_refused``: a
        debugger that left before the handshake counts too; the agent says that, and listens on at the same port.
        """

        def done() -> bool:
            refused = self.stderr.count("Debugger failed to attach") if or_refused else 0
            return self.listened + refused >= times

        await self._wait(f"the agent to listen, time {times}", done, "stdout", patience)
        self._used = max(self._used, times)

    async def wait_listening_again(self, patience: float = 1) -> None:
        """Wait until the agent listens once more than when its address was last asked for, or waited for."""
        await self.wait_listening(self._used + 1, patience)

    async def wait_exit(self) -> int:
        """Wait until the target has ended and all of its output is read; returns its exit status (-9: killed)."""
        await self._wait("the end of the output", lambda: self._open_streams == 0, "stdout")
        with within(LIMIT):
            return await self.process.wait()

    async def send(self, line: str = "") -> None:
        """Write a line to the target's standard input."""
        await send_line(self.process, line)

    def kill(self) -> None:
        """Kill the target and its children at once, as a power cut would."""
        if self.process.returncode is None:
            os.killpg(self.process.pid, signal.SIGKILL)

    def report(self) -> str:
        """What the target has written, for messages of failed tests."""
        status = self.process.returncode
        state = "running" if status is None else f"ended with {status}"
        return f"target {self.program.main} on Java {self.jvm.version}: {state}\n{self.stdout}\n{self.stderr}"

    async def _wait(self, what: str, done: Callable[[], bool], stream: str, patience: float = 1) -> str:
        with trio.move_on_after(LIMIT * patience):
            async with self._changed:
                while not done() and self._open_streams:
                    await self._changed.wait()
        if not done():
            raise AssertionError(f"waited in vain for {what}\n{self.report()}")
        return str(getattr(self, stream))

    async def _collect(self, stream: trio.abc.ReceiveStream, name: str) -> None:
        data = b""
        async for chunk in stream:
            data += chunk
            text = data.decode(errors="replace")
            if name == "stdout" and (ports := _LISTENING.findall(text)):
                self._port = int(ports[-1])  # another one after each debugger that has left
                self.listened = len(ports)
                text = _LISTENING.sub("", text)
            async with self._changed:
                setattr(self, name, text)
                self._changed.notify_all()
        async with self._changed:
            self._open_streams -= 1
            self._changed.notify_all()


@asynccontextmanager
async def start_target(
    jvm: Jvm,
    what: Program | str,
    *args: str,
    suspend: bool = True,
    connect_to: str = "",
    agent: str = "",
    jvm_options: Sequence[str] = (),
    with_agent: bool = True,
) -> AsyncIterator[Target]:
    """Run a program (or the fixture of that name) on ``jvm`` with the debugger agent; kill it when the block ends.

    The block is entered when the agent listens. ``agent`` is appended to the agent's options
    (``agent=",quiet=n,onthrow=..."``). With ``connect_to`` the JVM connects to that address (server=n) instead.
    """
    prog = (program(what) if isinstance(what, str) else what).on(jvm)
    role = f"server=n,address={connect_to}" if connect_to else "server=y,address=127.0.0.1:0"
    options = f"transport=dt_socket,{role},suspend={'y' if suspend else 'n'}{agent}"
    command = [jvm.java, *BRIEF, *shared_classes(jvm)]
    command += [f"-agentlib:jdwp={options}"] if with_agent else []
    command += [*jvm_options, "-cp", prog.classes, prog.main, *args]
    environ = {key: value for key, value in os.environ.items() if key not in ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS")}
    running = piped(command, stderr=subprocess.PIPE, env=environ, start_new_session=True)
    async with running as process, open_nursery() as nursery:
        target = Target(process, prog, jvm)
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            nursery.start_soon(target._collect, process.stdout, "stdout")
            nursery.start_soon(target._collect, process.stderr, "stderr")
            if with_agent and not connect_to:
                await target._wait("the agent to listen", lambda: target._port != 0, "stdout")
            yield target
        except Exception as error:
            error.add_note(target.report())  # was it alive, what has the agent said
            raise
        finally:
            target.kill()
            nursery.cancel_scope.cancel()


@contextmanager
def reserved_port() -> Iterator[int]:
    """A port of the loopback at which nothing listens, kept for the block: to be listened at more than once.

    A port that the system has picked may be picked again, by any program, as soon as its listener is closed. This one
    is below those that systems pick from, and a UDP socket at the same number keeps other tests from it.
    """
    with ExitStack() as stack:
        while True:
            number = random.SystemRandom().randrange(10_000, 32_000)
            keeper = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            try:
                keeper.bind(("127.0.0.1", number))
                socket.create_server(("127.0.0.1", number)).close()
            except OSError:
                continue
            yield number
            return

"""A program of the user's that carries a connection: ssh, docker, kubectl.

Owns its life and its words. It ends when the block is left, and also when this process is killed. The end of its
standard error is kept, bounded and escaped, for the error that says why there is no connection.
"""

from __future__ import annotations

import ctypes
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress

import trio

from jdbpy.errors import ConnectError
from jdbpy.escape import escape
from jdbpy.task_groups import open_nursery

LAST_WORDS = 1.0
"""Seconds that a program which has closed the connection gets to say why, and one that was told to end gets for it."""

_KEPT_LINES = 6
_KEPT_CHARACTERS = 300
_LINE_LIMIT = 4_096
_ANSWER_LIMIT = 1_000_000
_POLL = 0.01
_SHORT = 0.05
_PR_SET_PDEATHSIG = 1
_LOG_LINE = re.compile(r"[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [\w.]+:\d+\] ")
"""A line of klog, the log of Kubernetes: ``E1123 06:34:38.666729   29471 memcache.go:265] ...``."""


class Helper:
    """A running program. ``stream`` is its standard input and output, where it carries the connection itself."""

    def __init__(self, words: Sequence[str], process: subprocess.Popen[bytes], errors: int, *, own_group: bool) -> None:
        self.words = tuple(words)
        self.stream: trio.SocketStream | None = None
        self.lines: trio.MemoryReceiveChannel[str] | None = None
        """Lines of its standard output, where it does not carry the connection."""
        self._process = process
        self._own_group = own_group
        self._errors = errors  # the pipe of its standard error
        self._rest = b""  # of a line
        self._said: deque[str] = deque(maxlen=_KEPT_LINES)
        self._logged = ""  # its last line in a log's form
        self._silent = trio.Event()

    @property
    def name(self) -> str:
        """Return the program with its process number: ``ssh (process 123)``."""
        return f"{self.words[0]} (process {self._process.pid})"

    @property
    def command(self) -> str:
        """Return the words of its command line, as a shell takes them."""
        return escape(shlex.join(self.words))

    @property
    def said(self) -> str:
        """Return the last lines of its standard error, in one line; "" if it has been silent.

        What kubectl has logged comes behind its sentences: it says much of the same, at length.
        """
        return cut("; ".join(filter(None, [*self._said, self._logged])))

    def ending(self) -> str:
        """Return how it has ended and what it said, "" while it runs and after a good end."""
        with suppress(subprocess.TimeoutExpired):  # its end shows at the connection a moment before the process is gone
            self._process.wait(_SHORT)
        self._take_words()
        status = self._process.poll()
        if not status:
            return ""
        how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
        return f"{self.name} {how}" + (f": {self.said}" if self._said else "")

    async def failure(self, error: ConnectError, hint: str = "") -> ConnectError:
        """Return the error for a connection that did not come about: ``error``, and what the program has said."""
        with trio.CancelScope(shield=True), trio.move_on_after(LAST_WORDS):
            await self._silent.wait()
            await self._ended()
        ended = self.ending()
        if ended:
            return ConnectError(f"no connection: {ended}", hint=hint or self._by_hand)
        if self.said:
            return ConnectError(f"{error.message}; {self.words[0]} says: {self.said}", hint=hint or error.hint)
        return error

    @property
    def _by_hand(self) -> str:
        return "" if len(self.command) > _KEPT_CHARACTERS else f"try it by hand: {self.command}"

    async def _listen(self) -> None:
        """Take in its standard error, also of children that may hold it open for ever."""
        while not self._silent.is_set():
            await trio.lowlevel.wait_readable(self._errors)
            self._take_words()

    def _take_words(self) -> None:
        """Take in what is there of its standard error; its last lines are kept."""
        with suppress(BlockingIOError):
            while not self._silent.is_set():
                data = os.read(self._errors, 65_536)
                *whole, rest = (self._rest + data).split(b"\n")
                self._rest = rest[:_LINE_LIMIT]
                if not data:
                    whole, self._rest = [self._rest], b""
                    self._silent.set()
                for line in filter(None, map(_cleaned, whole)):
                    if logged := _LOG_LINE.match(line):
                        self._logged = line[logged.end() :]
                    else:
                        self._said.append(line)

    async def _tell(self, pipe: int, to: trio.MemorySendChannel[str]) -> None:
        async with trio.lowlevel.FdStream(pipe) as stream, to:
            async for line in _lines(stream):
                with suppress(trio.WouldBlock):  # what is not read is not needed
                    to.send_nowait(line)

    async def _end(self) -> None:
        if self.stream is not None:
            with suppress(trio.BrokenResourceError, OSError):
                await trio.aclose_forcefully(self.stream)
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self._process.poll() is None:
                self._send(number)
                with trio.move_on_after(LAST_WORDS):
                    await self._ended()

    async def _ended(self) -> None:
        while self._process.poll() is None:  # noqa: ASYNC110  nothing tells of its end on all systems
            await trio.sleep(_POLL)

    def _send(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            if self._own_group:
                os.killpg(self._process.pid, number)
            else:
                self._process.send_signal(number)


@asynccontextmanager
async def run_helper(words: Sequence[str], *, carries: bool, may_ask: bool = False) -> AsyncIterator[Helper]:
    """Run a program beside the block, and end it afterwards.

    ``carries``: the connection goes through its standard input and output, which become ``stream``; otherwise its
    output comes as ``lines``. ``may_ask``: it may ask the user at the terminal, by /dev/tty, so it stays in the
    terminal's session, without the Ctrl-C that is meant for us. Raises ConnectError if there is no such program.
    """
    ours = theirs = None
    errors, errors_end = os.pipe()
    output = output_end = -1
    try:
        if carries:
            ours, theirs = socket.socketpair()
        else:
            output, output_end = os.pipe()
        process = _start(
            words,
            stdin=theirs.fileno() if theirs is not None else subprocess.DEVNULL,
            stdout=theirs.fileno() if theirs is not None else output_end,
            stderr=errors_end,
            may_ask=may_ask,
        )
    except BaseException:
        for each in (ours, theirs):
            if each is not None:
                each.close()
        for pipe in (errors, output):
            if pipe >= 0:
                os.close(pipe)
        raise
    finally:
        if theirs is not None:
            theirs.close()
        for pipe in (errors_end, output_end):
            if pipe >= 0:
                os.close(pipe)
    os.set_blocking(errors, False)
    helper = Helper(words, process, errors, own_group=not may_ask)
    if ours is not None:
        ours.setblocking(False)
        helper.stream = trio.SocketStream(trio.socket.from_stdlib_socket(ours))
    async with _closing(errors), open_nursery() as nursery:
        nursery.start_soon(helper._listen)
        if output >= 0:
            sink, helper.lines = trio.open_memory_channel[str](100)
            nursery.start_soon(helper._tell, output, sink)
        try:
            yield helper
        finally:
            with trio.CancelScope(shield=True):
                await helper._end()
            nursery.cancel_scope.cancel()


@asynccontextmanager
async def _closing(pipe: int) -> AsyncIterator[None]:
    try:
        yield
    finally:
        os.close(pipe)


async def ask_helper(words: Sequence[str], *, limit: float) -> str:
    """Run a program to its end, within ``limit`` seconds, and return its output, a million characters at most.

    Raises ConnectError when it fails.
    """
    async with run_helper(words, carries=False) as helper:
        assert helper.lines is not None
        answer: list[str] = []
        size = 0
        with trio.move_on_after(limit) as waiting:
            async for line in helper.lines:
                answer.append(line)
                size += len(line)
                if size > _ANSWER_LIMIT:
                    break
            await helper._ended()
        if waiting.cancelled_caught:
            raise ConnectError(f"{words[0]} did not answer within {limit:g} seconds: {helper.command}")
        if helper._process.returncode:
            raise await helper.failure(ConnectError(f"{words[0]} failed: {helper.command}"))
        return "\n".join(answer)


async def _lines(stream: trio.abc.ReceiveStream) -> AsyncIterator[str]:
    """Lines of a program's output, each escaped and cut at a limit; empty ones are left out."""
    rest = b""
    async for data in stream:
        *whole, rest = (rest + data).split(b"\n")
        for line in whole:
            if text := _cleaned(line):
                yield text
        rest = rest[:_LINE_LIMIT]
    if text := _cleaned(rest):
        yield text


def _cleaned(line: bytes) -> str:
    return escape(line[:_LINE_LIMIT].decode("utf-8", "replace").strip())


def _start(words: Sequence[str], *, stdin: int, stdout: int, stderr: int, may_ask: bool) -> subprocess.Popen[bytes]:
    """Start the program in this thread, not in one of trio's workers: its life depends on the thread that starts it."""
    if shutil.which(words[0]) is None:
        raise ConnectError(f"no program '{words[0]}' on the PATH", hint=f"install {words[0]}")
    try:
        return subprocess.Popen(
            words,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=not may_ask,
            preexec_fn=_prepare(os.getpid(), may_ask=may_ask),
        )
    except OSError as error:
        raise ConnectError(f"cannot start {words[0]}: {error.strerror or error}") from error


def _prepare(parent: int, *, may_ask: bool) -> Callable[[], None]:
    """Return what the new process does before it becomes the program; it is made before the fork."""
    prctl = _prctl()

    def prepare() -> None:
        if may_ask:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGQUIT, signal.SIG_IGN)
        if prctl is not None:
            prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
            if os.getppid() != parent:  # gone before that was set
                os._exit(1)

    return prepare


def _prctl() -> Callable[..., int] | None:
    """Linux's prctl; elsewhere the end of its input ends a program that carries the connection."""
    if not sys.platform.startswith("linux"):
        return None
    found: Callable[..., int] = ctypes.CDLL(None).prctl
    return found


def cut(text: str) -> str:
    """Return what is shown of a program's words."""
    return text if len(text) <= _KEPT_CHARACTERS else text[:_KEPT_CHARACTERS] + "..."

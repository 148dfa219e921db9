"""One client: its messages read and answered, events sent, and the end, however it comes.

Requests are carried out side by side, as an expression may run for minutes. Those that change what is debugged keep
their order, and what only reads waits for those before it; ``pause``, ``cancel`` and the like wait for nothing. When
the client goes, however it goes, its session is left as the session promises, before this returns.
"""

from __future__ import annotations

import os
import select
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Protocol

import trio

from jdbpy import JdbpyError, StateError
from jdbpy.dap.adapter import Adapter, Joining
from jdbpy.dap.framing import MOST_BODY_BYTES, Framing, FramingError, framed
from jdbpy.dap.protocol import CAPABILITIES, REQUESTS, Body, Request, read_arguments
from jdbpy.process.doorway import MOST_GREETING
from jdbpy.task_groups import open_nursery

MOST_UNDER_WAY = 256
"""Requests that are carried out side by side; further ones wait unread."""

MOST_WAITING_BYTES = 32 * 1024 * 1024
"""Of messages that the client does not take: from then on output is left out, and from four times that it has gone."""

FLUSH_LIMIT = 2.0
"""Seconds that the client has for its last messages."""

CAPABILITIES["supportsCancelRequest"] = True  # ``Server._cancel``

_LONG = {
    "attach": "Connecting to the JVM",
    "launch": "Starting the program",
    "restart": "Starting again",
    "evaluate": "Evaluating",
    "variables": "Reading variables",
    "redefineClasses": "Replacing classes",
    "jdbpy/redefine": "Replacing classes",
    "loadedSources": "Reading sources",
    "modules": "Reading modules",
}
"""Requests that may take long, as a client shows them that are under way for a second."""

_PROGRESS = "request-"

_BEGINNING = frozenset(("initialize", "attach", "launch", "disconnect", "terminate"))
"""Requests of a client that has not shown its token."""

INTERNAL_ERROR = 1
FAILED = 2
WRONG_MESSAGE = 3


class Stream(Protocol):
    """The connection of a client: bytes both ways. ``receive_some`` gives b"" at the end."""

    async def receive_some(self) -> bytes: ...
    async def send_all(self, data: bytes) -> None: ...


class Server:
    """Serves one client."""

    def __init__(
        self, stream: Stream, served: Joining | None = None, enter: Callable[[str], object] | None = None
    ) -> None:
        """``served`` joins a session that is there already, which is then what ``attach`` attaches to.

        ``enter`` is called with the token that the client shows, and raises UsageError for a wrong one; without it the
        client needs none. Until then nothing but the requests that begin a session is served.
        """
        self._enter = enter
        self._framing = Framing() if enter is None else Framing(MOST_GREETING)
        self._stream = stream
        self._served = served
        self._waiting: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._more = trio.Event()
        self._flushed = trio.Event()
        self._seq = 0
        self._dropped = 0
        self._scopes: dict[int, trio.CancelScope] = {}
        self._carried_out = trio.Event()  # one of them; another event from then on
        self._canceled: set[int] = set()
        self._room = trio.CapacityLimiter(MOST_UNDER_WAY)
        self._last = trio.Event()  # when the last request that keeps its order was carried out
        self._last.set()
        self._replies: dict[int, tuple[trio.Event, list[Body]]] = {}
        self._over = trio.Event()
        self._terminated = False

    @property
    def is_over(self) -> bool:
        """True if the client has been told that its session is over, has been answered for the last time, or has
        gone."""
        return self._terminated or self._over.is_set()

    async def run(self) -> None:
        """Serve until the client disconnects or goes away; its session has been left then."""
        try:
            async with open_nursery() as nursery:
                self._nursery = nursery
                self._adapter = Adapter(self, nursery, self._served, self._let_in)
                nursery.start_soon(self._write)
                nursery.start_soon(self._read)
                await self._over.wait()
                with trio.move_on_after(FLUSH_LIMIT):
                    await self._flush()
                nursery.cancel_scope.cancel()
        finally:
            if self._served is not None and not (self._over.is_set() or self._terminated):
                await self._end_with_the_session()

    async def _end_with_the_session(self) -> None:
        """Say that the session that was joined is served no more, unless the client has left a message half taken."""
        if self._waiting_bytes == sum(map(len, self._waiting)):
            self.event("terminated")
            with trio.CancelScope(shield=True), trio.move_on_after(FLUSH_LIMIT):
                with suppress(OSError, trio.BrokenResourceError, trio.ClosedResourceError):
                    await self._stream.send_all(b"".join(self._waiting))

    def _let_in(self, token: str) -> None:
        """Let the client in, if it needs a token. Raises UsageError for a wrong one."""
        if self._enter is not None:
            self._enter(token)
            self._enter = None
            self._framing.most = MOST_BODY_BYTES

    # -- what is sent ------------------------------------------------------------------------------------------------

    def event(self, name: str, body: Body | None = None) -> None:
        """Send an event."""
        if name == "output" and self._waiting_bytes > MOST_WAITING_BYTES:
            self._dropped += 1
            return
        if self._dropped and name == "output":
            lost, self._dropped = self._dropped, 0
            text = f"{lost} pieces of output were dropped: the client was too slow\n"
            self.event("output", {"category": "important", "output": text})
        self._terminated = self._terminated or name == "terminated"
        self._send({"type": "event", "event": name, **({"body": body} if body is not None else {})})

    async def ask(self, command: str, arguments: Body) -> Body:
        """Send a request of ours; its response. wire: none; as long as the client takes."""
        came: list[Body] = []
        done = trio.Event()
        number = self._send({"type": "request", "command": command, "arguments": arguments})
        self._replies[number] = done, came
        try:
            await done.wait()
        finally:
            del self._replies[number]
        return came[0]

    def _send(self, message: Body) -> int:
        self._seq += 1
        data = framed({"seq": self._seq, **message})
        self._waiting.append(data)
        self._waiting_bytes += len(data)
        self._more.set()
        if self._waiting_bytes > (4 * MOST_WAITING_BYTES if self._enter is None else MOST_GREETING):
            self._over.set()  # it takes nothing any more
        return self._seq

    async def _write(self) -> None:
        while True:
            await self._more.wait()
            data = b"".join(self._waiting)
            self._waiting.clear()
            self._more = trio.Event()
            try:
                await self._stream.send_all(data)
            except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
                self._over.set()
                return
            self._waiting_bytes -= len(data)
            if not self._waiting:
                self._flushed.set()
                self._flushed = trio.Event()

    async def _flush(self) -> None:
        while self._waiting_bytes:
            await self._flushed.wait()

    # -- what comes in -----------------------------------------------------------------------------------------------

    async def _read(self) -> None:
        while not self._over.is_set():
            try:
                data = await self._stream.receive_some()
            except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
                data = b""
            if not data:
                break
            for message in self._framing.feed(data):
                if isinstance(message, FramingError):
                    self._respond(0, "", error=message.message, code=WRONG_MESSAGE)
                    if message.fatal:
                        self._over.set()
                        return
                else:
                    await self._take(message)
        self._over.set()

    async def _take(self, message: Body) -> None:
        kind, seq = message.get("type"), message.get("seq")
        if kind == "response":
            self._take_response(message)
            return
        command = message.get("command")
        number = seq if isinstance(seq, int) and not isinstance(seq, bool) else 0
        if kind != "request" or not isinstance(command, str):
            self._respond(number, "", error="a message is neither a request nor a response", code=WRONG_MESSAGE)
            return
        if command == "cancel":
            self._cancel(number, message.get("arguments"))
            return
        request = REQUESTS.get(command)
        if request is None:
            self._respond(number, command, error=f"unknown request '{command[:100]}'", code=WRONG_MESSAGE)
            return
        room = None if request.at_once else object()
        if room is not None:
            await self._room.acquire_on_behalf_of(room)
        before = self._last
        done = trio.Event()
        if request.in_order:
            self._last = done
        self._nursery.start_soon(self._carry_out, request, number, message.get("arguments"), before, done, room)

    def _take_response(self, message: Body) -> None:
        asked = message.get("request_seq")
        if isinstance(asked, int) and asked in self._replies:
            done, came = self._replies[asked]
            came.append(message)
            done.set()

    def _cancel(self, number: int, arguments: object) -> None:
        given = arguments if isinstance(arguments, dict) else {}
        asked = given.get("requestId")
        progress = str(given.get("progressId", ""))
        if progress.startswith(_PROGRESS) and progress[len(_PROGRESS) :].isdecimal():
            asked = int(progress[len(_PROGRESS) :][:15])
        if isinstance(asked, int) and asked in self._scopes:
            self._canceled.add(asked)
            self._scopes[asked].cancel()
        self._respond(number, "cancel")

    async def _carry_out(
        self, request: Request, number: int, given: object, before: trio.Event, done: trio.Event, room: object
    ) -> None:
        try:
            with trio.CancelScope() as scope:
                self._scopes[number] = scope
                if not request.at_once:
                    await before.wait()
                async with open_nursery() as beside:
                    if request.name in _LONG and self._adapter.client.supportsProgressReporting:
                        beside.start_soon(self._show_progress, request.name, number)
                    await self._answer(request, number, given)
                    beside.cancel_scope.cancel()
            if scope.cancelled_caught and number in self._scopes:  # else it was answered before the cancellation came
                self._respond(number, request.name, error="cancelled")
        finally:
            self._scopes.pop(number, None)
            self._carried_out.set()
            self._carried_out = trio.Event()
            self._canceled.discard(number)
            done.set()
            if room is not None:
                self._room.release_on_behalf_of(room)
        if self._is_last(request):
            self._over.set()

    async def _show_progress(self, name: str, number: int) -> None:
        """Report that a request takes its time, from a second on, until this is cancelled."""
        seconds = 1
        await trio.sleep(seconds)
        progress = f"{_PROGRESS}{number}"
        start: Body = {"progressId": progress, "title": _LONG[name], "requestId": number, "cancellable": True}
        self.event("progressStart", start)
        try:
            while True:
                await trio.sleep(1)
                seconds += 1
                self.event("progressUpdate", {"progressId": progress, "message": f"{seconds} s"})
        finally:
            self.event("progressEnd", {"progressId": progress})

    async def _answer(self, request: Request, number: int, given: object) -> None:
        """Carry out a request and send its response, whatever comes of it."""
        try:
            if self._enter is not None and request.name not in _BEGINNING:
                raise StateError("nothing is debugged yet: attach or launch comes first", code="NOT_STARTED")
            if request.name in ("attach", "launch") and not self._adapter.initialized:
                raise StateError("initialize comes first", code="NOT_STARTED")
            try:
                body = await request.run(self._adapter, read_arguments(request.arguments, given))
            finally:
                if self._is_last(request):
                    await self._answer_others(number)
        except JdbpyError as error:
            of_prompt = "'" in error.hint  # it names commands
            hint = f" ({error.hint})" if error.hint and not of_prompt else ""
            self._respond(number, request.name, error=f"{error.message}{hint}", code=FAILED)
        except Exception as error:  # a fault of ours must not end the session
            sys.stderr.write(f"jdbpy dap: {request.name} failed: {type(error).__name__}: {error}\n")
            text = f"{request.name} failed in the debugger itself: {type(error).__name__}: {error}"
            self._respond(number, request.name, error=text, code=INTERNAL_ERROR)
        else:
            self._respond(number, request.name, body=body)
            self._adapter.was_answered(request.name)

    def _is_last(self, request: Request) -> bool:
        """True if a request has ended all, once it is answered."""
        return request.name == "disconnect" and self._adapter.is_over

    async def _answer_others(self, last: int) -> None:
        """Cancel what is under way beside the last request, so that it is answered while the client reads."""
        with trio.move_on_after(FLUSH_LIMIT):
            while others := [scope for number, scope in self._scopes.items() if number != last]:
                for scope in others:
                    scope.cancel()
                await self._carried_out.wait()

    def _respond(
        self, number: int, command: str, *, body: Body | None = None, error: str = "", code: int = FAILED
    ) -> None:
        self._scopes.pop(number, None)
        message: Body = {"type": "response", "request_seq": number, "success": not error, "command": command}
        if error:
            message["message"] = error
            if error != "cancelled":
                shown = {"id": code, "format": error.replace("{", "(").replace("}", ")"), "showUser": True}
                message["body"] = {"error": shown}
        elif body is not None:
            message["body"] = body
        self._send(message)


class StandardStream:
    """Standard input and output of this process, which only the protocol uses from now on.

    They are read and written in threads: they may be files, and their descriptors, which others have as well, stay as
    they are.
    """

    def __init__(self) -> None:
        self._in = os.dup(0)
        self._out = os.dup(1)
        os.dup2(2, 1)  # what anything else writes must not get between messages

    async def receive_some(self) -> bytes:
        """Some bytes, b"" at the end."""
        return await trio.to_thread.run_sync(os.read, self._in, 65536, abandon_on_cancel=True)

    @property
    def has_gone(self) -> bool:
        """True if the other side has closed standard input, and reads no more."""
        if not hasattr(select, "poll"):
            return False
        poll = select.poll()
        poll.register(self._in, 0)
        return any(what & select.POLLHUP for _, what in poll.poll(0))

    async def send_all(self, data: bytes) -> None:
        """Write all of it."""
        await trio.to_thread.run_sync(self._write, data, abandon_on_cancel=True)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._out, view) :]


class SocketStream:
    """A connection to the port."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream

    async def receive_some(self) -> bytes:
        """Some bytes, b"" at the end."""
        return bytes(await self._stream.receive_some(65536))

    async def send_all(self, data: bytes) -> None:
        """Write all of it."""
        await self._stream.send_all(data)


def import_all() -> None:
    """Enter all requests into the table."""
    for module in (
        "opening",
        "running",
        "frames",
        "variables",
        "memory",
        "expressions",
        "breakpoints",
        "code",
        "hotswap",
    ):
        import_module(f"jdbpy.dap.{module}")

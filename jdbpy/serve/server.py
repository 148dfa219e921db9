"""A session that is served: who may come in, what each client speaks, and what is left when the last one goes.

The first bytes of a client tell what it speaks: the Debug Adapter Protocol begins with ``Content-Length``, JSON Lines
with ``{``. Each client has a task and a session of its own (``jdbpy.join_session``); whatever happens to it, the others
do not feel it.
"""

from __future__ import annotations

import secrets
import socket
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial

import trio

import jdbpy
from jdbpy import ClientSession, JdbpyError, Session, UsageError
from jdbpy.errors import StateError
from jdbpy.process.doorway import GREETING_LIMIT, MOST_GREETING, Doorway, Visitor, same_token
from jdbpy.record import Record
from jdbpy.serve import sockets
from jdbpy.serve.greeting import VERSION
from jdbpy.serve.lines import MOST_LINE, BegunStream, LineReader, Message, Outgoing, text_of
from jdbpy.task_groups import open_nursery

MOST_CLIENTS = 64
"""Clients of one session; a further one is refused."""

Entering = Callable[[str], None]
"""Takes the token that a client shows. Raises UsageError for a wrong one."""

LinesServer = Callable[["Served", Message, LineReader, Outgoing], Awaitable[None]]
"""Serves a client of JSON Lines, given its first line. Raises UsageError for a wrong one."""

EditorServer = Callable[["Served", BegunStream, Entering], Awaitable[None]]
"""Serves a client of the Debug Adapter Protocol."""


class Serving(Record):
    """The ways to join a session: by its name, and on a port with a token."""

    name: str
    address: str = ""
    token: str = ""


class Served:
    """A session that others can join."""

    def __init__(
        self,
        session: Session,
        serve_lines: LinesServer,
        serve_editor: EditorServer,
        *,
        target: str,
        together: bool,
        attended: bool,
        keep: bool,
    ) -> None:
        """``attended``: a user works in the session itself. ``keep``: what is suspended stays so when the last client
        goes; else the target is left running."""
        self.session = session
        self.info = Serving("")
        self._serve_lines = serve_lines
        self._serve_editor = serve_editor
        self._target = target
        self._together = together
        self._attended = attended
        self._keep = keep
        self._listeners: list[trio.SocketListener] = []
        self._clients = 0
        # the owner's socket has places of its own: strangers reach the port only
        self._by_port, self._by_socket = Doorway(MOST_CLIENTS), Doorway(MOST_CLIENTS)
        self._left = trio.Event()  # whenever a client has gone
        self._stopped: float | None = None

    async def open(self, name: str, port: int | None = None) -> Serving:
        """Listen at a socket of that name, or a similar one, and at a port of this machine where one is given.

        Raises UsageError where that is impossible.
        """
        found, listener = await sockets.listen(name)
        self._listeners.append(listener)
        self.info = Serving(found)
        if port is not None:
            try:
                opened = await trio.open_tcp_listeners(port, host="127.0.0.1")
            except OSError as error:
                await self._close()
                reason = error.strerror or str(error)
                raise UsageError(f"cannot listen on 127.0.0.1:{port}: {reason}", code="NO_PORT") from error
            self._listeners += opened
            own = opened[0].socket.getsockname()[1]
            self.info = Serving(found, f"127.0.0.1:{own}", secrets.token_urlsafe(24))
        return self.info

    async def run(self) -> None:
        """Serve until cancelled, or until the session has ended and all clients have heard of it."""
        self.session.listen(self._listen)
        try:
            async with open_nursery() as nursery:
                for listener in self._listeners:
                    nursery.start_soon(self._accept, listener, nursery)
                await self.session.wait_ended()
                with trio.move_on_after(GREETING_LIMIT):
                    while self._clients:
                        await self._left.wait()
                nursery.cancel_scope.cancel()
        finally:
            with trio.CancelScope(shield=True):
                await self._close()

    def run_beside(self) -> None:
        """Serve beside what else goes on in the session, until it ends. Raises StateError when it has ended."""
        if self.session.ending is not None:
            raise StateError("the session has ended", code="ENDED")
        self.session.run_beside(self.run)

    async def _close(self) -> None:
        sockets.remove(self.info.name)
        for listener in self._listeners:
            await listener.aclose()

    async def _accept(self, listener: trio.SocketListener, nursery: trio.Nursery) -> None:
        while True:
            try:
                stream = await listener.accept()
            except OSError:  # too many files are open: the next one may have more luck
                await trio.sleep(0.1)
                continue
            nursery.start_soon(self._client, stream)

    def _listen(self, event: jdbpy.Event) -> None:
        stops = isinstance(event, jdbpy.Stopped) or (
            isinstance(event, jdbpy.Notice) and event.kind == "stopped-elsewhere"
        )
        if stops:
            self._stopped = self._stopped or time.time()
        elif self.session.state is not jdbpy.VmState.STOPPED:
            self._stopped = None

    # -- clients -----------------------------------------------------------------------------------------------------

    async def _client(self, stream: trio.SocketStream) -> None:
        """Serve one client to its end. Nothing that it does or sends ends another."""
        self._clients += 1
        try:
            async with stream:
                if sockets.same_user(stream):
                    by_port = stream.socket.family in (socket.AF_INET, socket.AF_INET6)
                    with (self._by_port if by_port else self._by_socket).visited() as visitor:
                        await self._recognize(BegunStream(stream), partial(self._enter, visitor, by_port))
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # it has gone
        except Exception as fault:
            sys.stderr.write(f"jdbpy: a client was dropped: {type(fault).__name__}: {fault}\n")
        finally:
            self._clients -= 1
            self._left.set()
            self._left = trio.Event()

    async def _recognize(self, stream: BegunStream, enter: Entering) -> None:
        first = await stream.peek(1)
        if first == b"C":
            await self._serve_editor(self, stream, enter)
        elif first:
            await self._take_lines(stream, enter)

    async def _take_lines(self, stream: BegunStream, enter: Entering) -> None:
        reader, out = LineReader(stream, MOST_GREETING), Outgoing(stream)
        async with open_nursery() as nursery:
            nursery.start_soon(_write, out, nursery.cancel_scope)
            try:
                if (hello := await reader.next()) is not None:
                    enter(text_of(hello, "token"))
                    if hello.get("jdbpy", VERSION) != VERSION:
                        raise UsageError("the session is served by another version of jdbpy", code="WRONG_VERSION")
                    reader.most = MOST_LINE
                    if text_of(hello, "front", "json") == "info":
                        out.put(self._description())
                    else:
                        await self._serve_lines(self, hello, reader, out)
            except JdbpyError as error:
                out.put({"type": "error", "error": {"code": error.code, "message": error.message, "hint": error.hint}})
            await out.flush()
            nursery.cancel_scope.cancel()

    @asynccontextmanager
    async def join(
        self,
        name: str,
        *,
        keep: Callable[[], bool] = lambda: False,
        read_only: bool = False,
        allow_suspend: bool = False,
    ) -> AsyncIterator[ClientSession]:
        """Open a session for a client. Raises StateError when the session has ended."""
        try:
            async with jdbpy.join_session(
                self.session,
                name,
                together=self._together,
                attended=self._attended,
                keep=keep,
                read_only=read_only,
                allow_suspend=allow_suspend,
            ) as session:
                yield session
        finally:
            if not self._attended and not self._keep and not jdbpy.clients_of(self.session) and not keep():
                with suppress(JdbpyError):
                    self.session.execution.release()  # the target is left running

    def _enter(self, visitor: Visitor, by_port: bool, token: str) -> None:
        """Let a client in. Raises UsageError for one on a port without the right token."""
        # who reaches the socket is its owner; a port can be reached by everybody on the machine
        if by_port and not same_token(token, self.info.token):
            raise UsageError("the token is missing or wrong", hint="--token TOKEN, or JDBPY_TOKEN", code="WRONG_TOKEN")
        visitor.enter()

    def _description(self) -> Message:
        session = self.session
        stopped = session.state is jdbpy.VmState.STOPPED
        if not stopped:
            self._stopped = None
        return {
            "type": "session",
            "name": self.info.name,
            "target": self._target,
            "clients": list(jdbpy.clients_of(session)),
            "state": str(session.state),
            "stopped_since": self._stopped if stopped else None,
        }


async def _write(out: Outgoing, whole: trio.CancelScope) -> None:
    """Write to a client; one that does not take what it is sent has gone."""
    await out.run()
    whole.cancel()

"""Streamable HTTP on loopback: the SDK's transport behind a small HTTP/1.1 server on trio.

Owns who is let in: clients with the token, from this machine, with a Host and an Origin of this machine. HTTP does not
show that a client has gone, so the target is left soon after a client has ended its session, or when none has sent
anything for a while.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from functools import partial
from socket import MSG_PEEK
from typing import Any

import h11
import trio
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from jdbpy import JdbpyError, UsageError
from jdbpy.mcp.debugging import Debugging
from jdbpy.mcp.server import LONGEST_MESSAGE, sdk_server
from jdbpy.process.doorway import MOST_GREETING, Doorway, Visitor, same_token
from jdbpy.record import Record
from jdbpy.task_groups import open_nursery

PATH = "/mcp"
IDLE_LIMIT = 300.0
"""Seconds without a request after which the client has gone."""

LINGER = 10.0
"""The same after a client has ended its session: a client that makes one for each call finds the target as it was."""

REQUEST_LIMIT = 30.0
"""Seconds that a client has for sending a request, and that a connection may stay unused."""

CLOSE_LIMIT = 2.0
"""Seconds in which a client that was turned away is still listened to, so that it can read why."""

MOST_CONNECTIONS = 64
"""Connections that have shown the token."""

MOST_SESSIONS = 16
"""Sessions at once: clients that never end theirs are many, so a further one ends that which was used longest ago."""

_SESSION = b"mcp-session-id"
_RECEIVE = 65536

Message = MutableMapping[str, Any]


class HttpReply(Record):
    """A response that is ours, not the SDK's."""

    status: int
    text: str
    headers: tuple[tuple[bytes, bytes], ...] = ()


_NO_TOKEN = HttpReply(401, "the token is missing or wrong", ((b"www-authenticate", b"Bearer"),))
_NO_STREAM = HttpReply(405, "this server sends nothing unasked", ((b"allow", b"POST, DELETE"),))


async def serve_http(debugging: Debugging, port: int, token: str, idle_limit: float) -> None:
    """Serve clients on 127.0.0.1 until cancelled; the address goes to standard error. Raises OSError for the port."""
    listeners = await trio.open_tcp_listeners(port, host="127.0.0.1")
    port = listeners[0].socket.getsockname()[1]
    hosts = [f"127.0.0.1:{port}", f"localhost:{port}"]
    manager = StreamableHTTPSessionManager(
        app=sdk_server(debugging),
        json_response=True,
        security_settings=TransportSecuritySettings(
            allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts]
        ),
        session_idle_timeout=None,
        max_request_body_size=LONGEST_MESSAGE,
        max_sessions=MOST_SESSIONS,
    )
    server = _Server(manager, debugging, token, idle_limit)
    async with manager.run(), open_nursery() as nursery:
        nursery.start_soon(server.watch_idle)
        sys.stderr.write(f"jdbpy: listening on http://127.0.0.1:{port}{PATH}\n")
        sys.stderr.flush()
        await trio.serve_listeners(server.connected, listeners)


class _Server:
    def __init__(
        self, manager: StreamableHTTPSessionManager, debugging: Debugging, token: str, idle_limit: float
    ) -> None:
        self._manager = manager
        self._debugging = debugging
        self._expected = f"Bearer {token}"
        self._idle_limit = idle_limit
        self._under_way = 0
        self._left_at = trio.current_time() + idle_limit
        self._doorway = Doorway(MOST_CONNECTIONS)
        self._sessions: OrderedDict[bytes, int] = OrderedDict()
        """The requests under way of each session, that which was used last at the end."""

    async def watch_idle(self) -> None:
        """Leave the target whenever its time has come: the client has gone."""
        while True:
            await trio.sleep(min(1.0, self._idle_limit))
            if not self._under_way and trio.current_time() >= self._left_at:
                await self._leave()
                self._left_at = trio.current_time() + self._idle_limit

    async def _leave(self) -> None:
        try:
            await self._debugging.leave(again=True)
        except JdbpyError as error:
            sys.stderr.write(f"jdbpy mcp: {error.message}\n")

    async def connected(self, stream: trio.SocketStream) -> None:
        """Serve one connection: requests one after the other."""
        async with stream:
            connection = h11.Connection(h11.SERVER, max_incomplete_event_size=MOST_GREETING)
            try:
                with self._doorway.visited() as visitor:
                    while await self._serve_one(stream, connection, visitor):
                        connection.start_next_cycle()
            except (h11.RemoteProtocolError, h11.LocalProtocolError, trio.BrokenResourceError):
                return  # it speaks no HTTP, or has gone
            except Exception as error:  # a fault of ours must not end the others
                sys.stderr.write(f"jdbpy mcp: a request failed: {type(error).__name__}: {error}\n")

    async def _serve_one(self, stream: trio.SocketStream, connection: h11.Connection, visitor: Visitor) -> bool:
        """Answer a request; False if the connection is over."""
        request: h11.Request | None = None
        body: bytes | None = None
        with trio.move_on_after(REQUEST_LIMIT):
            request = await _head(stream, connection)
            if request is None:
                return False
            reply = self._turned_away(request, visitor)
            if reply is not None:  # its body is not read
                await _send_last_reply(stream, connection, reply)
                return False
            body = await _body(stream, connection)
        if request is None or body is None:
            return False
        reply = self._refusal(request, body)
        if reply is not None:
            await _send_reply(stream, connection, reply)
        else:
            await self._pass_on(stream, connection, request, body)
        return connection.our_state is h11.DONE and connection.their_state is h11.DONE

    def _turned_away(self, request: h11.Request, visitor: Visitor) -> HttpReply | None:
        """Return why nothing of the client of a request is read any more; None if it has been let in."""
        given = [value for name, value in request.headers if name == b"authorization"]
        if len(given) != 1 or not same_token(given[0].decode("latin-1"), self._expected):
            return _NO_TOKEN
        try:
            visitor.enter()
        except UsageError as error:
            return HttpReply(503, error.message)
        return None

    def _refusal(self, request: h11.Request, body: bytes) -> HttpReply | None:
        """Return why a request does not reach the SDK."""
        if request.target.partition(b"?")[0] != PATH.encode():
            return HttpReply(404, f"there is nothing but {PATH}")
        if len(body) > LONGEST_MESSAGE:
            return HttpReply(413, "the request is too long")
        return _NO_STREAM if request.method == b"GET" else None

    async def _pass_on(
        self, stream: trio.SocketStream, connection: h11.Connection, request: h11.Request, body: bytes
    ) -> None:
        scope: Message = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": request.method.decode("ascii"),
            "scheme": "http",
            "path": PATH,
            "raw_path": PATH.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": [(bytes(name), bytes(value)) for name, value in request.headers],
            "client": None,
            "server": None,
        }
        closed = trio.Event()
        session = next((bytes(value) for name, value in request.headers if name == _SESSION), b"")
        if not session and len(self._sessions) >= MOST_SESSIONS:
            await self._end_oldest(scope)
        if session in self._sessions:
            self._sessions[session] += 1
            self._sessions.move_to_end(session)

        async def send(message: Message) -> None:
            if not session and message["type"] == "http.response.start" and message["status"] < 400:
                self._sessions.update({value: 0 for name, value in message.get("headers", ()) if name == _SESSION})
            await _send(stream, connection, message)

        self._under_way += 1
        try:
            async with open_nursery() as nursery:
                nursery.start_soon(_watch, stream, closed, nursery.cancel_scope)
                await self._manager.handle_request(scope, _receiving(body, closed), send)
                nursery.cancel_scope.cancel()
        finally:
            self._under_way -= 1
            if session in self._sessions:
                self._sessions[session] -= 1
                if request.method == b"DELETE":
                    del self._sessions[session]
            linger = LINGER if request.method == b"DELETE" else self._idle_limit
            self._left_at = trio.current_time() + min(linger, self._idle_limit)

    async def _end_oldest(self, scope: Message) -> None:
        """End the session that was used longest ago and has nothing under way, as its client would."""
        oldest = next((each for each, requests in self._sessions.items() if not requests), None)
        if oldest is None:
            return
        del self._sessions[oldest]
        kept = [(name, value) for name, value in scope["headers"] if name in (b"host", b"origin", b"authorization")]
        ending = {**scope, "method": "DELETE", "headers": [*kept, (_SESSION, oldest)]}

        async def ignore(message: Message) -> None:
            pass

        await self._manager.handle_request(ending, _receiving(b"", trio.Event()), ignore)


def _receiving(body: bytes, closed: trio.Event) -> Callable[[], Awaitable[Message]]:
    """Return what gives the SDK a body, and the end of the connection."""
    given: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if given:
            return given.pop()
        await closed.wait()
        return {"type": "http.disconnect"}

    return receive


async def _watch(stream: trio.SocketStream, closed: trio.Event, scope: trio.CancelScope) -> None:
    """Cancel a request whose client has closed the connection: its tool would wait for nothing."""
    await _wait_closed(stream)
    closed.set()
    scope.cancel()


async def _wait_closed(stream: trio.SocketStream) -> None:
    while True:
        await trio.lowlevel.wait_readable(stream.socket)
        try:
            if not await stream.socket.recv(1, MSG_PEEK):
                return
        except OSError:
            return
        await trio.sleep(1)  # a client that sends its next request before the answer is here


async def _head(stream: trio.SocketStream, connection: h11.Connection) -> h11.Request | None:
    """Return the head of the next request; None at the end."""
    while (event := connection.next_event()) is h11.NEED_DATA:
        connection.receive_data(await stream.receive_some(_RECEIVE))
    return event if isinstance(event, h11.Request) else None


async def _body(stream: trio.SocketStream, connection: h11.Connection) -> bytes | None:
    """Return the body of a request, which is cut where it is too long; None if it ends before."""
    body = bytearray()
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            if connection.they_are_waiting_for_100_continue:
                go_on = h11.InformationalResponse(status_code=100, headers=[], reason=b"Continue")
                await stream.send_all(connection.send(go_on))
            connection.receive_data(await stream.receive_some(_RECEIVE))
        elif isinstance(event, h11.Data):
            if len(body) <= LONGEST_MESSAGE:
                body += event.data
        else:
            return bytes(body) if isinstance(event, h11.EndOfMessage) else None


async def _send(stream: trio.SocketStream, connection: h11.Connection, message: Message) -> None:
    """Send a part of the SDK's answer."""
    if message["type"] == "http.response.start":
        headers = [(name, value) for name, value in message.get("headers", ())]
        data = connection.send(h11.Response(status_code=message["status"], headers=headers))
    else:
        data = connection.send(h11.Data(data=message.get("body", b"")))
        if not message.get("more_body", False):
            data = (data or b"") + (connection.send(h11.EndOfMessage()) or b"")
    if data:
        await stream.send_all(data)


async def _send_reply(stream: trio.SocketStream, connection: h11.Connection, reply: HttpReply) -> None:
    send: Callable[[Message], Awaitable[None]] = partial(_send, stream, connection)
    text = f"{reply.text}\n".encode()
    headers = [(b"content-type", b"text/plain"), (b"content-length", b"%d" % len(text)), *reply.headers]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": text})


async def _send_last_reply(stream: trio.SocketStream, connection: h11.Connection, reply: HttpReply) -> None:
    """Send a reply and say that the connection ends with it, then throw away what the client still sends.

    Without the header, the client may send its next request on this connection. Closing a connection with unread data
    resets it, and the client may lose the reply.
    """
    await _send_reply(stream, connection, reply.replace(headers=(*reply.headers, (b"connection", b"close"))))
    with trio.move_on_after(CLOSE_LIMIT):
        await stream.send_eof()
        while await stream.receive_some(_RECEIVE):
            pass

"""A strict client of the Debug Adapter Protocol for tests: every message is looked at, every wait has a limit.

async with dap_client() as dap:
    await dap.attach(target)                     # initialize, attach, initialized
    await dap.breakpoints(program, "sum")        # at // @sum
    await dap.request("configurationDone")
    stop = await dap.stopped("breakpoint")
    frames = await dap.frames(stop)
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, cast

import trio
import trio.testing

from jdbpy.dap.opening import Joining
from jdbpy.dap.server import Server
from jdbpy.task_groups import open_nursery
from tests.dap.schema import check
from tests.harness import LIMIT, Program, Target, within
from tests.harness.processes import piped
from tests.harness.wire_coverage import saw

Body = dict[str, Any]

ROOT = Path(__file__).resolve().parents[2]


class DapClient:
    """One client, and all that the adapter has sent to it."""

    def __init__(self, send: Callable[[bytes], Any]) -> None:
        self._send = send
        self._seq = 0
        self._last_seq = 0
        self._changed = trio.Condition()
        self._answered: set[int] = set()
        self.responses: dict[int, Body] = {}
        self.events: list[Body] = []
        self.requests: list[Body] = []
        self.over = False
        self.output = ""
        self.console = ""  # without warnings, such as of a breakpoint that slows a busy machine's target
        self.capabilities: Body = {}
        self.process: trio.Process

    # -- what comes in ------------------------------------------------------------------------------------------------

    async def collect(self, receive: Callable[[], Any]) -> None:
        """Take what the adapter sends until it ends."""
        data = b""
        while chunk := await receive():
            data += chunk
            while b"\r\n\r\n" in data:
                head, _, rest = data.partition(b"\r\n\r\n")
                assert head.startswith(b"Content-Length: ") and b"\n" not in head, head
                length = int(head[16:])
                if len(rest) < length:
                    break
                data = rest[length:]
                await self._take(json.loads(rest[:length]))
        async with self._changed:
            self.over = True
            self._changed.notify_all()
        assert not data, f"an incomplete message at the end: {data[:200]!r}"

    async def _take(self, message: Body) -> None:
        assert message["seq"] == self._last_seq + 1
        self._last_seq += 1
        name = message.get("command", "")
        check(message, name)
        if message["type"] == "event":
            saw(f"event {message['event']}")
        elif message["type"] == "request" or message["success"]:
            saw(name)
        async with self._changed:
            if message["type"] == "response":
                assert message["request_seq"] not in self._answered, f"a second response: {message}"
                self._answered.update({message["request_seq"]} - {0})  # 0: to what was no request
                self.responses[message["request_seq"]] = message
            elif message["type"] == "request":
                self.requests.append(message)
            else:
                assert message["type"] == "event", message
                self.events.append(message)
                if message["event"] == "output":
                    self.output += message["body"]["output"]
                    if message["body"].get("category") == "console":
                        self.console += message["body"]["output"]
            self._changed.notify_all()

    async def wait(self, what: str, done: Callable[[], bool]) -> None:
        """Wait until something is so."""
        with trio.move_on_after(LIMIT):
            async with self._changed:
                while not done() and not self.over:
                    await self._changed.wait()
        if not done():
            raise AssertionError(f"waited in vain for {what}; events: {self.events}; output: {self.output}")

    # -- what goes out ------------------------------------------------------------------------------------------------

    async def send_raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        await self._send(data)

    async def start(self, command: str, **arguments: Any) -> int:
        """Send a request; its number."""
        self._seq += 1
        message = {"seq": self._seq, "type": "request", "command": command, "arguments": arguments}
        body = json.dumps(message).encode()
        await self._send(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        return self._seq

    async def response(self, number: int) -> Body:
        """The whole response to a request."""
        await self.wait(f"the response to {number}", lambda: number in self.responses)
        return self.responses.pop(number)

    async def request(self, command: str, **arguments: Any) -> Body:
        """Send a request, and return the body of its response, which must be a success."""
        check({"seq": self._seq + 1, "type": "request", "command": command, "arguments": arguments})
        response = await self.response(await self.start(command, **arguments))
        assert response["success"] and response["command"] == command, f"{response}\n{self.events}\n{self.output}"
        body: Body = response.get("body", {})
        return body

    async def refused(self, command: str, **arguments: Any) -> str:
        """Send a request that must be refused; the message."""
        response = await self.response(await self.start(command, **arguments))
        assert not response["success"], response
        assert response["body"]["error"]["format"], response
        return str(response["message"])

    async def event(self, name: str, /, **fields: Any) -> Body:
        """Wait for an event whose body has these fields, take it away, and return its body."""

        def fits(event: Body) -> bool:
            body = event.get("body", {})
            return event["event"] == name and all(body.get(key) == value for key, value in fields.items())

        await self.wait(f"the event {name} {fields}", lambda: any(map(fits, self.events)))
        event = next(filter(fits, self.events))
        self.events.remove(event)
        body: Body = event.get("body", {})
        return body

    async def asked(self, command: str) -> Body:
        """Wait for a request of the adapter's, and take it away."""
        await self.wait(f"the request {command}", lambda: any(each["command"] == command for each in self.requests))
        request = next(each for each in self.requests if each["command"] == command)
        self.requests.remove(request)
        return request

    async def answer(self, request: Body, error: str = "", **body: Any) -> None:
        """Answer a request of the adapter's."""
        self._seq += 1
        message = {"seq": self._seq, "type": "response", "request_seq": request["seq"], "success": not error}
        message.update(command=request["command"], **({"message": error} if error else {"body": body}))
        data = json.dumps(message).encode()
        await self._send(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))

    # -- whole steps of a session --------------------------------------------------------------------------------------

    async def initialize(self, **changes: Any) -> Body:
        """Send ``initialize`` as an editor that can much."""
        given: Body = {
            "clientID": "test",
            "adapterID": "jdbpy",
            "linesStartAt1": True,
            "columnsStartAt1": True,
            "pathFormat": "path",
            "supportsVariableType": True,
            "supportsVariablePaging": True,
            "supportsInvalidatedEvent": True,
            "supportsMemoryReferences": True,
            "supportsMemoryEvent": True,
            "supportsProgressReporting": True,
            "supportsRunInTerminalRequest": True,
            "supportsStartDebuggingRequest": True,
        }
        self.capabilities = await self.request("initialize", **{**given, **changes})
        return self.capabilities

    async def attach(self, target: Target, **arguments: Any) -> None:
        """Initialize, attach, and wait until breakpoints may be sent."""
        if not self.capabilities:
            await self.initialize()
        given = {"host": "127.0.0.1", "port": target.port, "sourcePaths": [target.program.sources], **arguments}
        await self.request("attach", **given)
        await self.event("initialized")

    async def breakpoints(self, program: Program, *markers: str, **options: Any) -> list[Body]:
        """Set the breakpoints of the file of the markers; ``options`` are of each."""
        lines = [{"line": program.line(marker), **options} for marker in markers]
        return await self.set_breakpoints(source_of(program, markers[0]), lines)

    async def set_breakpoints(self, path: str, lines: list[Body]) -> list[Body]:
        """Set the breakpoints of a file."""
        found = await self.request("setBreakpoints", source={"path": path}, breakpoints=lines)
        assert len(found["breakpoints"]) == len(lines)
        shown: list[Body] = found["breakpoints"]
        return shown

    async def stopped(self, reason: str, **fields: Any) -> Body:
        """Wait for a stop for that reason, which must be the first there is."""
        await self.wait("a stop", lambda: any(each["event"] == "stopped" for each in self.events))
        body = await self.event("stopped")
        assert {"reason": reason, **fields}.items() <= body.items(), body
        return body

    async def frames(self, stop: Body, **arguments: Any) -> list[Body]:
        """The frames of the thread of a stop."""
        found = await self.request("stackTrace", threadId=stop["threadId"], **arguments)
        frames: list[Body] = found["stackFrames"]
        return frames

    async def scopes(self, frame: Body) -> dict[str, Body]:
        """The scopes of a frame by name."""
        found = await self.request("scopes", frameId=frame["id"])
        return {each["name"]: each for each in found["scopes"]}

    async def variables(self, of: Body, **arguments: Any) -> dict[str, Body]:
        """The variables of a scope or variable by name."""
        found = await self.request("variables", variablesReference=of["variablesReference"], **arguments)
        by_name = {each["name"]: each for each in found["variables"]}
        assert len(by_name) == len(found["variables"]), found
        return by_name

    async def locals(self, frame: Body) -> dict[str, Body]:
        """The local variables and arguments of a frame."""
        scopes = await self.scopes(frame)
        found: dict[str, Body] = {}
        for name in ("Arguments", "Locals"):
            if name in scopes:
                found.update(await self.variables(scopes[name]))
        return found

    async def evaluate(self, expression: str, frame: Body | None = None, **arguments: Any) -> Body:
        """Evaluate an expression in a frame."""
        given = {"frameId": frame["id"]} if frame is not None else {}
        return await self.request("evaluate", expression=expression, **given, **arguments)

    async def wait_over(self) -> None:
        """Wait until the adapter has ended."""
        await self.wait("the end of the adapter", lambda: self.over)


def source_of(program: Program, marker: str) -> str:
    """The path of the source file in which a marker stands."""
    return str(Path(program.sources, program.markers[marker][0]))


@asynccontextmanager
async def dap_client(*words: str) -> AsyncIterator[DapClient]:
    """A client with an adapter of its own on pipes; at the end the client goes away, and the adapter must end."""
    command = [sys.executable, "-m", "jdbpy", "dap", *words]
    async with piped(command, cwd=ROOT) as process, open_nursery() as nursery:
        assert process.stdin is not None
        assert process.stdout is not None
        client = DapClient(process.stdin.send_all)
        client.process = process
        nursery.start_soon(client.collect, partial(process.stdout.receive_some, 65536))
        yield client
        await process.stdin.aclose()
        await client.wait_over()
        with within(LIMIT):
            await process.wait()
        left = [each for each in client.events if each["event"] == "stopped"]
        assert not left, f"stops that no test looked at: {left}"
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def dap_client_here(served: Joining | None = None) -> AsyncIterator[DapClient]:
    """A client of an adapter in this process, where a relay can see when it is at work; ``served``: of a session that
    others use too."""
    ours, its = trio.testing.memory_stream_pair()
    async with open_nursery() as nursery:
        client = DapClient(ours.send_all)
        nursery.start_soon(client.collect, ours.receive_some)
        nursery.start_soon(_serve, its, served)
        yield client
        await ours.send_eof()
        await client.wait_over()
        nursery.cancel_scope.cancel()


async def _serve(stream: trio.StapledStream[Any, Any], served: Joining | None) -> None:
    async with stream:
        await Server(cast(Any, stream), served).run()


@asynccontextmanager
async def dap_client_of(host: str, port: int) -> AsyncIterator[DapClient]:
    """A client of an adapter that listens on a port."""
    async with await trio.open_tcp_stream(host, port) as stream, open_nursery() as nursery:
        client = DapClient(stream.send_all)
        nursery.start_soon(client.collect, partial(stream.receive_some, 65536))
        yield client
        await stream.send_eof()
        await client.wait_over()
        nursery.cancel_scope.cancel()

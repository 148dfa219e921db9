"""``jdbpy.join_commands``: a served session from a script, by the commands of the prompt, with answers as JSON data.

Owns the pairing of commands and answers. The objects of ``jdbpy.attach`` are had with ``jdbpy.join`` (``objects``).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import trio

from jdbpy import Disconnected, JdbpyError, StateError
from jdbpy.serve import sockets
from jdbpy.serve.greeting import error_of, greeting
from jdbpy.serve.lines import MOST_ANSWER, LineReader, Message, Outgoing
from jdbpy.task_groups import open_nursery

MOST_EVENTS = 10_000
"""Events that are kept for a reader; of more the oldest are dropped."""


class RemoteError(JdbpyError):
    """A command has failed in a session that was joined: ``code``, ``message`` and ``hint`` are those of its error."""


class RemoteSession:
    """A client of a served session, made by ``jdbpy.join_commands``."""

    def __init__(self, stream: trio.SocketStream, hello: Message) -> None:
        self.session = ""
        """The session's name."""
        self.name = ""
        """The name of this client."""
        self._hello = hello
        self._out = Outgoing(stream)
        self._reader = LineReader(stream, MOST_ANSWER)
        self._results: list[Message] = []
        self._done: dict[int, trio.Event] = {}
        self._outcomes: dict[int, list[Message]] = {}
        self._events: deque[Message] = deque(maxlen=MOST_EVENTS)
        self._changed = trio.Event()
        self._over: JdbpyError | None = None
        self._last = 0

    async def run(self, command: str) -> Any:
        """Run a command of the prompt; its result as JSON data (``docs/json.md``).

        ``cont``, ``step`` and their like return when the target has stopped. Raises RemoteError for a command that
        fails, Disconnected when the session has gone.
        """
        found = await self.run_all(command)
        failed = next((each["error"] for each in found if not each.get("ok")), None)
        if failed is not None:
            raise RemoteError(failed["message"], hint=failed.get("hint", ""), code=failed.get("code", ""))
        return found[-1]["data"] if found else {}

    async def run_all(self, command: str) -> list[Message]:
        """Run a command; all its outcomes as lines of ``--json``, of which one that fails is the last."""
        if self._over is not None:
            raise self._over
        self._last += 1
        number, done = self._last, trio.Event()
        self._done[number] = done
        self._out.put({"command": command, "id": number})
        try:
            await done.wait()
        except trio.Cancelled:
            self._out.put({"interrupt": True})
            raise
        finally:
            self._done.pop(number, None)
        if number not in self._outcomes:
            raise Disconnected("the session has gone")
        return self._outcomes.pop(number)

    async def next_event(self, kind: str = "") -> Message:
        """Return the next event, ``{"event": "stop", "data": {...}}``; with ``kind`` other kinds are passed over.

        Raises Disconnected when none can come any more.
        """
        while True:
            while self._events:
                event = self._events.popleft()
                if not kind or event.get("event") == kind:
                    return event
            if self._over is not None:
                raise self._over
            await self._changed.wait()

    async def listen(self) -> None:
        """Take what comes, until the session ends; the block of ``join`` runs it."""
        try:
            while (message := await self._reader.next()) is not None:
                self._take(message)
        except JdbpyError as error:
            self._over = error
        self._over = self._over or Disconnected("the session has gone")
        for done in self._done.values():
            done.set()
        self._change()

    async def begin(self) -> None:
        """Wait until the session has taken this client. Raises what it has against it."""
        while not self.name and self._over is None:
            await self._changed.wait()
        if not self.name and self._over is not None:
            raise self._over

    def _take(self, message: Message) -> None:
        match message.get("type"):
            case "joined":
                self.session, self.name = str(message.get("session")), str(message.get("client"))
            case "result":
                self._results.append(message)
            case "event":
                self._events.append(message)
            case "done":
                number = message.get("id")
                if isinstance(number, int) and number in self._done:
                    self._outcomes[number] = self._results
                    self._done[number].set()
                self._results = []
            case "error":
                raise error_of(message)
            case "end":
                self._over = StateError("the session was left", code="ENDED")
        self._change()

    def _change(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    async def send(self) -> None:
        """Begin to speak; the block of ``join`` runs it."""
        self._out.put(self._hello)
        await self._out.run()

    async def leave(self) -> None:
        """Say that no more commands come, and wait until the session has taken note."""
        self._out.put({"end": True})
        await self._out.flush()
        while self._over is None:
            await self._changed.wait()


LEAVE_LIMIT = 5.0
"""Seconds that the session has to take note that a client leaves."""


@asynccontextmanager
async def join_commands(
    name: str = "",
    *,
    client: str = "",
    token: str = "",
    timeout: float = math.inf,
    read_only: bool = False,
    allow_suspend: bool = False,
    keep: bool = False,
) -> AsyncIterator[RemoteSession]:
    """Join a session that ``jdbpy serve`` serves, for commands of the prompt, by its name, or HOST:PORT with its token;
    "" is the only one.

    Leaving the block takes back the client's breakpoints and what it has suspended, unless ``keep`` is given. A command
    fails that waits for its stop longer than ``timeout`` seconds. Raises ConnectError and UsageError::

        async with jdbpy.join_commands("orders") as session:
            await session.run("stop at Order:42")
            print((await session.run("cont"))["stop"]["location"]["line"])
    """
    stream = await sockets.reach(name)
    hello = {**greeting(token, client), "front": "json", "timeout": min(timeout, 1e9), "keep": keep}
    hello.update(read_only=read_only, allow_suspend=allow_suspend)
    async with stream:
        remote = RemoteSession(stream, hello)
        async with open_nursery() as nursery:
            nursery.start_soon(remote.send)
            nursery.start_soon(remote.listen)
            await remote.begin()
            yield remote
            with trio.move_on_after(LEAVE_LIMIT):
                await remote.leave()
            nursery.cancel_scope.cancel()

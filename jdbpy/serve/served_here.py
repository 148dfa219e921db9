"""The sessions that are served on this machine, as each describes itself."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import trio

from jdbpy import ConnectError, UsageError
from jdbpy.serve import sockets
from jdbpy.serve.greeting import greeting
from jdbpy.serve.lines import LineReader, Outgoing
from jdbpy.task_groups import open_nursery

_ANSWER_LIMIT = 5.0


async def session_with(address: str) -> str:
    """Return the name of a session that is served on this machine and debugs the JVM at an address; "" without one."""
    with suppress(UsageError):  # a directory that is not to be trusted
        return next((str(each["name"]) for each in await described() if each["target"] == address), "")
    return ""


async def described() -> list[dict[str, Any]]:
    """Return the descriptions of all. Raises UsageError for a directory of sockets that is not to be trusted."""
    found = [await describe(name) for name in sockets.names()]
    return [each for each in found if each is not None]


async def describe(name: str) -> dict[str, Any] | None:
    """Return the description of a session by itself; None if its process has gone, whose socket is removed."""
    try:
        stream = await sockets.reach(name)
    except ConnectError:
        return None
    async with stream:
        with trio.move_on_after(_ANSWER_LIMIT):
            async with open_nursery() as nursery:
                out = Outgoing(stream)
                out.put({**greeting("", ""), "front": "info"})
                nursery.start_soon(out.run)
                answer = await LineReader(stream).next()
                nursery.cancel_scope.cancel()
            if answer is not None and answer.get("type") == "session":
                return {key: answer.get(key) for key in ("name", "target", "clients", "state", "stopped_since")}
    return {"name": name, "target": "does not answer", "clients": [], "state": "", "stopped_since": None}

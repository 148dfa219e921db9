"""What a client of a served session may speak: JSON Lines, or the Debug Adapter Protocol.

Owns the choice of who serves a client. ``server`` takes clients and is given the two functions for them, as those that
serve import prompts, editors and commands, one of which opens a server.
"""

from __future__ import annotations

import trio

from jdbpy import ClientSession, Session, UsageError
from jdbpy.serve.calls import ServedObjects
from jdbpy.serve.clients import Client, Person, Scripted, ServedProgram
from jdbpy.serve.lines import BegunStream, LineReader, Message, Outgoing, switch_of, text_of
from jdbpy.serve.server import Entering, Served
from jdbpy.task_groups import open_nursery

FRONTS = ("json", "batch", "prompt", "objects")


def served_session(session: Session, *, target: str, together: bool, attended: bool, keep: bool) -> Served:
    """Return a session that clients of both kinds can join; the arguments are those of ``Served``."""
    return Served(session, serve_lines, serve_editor, target=target, together=together, attended=attended, keep=keep)


async def serve_editor(served: Served, stream: BegunStream, enter: Entering) -> None:
    """Serve an editor until it leaves."""
    from jdbpy.dap.server import Server  # most sessions have no editor

    await Server(stream, lambda name, read_only: served.join(name or "editor", read_only=read_only), enter).run()


async def serve_lines(served: Served, hello: Message, reader: LineReader, out: Outgoing) -> None:
    """Serve a client whose first line is ``hello``, until it leaves. Raises UsageError for a wrong first line."""
    front = text_of(hello, "front", "json")
    if front not in FRONTS:
        raise UsageError(f"'front' must be one of {', '.join(FRONTS)}", code="WRONG_LINE")
    name = text_of(hello, "name", "client", 100)
    kept: list[bool] = []
    status: int | None = None
    read_only = switch_of(hello, "read_only")
    joining = served.join(
        name,
        keep=lambda: bool(kept) and kept[0],
        read_only=read_only,
        allow_suspend=switch_of(hello, "allow_suspend"),
    )
    async with joining as session:
        client = _client(front, session, hello, out)
        out.put({"type": "joined", "session": served.info.name, "client": session.name})
        async with open_nursery() as nursery:
            nursery.start_soon(_listen, client, reader, nursery.cancel_scope)
            status = await client.run()
            if switch_of(hello, "keep"):
                kept.append(True)  # it leaves in good order; one that is cut off keeps nothing
            nursery.cancel_scope.cancel()
    if status is not None:
        out.put({"type": "end", "status": status})  # what it has set and suspended is taken back by now


def _client(front: str, session: ClientSession, hello: Message, out: Outgoing) -> Client:
    if front == "objects":
        return ServedObjects(session, hello, out)
    return {"json": ServedProgram, "batch": Scripted, "prompt": Person}[front](session, hello, out)


async def _listen(client: Client, reader: LineReader, whole: trio.CancelScope) -> None:
    """Hand on what the client sends until it goes, which ends everything that it has begun."""
    try:
        while (message := await reader.next()) is not None:
            client.take(message)
    except UsageError as error:
        client.out.put({"type": "error", "error": {"code": error.code, "message": error.message, "hint": error.hint}})
    whole.cancel()

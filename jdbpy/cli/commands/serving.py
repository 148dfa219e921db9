"""Sessions with several clients: serve opens the one that one has for others, sessions lists those of this machine."""

from __future__ import annotations

import re
from typing import Annotated

from jdbpy import ClientSession, StateError, UsageError, clients_of
from jdbpy.cli.arguments.base import Number, Option, WordArgument
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import Column, Sentence, Shown, TablePieces, faint
from jdbpy.cli.output.shows import shows
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.record import Record


class Shared(Record):
    """The session can be joined by others."""

    name: Annotated[str, "for `jdbpy join NAME`"]
    address: Annotated[str, "HOST:PORT, where a port was asked for"] = ""
    token: Annotated[str, "what a client there must know"] = ""
    clients: Annotated[tuple[str, ...], "who is here"] = ()


class ServedSession(Record):
    """A session of this machine that can be joined."""

    name: Annotated[str, "for `jdbpy join NAME`"]
    target: Annotated[str, "the address of its JVM"]
    clients: Annotated[tuple[str, ...], "who is there"]
    state: Annotated[str, "running, stopped, ..."]


class ServedSessions(Record):
    """The sessions that are served on this machine."""

    sessions: tuple[ServedSession, ...]


_COLUMNS = (
    Column("name", style="name", least=8, fold=True),
    Column("target", least=9, fold=True),
    Column("clients", style="faint", least=8, fold=True),
    Column("state"),
)


@shows(ServedSessions)
def served_sessions_shown(result: ServedSessions, settings: Settings) -> Shown:
    if not result.sessions:
        yield Sentence("no session is served on this machine; 'serve' serves this one, 'jvms' lists the JVMs here")
        return
    rows = [(each.name, each.target, ", ".join(each.clients) or "no clients", each.state) for each in result.sessions]
    yield TablePieces(_COLUMNS, rows)
    yield Sentence(faint("'jdbpy join NAME' joins one"))


@shows(Shared)
def shared_shown(result: Shared, settings: Settings) -> Shown:
    yield f"this session is served as '{result.name}'; join it with: jdbpy join {result.name}"
    if result.address:
        yield f"and at {result.address} with the token {result.token}"
    if len(result.clients) > 1:
        yield f"clients: {', '.join(result.clients)}"
    else:
        yield Sentence(faint("an editor attaches to it by the Debug Adapter Protocol: 'help serve'"))


@command("serve", group="session")
async def serve(
    ctx: Context,
    name: Annotated[str, WordArgument("NAME")] = "",
    *,
    port: Annotated[
        int | None, Option("--port", argument=Number("N", 0, 65_535), help="on this machine too; 0: a free one")
    ] = None,
    apart: Annotated[bool, Option("--apart", help="each client has the stops of its own breakpoints only")] = False,
) -> Shared:
    """Let others join this session: an editor, a program, a second prompt. `jdbpy join` is a prompt.

    All stops are then those of all clients, and each may resume what is stopped; with `--apart` each has the stops of
    its own breakpoints and steps. An editor that speaks the Debug Adapter Protocol attaches at the socket, or at the
    port with `"token"` beside its other settings. Breakpoints of a client that leaves go with it. Leaving this session
    ends it for all clients. Given again it lists the clients.
    """
    if name and re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,39}", name) is None:
        raise UsageError(f"'{name}' is not a valid session name", hint="letters, digits, '.', '_' and '-', at most 40")
    if isinstance(ctx.session, ClientSession):
        raise StateError("this session is one that was joined: it is served already", hint="'jdbpy join' joins it")
    if ctx.session.snapshot_info is not None:
        raise StateError("a snapshot cannot be joined by others")
    if ctx.session.playback is not None:
        raise StateError("a recording cannot be joined by others", hint="nothing in it can be waited for")
    if ctx.serving is None:
        from jdbpy.serve.protocols import served_session

        served = served_session(ctx.session, target=ctx.session.address, together=not apart, attended=True, keep=True)
        found = await served.open(name or "session", port)
        served.run_beside()
        ctx.serving = Shared(found.name, found.address, found.token)
    elif name or port is not None or apart:
        raise UsageError("this session is served already", hint="'serve' shows how to join it", code="SERVED")
    shared = ctx.serving
    assert isinstance(shared, Shared)
    return shared.replace(clients=clients_of(ctx.session))


@command("sessions", group="session")
async def sessions(ctx: Context) -> ServedSessions:
    """List the sessions that are served on this machine, which `jdbpy join NAME` joins. The JVMs here are `jvms`."""
    from jdbpy.serve.served_here import described

    return ServedSessions(
        tuple(
            ServedSession(
                str(each["name"]), str(each["target"]), tuple(map(str, each["clients"] or ())), str(each["state"])
            )
            for each in await described()
        )
    )
